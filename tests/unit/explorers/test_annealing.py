from __future__ import annotations

import time

import numpy as np
import pytest

from autotune.explorers.annealing import RARE_COUNT, AnnealingExplorer
from tests import spaces

BIG = spaces.SyntheticSpace()


def speed(points):
    return 1e-4 / BIG.seconds(points)


def test_first_batch_is_spread_over_every_family():
    explorer = AnnealingExplorer(BIG, np.random.default_rng(0))
    families = BIG.family(explorer.ask(16, None))
    assert np.bincount(families, minlength=8).tolist() == [2] * 8


def test_first_batch_is_half_led_by_the_bound():
    explorer = AnnealingExplorer(BIG, np.random.default_rng(0))
    bounds = BIG.bound(explorer.ask(16, None))
    usual = np.median(BIG.bound(BIG.sample(np.random.default_rng(1), 4096)))
    assert (bounds[:8] <= bounds.min() * 1.1).all()
    assert np.median(bounds[8:]) > 0.5 * usual


class PlainSpace(spaces.SyntheticSpace):
    """A space that calls its ten points of lowest bound in one family plain."""

    def plain(self, count):
        points = self.sample(np.random.default_rng(7), 4096)
        points = np.unique(points[self.family(points) == 3], axis=0)
        return points[np.argsort(self.bound(points), kind="stable")[:10]]


def test_plain_points_come_first_and_once():
    space = PlainSpace()
    explorer = AnnealingExplorer(space, np.random.default_rng(0))
    first, second, third = (explorer.ask(16, None) for _ in range(3))
    plain = space.plain(10)
    assert first[:8].tolist() == plain[:8].tolist()
    assert second[:2].tolist() == plain[8:].tolist()
    asked = np.concatenate([first, second, third])
    assert len(np.unique(asked, axis=0)) == len(asked) == 48


def test_families_hardly_measured_keep_a_quota_against_the_score():
    explorer = AnnealingExplorer(BIG, np.random.default_rng(0))

    def score(points):
        return np.where(BIG.family(points) == 0, 1.0, 0.0)

    asked = np.concatenate([explorer.ask(16, score) for _ in range(12)])
    assert (np.bincount(BIG.family(asked), minlength=8) >= RARE_COUNT).all()


def test_most_of_a_guided_batch_is_what_the_score_prefers():
    explorer = AnnealingExplorer(BIG, np.random.default_rng(0))
    for _ in range(4):
        points = explorer.ask(16, speed)
        explorer.tell(points, np.minimum(speed(points), 1.0))
    usual = np.quantile(speed(BIG.sample(np.random.default_rng(1), 4096)), 0.99)
    assert (speed(explorer.ask(16, speed)) > usual).sum() >= 12


@pytest.mark.parametrize("seed", range(3))
def test_annealing_beats_the_same_count_of_random_points(seed):
    explorer = AnnealingExplorer(BIG, np.random.default_rng(seed))
    asked = np.concatenate([explorer.ask(16, speed) for _ in range(3)])
    chance = BIG.sample(np.random.default_rng(seed), 4 * 4096)
    assert speed(asked).max() > speed(chance).max() * 0.99


def test_chains_live_on_between_asks():
    explorer = AnnealingExplorer(BIG, np.random.default_rng(0))
    explorer.ask(16, speed)
    first = speed(explorer._chains).mean()
    for _ in range(3):
        explorer.ask(16, speed)
    assert speed(explorer._chains).mean() >= first * 0.98
    assert first > speed(BIG.sample(np.random.default_rng(1), 4096)).mean() * 1.2


@pytest.mark.timing
def test_one_ask_over_64_features_takes_less_than_half_a_second():
    from autotune.cost.xgboost import BoostedTrees

    def features(points):
        return np.tile(spaces.features(BIG, points), (1, 8))[:, :64].astype(np.float32)

    known = BIG.sample(np.random.default_rng(0), 256)
    model = BoostedTrees(seed=0)
    model.fit(features(known), speed(known) / speed(known).max(), np.zeros(256, dtype=np.int64))
    explorer = AnnealingExplorer(BIG, np.random.default_rng(0))
    start = time.perf_counter()
    explorer.ask(16, lambda points: model.predict_score(features(points)))
    assert time.perf_counter() - start < 0.5
