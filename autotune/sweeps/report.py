"""What searches on a recorded sweep come to: trials until they are near the best known, and regret.

Whoever made them: a search is no more here than the rows it measured, in their order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autotune.sweeps.base import Sweep

GOALS = {"trials_to_95": 0.95, "trials_to_99": 0.99}
"""Shares of the speed of the best known."""
SHOWN_TRIALS = (16, 64, 256, 1024)
"""Trials after which it is said how far a search is; and at its end."""
_FAR = 1e18
"""Stands for infinity where numbers are interpolated."""


@dataclass(frozen=True)
class Quartiles:
    """Of one number over many seeds; infinity where it was not reached."""

    q1: float
    median: float
    q3: float

    @classmethod
    def of(cls, values: Sequence[float] | NDArray[np.float64]) -> Quartiles:
        """Interpolated between neighbours; between a number and infinity there is none."""
        finite = np.where(np.isinf(values), _FAR, values)
        found = np.quantile(finite, (0.25, 0.5, 0.75))
        return cls(*(inf if value > _FAR / 1e6 else float(value) for value in found))

    def to_dict(self) -> dict[str, float | None]:
        """Plain JSON data; null stands for infinity."""
        return {name: None if value == inf else value for name, value in vars(self).items()}


@dataclass(frozen=True)
class Replayed:
    """One search: which rows it measured, in their order."""

    seed: int
    rows: tuple[int, ...]
    notes: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """Identifies the trials: equal where two searches did the same."""
        return hashlib.sha256(repr(self.rows).encode()).hexdigest()[:16]

    def curve(self, sweep: Sweep) -> NDArray[np.float64]:
        """(trials,) time of the best known over that of the best so far; 0 before any worked."""
        return np.maximum.accumulate(sweep.qualities[list(self.rows)])

    def trials_to(self, sweep: Sweep, quality: float) -> float:
        """Trials until the best so far reached it; infinity where it never did."""
        reached = np.flatnonzero(self.curve(sweep) >= quality)
        return float(reached[0] + 1) if len(reached) else inf


@dataclass(frozen=True)
class Searches:
    """Searches of one kind on one sweep, one a seed."""

    sweep: Sweep
    found: tuple[Replayed, ...]

    @cached_property
    def curves(self) -> NDArray[np.float64]:
        """(seeds, trials) curves, each kept at its last value where a space was exhausted."""
        each = [one.curve(self.sweep) for one in self.found]
        longest = max(map(len, each))
        return np.stack([np.pad(curve, (0, longest - len(curve)), "edge") for curve in each])

    def trials(self) -> dict[str, Quartiles]:
        """By goal, how many trials it took."""
        return {
            name: Quartiles.of([one.trials_to(self.sweep, goal) for one in self.found])
            for name, goal in GOALS.items()
        }

    def regrets(self) -> dict[int, Quartiles]:
        """By trials, the time of the best so far over that of the best known."""
        last = self.curves.shape[1]
        shown = [*(at for at in SHOWN_TRIALS if at < last), last]
        with np.errstate(divide="ignore"):
            return {at: Quartiles.of(1 / self.curves[:, at - 1]) for at in shown}

    @property
    def notes(self) -> tuple[str, ...]:
        """What any of them told, each line once."""
        return tuple(dict.fromkeys(note for one in self.found for note in one.notes))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            **{name: quartiles.to_dict() for name, quartiles in self.trials().items()},
            "regret": [{"trials": at, **each.to_dict()} for at, each in self.regrets().items()],
            "seeds": [
                {
                    "seed": one.seed,
                    "trials": len(one.rows),
                    "digest": one.digest,
                    "reached": float(one.curve(self.sweep)[-1]),
                }
                for one in self.found
            ],
            "notes": list(self.notes),
        }
