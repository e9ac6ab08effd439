"""What every explorer promises, whatever its search: one suite over all that the registry finds."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autotune.explorers.base import keys_of
from autotune.registry import EXPLORERS
from tests import spaces

ROOT = Path(__file__).parents[2]
BATCH = 16
BIG = spaces.SyntheticSpace()


def made(name, space, seed=0):
    return EXPLORERS.get(name)(space, np.random.default_rng(seed))


def speed_score(space):
    return lambda points: 1e-4 / space.seconds(points)


def batches(name, seed=3, rounds=4):
    """Batches with and without a score, speeds told in between."""
    explorer = made(name, BIG, seed)
    asked = []
    for turn in range(rounds):
        points = explorer.ask(BATCH, speed_score(BIG) if turn % 2 else None)
        explorer.tell(points, np.minimum(1e-4 / BIG.seconds(points), 1.0))
        asked.append(points)
    return asked


def fingerprint(name):
    return hashlib.sha256(np.concatenate(batches(name)).tobytes()).hexdigest()


@pytest.fixture(params=EXPLORERS.names())
def name(request):
    return request.param


def test_registry_finds_the_three():
    assert set(EXPLORERS.names()) >= {"annealing", "genetic", "random"}


def test_same_seed_gives_same_batches_in_a_fresh_process_with_another_hash_seed(name):
    code = (
        "from tests.contract.test_explorer_contract import fingerprint\n"
        f"print(fingerprint({name!r}))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": str(ROOT)}
    answer = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert answer.stdout.strip() == fingerprint(name)


def test_another_seed_gives_other_batches(name):
    assert not np.array_equal(batches(name, seed=1)[0], batches(name, seed=2)[0])


def test_a_batch_is_full_legal_and_never_repeats(name):
    asked = np.concatenate(batches(name, rounds=6))
    assert asked.shape == (6 * BATCH, len(BIG.extents))
    assert asked.dtype == np.int64
    assert len(set(keys_of(asked))) == len(asked)
    assert BIG._is_legal(asked).all()
    assert np.array_equal(BIG._canonical(asked), asked)


@pytest.mark.parametrize("with_score", [False, True])
def test_a_small_space_is_exhausted_exactly_then_empty(name, with_score):
    space = spaces.small()
    explorer = made(name, space)
    asked = []
    while len(points := explorer.ask(BATCH, speed_score(space) if with_score else None)):
        asked.append(points)
        explorer.tell(points, np.minimum(1e-4 / space.seconds(points), 1.0))
        assert len(asked) <= space.size
    found = np.concatenate(asked)
    assert sorted(keys_of(found)) == sorted(keys_of(space.all_points()))
    assert len(explorer.ask(BATCH, None)) == 0
    assert len(explorer.ask(BATCH, speed_score(space))) == 0


def test_points_told_but_never_asked_count_as_asked(name):
    """Those of a run that is gone on with."""
    space = spaces.small()
    every = space.all_points()
    known, left = every[::2], every[1::2]
    explorer = made(name, space)
    explorer.tell(known, np.minimum(1e-4 / space.seconds(known), 1.0))
    asked = []
    while len(points := explorer.ask(BATCH, None)):
        asked += keys_of(points)
    assert sorted(asked) == sorted(keys_of(left))


def test_points_told_between_two_asks_are_not_asked_after(name):
    space = spaces.small()
    explorer = made(name, space)
    first = explorer.ask(BATCH, None)
    explorer.tell(space.all_points(), np.ones(space.size))
    assert len(first) == BATCH
    assert len(explorer.ask(BATCH, None)) == 0


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("is_listed", [True, False])
def test_a_tiny_space_ends_after_its_points(name, count, is_listed):
    explorer = made(name, spaces.tiny(count, is_listed))
    score = speed_score(BIG)
    first = explorer.ask(BATCH, None)
    assert 1 <= len(first) <= count
    explorer.tell(first, np.ones(len(first)))
    rest = [explorer.ask(BATCH, score) for _ in range(count + 1)]
    assert len(first) + sum(map(len, rest)) == count
    assert len(rest[-1]) == 0


@pytest.mark.parametrize("is_listed", [True, False])
def test_a_space_without_legal_points_gives_an_empty_batch(name, is_listed):
    explorer = made(name, spaces.nothing_legal(is_listed))
    assert len(explorer.ask(BATCH, None)) == 0
    assert len(explorer.ask(BATCH, speed_score(BIG))) == 0


def test_all_zero_speeds_do_not_stop_it(name):
    explorer = made(name, BIG)
    for turn in range(4):
        points = explorer.ask(BATCH, speed_score(BIG) if turn % 2 else None)
        assert len(points) == BATCH
        explorer.tell(points, np.zeros(len(points)))


def test_it_never_waits_for_answers(name):
    explorer = made(name, BIG)
    asked = np.concatenate([explorer.ask(BATCH, None) for _ in range(4)])
    assert len(set(keys_of(asked))) == 4 * BATCH


def test_a_constant_score_still_moves(name):
    explorer = made(name, BIG)
    asked = [explorer.ask(BATCH, lambda points: np.full(len(points), 0.5)) for _ in range(4)]
    joined = np.concatenate(asked)
    assert len(set(keys_of(joined))) == 4 * BATCH
    assert (np.ptp(joined, axis=0) > 0).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_scores_that_are_no_numbers_are_survived(name, value):
    explorer = made(name, BIG)

    def score(points):
        scores = speed_score(BIG)(points)
        scores[::3] = value
        return scores

    assert len(explorer.ask(BATCH, score)) == BATCH


def test_speeds_that_are_no_speeds_never_rank_first(name):
    explorer = made(name, BIG)
    points = explorer.ask(BATCH, None)
    speeds = np.full(BATCH, 0.5)
    speeds[:3] = [np.nan, np.inf, -1.0]
    explorer.tell(points, speeds)
    assert len(explorer.ask(BATCH, speed_score(BIG))) == BATCH


def test_a_batch_of_none_or_one_is_honoured(name):
    explorer = made(name, BIG)
    assert len(explorer.ask(0, None)) == 0
    assert len(explorer.ask(1, None)) == 1
    assert len(explorer.ask(1, speed_score(BIG))) == 1


def test_scores_are_asked_in_large_batches(name):
    explorer = made(name, BIG)
    sizes = []

    def score(points):
        sizes.append(len(points))
        return speed_score(BIG)(points)

    for _ in range(3):
        points = explorer.ask(BATCH, score)
        explorer.tell(points, np.minimum(1e-4 / BIG.seconds(points), 1.0))
    if sizes:
        assert sum(sizes) / len(sizes) >= 128
        assert len(sizes) <= 60
