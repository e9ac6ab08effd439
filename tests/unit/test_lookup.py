from __future__ import annotations

import importlib
import os
import sqlite3
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import autotune
from autotune.errors import CacheMissError, PerformanceCliffWarning, StoreError, UsageError
from autotune.ir.schedule import Schedule
from autotune.lookup import Hit, load, lookup
from autotune.lookup.cliff import UNMEASURED, Cliff, estimate, fix_command
from autotune.lookup.nearest import by_distance
from autotune.ops.base import contraction, parse_workload
from autotune.space import generate, narrowing
from autotune.store.db import open_cache
from autotune.targets.base import Target
from autotune.targets.detect import resolve
from autotune.trial import CODEGEN_VERSION, Workload
from tests.records import TARGET, WORKLOAD, made

# The package's attribute of this name is the function.
MODULE = importlib.import_module("autotune.lookup")
ANSWER = importlib.import_module("autotune.lookup.answer")
WINOGRAD = "[only]\nalgorithm = 'winograd4'\nwinograd.rows = 1\nwinograd.unroll = 1\n"
OTHER = ("matmul", "m=7,n=9,k=11")
V1, V4 = resolve("x86-64"), resolve("x86-64-v4")


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "cache.sqlite")


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    MODULE._answers.clear()
    MODULE._teller.clear()
    MODULE._kernels.clear()
    MODULE.layers.warn_of.cache_clear()


def stored(path: str, *records: Any) -> None:
    with open_cache(path) as cache:
        for record in records:
            cache.put(record)


def quiet(*arguments: Any, **options: Any) -> Hit:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceCliffWarning)
        return lookup(*arguments, **options)


def noted(path: str) -> dict[str, int]:
    """How often each key was missed, once all is written."""
    MODULE._teller.notes.flush()
    with open_cache(path, must_exist=True) as cache:
        return {miss["key"]: miss["count"] for miss in cache.misses()}


def settled(path: str) -> None:
    """Make the file look as if nobody had written to it for a while."""
    for name in (path, path + "-wal"):
        if os.path.exists(name):
            os.utime(name, (1e9, 1e9))


def test_hit_is_what_was_stored(path: str) -> None:
    """F044."""
    record = made(gflops=1 / 3)
    stored(path, record)
    hit = lookup(WORKLOAD, target=TARGET, cache=path)
    assert hit.is_hit
    assert hit.origin == "tuned"
    assert (hit.schedule, hit.seconds, hit.gflops) == (record.schedule, 1e-3, 1 / 3)
    assert (hit.stale, hit.verified, hit.cliff) == (False, True, None)
    assert (hit.key, hit.target) == (WORKLOAD.key, TARGET.key)


def test_hit_by_the_targets_name_is_the_same(path: str) -> None:
    stored(path, made())
    assert lookup(WORKLOAD, target="x86-64-v3", cache=path) == lookup(
        WORKLOAD, target=TARGET.key, cache=path
    )


def test_stale_record_answers_and_is_marked(path: str) -> None:
    stored(path, made(codegen=CODEGEN_VERSION + 1))
    hit = lookup(WORKLOAD, target=TARGET, cache=path)
    assert (hit.is_hit, hit.stale, hit.origin) == (True, True, "tuned")


def test_record_of_fewer_features_is_compatible_and_of_more_is_not(path: str) -> None:
    """F058: never a superset."""
    stored(path, made(seconds=1e-9, target_key=V4.key), made(target_key=V1.key))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ANSWER, "violation", lambda *_: None)
        hit = lookup(WORKLOAD, target=TARGET, cache=path)
    assert (hit.origin, hit.is_hit, hit.seconds) == ("compatible", True, 1e-3)
    assert hit.to_dict()["target"] == TARGET.key


def test_compatible_prefers_the_richest_subset(path: str) -> None:
    near = "intel-6-85/" + "+".join(TARGET.features) + "/t1"
    stored(path, made(seconds=1e-6, target_key=V1.key), made(seconds=2e-6, target_key=near))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ANSWER, "violation", lambda *_: None)
        assert lookup(WORKLOAD, target=V4, cache=path).seconds == 2e-6


def test_record_for_other_threads_is_not_compatible(path: str) -> None:
    stored(path, made(target_key=TARGET.with_threads(2).key))
    assert not quiet(WORKLOAD, target=TARGET, cache=path).is_hit


def test_miss_in_an_absent_cache_gives_the_default_and_notes_it(path: str) -> None:
    with pytest.warns(PerformanceCliffWarning) as caught:
        hit = lookup(WORKLOAD, target=TARGET, cache=path)
    assert (hit.origin, hit.is_hit, hit.seconds, hit.gflops) == ("default", False, None, None)
    assert hit.cliff is not None
    assert (hit.cliff.predicted_slowdown, hit.cliff.interval) == UNMEASURED
    message = str(caught[0].message)
    for part in ("matmul", WORKLOAD.shape, TARGET.key, "absent from the cache", hit.cliff.fix):
        assert part in message
    assert caught[0].filename == __file__
    assert noted(path) == {WORKLOAD.key: 1}


def test_miss_takes_the_nearest_shape_adapted(path: str) -> None:
    near = parse_workload("matmul", "m=33,n=48,k=16")
    far = parse_workload("matmul", "m=2048,n=48,k=16")
    stored(path, made(far), made(near, gflops=77.0))
    hit = quiet(WORKLOAD, target=TARGET, cache=path)
    assert hit.origin == "nearest"
    assert hit.cliff is not None
    assert (hit.cliff.nearest, hit.cliff.differs) == (near.key, {"m": [33, 32]})
    assert ANSWER.violation(contraction(WORKLOAD), hit.schedule, TARGET) is None
    assert hit.to_dict()["cliff"]["differs"] == {"m": [33, 32]}


def test_miss_with_fallback_default_still_names_the_nearest(path: str) -> None:
    stored(path, made(parse_workload("matmul", "m=33,n=48,k=16")))
    hit = quiet(WORKLOAD, target=TARGET, cache=path, fallback="default")
    assert hit.origin == "default"
    assert hit.cliff is not None
    assert hit.cliff.differs == {"m": [33, 32]}


def test_miss_goes_on_to_the_next_where_the_nearest_cannot_be_adapted(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    near, far = (parse_workload("matmul", f"m={m},n=48,k=16") for m in (33, 40))
    stored(path, made(near), made(far))
    calls: list[Schedule] = []

    def adapt(schedule: Schedule, *_: object) -> Schedule | None:
        calls.append(schedule)
        return None if len(calls) == 1 else schedule

    monkeypatch.setattr(ANSWER, "adapt", adapt)
    hit = quiet(WORKLOAD, target=TARGET, cache=path)
    assert hit.cliff is not None
    assert (hit.origin, hit.cliff.nearest) == ("nearest", far.key)


def test_adapted_schedule_that_is_illegal_is_not_handed_out(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(path, made(parse_workload("matmul", "m=33,n=48,k=16")))
    monkeypatch.setattr(ANSWER, "violation", lambda *_: "a rule")
    assert quiet(WORKLOAD, target=TARGET, cache=path).origin == "default"


def test_nearest_is_of_the_same_operator_dtype_layout_target_and_tolerance(path: str) -> None:
    others = [
        made(parse_workload("batch_matmul", "b=1,m=32,n=48,k=16")),
        made(parse_workload("matmul", "m=32,n=48,k=17", dtype="float64")),
        made(parse_workload("matmul", "m=32,n=48,k=18"), target_key=V1.key),
        made(parse_workload("matmul", "m=32,n=48,k=19"), error_units=17.0),
    ]
    stored(path, *others)
    hit = quiet(WORKLOAD, target=TARGET, cache=path)
    assert hit.cliff is not None
    assert (hit.origin, hit.cliff.nearest) == ("default", None)


def test_illegal_record_is_a_miss_that_says_why(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """F067: a record that today's rules refuse."""
    stored(path, made(codegen=CODEGEN_VERSION + 1))
    rules = iter(["17 accumulators"])
    monkeypatch.setattr(ANSWER, "violation", lambda *_: next(rules, None))
    with pytest.warns(PerformanceCliffWarning, match="stale, and illegal here: 17 accumulators"):
        hit = lookup(WORKLOAD, target=TARGET, cache=path)
    assert not hit.is_hit


def test_record_behind_an_illegal_one_is_taken(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(path, made(seconds=1e-6), made(seconds=2e-6))
    rules = iter(["a rule"])
    monkeypatch.setattr(ANSWER, "violation", lambda *_: next(rules, None))
    assert lookup(WORKLOAD, target=TARGET, cache=path).seconds == 2e-6


def test_strict_miss_is_an_error_with_the_fix(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # No warning of a schedule that nobody gets (warnings are errors here); the miss still counts.
    with pytest.raises(CacheMissError) as caught:
        lookup(WORKLOAD, target=TARGET, cache=path, strict=True)
    assert noted(path) == {WORKLOAD.key: 1}
    assert caught.value.key == WORKLOAD.key
    assert caught.value.fix.startswith("autotune run --op matmul --shape m=32,n=48,k=16 ")
    monkeypatch.setenv("AUTOTUNE_STRICT", "1")
    with pytest.raises(CacheMissError):
        quiet(WORKLOAD, target=TARGET, cache=path)
    monkeypatch.setenv("AUTOTUNE_STRICT", "0")
    with pytest.warns(PerformanceCliffWarning):
        assert not lookup(WORKLOAD, target=TARGET, cache=path).is_hit
    stored(path, made())
    assert lookup(WORKLOAD, target=TARGET, cache=path, strict=True).is_hit


@pytest.mark.parametrize(
    ("channels", "tolerance", "error_units", "origin"),
    [
        (64, 16, 7.2, "nearest"),
        (32, 16, 7.2, "nearest"),
        (8, 16, 7.2, "default"),
        (64, 8, 7.2, "default"),
        (512, 8, 5.0, "nearest"),
    ],
)
def test_nearest_winograd_is_taken_only_where_its_error_will_do(
    path: str, channels: int, tolerance: float, error_units: float, origin: str
) -> None:
    tuned = parse_workload("conv2d", "c=64,h=14,k=32,r=3,pad=1")
    point = generate(contraction(tuned), TARGET, narrowing.parse(WINOGRAD, "w", "conv2d"))
    schedule = point.schedule(point.sample(np.random.default_rng(0), 1)[0])
    assert schedule.algorithm == "winograd4"
    stored(path, made(tuned, schedule=schedule, error_units=error_units))
    asked = parse_workload(
        "conv2d", f"c={channels},h=14,k=32,r=3,pad=1,bias=1", tolerance=tolerance
    )
    assert quiet(asked, target=TARGET, cache=path).origin == origin


@pytest.mark.parametrize("fallback", ["model", "", "Nearest"])
def test_unknown_fallback_is_refused(path: str, fallback: str) -> None:
    with pytest.raises(UsageError, match="allowed: nearest, default"):
        lookup(WORKLOAD, target=TARGET, cache=path, fallback=fallback)


def test_unknown_target_is_refused(path: str) -> None:
    with pytest.raises(UsageError, match="allowed: host"):
        lookup(WORKLOAD, target="avx2", cache=path)


def test_file_that_is_no_cache_is_an_error(path: str) -> None:
    Path(path).write_text("something else, longer than a header")
    with pytest.raises(StoreError, match="is not an SQLite database"):
        lookup(WORKLOAD, target=TARGET, cache=path)


@pytest.mark.parametrize("kind", ["no cache", "no file", "below a file", "unreadable", "no home"])
def test_default_cache_that_cannot_be_read_is_a_miss_told_once(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """F097: no compiler fails for it."""
    said = {
        "no cache": "is not an SQLite database",
        "no file": "is not a regular file",
        "below a file": "Not a directory",
        "unreadable": "Permission denied",
        "no home": "there is no home folder",
    }
    monkeypatch.setenv("AUTOTUNE_CACHE", path)
    match kind:
        case "no cache":
            Path(path).write_text("something else, longer than a header")
        case "no file":
            Path(path).mkdir()
        case "below a file":
            Path(path).write_text("")
            monkeypatch.setenv("AUTOTUNE_CACHE", path + "/cache.sqlite")
        case "unreadable":
            monkeypatch.setattr("autotune.store.read.os.access", lambda *_: False)
            monkeypatch.setattr("autotune.store.read.sqlite3.connect", _refused)
            Path(path).write_bytes(bytes(1024))
        case _:
            for name in ("AUTOTUNE_CACHE", "XDG_CACHE_HOME"):
                monkeypatch.delenv(name, raising=False)
            monkeypatch.setenv("HOME", "")
            monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hits = [lookup(w, target=TARGET) for w in (WORKLOAD, WORKLOAD, parse_workload(*OTHER))]
    assert {hit.origin for hit in hits} == {"default"}
    told = [str(w.message) for w in caught if w.category is UserWarning]
    assert len(told) == 1
    assert said[kind] in told[0]
    assert sorted(tmp_path.iterdir()) == before
    with pytest.raises(CacheMissError):
        lookup(WORKLOAD, target=TARGET, strict=True)


def _refused(*_: Any, **__: Any) -> Any:
    error = sqlite3.OperationalError("unable to open database file")
    error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
    raise error


def test_broken_schedule_is_a_miss(path: str) -> None:
    stored(path, made())
    with open_cache(path) as cache, cache._transaction() as connection:
        connection.exec_driver_sql("UPDATE records SET schedule = '{}'")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hit = lookup(WORKLOAD, target=TARGET, cache=path)
    assert not hit.is_hit
    assert "is broken" in str(caught[0].message)
    assert [w.category for w in caught] == [UserWarning, PerformanceCliffWarning]


def test_warm_lookup_does_not_read_the_file_again(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(path, made())
    settled(path)
    first = lookup(WORKLOAD, target=TARGET, cache=path)
    monkeypatch.setattr(MODULE, "_answer", None)
    assert lookup(WORKLOAD, target=TARGET, cache=path) is first


def test_changed_file_is_seen_at_once(path: str) -> None:
    for seconds in (5e-3, 4e-3, 3e-3, 2e-3):
        stored(path, made(seconds=seconds))
        for _ in range(3):
            assert lookup(WORKLOAD, target=TARGET, cache=path).seconds == seconds


def test_change_that_is_still_in_the_write_ahead_log_is_seen(path: str) -> None:
    stored(path, made(seconds=5e-3))
    settled(path)
    with open_cache(path) as cache, cache._transaction():  # keeps the log from being folded in
        assert lookup(WORKLOAD, target=TARGET, cache=path).seconds == 5e-3
        stored(path, made(seconds=1e-3))
        assert lookup(WORKLOAD, target=TARGET, cache=path).seconds == 1e-3


def test_default_cache_is_read_anew_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seconds in (("a", 1e-3), ("b", 2e-3)):
        stored(str(tmp_path / name), made(seconds=seconds))
        monkeypatch.setenv("AUTOTUNE_CACHE", str(tmp_path / name))
        assert lookup(WORKLOAD, target=TARGET).seconds == seconds


def test_fix_names_target_threads_and_cache_only_where_not_default() -> None:
    plain = "autotune run --op matmul --shape m=32,n=48,k=16"
    assert fix_command(WORKLOAD, "host", 1, None) == plain
    assert fix_command(WORKLOAD, "host", 2, "a b") == f"{plain} --threads 2 --cache 'a b'"
    assert fix_command(WORKLOAD, "x86-64-v3", 2, None) == f"{plain} --target x86-64-v3 --threads 2"
    assert fix_command(WORKLOAD, TARGET, 1, None) == f"{plain} --target {TARGET.key}"


def test_fix_parses_back_to_the_same_workload() -> None:
    workload = parse_workload(
        "conv2d", "c=8,h=9,w=7,k=16,r=3,stride=2x1,pad=0x1x2x1,act=relu,bias=1", layout="NHWC"
    )
    words = fix_command(workload, "host", 1, None).split()
    options = dict(zip(words[2::2], words[3::2], strict=True))
    assert parse_workload(options["--op"], options["--shape"], layout="NHWC") == workload


def test_estimate_is_the_median_and_widened_quartiles() -> None:
    assert estimate([]) == UNMEASURED
    assert estimate([2.0, 2.0]) == UNMEASURED
    assert estimate([2.0, 1.0, 3.0]) == (2.0, (1.364, 2.75))
    assert estimate([0.5, 0.5, 0.5]) == (1.0, (1.0, 1.0))


def test_cliff_uses_what_this_cache_measured(path: str) -> None:
    shapes = [parse_workload("matmul", f"m={m},n=48,k=16") for m in (64, 65, 66)]
    stored(path, *(made(w, speedup=s) for w, s in zip(shapes, (1.5, 3.0, 2.0), strict=True)))
    hit = quiet(WORKLOAD, target=TARGET, cache=path)
    assert hit.cliff is not None
    assert hit.cliff.predicted_slowdown == 2.0
    low, high = hit.cliff.interval
    assert low < 2.0 < high


def test_distance_counts_ratios_and_unlike_words() -> None:
    ours = parse_workload("matmul", "m=64,n=64,k=64,act=relu")
    shapes = {
        name: parse_workload("matmul", text).shape
        for name, text in {
            "same": "m=64,n=64,k=64,act=relu",
            "act": "m=64,n=64,k=64",
            "double": "m=128,n=64,k=64,act=relu",
            "half": "m=64,n=32,k=64,act=relu",
            "far": "m=64,n=64,k=4096,act=relu",
        }.items()
    }
    found = by_distance(ours, [*shapes.items(), ("odd", "m=64")], 6)
    assert [relative.workload_key for relative in found][:2] == ["same", "act"]
    assert found[0].distance == 0
    assert {r.workload_key: r.differs for r in found}["act"] == {"act": ["none", "relu"]}


def test_hit_as_json_has_what_the_contract_names(path: str) -> None:
    found = quiet(WORKLOAD, target=TARGET, cache=path).to_dict()
    names = "hit key target origin stale verified schedule gflops seconds cliff"
    assert list(found) == names.split()
    names = "predicted_slowdown interval nearest differs fix"
    assert set(names.split()) <= found["cliff"].keys()


class FakeKernel:
    """Counts how often it is compiled."""

    made: ClassVar[list[tuple[Workload, Schedule, Target]]] = []

    def __init__(self, *arguments: Any) -> None:
        time.sleep(0.01)
        self.made.append(arguments)


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    runtime = importlib.import_module("autotune.runtime")
    monkeypatch.setattr(runtime, "Kernel", FakeKernel)
    monkeypatch.setattr(FakeKernel, "made", [])
    monkeypatch.setattr(MODULE, "runnable", lambda target: None)
    return FakeKernel.made


def test_load_compiles_once_whoever_asks(path: str, kernels: list[Any]) -> None:
    record = made()
    stored(path, record)
    threads = [threading.Thread(target=load, args=(WORKLOAD, path, TARGET)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kernels == [(WORKLOAD, record.schedule, TARGET)]


def test_load_compiles_anew_for_a_better_schedule(path: str, kernels: list[Any]) -> None:
    stored(path, made())
    load(WORKLOAD, cache=path, target=TARGET)
    better = replace(made().schedule, parallel=0)
    nest = replace(better.nests[0], prefetch=(*better.nests[0].prefetch, ("x", 64)))
    stored(path, made(seconds=1e-6, schedule=replace(better, parts=(nest,))))
    load(WORKLOAD, cache=path, target=TARGET)
    assert len(kernels) == 2


def test_load_remembers_the_latest_kernels_only(
    path: str, kernels: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """F027."""
    monkeypatch.setattr(MODULE, "MAX_KERNELS", 3)
    shapes = [parse_workload("matmul", f"8x8x{k}") for k in range(1, 5)]

    def compiled(*positions: int) -> int:
        before = len(kernels)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PerformanceCliffWarning)
            for position in positions:
                load(shapes[position], cache=path, target=TARGET)
        assert len(MODULE._kernels) <= 3
        return len(kernels) - before

    assert compiled(0, 1, 2) == 3
    assert compiled(2, 1, 0, 0, 1, 2) == 0
    assert compiled(3) == 1
    assert compiled(1, 2, 3) == 0
    assert compiled(0) == 1


def test_load_for_a_target_that_cannot_run_here_is_refused(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(path, made())
    monkeypatch.setattr(MODULE, "runnable", lambda target: "this host lacks avx9")
    with pytest.raises(UsageError, match="lacks avx9"):
        load(WORKLOAD, cache=path, target=TARGET)


@pytest.mark.parametrize("target", ["host", "x86-64"])
def test_load_for_more_threads_than_cores_is_refused(path: str, target: str) -> None:
    with (
        warnings.catch_warnings(action="ignore", category=PerformanceCliffWarning),
        pytest.raises(UsageError, match="threads=1023 is not allowed on this host"),
    ):
        load(WORKLOAD, cache=path, target=target, threads=1023)


def test_public_names_are_the_functions_whatever_was_imported_before() -> None:
    assert autotune.lookup is lookup
    assert autotune.load is load
    assert autotune.parse_workload is parse_workload
    assert autotune.Cache is open_cache.__globals__["Cache"]
    assert {"conv2d", "matmul", "batch_matmul", "tune", "reference"} <= set(dir(autotune))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = autotune.nonsense


def test_workload_functions_take_numbers_pairs_and_options() -> None:
    assert autotune.matmul(3, 4, 5) == parse_workload("matmul", "3x4x5")
    assert autotune.batch_matmul(2, 3, 4, k=5).shape.startswith("b=2,m=3,n=4,k=5,")
    made_ = autotune.conv2d(
        n=1, c=8, h=9, w=7, k=8, r=3, s=1, stride=(2, 1), pad="1x0", dtype="float64", layout="NHWC"
    )
    text = "c=8,h=9,w=7,k=8,r=3,s=1,stride=2x1,pad=1x0"
    assert made_ == parse_workload("conv2d", text, "float64", "NHWC")
    assert autotune.matmul(1, 1, 1, tolerance=3).tolerance == 3


def test_workload_functions_refuse_what_is_no_size() -> None:
    for sizes in ({"m": 1.5}, {"m": None}, {"m": -1}, {"m": "1,n=2"}, {"z": 1}):
        with pytest.raises(UsageError):
            autotune.matmul(**{"m": 1, "n": 1, "k": 1, **sizes})
    with pytest.raises(TypeError, match="m twice"):
        autotune.matmul(1, 2, 3, m=1)
    with pytest.raises(TypeError, match="at most"):
        autotune.matmul(*range(1, 20))


def test_lookup_in_a_fresh_process_hits_without_heavy_imports(path: str, root: Path) -> None:
    """F049: nothing has to be imported or tuned first."""
    stored(path, made())
    code = (
        "import sys, autotune\n"
        "w = autotune.matmul(32, 48, 16)\n"
        f"hit = autotune.lookup(w, target='x86-64-v3', cache={path!r})\n"
        "heavy = {'numpy', 'sqlalchemy', 'llvmlite', 'xgboost', 'scipy'} & set(sys.modules)\n"
        "print(hit.origin, hit.schedule.digest, sorted(heavy))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split(maxsplit=2) == ["tuned", made().schedule.digest, "[]\n"]


def test_cliff_is_plain_data() -> None:
    cliff = Cliff(2.0, (1.5, 3.0), "absent", "fix", "key", {"m": [1, 2]})
    assert cliff.to_dict()["interval"] == [1.5, 3.0]
