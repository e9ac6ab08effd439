"""What explorers, features and the loop see of a search space, and how a file narrows one.

Points are rows of int64, one column a knob, always canonical: two rows are equal if and only if
they denote the same schedule. Every call takes thousands of rows at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from autotune.ir.schedule import Schedule

Points = NDArray[np.int64]
"""(n, knobs) int64, one canonical point a row."""


Choice = int | str | bool
"""A value of a knob."""


class Space(Protocol):
    """The legal schedules of one contraction on one target, never enumerated unless small."""

    @property
    def size(self) -> int:
        """Number of points; exact where `is_exact`, otherwise an estimate."""

    @property
    def is_exact(self) -> bool:
        """Whether `size` was counted."""

    @property
    def knobs(self) -> Mapping[str, tuple[Choice, ...]]:
        """Name of each knob that a space file may set, with the values it takes here."""

    @property
    def digest(self) -> str:
        """Identifies the space's definition."""

    def sample(self, rng: np.random.Generator, count: int) -> Points:
        """At most `count` random legal points; none where a bounded search found none."""

    def plain(self, count: int) -> Points:
        """At most `count` points such as the default schedule is, the most promising first."""

    def neighbours(self, points: Points, rng: np.random.Generator) -> Points:
        """One legal neighbour of each point; the point itself where none was found."""

    def mix(self, a: Points, b: Points, rng: np.random.Generator) -> Points:
        """Legal crossovers row by row; the row of `a` where the mix is illegal."""

    def family(self, points: Points) -> NDArray[np.int64]:
        """(n,) structural family: vector axis, packing, store."""

    def all_points(self) -> Points | None:
        """Every distinct point of a space small enough to list (at most 4096), else None."""

    def why_empty(self) -> str:
        """Which rules keep sampled points out, for a space in which none is legal."""

    def schedule(self, point: NDArray[np.int64]) -> Schedule:
        """The schedule that one point denotes."""

    def bound(self, points: Points) -> NDArray[np.float64]:
        """(n,) analytic lower bounds in seconds, for ranking before anything is measured."""


@dataclass(frozen=True)
class Narrowing:
    """What a search-space file says of the knobs, already checked; empty where there is none."""

    source: str = ""
    """The file, for messages; empty for no narrowing."""
    digest: str = ""
    """Of the file's meaning; kept with each run."""
    only: Mapping[str, tuple[Choice, ...]] = field(default_factory=dict)
    """Knob -> the only values allowed; a single one pins it."""
    never: Mapping[str, tuple[Choice, ...]] = field(default_factory=dict)
    """Knob -> values forbidden."""
