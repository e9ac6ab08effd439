"""When a run ends: what was asked for, and what a small space allows."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from math import inf

from autotune.errors import UsageError
from autotune.ir.schedule import Schedule
from autotune.space.base import Space


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


def wanted_trials(
    trials: int | None, space: Space, default: Schedule, foreign: Set[str] = frozenset()
) -> int | None:
    """How many trials a run can have at most: those asked for, or all of a smaller space.

    A space small enough is counted exactly, the default included, which need not be in it.
    `foreign` are digests of an earlier run's schedules that are not known as points of it.
    """
    listed = space.all_points()
    if listed is None:
        # An empty space is left to the first batch, which says what is wrong with it.
        size = space.size + len(foreign - {default.digest})
        is_smaller = space.is_exact and trials is not None and space.size > 0 and size < trials
        return size if is_smaller else trials
    if not len(listed):
        return trials
    if trials is not None and trials <= len(listed):
        return trials
    known = {space.schedule(point).digest for point in listed} | {default.digest} | foreign
    return len(known) if trials is None else min(trials, len(known))
