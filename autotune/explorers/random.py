"""Uniform random points without repeats: the yardstick for every other explorer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autotune.explorers.base import SAMPLE_COUNT, Score, Unasked
from autotune.space.base import Points, Space


class RandomExplorer:
    """Proposes uniform random points; speeds and scores change nothing."""

    def __init__(self, space: Space, rng: np.random.Generator) -> None:
        self._rng = rng
        self._unasked = Unasked(space)
        self._drawn: Points | None = None

    def ask(self, count: int, score: Score | None) -> Points:
        if self._drawn is None or len(self._drawn) < count:
            drawn = self._unasked.draw(self._rng, max(count, SAMPLE_COUNT))
            kept = drawn[:0] if self._drawn is None else self._drawn
            self._drawn = self._unasked.only_new(np.concatenate([kept, drawn]))
        batch, self._drawn = self._drawn[:count], self._drawn[count:]
        return self._unasked.take(batch)

    def tell(self, points: Points, speeds: NDArray[np.float64]) -> None:
        if len(self._unasked.take_new(points)) and self._drawn is not None:
            self._drawn = self._unasked.only_new(self._drawn)


EXPLORER = RandomExplorer
