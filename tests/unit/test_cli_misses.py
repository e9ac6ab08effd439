from __future__ import annotations

import json
import os
import signal
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from autotune.cli import app
from autotune.errors import MeasureError
from autotune.lookup import why
from autotune.ops.base import parse_workload
from autotune.store.db import open_cache
from autotune.store.misses import Miss, note
from autotune.store.record import utc_now
from autotune.trial import Workload
from tests.records import TARGET, made

SMALL, MIDDLE, LARGE = (parse_workload("matmul", f"m={m},n=8,k=8") for m in (8, 64, 512))
WORST_FIRST = [LARGE, MIDDLE, SMALL]


class FakeTune:
    """Stands for `tune.tune`: keeps a record, or fails on some shapes."""

    def __init__(self) -> None:
        self.calls: list[tuple[Workload, dict[str, Any]]] = []
        self.failing: set[Workload] = set()
        self.ends: dict[Workload, int] = {}

    def __call__(self, workload: Workload, **options: Any) -> Any:
        self.calls.append((workload, options))
        if workload in self.failing:
            raise MeasureError("workers cannot be started")
        stopped = "trials"
        if workload in self.ends:
            try:
                os.kill(os.getpid(), self.ends[workload])
                signal.pause()
            except KeyboardInterrupt:
                stopped = "interrupted"
        with open_cache(options["cache"]) as cache:
            cache.put(made(workload, target_key=options["target"], created=utc_now()))
        content = {
            "key": workload.key,
            "target": options["target"],
            "stopped": stopped,
            "kept": True,
            "best": {"seconds": 1e-3, "gflops": 10.0, "speedup": 2.0},
        }
        return types.SimpleNamespace(to_dict=lambda: content)


@pytest.fixture
def tune(monkeypatch: pytest.MonkeyPatch) -> FakeTune:
    fake = FakeTune()
    module = types.ModuleType("autotune.tune")
    module.tune = fake  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "autotune.tune", module)
    return fake


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A cache that remembers three misses of one target, and one of another."""
    path = str(tmp_path / "cache.sqlite")
    at = "2026-01-31T12:00:00Z"
    note(path, [Miss(TARGET.key, w, 1, at, at) for w in (SMALL, MIDDLE, LARGE)])
    note(path, [Miss("x86-64/baseline/t1", SMALL, 1, at, at)])
    return path


def run(path: str, *arguments: str, target: str = "x86-64-v3") -> Any:
    asked = ["run", "--misses", "--cache", path, "--target", target, *arguments]
    return CliRunner().invoke(app, asked)


def left(path: str) -> list[tuple[str, str]]:
    with open_cache(path) as cache:
        return [(miss["target"], miss["key"]) for miss in cache.misses()]


def test_every_miss_is_tuned_and_gone(tune: FakeTune, path: str) -> None:
    ended = run(path, "--json")
    told = json.loads(ended.stdout)
    assert ended.exit_code == 0
    assert [entry["key"] for entry in told["workloads"]] == [w.key for w in WORST_FIRST]
    assert told["estimated_speedup"] == 2.0
    assert told["seconds"] > 0
    assert left(path) == [("x86-64/baseline/t1", SMALL.key)]
    assert "left for another target: --target x86-64/baseline/t1" in ended.stderr
    for workload in WORST_FIRST:
        assert why(workload, target=TARGET, cache=path).hit.is_hit
    again = run(path, "--json")
    assert json.loads(again.stdout)["workloads"] == []
    assert "no lookup for this target missed anything" in again.stderr
    assert len(tune.calls) == 3


def test_options_go_to_every_run(tune: FakeTune, path: str) -> None:
    more = ["--trials", "7", "--seed", "3", "--timeout", "2", "--log", "l.jsonl", "--quiet"]
    assert run(path, *more).exit_code == 0
    for _, options in tune.calls:
        assert options == {
            "trials": 7,
            "budget_s": None,
            "target": TARGET.key,
            "cache": path,
            "log": "l.jsonl",
            "progress": None,
            "seed": 3,
            "timeout_s": 2.0,
        }


def test_budget_is_for_all(tune: FakeTune, path: str) -> None:
    assert run(path, "--budget", "30s").exit_code == 0
    shares = [options["budget_s"] for _, options in tune.calls]
    assert shares[0] == pytest.approx(10.0, abs=0.5)
    assert shares[2] == pytest.approx(30.0, abs=3)
    assert {options["trials"] for _, options in tune.calls} == {None}


def test_failure_of_one_is_told_and_exits_1(tune: FakeTune, path: str) -> None:
    tune.failing = {MIDDLE}
    ended = run(path, "--json")
    told = json.loads(ended.stdout)
    assert ended.exit_code == 1
    assert [entry.get("error") for entry in told["workloads"]] == [
        None,
        "workers cannot be started",
        None,
    ]
    assert f"error: {MIDDLE.key} for {TARGET.key}: workers cannot be started\n" in ended.stderr
    assert (TARGET.key, MIDDLE.key) in left(path)
    assert run(path, "--quiet").exit_code == 1


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_ends_all_with_the_work_kept(
    tune: FakeTune, path: str, number: int, code: int
) -> None:
    """F090."""
    tune.ends = {MIDDLE: number}
    ended = run(path, "--json")
    assert ended.exit_code == code
    assert [entry["key"] for entry in json.loads(ended.stdout)["workloads"]] == [
        LARGE.key,
        MIDDLE.key,
    ]
    assert (TARGET.key, SMALL.key) in left(path)


def test_summary_has_a_line_for_each(tune: FakeTune, path: str) -> None:
    tune.failing = {SMALL}
    shown = run(path).stdout
    assert f"2.00     {LARGE.key}" in shown
    assert "2 tuned in 0 s, 1 failed; all uses together 2.00x the default" in shown


def test_dry_run_tunes_nothing(tune: FakeTune, path: str) -> None:
    planned = json.loads(run(path, "--dry-run", "--json").stdout)["workloads"]
    assert [entry["key"] for entry in planned] == [w.key for w in WORST_FIRST]
    assert all(entry["space"]["size"] > 0 for entry in planned)
    assert LARGE.key in run(path, "--dry-run").stdout
    assert not tune.calls
    assert len(left(path)) == 4


@pytest.mark.parametrize(
    "more",
    [
        ["--op", "matmul"],
        ["--shape", "8x8x8"],
        ["--dtype", "float64"],
        ["--resume", "l.jsonl"],
        ["--tolerance", "8"],
        ["--budget", "never"],
        ["--threads", "0"],
    ],
)
def test_what_contradicts_exits_2(tune: FakeTune, path: str, more: list[str]) -> None:
    ended = run(path, *more)
    assert (ended.exit_code, ended.stdout, tune.calls) == (2, "", [])
    assert more[0].strip("-") in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_unknown_target_exits_2(tune: FakeTune, path: str) -> None:
    ended = run(path, target="x'; drop table records;--")
    assert (ended.exit_code, tune.calls) == (2, [])
    assert len(left(path)) == 4
