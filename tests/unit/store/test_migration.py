"""Caches and exports of earlier versions: read as they are, migrated where they are written."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from autotune.errors import StoreError
from autotune.ops.base import parse_workload
from autotune.store import schema
from autotune.store.db import Cache
from autotune.store.read import find, inspect
from tests.records import TARGET, made

WORKLOAD = parse_workload("matmul", "m=17,n=33,k=9")
DATA = Path(__file__).resolve().parents[2] / "data"


@pytest.fixture
def old(tmp_path: Path) -> str:
    """A cache as version 1 left it: one record, one miss."""
    path = str(tmp_path / "cache.sqlite")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((DATA / "cache-v1.sql").read_text(encoding="utf-8"))
    return path


def version_of(path: str) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return str(dict(connection.execute(schema.READ_META).fetchall())["schema"])


def test_old_cache_is_read_as_it_is(old: str) -> None:
    record = find(old, TARGET.key, WORKLOAD.key)
    assert record is not None
    assert (record.seconds, record.cache_policy, record.ties) == (2e-6, "warm", ())
    assert inspect(old) == "old"
    assert version_of(old) == "1"


def test_old_cache_is_migrated_when_opened_for_writing_and_keeps_everything(old: str) -> None:
    with Cache(old) as cache:
        assert version_of(old) == str(schema.VERSION)
        (record,) = cache.entries()
        assert record.digest == "8e65a8174a777a850867a42f4edb5668"
        assert len(cache.misses()) == 1
        assert cache.put(made(cache_policy="rotating", ties=("00ff00ff",)))
        assert not cache.put(record)
    with Cache(old) as again:
        assert {r.cache_policy for r in again.entries()} == {"warm", "rotating"}
        assert {r.ties for r in again.entries()} == {(), ("00ff00ff",)}
    assert inspect(old) == "ready"


def test_old_cache_in_a_place_that_cannot_be_written_is_listed(
    old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(schema, "create", refuse)
    with Cache(old) as cache:
        assert len(cache.entries()) == 1
        with pytest.raises(StoreError):
            cache.put(made())
    assert version_of(old) == "1"


def test_migration_that_fails_midway_leaves_the_old_tables(
    old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = (schema.MIGRATIONS[1][0], "ALTER TABLE nowhere ADD COLUMN x TEXT")
    monkeypatch.setattr(schema, "MIGRATIONS", {1: steps})
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        schema.create(old)
    assert version_of(old) == "1"
    assert find(old, TARGET.key, WORKLOAD.key) is not None


def test_processes_that_migrate_at_once_all_succeed(old: str, root: Path) -> None:
    program = "import sys; from autotune.store.db import Cache; Cache(sys.argv[1]).entries()"
    command = [sys.executable, "-c", program, old]
    opening = [subprocess.Popen(command, cwd=root) for _ in range(4)]
    assert [process.wait(60) for process in opening] == [0] * 4
    assert version_of(old) == str(schema.VERSION)


def test_migrated_tables_are_those_of_a_new_cache(old: str, tmp_path: Path) -> None:
    def columns(path: str) -> set[tuple[object, ...]]:
        with closing(sqlite3.connect(path)) as connection:
            rows = connection.execute("PRAGMA table_info(records)").fetchall()
        return {row[1:] for row in rows}

    new = str(tmp_path / "new.sqlite")
    Cache(new).close()
    Cache(old).close()
    assert columns(old) == columns(new)


def test_export_of_version_1_is_imported_and_known_the_second_time(old: str) -> None:
    export = DATA / "export-v1.jsonl"
    with Cache(old) as cache:
        assert cache.import_(export).known == 1
    with Cache(old + ".new") as cache:
        assert cache.import_(export).added == 1
        assert cache.entries()[0].codegen == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cache_policy", "cold"),
        ("cache_policy", 3),
        ("ties", ("'; drop",)),
        ("ties", (7,)),
        ("ties", ("abcdef",) * 101),
    ],
)
def test_record_of_impossible_conditions_is_refused(old: str, field: str, value: object) -> None:
    with Cache(old) as cache, pytest.raises(StoreError, match=field):
        cache.put(made(**{field: value}))
