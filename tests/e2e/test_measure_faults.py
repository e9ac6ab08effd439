"""Real workers, planted faults: whatever a candidate does, it fails alone, with the right kind."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autotune.errors import MeasureError, ScheduleError
from autotune.ir.default import default_schedule
from autotune.ir.schedule import Schedule
from autotune.measure.base import MeasureOptions
from autotune.measure.check import check_candidate
from autotune.measure.child import CandidateError
from autotune.measure.cores import Cores, allowed_cores, divide
from autotune.measure.pool import PoolMeasurer
from autotune.measure.timing import MIN_PAIRS
from autotune.measure.toolchain import real_toolchain
from autotune.ops.base import contraction, parse_workload
from autotune.targets.base import Target
from autotune.targets.detect import host
from autotune.trial import FAILURE_KINDS, Failure, Trial, Workload
from tests.measuring import FAULTY, WORKERS, WORKLOAD, collect, plant, variants

Measure = Callable[..., list[Trial]]


@pytest.fixture(scope="module")
def target() -> Target:
    return host()


@pytest.fixture(autouse=True)
def _workers_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(WORKERS))


@pytest.fixture
def measure(target: Target, monkeypatch: pytest.MonkeyPatch) -> Measure:
    """Measure schedules of which some, by position, have a fault; trials by position."""

    def run(
        schedules: list[Schedule],
        faults: dict[int, str],
        options: MeasureOptions = FAULTY,
        workload: Workload = WORKLOAD,
    ) -> list[Trial]:
        plant(monkeypatch, schedules, faults)
        with PoolMeasurer(workload, target, options) as measurer:
            measurer.submit(schedules)
            trials = {trial.schedule.digest: trial for trial in collect(measurer)}
        assert len(trials) == len(schedules)
        return [trials[schedule.digest] for schedule in schedules]

    return run


def failure(trial: Trial) -> Failure:
    assert trial.failure is not None
    return trial.failure


def test_right_candidates_are_timed_beside_the_first(measure: Measure, target: Target) -> None:
    trials = measure(variants(target, 3), {})
    for trial in trials:
        assert trial.timing is not None
        assert 1 <= len(trial.timing.samples_s) == len(trial.timing.reference_s)
        assert 0 < trial.timing.seconds < 1
        assert 0 < trial.timing.error_units <= WORKLOAD.tolerance
        assert trial.build_s > 0
        assert trial.run_s > 0


BUILD_FAULTS = {
    "build_segfault": ("crash", "SIGSEGV"),
    "build_killed": ("out_of_memory", "SIGKILL"),
    "build_memory_error": ("out_of_memory", ""),
    "build_codegen_error": ("compile_error", "LLVM refused"),
    "build_bug": ("compile_error", "LookupError: a mistake"),
    "build_exit": ("crash", "exit status 3"),
}
RUN_FAULTS = {
    "segfault": ("crash", "SIGSEGV"),
    "killed": ("out_of_memory", "SIGKILL"),
    "memory_error": ("out_of_memory", ""),
    "bug": ("crash", "LookupError: a mistake"),
    "segfault_when_timed": ("crash", "SIGSEGV"),
    "skip_tail": ("wrong_result", "39 of 169 outputs are NaN"),
    "wrong": ("wrong_result", "units"),
    "wrong_second_time": ("wrong_result", "units"),
    "overrun": ("wrong_result", "outside of its out buffer"),
    "underrun": ("wrong_result", "outside of its out buffer"),
    "write_input": ("wrong_result", "wrote to its input x"),
    "clock_zero": ("invalid_time", "0 ns"),
    "clock_backwards": ("invalid_time", "-"),
}


def test_each_fault_fails_its_candidate_alone_with_its_kind(
    measure: Measure, target: Target
) -> None:
    wanted = {**BUILD_FAULTS, **RUN_FAULTS}
    schedules = variants(target, len(wanted) + 2)
    planted = dict(enumerate(wanted, start=1))
    trials = measure(schedules, planted)
    seen = {fault: failure(trials[position]) for position, fault in planted.items()}
    assert {fault: found.kind for fault, found in seen.items()} == {
        fault: kind for fault, (kind, _) in wanted.items()
    }
    for fault, (_, words) in wanted.items():
        assert words in seen[fault].message
        assert "\n" not in seen[fault].message
    assert trials[0].status == trials[-1].status == "ok"


def test_llvm_abort_in_third_of_eight_leaves_seven_measured(
    measure: Measure, target: Target
) -> None:
    trials = measure(variants(target, 8), {2: "build_abort_in_llvm"})
    assert failure(trials[2]).kind == "crash"
    assert "SIGABRT" in failure(trials[2]).message
    assert "Cannot select" in failure(trials[2]).message
    assert [t.status for i, t in enumerate(trials) if i != 2] == ["ok"] * 7


def test_hanging_build_and_run_are_killed_at_the_deadline(measure: Measure, target: Target) -> None:
    options = dataclasses.replace(FAULTY, timeout_s=0.7, builders=2)
    planted = {1: "build_hang", 2: "hang", 4: "hang_when_timed"}
    trials = measure(variants(target, 6), planted, options)
    kinds = [trial.status for trial in trials]
    assert kinds == ["ok", "compile_timeout", "timeout", "ok", "timeout", "ok"]
    assert 0.7 <= trials[1].build_s < 3.0
    assert "0.7 s" in failure(trials[2]).message


def test_illegal_schedule_is_a_failure(measure: Measure, target: Target) -> None:
    schedules = variants(target, 2)
    (nest,) = schedules[0].nests
    broken = dataclasses.replace(schedules[0], parts=(dataclasses.replace(nest, vector="nowhere"),))
    trials = measure([*schedules, broken], {})
    assert failure(trials[2]).kind == "illegal"
    assert trials[0].status == trials[1].status == "ok"


@pytest.mark.parametrize("fault", ["wrong", "segfault", "build_codegen_error", "clock_zero"])
def test_failing_default_disqualifies_only_itself(
    measure: Measure, target: Target, fault: str
) -> None:
    trials = measure(variants(target, 3), {0: fault})
    assert trials[0].failure is not None
    for trial in trials[1:]:
        assert trial.timing is not None
        assert trial.timing.ratio > 0


def test_printing_candidates_do_not_disturb_the_protocol(measure: Measure, target: Target) -> None:
    trials = measure(variants(target, 4), {0: "print", 1: "build_print", 2: "print"})
    assert [trial.status for trial in trials] == ["ok"] * 4


def test_too_short_timeout_gives_failures_and_no_number(measure: Measure, target: Target) -> None:
    options = dataclasses.replace(FAULTY, timeout_s=0.001)
    trials = measure(variants(target, 4), {}, options)
    assert {trial.status for trial in trials} <= {"compile_timeout", "timeout"}
    assert all(trial.timing is None for trial in trials)


def test_slow_candidate_is_dropped_after_its_first_slice(measure: Measure, target: Target) -> None:
    trials = measure(variants(target, 2), {1: "slow_when_timed"})
    assert trials[1].timing is not None
    assert len(trials[1].timing.samples_s) == 1
    assert trials[1].timing.ratio > 2.5


@pytest.mark.parametrize("strict", [False, True])
def test_read_past_the_end_crashes_where_strict(
    measure: Measure, target: Target, strict: bool
) -> None:
    options = dataclasses.replace(FAULTY, strict=strict)
    trials = measure(variants(target, 2), {1: "overread"}, options)
    assert trials[0].status == "ok"
    assert trials[1].status == ("crash" if strict else "ok")


@pytest.mark.parametrize(
    ("op", "shape", "dtype", "layout"),
    [
        ("matmul", "1x1x1", "float64", None),
        ("matmul", "7x17x5,bias=1,residual=1,act=gelu", "float32", None),
        ("conv2d", "c=3,h=7,k=5,r=3,pad=1,stride=2,bias=1,act=silu", "float32", "NHWC"),
        ("batch_matmul", "2x3x5x7,act=relu6", "float64", None),
        ("conv2d", "c=16,h=5,k=16,r=3,pad=1,bias=1", "float32", "NCHW16c"),
    ],
)
def test_workloads_of_every_kind_are_measured(
    target: Target, op: str, shape: str, dtype: str, layout: str | None
) -> None:
    workload = parse_workload(op, shape, dtype, layout)
    options = MeasureOptions(strict=True, min_slice_s=0.001)
    with PoolMeasurer(workload, target, options) as measurer:
        measurer.submit([default_schedule(contraction(workload), target)])
        (trial,) = collect(measurer)
    assert trial.timing is not None, trial.outcome
    assert trial.timing.seconds > 0


@pytest.mark.parametrize(
    "changed",
    [
        {"cache_policy": "rotating"},
        {"cores": Cores(measuring=allowed_cores()[:1], building=allowed_cores()[:1])},
        {"cores": divide(allowed_cores(), 64), "builders": 2},
    ],
)
def test_every_cache_policy_and_division_of_cores_measures_all(
    measure: Measure, target: Target, changed: dict[str, Any]
) -> None:
    trials = measure(variants(target, 4), {1: "segfault"}, dataclasses.replace(FAULTY, **changed))
    assert [trial.status for trial in trials] == ["ok", "crash", "ok", "ok"]


def test_slow_candidate_gets_a_full_reading_where_none_is_dropped(
    measure: Measure, target: Target
) -> None:
    options = dataclasses.replace(FAULTY, drops_slow=False)
    trials = measure(variants(target, 4), {3: "slow_when_timed"}, options)
    for trial in trials:
        assert trial.timing is not None
        assert len(trial.timing.samples_s) + len(trial.timing.disturbed) >= MIN_PAIRS
    assert trials[3].timing is not None
    assert trials[3].timing.ratio > 10


def test_recycled_builders_lose_nothing(measure: Measure, target: Target) -> None:
    trials = measure(variants(target, 5), {}, dataclasses.replace(FAULTY, recycle_after=2))
    assert [trial.status for trial in trials] == ["ok"] * 5


@pytest.mark.parametrize("role", ["builder_module", "runner_module"])
def test_worker_that_cannot_start_raises_its_last_words(target: Target, role: str) -> None:
    options = dataclasses.replace(MeasureOptions(), **{role: "unstartable"})
    with PoolMeasurer(WORKLOAD, target, options) as measurer:
        measurer.submit(variants(target, 1))
        with pytest.raises(MeasureError, match="no such library on this machine"):
            collect(measurer)
        with pytest.raises(MeasureError, match="3 times"):
            measurer.submit(variants(target, 1))


def test_job_of_a_worker_that_died_before_it_is_done_again(
    measure: Measure, target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaths = tmp_path / "deaths"
    monkeypatch.setenv("AUTOTUNE_TEST_DEATHS", str(deaths))
    options = dataclasses.replace(FAULTY, builder_module="fragile")
    deaths.write_bytes(b"xx")
    assert [trial.status for trial in measure(variants(target, 2), {}, options)] == ["ok"] * 2
    deaths.write_bytes(b"xxx")
    with pytest.raises(MeasureError, match="damaged by an earlier job"):
        measure(variants(target, 2), {}, options)


def test_closed_measurer_refuses_work_and_closes_twice(target: Target) -> None:
    measurer = PoolMeasurer(WORKLOAD, target)
    started = time.monotonic()
    measurer.close()
    measurer.close()
    assert time.monotonic() - started < 2.0
    with pytest.raises(MeasureError, match="closed"):
        measurer.submit(variants(target, 1))


def test_ready_without_work_returns_at_once(target: Target) -> None:
    with PoolMeasurer(WORKLOAD, target) as measurer:
        started = time.monotonic()
        assert measurer.ready(10.0) == []
        assert time.monotonic() - started < 1.0


@pytest.mark.parametrize("strict", [False, True])
def test_check_candidate_accepts_right_and_refuses_wrong(target: Target, strict: bool) -> None:
    schedule = variants(target, 1)[0]
    units = check_candidate(WORKLOAD, schedule, target, strict=strict)
    assert 0 < units <= WORKLOAD.tolerance
    (nest,) = schedule.nests
    broken = dataclasses.replace(schedule, parts=(dataclasses.replace(nest, vector="q"),))
    with pytest.raises(ScheduleError):
        check_candidate(WORKLOAD, broken, target)
    real = real_toolchain()

    class Lazy:
        def run(self) -> None:
            pass

        def repeat(self, count: int) -> None:
            pass

    lazy = dataclasses.replace(real, bind=lambda *_: Lazy())
    with pytest.raises(CandidateError, match="169 of 169 outputs are NaN"):
        check_candidate(WORKLOAD, schedule, target, strict=strict, tools=lazy)


def test_every_failure_kind_is_among_the_declared() -> None:
    planted = {kind for kind, _ in (*BUILD_FAULTS.values(), *RUN_FAULTS.values())}
    elsewhere = {"illegal", "compile_timeout", "timeout"}
    assert planted | elsewhere == set(FAILURE_KINDS)
