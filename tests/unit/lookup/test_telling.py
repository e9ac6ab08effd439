from __future__ import annotations

import importlib
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import autotune
from autotune.errors import PerformanceCliffWarning
from autotune.lookup import lookup, noting, telling
from autotune.ops.base import parse_workload
from autotune.store import misses
from autotune.store.db import open_cache
from autotune.trial import Workload
from tests.records import TARGET, WORKLOAD, made

MODULE = importlib.import_module("autotune.lookup")
SMALL, MIDDLE, LARGE = (parse_workload("matmul", f"m={m},n=48,k=16") for m in (8, 64, 512))


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "cache.sqlite")


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    MODULE._teller.clear()
    yield
    MODULE._answers.clear()
    MODULE._teller.clear()


def warned(path: str, *workloads: Workload, **options: Any) -> list[str]:
    """What lookups warn of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for workload in workloads:
            lookup(workload, target=TARGET, cache=path, **options)
    assert {w.category for w in caught} <= {PerformanceCliffWarning}
    return [str(w.message) for w in caught]


def program(root: Path, body: str, *flags: str, **environment: str) -> str:
    """What a process that runs this code writes to stderr."""
    code = (
        "import autotune, multiprocessing, os, sys\n"
        "def miss(*sizes):\n"
        "    for m in sizes:\n"
        "        autotune.lookup(autotune.matmul(m, 8, 8), target='x86-64-v3')\n"
    )
    done = subprocess.run(
        [sys.executable, *flags, "-c", code + body],
        cwd=root,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_first_miss_warns_at_once_and_no_other_does(path: str) -> None:
    (said,) = warned(path, WORKLOAD, WORKLOAD, SMALL, LARGE, WORKLOAD)
    assert f" {WORKLOAD.shape} for {TARGET.key} is not tuned (absent from the cache)" in said


def test_report_tells_the_others_once_worst_first(path: str) -> None:
    with open_cache(path) as cache:
        cache.put(made())
    warned(path, MIDDLE, *[SMALL] * 3, LARGE, WORKLOAD)
    text = autotune.report_cliffs()
    head, *lines, tail = text.split("\n  ")
    assert head.startswith("performance cliff: 3 of 4 shapes that were looked up are not tuned (1 ")
    assert [line.partition(" for ")[0] for line in lines] == [
        f"matmul {LARGE.shape}",
        f"matmul {SMALL.shape}",
    ]
    assert (
        ", 1 use, absent from the cache: expected to take about 1.5x the tuned time (1 to 3)"
        in (lines[0])
    )
    assert "; the nearest that is tuned differs in m (512, there 32): autotune run --op" in lines[0]
    assert ", 3 uses, " in lines[1]
    assert tail == (f"to tune them all: autotune run --misses --target {TARGET.key} --cache {path}")
    assert autotune.report_cliffs() == ""
    warned(path, SMALL)
    assert autotune.report_cliffs() == ""


def test_uses_outweigh_size(path: str) -> None:
    warned(path, WORKLOAD, LARGE, *[SMALL] * 100)
    lines = autotune.report_cliffs().split("\n  ")[1:-1]
    assert [SMALL.shape in lines[0], LARGE.shape in lines[1]] == [True, True]


def test_measured_gains_outweigh_size(path: str) -> None:
    small = parse_workload("batch_matmul", "b=1,m=16,n=48,k=16")
    gains = [
        made(
            parse_workload("batch_matmul", f"b=2,m={m},n=1,k=1"),
            speedup=200.0 + m,
            samples_s=(m * 1e-3,),
        )
        for m in (1, 2, 3)
    ]
    with open_cache(path) as cache:
        for record in gains:
            cache.put(record)
    warned(path, WORKLOAD, LARGE, small)
    lines = autotune.report_cliffs().split("\n  ")[1:-1]
    assert [small.shape in lines[0], LARGE.shape in lines[1]] == [True, True]
    assert "about 2e+02x the tuned time" in lines[0]


def test_long_report_is_cut_and_says_where_the_rest_is(path: str) -> None:
    shapes = [parse_workload("matmul", f"m={m},n=8,k=8") for m in range(1, 40)]
    assert len(warned(path, *shapes)) == 1
    lines = autotune.report_cliffs().split("\n  ")
    assert len(lines) == telling.MOST_LISTED + 3
    assert lines[-2] == f"and {38 - telling.MOST_LISTED} more: `autotune cache misses`"


def test_strict_misses_are_noted_and_not_told(path: str) -> None:
    for workload in (SMALL, LARGE):
        with pytest.raises(autotune.CacheMissError):
            lookup(workload, target=TARGET, cache=path, strict=True)
    assert autotune.report_cliffs() == ""
    assert {miss.count for miss in misses.read_all(path)} == {1}


def test_what_a_process_remembers_is_bounded(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "MAX_KEYS", 3)
    monkeypatch.setattr(noting, "MAX_KEYS", 3)
    with open_cache(path) as cache:
        tuned = [parse_workload("matmul", f"m={m},n=8,k=8") for m in range(101, 120)]
        for workload in tuned:
            cache.put(made(workload))
    warned(path, *(parse_workload("matmul", f"m={m},n=8,k=8") for m in range(1, 20)), *tuned)
    teller = MODULE._teller
    assert len(autotune.report_cliffs().split("\n  ")) == 2 + 2
    for kept in (teller._hits, teller._misses, teller._said, teller.notes.uses):
        assert len(kept) == 3


def test_process_ends_with_one_report(tmp_path: Path, root: Path) -> None:
    """F085, F088."""
    said = program(root, "miss(*range(1, 61))", AUTOTUNE_CACHE=str(tmp_path / "c"))
    assert said.count("PerformanceCliffWarning") == 2
    assert "60 of 60 shapes that were looked up are not tuned (1 told before)" in said
    assert "to tune them all: autotune run --misses --target x86-64-v3\n" in said


def test_process_that_missed_once_says_no_more(tmp_path: Path, root: Path) -> None:
    said = program(root, "miss(1, 1, 1)", AUTOTUNE_CACHE=str(tmp_path / "c"))
    assert said.count("performance cliff") == 1


def test_process_may_ask_instead_of_being_told(tmp_path: Path, root: Path) -> None:
    said = program(root, "miss(1, 2); autotune.report_cliffs()", AUTOTUNE_CACHE=str(tmp_path / "c"))
    assert said.count("performance cliff") == 1


def test_silenced_warnings_are_silent_at_the_end_too(tmp_path: Path, root: Path) -> None:
    quiet = ("-W", "ignore::UserWarning")
    assert program(root, "miss(1, 2)", *quiet, AUTOTUNE_CACHE=str(tmp_path / "c")) == ""
    assert len(misses.read_all(str(tmp_path / "c"))) == 2


def test_report_of_a_process_whose_warnings_are_errors_is_only_text(
    tmp_path: Path, root: Path
) -> None:
    body = "try: miss(1)\nexcept autotune.PerformanceCliffWarning: miss(2, 3)"
    said = program(root, body, "-W", "error::UserWarning", AUTOTUNE_CACHE=str(tmp_path / "c"))
    assert said.startswith("performance cliff: 3 of 3 ")
    assert "Traceback" not in said


@pytest.mark.parametrize("way", ["fork", "spawn"])
@pytest.mark.parametrize("parent_looks_up", [False, True])
def test_workers_of_one_build_tell_each_shape_once(
    tmp_path: Path, root: Path, way: str, parent_looks_up: bool
) -> None:
    """F085: untuned shapes, several workers that all meet all of them."""
    program_file = tmp_path / "build.py"
    program_file.write_text(
        "import autotune, multiprocessing\n"
        "def miss(*sizes):\n"
        "    for m in sizes:\n"
        "        autotune.lookup(autotune.matmul(m, 8, 8), target='x86-64-v3')\n"
        "if __name__ == '__main__':\n"
        f"    {'miss(1)' if parent_looks_up else 'autotune.lookup'}\n"
        f"    context = multiprocessing.get_context({way!r})\n"
        "    workers = [context.Process(target=miss, args=range(1, 16)) for _ in range(3)]\n"
        "    for worker in workers: worker.start()\n"
        "    for worker in workers: worker.join()\n"
    )
    environment = {
        **os.environ,
        "AUTOTUNE_CACHE": str(tmp_path / "c"),
        "PYTHONPATH": str(root),
    }
    done = subprocess.run(
        [sys.executable, str(program_file)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    said = done.stderr
    assert "Traceback" not in said
    assert said.count("is used, expected") == 1  # at once
    if way == "fork":
        assert said.count("that were looked up are not tuned") == 1
    # Ten are listed, the rest counted; the one told at once only where another process told it.
    listed = said.count("uses, absent") + said.count("use, absent")
    counted = sum(int(part.split()[1]) for part in said.split("\n  ") if part.startswith("and "))
    assert listed + counted == (15 if way == "fork" and not parent_looks_up else 14)
    total = sum(miss.count for miss in misses.read_all(str(tmp_path / "c")))
    assert total == 45 + parent_looks_up


def test_child_of_a_parent_that_is_gone_tells_itself(tmp_path: Path, root: Path) -> None:
    body = (
        "miss(1)\n"
        "first = os.getpid()\n"
        "if os.fork(): os._exit(0)\n"
        "while os.getppid() == first: pass\n"
        "miss(2)\n"
    )
    said = program(root, body, AUTOTUNE_CACHE=str(tmp_path / "c"))
    assert said.count("performance cliff") == 2
