"""Every operation of a cache, in a file and on a server: the same answers."""

from __future__ import annotations

import math
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from autotune.errors import StoreError, UsageError
from autotune.ops.base import parse_workload
from autotune.store import paths, schema, toolchain
from autotune.store.db import Cache, open_cache
from autotune.store.pruning import Reasons, doomed
from autotune.trial import CODEGEN_VERSION
from tests.postgres import Server
from tests.records import TARGET, WORKLOAD, made, missed

OTHER = parse_workload("matmul", "m=64,n=48,k=16")
CONV = parse_workload("conv2d", "c=16,h=8,k=16,r=3,pad=1")


@pytest.fixture
def cache(location: str) -> Cache:
    return open_cache(location)


def test_put_then_get_gives_every_field_back(cache: Cache) -> None:
    record = made(
        samples_s=(1 / 3, 2 / 3, 5e-12),
        gflops=1 / 7,
        speedup=2 / 3,
        speedup_interval=(0.1, 0.3),
        seed=2**63 - 1,
        machine="'; DROP TABLE records; -- é €",
        cache_policy="rotating",
        ties=("00ff00ff",),
        cliff=1.5,
        cliff_interval=(1.25, 1 / 3 + 2),
        verified_at="2026-02-01T00:00:00Z",
    )
    assert cache.get(TARGET.key, WORKLOAD.key) is None
    assert cache.put(record)
    assert not cache.put(record)
    found = cache.get(TARGET.key, WORKLOAD.key)
    assert found is not None
    assert replace(found, is_stale=False) == record
    assert found.digest == record.digest
    assert cache.get("other/baseline/t1", WORKLOAD.key) is None


def test_put_of_an_impossible_time_is_refused(cache: Cache) -> None:
    """F078."""
    for seconds in (math.nan, math.inf, 0.0, -0.0, -1.0, 5e-324):
        with pytest.raises(StoreError, match="record field seconds"):
            cache.put(made(seconds=seconds))
    assert cache.entries() == []


def test_table_itself_refuses_what_no_measurement_has(cache: Cache) -> None:
    row = made().to_row()
    for name, value in (("seconds", -1.0), ("cliff", 0.0), ("origin", "stolen"), ("verified", 2)):
        with pytest.raises(StoreError, match="cannot be used"), cache._writing() as connection:
            connection.execute(text(schema.WRITE_RECORD), {**row, name: value})
    assert cache.entries() == []
    assert cache.put(made())


def test_one_cache_answers_whatever_a_lookup_asks(cache: Cache) -> None:
    cache.put(made())
    cache.put(made(OTHER, speedup=3.0, created="2027-01-31T12:00:00Z"))
    cache.put(made(OTHER, target_key="amd-25-17/avx/t1", error_units=100.0))
    assert sorted(cache.targets(OTHER.key)) == ["amd-25-17/avx/t1", TARGET.key]
    assert sorted(cache.relatives(TARGET.key, WORKLOAD)) == sorted(
        [(WORKLOAD.key, WORKLOAD.shape), (OTHER.key, OTHER.shape)]
    )
    assert cache.relatives("amd-25-17/avx/t1", WORKLOAD) == []
    assert sorted(cache.speedups("matmul")) == [2.0, 2.0, 3.0]
    assert cache.speedups("conv2d") == []


def test_misses_are_counted_until_the_key_is_tuned(cache: Cache) -> None:
    for _ in range(3):
        cache.note_misses([missed()])
    cache.note_misses([missed(OTHER)])
    told = [(miss["key"], miss["target"], miss["count"]) for miss in cache.misses()]
    assert told == [(WORKLOAD.key, TARGET.key, 3), (OTHER.key, TARGET.key, 1)]
    cache.put(made())
    assert [miss["key"] for miss in cache.misses()] == [OTHER.key]


def test_notes_of_llvm_are_kept_with_local_records_alone(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolchain, "installed_llvmlite", lambda: "0.50.0")
    cache.put(made(origin="imported", llvm="14.0.0"))
    assert toolchain.NOTE + "0.50.0" not in cache.meta()
    cache.put(made(llvm="22.1.0"))
    assert cache.meta()[toolchain.NOTE + "0.50.0"] == "22.1.0"
    assert {r.llvm: r.is_stale for r in cache.entries()} == {"22.1.0": False, "14.0.0": True}


def test_check_writable_changes_nothing(cache: Cache) -> None:
    before = cache.meta()
    cache.check_writable()
    assert cache.meta() == before


def test_row_that_is_broken_is_left_out_with_a_warning_and_pruned(cache: Cache) -> None:
    """F083."""
    cache.put(made())
    cache.put(made(seconds=2e-3))
    with cache._writing() as connection:
        connection.exec_driver_sql("UPDATE records SET schedule = '{' WHERE seconds = 0.001")
    with pytest.warns(UserWarning, match="is broken"):
        assert [record.seconds for record in cache.entries()] == [2e-3]
    assert cache.prune(Reasons(broken=True)) == {"removed": {"broken": 1}, "left": 1}
    assert [record.seconds for record in cache.entries()] == [2e-3]


def test_documented_sql_runs_and_says_what_the_cache_says(cache: Cache, root: Path) -> None:
    """As a compiler would do that has nothing but the document."""
    cache.put(made())
    cache.put(made(seconds=1e-9, origin="imported", verified=False))
    known = {
        **WORKLOAD.to_columns(),
        "target_key": TARGET.key,
        "workload_key": WORKLOAD.key,
        "codegen": CODEGEN_VERSION,
        "llvm": "",
        "count": 1,
        "first_seen": "2026-02-01T00:00:00Z",
        "last_seen": "2026-02-01T00:00:00Z",
    }
    document = (root / "docs" / "cache.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sql\n(.*?)\n```", document, re.DOTALL)
    tables, meta, best, targets, relatives, miss = blocks
    with cache._transaction() as connection:
        for statement in tables.split(";\n\n"):
            connection.execute(text(statement.removesuffix(";")))
        found = {
            block: [
                dict(row) for row in connection.execute(text(block), _only(block, known)).mappings()
            ]
            for block in (meta, best, targets, relatives)
        }
        for _ in range(2):
            connection.execute(
                text(miss), _only(miss, {**known, "target_key": "other/baseline/t1"})
            )
    assert {row["name"]: row["value"] for row in found[meta]} == cache.meta()
    assert [row["digest"] for row in found[best]] == [
        record.digest for record in cache.ranked(TARGET.key, WORKLOAD.key)
    ]
    assert [row["target_key"] for row in found[targets]] == cache.targets(WORKLOAD.key)
    assert [(row["workload_key"], row["shape"]) for row in found[relatives]] == cache.relatives(
        TARGET.key, WORKLOAD
    )
    assert [(miss["target"], miss["count"]) for miss in cache.misses()] == [
        ("other/baseline/t1", 2)
    ]


def _only(statement: str, known: dict[str, object]) -> dict[str, object]:
    """The parameters that a statement names."""
    return {name: known[name] for name in re.findall(r":([a-z_]+)", statement)}


# --- pruning -----------------------------------------------------------------------------------


def test_prune_leaves_the_best_of_each_key(cache: Cache) -> None:
    for seconds in (3e-3, 1e-3, 2e-3):
        cache.put(made(seconds=seconds))
        cache.put(made(CONV, seconds=seconds))
    planned = cache.prune(Reasons(keep=2), dry_run=True)
    assert planned == {"removed": {"keep": 2}, "left": 4}
    assert len(cache.entries()) == 6
    assert cache.prune(Reasons(keep=2)) == planned
    assert cache.prune(Reasons(keep=1), op="conv2d") == {"removed": {"keep": 1}, "left": 1}
    assert cache.prune(Reasons(keep=1), target="none") == {"removed": {}, "left": 0}
    assert [record.seconds for record in cache.entries()] == [1e-3, 1e-3, 2e-3]


def test_prune_by_each_reason_counts_it_once(cache: Cache) -> None:
    cache.put(made(codegen=CODEGEN_VERSION + 1, origin="imported", verified=False))
    cache.put(made(origin="imported", verified=False))
    cache.put(made(origin="imported", verified=True, seconds=4e-3))
    cache.put(made(seconds=2e-3))
    told = cache.prune(Reasons(keep=1, stale=True, imported=True))
    assert told == {"removed": {"stale": 1, "imported": 1, "keep": 1}, "left": 1}
    assert [record.origin for record in cache.entries()] == ["local"]


def test_prune_of_one_reason_leaves_the_rest() -> None:
    records = {
        "stale": replace(made(), is_stale=True),
        "foreign": made(origin="imported", verified=False),
        "verified": made(origin="imported"),
        "ours": made(),
    }
    assert doomed(records, Reasons(stale=True)) == {"stale": "stale"}
    assert doomed(records, Reasons(imported=True)) == {"foreign": "imported"}
    assert doomed(records, Reasons(broken=True)) == {}
    assert list(doomed(records, Reasons(keep=3))) == ["ours"]


def test_prune_without_a_reason_is_refused() -> None:
    with pytest.raises(UsageError, match="allowed: --keep K, --stale, --imported, --broken"):
        Reasons()


# --- counting ----------------------------------------------------------------------------------


def test_stats_agree_with_the_entries(cache: Cache, location: str) -> None:
    empty = cache.stats()
    assert (empty.records, empty.keys, empty.oldest, empty.ops) == (0, 0, None, {})
    cache.put(made())
    cache.put(made(seconds=2e-3, created="2027-01-31T12:00:00Z"))
    cache.put(made(CONV, codegen=CODEGEN_VERSION + 1))
    cache.put(made(CONV, target_key="amd-25-17/avx/t1", origin="imported", verified=False))
    cache.note_misses([missed(OTHER)])
    told, entries = cache.stats().to_dict(), cache.entries()
    assert told["records"] == len(entries) == 4
    assert told["keys"] == len({(r.target_key, r.key) for r in entries}) == 3
    for name, count in (
        ("local", sum(r.origin == "local" for r in entries)),
        ("imported", sum(r.origin == "imported" for r in entries)),
        ("verified", sum(r.verified for r in entries)),
        ("stale", sum(r.is_stale for r in entries)),
        ("misses", 1),
    ):
        assert told[name] == count, name
    assert (told["oldest"], told["newest"]) == ("2026-01-31T12:00:00Z", "2027-01-31T12:00:00Z")
    assert told["ops"] == {"conv2d": 2, "matmul": 2}
    assert told["targets"] == {TARGET.key: 3, "amd-25-17/avx/t1": 1}
    assert told["schema"] == schema.VERSION
    assert (told["bytes"] is not None) == paths.is_file(location)


def test_size_of_a_file_that_is_gone_is_a_plain_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be read"):
        paths.size_bytes(str(tmp_path / "none"))


def test_records_move_between_a_file_and_a_server(server: Server, tmp_path: Path) -> None:
    """And what comes back is known."""
    there, here = server.new_database(), tmp_path / "here.sqlite"
    with Cache(there) as on_server, Cache(here) as in_file:
        on_server.put(made(cliff=2.0, cliff_interval=(1.5, 2.5)))
        on_server.export(tmp_path / "a.jsonl")
        assert in_file.import_(tmp_path / "a.jsonl").added == 1
        in_file.put(made(CONV))
        in_file.export(tmp_path / "b.jsonl")
        report = on_server.import_(tmp_path / "b.jsonl")
        assert (report.added, report.known) == (1, 1)
        assert {r.digest for r in on_server.entries()} == {r.digest for r in in_file.entries()}
    with closing(sqlite3.connect(here)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
