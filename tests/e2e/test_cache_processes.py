"""Many processes on one cache that none of them has made yet: no error, and nothing is lost.

Also F074, F076, F082.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import time
from contextlib import closing
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from autotune.ops.base import parse_workload
from autotune.store import paths
from autotune.store.db import Cache
from tests.postgres import Server
from tests.records import made, missed

OTHER = parse_workload("matmul", "m=8,n=8,k=8")
"""What is missed, and never tuned."""
SPAWN = multiprocessing.get_context("spawn")
WAIT_S = 300.0


def write(location: str, first: int, count: int, together: Barrier) -> None:
    """Open a cache at the same moment as everybody else, and put so many records there."""
    together.wait(WAIT_S)
    with Cache(location) as cache:
        for number in range(first, first + count):
            assert cache.put(made(seed=number))
            cache.note_misses([missed(OTHER)])


def all_write(location: str, processes: int, rows: int) -> None:
    together = SPAWN.Barrier(processes)
    places = range(0, processes * rows, rows)
    workers = [SPAWN.Process(target=write, args=(location, n, rows, together)) for n in places]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(WAIT_S)
    assert [worker.exitcode for worker in workers] == [0] * processes
    with Cache(location) as cache:
        assert {record.seed for record in cache.entries()} == set(range(processes * rows))
        found = cache._select("SELECT count FROM misses", {})
        assert [row["count"] for row in found] == [processes * rows]
    if paths.is_file(location):
        with closing(sqlite3.connect(location)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_processes_that_make_and_fill_one_cache_lose_nothing(location: str) -> None:
    all_write(location, processes=4, rows=25)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(30))
def test_sixteen_processes_lose_nothing(tmp_path: Path, number: int) -> None:
    all_write(str(tmp_path / f"{number}.sqlite"), processes=16, rows=200)


@pytest.mark.slow
def test_sixteen_processes_lose_nothing_on_a_server(server: Server) -> None:
    for _ in range(3):
        all_write(server.new_database(), processes=16, rows=200)


def import_all(location: str, file: str, ready: Barrier) -> None:
    with Cache(location) as cache:
        ready.wait(WAIT_S)
        cache.import_(file)


def test_import_that_is_killed_has_added_all_or_nothing(location: str, tmp_path: Path) -> None:
    count = 400
    file = str(tmp_path / "f.jsonl")
    with Cache(tmp_path / "from.sqlite") as source:
        source._add(made(seed=seed) for seed in range(count))
        source.export(file)
    with Cache(location) as cache:
        cache.put(made(seed=count))
        for delay_s in (0.0, 0.02, 0.1):
            ready = SPAWN.Barrier(2)
            worker = SPAWN.Process(target=import_all, args=(location, file, ready))
            worker.start()
            ready.wait(WAIT_S)
            time.sleep(delay_s)
            assert worker.pid is not None
            os.kill(worker.pid, signal.SIGKILL)
            worker.join(WAIT_S)
            assert len(cache.entries()) in (1, count + 1)
        assert cache.import_(file).known in (0, count)
        assert len(cache.entries()) == count + 1


def test_writer_waits_for_another_and_goes_on(tmp_path: Path) -> None:
    """F074: somebody holds the file for a while."""
    path = str(tmp_path / "cache.sqlite")
    Cache(path).close()
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        together = SPAWN.Barrier(2)
        worker = SPAWN.Process(target=write, args=(path, 0, 1, together))
        worker.start()
        together.wait(WAIT_S)
        time.sleep(0.5)
        holder.execute("COMMIT")
        worker.join(WAIT_S)
    assert worker.exitcode == 0
    with Cache(path) as cache:
        assert len(cache.entries()) == 1
