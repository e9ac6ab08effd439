from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from autotune.errors import StoreError, UsageError
from autotune.ops.base import parse_workload
from autotune.store import paths, read, snapshot
from autotune.store.db import Cache, open_cache
from autotune.store.record import Record
from tests.records import TARGET, WORKLOAD, made

RECORDS = [made(), made(seconds=2e-3), made(parse_workload("matmul", "m=8,n=8,k=8"))]


def filled(path: Path, *records: Record) -> str:
    with open_cache(path) as cache:
        for record in records:
            cache.put(record)
    return str(path)


def test_snapshot_has_every_record_and_its_name_is_its_content(tmp_path: Path) -> None:
    with open_cache(filled(tmp_path / "cache", *RECORDS)) as cache:
        taken = cache.snapshot(tmp_path / "new" / "folder")
        entries = cache.entries()
    assert taken.records == 3
    assert taken.path == str(tmp_path / "new" / "folder" / f"autotune-{taken.sha256}.sqlite")
    assert taken.location == f"{taken.path}#sha256={taken.sha256}"
    assert stat.S_IMODE(os.stat(taken.path).st_mode) == 0o444
    assert os.listdir(tmp_path / "new" / "folder") == [os.path.basename(taken.path)]
    snapshot.verify(taken.path, taken.sha256)
    with open_cache(taken.path) as copy:
        assert copy.entries() == entries
    snapshot.verify(taken.path, taken.sha256)


def test_same_records_make_the_same_snapshot(tmp_path: Path) -> None:
    found = set()
    for name, records in (("a", RECORDS), ("b", RECORDS[::-1]), ("c", RECORDS[:2])):
        with open_cache(filled(tmp_path / name, *records)) as cache:
            found.add(cache.snapshot(tmp_path).sha256)
            found.add(cache.snapshot(tmp_path).sha256)
    assert len(found) == 2


def test_snapshot_tells_what_is_stale_as_its_cache_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_cache(filled(tmp_path / "cache", made(llvm="21.0.0"), made(llvm="22.1.0"))) as cache:
        stale = {record.llvm: record.is_stale for record in cache.entries()}
        taken = cache.snapshot(tmp_path)
    with open_cache(taken.path) as copy:
        assert {record.llvm: record.is_stale for record in copy.entries()} == stale


def test_other_content_is_refused_with_both_digests(tmp_path: Path) -> None:
    with open_cache(filled(tmp_path / "cache", *RECORDS)) as cache:
        taken = cache.snapshot(tmp_path)
    snapshot.verify(taken.path, taken.sha256)
    os.chmod(taken.path, 0o644)
    filled(Path(taken.path), made(seconds=1e-6))
    with pytest.raises(StoreError, match=f"its sha256 is [0-9a-f]{{64}}, not {taken.sha256}"):
        snapshot.verify(taken.path, taken.sha256)
    os.unlink(taken.path)
    with pytest.raises(StoreError, match="cannot be read: No such file"):
        snapshot.verify(taken.path, taken.sha256)


def test_verified_snapshot_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_cache(filled(tmp_path / "cache", *RECORDS)) as cache:
        taken = cache.snapshot(tmp_path)
    snapshot.verify(taken.path, taken.sha256)
    monkeypatch.setattr(snapshot, "_sha256", None)
    snapshot.verify(taken.path, taken.sha256)


def test_folder_that_cannot_be_written_is_a_plain_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with open_cache(filled(tmp_path / "cache", made())) as cache:
        for folder in (tmp_path / "file", tmp_path / "file" / "below", "/proc"):
            with pytest.raises(StoreError, match="cannot be"):
                cache.snapshot(folder)


def test_old_cache_is_brought_to_the_present_tables(tmp_path: Path, root: Path) -> None:
    import sqlite3

    path = str(tmp_path / "old")
    with sqlite3.connect(path) as connection:
        connection.executescript((root / "tests/data/cache-v1.sql").read_text(encoding="utf-8"))
    connection.close()
    with Cache(path) as cache:
        taken = cache.snapshot(tmp_path)
        assert read.inspect(taken.path) == "ready"
        assert taken.records == len(cache.entries()) > 0


@pytest.mark.parametrize(
    "text",
    ["f#sha256=", "f#sha256=12", "f#sha256=" + "G" * 64, "postgresql://h/n#sha256=" + "0" * 64],
)
def test_bad_pin_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="64 hexadecimal digits"):
        paths.cache_path(text)


def test_pinned_file_is_for_lookups_alone(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="only a lookup takes that"):
        Cache(f"{tmp_path}/f#sha256={'0' * 64}")
    assert not os.listdir(tmp_path)


def test_find_in_a_snapshot_is_that_of_its_cache(tmp_path: Path) -> None:
    path = filled(tmp_path / "cache", *RECORDS)
    with open_cache(path) as cache:
        taken = cache.snapshot(tmp_path)
    here = (TARGET.key, WORKLOAD.key)
    assert read.find(taken.path, *here) == read.find(path, *here)
