from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autotune.explorers.base import keys_of
from autotune.registry import EXPLORERS
from autotune.sweeps import space as spaces
from autotune.sweeps.space import SweepSpace, features
from tests.recordings import recorded

SWEEP = recorded()
SPACE = SweepSpace(SWEEP)
POINTS = SWEEP.points


def differing(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a != b).sum(axis=1)


def test_samples_are_points_and_all_of_them_come() -> None:
    drawn = SPACE.sample(np.random.default_rng(0), 20 * len(POINTS))
    assert set(keys_of(drawn)) == set(keys_of(POINTS))


def test_steps_differ_in_one_knob_and_reach_every_point_that_does() -> None:
    rng = np.random.default_rng(0)
    row = 40
    expected = {r for r in range(len(POINTS)) if differing(POINTS[r : r + 1], POINTS[row])[0] == 1}
    assert len(expected) > 5
    rows = np.full(4000, row)
    assert set(SPACE._stepped(rows, rng).tolist()) == expected


def test_neighbours_are_other_points_of_the_sweep() -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(len(POINTS), size=3000)
    moved = SPACE.neighbours(POINTS[rows], rng)
    assert set(keys_of(moved)) <= set(keys_of(POINTS))
    assert (differing(moved, POINTS[rows]) > 0).all()
    same = SPACE.family(moved) == SPACE.family(POINTS[rows])
    assert (differing(moved, POINTS[rows])[same] <= 2).all()
    assert 0.05 < 1 - same.mean() < 0.5


def test_a_leap_leads_to_the_nearest_point_of_another_family() -> None:
    row = 0
    for family in set(SPACE.families.tolist()) - {int(SPACE.families[row])}:
        members = np.flatnonzero(SPACE.families == family)
        least = differing(POINTS[members], POINTS[row]).min()
        found = SPACE._near(row, family)
        assert SPACE.families[found] == family
        assert differing(POINTS[found][None], POINTS[row])[0] == least


def test_a_point_without_neighbours_stays() -> None:
    alone = replace(
        SWEEP, points=np.stack([np.arange(3)] * 2, axis=1), knobs={"a": (1, 2, 3), "b": (1, 2, 3)},
        first_ratios=np.ones(3), failures=("",) * 3, again={}, features={}, plain=(),
        families=np.zeros(0, np.int64), bounds=np.zeros(0),
    )  # fmt: skip
    space = SweepSpace(alone)
    moved = space.neighbours(alone.points, np.random.default_rng(0))
    assert np.array_equal(moved, alone.points)
    assert space.family(alone.points).tolist() == [0, 0, 0]
    assert space.bound(alone.points).tolist() == [0, 0, 0]


def test_mixing_gives_points_of_the_sweep_with_knobs_of_either_parent() -> None:
    rng = np.random.default_rng(2)
    a, b = SPACE.sample(rng, 2000), SPACE.sample(rng, 2000)
    mixed = SPACE.mix(a, b, rng)
    assert set(keys_of(mixed)) <= set(keys_of(POINTS))
    assert ((mixed == a) | (mixed == b)).all()
    assert differing(mixed, a).max() > 1


def test_what_was_recorded_of_points_is_given_back() -> None:
    rows = np.array([5, 0, 17])
    assert SPACE.family(POINTS[rows]).tolist() == SWEEP.families[rows].tolist()
    assert SPACE.bound(POINTS[rows]).tolist() == SWEEP.bounds[rows].tolist()
    assert np.array_equal(features(SPACE, POINTS[rows]), SWEEP.model_features[rows])
    assert SPACE.plain(1).tolist() == [POINTS[3].tolist()]
    assert len(SPACE.plain(9)) == 2


def test_every_point_has_a_schedule_of_its_own() -> None:
    assert len({SPACE.schedule(point).digest for point in POINTS}) == len(POINTS)


def test_a_large_sweep_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert np.array_equal(SPACE.all_points(), POINTS)
    monkeypatch.setattr(spaces, "LIST_LIMIT", len(POINTS) - 1)
    assert SPACE.all_points() is None


@pytest.mark.parametrize("name", EXPLORERS.names())
@pytest.mark.parametrize("limit", [0, 4096])
def test_every_explorer_asks_for_points_of_the_sweep_and_none_twice(
    name: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spaces, "LIST_LIMIT", limit)
    explorer = EXPLORERS.get(name)(SPACE, np.random.default_rng(0))
    asked: list[bytes] = []
    for turn in range(6):
        score = (lambda p: SWEEP.qualities[SPACE.rows(p)]) if turn % 2 else None
        points = explorer.ask(16, score)
        explorer.tell(points, SWEEP.qualities[SPACE.rows(points)])
        asked += keys_of(points)
    assert len(set(asked)) == len(asked) == 96
    assert set(asked) <= set(keys_of(POINTS))
