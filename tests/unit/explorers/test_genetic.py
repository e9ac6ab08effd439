from __future__ import annotations

import numpy as np

from autotune.explorers.genetic import GeneticExplorer
from tests import spaces

BIG = spaces.SyntheticSpace()


def speed(points):
    return np.minimum(1e-4 / BIG.seconds(points), 1.0)


def test_generations_get_faster_without_a_score():
    explorer = GeneticExplorer(BIG, np.random.default_rng(0))
    means = []
    for _ in range(12):
        points = explorer.ask(16, None)
        explorer.tell(points, speed(points))
        means.append(speed(points).mean())
    assert np.mean(means[-3:]) > 1.3 * means[0]


def test_a_score_only_picks_among_children():
    explorer = GeneticExplorer(BIG, np.random.default_rng(0))
    for _ in range(2):
        points = explorer.ask(16, None)
        explorer.tell(points, speed(points))
    usual = np.quantile(speed(BIG.sample(np.random.default_rng(1), 4096)), 0.95)
    assert (speed(explorer.ask(16, speed)) > usual).sum() >= 12
