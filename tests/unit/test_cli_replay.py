"""`autotune replay`, on a sweep that is made in code."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from autotune.cli import app
from autotune.sweeps import file, picture
from tests.recordings import recorded

SWEEP = recorded()


@pytest.fixture
def sweep(tmp_path: Path) -> str:
    path = tmp_path / "made.sweep.gz"
    file.write(SWEEP, path)
    return str(path)


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["replay", *arguments])


def test_json_has_every_search_with_quartiles_and_seeds(sweep: str) -> None:
    done = invoke(
        sweep, "--explorer", "random", "--explorer", "annealing", "--cost-model", "none",
        "--trials", "30", "--seeds", "3", "--seed", "5", "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["sweep"] == "made"
    assert told["points"] == len(SWEEP)
    assert told["best_known"]["ratio"] == pytest.approx(SWEEP.best_ratio, rel=1e-5)
    assert [each["explorer"] for each in told["searches"]] == ["random", "annealing"]
    for each in told["searches"]:
        assert each["cost_model"] == "none"
        assert set(each["trials_to_95"]) == {"q1", "median", "q3"}
        assert [one["trials"] for one in each["regret"]] == [16, 30]
        assert all(one["q1"] is None or one["q1"] >= 1 for one in each["regret"])
        assert [one["seed"] for one in each["seeds"]] == [5, 6, 7]
        assert all(one["trials"] == 30 for one in each["seeds"])


def test_the_same_command_says_the_same(sweep: str) -> None:
    arguments = (sweep, "--trials", "30", "--seeds", "2", "--json")
    assert invoke(*arguments).stdout == invoke(*arguments).stdout


def test_table_has_a_line_for_each_explorer_and_model(sweep: str) -> None:
    done = invoke(sweep, "--trials", "20", "--seeds", "2", "--cost-model", "none",
                  "--cost-model", "xgboost")  # fmt: skip
    assert done.exit_code == 0, done.stderr
    first, heads, *rows = done.stdout.splitlines()
    assert first.startswith(f"made: {len(SWEEP)} points, best known ")
    assert heads.split()[:2] == ["explorer", "model"]
    assert [row.split()[:2] for row in rows] == [["annealing", "none"], ["annealing", "xgboost"]]


@pytest.mark.parametrize("kind", picture.KINDS)
def test_picture_is_drawn(sweep: str, tmp_path: Path, kind: str) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / f"curves{kind}"
    done = invoke(sweep, "--trials", "5", "--seeds", "2", "--cost-model", "none",
                  "--picture", str(path))  # fmt: skip
    assert done.exit_code == 0, done.stderr
    head = path.read_bytes()[:100]
    assert head.startswith(b"\x89PNG") if kind == ".png" else b"<?xml" in head


def test_without_matplotlib_a_picture_is_refused_in_one_line(
    sweep: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = invoke(sweep, "--picture", "curves.svg")
    assert done.exit_code == 2
    assert done.stderr.startswith("error: matplotlib is not installed, and --picture needs it")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-300])


def of_another_version(path: Path) -> None:
    content = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(content.replace(b'"sweep_version":1', b'"sweep_version":2')))


def foreign(path: Path) -> None:
    path.write_text("{}\n")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (cut, "it is cut or damaged"),
        (of_another_version, "version 2 is not known; allowed: 1"),
        (foreign, "is no recorded sweep, no cache file of Kernel Tuner and no T4 results"),
        (Path.unlink, "cannot be read: No such file or directory"),
    ],
)
def test_bad_sweeps_end_in_one_line(sweep: str, spoil: Any, said: str) -> None:
    spoil(Path(sweep))
    done = invoke(sweep, "--json")
    assert done.exit_code == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: sweep {sweep}")
    assert said in line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--explorer", "walk"), "unknown explorer 'walk'"),
        (("--cost-model", "oracle"), "unknown cost model 'oracle'"),
        (("--picture", "curves.bmp"), "curves.bmp is not allowed; allowed: a name in .svg, .png"),
        (("--seeds", "0"), "greater than or equal to 1, not '0'"),
        (("--trials", "none"), "a valid integer"),
    ],
)
def test_bad_options_end_in_one_line(sweep: str, arguments: tuple[str, ...], said: str) -> None:
    done = invoke(sweep, *arguments)
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert said in line
