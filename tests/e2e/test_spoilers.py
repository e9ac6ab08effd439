"""Whole runs among whose candidates some spoil what they run in: each fails alone, or does no harm.

`tests/e2e/workers` plants the faults, in the order in which the search submits its schedules; every
other candidate is one that behaves.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import signal
import time
from pathlib import Path

import pytest

from autotune.measure.base import MeasureOptions
from autotune.measure.check import check_candidate
from autotune.measure.pool import PoolMeasurer
from autotune.ops.base import parse_workload
from autotune.store.db import open_cache
from autotune.store.log import read
from autotune.targets.base import Target
from autotune.targets.detect import host
from autotune.trial import Trial, Workload
from autotune.tune import tune
from tests.measuring import FAULTY, WORKERS, WORKLOAD, PlantingMeasurer, collect, plant, variants
from tests.survival import Site

TIMEOUT_S = 2.0
LONG = parse_workload("matmul", "4x16x8192")
"""So long a sum that rounding in one direction takes it out of the tolerance."""

OK, CRASH, WRONG, MEMORY = {"ok"}, {"crash"}, {"wrong_result"}, {"out_of_memory"}
LATE, LATE_BUILD = {"timeout"}, {"compile_timeout"}
RUNNING = {
    "stopped": LATE,
    "memory_loop": MEMORY,
    "memory_kept": MEMORY,
    "overrun_64": WRONG,
    "overrun_page": WRONG,
    "overrun_far": CRASH,
    "overrun_when_timed": WRONG,
    "return_early": WRONG,
    "return_early_when_timed": {"wrong_result", "invalid_time"},
    "segfault_second_time": CRASH,
    "flood": OK,
    "close_files": CRASH,
    "close_files_and_hang": {"crash", "timeout"},
    "close_other_files": {"ok", "crash"},
    "lose_folder": OK,
    "forbid_files": OK,
    "ignore_signals": OK,
    "round_up": {"ok", "wrong_result"},
    "flush_to_zero": OK,
    "leave_child": OK,
    "garbage": CRASH,
    "half_a_frame": {"crash", "timeout"},
    "frame_too_long": CRASH,
    "frame_of_nothing": CRASH,
    "frame_of_nonsense": CRASH,
    "event_of_nothing": CRASH,
    "failure_of_nothing": CRASH,
}
"""What a candidate does while it runs, and how its trial may end."""
BUILDING = {
    "build_stopped": LATE_BUILD,
    "build_memory_loop": MEMORY,
    "build_memory_kept": MEMORY,
    "build_flood": OK,
    "build_close_files": CRASH,
    "build_close_files_and_hang": {"crash", "compile_timeout"},
    "build_close_other_files": {"ok", "crash", "compile_error"},
    "build_lose_folder": OK,
    "build_forbid_files": OK,
    "build_ignore_signals": OK,
    "build_round_up": OK,
    "build_flush_to_zero": OK,
    "build_leave_child": OK,
    "build_garbage": CRASH,
    "build_half_a_frame": {"crash", "compile_timeout"},
    "build_frame_too_long": CRASH,
    "build_frame_of_nothing": CRASH,
    "build_frame_of_nonsense": CRASH,
    "build_event_of_nothing": CRASH,
    "build_failure_of_nothing": CRASH,
}
EVERY = RUNNING | BUILDING
SHORT = (
    "memory_kept",
    "return_early_when_timed",
    "flood",
    "close_other_files",
    "leave_child",
    "frame_of_nonsense",
    "build_frame_too_long",
)
"""What always runs: one of each sort."""


@pytest.fixture(scope="module")
def target() -> Target:
    return host()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A place of its own, whose mark and folders the workers get."""
    made = Site(tmp_path / "site")
    monkeypatch.syspath_prepend(str(WORKERS))
    for name in ("AUTOTUNE_TEST_MARK", "TMPDIR"):
        monkeypatch.setenv(name, made.environment()[name])
    return made


@functools.cache
def units(trial: Trial, workload: Workload = WORKLOAD) -> float:
    """The error of a schedule in this very process, which nothing has spoiled."""
    return check_candidate(workload, trial.schedule, host())


@pytest.mark.parametrize("names", [SHORT, pytest.param(tuple(EVERY), marks=pytest.mark.slow)])
def test_run_keeps_a_right_winner_whatever_its_candidates_do(
    site: Site, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    """F028, F032: the process, the pipes and the memory of others; what is left behind."""
    measurers: list[PlantingMeasurer] = []

    def spoiled(workload: Workload, target: Target, options: MeasureOptions) -> PoolMeasurer:
        planted = dataclasses.replace(
            options,
            builder_module=FAULTY.builder_module,
            runner_module=FAULTY.runner_module,
            timeout_s=TIMEOUT_S,
        )
        faults = ["", *(fault for name in names for fault in ("", name)), ""]
        file = site.folder / "faults"
        measurers.append(PlantingMeasurer(workload, target, planted, faults, monkeypatch, file))
        return measurers[0]

    trials = 2 * len(names) + 2
    result = tune(
        WORKLOAD,
        trials=trials,
        explorer="random",
        cache=str(site.cache),
        log=str(site.log),
        measurer_factory=spoiled,
    )
    planted = measurers[0].planted
    assert sorted(planted.values()) == sorted(names)
    found = read(site.log).trials
    assert len(found) == result.trials == trials
    ends = {planted[t.schedule.digest]: t for t in found if t.schedule.digest in planted}
    wrong = {name: t.outcome for name, t in ends.items() if t.status not in EVERY[name]}
    assert wrong == {}
    others = [trial for trial in found if trial.schedule.digest not in planted]
    assert [trial.outcome for trial in others if trial.timing is None] == []
    assert [t.timing.error_units for t in others if t.timing] == [units(t) for t in others]

    assert EVERY.get(planted.get(result.schedule.digest, ""), OK) == OK
    assert check_candidate(WORKLOAD, result.schedule, host()) <= WORKLOAD.tolerance
    assert result.outcome.is_retimed
    with open_cache(site.cache) as cache:
        (record,) = cache.entries()
    assert record.verified
    assert record.schedule == result.schedule
    assert site.left(1.0) == {}
    assert site.litter() == []


def test_rounding_that_is_left_behind_spoils_no_later_result(
    site: Site, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedules = variants(target, 4, LONG)
    plant(monkeypatch, schedules, {1: "round_up"})
    with PoolMeasurer(LONG, target, FAULTY) as measurer:
        measurer.submit(schedules)
        trials = {trial.schedule.digest: trial for trial in collect(measurer)}
    for schedule in (schedules[0], *schedules[2:]):
        trial = trials[schedule.digest]
        assert trial.timing is not None, trial.outcome
        assert trial.timing.error_units == units(trial, LONG)


def test_write_into_the_page_behind_a_buffer_crashes_where_strict(
    site: Site, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedules = variants(target, 3)
    plant(monkeypatch, schedules, {1: "overrun_64"})
    strict = dataclasses.replace(FAULTY, strict=True)
    with PoolMeasurer(WORKLOAD, target, strict) as measurer:
        measurer.submit(schedules)
        ends = {trial.schedule.digest: trial.status for trial in collect(measurer)}
    assert [ends[schedule.digest] for schedule in schedules] == ["ok", "crash", "ok"]


@pytest.mark.slow
def test_worker_that_is_killed_between_jobs_is_replaced_however_often(
    site: Site, target: Target
) -> None:
    schedules = variants(target, 2)
    with PoolMeasurer(WORKLOAD, target, FAULTY) as measurer:
        measurer.submit(schedules[:1])
        collect(measurer)
        for _ in range(3):
            (builder,) = site.processes("faulty_builder")
            os.kill(builder, signal.SIGKILL)
            wait_until_idle(measurer, builder, site)
        measurer.submit(schedules[1:])
        (trial,) = collect(measurer)
    assert trial.status == "ok"


def wait_until_idle(measurer: PoolMeasurer, killed: int, site: Site) -> None:
    """Until another builder than the one that was killed is ready for jobs."""
    deadline = time.monotonic() + 60.0
    (slot,) = measurer._builders
    while site.processes("faulty_builder").keys() in ({killed}, set()) or not slot.is_idle:
        assert measurer.ready(0.0) == []
        assert time.monotonic() < deadline
        time.sleep(0.01)
