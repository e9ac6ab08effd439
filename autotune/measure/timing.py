"""Times kernels in slices, a candidate's and the reference's in turn. Never invents a number.

Only the runner calls it, and only on kernels that have passed their check. A slice is one call or
many, made by machine code, long enough for the clock and short enough to lie within one phase of a
shared machine. Every slice is kept; those beside a slow slice of the reference do not count.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from autotune.measure.child import CandidateError
from autotune.trial import Timing, lower_quartile

DROP_RATIO = 2.0
"""A first slice this many times slower than the best so far is the candidate's only one."""
HOPELESS_RATIO = 1.5
"""So much slower in its best of MIN_PAIRS slices, whatever the machine does, is slow."""
CLEAN_RATIO = 1.1
"""A slice of the reference up to this many times its best shows an undisturbed machine.

Source: our measurements of 2026-11-30: where another tenant computes on the same core, kernels run
1.25 to 2 times slower, each by another factor, for 5 to 50 ms at a time; between, within 1.1.
"""
MIN_PAIRS = 3
ENOUGH_PAIRS, ENOUGH_S = 9, 0.05
"""So many undisturbed pairs may decide, taken over at least so many seconds: the caches of a shared
machine stay as they are for a while, so that slices in a row agree more than they should."""
LUCK = 2.0
"""A few slices say that a kernel is at least as fast as this many times its ratio."""
TIGHT = 0.01
"""Half of a ratio's interval, relative, at which a thorough reading needs no further pairs."""
LOSING = 1.15
"""A candidate whose MIN_PAIRS undisturbed ratios are all this far above the best has lost; not
less, for the best so far is also the luckiest."""
MAX_REPEATS = 1 << 30
_LONG_ENOUGH = 0.8
"""Share of the asked length at which a slice counts."""
_MAX_GROWTH = 1000
_CALIBRATIONS = 8
_WARM_SHARE = 10
_REMEMBERED = 1 << 14
_KNOWN_WEIGHT = 64
_BEST_QUANTILE = 0.01
_LOOK_EVERY = 64

Clock = Callable[[], int]
"""Nanoseconds, as `time.perf_counter_ns`."""


class Slicer:
    """Takes slices of one kernel; the number of calls in a slice is found by the first ones."""

    def __init__(
        self,
        repeat: Callable[[int], None],
        call_s: float,
        min_slice_s: float,
        clock_ns: Clock,
    ) -> None:
        """Guess the number of calls.

        Args:
            repeat: calls the kernel a number of times, in machine code.
            call_s: what one call took, roughly.
            min_slice_s: what a slice should take at least.
            clock_ns: the clock.
        """
        self._repeat = repeat
        self._min_ns = min_slice_s * 1e9
        self._clock_ns = clock_ns
        self._count = _clamp(self._min_ns / (call_s * 1e9)) if call_s > 0 else 1
        self.slice_s = max(call_s, min_slice_s)
        """What a slice takes, as far as is known."""

    def sample(self) -> float:
        """Seconds of one call, from one slice.

        Raises:
            CandidateError: the clock gave no positive time, with more calls neither.
        """
        if self._count >= _WARM_SHARE:
            self._repeat(1)
        for _ in range(_CALIBRATIONS):
            elapsed_ns = self._elapsed_ns()
            if elapsed_ns >= self._min_ns * _LONG_ENOUGH or self._count >= MAX_REPEATS:
                break
            growth = min(1.1 * self._min_ns / elapsed_ns, _MAX_GROWTH)
            self._count = max(_clamp(self._count * growth), self._count + 1)
        self.slice_s = elapsed_ns * 1e-9
        return elapsed_ns / self._count * 1e-9

    def _elapsed_ns(self) -> float:
        for _ in range(2):
            start = self._clock_ns()
            self._repeat(self._count)
            elapsed = self._clock_ns() - start
            if math.isfinite(elapsed) and elapsed > 0:
                return elapsed
            self._count = _clamp(self._count * 10.0)
        raise CandidateError("invalid_time", f"the clock says {elapsed} ns for {self._count} calls")


def _clamp(count: float) -> int:
    return max(1, min(math.ceil(count), MAX_REPEATS))


class Pace:
    """How fast the reference is on an undisturbed machine: the best of its slices in the run.

    Not the very best, which is luck, but the slice that one in a hundred beats. Only _REMEMBERED
    slices count, so that a machine that has become slow for good is taken as it is after minutes.
    """

    def __init__(self, known_s: float | None = None) -> None:
        """Begin, perhaps with the best that an earlier process saw."""
        known = [] if known_s is None else [known_s] * _KNOWN_WEIGHT
        self._slices: deque[float] = deque(known, _REMEMBERED)
        self._best_s = known_s
        self._unseen = 0

    def note(self, slice_s: float) -> None:
        """Take one slice of the reference, in seconds a call, into account."""
        self._slices.append(slice_s)
        self._unseen += 1
        if len(self._slices) < _REMEMBERED // 16 or self._unseen >= _LOOK_EVERY:
            ordered = sorted(self._slices)
            self._best_s = ordered[int(_BEST_QUANTILE * len(ordered))]
            self._unseen = 0

    @property
    def best_s(self) -> float | None:
        """Seconds of one call at the reference's best; None before its first slice."""
        return self._best_s


@dataclass(frozen=True)
class Plan:
    """How much timing a candidate gets."""

    until_ns: float
    """On the clock: no pair starts that would end later, but one always does."""
    patience_s: float
    """Longest that MIN_PAIRS pairs or more may take, an undisturbed machine waited for or not.

    Where a single pair takes longer, it is the only one.
    """
    best_ratio: float | None
    """The best candidate so far over the reference."""
    is_thorough: bool = True
    """Go on until the ratio's interval is tight; else a number of pairs is enough."""
    enough_s: float = ENOUGH_S
    """Shortest time over which they are taken."""
    wait_s: float = math.inf
    """Longest that as many pairs may go on for want of undisturbed ones."""


@dataclass(frozen=True)
class _Pair:
    """One slice of the candidate between two of the reference, in seconds a call."""

    sample_s: float
    before_s: float
    after_s: float

    @property
    def reference_s(self) -> float:
        return (self.before_s + self.after_s) / 2

    @property
    def ratio(self) -> float:
        return self.sample_s / self.reference_s

    @property
    def slowest_s(self) -> float:
        return max(self.before_s, self.after_s)


@dataclass(frozen=True)
class Paired:
    """Slices of a candidate with the reference's beside them, as `trial.Timing` holds them."""

    samples_s: tuple[float, ...]
    reference_s: tuple[float, ...]
    disturbed: tuple[tuple[float, float], ...] = ()
    is_steady: bool = True


def sure_ratio(timing: Timing) -> float:
    """What others may be dropped for missing: more than a few lucky slices show it."""
    is_long = min(timing.samples_s) * len(timing.samples_s) >= ENOUGH_S
    return timing.ratio if is_long or is_settled(timing) else LUCK * timing.ratio


def is_settled(timing: Timing) -> bool:
    """Whether enough of its pairs met a machine at rest."""
    return timing.is_steady and len(timing.samples_s) >= ENOUGH_PAIRS


def is_contender(timing: Timing, best_ratio: float | None) -> bool:
    """Whether it may yet be the best, so that its ratio matters.

    Where no moment of rest was met, its ratio may be off by as much again.
    """
    bar = LOSING if timing.is_steady else LOSING**2
    return best_ratio is None or timing.ratio <= bar * best_ratio


def joined(earlier: Timing, later: Timing) -> Timing:
    """Two readings of separate moments as one: where only one met a machine at rest, it counts."""
    error_units = max(earlier.error_units, later.error_units)
    if earlier.is_steady == later.is_steady:
        return replace(
            later,
            samples_s=earlier.samples_s + later.samples_s,
            reference_s=earlier.reference_s + later.reference_s,
            disturbed=earlier.disturbed + later.disturbed,
            error_units=error_units,
        )
    rest, other = (earlier, later) if earlier.is_steady else (later, earlier)
    aside = tuple(zip(other.samples_s, other.reference_s, strict=True))
    return replace(rest, disturbed=rest.disturbed + aside, error_units=error_units)


def paired(candidate: Slicer, reference: Slicer, plan: Plan, pace: Pace, clock_ns: Clock) -> Paired:
    """Slices of both in turn, the reference first and last, until they decide or time is up."""
    pairs: list[_Pair] = []
    begin_ns = clock_ns()
    before_s = _noted(reference, pace)
    while True:
        sample_s = candidate.sample()
        if not pairs and _is_slow(sample_s / before_s, plan, DROP_RATIO):
            pairs.append(_Pair(sample_s, before_s, before_s))
            break
        after_s = _noted(reference, pace)
        pairs.append(_Pair(sample_s, before_s, after_s))
        before_s = after_s
        now_ns = clock_ns()
        if now_ns + (candidate.slice_s + reference.slice_s) * 1e9 > plan.until_ns:
            break
        is_late = now_ns - begin_ns > plan.patience_s * 1e9
        is_long = candidate.slice_s + reference.slice_s > plan.patience_s
        if len(pairs) < MIN_PAIRS and not is_long:
            continue
        spent_s = (now_ns - begin_ns) * 1e-9
        has_waited = len(pairs) >= ENOUGH_PAIRS and spent_s > plan.wait_s
        if is_late or has_waited or _is_decided(pairs, pace, plan, spent_s):
            break
    return _sorted_out(pairs, pace)


def _noted(reference: Slicer, pace: Pace) -> float:
    seconds = reference.sample()
    pace.note(seconds)
    return seconds


def _is_slow(ratio: float, plan: Plan, bar: float) -> bool:
    return plan.best_ratio is not None and ratio > bar * plan.best_ratio


def _is_decided(pairs: list[_Pair], pace: Pace, plan: Plan, spent_s: float) -> bool:
    """Whether more pairs would change nothing: it has lost, or its ratio is known well enough."""
    if _is_slow(min(pair.ratio for pair in pairs), plan, HOPELESS_RATIO):
        return True
    bar_s = CLEAN_RATIO * (pace.best_s or math.inf)
    ratios = [pair.ratio for pair in pairs if pair.slowest_s <= bar_s]
    if len(ratios) < MIN_PAIRS:
        return False
    if len(ratios) < ENOUGH_PAIRS or spent_s < plan.enough_s:
        return _is_slow(min(ratios), plan, LOSING)
    has_lost = _is_slow(lower_quartile(ratios), plan, LOSING)
    return has_lost or not plan.is_thorough or _half_width(ratios) <= TIGHT


def _half_width(ratios: Sequence[float]) -> float:
    """How far the lower quartile may be off, relative to it: from ranks one deviation beside it."""
    ordered, count = sorted(ratios), len(ratios)
    place, deviation = (count - 1) / 4, math.sqrt(3 * count) / 4
    low, high = ordered[max(0, round(place - deviation))], ordered[round(place + deviation)]
    return (high - low) / 2 / lower_quartile(ratios)


def _sorted_out(pairs: list[_Pair], pace: Pace) -> Paired:
    """What counts, and what does not; where the machine is never at rest, everything does.

    To pick the pairs with the fastest reference then would be unfair to the candidate, whose own
    slices nobody picks.
    """
    bar_s = CLEAN_RATIO * (pace.best_s or math.inf)
    is_steady = sum(pair.slowest_s <= bar_s for pair in pairs) >= min(MIN_PAIRS, len(pairs))
    counted = [pair for pair in pairs if pair.slowest_s <= bar_s or not is_steady]
    return Paired(
        samples_s=tuple(pair.sample_s for pair in counted),
        reference_s=tuple(pair.reference_s for pair in counted),
        disturbed=tuple(
            (p.sample_s, p.reference_s) for p in pairs if p.slowest_s > bar_s and is_steady
        ),
        is_steady=is_steady,
    )
