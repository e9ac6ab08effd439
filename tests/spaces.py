"""A synthetic space in memory: a few integer knobs and a rugged, structured speed function.

It compiles nothing. One structural family of eight holds the fast points, as on DESIGN's C12, and
illegal combinations, canonical points and a misleading optimum are there as in a real space.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from autotune.ir.schedule import Loop, Nest, Schedule

Points = NDArray[np.int64]

TILE, VECTORS, UNROLL, ORDER, BLOCK, FAMILY = range(6)
EXTENTS = (14, 6, 4, 6, 24, 8)
GOOD_FAMILY = 5
MOST_ACCUMULATORS = 27


@dataclass(frozen=True)
class SyntheticSpace:
    """`extents` values per knob; legal while tile * vectors fits the registers."""

    extents: tuple[int, ...] = EXTENTS
    is_listed: bool = False
    legal_limit: int = MOST_ACCUMULATORS
    is_exact: bool = True
    digest: str = "synthetic"
    size: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", len(self._every()))

    def _grid(self) -> Points:
        axes = [np.arange(extent) for extent in self.extents]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))

    def _every(self) -> Points:
        grid = self._grid()
        return np.unique(self._canonical(grid[self._is_legal(grid)]), axis=0)

    def _is_legal(self, points: Points) -> NDArray[np.bool_]:
        return (points[:, TILE] + 1) * (points[:, VECTORS] + 1) <= self.legal_limit

    def _canonical(self, points: Points) -> Points:
        """With a single block the loop order says nothing: it is 0."""
        plain = points.copy()
        plain[plain[:, BLOCK] == 0, ORDER] = 0
        return plain

    def sample(self, rng: np.random.Generator, count: int) -> Points:
        drawn = np.empty((0, len(self.extents)), dtype=np.int64)
        for _ in range(8):
            more = rng.integers(self.extents, size=(2 * count, len(self.extents)))
            drawn = np.concatenate([drawn, self._canonical(more[self._is_legal(more)])])
            if len(drawn) >= count:
                break
        return drawn[:count]

    def plain(self, count: int) -> Points:
        return np.empty((0, len(self.extents)), dtype=np.int64)

    def neighbours(self, points: Points, rng: np.random.Generator) -> Points:
        moved = points.copy()
        rows = np.arange(len(points))
        knob = rng.integers(len(self.extents), size=len(points))
        moved[rows, knob] += rng.choice([-2, -1, 1, 2], size=len(points))
        moved = np.clip(moved, 0, np.array(self.extents) - 1)
        legal = self._is_legal(moved)
        return np.where(legal[:, None], self._canonical(moved), points)

    def mix(self, a: Points, b: Points, rng: np.random.Generator) -> Points:
        mixed = np.where(rng.random(a.shape) < 0.5, a, b)
        return np.where(self._is_legal(mixed)[:, None], self._canonical(mixed), a)

    def family(self, points: Points) -> NDArray[np.int64]:
        return points[:, FAMILY].copy()

    def all_points(self) -> Points | None:
        return self._every() if self.is_listed else None

    def why_empty(self) -> str:
        return "a register tile of more vectors than registers: 100%"

    def schedule(self, point: NDArray[np.int64]) -> Schedule:
        steps = tuple(Loop(f"k{knob}", int(value) + 1) for knob, value in enumerate(point))
        return Schedule((Nest(steps, "k0", 16, ()),))

    def point(self, schedule: Schedule) -> NDArray[np.int64]:
        """The point that `schedule` was made from."""
        return np.array([loop.step - 1 for loop in schedule.nests[0].loops], dtype=np.int64)

    def bound(self, points: Points) -> NDArray[np.float64]:
        """Knows of register use only: within a family it points roughly the right way."""
        used = (points[:, TILE] + 1) * (points[:, VECTORS] + 1)
        return 1e-3 * MOST_ACCUMULATORS / used.astype(np.float64)

    def seconds(self, points: Points) -> NDArray[np.float64]:
        """(n,) what measuring would say, without noise; the best is about 0.1 ms."""
        used = (points[:, TILE] + 1) * (points[:, VECTORS] + 1) / MOST_ACCUMULATORS
        speed = 0.3 + 0.7 * used
        speed *= 1.0 - 0.1 * np.abs(points[:, UNROLL] - 2)
        speed *= 1.0 - 0.3 * np.abs(np.log2((points[:, BLOCK] + 1) / 9)) / 3.2
        speed *= np.where(points[:, FAMILY] == GOOD_FAMILY, 1.0, 0.6)
        ripple = np.sin(points @ np.array([3, 5, 7, 11, 2, 0][: points.shape[1]]))
        return 1e-4 / (speed * (1.0 + 0.05 * ripple))


def features(space: SyntheticSpace, points: Points) -> NDArray[np.float32]:
    """(n, 9) float32: the knobs and three products, as a real feature set would have."""
    used = (points[:, TILE] + 1) * (points[:, VECTORS] + 1)
    derived = np.stack([used, points[:, FAMILY] == GOOD_FAMILY, points[:, BLOCK] // 8], axis=1)
    return np.concatenate([points, derived], axis=1).astype(np.float32)


def tiny(count: int, is_listed: bool = True) -> SyntheticSpace:
    """A space of exactly `count` points (at most 14)."""
    return SyntheticSpace((count, 1, 1, 1, 1, 1), is_listed)


def small() -> SyntheticSpace:
    """A listed space of a few hundred points and two families."""
    return SyntheticSpace((6, 4, 2, 2, 3, 2), is_listed=True)


def nothing_legal(is_listed: bool = False) -> SyntheticSpace:
    """A space whose every point is refused."""
    return SyntheticSpace((14, 6, 4, 1, 1, 8), is_listed, legal_limit=0)
