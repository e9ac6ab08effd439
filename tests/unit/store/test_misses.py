from __future__ import annotations

import multiprocessing
import os
import sqlite3
import stat
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autotune.ops.base import parse_workload
from autotune.store import misses, schema
from autotune.store.db import Cache, open_cache
from autotune.store.misses import Miss, note
from autotune.trial import Workload
from tests.records import TARGET, WORKLOAD, made

NOON, LATER, MUCH_LATER = (f"2026-01-31T12:{m}:00Z" for m in ("00", "01", "59"))
OTHER = parse_workload("matmul", "m=8,n=8,k=8", tolerance="strict")


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "cache.sqlite")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's data directory."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "autotune"


def miss(
    workload: Workload = WORKLOAD, count: int = 1, first: str = NOON, last: str = NOON
) -> Miss:
    return Miss(TARGET.key, workload, count, first, last)


def frozen(path: str) -> None:
    """A cache that nobody may write to, whoever asks: root may everything else."""
    with open_cache(path):
        pass
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(schema.NO_WAL)
    os.chmod(path, 0o444)


def test_misses_add_up_and_keep_the_first_and_last_time(path: str) -> None:
    assert note(path, [miss(count=2, first=LATER, last=LATER)])
    assert note(path, [miss(count=3, first=LATER, last=MUCH_LATER), miss(OTHER)])
    assert note(path, [miss(first=LATER, last=LATER)])
    with open_cache(path, must_exist=True) as cache:
        assert cache.missed() == [miss(count=6, first=LATER, last=MUCH_LATER), miss(OTHER)]


def test_entry_has_what_the_contract_names(path: str) -> None:
    note(path, [miss(OTHER)])
    with open_cache(path) as cache:
        (entry,) = cache.misses()
    assert (
        entry.items()
        >= {
            "key": OTHER.key,
            "op": "matmul",
            "shape": OTHER.shape,
            "target": TARGET.key,
            "count": 1,
            "first_seen": NOON,
            "last_seen": NOON,
        }.items()
    )
    assert entry["tolerance"] == "strict"


def test_miss_in_an_absent_cache_creates_it(tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "cache.sqlite")
    assert note(path, [miss()])
    with open_cache(path, must_exist=True) as cache:
        assert len(cache.misses()) == 1
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


def test_miss_is_settled_by_a_record_made_since(path: str) -> None:
    note(path, [miss(last=LATER), miss(OTHER)])
    with open_cache(path) as cache:
        cache.put(made(created=NOON, seed=1))
        note(path, [miss(last=NOON)])
        assert cache.missed() == [miss(OTHER)]  # written late, but missed before
        note(path, [miss(last=LATER)])
        assert miss(count=2, last=LATER) in cache.missed()  # the record must be of no use
        cache.put(made(created=MUCH_LATER))
        assert cache.missed() == [miss(OTHER)]


def test_imported_record_settles_misses_however_old_it_is(path: str, tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    with open_cache(tmp_path / "other.sqlite") as other:
        other.put(made(created="2020-01-01T00:00:00Z"))
        other.export(file)
    note(path, [miss(), miss(OTHER)])
    with open_cache(path) as cache:
        cache.import_(file)
        assert cache.missed() == [miss(OTHER)]


def test_what_nobody_noted_lately_is_fresh(path: str) -> None:
    first = note(path, [miss(), miss(OTHER)])
    assert first is not None
    assert first.is_first
    assert first.fresh == {(TARGET.key, WORKLOAD.key), (TARGET.key, OTHER.key)}
    third = parse_workload("matmul", "m=9,n=9,k=9")
    again = note(path, [miss(first=LATER, last=LATER), miss(third, first=LATER, last=LATER)])
    assert again is not None
    assert not again.is_first
    assert again.fresh == {(TARGET.key, third.key)}
    much_later = note(path, [miss(first=MUCH_LATER, last=MUCH_LATER)])
    assert much_later is not None
    assert much_later.is_first
    assert much_later.fresh == {(TARGET.key, WORKLOAD.key)}


def test_misses_of_a_cache_that_is_read_only_lie_beside_it(path: str) -> None:
    frozen(path)
    before = Path(path).read_bytes()
    assert note(path, [miss(count=2)])
    assert note(path, [miss(last=LATER)])
    assert Path(path).read_bytes() == before
    assert os.path.exists(path + ".misses")
    with open_cache(path) as cache:
        assert cache.missed() == [miss(count=3, last=LATER)]


def test_misses_go_to_the_users_data_where_nothing_can_lie_beside(path: str, data: Path) -> None:
    frozen(path)
    os.mkdir(path + ".misses")
    assert note(path, [miss()])
    assert len([*data.glob("misses-*.sqlite")]) == 1
    with open_cache(path) as cache:
        assert cache.missed() == [miss()]
    other = path.replace("cache", "another")
    with open_cache(other) as cache:
        assert cache.missed() == []


def test_misses_of_a_cache_that_cannot_be_created_are_kept(tmp_path: Path, data: Path) -> None:
    (tmp_path / "file").write_text("")
    assert note(str(tmp_path / "none" / "\udcff" / "c.sqlite"), [miss()])
    path = "/proc/nowhere/cache.sqlite"
    assert note(path, [miss()])
    assert misses.read_all(path) == [miss()]


def test_locked_cache_is_waited_for_a_moment_then_left(path: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(misses, "PATIENCE_S", 0.05)
    with open_cache(path):
        pass
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        assert note(path, [miss()])
    assert os.path.exists(path + ".misses")
    note(path, [miss()])
    with open_cache(path) as cache:
        assert cache.missed() == [miss(count=2)]
        cache.put(made(created=LATER))
        assert cache.missed() == []
    assert misses.read_beside(path) == []


def test_nothing_is_written_beside_a_file_that_is_not_ours(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("text of somebody else")
    assert note(str(path), [miss()]) is None
    assert note(str(path / "below"), [miss()]) is None
    assert [*tmp_path.iterdir()] == [path]
    assert path.read_text() == "text of somebody else"


def test_broken_rows_are_left_out(path: str) -> None:
    """F083, F096: whatever a row holds, the others are shown."""
    note(path, [miss(), miss(OTHER)])
    changes = {
        "op": "'x'; drop table records; --",
        "shape": "m=1",
        "count": "many",
        "first_seen": "2026-13-01T00:00:00Z",
        "last_seen": 1,
        "tolerance": "loose",
        "workload_key": "a/b",
    }
    for column, value in changes.items():
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            was = connection.execute(f"SELECT {column} FROM misses WHERE op = 'matmul'").fetchone()
            where = "WHERE rowid = (SELECT MIN(rowid) FROM misses)"
            connection.execute(f"UPDATE misses SET {column} = ? {where}", (value,))
        with open_cache(path) as cache:
            assert cache.missed() == [miss(OTHER)], column
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"UPDATE misses SET {column} = ? {where}", was)


def test_union_adds_counts_and_widens_times() -> None:
    found = misses.union([miss(count=2, first=LATER, last=LATER), miss(OTHER), miss(count=3)])
    assert found == [miss(count=5, first=NOON, last=LATER), miss(OTHER)]


def _note_many(path: str, number: int) -> None:
    for part in range(10):
        own = parse_workload("matmul", f"m={number + 1},n={part + 1},k=1")
        assert note(path, [miss(), miss(own)])


def test_many_processes_at_once_lose_none(path: str) -> None:
    """F074, F082: one new file, and every count is there."""
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_note_many, args=(path, n)) for n in range(5)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    found = {m.workload.key: m.count for m in misses.read_all(path)}
    assert found.pop(WORKLOAD.key) == 50
    assert len(found) == 50
    assert set(found.values()) == {1}


def test_cache_of_another_kind_notes_the_same(path: str) -> None:
    with Cache(path) as cache:
        assert cache.note_misses([miss()]) == ({(TARGET.key, WORKLOAD.key)}, True)
        assert cache.note_misses([replace(miss(), count=4)]) == (frozenset(), False)
        assert cache.missed() == [miss(count=5)]
