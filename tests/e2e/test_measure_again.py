"""Readings that met no moment of rest: a contender is timed once more, the time bounded."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from autotune.measure import pool
from autotune.measure.pool import PoolMeasurer
from autotune.measure.slot import Slot
from autotune.measure.wire import Header
from autotune.targets.detect import host
from autotune.trial import Failure, Timing, Trial
from tests.measuring import WORKLOAD, collect, variants

FAST, SLOW = 0.5, 5.0
LOSERS = 6


class _Restless(PoolMeasurer):
    """Every reading but the first is given the ratio and the state that `said` gives its number."""

    said: Callable[[int], tuple[float, bool]]
    readings = 0

    def _timed(self, slot: Slot, header: Header) -> Timing | Failure:
        timing = super()._timed(slot, header)
        assert isinstance(timing, Timing)
        number, self.readings = self.readings, self.readings + 1
        if not number:
            return timing
        ratio, is_steady = self.said(number)
        return dataclasses.replace(
            timing, samples_s=(ratio,), reference_s=(1.0,), disturbed=(), is_steady=is_steady
        )


def _run(said: Callable[[int], tuple[float, bool]], count: int) -> tuple[list[Trial], int]:
    """The trials after some steady losers, and how many readings they took."""
    with _Restless(WORKLOAD, host()) as measurer:
        measurer.said = lambda number: (SLOW, True)
        measurer.submit(variants(host(), LOSERS))
        collect(measurer)
        measurer.said, measurer.readings = said, 1
        measurer.submit(variants(host(), LOSERS + count)[LOSERS:])
        return collect(measurer), measurer.readings - 1


def _timings(trials: list[Trial]) -> list[Timing]:
    return [trial.outcome for trial in trials if isinstance(trial.outcome, Timing)]


def test_contender_without_rest_is_read_again_and_the_steady_reading_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool, "_AGAIN_SHARE", 9.0)
    trials, readings = _run(lambda number: (FAST, number > 1), 1)
    (timing,) = _timings(trials)
    assert readings == 2
    assert timing.is_steady
    assert timing.disturbed == ((FAST, 1.0),)


def test_candidate_that_has_lost_anyway_is_not_read_again() -> None:
    with _Restless(WORKLOAD, host()) as measurer:
        measurer.said = lambda number: (FAST if number <= LOSERS else SLOW, number <= LOSERS)
        measurer._best_ratio = FAST
        measurer.submit(variants(host(), LOSERS + 3))
        trials = collect(measurer)
        assert measurer.readings == LOSERS + 3
    assert [timing.samples_s for timing in _timings(trials)[-2:]] == [(SLOW,)] * 2


@pytest.mark.parametrize(("share", "most"), [(0.0, 0), (9.0, 8)])
def test_machine_never_at_rest_costs_second_readings_as_its_share_allows(
    share: float, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_AGAIN_SHARE", share)
    trials, readings = _run(lambda number: (FAST, False), 8)
    timings = _timings(trials)
    assert len(timings) == 8
    twice = sum(len(timing.samples_s) == 2 for timing in timings)
    assert twice == readings - 8
    assert twice == most
