from __future__ import annotations

import importlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from typer.testing import CliRunner

from autotune.cli import app
from autotune.ir.default import default_schedule
from autotune.ops.base import contraction, parse_workload
from autotune.store.db import open_cache
from autotune.store.misses import Miss, note
from autotune.store.record import Record
from autotune.targets.detect import host, resolve

TARGET = resolve("x86-64-v3")


def record(op: str, shape: str, seconds: float = 1e-3) -> Record:
    """A tuned record as a run would leave it."""
    workload = parse_workload(op, shape)
    return Record(
        target_key=TARGET.key,
        workload=workload,
        schedule=default_schedule(contraction(workload), TARGET),
        seconds=seconds,
        samples_s=(seconds, seconds),
        baseline_seconds=2e-3,
        speedup=2e-3 / seconds,
        speedup_interval=(1.5, 2.5),
        gflops=10.0,
        error_units=1.0,
        trials=8,
        seed=0,
        llvm="22.1.0",
        codegen=1,
        version="0.1.0",
        machine="a machine",
        created="2026-01-31T12:00:00Z",
    )


@pytest.fixture
def cache(tmp_path: Path) -> str:
    path = str(tmp_path / "cache.db")
    with open_cache(path) as opened:
        opened.put(record("matmul", "m=8,n=16,k=4"))
        opened.put(record("matmul", "m=8,n=16,k=4", seconds=5e-4))
        opened.put(record("matmul", "m=8,n=32,k=4"))
        opened.put(record("conv2d", "c=16,h=8,k=16,r=3,pad=1"))
    return path


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["cache", *arguments])


def test_list_has_the_fields_that_the_contract_names(cache: str) -> None:
    entries = json.loads(invoke("list", "--cache", cache, "--json").stdout)["entries"]
    names = "key target op shape seconds gflops speedup schedule digest verified stale created"
    assert len(entries) == 4
    assert all(name in entry for entry in entries for name in names.split())


def test_list_shows_one_operator_on_request(cache: str) -> None:
    shown = invoke("list", "--cache", cache, "--op", "conv2d").stdout.splitlines()
    assert len(shown) == 2
    assert "conv2d/" in shown[1]


def test_list_pages_through_everything_once(cache: str) -> None:
    whole = json.loads(invoke("list", "--cache", cache, "--json").stdout)["entries"]
    pages = [
        json.loads(invoke("list", "--cache", cache, "--json", "--limit", "3", *more).stdout)
        for more in ([], ["--offset", "3"], ["--offset", "4"])
    ]
    assert [entry for page in pages for entry in page["entries"]] == whole
    assert [len(page["entries"]) for page in pages] == [3, 1, 0]


def test_list_shows_one_target_on_request(cache: str) -> None:
    for target, count in (("x86-64-v3", 4), ("t1", 4), ("intel", 0)):
        ended = invoke("list", "--cache", cache, "--json", "--target", target)
        assert len(json.loads(ended.stdout)["entries"]) == count


@pytest.mark.parametrize("options", [["--limit", "0"], ["--offset", "-1"], ["--op", "fft"]])
def test_list_of_what_makes_no_sense_exits_2(cache: str, options: list[str]) -> None:
    ended = invoke("list", "--cache", cache, *options)
    assert (ended.exit_code, ended.stderr.count("\n")) == (2, 1)


def test_import_into_a_damaged_cache_moves_it_aside(cache: str, tmp_path: Path) -> None:
    file = str(tmp_path / "f.jsonl")
    invoke("export", file, "--cache", cache)
    damaged = Path(cache).read_bytes()[:100] + b"\xff" * 9000
    Path(cache).write_bytes(damaged)
    ended = invoke("import", file, "--cache", cache, "--json")
    assert (ended.exit_code, json.loads(ended.stdout)["added"]) == (0, 4)
    assert ended.stderr.startswith(f"warning: cache {cache} is damaged: it has been moved to ")
    assert ended.stderr.count("\n") == 1


def test_list_of_a_cache_that_is_not_there_exits_1_and_makes_none(tmp_path: Path) -> None:
    missing = tmp_path / "none.db"
    ended = invoke("list", "--cache", str(missing))
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr.startswith("error: cache ")
    assert not missing.exists()


def test_show_takes_any_part_of_a_key_and_prints_the_best_record(cache: str) -> None:
    shown = json.loads(invoke("show", "n=16,k=4", "--cache", cache, "--json").stdout)
    assert shown["seconds"] == 5e-4
    assert shown["as"] == "nest"
    assert shown["text"].rstrip() in invoke("show", "n=16,k=4", "--cache", cache).stdout


@pytest.mark.parametrize(("form", "mark"), [("ir", "define "), ("asm", "ret")])
def test_show_prints_what_the_compiler_makes(cache: str, form: str, mark: str) -> None:
    ended = invoke("show", "conv2d", "--cache", cache, "--as", form)
    assert ended.exit_code == 0
    assert mark in ended.stdout


def test_show_of_several_exits_2_and_names_them(cache: str) -> None:
    ended = invoke("show", "matmul", "--cache", cache)
    assert ended.exit_code == 2
    assert ended.stderr.startswith("error: 2 records match 'matmul': matmul/m=8,n=16")
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("more", [["nothing"], ["conv2d", "--target", "arm"], ["x", "--as", "c"]])
def test_show_of_what_does_not_exist_exits_2(cache: str, more: list[str]) -> None:
    assert invoke("show", "--cache", cache, *more).exit_code == 2


def test_export_then_import_keeps_every_record_and_adds_none_twice(
    cache: str, tmp_path: Path
) -> None:
    file, other = str(tmp_path / "f.jsonl"), str(tmp_path / "other.db")
    assert json.loads(invoke("export", file, "--cache", cache, "--json").stdout)["exported"] == 4
    assert invoke("export", file, "--cache", cache).stdout.startswith("4 records")
    taken = json.loads(invoke("import", file, "--cache", other, "--json").stdout)
    assert (taken["added"], taken["known"], taken["bad"]) == (4, 0, [])
    again = invoke("import", file, "--cache", other)
    assert (again.exit_code, again.stdout.split()[0]) == (0, "0")


def test_import_of_a_damaged_file_takes_the_rest_and_exits_1(cache: str, tmp_path: Path) -> None:
    file, other = tmp_path / "f.jsonl", str(tmp_path / "other.db")
    invoke("export", str(file), "--cache", cache)
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([*lines[:2], "{broken", *lines[3:]]), encoding="utf-8")
    ended = invoke("import", str(file), "--cache", other, "--json")
    assert ended.exit_code == 1
    assert json.loads(ended.stdout)["added"] == 3


def test_import_of_no_file_exits_2(tmp_path: Path) -> None:
    ended = invoke("import", str(tmp_path / "none"), "--cache", str(tmp_path / "c.db"))
    assert ended.exit_code == 2
    assert ended.stderr.startswith("error: file ")


def test_stale_record_is_shown_as_such(tmp_path: Path) -> None:
    path = str(tmp_path / "c.db")
    with open_cache(path) as opened:
        opened.put(replace(record("matmul", "m=8,n=16,k=4"), codegen=0))
    assert "stale" in invoke("list", "--cache", path).stdout


# --- what is exported, imported, counted and removed -------------------------------------------


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (["--op", "matmul"], 3),
        (["--target", "x86-64-v3"], 4),
        (["--target", "intel"], 0),
        (["--since", "2026-01-31"], 4),
        (["--since", "2026-01-31T12:00:01Z"], 0),
        (["--best", "1"], 3),
        (["--op", "matmul", "--best", "1"], 2),
    ],
)
def test_export_takes_what_was_asked_for(
    cache: str, tmp_path: Path, options: list[str], count: int
) -> None:
    ended = invoke("export", str(tmp_path / "f.jsonl"), "--cache", cache, "--json", *options)
    assert json.loads(ended.stdout)["exported"] == count


def test_export_for_the_host_takes_every_number_of_threads(tmp_path: Path) -> None:
    path, file = str(tmp_path / "c.db"), str(tmp_path / "f.jsonl")
    with open_cache(path) as opened:
        opened.put(replace(record("matmul", "m=8,n=16,k=4"), target_key=host(1).key))
        opened.put(replace(record("matmul", "m=8,n=16,k=4"), target_key=host(2).key))
        opened.put(record("matmul", "m=8,n=16,k=4"))
    ended = invoke("export", file, "--cache", path, "--target", "host", "--json")
    assert json.loads(ended.stdout)["exported"] == 2


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--op", "fft"], "op 'fft' is not known; allowed: batch_matmul, conv2d, matmul"),
        (["--since", "yesterday"], "since 'yesterday' is not allowed; allowed: 2026-01-31"),
        (["--since", "2026-02-30"], "since '2026-02-30' is not allowed"),
        (["--best", "0"], "greater than or equal to 1, not '0'"),
        (["--sign", "none"], "key 'none' is no file"),
    ],
)
def test_export_of_what_makes_no_sense_exits_2_and_writes_nothing(
    cache: str, tmp_path: Path, options: list[str], told: str
) -> None:
    ended = invoke("export", str(tmp_path / "f.jsonl"), "--cache", cache, *options)
    assert ended.exit_code == 2
    assert told in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert not (tmp_path / "f.jsonl").exists()


def test_dry_run_of_an_import_shows_a_table_and_makes_no_cache(cache: str, tmp_path: Path) -> None:
    file, other = str(tmp_path / "f.jsonl"), tmp_path / "other.db"
    invoke("export", file, "--cache", cache)
    shown = invoke("import", file, "--cache", str(other), "--dry-run")
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    assert lines[0].split() == ["new", "answer", "now", "answer", "then", "cpu", "key"]
    assert len(lines) == 1 + 3 + 1 + 1
    assert lines[-2] == "4 records would be added, 0 already there; 4 are stale here"
    assert lines[-1] == f"  4 for {TARGET.key}"
    assert not other.exists()
    told = json.loads(invoke("import", file, "--cache", str(other), "--dry-run", "--json").stdout)
    assert (told["dry_run"], told["added"], len(told["changes"])) == (True, 4, 3)
    assert {change["answer_changes"] for change in told["changes"]} == {True}
    again = json.loads(invoke("import", file, "--cache", cache, "--dry-run", "--json").stdout)
    assert (again["added"], again["known"], again["changes"]) == (0, 4, [])


def test_import_from_somebody_else_than_trusted_exits_1(cache: str, tmp_path: Path) -> None:
    keys = [tmp_path / name for name in ("private", "public")]
    pair = Ed25519PrivateKey.generate()
    pem = serialization.Encoding.PEM
    keys[0].write_bytes(
        pair.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    keys[1].write_bytes(
        pair.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    signed, plain, other = (str(tmp_path / name) for name in ("s.jsonl", "p.jsonl.zst", "o.db"))
    assert invoke("export", signed, "--cache", cache, "--sign", str(keys[0])).exit_code == 0
    assert invoke("export", plain, "--cache", cache).exit_code == 0
    refused = invoke("import", plain, "--cache", other, "--trust", str(keys[1]))
    assert refused.exit_code == 1
    assert refused.stderr.endswith("is not signed; nothing was imported\n")
    taken = invoke("import", signed, "--cache", other, "--trust", str(keys[1]), "--json")
    assert (json.loads(taken.stdout)["added"], json.loads(taken.stdout)["signed"]) == (4, True)


def test_stats_as_json_and_as_text(cache: str) -> None:
    told = json.loads(invoke("stats", "--cache", cache, "--json").stdout)
    assert (told["records"], told["keys"], told["local"], told["stale"]) == (4, 3, 4, 4)
    assert told["ops"] == {"conv2d": 1, "matmul": 3}
    shown = invoke("stats", "--cache", cache).stdout
    assert "records   4\n" in shown
    assert "imported  0\n" in shown
    assert f"{TARGET.key}  4\n" in shown


def test_stats_of_a_cache_that_is_not_there_exits_1(tmp_path: Path) -> None:
    assert invoke("stats", "--cache", str(tmp_path / "none")).exit_code == 1


def test_prune_removes_what_was_told_and_nothing_in_a_dry_run(cache: str) -> None:
    dry = invoke("prune", "--keep", "1", "--cache", cache, "--dry-run")
    assert dry.stdout.splitlines() == ["1 records would be removed, 3 left", "  1 keep"]
    told = json.loads(invoke("prune", "--keep", "1", "--cache", cache, "--json").stdout)
    assert told == {"removed": {"keep": 1}, "left": 3, "dry_run": False}
    gone = invoke("prune", "--stale", "--op", "conv2d", "--cache", cache)
    assert gone.stdout.splitlines() == ["1 records removed, 0 left", "  1 stale"]
    entries = json.loads(invoke("list", "--cache", cache, "--json").stdout)["entries"]
    assert [entry["op"] for entry in entries] == ["matmul", "matmul"]


@pytest.mark.parametrize("options", [[], ["--keep", "0"], ["--stale", "--op", "fft"]])
def test_prune_of_what_makes_no_sense_exits_2(cache: str, options: list[str]) -> None:
    ended = invoke("prune", "--cache", cache, *options)
    assert (ended.exit_code, ended.stderr.count("\n")) == (2, 1)
    assert len(json.loads(invoke("list", "--cache", cache, "--json").stdout)["entries"]) == 4


# --- what was missed --------------------------------------------------------------------------


@pytest.fixture
def missed(cache: str) -> str:
    """The cache, in which one workload was missed three times and another once."""
    note(cache, [miss("matmul", "m=9,n=9,k=9", 3), miss("conv2d", "c=8,h=9,k=8,r=3", 1)])
    return cache


def miss(op: str, shape: str, count: int) -> Miss:
    return Miss(
        TARGET.key, parse_workload(op, shape), count, "2026-01-31T12:00:00Z", "2026-02-01T12:00:00Z"
    )


def test_misses_have_the_fields_that_the_contract_names(missed: str) -> None:
    listed = json.loads(invoke("misses", "--cache", missed, "--json").stdout)["misses"]
    assert [entry["count"] for entry in listed] == [3, 1]
    names = "key op shape target count first_seen last_seen"
    assert all(name in entry for entry in listed for name in names.split())
    shown = invoke("misses", "--cache", missed, "--op", "conv2d").stdout.splitlines()
    assert len(shown) == 2
    assert shown[1].startswith("1  ")
    assert shown[1].endswith(listed[1]["key"])


def test_misses_of_a_cache_that_is_not_there_exit_1(tmp_path: Path) -> None:
    assert invoke("misses", "--cache", str(tmp_path / "none.db")).exit_code == 1


def why(cache: str, *arguments: str) -> Any:
    ended = invoke("why", *arguments, "--target", "x86-64-v3", "--cache", cache, "--json")
    assert ended.exit_code == 0, ended.stderr
    return json.loads(ended.stdout)


def test_why_tells_of_a_hit_which_record_answers_and_which_are_behind(cache: str) -> None:
    key = parse_workload("matmul", "m=8,n=16,k=4").key
    found = why(cache, key)
    assert found["hit"]
    verdicts = [(r["verdict"], r["seconds"]) for r in found["records"][:2]]
    assert verdicts == [("answer", 5e-4), ("behind", 1e-3)]
    assert found["records"][2]["differs"] == {"n": [32, 16]}
    assert found == why(cache, "--op", "matmul", "--shape", "k=4,m=8,n=16")
    shown = invoke("why", key, "--target", "x86-64-v3", "--cache", cache).stdout
    assert shown.startswith(f"hit: {key}\norigin    tuned\n")
    told = "answer    made for this key, by another code generator or LLVM: "
    assert told + found["records"][0]["record"] in shown


def test_why_tells_of_a_miss_every_key_that_is_near(cache: str) -> None:
    """F084."""
    workload = parse_workload("matmul", "m=8,n=16,k=4")
    with open_cache(cache) as opened:
        best = record("matmul", "m=8,n=16,k=4")
        others = {
            "threads": replace(best, target_key=TARGET.with_threads(2).key),
            "cpu": replace(best, target_key=resolve("x86-64-v4").key),
            "dtype": replace(best, workload=replace(workload, dtype="float64")),
            "tolerance": replace(best, workload=replace(workload, tolerance=64.0)),
        }
        for other in others.values():
            opened.put(other)
    ended = invoke("why", workload.key, "--target", "x86-64", "--cache", cache, "--json")
    found = json.loads(ended.stdout)
    assert not found["hit"]
    assert {r["verdict"] for r in found["records"]} == {"other"}
    fields = {name for r in found["records"] for name in r["differs"]}
    assert fields == {"threads", "cpu", "features", "dtype", "tolerance"}
    for r in found["records"]:
        assert set(r["differs"]) >= {"cpu", "features"}  # none is for this target
    assert found["cliff"]["fix"] in (
        invoke("why", workload.key, "--target", "x86-64", "--cache", cache).stdout
    )


def test_why_tells_what_a_fallback_was_made_from(cache: str) -> None:
    found = why(cache, "--op", "matmul", "--shape", "m=8,n=24,k=4")
    (used,) = (r for r in found["records"] if r["verdict"] == "fallback")
    assert (used["key"], found["origin"]) == (found["cliff"]["nearest"], "nearest")
    assert list(used["differs"]) == ["n"]


def test_why_tells_of_illegal_records(cache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("answer", "explaining"):
        module = importlib.import_module(f"autotune.lookup.{name}")
        monkeypatch.setattr(module, "violation", lambda *_: "17 accumulators")
    found = why(cache, "--op", "matmul", "--shape", "m=8,n=16,k=4")
    reasons = [r["reason"] for r in found["records"] if r["verdict"] == "illegal"]
    assert reasons == ["illegal here: 17 accumulators"] * 2
    assert "illegal here: 17 accumulators" in found["cliff"]["reason"]


def test_why_notes_nothing_and_warns_of_nothing(cache: str) -> None:
    ended = invoke("why", "--op", "matmul", "--shape", "7x7x7", "--cache", cache)
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert json.loads(invoke("misses", "--cache", cache, "--json").stdout) == {"misses": []}


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--op", "matmul"],
        ["matmul/m=1"],
        ["matmul/m=1,n=1,k=1/float32/row/16"],
        ["a/b/c/d/tol=1"],
        ["matmul/m=1,n=1,k=1/float32/row/tol=1", "--op", "matmul"],
        ["x'; drop table records; --"],
    ],
)
def test_why_of_what_is_no_key_exits_2(cache: str, arguments: list[str]) -> None:
    """F096."""
    ended = invoke("why", *arguments, "--cache", cache)
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert ended.stderr.count("\n") == 1


def test_snapshot_is_what_a_lookup_takes(cache: str, tmp_path: Path) -> None:
    folder = str(tmp_path / "snapshots")
    taken = json.loads(invoke("snapshot", folder, "--cache", cache, "--json").stdout)
    assert (taken["records"], len(taken["sha256"])) == (4, 64)
    assert invoke("snapshot", folder, "--cache", cache).stdout == f"{taken['cache']}\n"
    assert why(taken["cache"], "--op", "matmul", "--shape", "m=8,n=16,k=4")["hit"]
    other = taken["cache"].replace(taken["sha256"], "0" * 64, 1)
    asked = ["lookup", "--op", "matmul", "--shape", "8x16x4", "--cache"]
    assert CliRunner().invoke(app, [*asked, other]).exit_code == 1
    pinned = f"{taken['path']}#sha256={'0' * 64}"
    ended = CliRunner().invoke(app, [*asked, pinned])
    assert ended.exit_code == 1
    assert "is not the snapshot asked for" in ended.stderr


def test_lookup_reads_layers_from_the_top_down(cache: str, tmp_path: Path) -> None:
    above = str(tmp_path / "above.db")
    with open_cache(above) as opened:
        opened.put(record("matmul", "m=8,n=32,k=4", seconds=7e-3))
    asked = ["lookup", "--target", "x86-64-v3", "--json", "--cache", above, "--cache", cache]
    for shape, seconds in (("8x32x4", 7e-3), ("8x16x4", 5e-4)):
        ended = CliRunner().invoke(app, [*asked, "--op", "matmul", "--shape", shape])
        assert json.loads(ended.stdout)["seconds"] == seconds


@pytest.mark.parametrize("way", ["flag", "environment"])
def test_strict_miss_exits_3_with_the_fix(
    cache: str, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """F089."""
    asked = ["lookup", "--op", "matmul", "--shape", "7x7x7", "--cache", cache]
    if way == "flag":
        asked.append("--strict")
    else:
        monkeypatch.setenv("AUTOTUNE_STRICT", "1")
    ended = CliRunner().invoke(app, asked)
    assert (ended.exit_code, ended.stdout) == (3, "")
    assert ended.stderr.startswith("error: no tuned record for matmul/m=7,")
    assert f"autotune run --op matmul --shape m=7,n=7,k=7 --cache {cache}" in ended.stderr
