from __future__ import annotations

import importlib
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autotune.lookup import noting
from autotune.lookup.noting import Notes, Site
from autotune.ops.base import parse_workload
from autotune.store import misses
from autotune.store.db import open_cache
from tests.records import TARGET, WORKLOAD

MODULE = importlib.import_module("autotune.lookup")
OTHER = parse_workload("matmul", "m=8,n=8,k=8")
MISSES = (
    "import warnings, autotune\n"
    "warnings.simplefilter('ignore')\n"
    "def miss(m, path, times=1):\n"
    "    for _ in range(times):\n"
    "        autotune.lookup(autotune.matmul(m, 8, 8), target='x86-64-v3', cache=path)\n"
)


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "cache.sqlite")


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Notes]:
    """Notes that write only when they are told to."""
    monkeypatch.setattr(noting, "FLUSH_S", 1000.0)
    monkeypatch.setattr(noting, "FIRST_S", 1000.0)
    made = Notes(lambda: None)
    yield made
    if made._timer:
        made._timer.cancel()
    made.clear()


def counts(path: str) -> dict[str, int]:
    return {miss.workload.key: miss.count for miss in misses.read_all(path)}


def python(root: Path, code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MISSES + code],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""


def wait(condition: Callable[[], bool]) -> bool:
    end_s = time.monotonic() + 20
    while not condition() and time.monotonic() < end_s:
        time.sleep(0.02)
    return condition()


def test_miss_is_only_queued(path: str, notes: Notes) -> None:
    for _ in range(3):
        notes.add(path, TARGET.key, WORKLOAD)
    assert not os.path.exists(path)
    notes.flush()
    assert counts(path) == {WORKLOAD.key: 3}
    assert notes.uses == {Site(path, TARGET.key, WORKLOAD.key): 3}
    notes.flush()
    notes.add(path, TARGET.key, WORKLOAD)
    notes.flush()
    assert counts(path) == {WORKLOAD.key: 4}


def test_misses_are_written_a_moment_later(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noting, "FLUSH_S", 0.05)
    notes = Notes(lambda: None)
    for number in (1, 2, 3):
        notes.add(path, TARGET.key, WORKLOAD)
        assert wait(lambda: counts(path) == {WORKLOAD.key: number})  # noqa: B023


def test_long_queue_is_added_up_before_it_is_written(
    path: str, notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noting, "MAX_QUEUED", 10)
    for number in range(1000):
        notes.add(path, TARGET.key, WORKLOAD if number % 2 else OTHER)
        assert len(notes._queue) <= 11
    notes.flush()
    assert counts(path) == {WORKLOAD.key: 500, OTHER.key: 500}


def test_many_keys_are_counted_and_the_first_remembered(
    path: str, notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a process remembers is bounded; the store has them all."""
    monkeypatch.setattr(noting, "MAX_KEYS", 5)
    for m in range(1, 21):
        notes.add(path, TARGET.key, parse_workload("matmul", f"m={m},n=1,k=1"))
        notes.flush()
    assert len(notes.uses) == len(notes.fresh) == 5
    assert len(counts(path)) == 20


def test_threads_lose_none(path: str, notes: Notes) -> None:
    def work() -> None:
        for _ in range(200):
            notes.add(path, TARGET.key, WORKLOAD)
            notes.flush()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts(path) == {WORKLOAD.key: 600}


def test_where_no_thread_can_be_started_misses_are_written_at_once(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(timer: threading.Timer) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Timer, "start", refuse)
    notes = Notes(lambda: None)
    for _ in range(2):
        notes.add(path, TARGET.key, WORKLOAD)
    assert counts(path) == {WORKLOAD.key: 2}


def test_place_that_takes_nothing_is_no_error(tmp_path: Path, notes: Notes) -> None:
    (tmp_path / "file").write_text("text of somebody else")
    for location in (str(tmp_path / "file"), ""):
        notes.add(location, TARGET.key, WORKLOAD)
    notes.flush()
    assert set(notes.uses.values()) == {1}
    assert len(notes.fresh) == 2  # nobody else can tell of them


def test_process_that_ends_has_written_everything(path: str, root: Path) -> None:
    python(root, f"miss(1, {path!r}, 7); miss(2, {path!r})")
    assert sorted(counts(path).values()) == [1, 7]


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver", "os.fork"])
def test_child_writes_its_own_misses_and_not_its_parents(path: str, root: Path, way: str) -> None:
    file = Path(path).with_name("program.py")
    start = (
        f"    context = multiprocessing.get_context({way!r})\n"
        "    child = context.Process(target=miss, args=(2, PATH, 5))\n"
        "    child.start(); child.join(); assert child.exitcode == 0\n"
    )
    if way == "os.fork":
        start = (
            "    if not os.fork():\n"
            "        miss(2, PATH, 5); sys.exit()\n"
            "    assert os.wait()[1] == 0\n"
        )
    file.write_text(
        f"import multiprocessing, os, sys\n{MISSES}PATH = {path!r}\n"
        f"if __name__ == '__main__':\n    miss(1, PATH, 3)\n{start}    miss(1, PATH, 4)\n"
    )
    done = subprocess.run(
        [sys.executable, str(file)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert sorted(counts(path).values()) == [5, 7]


def test_workers_of_a_pool_that_is_terminated_have_written_all_but_the_last_second(
    path: str, root: Path
) -> None:
    code = (
        "import multiprocessing, time\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        f"    pool.starmap(miss, [(m, {path!r}) for m in range(1, 9)])\n"
        "    time.sleep(1.6)\n"
    )
    python(root, code)
    assert len(counts(path)) == 8


def test_misses_go_where_the_cache_was_wherever_the_process_goes(
    tmp_path: Path, root: Path
) -> None:
    for name in ("here", "there"):
        open_cache(tmp_path / name / "c").close()
    code = (
        f"import os; os.chdir({str(tmp_path / 'here')!r}); miss(1, 'c', 2)\n"
        f"os.chdir({str(tmp_path / 'there')!r}); miss(1, 'c', 3)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", MISSES + code],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert [*counts(str(tmp_path / "here" / "c")).values()] == [2]
    assert [*counts(str(tmp_path / "there" / "c")).values()] == [3]


def test_several_processes_at_once_lose_none(path: str, root: Path) -> None:
    """F074, F082: through the public function, on one new file."""
    code = MISSES + f"for m in range(1, 11): miss(m, {path!r}, m)"
    running = [subprocess.Popen([sys.executable, "-c", code], cwd=root) for _ in range(4)]
    assert [process.wait(60) for process in running] == [0] * 4
    assert sorted(counts(path).values()) == [4 * m for m in range(1, 11)]


def test_main_process_is_no_worker() -> None:
    assert not noting.is_worker()
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        assert pool.apply(noting.is_worker)
