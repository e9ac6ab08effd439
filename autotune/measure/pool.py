"""The measurer of this machine: N builder processes and one runner, fed by one thread.

The thread owns every worker and touches nothing but bytes, so that building goes on, artifacts
reach the runner at once and deadlines hold while the tuner thinks. Workers die with the thread
that started them (the kernel sees to it), hence all of the pool's are started by this one.
"""

from __future__ import annotations

import contextlib
import math
import os
import selectors
import tempfile
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from autotune.errors import AutotuneError, MeasureError
from autotune.ir.schedule import Schedule
from autotune.measure.base import MeasureOptions
from autotune.measure.retime import builder_first, retime, runner_first
from autotune.measure.slot import Lost, Role, Slot, outcome_of
from autotune.measure.timing import is_contender, is_settled, joined, sure_ratio
from autotune.measure.wire import Frame, Header, timing_from
from autotune.targets.base import Target
from autotune.trial import Failure, Timing, Trial, Workload

_CLOSE_S = 2.0
_PEAK_LIMIT_S = 30.0
READINGS, MOST_READINGS, READING_GAP_S = 3, 8, 1.0
"""A contender is timed at so many moments, so far apart, at more where they hardly met a machine at
rest: slow phases, and the kind of slowness that the reference does not feel, last for seconds.

Source: our measurements of 2026-12-01: with three readings a second apart instead of one the
ratios of C2, C3 and G1 spread by 1.0 to 2.5% instead of 2.5 to 3.7%.
"""
_AGAIN_SHARE = 0.2
"""Largest share of the runner's time that goes to further readings while there is other work."""


@dataclass
class _Job:
    """A schedule on its way through the pool."""

    schedule: Schedule
    is_first: bool
    built: Frame | None = None
    build_s: float = 0.0
    sent_at: float = 0.0
    run_s: float = 0.0
    timing: Timing | None = None
    """All readings so far."""
    readings: int = 0
    due_at: float = 0.0
    """When it may be timed again."""

    @property
    def is_done(self) -> bool:
        """Whether it was read often enough."""
        is_known = self.timing is not None and is_settled(self.timing)
        return self.is_first or self.readings >= (READINGS if is_known else MOST_READINGS)


class PoolMeasurer:
    """Builds and measures schedules of one workload in processes that may die without harm.

    Safe to interrupt with Ctrl-C at any point; `close`, or leaving the `with` block, ends all
    workers. Should this process be killed, they end by themselves.
    """

    def __init__(
        self, workload: Workload, target: Target, options: MeasureOptions | None = None
    ) -> None:
        self._workload, self._target = workload, target
        self._options = options or MeasureOptions()
        self._changed = threading.Condition()
        self._to_build: deque[_Job] = deque()
        self._to_run: deque[_Job] = deque()
        self._to_run_again: list[_Job] = []
        self._done: list[Trial] = []
        self._pending = 0
        self._submitted = 0
        self._reference: Frame | Failure | None = None
        """The first schedule's artifact once it passed, why it failed, or None before that."""
        self._ratios: dict[str, float] = {}
        """By digest, what each surely reaches."""
        self._best_ratio: float | None = None
        self._run_s = self._again_s = 0.0
        """The runner's seconds so far, and those of further readings among them."""
        self._pace_s: float | None = None
        """The reference's best, handed from one runner to the next."""
        self._peak: float | Failure | None = None
        self._wants_peak = False
        self._is_paused = self._is_closing = False
        self._takes_turns = self._options.cores.are_shared
        """Nothing is built while something is timed, since the kernel has all the cores."""
        self._fatal: MeasureError | None = None
        self._kept = tempfile.TemporaryFile(prefix="autotune-")  # noqa: SIM115
        self._selector = selectors.DefaultSelector()
        self._wake_out, self._wake_in = os.pipe()
        os.set_blocking(self._wake_out, False)
        os.set_blocking(self._wake_in, False)
        self._selector.register(self._wake_out, selectors.EVENT_READ)
        build = Role(self._options.builder_module, "compile_timeout")
        run = Role(self._options.runner_module, "timeout", (self._kept.fileno(),))
        self._builders = [
            Slot(build, self._builder_first, self._selector) for _ in range(self._options.builders)
        ]
        self._runner = Slot(run, self._runner_first, self._selector)
        self._in_hand: dict[Slot, _Job | None] = {}
        """What each busy slot works on; None: the peak."""
        self._thread = threading.Thread(target=self._serve, name="autotune-measure", daemon=True)
        self._thread.start()

    # --- the caller's side -----------------------------------------------------------------

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def pending(self) -> int:
        """Schedules submitted whose trials `ready` has not returned yet."""
        with self._changed:
            return self._pending

    @property
    def is_idle(self) -> bool:
        """Whether nothing is left to do: no schedule and no further reading of one."""
        with self._changed:
            return not (self._has_other_work or self._to_run_again or self._done)

    def submit(self, schedules: Sequence[Schedule]) -> None:
        """Queue schedules; the first one ever submitted becomes the run's fixed reference."""
        with self._changed:
            self._check_alive()
            for schedule in schedules:
                self._to_build.append(_Job(schedule, is_first=self._submitted == 0))
                self._submitted += 1
                self._pending += 1
        self._wake()

    def ready(self, wait_s: float) -> list[Trial]:
        """Trials done since the last call; waits at most `wait_s` seconds for the first.

        Raises:
            MeasureError: workers cannot be started; trials done before are returned first.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._done or not self._pending or self._fatal or self._is_closing,
                timeout=max(wait_s, 0.0),
            )
            done, self._done = self._done, []
            self._pending -= sum(trial.readings == 1 for trial in done)
            if not done:
                self._check_alive()
            return done

    def retime(
        self,
        schedules: Sequence[Schedule],
        rounds: int,
        hopefuls: Sequence[Schedule] = (),
        places: int = 0,
        within_s: float = math.inf,
    ) -> list[Timing | Failure]:
        """The finalists again, see `Measurer.retime`.

        What is still queued waits meanwhile; what was being built or timed begins anew afterwards.
        """
        with self._changed:
            self._check_alive()
            self._is_paused = True
        self._wake()
        try:
            with self._changed:
                self._changed.wait_for(lambda: not self._in_hand or self._fatal or self._is_closing)
            return retime(
                self._workload,
                self._target,
                self._options,
                schedules,
                rounds,
                hopefuls,
                places,
                within_s,
            )
        finally:
            with self._changed:
                self._is_paused = False
            self._wake()

    def peak_flops(self) -> float:
        """FLOP/s of one thread on pure multiply-adds, measured once, in the runner.

        Raises:
            MeasureError: it could not be measured.
        """
        with self._changed:
            self._check_alive()
            self._wants_peak = self._peak is None
        self._wake()
        with self._changed:
            self._changed.wait_for(
                lambda: self._peak is not None or self._fatal or self._is_closing
            )
            if isinstance(self._peak, float):
                return self._peak
            self._check_alive()
            said = self._peak.message if self._peak else "no answer"
            raise MeasureError(f"the peak of this machine could not be measured: {said}")

    def close(self) -> None:
        """End all workers; returns within two seconds. Closing twice is harmless."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        self._wake()
        self._thread.join(timeout=_CLOSE_S)

    def _check_alive(self) -> None:
        if self._fatal is not None:
            raise self._fatal
        if self._is_closing:
            raise MeasureError("the measurer is closed")

    def _wake(self) -> None:
        # A full pipe will wake the thread just as well.
        with self._changed, contextlib.suppress(BlockingIOError):
            if self._wake_in >= 0:
                os.write(self._wake_in, b"\0")

    # --- the thread ------------------------------------------------------------------------

    def _serve(self) -> None:
        try:
            while not self._is_closing:
                self._step()
        except AutotuneError as error:
            self._fail(error if isinstance(error, MeasureError) else MeasureError(str(error)))
        except Exception as error:
            # Without this, callers would wait for ever for a thread that is gone.
            self._fail(MeasureError(f"measuring stopped: {type(error).__name__}: {error}"))
        finally:
            for slot in (*self._builders, self._runner):
                slot.stop()
            self._selector.close()
            self._kept.close()
            with self._changed:
                os.close(self._wake_out)
                os.close(self._wake_in)
                self._wake_in = -1

    def _fail(self, error: MeasureError) -> None:
        with self._changed:
            self._fatal = error
            self._changed.notify_all()

    def _step(self) -> None:
        slots = (*self._builders, self._runner)
        if not self._is_paused:
            for slot in slots:
                slot.start()
        with self._changed:
            if self._is_paused:
                self._rest(slots)
            else:
                self._dispatch()
        self._selector.select(self._sleep_s(slots))
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake_out, 4096)
        for slot in slots:
            end = slot.poll()
            if end is not None:
                with self._changed:
                    self._take(slot, end)
                    self._changed.notify_all()

    def _sleep_s(self, slots: Sequence[Slot]) -> float | None:
        deadlines = [slot.deadline for slot in slots if slot.deadline is not None]
        if self._runner.is_idle and not (self._is_paused or self._has_other_work):
            deadlines += [job.due_at for job in self._to_run_again]
        if not self._is_paused and any(not slot.has_worker for slot in slots):
            return 0.0
        # A millisecond more, so that the deadline has passed when the selector returns.
        return max(min(deadlines) - time.monotonic(), 0.0) + 0.001 if deadlines else None

    def _dispatch(self) -> None:
        self._dispatch_run()
        is_timing = self._runner in self._in_hand
        for slot in self._builders:
            if slot.is_idle and slot.done_count >= self._options.recycle_after:
                slot.stop()
            if slot.is_idle and self._to_build and not (self._takes_turns and is_timing):
                job = self._to_build.popleft()
                self._send(slot, job, {"schedule": job.schedule.to_dict()}, b"")

    def _dispatch_run(self) -> None:
        is_building = any(slot in self._in_hand for slot in self._builders)
        if not self._runner.is_idle or (self._takes_turns and is_building):
            return
        if self._wants_peak:
            self._wants_peak = False
            self._in_hand[self._runner] = None
            self._runner.send({"do": "peak"}, b"", _PEAK_LIMIT_S)
        elif (ready := self._next_to_run_again() or self._next_to_run()) is not None:
            assert ready.built is not None
            artifact = ready.built.header["artifact"]
            best_ratio = self._best_ratio if self._options.drops_slow else None
            header = {
                "do": "measure",
                "artifact": artifact,
                "best_ratio": best_ratio,
                "is_thorough": ready.readings > 0,
            }
            self._send(self._runner, ready, header, ready.built.blob)

    def _rest(self, slots: Sequence[Slot]) -> None:
        """Leave machine and memory to the final round; what workers had in hand is queued again."""
        for slot in slots:
            slot.stop()
            if slot in self._in_hand:
                self._requeue(slot)
        self._changed.notify_all()

    def _requeue(self, slot: Slot) -> None:
        job = self._in_hand.pop(slot)
        if job is None:
            self._wants_peak = True
        elif job.readings:
            self._to_run_again.append(job)
        else:
            (self._to_run if slot is self._runner else self._to_build).appendleft(job)

    def _next_to_run(self) -> _Job | None:
        """The next built job; nothing is timed before the first schedule's fate is known."""
        for position, job in enumerate(self._to_run):
            if job.is_first or self._reference is not None:
                del self._to_run[position]
                return job
        return None

    @property
    def _has_other_work(self) -> bool:
        """Whether anything is to be done but further readings."""
        return bool(self._to_build or self._to_run or self._in_hand)

    def _next_to_run_again(self) -> _Job | None:
        """The best contender whose moment has come, if the runner has time for it."""
        if self._has_other_work and self._again_s > _AGAIN_SHARE * self._run_s:
            return None
        kept = [job for job in self._to_run_again if job.timing and self._contends(job.timing)]
        self._to_run_again = kept
        now = time.monotonic()
        due = [
            (job.timing.ratio, i) for i, job in enumerate(kept) if job.timing and job.due_at <= now
        ]
        return kept.pop(min(due)[1]) if due else None

    def _contends(self, timing: Timing) -> bool:
        return not self._options.drops_slow or is_contender(timing, self._best_ratio)

    def _send(self, slot: Slot, job: _Job, header: Header, blob: bytes) -> None:
        job.sent_at = time.monotonic()
        self._in_hand[slot] = job
        slot.send(header, blob, self._options.timeout_s)

    def _take(self, slot: Slot, end: Frame | Failure) -> None:
        """How the job in a slot ended; called with the lock held."""
        if isinstance(end, Lost):
            self._requeue(slot)
            return
        job = self._in_hand.pop(slot)
        outcome = outcome_of(end)
        if job is None:
            self._peak = outcome if isinstance(outcome, Failure) else outcome.header["flops"]
            return
        spent_s = time.monotonic() - job.sent_at
        if slot is not self._runner:
            job.build_s = spent_s
            if isinstance(outcome, Failure):
                self._finish(job, outcome)
            else:
                job.built = outcome
                self._to_run.append(job)
        else:
            job.run_s += spent_s
            self._run_s += spent_s
            self._again_s += spent_s if job.readings else 0.0
            read = outcome if isinstance(outcome, Failure) else self._timed(slot, outcome.header)
            self._read(job, read)

    def _read(self, job: _Job, outcome: Timing | Failure) -> None:
        """What the runner said of a job; a contender waits for another moment."""
        if isinstance(outcome, Timing) and job.timing:
            outcome = joined(job.timing, outcome)
        job.timing = outcome if isinstance(outcome, Timing) else None
        job.readings += 1
        self._finish(job, outcome)
        if job.timing and not job.is_done and self._contends(job.timing):
            job.due_at = time.monotonic() + READING_GAP_S
            self._to_run_again.append(job)

    def _finish(self, job: _Job, outcome: Timing | Failure) -> None:
        trial = Trial(job.schedule, outcome, job.build_s, job.run_s, max(1, job.readings))
        self._done.append(trial)
        self._ratios.pop(trial.schedule.digest, None)
        if isinstance(outcome, Timing):
            self._ratios[trial.schedule.digest] = sure_ratio(outcome)
        self._best_ratio = min(self._ratios.values(), default=None)
        if job.is_first:
            if isinstance(outcome, Failure):
                self._reference = outcome
                # Its successor starts with the small matmul as reference.
                self._wants_peak |= self._in_hand.pop(self._runner, job) is None
                self._runner.stop()
            else:
                self._reference = job.built

    def _timed(self, slot: Slot, header: Header) -> Timing | Failure:
        """What the runner answered; whatever is no timing is a candidate's doing."""
        try:
            timing = timing_from(header)
            self._pace_s = float(header["pace_s"])
        except (KeyError, TypeError, ValueError):
            slot.stop()
            return Failure("crash", "the worker's answer made no sense")
        return timing

    def _builder_first(self) -> Frame:
        return builder_first(self._workload, self._target, self._options)

    def _runner_first(self) -> Frame:
        kept = self._kept.fileno()
        return runner_first(
            self._workload, self._target, self._options, kept, self._reference, self._pace_s
        )
