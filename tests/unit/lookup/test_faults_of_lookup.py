"""Faults that users of other tuners met when they looked something up, by their numbers."""

from __future__ import annotations

import importlib
import json
import os
import sqlite3
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autotune
from autotune.errors import PerformanceCliffWarning
from autotune.ir.default import default_schedule
from autotune.ir.legal import violation
from autotune.lookup import Hit, lookup
from autotune.ops.base import contraction, parse_workload
from autotune.space import generate, narrowing
from autotune.store import schema
from autotune.store.db import open_cache
from autotune.trial import CODEGEN_VERSION
from tests.records import TARGET, WORKLOAD, made

MODULE = importlib.import_module("autotune.lookup")
CONV = "n=2,c=8,h=10,w=9,k=8,r=3,s=2"


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "cache.sqlite")


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    MODULE._answers.clear()
    MODULE._teller.clear()


def stored(path: str, *records: Any) -> None:
    with open_cache(path) as cache:
        for record in records:
            cache.put(record)


def quiet(*arguments: Any, **options: Any) -> Hit:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceCliffWarning)
        return lookup(*arguments, **options)


@pytest.mark.parametrize(
    ("op", "shape", "change"),
    [
        *(
            ("conv2d", CONV, change)
            for change in (
                *({"n": 1}, {"c": 16}, {"h": 9}, {"w": 10}, {"k": 16}, {"r": 2}, {"s": 3}),
                *({"stride": "2x1"}, {"stride": "1x2"}, {"pad": "1"}, {"pad": "0x1x0x0"}),
                *({"dilation": "2x1"}, {"groups": 2}, {"prepack": 0}, {"bias": 1}),
                *({"residual": 1}, {"act": "relu"}, {"layout": "NHWC"}, {"dtype": "float64"}),
                {"tolerance": 8},
            )
        ),
        *(
            ("matmul", "m=8,n=8,k=8", change)
            for change in ({"ta": 1}, {"tb": 1}, {"prepack": 0}, {"m": 9}, {"tolerance": "strict"})
        ),
        *(("batch_matmul", "b=2,m=8,n=8,k=8", change) for change in ({"b": 3}, {"tb": 1})),
    ],
    ids=str,
)
def test_workload_that_differs_in_one_attribute_is_a_miss(
    path: str, op: str, shape: str, change: dict[str, Any]
) -> None:
    """F059, F060, F061, F066: layout, type, flags and numeric policy are all in the key."""
    options = {k: change.pop(k) for k in ("layout", "dtype", "tolerance") if k in change}
    pairs = dict(part.split("=") for part in shape.split(",")) | change
    other = parse_workload(op, ",".join(f"{k}={v}" for k, v in pairs.items()), **options)
    tuned = parse_workload(op, shape)
    schedule = default_schedule(contraction(tuned), TARGET)
    stored(path, made(tuned, schedule=schedule))
    assert quiet(tuned, target=TARGET, cache=path).is_hit
    assert not quiet(other, target=TARGET, cache=path).is_hit


def test_other_thread_count_is_a_miss_that_says_so(path: str) -> None:
    """F062."""
    stored(path, made(target_key=TARGET.with_threads(2).key))
    with pytest.warns(PerformanceCliffWarning, match=r"differs in threads \(1, there 2\)"):
        hit = lookup(WORKLOAD, target=TARGET, cache=path)
    assert hit.cliff is not None
    assert (hit.cliff.nearest, hit.cliff.differs) == (WORKLOAD.key, {"threads": [2, 1]})


def test_looser_tolerance_is_a_miss_that_says_so(path: str) -> None:
    """F061: what differs is never an empty list."""
    stored(path, made(parse_workload("matmul", "m=32,n=48,k=16", tolerance=64)))
    hit = quiet(WORKLOAD, target=TARGET, cache=path)
    assert hit.cliff is not None
    assert (hit.origin, hit.cliff.differs) == ("nearest", {"tolerance": [64, 16]})


@pytest.mark.parametrize("seed", ["0", "1"])
@pytest.mark.parametrize(
    "sizes",
    ["m=32, n=48, k=16", "m=np.int64(32), n=np.uint8(48), k=16", "*[32, 48, 16]", "**SHUFFLED"],
)
def test_key_is_the_same_in_every_process_and_for_every_kind_of_number(
    path: str, root: Path, tmp_path: Path, seed: str, sizes: str
) -> None:
    """F063, F064, F084: neither hash seed, folder, user, locale nor time zone is in it."""
    stored(path, made())
    code = (
        "import numpy as np, autotune\n"
        "SHUFFLED = {'k': 16, 'm': 32, 'n': 48}\n"
        f"hit = autotune.lookup(autotune.matmul({sizes}), target='x86-64-v3', cache={path!r})\n"
        "print(hit.origin, hit.schedule.digest)"
    )
    environment = {
        "PYTHONPATH": str(root),
        "PYTHONHASHSEED": seed,
        "HOME": str(tmp_path),
        "LC_ALL": "tr_TR.UTF-8",
        "TZ": "Pacific/Kiritimati",
        "USER": "somebody",
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == ["tuned", made().schedule.digest]


def test_record_outside_of_todays_space_answers(path: str) -> None:
    """F064, F067, F068: what is stored is a schedule, not a place in a space that changes."""
    computed = contraction(WORKLOAD)
    space = generate(computed, TARGET, narrowing.parse("", "none", "matmul"))
    nest = made().schedule.nests[0]
    odd = replace(made().schedule, parts=(replace(nest, prefetch=(("x", 192),)),))
    listed = space.all_points()
    digests = {space.schedule(point).digest for point in [] if listed is None} | {
        space.schedule(point).digest for point in space.sample(np.random.default_rng(0), 64)
    }
    assert odd.digest not in digests
    assert violation(computed, odd, TARGET) is None
    stored(path, made(schedule=odd))
    assert lookup(WORKLOAD, target=TARGET, cache=path).schedule == odd


def test_file_of_bad_rows_is_read_once_and_told_once(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F068, F083: 500 lookups of it."""
    stored(path, made(), made(seconds=2e-3))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE records SET schedule = '{\"parts\": 1}'")
    for name in (path, path + "-wal"):
        if os.path.exists(name):
            os.utime(name, (1e9, 1e9))
    reads = []
    find = MODULE.find
    monkeypatch.setattr(MODULE, "find", lambda *given: reads.append(1) or find(*given))
    monkeypatch.setattr(MODULE._teller.notes, "_start", lambda: None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(500):
            assert not lookup(WORKLOAD, target=TARGET, cache=path).is_hit
    assert len(reads) == 1
    assert [w.category for w in caught] == [UserWarning, UserWarning, PerformanceCliffWarning]


def test_only_code_generator_and_llvm_make_a_record_stale(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F071: neither the program's version nor the machine's name nor the day."""
    toolchain = importlib.import_module("autotune.store.toolchain")
    monkeypatch.setattr(toolchain, "installed_llvmlite", lambda: "0.50.0")
    fresh = {"version": "0.2.1.dev6", "machine": "another", "created": "2020-01-01T00:00:00Z"}
    for changes, is_stale in (
        *(({name: value}, False) for name, value in fresh.items()),
        ({"codegen": CODEGEN_VERSION - 1}, True),
        ({"llvm": "14.0.0", "origin": "imported"}, True),
    ):
        place = f"{path}.{'.'.join(changes)}"
        with open_cache(place) as cache:  # which tells which LLVM is here
            cache.put(made(parse_workload("matmul", "1x1x1")))
        stored(place, made(**changes))
        hit = lookup(WORKLOAD, target=TARGET, cache=place)
        assert (hit.is_hit, hit.stale) == (True, is_stale), changes


@pytest.mark.parametrize("shape", ["63x65x1", "1x1x1", "7x4099x3", "64x64x65,ta=1,tb=1"])
def test_nearest_of_a_quite_different_shape_is_legal_and_marked(path: str, shape: str) -> None:
    """F072."""
    stored(path, made(parse_workload("matmul", "64x64x64")))
    asked = parse_workload("matmul", shape)
    with pytest.warns(PerformanceCliffWarning):
        hit = lookup(asked, target=TARGET, cache=path)
    assert not hit.is_hit
    assert hit.origin in ("nearest", "default")
    assert violation(contraction(asked), hit.schedule, TARGET) is None


def test_same_cache_gives_the_same_code_in_every_process(path: str, root: Path) -> None:
    """F073: hit, fallback and default."""
    stored(path, made())
    code = (
        "import warnings, hashlib, autotune\n"
        "warnings.simplefilter('ignore')\n"
        "from autotune.backends.cpu import ir_text\n"
        "from autotune.ops.base import contraction\n"
        "from autotune.targets.detect import resolve\n"
        "for sizes in ((32, 48, 16), (33, 48, 16)):\n"
        "    w = autotune.matmul(*sizes)\n"
        f"    hit = autotune.lookup(w, target='x86-64-v3', cache={path!r})\n"
        "    text = ir_text(contraction(w), hit.schedule, resolve('x86-64-v3'))\n"
        "    print(hit.origin, hit.schedule.digest, hashlib.sha256(text.encode()).hexdigest())\n"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    (lines,) = told
    assert [line.split()[0] for line in lines.splitlines()] == ["tuned", "nearest"]


def test_every_way_to_look_up_gives_the_same_answer_and_a_miss_leaves_a_trace(
    path: str, root: Path
) -> None:
    """F086."""
    stored(path, made())
    for shape, origin in (("32x48x16", "tuned"), ("33x48x16", "nearest")):
        workload = parse_workload("matmul", shape)
        ours = quiet(workload, target=TARGET, cache=path)
        asked = ["--op", "matmul", "--shape", shape, "--target", "x86-64-v3", "--cache", path]
        done = subprocess.run(
            [sys.executable, "-m", "autotune", "lookup", *asked, "--json"],
            cwd=root,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        told = json.loads(done.stdout)
        assert told["schedule"] == ours.schedule.to_dict()
        assert told["origin"] == ours.origin == origin
        assert autotune.load.__globals__["lookup"] is lookup  # compiled kernels ask the same
        assert done.stderr.count("\n") == (origin != "tuned")
        assert done.returncode == (0 if origin == "tuned" else 3)
    MODULE._teller.notes.flush()
    with open_cache(path) as cache:
        assert [miss["count"] for miss in cache.misses()] == [2]


def test_nothing_is_tuned_unasked(path: str, root: Path) -> None:
    """F089: a miss loads neither the tuner nor a compiler."""
    code = (
        "import sys, warnings, autotune\n"
        "warnings.simplefilter('ignore')\n"
        f"autotune.lookup(autotune.matmul(7, 7, 7), cache={path!r})\n"
        "heavy = {'autotune.tune', 'autotune.measure', 'llvmlite', 'numpy', 'sqlalchemy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_text_from_outside_is_only_text(path: str) -> None:
    """F096: a target key in a file, a workload's parts, a cache's name."""
    odd = "x'; drop table records; --\n\t\"🎉"
    name = path + " a'b;c?d#e%20 🎉"
    stored(name, made())
    assert quiet(WORKLOAD, target=TARGET, cache=name).is_hit
    hostile = replace(TARGET, cpu=odd)
    assert quiet(WORKLOAD, target=hostile, cache=name).origin == "compatible"
    assert not quiet(parse_workload("matmul", "7x7x7"), target=hostile, cache=name).is_hit
    MODULE._teller.notes.flush()
    with open_cache(name) as cache:
        assert len(cache.entries()) == 1
        (miss,) = cache.misses()
        assert miss["target"] == hostile.key


@pytest.mark.timing
def test_lookups_among_ten_thousand_shapes_read_few_of_them(path: str) -> None:
    """F075: one table and an index, whatever is looked up."""
    stored(path, made())
    row = made().to_row()

    def rows() -> Iterator[dict[str, Any]]:
        for number in range(10_000):
            sizes = f"m={32 + number % 100},n={48 + number // 100},k=16"
            shape = WORKLOAD.shape.replace("m=32,n=48,k=16", sizes)
            key = WORKLOAD.key.replace(WORKLOAD.shape, shape)
            yield {**row, "digest": f"{number:032x}", "shape": shape, "workload_key": key}

    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(schema.WRITE_RECORD, rows())

    def best_s(shapes: list[str], is_hit: bool) -> float:
        taken = []
        for shape in shapes:
            workload = parse_workload("matmul", shape)
            start_s = time.perf_counter()
            assert quiet(workload, target=TARGET, cache=path).is_hit == is_hit
            taken.append(time.perf_counter() - start_s)
        return min(taken)

    assert best_s([f"{32 + n}x{60 + n}x16" for n in range(50)], True) < 5e-3
    assert best_s([f"{32 + n}x{60 + n}x17" for n in range(20)], False) < 0.1
