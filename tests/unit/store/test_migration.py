"""Caches and exports of earlier versions: read as they are, migrated where they are written."""

from __future__ import annotations

import os
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


def cache_of(version: int, path: str) -> str:
    """A cache as that version left it: one or two records of WORKLOAD, one miss."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((DATA / f"cache-v{version}.sql").read_text(encoding="utf-8"))
    return path


@pytest.fixture
def old(tmp_path: Path) -> str:
    """A cache as version 1 left it."""
    return cache_of(1, str(tmp_path / "cache.sqlite"))


def backups(path: str) -> list[Path]:
    return [p for p in Path(path).parent.iterdir() if p.name.startswith("cache.sqlite.schema")]


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


@pytest.mark.parametrize("version", range(1, schema.VERSION))
def test_every_old_version_is_migrated_with_a_backup_beside_it(
    tmp_path: Path, version: int
) -> None:
    path = cache_of(version, str(tmp_path / "cache.sqlite"))
    before = contents(path)
    with Cache(path) as cache:
        digests = {record.digest for record in cache.entries()}
        assert cache.put(made(cliff=1.5, cliff_interval=(1.25, 1.75)))
    assert version_of(path) == str(schema.VERSION)
    assert digests == {row[0] for row in before["records"]}
    (backup,) = backups(path)
    assert backup.name.startswith(f"cache.sqlite.schema{version}-")
    assert contents(str(backup)) == before
    Cache(path).close()
    assert backups(path) == [backup]


def contents(path: str) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(path)) as connection:
        return {
            table: connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
            for table in ("meta", "records", "misses")
        }


def test_new_cache_has_no_backup(tmp_path: Path) -> None:
    path = str(tmp_path / "cache.sqlite")
    for _ in range(2):
        Cache(path).close()
    assert backups(path) == []


def test_without_room_for_a_backup_nothing_is_migrated(
    old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with Cache(old) as cache:
        assert len(cache.entries()) == 1
        with pytest.raises(StoreError, match="No space left on device"):
            cache.check_writable()
    assert version_of(old) == "1"
    assert backups(old) == []


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
    monkeypatch.setattr(schema, "MIGRATIONS", {**schema.MIGRATIONS, 1: steps})
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
    assert len(backups(old)) == 1


@pytest.mark.parametrize("version", range(1, schema.VERSION))
def test_migrated_tables_are_those_of_a_new_cache(version: int, tmp_path: Path) -> None:
    old = cache_of(version, str(tmp_path / "cache.sqlite"))

    def columns(path: str) -> set[tuple[object, ...]]:
        with closing(sqlite3.connect(path)) as connection:
            rows = connection.execute("PRAGMA table_info(records)").fetchall()
        return {row[1:] for row in rows}

    new = str(tmp_path / "new.sqlite")
    Cache(new).close()
    Cache(old).close()
    assert columns(old) == columns(new)


@pytest.mark.parametrize("version", range(1, schema.VERSION))
def test_old_export_is_imported_and_known_to_a_cache_of_its_time(
    version: int, tmp_path: Path
) -> None:
    export = DATA / f"export-v{version}.jsonl"
    with Cache(cache_of(version, str(tmp_path / "cache.sqlite"))) as cache:
        count = len(cache.entries())
        report = cache.import_(export)
        assert (report.added, report.known, report.bad) == (0, count, ())
    with Cache(tmp_path / "new.sqlite") as cache:
        assert cache.import_(export).added == count


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cache_policy", "cold"),
        ("cache_policy", 3),
        ("ties", ("'; drop",)),
        ("ties", (7,)),
        ("ties", ("abcdef",) * 101),
        ("cliff", -1.0),
        ("cliff", "1"),
        ("verified_at", "yesterday"),
    ],
)
def test_record_of_impossible_conditions_is_refused(old: str, field: str, value: object) -> None:
    with Cache(old) as cache, pytest.raises(StoreError, match=field):
        cache.put(made(**{field: value}))
