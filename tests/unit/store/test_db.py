from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import warnings
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autotune.errors import StoreError
from autotune.ops.base import parse_workload
from autotune.store import read, schema, toolchain
from autotune.store.db import open_cache, open_for_results
from autotune.store.record import Record
from tests.records import TARGET, WORKLOAD, made


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "cache.sqlite")


def change(path: str, sql: str, parameters: Any = ()) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(sql, parameters).fetchall()


def test_put_then_get_gives_the_record_back(path: str) -> None:
    with open_cache(path) as cache:
        assert cache.get(TARGET.key, WORKLOAD.key) is None
        assert cache.put(made())
        assert cache.get(TARGET.key, WORKLOAD.key) == made()
        assert cache.get("other/baseline/t1", WORKLOAD.key) is None


def test_put_of_the_same_measurement_adds_nothing(path: str) -> None:
    with open_cache(path) as cache:
        assert cache.put(made())
        assert not cache.put(made())
        assert len(cache.entries()) == 1


def test_find_on_plain_sqlite3_agrees_with_sqlalchemy(path: str) -> None:
    with open_cache(path) as cache:
        for seconds in (3e-3, 1e-3, 2e-3):
            cache.put(made(seconds=seconds))
        assert read.find(path, TARGET.key, WORKLOAD.key) == cache.get(TARGET.key, WORKLOAD.key)


def test_reading_needs_nothing_that_can_be_written(
    path: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with open_cache(path) as cache:
        cache.put(made())
        cache.check_writable()
        monkeypatch.setattr(cache, "_engine", cache._reading)
        assert len(cache.entries()) == cache.export(tmp_path / "f.jsonl") == 1
        assert cache.get(TARGET.key, WORKLOAD.key) is not None
        assert cache.misses() == []
        for write in (cache.check_writable, lambda: cache.put(made(seconds=2e-3))):
            with pytest.raises(StoreError, match="readonly"):
                write()


def test_put_of_an_impossible_time_is_refused_at_the_door(path: str) -> None:
    with open_cache(path) as cache:
        for seconds in (float("nan"), float("inf"), 0.0, -1.0):
            with pytest.raises(StoreError, match="record field seconds"):
                cache.put(made(seconds=seconds))
        assert cache.entries() == []


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("inf"), float("nan"), None])
def test_table_itself_refuses_impossible_times(path: str, seconds: float | None) -> None:
    open_cache(path).close()
    with pytest.raises(sqlite3.IntegrityError):
        change(path, schema.WRITE_RECORD, {**made().to_row(), "seconds": seconds})


def test_text_that_looks_like_sql_is_only_text(path: str) -> None:
    with open_cache(path) as cache:
        cache.put(made(machine="'; DROP TABLE records; --"))
        assert cache.get("x", "'; DROP TABLE records; --") is None
        assert cache.entries()[0].machine == "'; DROP TABLE records; --"


def test_broken_row_is_skipped_with_one_warning(path: str) -> None:
    """F083: a malformed entry is a miss, told once."""
    with open_cache(path) as cache:
        cache.put(made(seconds=1e-6))
        cache.put(made(seconds=2e-6))
        change(path, "UPDATE records SET schedule = '{' WHERE seconds = 1e-6")
        with pytest.warns(UserWarning, match="is broken"):
            found = cache.get(TARGET.key, WORKLOAD.key)
        assert found is not None
        assert found.seconds == 2e-6
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(3):
                cache.get(TARGET.key, WORKLOAD.key)


def test_llvm_of_the_last_local_put_decides_what_is_stale(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolchain, "installed_llvmlite", lambda: "0.50.0")
    with open_cache(path) as cache:
        cache.put(made(llvm="22.1.0"))
        old = made(llvm="14.0.0", seconds=2e-3, origin="imported")
        cache.put(old)
        stale = {record.llvm: record.is_stale for record in cache.entries()}
        assert stale == {"22.1.0": False, "14.0.0": True}
        monkeypatch.setattr(toolchain, "installed_llvmlite", lambda: "0.60.0")
        assert all(record.is_stale for record in cache.entries())
        monkeypatch.setattr(toolchain, "installed_llvmlite", lambda: "")
        assert not any(record.is_stale for record in cache.entries())


def test_installed_llvmlite_is_told_without_loading_it() -> None:
    version = toolchain.installed_llvmlite()
    assert version.replace(".", "").isdigit()


def test_five_unusable_files_have_five_messages(path: str) -> None:
    """F070: absent, empty, no database, another program's, newer; none is touched."""
    with pytest.raises(StoreError, match="does not exist; tune something"):
        open_cache(path, must_exist=True)
    assert not os.path.exists(path)

    Path(path).write_bytes(b"")
    with open_cache(path, must_exist=True) as cache:
        assert cache.entries() == []

    other = path + ".txt"
    Path(other).write_bytes(b"not a database at all, but long enough to look like one")
    with pytest.raises(StoreError, match="is not an SQLite database"):
        open_cache(other)

    foreign = path + ".foreign"
    change(foreign, "CREATE TABLE meta (a, b)")
    change(foreign, "CREATE TABLE mails (a, b)")
    before = Path(foreign).read_bytes()
    with pytest.raises(StoreError, match=r"another program \(tables mails, meta\)"):
        open_cache(foreign)
    assert Path(foreign).read_bytes() == before

    change(path, "UPDATE meta SET value = '7' WHERE name = 'schema'")
    with pytest.raises(StoreError, match="schema version 7; this program reads up to 3"):
        open_cache(path)
    with pytest.raises(StoreError, match="schema version 7"):
        read.find(path, "t", "w")


def test_damaged_database_is_a_plain_error(path: str) -> None:
    with open_cache(path) as cache:
        cache.put(made())
    content = bytearray(Path(path).read_bytes())
    content[100:] = b"\xff" * (len(content) - 100)
    Path(path).write_bytes(content)
    with pytest.raises(StoreError, match=f"cache {path} cannot be used"):
        open_cache(path)


def test_folder_in_place_of_the_file_is_a_plain_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not a regular file"):
        open_cache(str(tmp_path))


def test_empty_database_becomes_a_cache(path: str) -> None:
    change(path, "PRAGMA user_version = 3")
    with open_cache(path) as cache:
        cache.put(made())
        assert len(cache.entries()) == 1


def test_path_with_odd_characters_works(tmp_path: Path) -> None:
    path = str(tmp_path / "a b" / "é%3F?#&.db")
    with open_cache(path) as cache:
        cache.put(made())
    assert read.find(path, TARGET.key, WORKLOAD.key) == made()
    assert os.path.exists(path)


def test_creation_makes_folders_for_this_user_and_uses_wal(tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "cache.sqlite")
    open_cache(path).close()
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert change(path, "PRAGMA journal_mode") == [("wal",)]


def test_cache_that_cannot_be_written_can_be_read(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_cache(path) as cache:
        cache.put(made())
    real = sqlite3.connect

    def no_side_files(name: str, **options: object) -> sqlite3.Connection:
        if "mode=ro" in name and "immutable" not in name:
            error = sqlite3.OperationalError("unable to open database file")
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise error
        return real(name, **options)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(sqlite3, "connect", no_side_files)
    assert read.find(path, TARGET.key, WORKLOAD.key) == made()


@pytest.mark.parametrize("code", ["SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_SHMMAP"])
def test_cache_on_a_full_disk_can_be_read(
    path: str, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    """F099: reading makes side files, for which there is no room."""
    with open_cache(path) as cache:
        cache.put(made())
    real = sqlite3.connect

    def no_room(name: str, **options: object) -> sqlite3.Connection:
        if "mode=ro" in name and "immutable" not in name:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = getattr(sqlite3, code)
            raise error
        return real(name, **options)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(sqlite3, "connect", no_room)
    assert read.find(path, TARGET.key, WORKLOAD.key) == made()


def test_error_of_the_disk_asks_whether_there_is_space(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_cache(path).close()

    def broken(name: str, **options: object) -> sqlite3.Connection:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_READ
        raise error

    monkeypatch.setattr(sqlite3, "connect", broken)
    for look in (lambda: read.find(path, "t", "w"), lambda: open_cache(path)):
        with pytest.raises(StoreError, match=r"disk I/O error \(is there space left\?\)"):
            look()


FULL = """
import resource, sys
from autotune.errors import StoreError
from autotune.store.db import open_cache
from tests.records import made

path, hard = sys.argv[1], resource.getrlimit(resource.RLIMIT_FSIZE)[1]
with open_cache(path) as cache:
    cache.put(made())
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, hard))
    for write in (cache.check_writable, lambda: cache.put(made(seconds=2e-3))):
        try:
            write()
        except StoreError as error:
            print(error)
    print(len(cache.entries()))
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    print(cache.put(made(seconds=3e-3)), len(cache.entries()))
"""


def test_disk_that_fills_up_is_told_and_leaves_the_cache_sound(path: str, root: Path) -> None:
    """F099: and with room again it goes on."""
    ended = subprocess.run(
        [sys.executable, "-c", FULL, path],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    told = ended.stdout.splitlines()
    assert len(told) == 4
    assert all(line.startswith(f"cache {path} cannot be used: d") for line in told[:2]), told
    assert told[2:] == ["1", "True 2"]
    assert change(path, "PRAGMA integrity_check") == [("ok",)]


# --- where results go: F097, F098, F099 --------------------------------------------------------


@pytest.fixture
def homeless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file below which the default cache would lie; returns the spare one's path."""
    (tmp_path / "file").write_text("")
    (tmp_path / "temporary").mkdir()
    monkeypatch.delenv("AUTOTUNE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path / "temporary" / f"autotune-{os.getuid()}" / "cache.sqlite"


def test_results_go_to_the_default_cache_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AUTOTUNE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a b" / "é"))
    with open_for_results() as cache:
        assert cache.put(made())
        assert cache.location == str(tmp_path / "a b" / "é" / "autotune" / "cache.sqlite")


def test_results_go_to_a_spare_cache_where_the_default_cannot_be_made(homeless: Path) -> None:
    with pytest.warns(UserWarning, match="Not a directory") as told:
        cache = open_for_results()
    cache.put(made())
    [warning] = told
    line = str(warning.message)
    assert f"AUTOTUNE_CACHE={homeless}" in line
    assert f"autotune cache export FILE --cache {homeless}" in line
    assert "\n" not in line
    assert read.find(str(homeless), TARGET.key, WORKLOAD.key) == made()


def test_results_go_to_a_spare_cache_for_a_user_without_a_home(
    homeless: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "")
    with pytest.warns(UserWarning, match="there is no home folder"), open_for_results() as cache:
        assert cache.location == str(homeless)


def test_results_go_to_a_spare_cache_where_the_default_is_read_only(
    homeless: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    open_cache().close()
    monkeypatch.setattr(schema, "TOUCH_META", "SELECT no_permission")
    with pytest.raises(StoreError):
        open_for_results()
    monkeypatch.setattr(schema, "TOUCH_META", "UPDATE meta SET value = value")
    readonly = str(tmp_path / "autotune" / "cache.sqlite")
    change(readonly, "CREATE TRIGGER no BEFORE UPDATE ON meta BEGIN SELECT RAISE(ABORT, 'no'); END")
    with pytest.warns(UserWarning, match="no; results go to"), open_for_results() as cache:
        assert cache.location == str(homeless)


@pytest.mark.parametrize("is_in_environment", [True, False])
def test_cache_that_was_named_is_never_replaced(
    homeless: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_in_environment: bool
) -> None:
    path = str(tmp_path / "file" / "cache.sqlite")
    if is_in_environment:
        monkeypatch.setenv("AUTOTUNE_CACHE", path)
    with pytest.raises(StoreError, match="Not a directory"):
        open_for_results(None if is_in_environment else path)
    assert not homeless.exists()


def test_default_that_cannot_be_made_is_tried_once(
    homeless: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F098: no probe in a loop."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/not/there")
    tried: list[str] = []
    real = Path.mkdir

    def mkdir(self: Path, *arguments: Any, **options: Any) -> None:
        tried.append(str(self))
        if "temporary" not in str(self):
            raise PermissionError(13, "Permission denied")
        real(self, *arguments, **options)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    with pytest.warns(UserWarning, match="Permission denied"):
        open_for_results().close()
    assert [path for path in tried if "temporary" not in path] == ["/not/there/autotune"]


def test_put_into_a_read_only_cache_is_a_plain_error(path: str) -> None:
    with open_cache(path) as cache:
        change(
            path, "CREATE TRIGGER no BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT,'no'); END"
        )
        with pytest.raises(StoreError, match=f"cache {path} cannot be used: no"):
            cache.put(made())


def test_relatives_targets_and_speedups_agree_on_both_readers(path: str) -> None:
    other = parse_workload("matmul", "m=64,n=48,k=16")
    loose = parse_workload("matmul", "m=8,n=48,k=16")
    with open_cache(path) as cache:
        cache.put(made())
        cache.put(made(other, speedup=3.0, created="2027-01-31T12:00:00Z"))
        cache.put(made(loose, error_units=100.0))
        with read.opened(path) as reader:
            assert reader is not None
            for source in (reader, cache):
                assert sorted(source.relatives(TARGET.key, WORKLOAD)) == sorted(
                    [(WORKLOAD.key, WORKLOAD.shape), (other.key, other.shape)]
                )
                assert source.targets(WORKLOAD.key) == [TARGET.key]
                assert sorted(source.speedups("matmul")) == [2.0, 2.0, 3.0]
                assert source.speedups("conv2d") == []


def test_server_url_without_a_driver_is_a_plain_error() -> None:
    with pytest.raises(StoreError) as caught:
        open_cache("postgresql://me:secret@localhost:1/none")
    assert "secret" not in str(caught.value)


def test_documented_sql_is_the_sql_that_runs(root: Path) -> None:
    text = (root / "docs" / "cache.md").read_text(encoding="utf-8")
    for statement in (*schema.TABLES, schema.FIND, schema.FIND_TARGETS, schema.WRITE_MISS):
        assert statement in text


def test_statements_name_every_column_of_the_tables(path: str) -> None:
    open_cache(path).close()
    for table, columns in (("records", schema.RECORD_COLUMNS), ("misses", schema.MISS_COLUMNS)):
        found = [row[1] for row in change(path, f"PRAGMA table_info({table})")]
        assert tuple(found) == columns
    for sql, parameters, index in (
        (schema.FIND, read.find_parameters("", "", ""), "records_by_"),
        (schema.FIND_SPEEDUPS, {"op": ""}, "records_by_age"),
        (schema.READ_RECORDS, read.entry_parameters("", "", "", "", 10), "records_by_key"),
    ):
        plan = str(change(path, f"EXPLAIN QUERY PLAN {sql}", parameters))
        assert f"USING INDEX {index}" in plan, plan


def test_record_from_the_cache_differs_in_nothing_but_staleness(path: str) -> None:
    """F044: what was measured is what is answered."""
    with open_cache(path) as cache:
        record: Record = made(samples_s=(1 / 3, 2 / 3), gflops=1 / 7, speedup=2 / 3)
        cache.put(record)
    found = read.find(path, TARGET.key, WORKLOAD.key)
    assert found is not None
    assert replace(found, is_stale=False) == record
    assert found.schedule.digest == record.schedule.digest


def test_looking_at_a_cache_leaves_other_connections_their_locks(path: str, root: Path) -> None:
    """F074: whoever opens and closes the file itself loses every lock that it holds on it."""
    open_cache(path).close()
    writes = f"import sqlite3; sqlite3.connect({path!r}, 0).execute('BEGIN IMMEDIATE')"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(schema.NO_WAL)
        connection.execute("BEGIN IMMEDIATE")
        read.inspect(path)
        read.find(path, TARGET.key, WORKLOAD.key)
        done = subprocess.run(
            [sys.executable, "-c", writes], capture_output=True, text=True, check=False, cwd=root
        )
        assert "database is locked" in done.stderr


@pytest.mark.parametrize("size", [1, 15, 100, 511, 512, 5000])
@pytest.mark.parametrize("content", [b"x", b"\0", b"SQLite format 3\0"])
def test_file_of_any_size_that_is_no_database_is_left_alone(
    path: str, size: int, content: bytes
) -> None:
    """F070."""
    before = (content * size)[:size]
    Path(path).write_bytes(before)
    with pytest.raises(StoreError, match="is not an SQLite database"):
        open_cache(path)
    assert Path(path).read_bytes() == before
