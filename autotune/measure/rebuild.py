"""Rebuilds one candidate to be looked at: IR, assembly, and what goes wrong now.

All of it happens in workers, since a candidate may take its process down; `autotune show` prints
what comes back.
"""

from __future__ import annotations

import selectors
from dataclasses import dataclass

from autotune.ir.schedule import Schedule
from autotune.measure.base import MeasureOptions
from autotune.measure.pool import PoolMeasurer
from autotune.measure.retime import builder_first
from autotune.measure.slot import Lost, Role, Slot, call
from autotune.measure.wire import Frame
from autotune.targets.base import Target
from autotune.trial import Failure, Workload

TEXT_LIMIT_S = 60.0
"""For printing IR or assembly, however short a candidate's own time is."""


@dataclass(frozen=True)
class Rebuilt:
    """What became of a candidate."""

    ir: str
    """Complete LLVM IR; empty where there is none."""
    asm: str
    failure: Failure | None
    """The first thing that went wrong, if anything did."""
    is_run: bool
    """It was checked and timed too."""


def rebuild(
    workload: Workload,
    target: Target,
    schedule: Schedule,
    options: MeasureOptions,
    runs: bool,
) -> Rebuilt:
    """Build a candidate once more and, where `runs`, also check and time it.

    Raises:
        MeasureError: workers cannot be started.
    """
    with selectors.DefaultSelector() as watched:
        slot = Slot(
            Role(options.builder_module, "compile_timeout"),
            lambda: builder_first(workload, target, options),
            watched,
        )
        limits_s = {"ir": TEXT_LIMIT_S, "build": options.timeout_s, "asm": TEXT_LIMIT_S}
        try:
            ends = {do: _call(slot, do, schedule, limit_s) for do, limit_s in limits_s.items()}
        finally:
            slot.stop()
    failure = next((end for end in ends.values() if isinstance(end, Failure)), None)
    is_run = failure is None and runs
    if is_run:
        failure = _run(workload, target, schedule, options)
    return Rebuilt(ir=_text(ends["ir"]), asm=_text(ends["asm"]), failure=failure, is_run=is_run)


def _call(slot: Slot, do: str, schedule: Schedule, limit_s: float) -> Frame | Failure:
    header = {"do": do, "schedule": schedule.to_dict()}
    end = call(slot, header, b"", limit_s)
    while isinstance(end, Lost):
        end = call(slot, header, b"", limit_s)
    return end


def _text(end: Frame | Failure) -> str:
    return "" if isinstance(end, Failure) else end.blob.decode()


def _run(
    workload: Workload, target: Target, schedule: Schedule, options: MeasureOptions
) -> Failure | None:
    with PoolMeasurer(workload, target, options) as measurer:
        measurer.submit([schedule])
        while measurer.pending:
            for trial in measurer.ready(options.timeout_s):
                return trial.failure
    return None
