"""A damaged cache is moved aside by a writer, and only where it is known to be ours: F081."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from autotune.errors import StoreError
from autotune.lookup import lookup
from autotune.store import read, rescue, schema
from autotune.store.db import Cache, open_cache, open_for_results
from autotune.store.misses import Miss, note
from autotune.store.read import DamagedError
from autotune.store.record import utc_now
from tests.records import TARGET, WORKLOAD, made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A cache of forty records, on some pages."""
    path = tmp_path / "cache.sqlite"
    with Cache(path) as cache:
        cache._add([made(seed=seed) for seed in range(40)])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return path


def cut(size: int) -> Callable[[bytes], bytes]:
    return lambda content: content[:size]


def spoil(first: int, last: int) -> Callable[[bytes], bytes]:
    return lambda content: content[:first] + b"\xff" * (last - first) + content[last:]


DAMAGE = {
    "cut to its header": cut(100),
    "cut within the first page": cut(4095),
    "cut in the middle": cut(5 * 4096 + 7),
    "first page overwritten": spoil(100, 4096),
    "everything but the header": spoil(100, 10**6),
}


def moved(path: Path) -> list[Path]:
    return [p for p in path.parent.iterdir() if p.name.startswith("cache.sqlite.corrupt-")]


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_cache_is_moved_aside_by_a_run_and_begun_anew(path: Path, kind: str) -> None:
    content = DAMAGE[kind](path.read_bytes())
    path.write_bytes(content)
    with pytest.warns(UserWarning, match="is damaged: it has been moved to"):
        cache = open_for_results(str(path))
    assert cache.put(made())
    (aside,) = moved(path)
    assert aside.read_bytes() == content
    with open_cache(path, must_exist=True) as cache:
        assert cache.entries() == [made()]


def test_damage_that_shows_when_a_record_is_put_costs_nothing(path: Path, tmp_path: Path) -> None:
    """Opening reads some pages only."""
    content = path.read_bytes()
    for page in range(2, len(content) // 4096):
        content = spoil(page * 4096, (page + 1) * 4096)(content)
    path.write_bytes(content)
    with open_for_results(str(path)) as cache:
        with pytest.warns(UserWarning, match="is damaged"):
            assert cache.put(made(seed=99))
        assert [record.seed for record in cache.entries()] == [99]
        assert cache.put(made(seed=100))
    assert len(moved(path)) == 1


def test_damaged_cache_is_renewed_by_an_import(path: Path, tmp_path: Path) -> None:
    with Cache(path) as cache:
        assert cache.export(tmp_path / "f.jsonl") == 40
        content = path.read_bytes()
        path.write_bytes(spoil(2 * 4096, len(content))(content))
        with pytest.warns(UserWarning, match="is damaged"):
            assert cache.import_(tmp_path / "f.jsonl").added == 40


def test_readers_leave_a_damaged_cache_where_it_is(path: Path) -> None:
    content = spoil(100, 10**6)(path.read_bytes())
    path.write_bytes(content)
    for use in (
        lambda: open_cache(path),
        lambda: open_cache(path, must_exist=True),
        lambda: lookup(WORKLOAD, target=TARGET, cache=path),
    ):
        with pytest.raises(DamagedError, match="it is damaged"):
            use()
    assert path.read_bytes() == content
    assert moved(path) == []


def test_damaged_file_that_bears_no_mark_of_ours_is_left_as_it_is(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA application_id = 7")
    content = spoil(100, 10**6)(path.read_bytes())
    path.write_bytes(content)
    with pytest.raises(StoreError, match="it is damaged"):
        open_for_results(str(path))
    assert path.read_bytes() == content
    assert moved(path) == []


def test_damaged_cache_of_another_user_is_left_as_it_is(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(spoil(100, 10**6)(path.read_bytes()))
    owner = path.stat().st_uid or 1000
    if os.geteuid() == 0:
        os.chown(path, owner, -1)
    read._warn_of_owner.cache_clear()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(StoreError), pytest.warns(UserWarning, match="another user"):
        open_for_results(str(path))
    assert moved(path) == []


def test_text_that_is_none_is_told_like_other_damage(path: Path) -> None:
    """Python's sqlite3 gives such errors no code."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO meta VALUES (CAST(x'6cff' AS TEXT), 'x')")
    for use in (
        lambda: open_cache(path),
        lambda: read.find(str(path), TARGET.key, WORKLOAD.key),
        lambda: lookup(WORKLOAD, target=TARGET, cache=path),
    ):
        with pytest.raises(StoreError, match="Could not decode to UTF-8"):
            use()


def test_miss_is_noted_elsewhere_where_the_table_holds_another_type(path: Path) -> None:
    """As after a flipped bit: a note must not disturb whoever looks up."""
    now = utc_now()
    miss = Miss(TARGET.key, WORKLOAD, 1, now, now)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(schema.WRITE_MISS, {**miss.to_row(), "last_seen": b"\xff"})
    assert note(str(path), [miss]) is not None
    assert Path(f"{path}.misses").exists()


def test_sound_cache_is_never_moved(path: Path) -> None:
    assert rescue.move_aside(str(path))
    assert moved(path) == []
    assert not rescue.move_aside("/none/at/all")
    with Cache(path) as cache:
        assert len(cache.entries()) == 40


def _run(path: str, seed: int) -> None:
    import warnings

    warnings.simplefilter("ignore")
    with open_for_results(path) as cache:
        cache.put(made(seed=seed))


def test_processes_that_find_the_damage_at_once_move_it_once(path: Path) -> None:
    path.write_bytes(spoil(100, 10**6)(path.read_bytes()))
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_run, args=(str(path), seed)) for seed in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert len(moved(path)) == 1
    with Cache(path) as cache:
        assert {record.seed for record in cache.entries()} == {0, 1, 2}
