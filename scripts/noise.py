"""How far a measurement wanders: the same schedules measured again and again, raw and paired.

Raw is what a tuner without a reference would believe, paired is the measurer's own score. Called
by `bench_measurement.py`; `cv`, `robust_cv` and what is made of them are pure functions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import Any

import numpy as np
from neighbour import busy

from autotune.errors import AutotuneError
from autotune.ir.default import default_schedule
from autotune.ir.schedule import Schedule
from autotune.measure.base import MeasureOptions, Measurer
from autotune.measure.cores import staying_on
from autotune.measure.pool import PoolMeasurer
from autotune.ops.base import contraction
from autotune.space import generate
from autotune.targets.base import Target
from autotune.trial import Timing, Trial, Workload

SCREENED, KEPT = 32, 3
"""Random schedules that are tried, and the best of them that are measured beside the default."""
LEAST = 3
"""Measurements of each schedule below which nothing is said."""
MAD_TO_SIGMA = 1.4826
QUIET_TARGET, BUSY_TARGET = 0.02, 0.04
RAW_FLOOR = 0.08
"""The quiet target counts where raw timings wander at least so much."""
WAIT_S = 0.1


@dataclass(frozen=True)
class Wander:
    """One schedule, measured `count` times. Variations and `disturbed` are shares of 1."""

    digest: str
    count: int
    ratio: float
    """Median of its paired scores: its time over the reference's."""
    slices: float
    """Mean number of its slices that counted in a measurement."""
    raw_cv: float
    raw_robust: float
    paired_cv: float
    paired_robust: float
    run_s: float
    """Mean seconds that the runner spent on one measurement."""
    disturbed: float
    """Of all slices, those that the measurer set aside."""


@dataclass(frozen=True)
class Noise:
    """All schedules of one shape in one mode."""

    name: str
    mode: str
    """quiet or busy."""
    core: int | None
    """Where the neighbour was busy; None: nowhere, or wherever the measurer was too."""
    wanders: tuple[Wander, ...]
    """The default's first: it is the reference too."""
    failed: int

    def middle(self, field: str) -> float:
        """Median over the schedules."""
        return float(median(getattr(wander, field) for wander in self.wanders))

    @property
    def factor(self) -> float | None:
        """How many times less paired wanders than raw; None where paired does not at all."""
        paired = self.middle("paired_cv")
        return self.middle("raw_cv") / paired if paired else None

    @property
    def is_met(self) -> bool | None:
        return is_met(self.mode, self.middle("raw_cv"), self.middle("paired_cv"))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        fields = list(Wander.__dataclass_fields__)[2:]
        return {
            "shape": self.name,
            "mode": self.mode,
            "neighbour_core": self.core,
            "failed": self.failed,
            "median": {field: self.middle(field) for field in fields},
            "factor": self.factor,
            "is_met": self.is_met,
            "schedules": [vars(wander) for wander in self.wanders],
        }


def cv(values: Sequence[float]) -> float:
    """Coefficient of variation: the sample's standard deviation over its mean."""
    return stdev(values) / fmean(values)


def robust_cv(values: Sequence[float]) -> float:
    """The same from medians, which a few wild values do not move: 1.4826 * MAD / median."""
    middle = median(values)
    return MAD_TO_SIGMA * median(abs(value - middle) for value in values) / middle


def is_met(mode: str, raw_cv: float, paired_cv: float) -> bool | None:
    """Whether the target of a mode is met; None where it asks for nothing."""
    if mode == "busy":
        return paired_cv <= BUSY_TARGET
    return None if raw_cv < RAW_FLOOR else paired_cv <= QUIET_TARGET


def raw_seconds(timing: Timing) -> float:
    """The median of all slices of a measurement, disturbed or not."""
    return median([*timing.samples_s, *(sample for sample, _ in timing.disturbed)])


def wander_of(digest: str, trials: Sequence[Trial]) -> Wander:
    """What the measurements of one schedule say.

    Raises:
        AutotuneError: fewer than LEAST of them.
    """
    timings = [trial.timing for trial in trials if trial.timing is not None]
    if len(timings) < LEAST:
        raise AutotuneError(
            f"schedule {digest} was measured {len(timings)} times; {LEAST} are needed: "
            "allow more --seconds"
        )
    raw = [raw_seconds(timing) for timing in timings]
    paired = [timing.ratio for timing in timings]
    aside = sum(len(timing.disturbed) for timing in timings)
    counted = sum(len(timing.samples_s) for timing in timings)
    return Wander(
        digest=digest,
        count=len(timings),
        ratio=median(paired),
        slices=counted / len(timings),
        raw_cv=cv(raw),
        raw_robust=robust_cv(raw),
        paired_cv=cv(paired),
        paired_robust=robust_cv(paired),
        run_s=fmean(trial.run_s for trial in trials if trial.timing is not None),
        disturbed=aside / (aside + counted),
    )


def noise_of(
    name: str, workload: Workload, target: Target, modes: Sequence[str], seconds: float, seed: int
) -> Iterator[Noise]:
    """Pick schedules of a shape, then measure them for so many seconds in each mode.

    Raises:
        AutotuneError: the default fails, or too little could be measured.
    """
    # A schedule that is dropped early has no reading worth comparing.
    options = MeasureOptions(seed=seed, drops_slow=False)
    cores = options.cores
    core = None if cores.are_shared else cores.building[-1]
    with staying_on(cores.building), PoolMeasurer(workload, target, options) as measurer:
        chosen = screen(measurer, *_candidates(workload, target, seed))
        for mode in modes:
            with busy(core) if mode == "busy" else nullcontext():
                trials = repeat(measurer, chosen, seconds)
            kept = [[t for t in trials if t.schedule == schedule] for schedule in chosen]
            wanders = tuple(wander_of(s.digest, t) for s, t in zip(chosen, kept, strict=True))
            failed = sum(trial.failure is not None for trial in trials)
            yield Noise(name, mode, core if mode == "busy" else None, wanders, failed)


def _candidates(workload: Workload, target: Target, seed: int) -> tuple[Schedule, list[Schedule]]:
    """The default, and different random schedules."""
    made = contraction(workload)
    default, space = default_schedule(made, target), generate(made, target)
    points = space.sample(np.random.default_rng(seed), SCREENED)
    found = {schedule.digest: schedule for schedule in map(space.schedule, points)}
    found.pop(default.digest, None)
    return default, list(found.values())


def screen(measurer: Measurer, default: Schedule, others: Sequence[Schedule]) -> list[Schedule]:
    """The default, which becomes the reference, and the best KEPT of the others.

    Raises:
        AutotuneError: the default fails.
    """
    measurer.submit([default, *others])
    latest: dict[str, Trial] = {}
    while measurer.pending:
        latest |= {trial.schedule.digest: trial for trial in measurer.ready(WAIT_S)}
    trials = list(latest.values())
    for trial in trials:
        if trial.schedule == default and trial.failure is not None:
            raise AutotuneError(f"the default schedule fails: {trial.failure.message}")
    ratios = [(t.timing.ratio, t.schedule) for t in trials if t.timing and t.schedule != default]
    ratios.sort(key=lambda entry: entry[0])
    return [default, *(schedule for _, schedule in ratios[:KEPT])]


def repeat(
    measurer: PoolMeasurer,
    schedules: Sequence[Schedule],
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> list[Trial]:
    """Measure all in turn, again and again; a turn that is not over when time is does not count.

    What counts of a turn is what each schedule was found to be after the last of its readings.
    """
    trials: list[Trial] = []
    _drain(measurer)
    end_s = clock() + seconds
    turn: dict[str, Trial] = {}
    while (left_s := end_s - clock()) > 0:
        if measurer.is_idle:
            trials += turn.values()
            turn.clear()
            measurer.submit(schedules)
        for trial in measurer.ready(min(WAIT_S, left_s)) or _pause():
            turn[trial.schedule.digest] = trial
    return trials


def _pause() -> list[Trial]:
    """Further readings are waited for by nobody."""
    time.sleep(WAIT_S / 10)
    return []


def _drain(measurer: PoolMeasurer) -> None:
    """Let what an earlier mode left in the queue pass."""
    while not measurer.is_idle:
        measurer.ready(WAIT_S) or _pause()


def lines(noises: Iterable[Noise]) -> Iterator[str]:
    """The table: coefficients of variation in percent, medians over the schedules."""
    yield "noise: coefficients of variation in %, medians over schedules; (robust ones in brackets)"
    yield (
        f"{'shape':5} {'mode':5} {'raw':>13} {'paired':>13} {'worst':>6} {'factor':>6} "
        f"{'count':>6} {'ms each':>7} {'disturbed':>9}  target"
    )
    for noise in noises:
        worst = max(wander.paired_cv for wander in noise.wanders)
        factor = "-" if noise.factor is None else f"{noise.factor:.1f}"
        yield (
            f"{noise.name:5} {noise.mode:5} {_both(noise, 'raw'):>13} {_both(noise, 'paired'):>13} "
            f"{100 * worst:6.2f} {factor:>6} {sum(w.count for w in noise.wanders):6} "
            f"{1e3 * noise.middle('run_s'):7.1f} {100 * noise.middle('disturbed'):8.1f}%  "
            f"{_verdict(noise)}"
        )


def _both(noise: Noise, kind: str) -> str:
    return f"{100 * noise.middle(f'{kind}_cv'):.2f} ({100 * noise.middle(f'{kind}_robust'):.2f})"


def _verdict(noise: Noise) -> str:
    target = BUSY_TARGET if noise.mode == "busy" else QUIET_TARGET
    if noise.is_met is None:
        said = f"none: raw is below {100 * RAW_FLOOR:.0f}%"
    else:
        said = f"{100 * target:.0f}%: {'met' if noise.is_met else 'missed'}"
    alone = noise.mode == "busy" and noise.core is None
    return f"{said}{' (one core, shared with the neighbour)' if alone else ''}" + (
        f", {noise.failed} failed" if noise.failed else ""
    )
