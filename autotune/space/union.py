"""Several spaces as one: the algorithm is the first knob."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from autotune.ir.schedule import Schedule
from autotune.space.base import Choice, Points, Space

Number = TypeVar("Number", bound=np.generic)
LIST_LIMIT = 4096
FAMILIES = 10**6
"""Families of one member are numbered below this."""


class UnionSpace:
    """Points of all members: the member's number, its own row, zeros up to the widest."""

    def __init__(self, members: Sequence[Space], knobs: Mapping[str, tuple[Choice, ...]]) -> None:
        self.members, self.knobs = tuple(members), knobs
        first = np.random.default_rng(0)
        self._widths = [member.sample(first, 1).shape[1] for member in members]
        self._width = max(self._widths)
        text = " ".join(member.digest for member in members)
        self.digest = hashlib.sha256(text.encode()).hexdigest()[:16]

    def own(self, points: Points, member: int) -> tuple[NDArray[np.int64], Points]:
        """Which rows are a member's, and the rows as it knows them."""
        rows = np.flatnonzero(points[:, 0] == member)
        return rows, points[rows, 1 : 1 + self._widths[member]]

    def wrapped(self, member: int, points: Points) -> Points:
        """A member's points as points of the union."""
        rows = np.zeros((len(points), 1 + self._width), np.int64)
        rows[:, 0] = member
        rows[:, 1 : 1 + points.shape[1]] = points
        return rows

    @cached_property
    def size(self) -> int:
        return sum(member.size for member in self.members)

    @property
    def is_exact(self) -> bool:
        return all(member.is_exact for member in self.members)

    def all_points(self) -> Points | None:
        listed = [member.all_points() for member in self.members]
        found = [self.wrapped(i, points) for i, points in enumerate(listed) if points is not None]
        if len(found) < len(listed) or sum(map(len, found)) > LIST_LIMIT:
            return None
        return np.concatenate(found)

    def sample(self, rng: np.random.Generator, count: int) -> Points:
        """As many of each member, in random order."""
        shares = np.bincount(
            rng.integers(len(self.members), size=count), minlength=len(self.members)
        )
        found = [
            self.wrapped(i, member.sample(rng, int(share)))
            for i, (member, share) in enumerate(zip(self.members, shares, strict=True))
        ]
        return rng.permutation(np.concatenate(found))

    def plain(self, count: int) -> Points:
        """Those of the members in turn."""
        found = [self.wrapped(i, member.plain(count)) for i, member in enumerate(self.members)]
        turns = np.concatenate([np.arange(len(points)) for points in found])
        return np.concatenate(found)[np.argsort(turns, kind="stable")][:count]

    def neighbours(self, points: Points, rng: np.random.Generator) -> Points:
        moved = points.copy()
        for i, member in enumerate(self.members):
            rows, own = self.own(points, i)
            if len(rows):
                moved[rows] = self.wrapped(i, member.neighbours(own, rng))
        return moved

    def mix(self, a: Points, b: Points, rng: np.random.Generator) -> Points:
        """Crossovers of rows of one member; rows of different ones stay as in `a`."""
        mixed = a.copy()
        same = a[:, 0] == b[:, 0]
        for i, member in enumerate(self.members):
            rows = np.flatnonzero(same & (a[:, 0] == i))
            if len(rows):
                own = slice(1, 1 + self._widths[i])
                mixed[rows] = self.wrapped(i, member.mix(a[rows, own], b[rows, own], rng))
        return mixed

    def family(self, points: Points) -> NDArray[np.int64]:
        return self._gathered(points, lambda i, own: self.members[i].family(own) + i * FAMILIES)

    def bound(self, points: Points) -> NDArray[np.float64]:
        return self._gathered(points, lambda i, own: self.members[i].bound(own))

    def _gathered(
        self, points: Points, of: Callable[[int, Points], NDArray[Number]]
    ) -> NDArray[Number]:
        """One value a row, from each member for its own rows."""
        found = None
        for i in range(len(self.members)):
            rows, own = self.own(points, i)
            values = of(i, own)
            if found is None:
                found = np.zeros(len(points), values.dtype)
            found[rows] = values
        if found is None:
            raise AssertionError("a union has members")
        return found

    def why_empty(self) -> str:
        return "; ".join(member.why_empty() for member in self.members)

    def schedule(self, point: NDArray[np.int64]) -> Schedule:
        member = int(point[0])
        return self.members[member].schedule(point[1 : 1 + self._widths[member]])
