"""What an explorer is, and the bookkeeping every explorer needs: asked once, measured, spread.

The loop calls `ask` and `tell`; an explorer sees points, speeds and a score callable, never a cost
model, a schedule or a clock, so the same seed and answers give the same batches anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from autotune.space.base import Points, Space

Score = Callable[[Points], NDArray[np.float64]]
"""Scores of (n, knobs) points, higher is better. Calls cost milliseconds: pass many rows."""

SAMPLE_COUNT = 2048
"""Points drawn from the space when a batch needs random ones to choose from."""
EMPTY_ROUNDS = 8
"""Draws without a single new point after which a space counts as exhausted."""
STREAM = 1
"""Second half of an explorer's seed, so that no two parts share a stream of random numbers."""


def explorer_rng(seed: int, known: int = 0) -> np.random.Generator:
    """Chance for the explorer of a run that has so many trials already; none is drawn twice."""
    return np.random.default_rng([seed, STREAM, *([known] if known else [])])


class Explorer(Protocol):
    """Proposes points in batches and learns their speeds. Made from `(space, rng)`."""

    def ask(self, count: int, score: Score | None) -> Points:
        """At most `count` points that were never asked before; none once the space is exhausted.

        Args:
            count: points wanted.
            score: what the cost model thinks of points; None while there is no useful model.
        """

    def tell(self, points: Points, speeds: NDArray[np.float64]) -> None:
        """Speeds of points in [0, 1], 0 for a failure. The last speed told of a point counts.

        Points that were never asked for, as those of a run that is gone on with, count as asked.
        """


def scores_of(score: Score, points: Points) -> NDArray[np.float64]:
    """(n,) finite scores; whatever is no number ranks with the last."""
    scores = np.asarray(score(points), dtype=np.float64)
    is_number = np.isfinite(scores)
    lowest = float(scores[is_number].min()) if is_number.any() else 0.0
    return np.where(is_number, scores, lowest)


class Unasked:
    """The points of a space that were not proposed yet.

    Small spaces are listed once, so that every point is asked exactly once and the end is exact;
    of a large one only the points already asked are remembered.
    """

    def __init__(self, space: Space) -> None:
        self._space = space
        self._asked: set[bytes] = set()
        self._listed = space.all_points()

    @property
    def is_listed(self) -> bool:
        return self._listed is not None

    def new_rows(self, points: Points) -> list[int]:
        """Row numbers of the distinct points never asked before, in their order."""
        fresh: dict[bytes, int] = {}
        for row, key in enumerate(keys_of(points)):
            if key not in self._asked:
                fresh.setdefault(key, row)
        return list(fresh.values())

    def only_new(self, points: Points) -> Points:
        """The distinct points never asked before, in their order."""
        return points[self.new_rows(points)]

    def draw(self, rng: np.random.Generator, count: int) -> Points:
        """Up to `count` random new points; all that are left where the space is listed."""
        if self._listed is not None:
            left = self.only_new(self._listed)
            return left[rng.permutation(len(left))]
        found: list[Points] = []
        total = 0
        for _ in range(EMPTY_ROUNDS):
            sampled = self._space.sample(rng, count)
            drawn = self.only_new(sampled)
            found.append(drawn)
            total += len(drawn)
            # A space that found nothing legal has already tried its own number of rounds.
            if total or not len(sampled):
                break
        return self.only_new(np.concatenate(found))

    def take(self, points: Points) -> Points:
        """Marks these new, distinct points as asked and returns them."""
        self._asked.update(keys_of(points))
        return points

    def take_new(self, points: Points) -> Points:
        """Marks all these points as asked and returns the distinct ones that were not."""
        return self.take(self.only_new(points))


class Measured:
    """The points told so far with their latest speeds, in the order first told."""

    def __init__(self) -> None:
        self._row_of: dict[bytes, int] = {}
        self._points: list[NDArray[np.int64]] = []
        self._speeds: list[float] = []

    def tell(self, points: Points, speeds: NDArray[np.float64]) -> None:
        for key, point, speed in zip(keys_of(points), points, speeds, strict=True):
            row = self._row_of.setdefault(key, len(self._points))
            if row == len(self._points):
                self._points.append(np.array(point, dtype=np.int64))
                self._speeds.append(0.0)
            # What is no speed is a failure: it must never rank first.
            self._speeds[row] = float(speed) if 0.0 < speed <= 1.0 else 0.0

    def best(self, count: int) -> tuple[Points, NDArray[np.float64]]:
        """The fastest `count` points that worked, fastest first, with their speeds."""
        speeds = np.array(self._speeds, dtype=np.float64)
        order = np.argsort(-speeds, kind="stable")[:count]
        rows = [int(row) for row in order if speeds[row] > 0]
        if not rows:
            return np.empty((0, 0), dtype=np.int64), speeds[:0]
        return np.array([self._points[row] for row in rows]), speeds[rows]


def keys_of(points: Points) -> list[bytes]:
    """One hashable key a row, equal if and only if the rows are."""
    rows = np.ascontiguousarray(points, dtype=np.int64)
    return [row.tobytes() for row in rows]


def spread(
    families: NDArray[np.int64], order: NDArray[np.float64], taken: dict[int, int], count: int
) -> list[int]:
    """Rows chosen one at a time from the family least often taken, lowest `order` first.

    Args:
        families: (n,) family of each candidate.
        order: (n,) rank within a family, lower is sooner.
        taken: family -> how often it was taken so far; updated.
        count: rows wanted.
    """
    queues: dict[int, list[int]] = {}
    for row in np.argsort(order, kind="stable"):
        queues.setdefault(int(families[row]), []).append(int(row))
    chosen: list[int] = []
    while queues and len(chosen) < count:
        # Of families equally rare, the one whose next candidate promises most.
        family = min(queues, key=lambda f: (taken.get(f, 0), order[queues[f][0]], f))
        chosen.append(queues[family].pop(0))
        taken[family] = taken.get(family, 0) + 1
        if not queues[family]:
            del queues[family]
    return chosen
