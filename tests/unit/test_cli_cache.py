from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from autotune.cli import app
from autotune.ir.default import default_schedule
from autotune.ops.base import contraction, parse_workload
from autotune.store.db import open_cache
from autotune.store.record import Record
from autotune.targets.detect import resolve

TARGET = resolve("x86-64-v3")


def record(op: str, shape: str, seconds: float = 1e-3) -> Record:
    """A tuned record as a run would leave it."""
    workload = parse_workload(op, shape)
    return Record(
        target_key=TARGET.key,
        workload=workload,
        schedule=default_schedule(contraction(workload), TARGET),
        seconds=seconds,
        samples_s=(seconds, seconds),
        baseline_seconds=2e-3,
        speedup=2e-3 / seconds,
        speedup_interval=(1.5, 2.5),
        gflops=10.0,
        error_units=1.0,
        trials=8,
        seed=0,
        llvm="22.1.0",
        codegen=1,
        version="0.1.0",
        machine="a machine",
        created="2026-01-31T12:00:00Z",
    )


@pytest.fixture
def cache(tmp_path: Path) -> str:
    path = str(tmp_path / "cache.db")
    with open_cache(path) as opened:
        opened.put(record("matmul", "m=8,n=16,k=4"))
        opened.put(record("matmul", "m=8,n=16,k=4", seconds=5e-4))
        opened.put(record("matmul", "m=8,n=32,k=4"))
        opened.put(record("conv2d", "c=16,h=8,k=16,r=3,pad=1"))
    return path


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["cache", *arguments])


def test_list_has_the_fields_that_the_contract_names(cache: str) -> None:
    entries = json.loads(invoke("list", "--cache", cache, "--json").stdout)["entries"]
    names = "key target op shape seconds gflops speedup schedule digest verified stale created"
    assert len(entries) == 4
    assert all(name in entry for entry in entries for name in names.split())


def test_list_shows_one_operator_on_request(cache: str) -> None:
    shown = invoke("list", "--cache", cache, "--op", "conv2d").stdout.splitlines()
    assert len(shown) == 2
    assert "conv2d/" in shown[1]


def test_list_of_a_cache_that_is_not_there_exits_1_and_makes_none(tmp_path: Path) -> None:
    missing = tmp_path / "none.db"
    ended = invoke("list", "--cache", str(missing))
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr.startswith("error: cache ")
    assert not missing.exists()


def test_show_takes_any_part_of_a_key_and_prints_the_best_record(cache: str) -> None:
    shown = json.loads(invoke("show", "n=16,k=4", "--cache", cache, "--json").stdout)
    assert shown["seconds"] == 5e-4
    assert shown["as"] == "nest"
    assert shown["text"].rstrip() in invoke("show", "n=16,k=4", "--cache", cache).stdout


@pytest.mark.parametrize(("form", "mark"), [("ir", "define "), ("asm", "ret")])
def test_show_prints_what_the_compiler_makes(cache: str, form: str, mark: str) -> None:
    ended = invoke("show", "conv2d", "--cache", cache, "--as", form)
    assert ended.exit_code == 0
    assert mark in ended.stdout


def test_show_of_several_exits_2_and_names_them(cache: str) -> None:
    ended = invoke("show", "matmul", "--cache", cache)
    assert ended.exit_code == 2
    assert ended.stderr.startswith("error: 2 records match 'matmul': matmul/m=8,n=16")
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("more", [["nothing"], ["conv2d", "--target", "arm"], ["x", "--as", "c"]])
def test_show_of_what_does_not_exist_exits_2(cache: str, more: list[str]) -> None:
    assert invoke("show", "--cache", cache, *more).exit_code == 2


def test_export_then_import_keeps_every_record_and_adds_none_twice(
    cache: str, tmp_path: Path
) -> None:
    file, other = str(tmp_path / "f.jsonl"), str(tmp_path / "other.db")
    assert json.loads(invoke("export", file, "--cache", cache, "--json").stdout)["exported"] == 4
    assert invoke("export", file, "--cache", cache).stdout.startswith("4 records")
    taken = json.loads(invoke("import", file, "--cache", other, "--json").stdout)
    assert (taken["added"], taken["known"], taken["bad"]) == (4, 0, [])
    again = invoke("import", file, "--cache", other)
    assert (again.exit_code, again.stdout.split()[0]) == (0, "0")


def test_import_of_a_damaged_file_takes_the_rest_and_exits_1(cache: str, tmp_path: Path) -> None:
    file, other = tmp_path / "f.jsonl", str(tmp_path / "other.db")
    invoke("export", str(file), "--cache", cache)
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([*lines[:2], "{broken", *lines[3:]]), encoding="utf-8")
    ended = invoke("import", str(file), "--cache", other, "--json")
    assert ended.exit_code == 1
    assert json.loads(ended.stdout)["added"] == 3


def test_import_of_no_file_exits_2(tmp_path: Path) -> None:
    ended = invoke("import", str(tmp_path / "none"), "--cache", str(tmp_path / "c.db"))
    assert ended.exit_code == 2
    assert ended.stderr.startswith("error: file ")


def test_stale_record_is_shown_as_such(tmp_path: Path) -> None:
    path = str(tmp_path / "c.db")
    with open_cache(path) as opened:
        opened.put(replace(record("matmul", "m=8,n=16,k=4"), codegen=0))
    assert "stale" in invoke("list", "--cache", path).stdout
