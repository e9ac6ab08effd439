"""Our side of the comparison: tune a workload into a cache, then bind what the cache answers.

Bound kernels get private, aligned arrays, like every other contender.
"""

from __future__ import annotations

import math
import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peers import Arrays, Contender, private

from autotune.backends import cpu
from autotune.errors import PerformanceCliffWarning
from autotune.lookup import lookup
from autotune.ops.base import contraction, reduction_length
from autotune.pages import aligned_bytes
from autotune.reference import Expected, expected
from autotune.runtime import bind
from autotune.targets.detect import resolve
from autotune.trial import Workload
from autotune.tune import tune

UNLIMITED_TRIALS = 10**9


def tune_fresh(workload: Workload, cache: str, budget_s: float, threads: int, seed: int) -> None:
    """Tune into the cache within the budget; one line on stderr says how it went."""
    outcome = tune(
        workload,
        trials=UNLIMITED_TRIALS,
        budget_s=budget_s,
        threads=threads,
        cache=cache,
        log=None,
        seed=seed,
    ).to_dict()
    best = outcome["best"] or {}
    print(
        f"tuned {workload.key}: {outcome['trials']} trials in {outcome['seconds']:.0f} s "
        f"({outcome['trials_per_second']:.1f}/s), {outcome['failed']} failed, "
        f"best {best.get('gflops') or 0:.1f} GFLOP/s, log {outcome['log']}",
        file=sys.stderr,
    )


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


def bind_tuned(workload: Workload, arrays: Arrays, cache: str, threads: int) -> Contender:
    """The kernel that this cache answers with, bound to private arrays."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceCliffWarning)
        hit = lookup(workload, threads=threads, cache=cache)
    if not hit.is_hit:
        print(f"not tuned, so the default is timed: {workload.key}", file=sys.stderr)
    target = resolve("host", threads)
    mine = {name: private(array) for name, array in arrays.items()}
    artifact = cpu.build(contraction(workload), hit.schedule, target)
    loaded = cpu.load(artifact, target)
    for name, size_bytes in artifact.packed_bytes:
        packed = aligned_bytes(size_bytes)
        packed[:] = 0
        loaded.pack(name, mine[name].ctypes.data, packed.ctypes.data)
        mine[name] = packed
    bound = bind(artifact, loaded, mine, aligned_bytes(artifact.workspace_bytes))
    return Contender("ours", bound.run, lambda: mine["out"])
