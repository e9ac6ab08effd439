from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from autotune.errors import StoreError
from autotune.ops.base import parse_workload
from autotune.store import schema
from autotune.store.record import Record, check, from_row, utc_now
from autotune.trial import CODEGEN_VERSION
from tests.records import made


def test_row_read_back_is_the_same_record() -> None:
    record = made(speedup_interval=(0.1, 0.3), samples_s=(1e-9, 1 / 3))
    assert from_row(record.to_row(), "") == record
    assert from_row(record.to_row(), "").digest == record.digest


def test_cliff_read_back_is_the_same_and_part_of_the_measurement() -> None:
    record = made(cliff=1.5, cliff_interval=(1.25, 1.75), verified_at="2026-02-01T00:00:00Z")
    assert from_row(record.to_row(), "") == record
    assert record.digest != made().digest
    assert replace(record, verified_at=None).digest == record.digest


@pytest.mark.parametrize(
    ("cliff", "interval"),
    [
        (1.5, None),
        (None, (1.0, 2.0)),
        (1.5, (2.0, 1.0)),
        (1.5, (None, 2.0)),
        (math.inf, (1.0, 2.0)),
        (0.0, (0.0, 1.0)),
    ],
)
def test_cliff_that_no_measurement_has_is_refused(cliff: Any, interval: Any) -> None:
    with pytest.raises(StoreError, match="record field cliff"):
        check(made(cliff=cliff, cliff_interval=interval))


def test_strict_workload_read_back_is_strict_and_another_key() -> None:
    loose, strict = (parse_workload("matmul", "3x4x5", tolerance=t) for t in (16.0, "strict"))
    record = made(strict)
    assert from_row(record.to_row(), "") == record
    assert record.key == f"{loose.key.removesuffix('16')}strict"
    assert record.to_row()["tolerance"] == 16.0


def test_digest_covers_the_measurement_and_not_where_it_came_from() -> None:
    record = made()
    assert replace(record, origin="imported", verified=False, is_stale=True).digest == record.digest
    for change in ({"seconds": 2e-3}, {"seed": 1}, {"llvm": "1"}, {"machine": "other"}):
        assert replace(record, **change).digest != record.digest


def test_digest_of_a_known_record_is_stable() -> None:
    record = made()
    assert len(record.digest) == 32
    assert json.loads(json.dumps(record.to_dict())) == record.to_dict()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 0.0, -0.0, -1.0, 5e-324, 1e10])
@pytest.mark.parametrize("name", ["seconds", "baseline_seconds"])
def test_time_that_no_measurement_has_is_refused(name: str, value: float) -> None:
    with pytest.raises(StoreError, match=f"record field {name} is .*allowed"):
        check(made(**{name: value}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seconds", "1"),
        ("seconds", True),
        ("gflops", math.inf),
        ("gflops", 0.0),
        ("speedup", math.nan),
        ("speedup_interval", (2.0, 1.0)),
        ("speedup_interval", (-1.0, 1.0)),
        ("speedup_interval", (0.5, math.inf)),
        ("error_units", -1.0),
        ("error_units", math.nan),
        ("samples_s", ()),
        ("samples_s", (1e-3, 0.0)),
        ("samples_s", (1e-3,) * 10_001),
        ("trials", -1),
        ("trials", 1.5),
        ("seed", 2**63),
        ("codegen", None),
        ("llvm", "x" * 201),
        ("machine", "a\nb"),
        ("version", None),
        ("target_key", ""),
        ("target_key", "a/b"),
        ("target_key", "a/b/t1'; DROP TABLE records"),
        ("created", "yesterday"),
        ("origin", "stolen"),
    ],
)
def test_field_that_no_record_has_is_refused(name: str, value: Any) -> None:
    with pytest.raises(StoreError, match=r"record field .* is .*; allowed: "):
        check(replace(made(), **{name: value}))


def test_record_is_stale_by_code_generator_or_a_known_llvm() -> None:
    row = made(llvm="22.1.0").to_row()
    assert not from_row(row, "").is_stale
    assert not from_row(row, "22.1.0").is_stale
    assert from_row(row, "21.0.0").is_stale
    assert from_row({**row, "codegen": CODEGEN_VERSION + 1}, "").is_stale


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("schedule", "{"),
        ("schedule", "[" * 100_000),
        ("schedule", "{}"),
        ("samples", "null"),
        ("samples", '["x"]'),
        ("seconds", None),
        ("workload_key", "another"),
        ("tolerance", "x"),
    ],
)
def test_broken_row_is_named_by_its_digest(name: str, value: Any) -> None:
    row = {**made().to_row(), name: value}
    with pytest.raises(StoreError, match=f"record {made().digest} is broken"):
        from_row(row, "")


@pytest.mark.parametrize("name", sorted(schema.RECORD_COLUMNS))
def test_row_without_a_column_is_broken_unless_older_tables_lack_it(name: str) -> None:
    unread = {"digest", "schedule_digest", "cliff_high"}
    added = {"cache_policy", "ties", "verified_at", "cliff_low"}
    row = {column: value for column, value in made().to_row().items() if column != name}
    if name in unread | added:
        assert from_row(row, "") == made()
        return
    with pytest.raises(StoreError, match=f"record {made().digest} is broken"):
        from_row(row, "")


def test_broken_row_without_a_digest_is_named_so() -> None:
    row = {**made().to_row(), "seconds": None}
    del row["digest"]
    with pytest.raises(StoreError, match="record without a digest is broken"):
        from_row(row, "")


def test_now_is_of_the_accepted_form() -> None:
    check(made(created=utc_now()))


def test_entry_has_what_the_contract_names() -> None:
    entry = made().to_entry()
    names = "key target op shape seconds gflops speedup schedule digest verified stale created"
    assert all(name in entry for name in names.split())
    assert entry["digest"] == made().schedule.digest
    assert isinstance(made(), Record)
