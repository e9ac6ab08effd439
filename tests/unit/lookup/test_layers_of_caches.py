from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autotune.errors import PerformanceCliffWarning, StoreError, UsageError
from autotune.lookup import Hit, lookup
from autotune.ops.base import parse_workload
from autotune.store import misses, paths
from autotune.store.db import open_cache
from autotune.store.snapshot import Snapshot
from autotune.targets.detect import resolve
from tests.records import TARGET, WORKLOAD, made

MODULE = importlib.import_module("autotune.lookup")
ANSWER = importlib.import_module("autotune.lookup.answer")
V1 = resolve("x86-64")
NEAR = parse_workload("matmul", "m=33,n=48,k=16")


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    paths.shipped.cache_clear()
    yield
    MODULE._answers.clear()
    MODULE._teller.clear()
    MODULE.layers.warn_of.cache_clear()
    paths.shipped.cache_clear()


@pytest.fixture
def own(tmp_path: Path) -> str:
    return str(tmp_path / "own.sqlite")


@pytest.fixture
def shipped(tmp_path: Path) -> str:
    return str(tmp_path / "shipped.sqlite")


def stored(path: str, *records: Any) -> str:
    with open_cache(path) as cache:
        for record in records:
            cache.put(record)
    return path


def taken(path: str, *records: Any) -> Snapshot:
    with open_cache(stored(path, *records)) as cache:
        return cache.snapshot(os.path.dirname(path))


def quiet(cache: Any, **options: Any) -> Hit:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceCliffWarning)
        return lookup(WORKLOAD, target=TARGET, cache=cache, **options)


def test_upper_layer_answers_first_however_slow(own: str, shipped: str) -> None:
    stored(own, made(seconds=5e-3))
    stored(shipped, made(seconds=1e-3))
    assert quiet([own, shipped]).seconds == 5e-3
    assert quiet((Path(shipped), Path(own))).seconds == 1e-3


def test_lower_layer_answers_what_the_upper_one_lacks(own: str, shipped: str) -> None:
    stored(shipped, made(seconds=1e-3))
    hit = quiet([own, shipped])
    assert (hit.origin, hit.seconds) == ("tuned", 1e-3)
    assert not os.path.exists(own)


def test_exact_below_comes_before_compatible_above(
    own: str, shipped: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(own, made(seconds=1e-6, target_key=V1.key))
    stored(shipped, made(seconds=1e-3))
    monkeypatch.setattr(ANSWER, "violation", lambda *_: None)
    assert quiet([own, shipped]).origin == "tuned"
    assert quiet([own]).origin == "compatible"


def test_illegal_record_above_does_not_hide_the_one_below(
    own: str, shipped: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(own, made(seconds=1e-6))
    stored(shipped, made(seconds=1e-3))
    rules = iter(["a rule"])
    monkeypatch.setattr(ANSWER, "violation", lambda *_: next(rules, None))
    assert quiet([own, shipped]).seconds == 1e-3


def test_fallback_looks_through_all_layers(own: str, shipped: str) -> None:
    stored(own, made(parse_workload("matmul", "m=4096,n=48,k=16")))
    stored(shipped, made(NEAR))
    hit = quiet([own, shipped])
    assert hit.cliff is not None
    assert (hit.origin, hit.cliff.nearest) == ("nearest", NEAR.key)
    assert hit.cliff.fix.endswith(f" --cache {own}")


def test_misses_are_noted_in_the_upper_layer_alone(own: str, shipped: str) -> None:
    stored(shipped, made(NEAR))
    before = Path(shipped).read_bytes()
    quiet([own, shipped])
    MODULE._teller.notes.flush()
    assert [miss.count for miss in misses.read_all(own)] == [1]
    assert misses.read_all(shipped) == []
    assert Path(shipped).read_bytes() == before


def test_change_of_any_layer_is_seen_at_once(own: str, shipped: str) -> None:
    for seconds in (5e-3, 4e-3):
        stored(shipped, made(seconds=seconds))
        assert quiet([own, shipped]).seconds == seconds
    stored(own, made(seconds=9e-3))
    assert quiet([own, shipped]).seconds == 9e-3


def test_layers_lie_below_the_default_cache_only(
    own: str, shipped: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = stored(str(tmp_path / "more.sqlite"), made(seconds=1e-6))
    stored(shipped, made(seconds=1e-3))
    monkeypatch.setenv("AUTOTUNE_CACHE", own)
    monkeypatch.setenv("AUTOTUNE_CACHE_LAYERS", f"{shipped}:{more}::{tmp_path}/absent")
    assert quiet(None).seconds == 1e-3
    assert not quiet(own).is_hit


def test_layer_that_nobody_named_and_cannot_be_read_is_told_once(
    own: str, shipped: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken"
    broken.write_text("something else, longer than a header")
    stored(shipped, made(seconds=1e-3))
    monkeypatch.setenv("AUTOTUNE_CACHE", own)
    monkeypatch.setenv("AUTOTUNE_CACHE_LAYERS", f"{broken}:{shipped}")
    with pytest.warns(UserWarning, match="broken is not an SQLite database"):
        assert quiet(None).seconds == 1e-3
    assert quiet(None).seconds == 1e-3  # a second warning would be an error
    with pytest.raises(StoreError, match="is not an SQLite database"):
        quiet([own, broken])


@pytest.mark.parametrize("cache", [[], (), ["mysql://x/y"], [""]])
def test_layers_that_are_none_are_refused(cache: Any) -> None:
    with pytest.raises(UsageError, match="allowed"):
        quiet(cache)


def test_pinned_snapshot_answers_and_nothing_is_written_to_it(own: str) -> None:
    snapshot = taken(own, made(seconds=1e-3))
    before = Path(snapshot.path).read_bytes()
    assert quiet(snapshot.location).seconds == 1e-3
    with pytest.warns(PerformanceCliffWarning):
        lookup(NEAR, target=TARGET, cache=snapshot.location)
    MODULE._teller.notes.flush()
    assert Path(snapshot.path).read_bytes() == before
    assert [miss.workload for miss in misses.read_all(snapshot.path)] == [NEAR]


@pytest.mark.parametrize("way", ["named", "layer", "default"])
def test_other_content_than_was_pinned_is_refused(
    own: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However it was named: hosts that disagree must not build."""
    snapshot = taken(own, made(seconds=1e-3))
    wanted = f"{snapshot.path}#sha256={'0' * 64}"
    cache: Any = {"named": wanted, "layer": [own, wanted], "default": None}[way]
    monkeypatch.setenv("AUTOTUNE_CACHE", wanted)
    with pytest.raises(StoreError, match=f"its sha256 is {snapshot.sha256}, not 0000"):
        quiet(cache)


def test_snapshot_that_changes_under_a_running_process_is_refused(own: str) -> None:
    snapshot = taken(own, made(seconds=1e-3))
    os.utime(snapshot.path, (1e9, 1e9))
    assert quiet(snapshot.location).is_hit
    assert quiet(snapshot.location).is_hit
    os.chmod(snapshot.path, 0o644)
    stored(snapshot.path, made(seconds=1e-6))
    with pytest.raises(StoreError, match="is not the snapshot asked for"):
        quiet(snapshot.location)
