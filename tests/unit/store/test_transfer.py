from __future__ import annotations

import json
import pickle
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from autotune.errors import StoreError, UsageError
from autotune.ops.base import parse_workload
from autotune.store import transfer
from autotune.store.db import Cache, open_cache
from autotune.store.lines import MAX_LINE_BYTES
from autotune.store.preview import preview_import
from autotune.store.record import utc_now
from autotune.store.transfer import read_export, write_aside
from tests.postgres import Server
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
    assert (lines[0]["format_version"], lines[0]["schema"], lines[0]["records"]) == (3, 3, 3)
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
    del loaded["record"]  # every field is looked at, not only the digest of all
    lines[position] = json.dumps(loaded)
    file.write_text("\n".join([header, *lines]), encoding="utf-8")
    read = read_export(file)
    (bad,) = read.bad
    assert (len(read.records), read.bad_count, read.missing) == (2, 1, 0)
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


V3 = '{"format":"autotune-cache","format_version":3,"schema":3,"records":0'


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("", "is empty"),
        ("{}", "not the header"),
        ("null", "not the header"),
        ("no json", "not the header"),
        ('{"format":"other"}', "not the header"),
        ('{"format":"autotune-cache"}', "format_version None"),
        ('{"format":"autotune-cache","format_version":4,"schema":1,"records":0}', "up to 3"),
        ('{"format":"autotune-cache","format_version":1,"schema":9,"records":0}', "schema 9"),
        ('{"format":"autotune-cache","format_version":1,"schema":1}', "records=None"),
        (f"{V3}}}", "targets=None"),
        (f'{V3},"targets":[]}}', "targets="),
        (f'{V3},"targets":{{"x":"1"}}}}', "targets="),
        (f'{V3},"targets":{{}}}}', "sha256=None"),
        (f'{V3},"targets":{{}},"sha256":"0"}}', "sha256='0'"),
        (f'{V3},"targets":{{}},"sha256":"{"0" * 64}","signature":1}}', "signature=1"),
        (f'{V3},"created":"a\\nb"}}', "created="),
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


def test_import_of_another_machines_records_keeps_them_apart(tmp_path: Path, cache: Cache) -> None:
    other = TARGET.key.replace("x86-64-v3/", "intel-6-207/")
    with open_cache(tmp_path / "other.sqlite") as source:
        source.put(made(target_key=other))
        source.export(tmp_path / "other.jsonl")
    report = cache.import_(tmp_path / "other.jsonl")
    assert (report.added, report.targets) == (1, {other: 1})
    assert cache.get(TARGET.key, WORKLOAD.key) is None


def test_import_report_as_json_and_line(file: Path, cache: Cache) -> None:
    report = cache.import_(file)
    told = report.to_dict()
    assert told.pop("created") <= utc_now()
    assert told == {
        "added": 3,
        "known": 0,
        "missing": 0,
        "skipped": 0,
        "bad": [],
        "intact": True,
        "signed": False,
        "format_version": 3,
        "schema": 3,
        "targets": {TARGET.key: 3},
        "stale": 0,
    }
    assert str(report) == "3 records added, 0 already there"


def test_line_that_was_changed_is_left_out_though_each_field_is_fine(
    file: Path, cache: Cache
) -> None:
    """A faster time than was measured, say: the digest of the line is not that of its fields."""
    file.write_bytes(file.read_bytes().replace(b'"seconds":0.001,', b'"seconds":1e-09,', 1))
    report = cache.import_(file)
    assert (report.added, report.bad_count, report.is_intact, report.is_whole) == (
        2,
        1,
        False,
        False,
    )
    assert "the line was changed" in report.bad[0].message


def test_file_that_lost_its_order_says_that_its_checksum_does_not_fit(
    file: Path, cache: Cache
) -> None:
    header, *lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([header, *reversed(lines)]))
    report = cache.import_(file)
    assert (report.added, report.bad_count, report.missing, report.is_intact) == (3, 0, 0, False)
    assert "not what its checksum says" in str(report)


def test_whole_numbers_are_the_same_record_as_the_database_keeps(tmp_path: Path) -> None:
    """A writer of JSON may leave out `.0`: that is no other measurement."""
    with open_cache(tmp_path / "a.sqlite") as cache:
        cache.put(made(gflops=10.0, speedup=2.0))
        cache.export(tmp_path / "a.jsonl")
        text = (tmp_path / "a.jsonl").read_text(encoding="utf-8")
        assert '"gflops":10.0' in text
        text = text.replace('"gflops":10.0', '"gflops":10').replace('"speedup":2.0', '"speedup":2')
        (tmp_path / "b.jsonl").write_text(text, encoding="utf-8")
        assert cache.import_(tmp_path / "b.jsonl").known == 1


def test_old_file_says_of_which_format_it_is(root: Path, cache: Cache) -> None:
    report = cache.import_(root / "tests" / "data" / "export-v1.jsonl")
    told = str(report)
    assert "a file of format 1, written 2026-11-30T20:25:02Z, without checksums" in told
    assert told.endswith("1 are stale here")
    assert (report.format_version, report.schema_version, report.is_whole) == (1, 1, True)


FOREIGN = [
    (b"SQLite format 3\0" + bytes(100), "an SQLite database; name it with --cache"),
    (b"\x1f\x8b\x08" + bytes(100), "compressed with gzip"),
    (b"\xfd7zXZ\0" + bytes(100), "compressed with xz"),
    (b"BZh91AY", "compressed with bzip2"),
    (b"PK\x03\x04" + bytes(30), "a zip archive"),
    (b"\x7fELF" + bytes(30), "object code"),
    (pickle.dumps({"a": 1}), "a Python pickle, which is never loaded"),
    (bytes(20), "no text"),
    (b'{"kind":"header","log_version":3}\n', "the log of a run"),
    (b'{"input":[],"config":{},"result":[],"version":0.2}\n', "a log of TVM's AutoTVM"),
    (b'{"i":[],"r":[],"v":"v0.6"}\n', "a log of TVM's auto-scheduler"),
    (b'["-123","eyJ9"]\n[0,[]]\n', "a database of TVM's MetaSchedule"),
    (b'{"device_name":"x","kernel_name":"y"}', "a cache of Kernel Tuner"),
]


@pytest.mark.parametrize(("content", "told"), FOREIGN, ids=[told for _, told in FOREIGN])
def test_foreign_file_says_what_it_is(
    tmp_path: Path, cache: Cache, content: bytes, told: str
) -> None:
    """F092, F094: and nothing of it is loaded."""
    (tmp_path / "foreign").write_bytes(content)
    with pytest.raises(StoreError) as caught:
        cache.import_(tmp_path / "foreign")
    assert told in str(caught.value)
    assert str(caught.value).endswith("nothing was imported")
    assert "\n" not in str(caught.value)
    assert cache.entries() == []


# --- which records are exported ----------------------------------------------------------------


@pytest.fixture
def full(tmp_path: Path) -> Cache:
    """A cache with records of two operators, two targets and two days."""
    return _filled(str(tmp_path / "full.sqlite"))


@pytest.fixture
def anywhere(location: str) -> Cache:
    """The same, in a file and on a server."""
    return _filled(location)


def _filled(location: str) -> Cache:
    cache = open_cache(location)
    cache.put(made(seconds=1e-3, created="2026-01-01T00:00:00Z"))
    cache.put(made(seconds=2e-3, created="2026-03-01T00:00:00Z"))
    cache.put(made(seconds=1e-4, origin="imported", verified=False))
    cache.put(made(OTHER))
    cache.put(made(OTHER, target_key="amd-25-17/avx_x+avx2/t4"))
    return cache


@pytest.mark.parametrize(
    ("chosen", "seconds"),
    [
        ({}, [1e-3, 1e-3, 1e-3, 2e-3, 1e-4]),
        ({"op": "matmul"}, [1e-3, 2e-3, 1e-4]),
        ({"op": "conv2d", "target": "amd-25-17"}, [1e-3]),
        ({"target": "/t4"}, [1e-3]),
        ({"target": "avx_x"}, [1e-3]),
        ({"target": "avx%2"}, []),
        ({"target": "avx!x"}, []),
        ({"since": "2026-03-01T00:00:00Z"}, [2e-3]),
        ({"op": "matmul", "best": 1}, [1e-3]),
        ({"op": "matmul", "best": 2}, [1e-3, 2e-3]),
        ({"best": 1}, [1e-3, 1e-3, 1e-3]),
        ({"op": "none"}, []),
    ],
)
def test_export_takes_what_was_asked_for(
    anywhere: Cache, tmp_path: Path, chosen: dict[str, Any], seconds: list[float]
) -> None:
    path = tmp_path / "chosen.jsonl"
    assert anywhere.export(path, **chosen) == len(seconds)
    read = read_export(path)
    assert [record.seconds for record in read.records] == seconds
    assert read.is_whole
    assert sum(read.header.targets.values()) == len(seconds)


def test_import_on_either_database_adds_each_once(
    anywhere: Cache, tmp_path: Path, location: str
) -> None:
    path = tmp_path / "all.jsonl"
    anywhere.export(path)
    with open_cache(tmp_path / "other.sqlite") as other:
        assert other.import_(path).added == 5
        other.put(made(seconds=7e-3))
        other.export(path)
    report = anywhere.import_(path)
    assert (report.added, report.known) == (1, 5)
    assert len(anywhere.entries()) == 6


# --- what would change -------------------------------------------------------------------------


def test_preview_tells_what_would_change_and_writes_nothing(
    anywhere: Cache, tmp_path: Path
) -> None:
    new = parse_workload("matmul", "m=5,n=6,k=7")
    with open_cache(tmp_path / "from.sqlite") as source:
        source.put(made(seconds=1e-9))
        source.put(made(seconds=1e-3, created="2026-01-01T00:00:00Z"))
        source.put(made(new, seconds=4e-3))
        source.export(tmp_path / "f.jsonl")
    before = anywhere.entries()
    report = preview_import(anywhere.location, tmp_path / "f.jsonl")
    assert anywhere.entries() == before
    assert (report.added, report.known) == (2, 1)
    assert str(report) == "2 records would be added, 1 already there"
    assert report.changes is not None
    told = [(c.workload_key, c.new, c.before_s, c.after_s, c.is_other) for c in report.changes]
    # The foreign record is faster, and still what was measured here answers.
    assert told == [(WORKLOAD.key, 1, 1e-3, 1e-3, False), (new.key, 1, None, 4e-3, True)]
    taken = anywhere.import_(tmp_path / "f.jsonl")
    assert (taken.added, taken.known, taken.changes) == (2, 1, None)
    for change in report.changes:
        best = anywhere.get(change.target_key, change.workload_key)
        assert best is not None
        assert best.seconds == change.after_s
    (first, _) = report.to_dict()["changes"]
    assert first == {
        "target": TARGET.key,
        "key": WORKLOAD.key,
        "new": 1,
        "before": 1e-3,
        "after": 1e-3,
        "answer_changes": False,
    }


def test_preview_of_an_absent_cache_makes_none(file: Path, tmp_path: Path) -> None:
    report = preview_import(tmp_path / "none" / "c.sqlite", file)
    assert (report.added, report.known) == (3, 0)
    assert not (tmp_path / "none").exists()


def test_preview_of_a_server_that_holds_nothing_says_so(server: Server, file: Path) -> None:
    with pytest.raises(StoreError, match="holds nothing yet"):
        preview_import(server.new_database(), file)


# --- compressed and signed ---------------------------------------------------------------------


def test_compressed_export_holds_the_same(full: Cache, tmp_path: Path, cache: Cache) -> None:
    plain, packed = tmp_path / "f.jsonl", tmp_path / "f.jsonl.zst"
    assert full.export(plain) == full.export(packed) == 5
    assert packed.stat().st_size < plain.stat().st_size / 2
    assert read_export(packed).records == read_export(plain).records
    renamed = tmp_path / "renamed"
    packed.rename(renamed)
    assert cache.import_(renamed).added == 5


def test_compressed_export_that_is_damaged_changes_nothing(
    full: Cache, tmp_path: Path, cache: Cache
) -> None:
    packed = tmp_path / "f.zst"
    full.export(packed)
    content = bytearray(packed.read_bytes())
    content[len(content) // 2] ^= 0xFF
    packed.write_bytes(content)
    with pytest.raises(StoreError, match="cannot be unpacked"):
        cache.import_(packed)
    assert cache.entries() == []


def test_content_without_end_is_refused(
    tmp_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch, exported: bytes
) -> None:
    """F094: a small file that unpacks to a large one."""
    monkeypatch.setattr(transfer, "MAX_CONTENT_BYTES", 2**20)
    bomb = exported + b"\n" * 2**21
    (tmp_path / "bomb.zst").write_bytes(zstandard.ZstdCompressor().compress(bomb))
    with pytest.raises(StoreError, match="more than 1048576 bytes; nothing was imported"):
        cache.import_(tmp_path / "bomb.zst")
    assert cache.entries() == []


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Files of keys: `private` and `public` of one pair, and others."""
    folder = tmp_path_factory.mktemp("keys")
    pem = serialization.Encoding.PEM
    open_form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    secret = serialization.BestAvailableEncryption(b"word")
    mine, other = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    elliptic = ec.generate_private_key(ec.SECP256R1())
    spki = serialization.PublicFormat.SubjectPublicKeyInfo
    contents = {
        "private": mine.private_bytes(pem, open_form, plain),
        "public": mine.public_key().public_bytes(pem, spki),
        "stranger": other.public_key().public_bytes(pem, spki),
        "encrypted": mine.private_bytes(pem, open_form, secret),
        "elliptic": elliptic.private_bytes(pem, open_form, plain),
        "elliptic-public": elliptic.public_key().public_bytes(pem, spki),
        "text": b"no key at all",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return {name: str(folder / name) for name in [*contents, "none", "."]}


@pytest.fixture
def signed(tmp_path: Path, full: Cache, keys: dict[str, str]) -> Path:
    path = tmp_path / "signed.jsonl"
    full.export(path, key_file=keys["private"])
    return path


def test_signed_export_is_imported_with_and_without_a_look_at_it(
    signed: Path, cache: Cache, keys: dict[str, str]
) -> None:
    assert preview_import(cache.location, signed, keys["public"]).added == 5
    assert cache.import_(signed, keys["public"]).added == 5
    assert cache.import_(signed).is_signed


def test_export_signed_by_a_stranger_or_nobody_changes_nothing(
    signed: Path, file: Path, cache: Cache, keys: dict[str, str]
) -> None:
    with pytest.raises(StoreError, match="not signed by the owner"):
        cache.import_(signed, keys["stranger"])
    with pytest.raises(StoreError, match="is not signed; nothing was imported"):
        cache.import_(file, keys["public"])
    assert cache.entries() == []


@pytest.mark.parametrize("place", ["header", "body", "end", "signature"])
def test_signed_export_that_was_changed_anywhere_changes_nothing(
    signed: Path, cache: Cache, keys: dict[str, str], place: str
) -> None:
    header, _, body = signed.read_bytes().partition(b"\n")
    changed = {
        "header": header.replace(b'"records":5', b'"records":4') + b"\n" + body,
        "body": header + b"\n" + body.replace(b"0.001", b"0.002", 1),
        "end": header + b"\n" + body.rstrip(b"\n").rpartition(b"\n")[0] + b"\n",
        "signature": header.replace(b'"signature":"', b'"signature":"!') + b"\n" + body,
    }[place]
    assert changed != signed.read_bytes()
    signed.write_bytes(changed)
    with pytest.raises(StoreError, match=r"nothing was imported"):
        cache.import_(signed, keys["public"])
    assert cache.entries() == []


@pytest.mark.parametrize("name", ["public", "encrypted", "elliptic", "text", "none", "."])
def test_what_is_no_private_key_signs_nothing(
    tmp_path: Path, full: Cache, keys: dict[str, str], name: str
) -> None:
    with pytest.raises(UsageError, match=r"^key '.*allowed: a PEM file"):
        full.export(tmp_path / "f.jsonl", key_file=keys[name])
    assert not (tmp_path / "f.jsonl").exists()


@pytest.mark.parametrize("name", ["private", "elliptic-public", "text", "none", "."])
def test_what_is_no_public_key_is_trusted_by_nobody(
    signed: Path, cache: Cache, keys: dict[str, str], name: str
) -> None:
    with pytest.raises(UsageError, match=r"^key '.*allowed: a PEM file"):
        cache.import_(signed, keys[name])
    assert cache.entries() == []


@pytest.mark.parametrize(("package", "extra"), [("zstandard", "zstd"), ("cryptography", "sign")])
def test_missing_package_is_told_with_what_brings_it(
    tmp_path: Path,
    full: Cache,
    keys: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    package: str,
    extra: str,
) -> None:
    full.export(tmp_path / "f.zst", key_file=keys["private"])
    before = (tmp_path / "f.zst").read_bytes()
    monkeypatch.setitem(sys.modules, package, None)
    brought = rf"pip install 'autotune-kernels\[{extra}\]'"
    with pytest.raises(UsageError, match=brought):
        full.export(tmp_path / "f.zst", key_file=keys["private"])
    with pytest.raises(UsageError, match=brought):
        full.import_(tmp_path / "f.zst", keys["public"])
    assert (tmp_path / "f.zst").read_bytes() == before


def test_import_from_no_file_is_a_plain_error(tmp_path: Path, cache: Cache) -> None:
    for odd in (tmp_path, tmp_path / "none", Path("/dev/zero")):
        with pytest.raises(StoreError):
            cache.import_(odd)
