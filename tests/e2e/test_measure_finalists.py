"""Finalists are re-timed side by side, whatever fails among them; the peak; turns."""

from __future__ import annotations

import dataclasses
import time

import pytest

from autotune.measure import slot
from autotune.measure.base import MeasureOptions
from autotune.measure.lock import DeviceLock
from autotune.measure.pool import PoolMeasurer
from autotune.measure.retime import LEAST_ROUNDS, LEFT_OUT_ROUNDS, SCREENING_ROUNDS
from autotune.targets.base import Target
from autotune.targets.detect import host
from autotune.trial import Failure, Timing
from tests.measuring import FAULTY, WORKERS, WORKLOAD, collect, plant, variants


@pytest.fixture(scope="module")
def target() -> Target:
    return host()


@pytest.fixture(autouse=True)
def _workers_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(WORKERS))


def test_retime_pairs_every_finalist_with_the_same_one_of_them(target: Target) -> None:
    schedules = variants(target, 3)
    with PoolMeasurer(WORKLOAD, target) as measurer:
        timings = measurer.retime(schedules, rounds=3)
    for timing in timings:
        assert isinstance(timing, Timing)
        assert len(timing.samples_s) == len(timing.reference_s) == 3
        assert all(0.05 < ratio < 20 for ratio in timing.ratios)


def test_retime_sleeps_while_its_workers_work(
    target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tuner that spins takes the core on which the finalists are built."""
    waits = []
    wait = slot._wait
    monkeypatch.setattr(slot, "_wait", lambda one: (waits.append(1), wait(one)))
    schedules = variants(target, 6)
    with PoolMeasurer(WORKLOAD, target) as measurer:
        measurer.retime(schedules, rounds=2)
    assert len(waits) < 20 * len(schedules)


def test_retime_has_fewer_rounds_where_time_is_up(target: Target) -> None:
    with PoolMeasurer(WORKLOAD, target) as measurer:
        late = measurer.retime(variants(target, 2), rounds=9, within_s=0.0)
        early = measurer.retime(variants(target, 2), rounds=9, within_s=60.0)
    counts = [len(t.samples_s) for t in (*late, *early) if isinstance(t, Timing)]
    assert counts == [LEAST_ROUNDS] * 2 + [9] * 2


def test_retime_leaves_out_who_has_clearly_lost_but_never_the_first(
    target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedules = variants(target, 4)
    plant(monkeypatch, schedules, {0: "slow_when_timed", 2: "slow_when_timed"})
    with PoolMeasurer(WORKLOAD, target, FAULTY) as measurer:
        timings = measurer.retime(schedules, rounds=6)
    counts = [len(t.samples_s) for t in timings if isinstance(t, Timing)]
    assert counts[0] == 6
    assert counts[2] == LEFT_OUT_ROUNDS
    assert max(counts[1], counts[3]) == 6


def test_retime_screens_hopefuls_for_places_and_begins_anew(
    target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedules = variants(target, 6)
    # The slow default keeps its place; of the hopefuls two are slow, and one fails its check.
    plant(monkeypatch, schedules, {0: "slow_when_timed", 2: "slow_when_timed", 4: "wrong"})
    with PoolMeasurer(WORKLOAD, target, FAULTY) as measurer:
        ends = measurer.retime(schedules[:1], 3, schedules[1:], places=2)
    assert isinstance(ends[4], Failure)
    counts = [len(end.samples_s) for end in ends if isinstance(end, Timing)]
    assert counts[0] == 3
    assert counts[2] == SCREENING_ROUNDS
    # The reference stays, whether it has a place or not.
    assert counts[1:].count(3) in (2, 3)


def test_retime_goes_on_without_those_that_fail(
    target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedules = variants(target, 6)
    faults = {
        1: "segfault",
        2: "build_segfault",
        3: "segfault_when_timed",
        4: "overrun",
    }
    plant(monkeypatch, schedules, faults)
    with PoolMeasurer(WORKLOAD, target, FAULTY) as measurer:
        ends = measurer.retime(schedules, rounds=2)
    kinds = [end.kind if isinstance(end, Failure) else "ok" for end in ends]
    assert kinds == ["ok", "crash", "crash", "crash", "wrong_result", "ok"]
    assert isinstance(ends[5], Timing)
    assert len(ends[5].samples_s) == 2


@pytest.mark.parametrize("fault", ["wrong", "build_hang", "segfault_when_timed"])
def test_retime_with_a_failed_default_times_the_others(
    target: Target, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    schedules = variants(target, 3)
    plant(monkeypatch, schedules, {0: fault})
    with PoolMeasurer(WORKLOAD, target, dataclasses.replace(FAULTY, timeout_s=1.0)) as measurer:
        ends = measurer.retime(schedules, rounds=2)
    assert isinstance(ends[0], Failure)
    for end in ends[1:]:
        assert isinstance(end, Timing)
        assert len(end.samples_s) == len(end.reference_s) == 2


def test_retime_interrupts_what_is_in_hand_and_resumes_it(
    target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedules = variants(target, 3)
    plant(monkeypatch, schedules, {0: "hang"})
    with PoolMeasurer(WORKLOAD, target, dataclasses.replace(FAULTY, timeout_s=2.0)) as measurer:
        measurer.submit(schedules)
        assert measurer.ready(1.0) == []
        started = time.monotonic()
        ends = measurer.retime(schedules[1:], rounds=1)
        assert time.monotonic() - started < 1.9
        trials = {trial.schedule.digest: trial.status for trial in collect(measurer)}
    assert all(isinstance(end, Timing) for end in ends)
    assert [trials[schedule.digest] for schedule in schedules] == ["timeout", "ok", "ok"]


def test_waiting_for_another_tuner_does_not_count_as_time_spent(target: Target) -> None:
    options = MeasureOptions(timeout_s=0.5)
    with PoolMeasurer(WORKLOAD, target, options) as measurer:
        measurer.peak_flops()
        with DeviceLock().turn(lambda: None, lambda: None):
            measurer.submit(variants(target, 1))
            assert measurer.ready(1.5) == []
        (trial,) = measurer.ready(5.0)
    assert trial.status == "ok"


def test_peak_is_measured_and_kept(target: Target) -> None:
    with PoolMeasurer(WORKLOAD, target) as measurer:
        first = measurer.peak_flops()
        assert 1e8 < first < 1e13
        assert measurer.peak_flops() == first
