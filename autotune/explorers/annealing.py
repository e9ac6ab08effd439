"""Simulated annealing on the cost model's score: many chains, all moved at once in NumPy.

Each step offers every chain several neighbours (and a crossover or two), draws one by its score and
accepts it as Metropolis would. A batch is the best new points the chains saw, a share of random
ones, and a few from structural families that were hardly measured. Without a score, half a batch
is plain points such as the default, as long as there are any; the rest is spread over the families,
half of it led by the space's analytic bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autotune.explorers.base import (
    SAMPLE_COUNT,
    Measured,
    Score,
    Unasked,
    keys_of,
    scores_of,
    spread,
)
from autotune.space.base import Points, Space

CHAINS = 128
STEPS = 2
"""In one ask; the chains go on in the next. Four times as many took as long as building 7 of the 16
candidates asked for, on cores that the builders need."""
TRIES = 8
"""Proposals a chain sees in one step: one scoring call covers 1,024 points, one ask 2,048."""
MIXES = 2
"""How many of the proposals are crossovers with another chain."""
HOT, COLD = 1.0, 0.1
"""Temperature at the first and last step, in standard deviations of the scores."""
GUIDED_SAMPLE_COUNT = 64
"""Random points where there is a score: starts for chains and the batch's random share. They are
taken from a draw of SAMPLE_COUNT, for to draw few costs nearly as much as to draw many."""
ELITE = 32
"""Chains restarted from the best measured points at each ask; as many restart at random."""
PLAIN_COUNT = 12
"""Plain points that are ever proposed as such. Source: on 3x3 layers of step 2 (AVX2) one of the
first dozen ran at 0.93 of peak, the best of 130 random ones at 0.78."""
RANDOM_SHARE = 0.125
RARE_SHARE = 0.125
"""Largest share of a batch that goes to families with fewer than RARE_COUNT measurements."""
RARE_COUNT = 3


class AnnealingExplorer:
    """Parallel simulated annealing; its chains live on between asks."""

    def __init__(self, space: Space, rng: np.random.Generator) -> None:
        self._space = space
        self._rng = rng
        self._unasked = Unasked(space)
        self._measured = Measured()
        self._chains: Points | None = None
        self._stock: Points | None = None
        """Random points that were drawn and not used yet."""
        self._asked_of: dict[int, int] = {}
        self._plain: Points | None = None

    def ask(self, count: int, score: Score | None) -> Points:
        drawn = self._drawn(GUIDED_SAMPLE_COUNT if score else SAMPLE_COUNT)
        if not len(drawn) or count < 1:
            return drawn[:0]
        batch = self._guided(drawn, count, score) if score else self._first(drawn, count)
        self._count(batch)
        return self._unasked.take(batch)

    def tell(self, points: Points, speeds: NDArray[np.float64]) -> None:
        self._count(self._unasked.take_new(points))
        self._measured.tell(points, speeds)

    def _count(self, points: Points) -> None:
        """Points of each family that were asked for."""
        if len(points):
            for family in self._space.family(points):
                self._asked_of[int(family)] = self._asked_of.get(int(family), 0) + 1

    def _drawn(self, count: int) -> Points:
        """About `count` random points never asked before; none where there are no more."""
        if self._unasked.is_listed:
            return self._unasked.draw(self._rng, count)
        left = None if self._stock is None else self._unasked.only_new(self._stock)
        if left is None or len(left) < count:
            left = self._unasked.draw(self._rng, SAMPLE_COUNT)
        self._stock = left[count:]
        return left[:count]

    def _first(self, drawn: Points, count: int) -> Points:
        """A batch without a model: plain points, then rare families, by bound and at random."""
        if self._plain is None:
            self._plain = self._space.plain(PLAIN_COUNT)
        plain = self._unasked.only_new(self._plain)[: count // 2]
        drawn = self._without(drawn, plain)
        families = self._space.family(drawn)
        taken = dict(self._asked_of)
        missing = count - len(plain)
        led = spread(families, self._space.bound(drawn), taken, (missing + 1) // 2)
        left = np.setdiff1d(np.arange(len(drawn)), led)
        chance = self._rng.random(len(left))
        rest = spread(families[left], chance, taken, missing - len(led))
        return np.concatenate([plain, drawn[led + [int(left[row]) for row in rest]]])

    def _without(self, points: Points, others: Points) -> Points:
        """The points that are not among the others."""
        known = set(keys_of(others))
        return points[[key not in known for key in keys_of(points)]]

    def _guided(self, drawn: Points, count: int, score: Score) -> Points:
        """The best new points seen, with the share of random and rare ones."""
        if self._unasked.is_listed:
            seen, scores = drawn, scores_of(score, drawn)
        else:
            seen, scores = self._anneal(drawn, score)
        rows = self._unasked.new_rows(seen)
        # Trees give many points the very same score: ties are broken by chance, not by order.
        order = np.lexsort((self._rng.random(len(rows)), -scores[rows]))
        best = seen[rows][order[:count]]
        random_count = max(1, round(RANDOM_SHARE * count)) if count > 1 else 0
        rare = self._rare(drawn, round(RARE_SHARE * count))
        head = self._unasked.only_new(np.concatenate([rare, best]))[: count - random_count]
        # Chance picks come from the whole draw; whatever is still missing, from the best.
        batch = np.concatenate([head, drawn[:random_count], best, drawn])
        return self._unasked.only_new(batch)[:count]

    def _rare(self, drawn: Points, count: int) -> Points:
        """Points of lowest bound from families that were hardly measured, rarest first.

        The bound ranks them, not the model, which has seen next to nothing of their kind.
        """
        families = self._space.family(drawn)
        few = [f for f in np.unique(families) if self._asked_of.get(int(f), 0) < RARE_COUNT]
        rows = np.flatnonzero(np.isin(families, few))
        if not len(rows) or count < 1:
            return drawn[:0]
        bounds = self._space.bound(drawn[rows])
        return drawn[rows[spread(families[rows], bounds, dict(self._asked_of), count)]]

    def _anneal(self, drawn: Points, score: Score) -> tuple[Points, NDArray[np.float64]]:
        """Moves every chain STEPS times; returns all points seen with their scores."""
        starts = self._starts(drawn)
        start_scores = scores_of(score, starts)
        chosen = self._chosen(len(drawn), start_scores)
        chains, current = starts[chosen], start_scores[chosen]
        seen, scores = [starts], [start_scores]
        rows = np.arange(CHAINS)
        for heat in np.geomspace(HOT, COLD, STEPS):
            offered = self._offers(chains)
            offered_scores = scores_of(score, offered)
            seen.append(offered)
            scores.append(offered_scores)
            temperature = heat * max(float(np.std(np.append(current, offered_scores))), 1e-12)
            table = offered_scores.reshape(CHAINS, TRIES)
            # Gumbel noise: each offer is drawn with probability proportional to exp(score / T).
            noise = self._rng.gumbel(size=table.shape)
            pick = np.argmax(table / temperature + noise, axis=1)
            gain = (table[rows, pick] - current) / temperature
            accepted = np.log(1.0 - self._rng.random(CHAINS)) <= gain
            chosen = offered.reshape(CHAINS, TRIES, -1)[rows, pick]
            chains = np.where(accepted[:, None], chosen, chains)
            current = np.where(accepted, table[rows, pick], current)
        self._chains = chains
        return np.concatenate(seen), np.concatenate(scores)

    def _starts(self, drawn: Points) -> Points:
        """What chains may start from: random points, the fastest measured, the old chains."""
        elite, _ = self._measured.best(ELITE)
        parts = [drawn, *([elite] if len(elite) else [])]
        return np.concatenate([*parts, *([] if self._chains is None else [self._chains])])

    def _chosen(self, drawn: int, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        """(CHAINS,) rows of the starts: the elite, as many random ones, the best old chains."""
        rows = np.arange(len(scores))
        old = len(scores) - (0 if self._chains is None else len(self._chains))
        ranked = rows[old:][np.argsort(-scores[old:], kind="stable")]
        pool = np.concatenate([rows[drawn:old], rows[: min(ELITE, drawn)], ranked, rows[:drawn]])
        return pool[np.arange(CHAINS) % len(pool)]

    def _offers(self, chains: Points) -> Points:
        """(chains * TRIES, knobs): neighbours of each chain, the last MIXES of them crossovers."""
        parents = np.repeat(chains, TRIES, axis=0)
        is_mix = np.arange(len(parents)) % TRIES >= TRIES - MIXES
        offered = parents.copy()
        offered[~is_mix] = self._space.neighbours(parents[~is_mix], self._rng)
        partners = chains[self._rng.integers(len(chains), size=int(is_mix.sum()))]
        offered[is_mix] = self._space.mix(parents[is_mix], partners, self._rng)
        return offered


EXPLORER = AnnealingExplorer
