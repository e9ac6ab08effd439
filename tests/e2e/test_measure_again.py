"""Contenders are timed again at other moments, and told again; nobody waits for that."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

import pytest

from autotune.ir.schedule import Schedule
from autotune.measure import pool
from autotune.measure.pool import READING_GAP_S, READINGS, PoolMeasurer
from autotune.measure.slot import Slot
from autotune.measure.wire import Header
from autotune.targets.detect import host
from autotune.trial import Failure, Timing, Trial
from tests.measuring import WORKLOAD, variants

FAST, SLOW = 0.5, 5.0
LIMIT_S = 60.0


class _Told(PoolMeasurer):
    """A reading is what `said` gives its number; the reference's, number 0, is as fast as it."""

    said: Callable[[int], Timing | Failure]
    read_at: list[float]

    def _timed(self, slot: Slot, header: Header) -> Timing | Failure:
        outcome = super()._timed(slot, header)
        assert isinstance(outcome, Timing)
        self.read_at.append(time.monotonic())
        number = len(self.read_at) - 1
        return self.said(number) if number else _timing(1.0)


def _timing(ratio: float, is_steady: bool = True) -> Timing:
    return Timing((ratio,) * 9, (1.0,) * 9, 0.5, is_steady=is_steady)


def _run(
    said: Callable[[int], Timing | Failure], schedules: list[Schedule]
) -> tuple[list[Trial], list[float]]:
    """All that is told until nothing is left to do, and when each reading was taken."""
    told: list[Trial] = []
    with _Told(WORKLOAD, host()) as measurer:
        measurer.said, measurer.read_at = said, []
        measurer.submit(schedules)
        end_s = time.monotonic() + LIMIT_S
        while not measurer.is_idle and time.monotonic() < end_s:
            told += measurer.ready(0.1) or _paused()
        assert measurer.is_idle
        assert measurer.pending == 0
    return told, measurer.read_at


def _paused() -> list[Trial]:
    time.sleep(0.01)
    return []


def test_contender_is_told_again_after_each_further_reading_of_another_moment() -> None:
    schedules = variants(host(), 2)
    told, read_at = _run(lambda number: _timing(FAST + number / 100), schedules)
    assert [trial.readings for trial in told] == [1, *range(1, READINGS + 1)]
    assert [trial.schedule for trial in told] == [schedules[0]] + [schedules[1]] * READINGS
    sizes = [len(trial.timing.samples_s) for trial in told[1:] if trial.timing]
    assert sizes == [9 * reading for reading in range(1, READINGS + 1)]
    gaps = [later - earlier for earlier, later in pairwise(read_at[1:])]
    assert min(gaps) > 0.9 * READING_GAP_S


def test_moment_of_rest_is_waited_for_and_then_counts() -> None:
    told, _ = _run(lambda number: _timing(FAST, is_steady=number > 1), variants(host(), 2))
    assert [trial.timing.is_steady for trial in told[1:] if trial.timing] == [False, True, True]
    last = told[-1].timing
    assert last is not None
    assert (len(last.samples_s), len(last.disturbed)) == (18, 9)


def test_the_reference_and_who_has_lost_are_read_once() -> None:
    told, read_at = _run(lambda number: _timing(SLOW), variants(host(), 4))
    assert [trial.readings for trial in told] == [1] * 4
    assert len(read_at) == 4


def test_who_has_lost_meanwhile_is_not_read_again() -> None:
    """The second is a contender until the third beats it by far."""
    told, _ = _run(lambda number: _timing(0.9 if number == 1 else 0.1), variants(host(), 3))
    last = {trial.schedule.digest: trial.readings for trial in told}
    assert list(last.values()) == [1, 1, READINGS]


def test_failure_at_a_later_reading_is_what_the_trial_comes_to() -> None:
    crash = Failure("crash", "signal 11")
    told, _ = _run(lambda number: _timing(FAST) if number == 1 else crash, variants(host(), 2))
    assert [trial.status for trial in told] == ["ok", "ok", "crash"]
    assert told[-1].readings == 2


@pytest.mark.parametrize("share", [0.0, 0.25])
def test_further_readings_take_no_more_than_their_share_from_others(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_AGAIN_SHARE", share)
    monkeypatch.setattr(pool, "READING_GAP_S", 0.0)

    class Watched(_Told):
        def _next_to_run_again(self) -> pool._Job | None:
            others_wait = self._has_other_work
            before = self._again_s <= share * self._run_s
            job = super()._next_to_run_again()
            assert job is None or before or not others_wait
            return job

    monkeypatch.setitem(globals(), "_Told", Watched)
    told, _ = _run(lambda number: _timing(FAST), variants(host(), 9))
    assert sorted(trial.readings for trial in told) == [1] * 9 + [2] * 8 + [3] * 8
