"""The loop of a run: ask, build and measure, tell, refit, until a limit.

`tune` drives it. There is no barrier: the next batch is asked for while the last one is still
being measured. A failed candidate is a value; what ends a search is a limit, an exhausted space, an
interruption, or that nothing works at all. What an earlier run measured counts as if it had been
measured now.
"""

from __future__ import annotations

import time
from bisect import insort
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice, takewhile
from math import inf
from statistics import median
from typing import Protocol

from autotune.cost.base import CostModel
from autotune.diagnosis import Failures, NoValidScheduleError
from autotune.errors import MeasureError, SpaceError, StoreError
from autotune.explorers.base import Explorer
from autotune.finalists import FINALISTS, SCREENED
from autotune.ir.schedule import Schedule
from autotune.learning import Features, Learner
from autotune.limits import Limits, wanted_trials
from autotune.measure.base import Measurer
from autotune.progress import Phase, Progress, rate
from autotune.resume import Earlier
from autotune.space.base import Space
from autotune.trial import Failure, Timing, Trial

BATCH = 16
LOW_WATER = 8
"""Below this many pending candidates the next batch is asked for, so that builders never idle."""
BARREN_BATCHES = 3
"""Batches without a single success after which a run gives up."""
CONVERGED_TRIALS = 96
CONVERGED_GAIN = 0.01
"""Without a limit on trials, a run has converged once this many in a row gained less than this."""
FRUITLESS_ASKS = 64
"""Batches of nothing but known schedules after which a space counts as exhausted."""
WAIT_S = 0.1
FINAL_START_S = 0.7
SCREENING_RUNS, FINAL_RUNS = 2.0, 11.0
"""What the final round costs at most: its workers' start, of each schedule that is screened its
build time and its run time in each round, of each finalist those of the rounds that count too."""
HOPELESS_RATIO = 1.3
"""A trial this far behind the best is no finalist: no reading is so far off."""
FINAL_SHARE = 0.4
"""Largest share of a budget that is kept for the final round."""


class Log(Protocol):
    """What a run writes as it goes."""

    def trial(self, trial: Trial, **fields: object) -> None:
        """One line, flushed."""

    def reading(self, trial: Trial) -> None:
        """The same for what a trial was found to be when it was timed again."""

    def end(self, **fields: object) -> None:
        """The last line."""


@dataclass(frozen=True)
class Parts:
    """What the loop works with; tests bring their own."""

    space: Space
    default: Schedule
    explorer: Explorer
    model: CostModel
    features: Features
    measurer: Measurer
    log: Log
    flop: int
    """Of the direct algorithm."""
    executed: Callable[[Schedule], int]
    """Floating-point operations that a schedule executes."""
    threads: int = 1
    report: Callable[[Progress], None] | None = None
    space_source: str = ""
    """The file that narrows the space, for messages."""
    timeout_s: float = 10.0
    """What a candidate may take, for messages."""
    log_name: str = ""
    """Where the log is, for messages."""
    clock: Callable[[], float] = time.monotonic


@dataclass
class Search:
    """The state of one run, and its loop."""

    parts: Parts
    limits: Limits
    start_s: float
    earlier: Earlier = field(default_factory=Earlier)
    trials: list[Trial] = field(default_factory=list)
    """Those of this run alone."""
    notes: list[str] = field(default_factory=list)
    peak_flops: float = 0.0
    _reference_s: float = inf
    """The run's reference at its fastest: seconds that no slow phase of the machine touched."""
    _wanted: int | None = None
    _is_exhausted: bool = False
    _first_s: float = 0.0
    """When the first result came, since the start."""
    _improved_at: int = 0
    """Trials done when the best last gained more than CONVERGED_GAIN, and its ratio then."""
    _improved_ratio: float = inf
    _has_reference: bool = False
    """The default was submitted: the first schedule of all, beside which the others are timed."""
    _submitted: set[str] = field(default_factory=set)
    _outcomes: dict[str, Timing | Failure] = field(default_factory=dict)
    _ranked: list[Trial] = field(default_factory=list)
    """What worked, fastest first."""
    _failures: Failures = field(default_factory=Failures)

    def __post_init__(self) -> None:
        parts = self.parts
        self._learner = Learner(parts.space, parts.explorer, parts.model, parts.features, self.note)
        self._learner.know(self.earlier.points)
        for digest, outcome in self.earlier.outcomes.items():
            self._submitted.add(digest)
            self._count(digest, outcome)
        for trial in self.earlier.best:
            self._rank(trial)
        # Whoever goes on with a run that had converged wants more of it.
        self._improved_at = self.trial_count

    @property
    def best(self) -> Trial | None:
        """The fastest so far."""
        return self._ranked[0] if self._ranked else None

    @property
    def failures(self) -> Counter[str]:
        """Failed trials by kind."""
        return self._failures.counts

    @property
    def trial_count(self) -> int:
        """Trials of this run and of what it goes on with."""
        return len(self._outcomes)

    def run(self) -> str:
        """Search until a limit; returns why it stopped.

        Raises:
            SpaceError: the space holds nothing legal.
            NoValidScheduleError: everything failed.
            MeasureError: workers cannot be started, or the reference of the run that is gone on
                with cannot be had again.
        """
        self._wanted = wanted_trials(
            self.limits.trials,
            self.parts.space,
            self.parts.default,
            self.earlier.outcomes.keys() - self.earlier.points.keys(),
        )
        for line in self.earlier.notes:
            self.note(line)
        self._note_failing_default()
        measurer = self.parts.measurer
        stopped = self._refill()
        if self.earlier.outcomes and not measurer.pending:
            self.note(
                f"all {self.trial_count} trials were measured before: only the finalists are timed "
                f"again"
            )
        self._measure_peak()
        while measurer.pending and self._seconds_left() > 0:
            self._collect()
            if self.best is None and len(self.trials) >= BARREN_BATCHES * BATCH:
                raise self._nothing_works()
            stopped = self._reason()
            if not stopped and measurer.pending < LOW_WATER:
                stopped = self._refill()
        if self.best is None:
            raise self._nothing_works()
        return "budget" if measurer.pending else stopped

    def _measure_peak(self) -> None:
        """While the first batch is being built."""
        try:
            self.peak_flops = self.parts.measurer.peak_flops() * self.parts.threads
        except MeasureError as error:
            self.note(f"no share of peak: {error}")

    def _reason(self) -> str:
        """Why nothing more should be asked for, or an empty string."""
        done, pending = len(self.trials), self.parts.measurer.pending
        improved_since = self.trial_count - self._improved_at
        if self._wanted is not None and len(self._submitted) >= self._wanted:
            return "trials" if self._wanted == self.limits.trials else "exhausted"
        if self._is_exhausted:
            return "exhausted"
        # The start-up of the workers says nothing about the rate: it counts from the first result.
        if done > LOW_WATER:
            trial_s = (self.elapsed_s() - self._first_s) / (done - 1)
            if self._seconds_left() < pending * trial_s:
                return "budget"
        is_steady = improved_since >= CONVERGED_TRIALS and self.best is not None
        return "converged" if is_steady and self.limits.trials is None else ""

    def _refill(self) -> str:
        """Submit one more batch; returns why nothing more should be asked for, or ""."""
        default = self.parts.default
        room = BATCH
        if self._wanted is not None:
            room = min(room, self._wanted - len(self._submitted))
        batch = self._admit(default) if room > 0 else []
        for _ in range(FRUITLESS_ASKS):
            if len(batch) >= room:
                break
            found = self._learner.ask(room - len(batch), self._outcomes, _ratio(self.best))
            if not found:
                self._complain_where_nothing_is_legal()
                break
            for schedule in found:
                batch += self._admit(schedule)
        self._is_exhausted = not batch
        if batch and not self._has_reference:
            # Also where an earlier run measured it: the others are timed beside it.
            self._has_reference = True
            batch = batch if batch[0] == default else [default, *batch]
        if batch:
            self.parts.measurer.submit(batch)
        return self._reason()

    def _admit(self, schedule: Schedule) -> list[Schedule]:
        """The schedule, unless it was submitted before: its known speed will be told instead."""
        if schedule.digest in self._submitted:
            return []
        self._submitted.add(schedule.digest)
        return [schedule]

    def _collect(self) -> None:
        wait_s = max(0.0, min(WAIT_S, self._seconds_left()))
        for trial in self.parts.measurer.ready(wait_s):
            if trial.readings > 1:
                self._correct(trial)
            else:
                self._record(trial)
        self.tell_progress("search")

    def _record(self, trial: Trial) -> None:
        digest = trial.schedule.digest
        if digest in self._outcomes:
            self._check_reference(trial)
            return
        if not self.trials:
            self._first_s = self.elapsed_s()
        self.trials.append(trial)
        told = self._count(digest, trial.outcome)
        if told:
            self.tell_progress("search", told)
        if digest == self.parts.default.digest:
            self._note_failing_default()
        self._rank(trial)
        try:
            point = self._learner.point_of(digest)
            self.parts.log.trial(trial, point=point, at_s=self.elapsed_s())
        except StoreError as error:
            self.note_incomplete_log(error)

    def _correct(self, trial: Trial) -> None:
        """The same trial after one more reading."""
        digest = trial.schedule.digest
        self._ranked = [t for t in self._ranked if t.schedule.digest != digest]
        self._outcomes[digest] = trial.outcome
        if trial.failure:
            told = self._failures.add(digest, trial.failure)
            if told:
                self.tell_progress("search", told)
        self._rank(trial)
        # What improved because of luck would count as converged for it.
        self._improved_ratio = max(self._improved_ratio, _ratio(self.best))
        try:
            self.parts.log.reading(trial)
        except StoreError as error:
            self.note_incomplete_log(error)

    def _count(self, digest: str, outcome: Timing | Failure) -> str:
        """Take an outcome into account; the line to tell of it, if any."""
        self._outcomes[digest] = outcome
        if isinstance(outcome, Failure):
            return self._failures.add(digest, outcome)
        self._reference_s = min(self._reference_s, *outcome.reference_s)
        if outcome.ratio < self._improved_ratio * (1 - CONVERGED_GAIN):
            self._improved_at, self._improved_ratio = self.trial_count, outcome.ratio
        return ""

    def _check_reference(self, trial: Trial) -> None:
        """The default, measured once more as this run's reference, must do as it did before."""
        before = self._outcomes[trial.schedule.digest]
        if isinstance(before, Failure) != isinstance(trial.outcome, Failure):
            then, now = _told(before), _told(trial.outcome)
            raise MeasureError(
                f"the default schedule, beside which all others are timed, {then} in the run that "
                f"is to be gone on with and {now} this time: timings would not compare; try again "
                f"or start a new run"
            )

    def _note_failing_default(self) -> None:
        outcome = self._outcomes.get(self.parts.default.digest)
        if isinstance(outcome, Failure):
            self.note(
                f"no baseline: the default schedule failed ({outcome.kind}: {outcome.message})"
            )

    def _nothing_works(self) -> NoValidScheduleError:
        if not self._outcomes:
            reason = f"the budget of {self.limits.budget_s:g} s ended before one was measured"
            return NoValidScheduleError(f"no valid schedule: {reason}", {})
        return self._failures.verdict(self.trial_count, self.parts.timeout_s, self.parts.log_name)

    def _complain_where_nothing_is_legal(self) -> None:
        if self._learner.has_points:
            return
        source = self.parts.space_source
        raise SpaceError(
            f"no legal schedule was found in the search space{f' of {source}' if source else ''}: "
            f"of the points sampled, these break a rule: {self.parts.space.why_empty()}"
        )

    def elapsed_s(self) -> float:
        return self.parts.clock() - self.start_s

    def _seconds_left(self) -> float:
        """Until the final round must begin."""
        if self.limits.budget_s is None:
            return inf
        reserve_s = min(self.final_s(SCREENED), FINAL_SHARE * self.limits.budget_s)
        return self.limits.budget_s - reserve_s - self.elapsed_s()

    def final_s(self, count: int) -> float:
        """Seconds that a final round of the best `count` and the default is expected to take."""
        runs = [FINAL_RUNS] * FINALISTS + [0.0] * (SCREENED - FINALISTS)
        costs = [
            trial.build_s + (SCREENING_RUNS + more) * trial.run_s / trial.readings
            for trial, more in zip(self.fastest(count), runs, strict=False)
        ]
        return FINAL_START_S + sum(costs) + (median(costs) if costs else 0.0)

    def fastest(self, count: int) -> list[Trial]:
        """The best `count` trials, the default left out, and whoever has no chance any more."""
        worked = (t for t in self._ranked if t.schedule != self.parts.default)
        first = next(worked, None)
        bar = HOPELESS_RATIO * _ratio(first)
        able = takewhile(lambda t: _ratio(t) <= bar, worked)
        return [first, *islice(able, count - 1)] if first else []

    def _rank(self, trial: Trial) -> None:
        if trial.timing:
            insort(self._ranked, trial, key=_ratio)

    def default_timing(self) -> Timing | None:
        """The default's timing in the search, where it worked."""
        outcome = self._outcomes.get(self.parts.default.digest)
        return outcome if isinstance(outcome, Timing) else None

    def note(self, line: str) -> None:
        """Tell this line once, and keep it for the result."""
        if line not in self.notes:
            self.notes.append(line)
            self.tell_progress("search", line)

    def note_incomplete_log(self, error: StoreError) -> None:
        """Tell of the first line that could not be written; further ones say nothing new."""
        told = "the log is incomplete: "
        if not any(line.startswith(told) for line in self.notes):
            self.note(f"{told}{error}")

    def _best_flops(self) -> float | None:
        """FLOP/s of the best so far, in a phase of the machine as fast as the fastest seen.

        Never more than it was timed at itself: a ratio whose reference was disturbed would show
        rates that no machine has.
        """
        best = self.best.timing if self.best else None
        if best is None:
            return None
        return self.parts.flop / max(best.ratio * self._reference_s, min(best.samples_s))

    def _peak_fraction(self, flops: float | None) -> float | None:
        """Of what the best schedule executes, which may be less than the direct algorithm does."""
        if not flops or not self.peak_flops or self.best is None:
            return None
        share = self.parts.executed(self.best.schedule) / self.parts.flop
        return flops * share / self.peak_flops

    def tell_progress(self, phase: Phase, note: str = "") -> None:
        if self.parts.report is None:
            return
        seconds = self.elapsed_s()
        per_s = rate(len(self.trials), seconds)
        flops = self._best_flops()
        left = [] if self.limits.budget_s is None else [self.limits.budget_s - seconds]
        if self._wanted is not None and per_s:
            left.append((self._wanted - self.trial_count) / per_s)
        self.parts.report(
            Progress(
                phase=phase,
                trials=self.trial_count,
                wanted=self._wanted,
                best_gflops=flops / 1e9 if flops else None,
                peak_fraction=self._peak_fraction(flops),
                trials_per_second=per_s,
                failures=dict(self.failures),
                seconds=seconds,
                seconds_left=max(0.0, min(left)) if left else None,
                note=note,
            )
        )


def _ratio(trial: Trial | None) -> float:
    return trial.timing.ratio if trial and trial.timing else inf


def _told(outcome: Timing | Failure) -> str:
    return f"failed ({outcome.kind})" if isinstance(outcome, Failure) else "worked"
