"""Damaged exports and damaged databases: a plain error or a part with counts, and nothing worse.

Never another exception, never a changed cache where the import failed, never a record that was not
written as it is.
"""

from __future__ import annotations

import json
import sqlite3
import warnings
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from autotune.errors import AutotuneError
from autotune.lookup import lookup
from autotune.ops.base import parse_workload
from autotune.store import read
from autotune.store.db import Cache
from autotune.store.importing import ImportReport
from autotune.store.preview import preview_import
from autotune.store.pruning import Reasons
from autotune.store.record import Record, check
from tests.mutation import mutated
from tests.records import TARGET, WORKLOAD, made, missed

QUICK, ALL = range(200), range(200, 10_200)
MOST_KEPT = 20
"""Records of damaged files that are kept at a time: all are read again after each import."""
OTHER = parse_workload("conv2d", "c=16,h=9,w=7,k=32,r=3,pad=1x0x2x1,bias=1,act=relu", layout="NHWC")
WRITTEN = [
    made(),
    made(seconds=2e-3, ties=("00ff00ff",), cliff=1.5, cliff_interval=(1.0, 2.0)),
    made(OTHER, cache_policy="rotating"),
]

pytestmark = pytest.mark.filterwarnings("ignore:cache .* is broken")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database, and exports of it: now, compressed, and without the lines' own checksums."""
    folder = tmp_path_factory.mktemp("sound")
    with Cache(folder / "cache.sqlite") as cache:
        for record in WRITTEN:
            cache.put(record)
        cache.note_misses([missed()])
        cache.export(folder / "now.jsonl")
        cache.export(folder / "packed.zst")
    with closing(sqlite3.connect(folder / "cache.sqlite")) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    header, *lines = (folder / "now.jsonl").read_text(encoding="utf-8").splitlines()
    told = {**json.loads(header), "format_version": 2}
    plain = [{k: v for k, v in json.loads(line).items() if k != "record"} for line in lines]
    (folder / "old.jsonl").write_text("".join(json.dumps(d) + "\n" for d in (told, *plain)))
    return folder


def run_all(seeds: range, work: Callable[[int], None]) -> None:
    """Try each seed; the first that fails says which it was."""
    for seed in seeds:
        try:
            work(seed)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error


def import_mutated(folder: Path, name: str, tmp_path: Path) -> Callable[[int], None]:
    content = (folder / name).read_bytes()
    file, target = tmp_path / name, tmp_path / "to.sqlite"
    digests = {record.digest for record in WRITTEN}
    cache = Cache(target)
    before: list[Record] = []

    def work(seed: int) -> None:
        nonlocal before
        if len(before) > MOST_KEPT:
            cache.prune(Reasons(imported=True))
            before = cache.entries()
        file.write_bytes(mutated(content, seed))
        reports: list[ImportReport] = []
        error = error_of(lambda: reports.append(cache.import_(file)))
        was, after = before, cache.entries()
        before = after
        if seed % 8 == 0:
            assert error == error_of(lambda: preview_import(target, file))
        if error:
            assert after == was
            return
        (report,) = reports
        lines = 1 + file.read_bytes().count(b"\n")
        assert len(after) == len(was) + report.added
        assert name == "packed.zst" or report.added + report.known + report.bad_count < lines
        for record in after:
            check(record)
            assert name == "old.jsonl" or record.digest in digests
        assert json.dumps(report.to_dict(), allow_nan=False)
        assert "\n" not in str(report)

    return work


def error_of(work: Callable[[], object]) -> str:
    """What it says that went wrong, in one line; empty where nothing did."""
    told = ""
    try:
        work()
    except AutotuneError as error:
        told = str(error)
    assert "\n" not in told
    return told


def read_mutated(folder: Path, tmp_path: Path) -> Callable[[int], None]:
    content, file = (folder / "cache.sqlite").read_bytes(), tmp_path / "cache.sqlite"
    sound = tmp_path / "now.jsonl"
    sound.write_bytes((folder / "now.jsonl").read_bytes())

    def work(seed: int) -> None:
        for left in tmp_path.glob("cache.sqlite*"):
            left.unlink()
        file.write_bytes(mutated(content, seed))
        for use in (
            lambda: read.find(str(file), TARGET.key, WORKLOAD.key),
            lambda: lookup(WORKLOAD, target=TARGET, cache=str(file)),
            lambda: use_cache(file, sound),
        ):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                error_of(use)

    return work


def use_cache(file: Path, sound: Path) -> None:
    with Cache(file) as cache:
        for record in cache.entries():
            check(record)
        cache.misses()
        cache.speedups("matmul")
        cache.stats()
        cache.import_(sound)
        cache.put(made(seconds=5e-3))


@pytest.mark.parametrize("name", ["now.jsonl", "old.jsonl", "packed.zst"])
def test_damaged_export_is_an_error_or_a_part_of_it(
    folder: Path, tmp_path: Path, name: str
) -> None:
    run_all(QUICK, import_mutated(folder, name, tmp_path))


def test_damaged_database_is_an_error_or_a_part_of_it(folder: Path, tmp_path: Path) -> None:
    run_all(QUICK, read_mutated(folder, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["now.jsonl", "old.jsonl", "packed.zst"])
def test_ten_thousand_damaged_exports(folder: Path, tmp_path: Path, name: str) -> None:
    run_all(ALL, import_mutated(folder, name, tmp_path))


@pytest.mark.slow
def test_ten_thousand_damaged_databases(folder: Path, tmp_path: Path) -> None:
    run_all(ALL, read_mutated(folder, tmp_path))
