from __future__ import annotations

import numpy as np

from autotune.explorers.random import RandomExplorer
from tests import spaces


def test_points_are_uniform_over_families():
    space = spaces.SyntheticSpace()
    explorer = RandomExplorer(space, np.random.default_rng(0))
    counts = np.bincount(space.family(explorer.ask(1600, None)), minlength=8)
    assert counts.min() > 140
    assert counts.max() < 260


def test_batch_larger_than_a_draw_is_served():
    explorer = RandomExplorer(spaces.SyntheticSpace(), np.random.default_rng(0))
    assert len(explorer.ask(3000, None)) > 2900
