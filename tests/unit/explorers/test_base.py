from __future__ import annotations

import numpy as np

from autotune.explorers.base import Measured, Unasked, spread
from tests import spaces


def rows(*values):
    return np.array(values, dtype=np.int64)


def test_measured_last_speed_of_a_point_counts():
    measured = Measured()
    measured.tell(rows([1, 2], [3, 4]), np.array([0.5, 1.0]))
    measured.tell(rows([3, 4], [5, 6]), np.array([0.25, 1.0]))
    points, speeds = measured.best(2)
    assert points.tolist() == [[5, 6], [1, 2]]
    assert speeds.tolist() == [1.0, 0.5]


def test_measured_best_leaves_failures_out():
    measured = Measured()
    assert len(measured.best(4)[0]) == 0
    measured.tell(rows([1, 2], [3, 4]), np.array([0.0, np.nan]))
    assert len(measured.best(4)[0]) == 0


def test_unasked_drops_repeats_within_and_across_batches():
    unasked = Unasked(spaces.tiny(3, is_listed=False))
    points = rows([0], [1], [0], [2])
    assert unasked.new_rows(points) == [0, 1, 3]
    unasked.take(points[:1])
    assert unasked.only_new(points).tolist() == [[1], [2]]


def test_unasked_draw_gives_up_after_bounded_rounds():
    space = spaces.nothing_legal()
    calls = []

    class Counting:
        def all_points(self):
            return None

        def sample(self, rng, count):
            calls.append(count)
            return space.sample(rng, count)

    assert len(Unasked(Counting()).draw(np.random.default_rng(0), 64)) == 0
    assert 1 <= len(calls) <= 20


def test_spread_serves_the_rarest_family_first_and_lowest_order_within():
    families = np.array([0, 0, 0, 1, 2])
    order = np.array([3.0, 1.0, 2.0, 9.0, 4.0])
    taken = {1: 1}
    assert spread(families, order, taken, 4) == [1, 4, 2, 3]
    assert taken == {0: 2, 1: 2, 2: 1}


def test_spread_ends_with_its_candidates():
    assert sorted(spread(np.array([0, 1]), np.zeros(2), {}, 10)) == [0, 1]
