"""A genetic search over measured speeds: tournaments, crossover in the space, mutation.

Children come from measured parents. A score, where there is one, only chooses among children; it
never stands in for a measured speed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autotune.explorers.base import (
    SAMPLE_COUNT,
    Measured,
    Score,
    Unasked,
    scores_of,
    spread,
)
from autotune.space.base import Points, Space

POPULATION = 64
"""Fastest measured points that may become parents."""
MIN_PARENTS = 8
"""Below this many working points, batches are random and spread over the families."""
TOURNAMENT = 3
CHILDREN = 1024
MUTATION_RATE = 0.5
RANDOM_SHARE = 0.125


class GeneticExplorer:
    """Breeds the fastest measured points."""

    def __init__(self, space: Space, rng: np.random.Generator) -> None:
        self._space = space
        self._rng = rng
        self._unasked = Unasked(space)
        self._measured = Measured()
        self._asked_of: dict[int, int] = {}

    def ask(self, count: int, score: Score | None) -> Points:
        drawn = self._unasked.draw(self._rng, SAMPLE_COUNT)
        if not len(drawn) or count < 1:
            return drawn[:0]
        parents, speeds = self._measured.best(POPULATION)
        if len(parents) < MIN_PARENTS:
            chance = self._rng.random(len(drawn))
            rows = spread(self._space.family(drawn), chance, self._asked_of, count)
            return self._unasked.take(drawn[rows])
        children = self._unasked.only_new(self._breed(parents, speeds))
        if score is not None and len(children):
            order = np.lexsort((self._rng.random(len(children)), -scores_of(score, children)))
            children = children[order]
        random_count = max(1, round(RANDOM_SHARE * count)) if count > 1 else 0
        batch = np.concatenate([children[: count - random_count], drawn])
        return self._unasked.take(self._unasked.only_new(batch)[:count])

    def tell(self, points: Points, speeds: NDArray[np.float64]) -> None:
        self._unasked.take_new(points)
        self._measured.tell(points, speeds)

    def _breed(self, parents: Points, speeds: NDArray[np.float64]) -> Points:
        mothers = parents[self._tournaments(speeds)]
        fathers = parents[self._tournaments(speeds)]
        children = self._space.mix(mothers, fathers, self._rng)
        mutates = self._rng.random(len(children)) < MUTATION_RATE
        # A child equal to its mother would be a repeat: it mutates in any case.
        mutates |= (children == mothers).all(axis=1)
        children[mutates] = self._space.neighbours(children[mutates], self._rng)
        return children

    def _tournaments(self, speeds: NDArray[np.float64]) -> NDArray[np.int64]:
        """(CHILDREN,) rows of the winners; `best` sorts by speed, so the lowest row wins."""
        entrants = self._rng.integers(len(speeds), size=(CHILDREN, TOURNAMENT))
        return np.asarray(entrants.min(axis=1), dtype=np.int64)


EXPLORER = GeneticExplorer
