from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from autotune.batch import Tuned, estimated_speedup, missed, tune_all
from autotune.errors import MeasureError, UsageError
from autotune.ops.base import parse_workload
from autotune.store.db import open_cache
from autotune.store.misses import Miss, note
from autotune.trial import Workload
from tests.records import TARGET, made

NOW = "2026-01-31T12:00:00Z"
SMALL, MIDDLE, LARGE = (parse_workload("matmul", f"m={m},n=8,k=8") for m in (8, 64, 512))


def miss(workload: Workload, count: int = 1, target_key: str = TARGET.key) -> Miss:
    return Miss(target_key, workload, count, NOW, NOW)


def done(job: Miss, **changes: Any) -> dict[str, Any]:
    best = {"seconds": 1e-3, "speedup": 2.0}
    return {"key": job.workload.key, "stopped": "trials", "kept": True, "best": best, **changes}


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "cache.sqlite")


def jobs(path: str, *arguments: Any, **options: Any) -> list[tuple[str, str]]:
    with open_cache(path) as cache:
        found = missed(cache, *arguments, **options).jobs
    return [(job.workload.key, job.target_key) for job in found]


def test_worst_comes_first_by_operations_times_uses(path: str) -> None:
    note(path, [miss(SMALL, 100), miss(LARGE), miss(MIDDLE, 2)])
    assert jobs(path, TARGET.key) == [(w.key, TARGET.key) for w in (SMALL, LARGE, MIDDLE)]


def test_worst_comes_first_by_measured_gain(path: str) -> None:
    other = parse_workload("conv2d", "c=1,h=8,k=8,r=1")
    with open_cache(path) as cache:
        for n in (1, 2, 3):
            gained = parse_workload("conv2d", f"c={n},h=3,k=1,r=1")
            cache.put(made(gained, speedup=500.0))
    note(path, [miss(LARGE), miss(other)])
    assert jobs(path, TARGET.key)[0] == (other.key, TARGET.key)


def test_misses_of_the_target_on_any_threads_unless_they_are_named(path: str) -> None:
    two = TARGET.with_threads(2).key
    note(path, [miss(LARGE), miss(SMALL, 1, two), miss(SMALL, 1, "x86-64/baseline/t1")])
    assert jobs(path, TARGET.key) == [(LARGE.key, TARGET.key), (SMALL.key, two)]
    assert jobs(path, "x86-64-v3", threads=2) == [(SMALL.key, two)]
    assert jobs(path, "x86-64-v3", threads=3) == []
    with open_cache(path) as cache:
        found = missed(cache, TARGET.key, 1)
    assert found.elsewhere == tuple(sorted(["x86-64/baseline/t1", two]))


def test_unknown_target_is_refused(path: str) -> None:
    with pytest.raises(UsageError, match="allowed: host"):
        jobs(path, "avx2")


def test_one_that_fails_stops_no_other() -> None:
    """F005, F015."""

    def tune_one(job: Miss, share_s: float | None) -> Mapping[str, Any]:
        assert share_s is None
        if job.workload == MIDDLE:
            raise MeasureError("workers\ncannot be started")
        return done(job, kept=job.workload != LARGE)

    tuned = tune_all([miss(SMALL, 3), miss(MIDDLE), miss(LARGE)], tune_one)
    first, second, third = tuned.workloads
    assert (first["key"], first["uses"]) == (SMALL.key, 3)
    assert second == {
        "workload": MIDDLE.to_dict(),
        "key": MIDDLE.key,
        "target": TARGET.key,
        "error": "workers cannot be started",
        "uses": 1,
    }
    assert third["kept"] is False
    assert tuned.failed == 2


def test_miss_that_is_no_workload_is_reported(path: str) -> None:
    """F096: whatever a program wrote into the table."""
    hostile = [
        Workload("matmul", "m=1,n=1", "float32", "row"),
        Workload("matmul", SMALL.shape.replace("m=8", "m=008"), "float32", "row"),
        Workload("../../etc", "m=1", "float32", "row"),
        Workload("matmul", SMALL.shape.replace("m=8", "m=99999999999"), "float32", "row"),
    ]
    note(path, [miss(SMALL), *map(miss, hostile)])
    with open_cache(path) as cache:
        found = missed(cache, TARGET.key).jobs
    assert found[0].workload == SMALL
    tuned = tune_all(found, lambda job, _: done(job))
    assert tuned.failed == len(hostile)
    assert "error" not in tuned.workloads[0]


def test_what_refuses_every_workload_alike_is_bad_usage() -> None:
    def refuse(job: Miss, share_s: float | None) -> Mapping[str, Any]:
        raise UsageError("explorer 'x' is not known")

    with pytest.raises(UsageError, match="explorer"):
        tune_all([miss(SMALL), miss(LARGE)], refuse)
    answers = iter([refuse, lambda job, _: done(job)])
    tuned = tune_all([miss(SMALL), miss(LARGE)], lambda *both: next(answers)(*both))
    assert tuned.failed == 1


def test_budget_is_shared_and_what_is_left_over_goes_to_the_rest() -> None:
    moments: Iterator[float] = iter([0.0, 0.0, 10.0, 100.0, 100.0, 100.0])
    shares: list[float | None] = []

    def tune_one(job: Miss, share_s: float | None) -> Mapping[str, Any]:
        shares.append(share_s)
        return done(job)

    four = [miss(w) for w in (SMALL, MIDDLE, LARGE)] + [miss(SMALL, 2, "x86-64/baseline/t1")]
    tuned = tune_all(four, tune_one, 100.0, lambda: next(moments))
    assert shares == [25.0, 30.0]
    late = "the budget was used up before its turn"
    assert [told.get("error") for told in tuned.workloads] == [None, None, late, late]
    assert tuned.seconds == 100.0


def test_interruption_ends_with_what_there_is() -> None:
    def kept(job: Miss, share_s: float | None) -> Mapping[str, Any]:
        return done(job, stopped="interrupted" if job.workload == MIDDLE else "trials")

    def lost(job: Miss, share_s: float | None) -> Mapping[str, Any]:
        if job.workload == MIDDLE:
            raise KeyboardInterrupt
        return done(job)

    for tune_one, count in ((kept, 2), (lost, 1)):
        tuned = tune_all([miss(SMALL), miss(MIDDLE), miss(LARGE)], tune_one)
        assert tuned.is_interrupted
        assert len(tuned.workloads) == count


def test_estimated_speedup_is_that_of_all_uses_together() -> None:
    told = [
        {"uses": 3, "best": {"seconds": 2.0, "speedup": 2.0}},
        {"uses": 1, "best": {"seconds": 4.0, "speedup": 1.0}},
        {"uses": 9, "best": {"seconds": 4.0, "speedup": None}},
        {"uses": 9, "error": "x"},
    ]
    assert estimated_speedup(told) == (3 * 4.0 + 4.0) / (3 * 2.0 + 4.0)
    assert estimated_speedup(told[2:]) is None
    assert Tuned().to_dict() == {
        "workloads": [],
        "failed": 0,
        "seconds": 0.0,
        "estimated_speedup": None,
    }
