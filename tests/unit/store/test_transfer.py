from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autotune.errors import StoreError
from autotune.ops.base import parse_workload
from autotune.store.db import Cache, open_cache
from autotune.store.lines import MAX_LINE_BYTES
from autotune.store.transfer import read_export, write_aside
from tests.records import TARGET, WORKLOAD, made

OTHER = parse_workload("conv2d", "c=16,h=9,w=7,k=32,r=3,pad=1x0x2x1,bias=1,act=relu", layout="NHWC")


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An export of three records."""
    folder = tmp_path_factory.mktemp("export")
    with open_cache(folder / "from.sqlite") as cache:
        cache.put(made())
        cache.put(made(seconds=2e-3))
        cache.put(made(OTHER))
        assert cache.export(folder / "export.jsonl") == 3
    return (folder / "export.jsonl").read_bytes()


@pytest.fixture
def file(tmp_path: Path, exported: bytes) -> Path:
    path = tmp_path / "export.jsonl"
    path.write_bytes(exported)
    return path


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return open_cache(str(tmp_path / "to.sqlite"))


def test_export_then_import_carries_every_record(file: Path, cache: Cache) -> None:
    report = cache.import_(file)
    assert (report.added, report.known, report.bad, report.missing) == (3, 0, (), 0)
    found = {record.digest for record in cache.entries()}
    assert found == {made().digest, made(seconds=2e-3).digest, made(OTHER).digest}
    assert {(r.origin, r.verified) for r in cache.entries()} == {("imported", False)}


def test_strict_record_stays_strict_through_an_export(tmp_path: Path, cache: Cache) -> None:
    strict = made(parse_workload("matmul", "3x4x5", tolerance="strict"))
    with open_cache(tmp_path / "strict.sqlite") as source:
        source.put(strict)
        source.export(tmp_path / "strict.jsonl")
    assert cache.import_(tmp_path / "strict.jsonl").added == 1
    assert [record.key for record in cache.entries()] == [strict.key]
    assert strict.key.endswith("/tol=strict")


def test_record_aside_lies_beside_the_file_and_can_be_imported(
    tmp_path: Path, cache: Cache
) -> None:
    """F099."""
    files = [write_aside(str(tmp_path / "a b.jsonl"), made(seconds=s)) for s in (1e-3, 2e-3)]
    assert {Path(file).parent for file in files} == {tmp_path}
    assert all(Path(file).name.startswith("a b-") for file in files)
    assert [cache.import_(file).added for file in files] == [1, 1]


def test_record_aside_is_among_temporary_files_where_it_cannot_lie_beside(
    tmp_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    file = write_aside("/proc/none/run.jsonl", made())
    assert Path(file).parent.parent == tmp_path
    assert cache.import_(file).added == 1
    monkeypatch.setattr(tempfile, "tempdir", "/proc/none")
    with pytest.raises(StoreError):
        write_aside("/proc/none/run.jsonl", made())


def test_import_twice_is_import_once(file: Path, cache: Cache) -> None:
    cache.import_(file)
    before = cache.entries()
    report = cache.import_(file)
    assert (report.added, report.known) == (0, 3)
    assert cache.entries() == before


def test_import_never_touches_what_is_there(file: Path, cache: Cache) -> None:
    better = made(seconds=1e-5)
    cache.put(better)
    cache.put(made())
    cache.import_(file)
    assert cache.get(TARGET.key, WORKLOAD.key) == better
    assert made() in cache.entries()
    assert len(cache.entries()) == 4


def test_export_has_a_header_and_one_sorted_line_each(file: Path) -> None:
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert lines[0]["format"] == "autotune-cache"
    assert (lines[0]["format_version"], lines[0]["schema"], lines[0]["records"]) == (2, 3, 3)
    assert [line["key"] for line in lines[1:]] == sorted(line["key"] for line in lines[1:])


def test_export_replaces_the_file_whole_and_leaves_no_other(tmp_path: Path, cache: Cache) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    assert cache.export(path) == 0
    assert json.loads(path.read_text())["records"] == 0
    assert not list(tmp_path.glob(".export-*"))


def test_export_into_no_folder_is_a_plain_error(tmp_path: Path, cache: Cache) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        cache.export(tmp_path / "none" / "out.jsonl")
    with pytest.raises(StoreError, match="cannot be written"):
        cache.export(tmp_path)
    assert not list(tmp_path.glob(".export-*"))


Change = Callable[[dict[str, Any]], object]


def _set(path: str, value: Any) -> Change:
    def change(line: dict[str, Any]) -> None:
        *folders, name = path.split(".")
        for folder in folders:
            line = line[folder]
        line[name] = value

    change.__name__ = f"{path}={str(value)[:20]}"
    return change


CHANGES: list[Change] = [
    *(_set("seconds", value) for value in (0, -1.0, 1e400, "1", None, True, 5e-324)),
    *(_set("samples", value) for value in ([], [0.0], "x", None, [None])),
    *(_set("speedup_interval", value) for value in ([1.0], [2.0, 1.0], None, ["a", "b"])),
    *(_set("target", value) for value in ("", None, "x y/z/t1", 3)),
    *(_set("key", value) for value in ("", None, OTHER.key + "x")),
    *(_set("workload", value) for value in (None, {}, [])),
    *(_set("workload.op", value) for value in ("nope", None, "../base", 3)),
    *(_set("workload.shape", value) for value in ("", "m=1", None, "m=0,n=1,k=1", "x" * 5000)),
    *(_set("workload.dtype", value) for value in ("float16", None)),
    *(_set("workload.layout", value) for value in ("NCHW", None)),
    *(_set("workload.tolerance", value) for value in ("16", 0, -1, None, 17, "strict", "Strict")),
    *(_set("schedule", value) for value in (None, {}, [], "__import__('os')")),
    _set("schedule.version", 99),
    _set("schedule.nests", []),
    *(_set("codegen", value) for value in (1.5, "1", -1)),
    *(_set("created", value) for value in ("", None, "2026")),
    _set("seed", 2**70),
    _set("surprise", 1),
    lambda line: line.pop("llvm"),
]


def _name(change: Change) -> str:
    return change.__name__


@pytest.mark.parametrize("change", CHANGES, ids=_name)
def test_import_leaves_out_a_bad_line_and_names_it(file: Path, change: Change) -> None:
    header, *lines = file.read_text(encoding="utf-8").splitlines()
    position = next(n for n, line in enumerate(lines) if '"op":"matmul"' in line)
    loaded = json.loads(lines[position])
    change(loaded)
    lines[position] = json.dumps(loaded)
    file.write_text("\n".join([header, *lines]), encoding="utf-8")
    records, (bad,), missing = read_export(file)
    assert (len(records), missing) == (2, 0)
    assert bad.number == position + 2
    assert "\n" not in bad.message
    assert len(bad.message) < 500


@pytest.mark.parametrize(
    "line",
    [
        *(b"\xff\xfe\x80", b"null", b"[]", b"{", b"[" * 100_000, b"x" * (2 * MAX_LINE_BYTES)),
        *(b'{"a":' * 40 + b"1" + b"}" * 40, b'{"seconds":NaN}', b"\x80\x04\x95cposix\nsystem\n"),
    ],
    ids=range(9),
)
def test_import_of_hostile_lines_counts_them(file: Path, cache: Cache, line: bytes) -> None:
    """F092, F094: data only; nothing is executed, nothing is unbounded."""
    header, rest = file.read_bytes().split(b"\n", 1)
    file.write_bytes(b"\n".join([header, line.replace(b"\n", b" "), rest]))
    report = cache.import_(file)
    assert (report.added, [bad.number for bad in report.bad]) == (3, [2])
    assert str(report).startswith("3 records added, 0 already there; 1 bad lines skipped (line 2: ")


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("", "is empty"),
        ("{}", "not the header"),
        ("null", "not the header"),
        ("no json", "not the header"),
        ('{"format":"other"}', "not the header"),
        ('{"format":"autotune-cache"}', "format_version None"),
        ('{"format":"autotune-cache","format_version":3,"schema":1,"records":0}', "up to 2"),
        ('{"format":"autotune-cache","format_version":1,"schema":9,"records":0}', "schema 9"),
        ('{"format":"autotune-cache","format_version":1,"schema":1}', "records=None"),
    ],
)
def test_import_with_a_wrong_header_changes_nothing(
    file: Path, cache: Cache, header: str, told: str
) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()[1:] if header else []
    file.write_text("\n".join([header, *lines]), encoding="utf-8")
    with pytest.raises(StoreError, match=told):
        cache.import_(file)
    assert cache.entries() == []


def test_import_of_a_file_that_was_cut_short_says_how_much_is_missing(
    file: Path, cache: Cache
) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: content.index(b"\n", content.index(b"\n") + 1) + 1])
    report = cache.import_(file)
    assert (report.added, report.missing) == (1, 2)
    assert "cut short: 2 records are missing" in str(report)


def test_import_of_another_machines_records_keeps_them_apart(file: Path, cache: Cache) -> None:
    text = file.read_text(encoding="utf-8").replace("x86-64-v3/", "intel-6-207/")
    file.write_text(text, encoding="utf-8")
    assert cache.import_(file).added == 3
    assert cache.get(TARGET.key, WORKLOAD.key) is None


def test_import_report_as_json_and_line(file: Path, cache: Cache) -> None:
    report = cache.import_(file)
    assert report.to_dict() == {"added": 3, "known": 0, "missing": 0, "bad": []}
    assert str(report) == "3 records added, 0 already there"


def test_import_from_no_file_is_a_plain_error(tmp_path: Path, cache: Cache) -> None:
    for odd in (tmp_path, tmp_path / "none", Path("/dev/zero")):
        with pytest.raises(StoreError):
            cache.import_(odd)
