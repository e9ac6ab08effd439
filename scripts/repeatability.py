"""Whether tuning again gives the same answer: tunes of one shape, their winners judged together.

Each tune starts from an empty cache; then the winners and the default are timed together, round by
round. Called by `bench_measurement.py`; flip rates, regrets and quotients are pure functions.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf, isfinite
from pathlib import Path
from statistics import fmean, median
from typing import Any

from autotune.finalists import Ratio, interval_of
from autotune.ir.default import default_schedule
from autotune.ir.schedule import Schedule
from autotune.measure.base import MeasureOptions
from autotune.measure.pool import PoolMeasurer
from autotune.ops.base import contraction
from autotune.store import log
from autotune.targets.base import Target
from autotune.trial import Failure, Timing, Workload
from autotune.tune import tune

REGRET_TARGET = 0.02
RATE_SHAPE, RATE_TARGET, FAST_RATE_TARGET = "C6", 15.0, 20.0
"""Trials a second that are asked for, and where the mean build takes FAST_BUILD_S or less."""
FAST_BUILD_S = 0.035


@dataclass(frozen=True)
class Tuned:
    """One tune: its winner, what it claims, and where its time went."""

    seed: int
    winner: Schedule
    claimed: Ratio | None
    """Speed over the default; None where it has no baseline."""
    trials: int
    rate: float
    """Trials a second while it searched."""
    build_s: float
    """Mean time to build a candidate."""
    builders: int

    @property
    def build_share(self) -> float:
        """Of the time, what each builder spent building."""
        return self.rate * self.build_s / self.builders

    @property
    def wanted_rate(self) -> float:
        return FAST_RATE_TARGET if self.build_s <= FAST_BUILD_S else RATE_TARGET


@dataclass(frozen=True)
class Judged:
    """A winner timed beside the others."""

    regret: Ratio | None
    """Time over the best winner's, minus 1; None where it failed this time."""
    together: Ratio | None
    """Speed over the default; None where either failed."""
    failure: str = ""


@dataclass(frozen=True)
class Repeated:
    """All tunes of one shape, and their winners judged together."""

    name: str
    tunes: tuple[Tuned, ...]
    judged: tuple[Judged, ...]

    @property
    def winners(self) -> list[str]:
        return [tuned.winner.digest for tuned in self.tunes]

    @property
    def worst_regret(self) -> float | None:
        """None where a winner failed."""
        regrets = [judged.regret.median for judged in self.judged if judged.regret]
        return max(regrets) if len(regrets) == len(self.judged) else None

    @property
    def is_met(self) -> bool:
        return self.worst_regret is not None and self.worst_regret <= REGRET_TARGET

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        tunes = [
            {
                "seed": tuned.seed,
                "winner": tuned.winner.digest,
                "schedule": tuned.winner.to_dict(),
                "claimed": _plain(tuned.claimed),
                "together": _plain(judged.together),
                "regret": _plain(judged.regret),
                "failure": judged.failure,
                "trials": tuned.trials,
                "trials_per_second": tuned.rate,
                "build_s": tuned.build_s,
                "builders": tuned.builders,
                "build_share": tuned.build_share,
            }
            for tuned, judged in zip(self.tunes, self.judged, strict=True)
        ]
        return {
            "shape": self.name,
            "distinct_share": distinct_share(self.winners),
            "flip_rate": flip_rate(self.winners),
            "worst_regret": self.worst_regret,
            "is_met": self.is_met,
            "tunes": tunes,
        }


def distinct_share(winners: Sequence[str]) -> float:
    """Different winners over tunes: 1 where no two tunes agree."""
    return len(set(winners)) / len(winners)


def flip_rate(winners: Sequence[str]) -> float:
    """Share of the pairs of tunes whose winners differ; 0 for a single tune."""
    pairs = list(combinations(winners, 2))
    return sum(one != other for one, other in pairs) / len(pairs) if pairs else 0.0


def quotients(ours: Timing, theirs: Timing) -> list[float]:
    """Our time over theirs, in each round that both took part in.

    Rounds are the same as far as both go, and both ratios of a round are to the same reference.
    """
    pairs = zip(ours.ratios, theirs.ratios, strict=False)
    return [mine / other for mine, other in pairs]


def regrets(outcomes: Sequence[Timing | Failure]) -> list[Ratio | None]:
    """How much longer each winner takes than the best of them; None for a failure."""
    timed = [outcome for outcome in outcomes if isinstance(outcome, Timing)]
    best = min(timed, key=lambda timing: median(timing.ratios), default=None)
    found: list[Ratio | None] = []
    for outcome in outcomes:
        if best is None or isinstance(outcome, Failure):
            found.append(None)
            continue
        ratio = interval_of(quotients(outcome, best))
        found.append(Ratio(ratio.median - 1, ratio.low - 1, ratio.high - 1))
    return found


def speedup(outcome: Timing | Failure, default: Timing | Failure) -> Ratio | None:
    """The default's time over a winner's; None where either failed."""
    if isinstance(outcome, Failure) or isinstance(default, Failure):
        return None
    ratio = interval_of(quotients(outcome, default))
    return Ratio(1 / ratio.median, 1 / ratio.high, 1 / ratio.low if ratio.low else inf)


def repeated(
    name: str,
    workload: Workload,
    target: Target,
    seeds: Sequence[int],
    trials: int,
    budget_s: float,
    rounds: int,
) -> Repeated:
    """Tune once with each seed, then time all winners together.

    Raises:
        AutotuneError: a tune found nothing.
    """
    tunes = tuple(tuned(name, workload, seed, trials, budget_s) for seed in seeds)
    default = default_schedule(contraction(workload), target)
    schedules = {default.digest: default} | {t.winner.digest: t.winner for t in tunes}
    with PoolMeasurer(workload, target, MeasureOptions(drops_slow=False)) as measurer:
        outcomes = measurer.retime(list(schedules.values()), rounds)
    by_digest = dict(zip(schedules, outcomes, strict=True))
    return Repeated(name, tunes, judge(tunes, by_digest, default.digest))


def judge(
    tunes: Sequence[Tuned], outcomes: dict[str, Timing | Failure], default: str
) -> tuple[Judged, ...]:
    """What timing them together says of each tune's winner; outcomes by digest."""
    timed = [outcomes[tuned.winner.digest] for tuned in tunes]
    return tuple(
        Judged(
            regret,
            speedup(outcome, outcomes[default]),
            f"{outcome.kind}: {outcome.message}" if isinstance(outcome, Failure) else "",
        )
        for outcome, regret in zip(timed, regrets(timed), strict=True)
    )


def tuned(name: str, workload: Workload, seed: int, trials: int, budget_s: float) -> Tuned:
    """One tune from an empty cache.

    Raises:
        AutotuneError: it found nothing.
    """
    with tempfile.TemporaryDirectory(prefix="autotune-") as folder:
        written = str(Path(folder) / "trials.jsonl")
        result = tune(
            workload,
            trials=trials,
            budget_s=budget_s,
            cache=str(Path(folder) / "cache.db"),
            log=written,
            seed=seed,
        )
        run = log.read(written)
    told, interval = result.to_dict(), result.outcome.speedup_interval
    claims = None
    if result.outcome.speedup is not None and interval is not None:
        claims = Ratio(result.outcome.speedup, *interval)
    one = Tuned(
        seed=seed,
        winner=result.schedule,
        claimed=claims,
        trials=result.trials,
        rate=told["trials_per_second"],
        build_s=fmean(trial.build_s for trial in run.trials),
        builders=run.header["measure"]["builders"],
    )
    print(
        f"tuned {name}, seed {seed}: {one.trials} trials, {one.rate:.1f}/s, "
        f"{result.gflops:.1f} GFLOP/s",
        file=sys.stderr,
    )
    return one


def lines(all_repeated: Iterable[Repeated]) -> Iterator[str]:
    """The table, a line a tune, and under each shape what it comes to."""
    yield "repeatability: winners of tunes from empty caches, timed together; [95% intervals]"
    yield (
        f"{'shape':5} {'seed':>4} {'winner':12} {'regret %':>20} {'claimed':>18} {'together':>18} "
        f"{'trials':>6} {'per s':>6} {'build ms':>8} {'building':>8}"
    )
    for shape in all_repeated:
        for one, judged in zip(shape.tunes, shape.judged, strict=True):
            regret = _shown(judged.regret, 100.0) if judged.regret else "failed"
            yield (
                f"{shape.name:5} {one.seed:4} {one.winner.digest[:12]:12} {regret:>20} "
                f"{_shown(one.claimed):>18} {_shown(judged.together):>18} {one.trials:6} "
                f"{one.rate:6.1f} {1e3 * one.build_s:8.1f} {100 * one.build_share:7.0f}%"
            )
        yield from (f"  {judged.failure}" for judged in shape.judged if judged.failure)
        yield from _summary(shape)


def _summary(shape: Repeated) -> Iterator[str]:
    winners, worst = shape.winners, shape.worst_regret
    yield (
        f"  {shape.name}: {len(set(winners))} different winners of {len(winners)} "
        f"({100 * flip_rate(winners):.0f}% of pairs disagree); worst regret "
        f"{'unknown, a winner failed' if worst is None else f'{100 * worst:.2f}%'}, "
        f"target {100 * REGRET_TARGET:.0f}%: {'met' if shape.is_met else 'missed'}"
    )
    if shape.name == RATE_SHAPE:
        slowest = min(shape.tunes, key=lambda one: one.rate / one.wanted_rate)
        said = "met" if slowest.rate >= slowest.wanted_rate else "missed"
        yield (
            f"  {shape.name}: {slowest.rate:.1f} trials a second at worst, "
            f"target {slowest.wanted_rate:.0f}: {said}"
        )


def _shown(ratio: Ratio | None, scale: float = 1.0) -> str:
    if ratio is None:
        return "-"
    middle, low, high = scale * ratio.median, scale * ratio.low, scale * ratio.high
    if not isfinite(high):
        return f"{middle:.2f} [too few]"
    return f"{middle:.2f} [{low:.2f} {high:.2f}]"


def _plain(ratio: Ratio | None) -> dict[str, float | None] | None:
    """JSON knows no infinity: an open end is null."""
    if ratio is None:
        return None
    return {name: value if isfinite(value) else None for name, value in vars(ratio).items()}
