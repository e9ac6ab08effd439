"""A recorded sweep as a search space: its points are all there are, its table says who is near.

Explorers, the cost model and the loop use it as any other space. A neighbour differs in one knob or
two; now and then it is the nearest point of another family, for such points have too little in
common to be a knob apart.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autotune.ir.schedule import Loop, Nest, Schedule
from autotune.space.base import Choice, Points
from autotune.sweeps.base import Sweep

LIST_LIMIT = 4096
"""As in other spaces: a smaller one is listed, so that it is asked to its end."""
SECOND_SHARE = 0.4
"""Of neighbours, those that differ in a second knob, as in a generated space."""

Rows = NDArray[np.int64]


class SweepSpace:
    """The points of a sweep; see `space.base.Space`."""

    knobs: dict[str, tuple[Choice, ...]] = {}  # noqa: RUF012 (never written to)
    """None: no file can narrow what was recorded."""
    is_exact = True

    def __init__(self, sweep: Sweep) -> None:
        self.sweep = sweep
        self.size, self.digest = len(sweep), sweep.digest
        self._row_of = {key: row for row, key in enumerate(_keys(sweep.points))}
        self._nearest: dict[tuple[int, int], int] = {}
        self._row_of_digest: dict[str, int] = {}

    def rows(self, points: Points) -> Rows:
        """(n,) rows of points of this space."""
        return np.array([self._row_of[key] for key in _keys(points)], np.int64)

    @cached_property
    def families(self) -> Rows:
        """(points,) structural family by row."""
        families = self.sweep.families
        return families if len(families) else np.zeros(self.size, np.int64)

    @cached_property
    def _members(self) -> dict[int, Rows]:
        """Rows by family."""
        return {int(f): np.flatnonzero(self.families == f) for f in np.unique(self.families)}

    @cached_property
    def _lines(self) -> tuple[Rows, Rows, Rows, Rows]:
        """By knob and row: which points differ in that knob alone.

        They are the `count` entries of `order` from `start` on, by the knob's value; the point
        itself is at `place` among them.
        """
        shape = (len(self.sweep.knobs), self.size)
        start, count, place, order = (np.zeros(shape, np.int64) for _ in range(4))
        for knob in range(shape[0]):
            others = np.delete(self.sweep.points, knob, axis=1)
            _, line = np.unique(others, axis=0, return_inverse=True)
            order[knob] = np.lexsort((self.sweep.points[:, knob], line))
            sizes = np.bincount(line)
            starts = np.cumsum(sizes) - sizes
            start[knob], count[knob] = starts[line], sizes[line]
            place[knob, order[knob]] = np.arange(self.size) - starts[line[order[knob]]]
        return start, count, place, order

    def sample(self, rng: np.random.Generator, count: int) -> Points:
        return self.sweep.points[rng.integers(self.size, size=count)]

    def plain(self, count: int) -> Points:
        return self.sweep.points[list(self.sweep.plain[:count])]

    def neighbours(self, points: Points, rng: np.random.Generator) -> Points:
        rows = self.rows(points)
        moved = self._stepped(rows, rng)
        again = rng.random(len(rows)) < SECOND_SHARE
        twice = self._stepped(moved, rng)
        # A second step may lead back.
        moved = np.where(again & (twice != rows), twice, moved)
        if len(self._members) > 1:
            leap = np.flatnonzero(rng.random(len(rows)) < 1 / len(self.sweep.knobs))
            moved[leap] = self._leapt(rows[leap], rng)
        return self.sweep.points[moved]

    def _stepped(self, rows: Rows, rng: np.random.Generator) -> Rows:
        """Points that differ in one knob: by a step along its values, or by any."""
        start, count, place, order = self._lines
        knob = np.argmax((count[:, rows] > 1) * rng.random((len(count), len(rows))), axis=0)
        size, now = count[knob, rows], place[knob, rows]
        step = now + rng.choice([-1, 1], size=len(rows))
        step = np.where((step < 0) | (step >= size), 2 * now - step, step)
        far = (now + rng.integers(1, np.maximum(size, 2))) % size
        there = np.where(rng.random(len(rows)) < 0.5, step, far)
        moved = order[knob, start[knob, rows] + np.minimum(np.maximum(there, 0), size - 1)]
        return np.asarray(np.where(size > 1, moved, rows))

    def _leapt(self, rows: Rows, rng: np.random.Generator) -> Rows:
        """The nearest points of other families, which are drawn."""
        names = sorted(self._members)
        own = np.searchsorted(names, self.families[rows])
        drawn = (own + rng.integers(1, len(names), size=len(rows))) % len(names)
        return np.array(
            [self._near(int(row), names[there]) for row, there in zip(rows, drawn, strict=True)],
            np.int64,
        )

    def _near(self, row: int, family: int) -> int:
        """The first point of a family that differs from a row in the fewest knobs."""
        if (row, family) not in self._nearest:
            members, points = self._members[family], self.sweep.points
            differing = (points[members] != points[row]).sum(axis=1)
            self._nearest[row, family] = int(members[np.argmin(differing)])
        return self._nearest[row, family]

    def mix(self, a: Points, b: Points, rng: np.random.Generator) -> Points:
        mixed = np.where(rng.random(a.shape) < 0.5, a, b)
        known = [key in self._row_of for key in _keys(mixed)]
        return np.where(np.array(known, np.bool_)[:, None], mixed, a)

    def family(self, points: Points) -> NDArray[np.int64]:
        return self.families[self.rows(points)]

    def all_points(self) -> Points | None:
        return self.sweep.points.copy() if self.size <= LIST_LIMIT else None

    def why_empty(self) -> str:
        return "nothing: every point of a sweep is legal"

    def bound(self, points: Points) -> NDArray[np.float64]:
        """(n,) as recorded; where nothing is known of bounds, all alike."""
        rows, bounds = self.rows(points), self.sweep.bounds
        return bounds[rows] if len(bounds) else np.zeros(len(rows))

    def schedule(self, point: NDArray[np.int64]) -> Schedule:
        """What stands for a point in the loop, which knows schedules by digest; never lowered."""
        names = [f"k{column}" for column in range(len(point))]
        loops = tuple(Loop(name, int(place) + 1) for name, place in zip(names, point, strict=True))
        made = Schedule((Nest(loops, names[0], 1, ()),))
        self._row_of_digest[made.digest] = self._row_of[_keys(point[None])[0]]
        return made

    def row_of(self, schedule: Schedule) -> int:
        """The row of a point that `schedule` was asked about."""
        return self._row_of_digest[schedule.digest]


def features(space: SweepSpace, points: Points) -> NDArray[np.float32]:
    """(n, f) float32 features of points: recorded ones, or their knobs."""
    return space.sweep.model_features[space.rows(points)]


def _keys(points: Points) -> list[bytes]:
    rows = np.ascontiguousarray(points, dtype=np.int64)
    return [row.tobytes() for row in rows]
