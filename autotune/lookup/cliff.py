"""What a missed lookup costs, and the command that closes the gap."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import quantiles
from typing import Any

from autotune.ops.base import command, flop
from autotune.targets.base import Target
from autotune.trial import Workload

ENOUGH_RECORDS = 3
"""Fewer measured gains than this say nothing of the next shape."""
UNMEASURED = (1.5, (1.0, 3.0))
"""Slow-down assumed without measurements: an unmeasured guess between a default that is as good as
tuned and one whose register tile spills, which costs half and more (docs/cache.md)."""
WIDENING = 1.1
"""Quartiles of a few shapes are narrower than what the next shape will show."""


@dataclass(frozen=True)
class Cliff:
    """How much slower than tuned the fallback is expected to be, and why."""

    predicted_slowdown: float
    """Time of the default schedule over that of a tuned one."""
    interval: tuple[float, float]
    reason: str
    fix: str
    """The command that tunes exactly this."""
    nearest: str | None = None
    """Key of the nearest tuned workload."""
    differs: Mapping[str, list[Any]] = field(default_factory=dict)
    """Where the two differ: name -> [theirs, ours]."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "predicted_slowdown": self.predicted_slowdown,
            "interval": list(self.interval),
            "nearest": self.nearest,
            "differs": {name: list(pair) for name, pair in self.differs.items()},
            "reason": self.reason,
            "fix": self.fix,
        }

    def message(self, workload: Workload, target: Target, origin: str) -> str:
        """The text of the warning."""
        used = "the default schedule"
        if origin == "nearest":
            used = f"the schedule tuned for {self.nearest}, adapted,"
        return (
            f"performance cliff: {workload.op} {workload.shape} for {target.key} is not tuned "
            f"({self.reason}); {used} is used, expected to take {self.price}{self.apart}; "
            f"to tune it: {self.fix}"
        )

    @property
    def price(self) -> str:
        """The expected slow-down as text."""
        low, high = self.interval
        return f"about {self.predicted_slowdown:.2g}x the tuned time ({low:.2g} to {high:.2g})"

    @property
    def apart(self) -> str:
        """What tells the nearest tuned workload from this one, as text; may be empty."""
        if self.nearest is None:
            return ""
        fields = [
            f"{name} ({ours}, there {theirs})" for name, (theirs, ours) in self.differs.items()
        ]
        return f"; the nearest that is tuned differs in {', '.join(fields)}" if fields else ""

    def loss(self, workload: Workload, uses: int) -> float:
        """What `uses` calls are expected to lose: by this, cliffs are compared.

        In operations that a tuned kernel would have done meanwhile, whatever the rate.
        """
        return (self.predicted_slowdown - 1) * flop(workload) * uses


def estimate(speedups: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """Expected slow-down and its interval, from what tuning gained on the same operator.

    Median and widened quartiles of the recorded ratios default over tuned; never below 1.
    """
    if len(speedups) < ENOUGH_RECORDS:
        return UNMEASURED
    low, middle, high = quantiles(speedups, n=4, method="inclusive")
    middle = max(1.0, middle)
    return (
        round(middle, 3),
        (round(max(1.0, low / WIDENING), 3), round(max(middle, high * WIDENING), 3)),
    )


def fix_command(workload: Workload, target: Target | str, threads: int, cache: str | None) -> str:
    """The command that tunes this workload where the lookup looked, defaults left out."""
    return command(workload) + _where(target, threads, cache)


def fix_all_command(target: Target | str, threads: int, cache: str | None) -> str:
    """The command that tunes every miss that is remembered of a target."""
    return "autotune run --misses" + _where(target, threads, cache)


def _where(target: Target | str, threads: int, cache: str | None) -> str:
    named = target.key if isinstance(target, Target) else target
    text = "" if named == "host" else f" --target {shlex.quote(named)}"
    if threads != 1 and not isinstance(target, Target):
        text += f" --threads {threads}"
    return text if cache is None else f"{text} --cache {shlex.quote(cache)}"
