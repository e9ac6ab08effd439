"""How much memory measuring takes, and how much there is: known before a worker is started.

`tune` refuses a workload that cannot fit and has as many builders as fit beside it. What a single
candidate takes beyond this, such as an unusually large workspace, ends that candidate alone.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Sequence
from math import prod
from pathlib import Path

from autotune.errors import UsageError
from autotune.ir.contraction import ITEM_BYTES, Contraction
from autotune.ir.program import program
from autotune.ir.schedule import Schedule
from autotune.measure.rotation import copies_of
from autotune.ops.base import Operator, contraction, sizes_of
from autotune.registry import OPERATORS
from autotune.targets._linux import memory_left
from autotune.targets.base import Target
from autotune.trial import CachePolicy, Workload

_MIB = 2**20
BUILDER_BYTES = 160 * _MIB
"""One builder at its peak, rounded up. Source: VmHWM of builders of 600 random candidates each, C12
126 MiB, D3 135 MiB, C1 120 MiB, G1 110 MiB; of the longest straight-line code that is legal
123 MiB; LLVM 22, 2026-11-30."""
RUNNER_BYTES = (96 + 16) * _MIB
"""A runner before it has any operands: Python, NumPy, LLVM; and what its eight or so buffers leave
of their huge pages. Source: VmHWM of one that measured 1,000 candidates of matmul 64x64x64, 89 MiB,
2026-11-30."""
TUNER_BYTES = 128 * _MIB
"""What the tuner itself grows by, the cost model's library above all. Source: VmRSS of a search of
600 trials, 147 MiB, of which 45 MiB are there before; 10 KiB a trial; 2026-11-30."""
UNUSED_BYTES = 176 * _MIB
"""Address space that a worker reserves and never touches. Source: VmPeak less VmHWM of the builders
above, 162 MiB."""
_WIDE_BYTES = 8
"""An element of the float64 reference."""


def free_bytes(proc: Path = Path("/proc"), cgroups: Path = Path("/sys/fs/cgroup")) -> int:
    """Memory that workers may take: what is left here, in every cgroup, and of `ulimit -v`."""
    left = memory_left(proc, cgroups)
    if left is None:
        left = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return left if limit == resource.RLIM_INFINITY else min(left, max(0, limit - UNUSED_BYTES))


def builders_for(free_bytes: int, cores_left: int) -> int:
    """How many builders to have: one a core, as far as memory goes, and at least one.

    Args:
        free_bytes: what there is for builders.
        cores_left: cores that nothing is timed on.
    """
    return max(1, min(cores_left, free_bytes // BUILDER_BYTES))


def affordable_builders(
    workload: Workload,
    target: Target,
    schedules: Sequence[Schedule],
    cache_policy: CachePolicy,
    cores_left: int,
) -> int:
    """How many builders fit beside everything else that measuring takes.

    Args:
        workload: what is tuned.
        target: what for.
        schedules: the default, then some that a run may meet.
        cache_policy: how kernels are timed.
        cores_left: cores that nothing is timed on.

    Raises:
        UsageError: not even one fits: the workload's buffers are larger than memory.
    """
    made = contraction(workload)
    kernels = [kernel_bytes(made, schedule, target.threads) for schedule in schedules]
    cache_bytes = target.l3_bytes if cache_policy == "rotating" else 0
    others = TUNER_BYTES + runner_bytes(workload, kernels, cache_bytes)
    needed, free = others + BUILDER_BYTES, free_bytes()
    if needed > free:
        raise UsageError(
            f"{workload.key} takes {needed} bytes of memory to measure; {free} bytes are free"
        )
    return builders_for(free - others, cores_left)


def runner_bytes(workload: Workload, kernels: Sequence[int], cache_bytes: int = 0) -> int:
    """What a runner holds at its peak: while it computes what is right, or while it measures.

    Args:
        workload: what is measured.
        kernels: bytes of the default's kernel, whose copy is the run's reference, and then of some
            others; all but the largest tenth of them are to fit.
        cache_bytes: where above 0, kernels are timed on copies of their operands that exceed it.
    """
    made = contraction(workload)
    item = ITEM_BYTES[made.dtype]
    inputs = item * sum(prod(access.shape) for access in made.operands[:-1])
    out = prod(made.output.shape)
    wide = 0 if item == _WIDE_BYTES else inputs // item * _WIDE_BYTES
    operator: Operator = OPERATORS.get(workload.op)
    summing = operator.reference_bytes(sizes_of(workload), workload.layout)
    finishing = _WIDE_BYTES * out * _copies_of_output(made)
    expecting = inputs + wide + max(summing, finishing)
    # Inputs are kept as they were drawn, to see whether a kernel wrote to its own.
    operands = 2 * inputs + item * out
    expected = _WIDE_BYTES * out * (2 if _has_tail(made) else 1)
    # Beside the reference, a copy of the default, whatever is measured: the default first of all.
    loaded = kernels[0] + max(kernels[0], sorted(kernels)[len(kernels) * 9 // 10])
    if cache_bytes:
        once = inputs + item * out
        # Both kernels have what they packed copied for themselves.
        packed = item * prod(made.access(made.constant).shape) if made.constant else 0
        loaded += (once + packed) * copies_of(once, cache_bytes)
    return RUNNER_BYTES + max(expecting, operands + expected + max(inputs, loaded))


def kernel_bytes(made: Contraction, schedule: Schedule, threads: int) -> int:
    """What a loaded kernel holds beside the operands: its packed ones and its workspace."""
    denoted = program(made, schedule)
    packed = sum(size for _, size in denoted.packed)
    return packed + denoted.call_bytes(denoted.threads_of(threads))


def _has_tail(made: Contraction) -> bool:
    return made.bias is not None or made.residual is not None or made.activation != "none"


def _copies_of_output(made: Contraction) -> int:
    """Arrays of the output's size that `reference.expected` holds at once after the sum."""
    if not _has_tail(made):
        # The sum and its squares.
        return 2
    # The sum, the magnitude, and what the next step makes of one of them.
    return 5 if made.activation in ("gelu", "silu") else 3
