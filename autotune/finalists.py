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

FINALISTS = 8
ROUNDS = 11
"""Fewest rounds whose 95% interval still holds with one reading spoilt, for the best of eight:
seven rounds would need all seven on one side (chance 8/128 that a mere equal passes), eleven allow
one exception (8 * 12/2048)."""
CONFIDENCE = 0.95


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
    schedules: Sequence[Schedule], outcomes: Sequence[Timing | Failure], has_default: bool
) -> Outcome | None:
    """The outcome of a final round; None where nothing in it worked.

    Args:
        schedules: the default first where `has_default`.
        outcomes: one each; `reference_s` of a timing are `schedules[0]`'s of the same rounds.
        has_default: without it nothing can be called faster than it: the fastest wins.
    """
    timed = [(s, o) for s, o in zip(schedules, outcomes, strict=True) if isinstance(o, Timing)]
    if not timed:
        return None
    if not has_default:
        schedule, timing = min(timed, key=lambda entry: entry[1].seconds)
        return Outcome(schedule, timing, True, None, None, None)
    default, baseline = schedules[0], outcomes[0]
    if isinstance(baseline, Failure):
        return None
    faster = []
    for schedule, timing in timed:
        ratio = interval_of(paired(timing))
        if schedule != default and ratio.high < 1.0:
            faster.append((ratio.median, schedule, timing, ratio))
    if not faster:
        return Outcome(default, baseline, False, baseline, 1.0, (1.0, 1.0))
    _, schedule, timing, ratio = min(faster, key=lambda entry: entry[0])
    speedup = 1 / ratio.median
    return Outcome(schedule, timing, True, baseline, speedup, (1 / ratio.high, 1 / ratio.low))


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
    ours, theirs = paired(timing), paired(baseline)
    low, high = min(ours) / max(theirs), max(ours) / min(theirs)
    if schedule == usual or high >= 1.0:
        return Outcome(usual, baseline, False, baseline, 1.0, (1.0, 1.0), is_retimed=False)
    speedup = median(theirs) / median(ours)
    interval = (1 / high, 1 / low)
    return Outcome(schedule, timing, True, baseline, speedup, interval, is_retimed=False)


def paired(timing: Timing) -> list[float]:
    """Candidate over reference, round by round."""
    pairs = zip(timing.samples_s, timing.reference_s, strict=True)
    return [sample / reference for sample, reference in pairs]
