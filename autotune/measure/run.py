"""The runner process: loads, checks and times candidates. `python -m` this module.

It makes the inputs and the right result once, keeps the run's reference kernel loaded, and trusts
nothing: a candidate is timed only after its check, and only beside the reference.
"""

from __future__ import annotations

import ctypes
import math
import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from autotune.backends.base import Artifact
from autotune.measure.buffers import GuardedBuffer
from autotune.measure.check import Candidate, Operands, check, judge, load_expected, make_inputs
from autotune.measure.child import Answer, CandidateError, Channel, serve
from autotune.measure.child import Worker as Serving
from autotune.measure.cores import stay_on
from autotune.measure.lock import DeviceLock
from autotune.measure.timing import ENOUGH_S, Pace, Paired, Plan, Slicer, paired
from autotune.measure.toolchain import Toolchain, real_toolchain
from autotune.measure.wire import Frame, Header, artifact_from, target_from, workload_from
from autotune.ops.base import contraction, parse_workload
from autotune.trial import Timing

FALLBACK_SHAPE = "64x64x64"
"""The matmul whose default schedule is the reference where a workload's own default failed."""
FIRST_SHARE = 0.5
"""Of patience and least time, for the first reading of a candidate."""
FIRST_WAIT_S = 0.05
"""How long it may wait for a machine at rest: who may be the best is read again."""
_PEAK_SLICE_S = 0.002
_PEAK_SLICES, _PEAK_PAUSE_S = 12, 0.015
"""So spread that a slow phase of the machine does not hold all of them."""
_LIMIT_SHARE = 0.8
"""Share of the time limit by which the runner wants to be done."""


def main(toolchain: Callable[[], Toolchain] = real_toolchain) -> None:
    """Serve until the tuner goes away. Tests pass a toolchain that misbehaves."""

    def start(first: Frame, channel: Channel) -> Serving:
        return Runner(first, channel, toolchain()).work

    serve(start, unexpected="crash")


@dataclass
class _Held:
    """A checked kernel that stays loaded, and its slices."""

    candidate: Candidate
    slicer: Slicer
    last_s: float


class Runner:
    """The state of a runner process."""

    def __init__(self, first: Frame, channel: Channel, tools: Toolchain) -> None:
        header = first.header
        stay_on(header["cores"])
        self._workload = workload_from(header["workload"])
        self._target = target_from(header["target"])
        self._min_slice_s = float(header["min_slice_s"])
        self._patience_s = float(header["patience_s"])
        is_rotating = header["cache_policy"] == "rotating"
        self._rotating_bytes = self._target.l3_bytes if is_rotating else 0
        self._pace = Pace(header["pace_s"])
        self._channel, self._tools = channel, tools
        self._lock = DeviceLock()
        inputs = make_inputs(self._workload, int(header["seed"]))
        descriptor = header["kept"]
        kept = None if descriptor is None else os.fdopen(int(descriptor), "r+b")
        self._right = load_expected(kept, self._workload, inputs)
        self._operands = Operands(self._workload, inputs)
        self._strict = (
            Operands(self._workload, inputs, is_strict=True) if header["strict"] else None
        )
        self._held: dict[int, _Held] = {}
        self._reference = self._first_reference(header, first.blob)

    def work(self, frame: Frame) -> Answer:
        """Do one job."""
        match frame.header["do"]:
            case "measure":
                return self._measure(frame), b""
            case "hold":
                return self._hold(frame), b""
            case "round":
                return self._round(frame), b""
            case "peak":
                return {"flops": self._peak()}, b""
            case other:
                raise ValueError(f"unknown job {other!r}")

    # --- one candidate ---------------------------------------------------------------------

    def _measure(self, frame: Frame) -> dict[str, Any]:
        begin_ns = self._tools.clock_ns()
        limit_ns = float(frame.header["limit_s"]) * 1e9
        artifact = artifact_from(frame.header["artifact"], frame.blob)
        candidate = self._load(artifact)
        try:
            error_units, call_s = self._checked(candidate)
            if self._reference is None:
                # A copy: a kernel beside itself finds its operands in the caches.
                self._reference = self._slices_of(self._candidate(artifact), call_s)
            reference = self._reference
            with self._turn():
                is_thorough = bool(frame.header["is_thorough"])
                share = 1.0 if is_thorough else FIRST_SHARE
                plan = Plan(
                    until_ns=begin_ns + _LIMIT_SHARE * limit_ns,
                    patience_s=self._patience_s * share,
                    best_ratio=frame.header["best_ratio"],
                    is_thorough=is_thorough,
                    enough_s=ENOUGH_S * share,
                    wait_s=math.inf if is_thorough else FIRST_WAIT_S,
                )
                timed = self._timed(candidate, call_s, reference, plan)
            # Else what it did while being timed would be laid at the next one's door.
            candidate.verify_memory()
            reference.last_s = timed.reference_s[-1]
        finally:
            candidate.close()
        return {**asdict(timed), "error_units": error_units, "pace_s": self._pace.best_s}

    def _load(self, artifact: Artifact) -> Candidate:
        if self._strict is not None:
            placed = Candidate(self._tools, artifact, self._strict, self._target)
            try:
                check(self._workload, placed, self._strict, self._right)
            finally:
                placed.close()
        return self._candidate(artifact)

    def _candidate(self, artifact: Artifact) -> Candidate:
        return Candidate(self._tools, artifact, self._operands, self._target, self._rotating_bytes)

    def _checked(self, candidate: Candidate) -> tuple[float, float]:
        """Both checks; the worse error and the seconds of the second, warmer call.

        That one goes through the loop that will be timed, which must not leave the work out.
        """
        worst, call_s = 0.0, 0.0
        for call in (candidate.run, lambda: candidate.loop(1)):
            candidate.poison()
            start = self._tools.clock_ns()
            call()
            call_s = (self._tools.clock_ns() - start) * 1e-9
            error = judge(self._workload, candidate, self._operands, self._right)
            worst = max(worst, error)
        return worst, call_s

    def _timed(self, candidate: Candidate, call_s: float, reference: _Held, plan: Plan) -> Paired:
        """Seconds of one call of both, in turn.

        Where not even one pair fits, the checked call itself is the sample: a kernel that takes so
        long needs no repeats. The reference's part is then its latest sample.
        """
        clock_ns = self._tools.clock_ns
        end_ns = clock_ns() + (call_s + 2 * reference.slicer.slice_s) * 1e9
        if call_s > self._min_slice_s and end_ns > plan.until_ns:
            return Paired((call_s,), (reference.last_s,))
        # Beside a slow reference one short call a pair would leave it most of the time.
        least_s = reference.slicer.slice_s / 2 if plan.is_thorough else 0.0
        longer_s = max(self._min_slice_s, least_s)
        slicer = Slicer(candidate.repeat, call_s, longer_s, self._tools.clock_ns)
        return paired(slicer, reference.slicer, plan, self._pace, clock_ns)

    def _slices_of(self, candidate: Candidate, call_s: float) -> _Held:
        slicer = Slicer(candidate.repeat, call_s, self._min_slice_s, self._tools.clock_ns)
        return _Held(candidate, slicer, call_s)

    def _turn(self) -> AbstractContextManager[None]:
        """This machine's turn at timing; the tuner stops its clock while another one has it."""
        return self._lock.turn(
            lambda: self._channel.write({"event": "waiting"}),
            lambda: self._channel.write({"event": "resumed"}),
        )

    # --- the reference ---------------------------------------------------------------------

    def _first_reference(self, header: Header, blob: bytes) -> _Held | None:
        """The kernel beside which candidates are timed; None: a copy of the first one."""
        match header["reference"]:
            case "first":
                return None
            case "given":
                candidate = self._candidate(artifact_from(header["artifact"], blob))
                _, call_s = self._checked(candidate)
                return self._slices_of(candidate, call_s)
            case _:
                return self._fallback()

    def _fallback(self) -> _Held:
        workload = parse_workload("matmul", FALLBACK_SHAPE)
        made = contraction(workload)
        target = self._target.with_threads(1)
        schedule = self._tools.default_schedule(made, target)
        artifact = self._tools.build(made, schedule, target)
        operands = Operands(workload, make_inputs(workload, 0))
        candidate = Candidate(self._tools, artifact, operands, target)
        start = self._tools.clock_ns()
        candidate.run()
        return self._slices_of(candidate, (self._tools.clock_ns() - start) * 1e-9)

    # --- finalists -------------------------------------------------------------------------

    def _hold(self, frame: Frame) -> dict[str, Any]:
        candidate = self._load(artifact_from(frame.header["artifact"], frame.blob))
        try:
            error_units, call_s = self._checked(candidate)
        except BaseException:
            candidate.close()
            raise
        self._held[int(frame.header["key"])] = self._slices_of(candidate, call_s)
        return {"error_units": error_units}

    def _round(self, frame: Frame) -> dict[str, Any]:
        """Each held kernel in the given order, paired with the one that is the reference."""
        reference = self._held[int(frame.header["reference"])]
        patience_s = float(frame.header["patience_s"])
        timed: list[list[Any]] = []
        invalid: list[list[Any]] = []
        with self._turn():
            for key in frame.header["order"]:
                self._channel.write({"event": "note", "note": key})
                try:
                    timed.append([key, *self._round_of(self._held[key], reference, patience_s)])
                except CandidateError as error:
                    invalid.append([key, str(error)])
        return {"timed": timed, "invalid": invalid}

    def _round_of(self, held: _Held, reference: _Held, patience_s: float) -> tuple[float, float]:
        """Seconds of one call of a kernel and of the reference, at the reference's pace."""
        plan = Plan(math.inf, patience_s, None, is_thorough=False)
        clock_ns = self._tools.clock_ns
        timed = paired(held.slicer, reference.slicer, plan, self._pace, clock_ns)
        timing = Timing(**asdict(timed), error_units=0.0)
        reference_s = median(timing.reference_s)
        return timing.ratio * reference_s, reference_s

    # --- the roof --------------------------------------------------------------------------

    def _peak(self) -> float:
        """FLOP/s of one thread on pure multiply-adds, the best of some slices."""
        dtype = contraction(self._workload).dtype
        artifact, flop_count = self._tools.peak_kernel(self._target, dtype)
        loaded = self._tools.load(artifact, self._target)
        buffer = GuardedBuffer(artifact.workspace_bytes)
        table = (ctypes.c_void_p * 1)(buffer.address)
        where = ctypes.addressof(table)
        clock_ns = self._tools.clock_ns

        def repeat(count: int) -> None:
            loaded.repeat(where, 0, 0, artifact.tasks, count)

        slicer = Slicer(repeat, 0.0, _PEAK_SLICE_S, clock_ns)
        with self._turn():
            best_s = math.inf
            for _ in range(_PEAK_SLICES):
                best_s = min(best_s, slicer.sample())
                time.sleep(_PEAK_PAUSE_S)
        loaded.close()
        return flop_count / best_s


if __name__ == "__main__":
    main()
