"""The loop of a run: ask, build and measure, tell, refit, until a limit.

`tune` drives it. There is no barrier: the next batch is asked for while the last one is still
being measured. A failed candidate is a value; what ends a search is a limit, an exhausted space, an
interruption, or that nothing works at all.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from statistics import median
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from autotune.cost.base import CostModel, FeatureLengthError, NotFitted
from autotune.errors import AutotuneError, MeasureError, SpaceError, StoreError, UsageError
from autotune.explorers.base import Explorer, Score
from autotune.finalists import FINALISTS
from autotune.ir.schedule import Schedule
from autotune.measure.base import Measurer
from autotune.progress import Phase, Progress, rate
from autotune.space.base import Points, Space
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
FINAL_RUNS = 4.0
"""What the final round costs: its workers' start, and of each finalist its build time and so many
times its run time (eleven slices where a trial takes three)."""
FINAL_SHARE = 0.4
"""Largest share of a budget that is kept for the final round."""


class NoValidScheduleError(AutotuneError):
    """Not one schedule could be built, checked and timed; the cache is as it was.

    Attributes:
        failures: count by kind.
    """

    def __init__(self, message: str, failures: dict[str, int]) -> None:
        super().__init__(message)
        self.failures = failures


class Log(Protocol):
    """What a run writes as it goes."""

    def trial(self, trial: Trial, **fields: object) -> None:
        """One line, flushed."""

    def end(self, **fields: object) -> None:
        """The last line."""


@dataclass(frozen=True)
class Limits:
    """When a run ends, whichever comes first; None is no limit."""

    trials: int | None = 64
    budget_s: float | None = None

    def __post_init__(self) -> None:
        trials = self.trials
        if trials is not None and (not isinstance(trials, int) or trials < 1):
            raise UsageError(f"trials={trials} is not allowed; allowed: an integer from 1")
        if self.budget_s is not None and not 0 < self.budget_s < inf:
            raise UsageError(f"budget_s={self.budget_s} is not allowed; allowed: above 0 seconds")


@dataclass(frozen=True)
class Parts:
    """What the loop works with; tests bring their own."""

    space: Space
    default: Schedule
    explorer: Explorer
    model: CostModel
    features: Callable[[Any, Points], NDArray[np.float32]]
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
    clock: Callable[[], float] = time.monotonic


@dataclass
class Search:
    """The state of one run, and its loop."""

    parts: Parts
    limits: Limits
    start_s: float
    trials: list[Trial] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    best: Trial | None = None
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
    _submitted: set[str] = field(default_factory=set)
    _outcomes: dict[str, Timing | Failure] = field(default_factory=dict)
    _point_of: dict[str, NDArray[np.int64]] = field(default_factory=dict)

    def run(self) -> str:
        """Search until a limit; returns why it stopped.

        Raises:
            SpaceError: the space holds nothing legal.
            NoValidScheduleError: everything failed.
        """
        self._wanted = wanted_trials(self.limits.trials, self.parts.space, self.parts.default)
        measurer = self.parts.measurer
        stopped = self._refill()
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
        if self._wanted is not None and len(self._submitted) >= self._wanted:
            return "trials" if self._wanted == self.limits.trials else "exhausted"
        if self._is_exhausted:
            return "exhausted"
        # The start-up of the workers says nothing about the rate: it counts from the first result.
        if done > LOW_WATER:
            trial_s = (self.elapsed_s() - self._first_s) / (done - 1)
            if self._seconds_left() < pending * trial_s:
                return "budget"
        is_steady = done - self._improved_at >= CONVERGED_TRIALS and self.best is not None
        return "converged" if is_steady and self.limits.trials is None else ""

    def _refill(self) -> str:
        """Submit one more batch; returns why nothing more should be asked for, or ""."""
        batch: list[Schedule] = []
        room = BATCH
        if self._wanted is not None:
            room = min(room, self._wanted - len(self._submitted))
        if not self._submitted and room > 0:
            batch += self._admit(self.parts.default)
        for _ in range(FRUITLESS_ASKS):
            if len(batch) >= room:
                break
            points = self._ask(room - len(batch))
            if not len(points):
                self._complain_where_nothing_is_legal()
                break
            for point in points:
                schedule = self.parts.space.schedule(point)
                self._point_of[schedule.digest] = point
                batch += self._admit(schedule)
        self._is_exhausted = not batch
        if batch:
            self.parts.measurer.submit(batch)
        return self._reason()

    def _admit(self, schedule: Schedule) -> list[Schedule]:
        """The schedule, unless it was submitted before: its known speed will be told instead."""
        if schedule.digest in self._submitted:
            return []
        self._submitted.add(schedule.digest)
        return [schedule]

    def _ask(self, count: int) -> Points:
        score = self._learn()
        try:
            return self.parts.explorer.ask(count, score)
        except (NotFitted, FeatureLengthError) as error:
            self.note(f"a batch was chosen without the cost model: {error}")
            return self.parts.explorer.ask(count, None)

    def _learn(self) -> Score | None:
        """Tell the explorer every known speed, refit; the score, or None where there is none."""
        known = [digest for digest in self._point_of if digest in self._outcomes]
        if not known:
            return None
        # All speeds are told anew: each is relative to the best so far.
        points = np.stack([self._point_of[digest] for digest in known])
        speeds = speeds_of([self._outcomes[digest] for digest in known], self.best)
        self.parts.explorer.tell(points, speeds)
        space, features, model = self.parts.space, self.parts.features, self.parts.model
        try:
            model.fit(features(space, points), speeds, np.zeros(len(points), dtype=np.int64))
        except (NotFitted, FeatureLengthError) as error:
            if getattr(error, "is_fault", True):
                self.note(f"exploring without the cost model: {error}")
            return None
        return lambda candidates: model.predict_score(features(space, candidates))

    def _collect(self) -> None:
        wait_s = max(0.0, min(WAIT_S, self._seconds_left()))
        for trial in self.parts.measurer.ready(wait_s):
            self._record(trial)
        self.tell_progress("search")

    def _record(self, trial: Trial) -> None:
        if not self.trials:
            self._first_s = self.elapsed_s()
        self.trials.append(trial)
        self._outcomes[trial.schedule.digest] = trial.outcome
        if trial.timing:
            self._reference_s = min(self._reference_s, *trial.timing.reference_s)
        if trial.failure:
            self.failures[trial.failure.kind] += 1
            if trial.schedule == self.parts.default:
                self.note(f"no baseline: the default schedule failed ({_told(trial.failure)})")
        if self.best is None or _ratio(trial) < _ratio(self.best):
            self.best = trial if trial.timing else None
            if _ratio(trial) < self._improved_ratio * (1 - CONVERGED_GAIN):
                self._improved_at, self._improved_ratio = len(self.trials), _ratio(trial)
        try:
            self.parts.log.trial(trial, at_s=self.elapsed_s())
        except StoreError as error:
            self.note_incomplete_log(error)

    def _nothing_works(self) -> NoValidScheduleError:
        if not self.trials:
            reason = f"the budget of {self.limits.budget_s:g} s ended before one was measured"
            return NoValidScheduleError(f"no valid schedule: {reason}", {})
        counts = ", ".join(f"{kind} {count}" for kind, count in sorted(self.failures.items()))
        first = self.trials[0].failure
        return NoValidScheduleError(
            f"no valid schedule: all {len(self.trials)} measured ones failed ({counts}); "
            f"the first one's reason: {first.message if first else 'unknown'}",
            dict(self.failures),
        )

    def _complain_where_nothing_is_legal(self) -> None:
        if self._point_of:
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
        reserve_s = min(self.final_s(FINALISTS), FINAL_SHARE * self.limits.budget_s)
        return self.limits.budget_s - reserve_s - self.elapsed_s()

    def final_s(self, count: int) -> float:
        """Seconds that a final round of the best `count` and the default is expected to take."""
        costs = [trial.build_s + FINAL_RUNS * trial.run_s for trial in self.fastest(count)]
        return FINAL_START_S + sum(costs) + (median(costs) if costs else 0.0)

    def fastest(self, count: int) -> list[Trial]:
        """The best `count` trials that worked, the default left out."""
        worked = [t for t in self.trials if t.timing and t.schedule != self.parts.default]
        return sorted(worked, key=_ratio)[:count]

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
        done, seconds = len(self.trials), self.elapsed_s()
        per_s = rate(done, seconds)
        flops = self._best_flops()
        left = [] if self.limits.budget_s is None else [self.limits.budget_s - seconds]
        if self._wanted is not None and per_s:
            left.append((self._wanted - done) / per_s)
        self.parts.report(
            Progress(
                phase=phase,
                trials=done,
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


def wanted_trials(trials: int | None, space: Space, default: Schedule) -> int | None:
    """How many trials a run can have at most: those asked for, or all of a smaller space.

    A space small enough is counted exactly, the default included, which need not be in it.
    """
    listed = space.all_points()
    if listed is None:
        # An empty space is left to the first batch, which says what is wrong with it.
        is_smaller = space.is_exact and trials is not None and 0 < space.size < trials
        return space.size if is_smaller else trials
    if not len(listed):
        return trials
    if trials is not None and trials <= len(listed):
        return trials
    known = {space.schedule(point).digest for point in listed} | {default.digest}
    return len(known) if trials is None else min(trials, len(known))


def speeds_of(outcomes: Sequence[Timing | Failure], best: Trial | None) -> NDArray[np.float64]:
    """(n,) best time over this time, paired with the run's reference; 0 for a failure."""
    fastest = _ratio(best) if best else inf
    speeds = [fastest / o.ratio if isinstance(o, Timing) else 0.0 for o in outcomes]
    return np.minimum(np.array(speeds, dtype=np.float64), 1.0)


def _ratio(trial: Trial) -> float:
    return trial.timing.ratio if trial.timing else inf


def _told(failure: Failure) -> str:
    return f"{failure.kind}: {failure.message}"
