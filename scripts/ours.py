"""Our side of the comparison: tune a workload into a cache, then bind what the cache answers.

A binder makes private, aligned sets of operands, as every other contender's does.
"""

from __future__ import annotations

import math
import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peers import Arrays, Binder, Call, private

from autotune.backends import cpu
from autotune.errors import PerformanceCliffWarning
from autotune.ir.schedule import Schedule
from autotune.lookup import Hit, lookup
from autotune.ops.base import contraction, reduction_length
from autotune.pages import aligned_bytes
from autotune.reference import Expected, expected
from autotune.runtime import bind
from autotune.targets.base import Target
from autotune.trial import CachePolicy, Workload
from autotune.tune import tune

UNLIMITED_TRIALS = 10**9


def tune_fresh(
    workload: Workload,
    cache: str,
    budget_s: float,
    threads: int,
    seed: int,
    target: str = "host",
    space: str | None = None,
    cache_policy: CachePolicy = "warm",
) -> None:
    """Tune into the cache within the budget; one line on stderr says how it went.

    Raises:
        KeyboardInterrupt: somebody interrupted it; the cache has the best so far, unverified.
    """
    outcome = tune(
        workload,
        trials=UNLIMITED_TRIALS,
        budget_s=budget_s,
        target=target,
        threads=threads,
        cache=cache,
        log=None,
        seed=seed,
        space=space,
        cache_policy=cache_policy,
    ).to_dict()
    best = outcome["best"] or {}
    print(
        f"tuned {workload.key}: {outcome['trials']} trials in {outcome['seconds']:.0f} s "
        f"({outcome['trials_per_second']:.1f}/s), {outcome['failed']} failed, "
        f"best {best.get('gflops') or 0:.1f} GFLOP/s, log {outcome['log']}",
        file=sys.stderr,
    )
    if outcome["stopped"] == "interrupted":
        raise KeyboardInterrupt


def found(workload: Workload, cache: str, target: Target) -> Hit:
    """What the cache answers, else the default schedule."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceCliffWarning)
        return lookup(workload, target, cache=cache, fallback="default")


def inputs(workload: Workload, seed: int = 0) -> tuple[dict[str, NDArray[Any]], Expected]:
    """Every operand by name, N(0, 1), and the right output in float64."""
    rng = np.random.default_rng(seed)
    operands = contraction(workload).operands
    arrays = {
        access.operand: rng.standard_normal(access.shape).astype(workload.dtype)
        for access in operands[:-1]
    }
    right = expected(workload, arrays)
    return {**arrays, "out": np.empty(operands[-1].shape, workload.dtype)}, right


def checked_units(workload: Workload, out: NDArray[Any], right: Expected) -> float:
    """Largest error in units of eps * sqrt(reduction length) * RMS of the sum; NaN for any NaN."""
    unit = float(np.finfo(workload.dtype).eps) * math.sqrt(reduction_length(workload)) * right.rms
    return float(np.max(np.abs(out.reshape(right.out.shape) - right.out))) / unit


def ours(workload: Workload, arrays: Arrays, schedule: Schedule, target: Target) -> Binder:
    """Binds one kernel of this schedule to as many private sets of operands as are wanted."""
    artifact = cpu.build(contraction(workload), schedule, target)
    loaded = cpu.load(artifact, target)
    # As one thread's calls share it.
    workspace = aligned_bytes(artifact.workspace_bytes)

    def binder() -> Call:
        mine = {name: private(array) for name, array in arrays.items()}
        out = mine["out"]
        for name, size_bytes in artifact.packed_bytes:
            packed = aligned_bytes(size_bytes)
            packed[:] = 0
            loaded.pack(name, mine[name].ctypes.data, packed.ctypes.data)
            mine[name] = packed
        bound = bind(artifact, loaded, mine, workspace)
        return Call(bound.call, lambda _, kept=bound: out)

    return binder


def multiply_adds(target: Target, dtype: str) -> tuple[Call, int]:
    """A kernel of nothing but multiply-adds on one thread, and the FLOP of one call."""
    artifact, flop = cpu.peak_kernel(target.with_threads(1), dtype)
    loaded = cpu.load(artifact, target)
    out = aligned_bytes(artifact.workspace_bytes)
    bound = bind(artifact, loaded, {"out": out}, out)
    return Call(bound.call, lambda _, kept=bound: out), flop
