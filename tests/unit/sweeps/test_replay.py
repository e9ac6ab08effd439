from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from math import inf
from pathlib import Path

import numpy as np
import pytest

from autotune.errors import UsageError
from autotune.registry import EXPLORERS
from autotune.sweeps import space as spaces
from autotune.sweeps.base import Sweep
from autotune.sweeps.replay import NO_MODEL, replays
from autotune.sweeps.report import Quartiles, Replayed, Searches
from autotune.sweeps.space import SweepSpace
from tests.recordings import recorded

SWEEP = recorded()


def found(
    explorer: str, model: str = "xgboost", trials: int = 40, seeds: int = 2, sweep: Sweep = SWEEP
) -> list[Replayed]:
    return list(replays(SweepSpace(sweep), explorer, model, trials, range(seeds)))


def digests() -> str:
    """Of all explorers, with the model and without."""
    kinds = [(name, model) for name in EXPLORERS.names() for model in ("xgboost", NO_MODEL)]
    return " ".join(each.digest for kind in kinds for each in found(*kind))


def test_the_same_seed_gives_the_same_trials_in_another_process(root: Path) -> None:
    code = "from tests.unit.sweeps.test_replay import digests; print(digests())"
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": str(root)}
    answer = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=root, capture_output=True, text=True,
        timeout=120, check=True,
    )  # fmt: skip
    assert answer.stdout.strip() == digests()


@pytest.mark.parametrize("name", EXPLORERS.names())
@pytest.mark.parametrize("limit", [0, 4096])
def test_a_search_measures_as_many_points_as_asked_for_each_once(
    name: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spaces, "LIST_LIMIT", limit)
    first, second = found(name)
    for each in (first, second):
        assert len(each.rows) == len(set(each.rows)) == 40
    assert first.rows != second.rows


def test_a_listed_sweep_is_measured_to_its_end() -> None:
    (all_of_it,) = found("random", NO_MODEL, 10 * len(SWEEP), 1)
    assert sorted(all_of_it.rows) == list(range(len(SWEEP)))
    assert all_of_it.curve(SWEEP)[-1] == 1.0


def test_the_model_learns_from_what_was_recorded() -> None:
    """Where the only feature is the speed itself, the best is found at once."""
    told = {"speed": SWEEP.qualities.astype(np.float32)}
    knowing = replace(SWEEP, features=told)
    with_model = found("annealing", "xgboost", 60, 3, knowing)
    without = found("annealing", NO_MODEL, 60, 3, knowing)
    assert all(each.trials_to(knowing, 0.99) <= 40 for each in with_model)
    reached = [
        sum(each.curve(knowing)[40:].min() for each in kind) for kind in (with_model, without)
    ]
    assert reached[0] > reached[1]
    assert {note for each in without for note in each.notes} == set()


def test_a_sweep_of_failures_is_searched_all_the_same() -> None:
    bad = recorded(failing=0.97)
    (each,) = found("annealing", trials=100, seeds=1, sweep=bad)
    assert len(each.rows) == 100


def test_curve_and_trials_are_those_counted_by_hand() -> None:
    quality = SWEEP.qualities
    rows = tuple(np.argsort(quality)[[0, 100, 50, -1, 3]].tolist())
    each = Replayed(0, rows)
    best = 0.0
    by_hand = [best := max(best, quality[row]) for row in rows]
    assert each.curve(SWEEP).tolist() == by_hand
    assert each.trials_to(SWEEP, 0.99) == 4
    assert Replayed(0, rows[:3]).trials_to(SWEEP, 0.99) == inf


def test_summary_has_quartiles_over_the_seeds() -> None:
    best = int(SWEEP.qualities.argmax())
    worst = int(SWEEP.qualities.argmin())
    each = [Replayed(i, (worst,) * i + (best,)) for i in range(5)]
    searches = Searches(SWEEP, tuple(each))
    assert searches.trials()["trials_to_99"] == Quartiles(2.0, 3.0, 4.0)
    assert searches.curves.shape == (5, 5)
    assert searches.curves[:, -1].tolist() == [1.0] * 5
    assert searches.regrets() == {5: Quartiles(1.0, 1.0, 1.0)}


def test_regret_is_no_number_before_anything_worked() -> None:
    bad = SWEEP.failures.index("timeout")
    searches = Searches(SWEEP, (Replayed(0, (bad,) * 20 + (int(SWEEP.qualities.argmax()),)),))
    assert searches.regrets() == {16: Quartiles(inf, inf, inf), 21: Quartiles(1.0, 1.0, 1.0)}
    assert searches.to_dict()["regret"][0] == {
        "trials": 16,
        **dict.fromkeys(("q1", "median", "q3")),
    }


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 2.0, 3.0, 4.0, 5.0], (2.0, 3.0, 4.0)),
        ([7.0], (7.0, 7.0, 7.0)),
        ([1.0, 2.0, inf], (1.5, 2.0, inf)),
        ([1.0, inf, inf, inf], (inf, inf, inf)),
        ([1.0, 1.0, 1.0, inf], (1.0, 1.0, inf)),
    ],
)
def test_quartiles_beside_infinity(values: list[float], expected: tuple[float, ...]) -> None:
    quartiles = Quartiles.of(values)
    assert tuple(vars(quartiles).values()) == expected
    nulls = [value is None for value in quartiles.to_dict().values()]
    assert nulls == [value == inf for value in expected]


@pytest.mark.parametrize(
    ("explorer", "model", "trials", "seeds", "message"),
    [
        ("walk", "xgboost", 5, 1, "unknown explorer 'walk'; installed: annealing"),
        ("random", "oracle", 5, 1, "unknown cost model 'oracle'"),
        ("random", "none", 0, 1, "trials=0 is not allowed"),
        ("random", "none", 5, 0, "0 seeds are not allowed"),
    ],
)
def test_what_is_not_allowed_is_named(
    explorer: str, model: str, trials: int, seeds: int, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        found(explorer, model, trials, seeds)
