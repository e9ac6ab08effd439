"""Times kernels in slices, a candidate's and the reference's in turn. Never invents a number.

Only the runner calls it, and only on kernels that have passed their check. A slice is many calls
made by machine code, long enough for the clock; every slice is kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from autotune.measure.child import CandidateError

DROP_RATIO = 2.5
"""A first slice this many times slower than the best so far is the candidate's only one."""
MAX_REPEATS = 1 << 30
_LONG_ENOUGH = 0.8
"""Share of the asked length at which a slice counts."""
_MAX_GROWTH = 1000
_CALIBRATIONS = 8
_WARM_SHARE = 10

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


@dataclass(frozen=True)
class Plan:
    """How much timing a candidate gets."""

    slices: int
    until_ns: float
    """On the clock: no slice starts that would end later, but one pair always does."""
    best_ratio: float | None
    """The best candidate so far over the reference."""


def paired(
    candidate: Slicer, reference: Slicer, plan: Plan, clock_ns: Clock
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Seconds of one call from slices of both, taken in turn: the candidate's, the reference's."""
    samples: list[float] = []
    references: list[float] = []
    for _ in range(plan.slices):
        samples.append(candidate.sample())
        references.append(reference.sample())
        ratio = samples[0] / references[0]
        if plan.best_ratio is not None and ratio > DROP_RATIO * plan.best_ratio:
            break
        if clock_ns() + (candidate.slice_s + reference.slice_s) * 1e9 > plan.until_ns:
            break
    return tuple(samples), tuple(references)
