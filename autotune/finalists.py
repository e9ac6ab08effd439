"""Who wins: the best few and the default, timed again side by side. Pure functions on timings.

`tune` calls it at the end of a run. A schedule is only called faster than the default if an
interval of its paired ratios says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, inf
from statistics import median

from autotune.ir.schedule import Schedule
from autotune.progress import Outcome
from autotune.trial import Failure, Timing

SCREENED, FINALISTS = 16, 8
"""So many of the search's best are screened for the places of the final round. Source: our
measurements: of the 40 best of a tune of C6, the search's readings put the truly best one eleventh;
readings were up to 10% off."""
ROUNDS = 11
"""Fewest rounds whose 95% interval still holds with one reading spoilt, for the best of eight:
seven rounds would need all seven on one side (chance 8/128 that a mere equal passes), eleven allow
one exception (8 * 12/2048)."""
CONFIDENCE = 0.95
TIED_RATIO = 1.01
"""Time over the leader's up to which a schedule that ties with it may be kept in its place."""


@dataclass(frozen=True)
class Ratio:
    """A candidate's time over the default's, paired round by round."""

    median: float
    low: float
    high: float


def interval_of(ratios: Sequence[float]) -> Ratio:
    """Median and distribution-free interval: the innermost pair of order statistics that holds it.

    The median lies outside [x(k), x(n+1-k)] with probability 2 * P(Binomial(n, 1/2) < k). With
    fewer than six ratios no pair reaches CONFIDENCE: the interval is then unbounded above.
    """
    ordered, count = sorted(ratios), len(ratios)
    outside, rank = 0.0, 0
    while rank < count // 2:
        outside += 2 * comb(count, rank) / 2**count
        if outside > 1 - CONFIDENCE:
            break
        rank += 1
    if rank == 0:
        return Ratio(median(ordered), 0.0, inf)
    return Ratio(median(ordered), ordered[rank - 1], ordered[count - rank])


def judge(
    schedules: Sequence[Schedule],
    outcomes: Sequence[Timing | Failure],
    has_default: bool,
    incumbent: Schedule | None = None,
) -> Outcome | None:
    """The outcome of a final round; None where nothing in it worked.

    Of the schedules that are faster than the default by more than the noise the fastest leads. If
    the rounds cannot tell the incumbent from it, the incumbent stays: a change must be worth
    something. Else, of those that they cannot tell from it and that are within TIED_RATIO, the
    shortest schedule wins, then the lowest digest: runs that find the same kernels keep the same.

    Args:
        schedules: the default first where `has_default`.
        outcomes: one each, all paired with the same reference in the same rounds.
        has_default: without it nothing can be called faster than it.
        incumbent: what the cache answered before this run, where it is among the schedules.
    """
    timed = {s: o for s, o in zip(schedules, outcomes, strict=True) if isinstance(o, Timing)}
    default = schedules[0] if has_default else None
    if not timed or (has_default and default not in timed):
        return None
    rivals = list(timed)
    if default is not None:
        rivals = [s for s in timed if _over(timed[s], timed[default]).high < 1.0]
        if not rivals:
            return Outcome(default, timed[default], False, timed[default], 1.0, (1.0, 1.0))
    most = max(len(timed[s].samples_s) for s in rivals)
    lasting = [s for s in rivals if len(timed[s].samples_s) == most]
    leader = min(lasting, key=lambda s: median(timed[s].ratios))
    over = {s: _over(timed[s], timed[leader]) for s in rivals}
    tied = [s for s in rivals if s == leader or over[s].low <= 1.0]
    near = [s for s in tied if s == leader or over[s].median <= TIED_RATIO]
    shortest = min(near, key=lambda s: (len(s.to_json()), s.digest))
    winner = incumbent if incumbent in tied else shortest
    assert winner is not None
    ties = tuple(sorted(s.digest for s in tied if s != winner))
    if default is None:
        return Outcome(winner, timed[winner], True, None, None, None, ties)
    ratio = _over(timed[winner], timed[default])
    return Outcome(
        schedule=winner,
        timing=timed[winner],
        is_tuned=True,
        baseline=timed[default],
        speedup=1 / ratio.median,
        speedup_interval=(1 / ratio.high, 1 / ratio.low),
        ties=ties,
    )


def _over(a: Timing, b: Timing) -> Ratio:
    """One schedule's time over another's, round by round as far as both go."""
    return interval_of([x / y for x, y in zip(a.ratios, b.ratios, strict=False)])


def judge_unpaired(
    default: tuple[Schedule, Timing] | None, best: tuple[Schedule, Timing]
) -> Outcome:
    """The outcome from the search's own timings, for a run whose final round did not end.

    Both were paired with the run's fixed reference, so the quotient of their ratios is comparable,
    but the best of many readings flatters: it must win even at its worst against the default's
    best.
    """
    schedule, timing = best
    if default is None:
        return Outcome(schedule, timing, True, None, None, None, is_retimed=False)
    usual, baseline = default
    ours, theirs = timing.ratios, baseline.ratios
    low, high = min(ours) / max(theirs), max(ours) / min(theirs)
    if schedule == usual or high >= 1.0:
        return Outcome(usual, baseline, False, baseline, 1.0, (1.0, 1.0), is_retimed=False)
    speedup = median(theirs) / median(ours)
    interval = (1 / high, 1 / low)
    return Outcome(schedule, timing, True, baseline, speedup, interval, is_retimed=False)
