from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bench_search
import numpy as np
import pytest

from autotune.sweeps import file
from autotune.sweeps.report import GOALS
from tests.recordings import recorded

SWEEP = recorded()


@pytest.fixture
def sweep(tmp_path: Path) -> str:
    path = tmp_path / "made.sweep.gz"
    file.write(SWEEP, path)
    return str(path)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither Optuna nor Kernel Tuner is installed."""
    monkeypatch.setattr(bench_search, "find_spec", lambda name: None)


@pytest.mark.usefixtures("alone")
def test_json_has_quartiles_of_every_search(sweep: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench_search.main([sweep, "--seeds", "3", "--trials", "30", "--json"]) == 0
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert list(told) == ["sweeps"]
    assert list(told["sweeps"]) == ["made"]
    searches = told["sweeps"]["made"]
    assert list(searches) == ["annealing+xgboost", "annealing", "genetic", "random"]
    for numbers in searches.values():
        assert numbers["seeds"] == 3
        for goal in GOALS:
            quartiles = numbers[goal]
            assert list(quartiles) == ["q1", "median", "q3"]
            ordered = [np.inf if value is None else value for value in quartiles.values()]
            assert ordered == sorted(ordered)
            assert ordered[0] >= 1
    assert "optuna is not installed: no TPE" in said.err
    assert "kernel-tuner is not installed" in said.err


@pytest.mark.usefixtures("alone")
def test_table_names_every_search(sweep: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench_search.main([sweep, "--seeds", "1", "--trials", "5"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[1].split()[0] == "made"
    assert [row.split()[0] for row in rows[2:]] == list(bench_search.OURS)


@pytest.mark.usefixtures("alone")
def test_quick_does_less_and_ends_in_time(
    sweep: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_search, "QUICK_S", 0.0)
    assert bench_search.main([sweep, sweep, sweep, "--quick", "--json"]) == 0
    searches = json.loads(capsys.readouterr().out)["sweeps"]["made"]
    assert {numbers["seeds"] for numbers in searches.values()} == {1}


@pytest.mark.usefixtures("alone")
def test_a_search_that_fails_ends_alone(
    sweep: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = bench_search.contenders

    def with_broken(*arguments: Any) -> Any:
        def broken(seed: int) -> Any:
            raise ValueError("no neighbours")

        return {"broken": broken, **usual(*arguments)}

    monkeypatch.setattr(bench_search, "contenders", with_broken)
    assert bench_search.main([sweep, "--seeds", "1", "--trials", "5", "--json"]) == 0
    said = capsys.readouterr()
    assert list(json.loads(said.out)["sweeps"]["made"]) == list(bench_search.OURS)
    assert "made: broken failed: ValueError: no neighbours" in said.err


def test_a_proposal_is_led_to_a_point_and_a_point_to_itself() -> None:
    for row in range(0, len(SWEEP), 9):
        assert bench_search._led(SWEEP, SWEEP.points[row].tolist()) == row
    rng = np.random.default_rng(0)
    counts = [len(values) for values in SWEEP.knobs.values()]
    led = {bench_search._led(SWEEP, rng.integers(counts).tolist()) for _ in range(500)}
    assert len(led) > 50
    # The first knob is kept as it was wanted.
    for first in (0, 1):
        row = bench_search._led(SWEEP, [first, *rng.integers(counts[1:]).tolist()])
        assert SWEEP.points[row, 0] == first


def test_tpe_measures_each_point_once_and_is_the_same_for_a_seed() -> None:
    pytest.importorskip("optuna")
    first = bench_search._tpe(SWEEP, 30, 1)
    assert len(set(first.rows)) == len(first.rows) == 30
    assert first.rows == bench_search._tpe(SWEEP, 30, 1).rows
    assert first.rows != bench_search._tpe(SWEEP, 30, 2).rows


@pytest.mark.parametrize("strategy", bench_search.STRATEGIES)
def test_strategies_search_the_sweep_and_are_the_same_for_a_seed(
    strategy: str, tmp_path: Path
) -> None:
    tuner = pytest.importorskip("kernel_tuner.interface")
    usual = tuner.Searchspace
    simulation = bench_search.Simulation(SWEEP, str(tmp_path))
    first = simulation.search(strategy, 40, 1)
    assert 10 <= len(first.rows) == len(set(first.rows)) <= 40
    assert first.rows == simulation.search(strategy, 40, 1).rows
    assert tuner.Searchspace is usual


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], "none.sweep.gz cannot be read: No such file or directory"),
        ([str(Path(__file__))], "it is not compressed with gzip"),
    ],
)
def test_bad_sweeps_end_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench_search.main(arguments) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert len(said.err.splitlines()) == 1
    assert said.out == ""


def test_without_any_sweep_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_search, "FOLDER", tmp_path)
    assert bench_search.main([]) == 2
    assert "there is no sweep in" in capsys.readouterr().err
    file.write(SWEEP, tmp_path / "made.sweep.gz")
    assert [sweep.name for sweep in bench_search._sweeps([])] == ["made"]
    assert [sweep.name for sweep in bench_search._sweeps(["made"])] == ["made"]


@pytest.mark.parametrize("arguments", [["--seeds", "0"], ["--trials", "none"]])
def test_bad_options_are_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        bench_search.main(arguments)
    assert caught.value.code == 2
