"""What workers need of the back end and of the clock, in one replaceable record.

This is the seam for fault injection: a test's worker module passes a toolchain whose parts
misbehave to `build.main` or `run.main`. Nothing else can.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from autotune.backends.base import Artifact
    from autotune.ir.contraction import Contraction
    from autotune.ir.schedule import Schedule
    from autotune.targets.base import Target


class Loaded(Protocol):
    """Machine code in memory."""

    repeat: Callable[..., None]
    """`repeat(operand_table, workspace, task_begin, task_end, count)`, of raw addresses."""

    def pack(self, operand: str, source: int, target: int) -> None:
        """Pack a constant operand from one address to another."""

    def close(self) -> None:
        """Unload; nothing of it may be called afterwards."""


class Bound(Protocol):
    """A kernel with its arrays."""

    def run(self) -> None:
        """Call it once."""

    def repeat(self, count: int) -> None:
        """Call it `count` times from machine code."""


@dataclass(frozen=True)
class Toolchain:
    """The functions that turn a schedule into something that runs, and the clock."""

    build: Callable[[Contraction, Schedule, Target], Artifact]
    load: Callable[[Artifact, Target], Loaded]
    bind: Callable[[Artifact, Any, Mapping[str, NDArray[Any]], NDArray[np.uint8]], Bound]
    default_schedule: Callable[[Contraction, Target], Schedule]
    peak_kernel: Callable[[Target, str], tuple[Artifact, int]]
    """Pure multiply-adds of a dtype: an artifact whose one operand has the size of its workspace,
    and the floating-point operations of one call."""
    clock_ns: Callable[[], int] = time.perf_counter_ns


def real_toolchain() -> Toolchain:
    """The compiler of this package and the system's clock."""
    from autotune import runtime
    from autotune.backends import cpu
    from autotune.ir.default import default_schedule

    return Toolchain(
        build=cpu.build,
        load=cpu.load,
        bind=runtime.bind,
        default_schedule=default_schedule,
        peak_kernel=cpu.peak_kernel,
    )
