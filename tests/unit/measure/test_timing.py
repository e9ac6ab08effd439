"""Slices against a clock of our own: lengths, pairing, slow phases, and no invented number."""

from __future__ import annotations

import dataclasses
import math
import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from autotune.measure.child import CandidateError
from autotune.measure.timing import (
    ENOUGH_PAIRS,
    ENOUGH_S,
    LUCK,
    MIN_PAIRS,
    Pace,
    Paired,
    Plan,
    Slicer,
    is_contender,
    joined,
    paired,
    sure_ratio,
)
from autotune.trial import Timing, lower_quartile

SLICE_S = 0.003


@dataclass
class World:
    """A clock that only kernels move."""

    now_ns: float = 1e6
    calls: list[tuple[float, int]] = field(default_factory=list)
    slowdown: Callable[[float], float] = lambda _now_s: 1.0
    """How many times slower the whole machine is, by the time."""

    def clock_ns(self) -> int:
        return int(self.now_ns)

    def slicer(self, call_s: float, guess_s: float) -> Slicer:
        def repeat(count: int) -> None:
            self.calls.append((call_s, count))
            self.now_ns += call_s * count * 1e9 * self.slowdown(self.now_ns * 1e-9)

        return Slicer(repeat, guess_s, SLICE_S, self.clock_ns)


@pytest.mark.parametrize("call_s", [2e-9, 3e-7, 1e-4, 2e-3, 0.5])
@pytest.mark.parametrize("guess", [0.0, 0.01, 1.0, 1000.0])
def test_slices_are_long_enough_whatever_the_first_guess(call_s: float, guess: float) -> None:
    world = World()
    slicer = world.slicer(call_s, call_s * guess)
    first, second = slicer.sample(), slicer.sample()
    assert first == pytest.approx(call_s, rel=1e-3)
    assert second == pytest.approx(call_s, rel=1e-3)
    last_count = world.calls[-1][1]
    assert last_count * call_s >= 0.79 * SLICE_S
    assert last_count * call_s <= max(2 * SLICE_S, 2 * call_s) or guess < 1


def timed(
    world: World,
    candidate_s: float,
    reference_s: float,
    best_ratio: float | None = None,
    patience_s: float = 1.0,
    until_ns: float = 1e18,
    pace: Pace | None = None,
) -> Paired:
    return paired(
        world.slicer(candidate_s, candidate_s),
        world.slicer(reference_s, reference_s),
        Plan(until_ns, patience_s, best_ratio),
        Pace() if pace is None else pace,
        world.clock_ns,
    )


def test_pairs_are_taken_in_turn_with_the_reference_on_both_sides() -> None:
    world = World()
    seen = timed(world, 4e-3, 5e-3)
    assert seen.samples_s == pytest.approx([4e-3] * ENOUGH_PAIRS)
    assert seen.reference_s == pytest.approx([5e-3] * ENOUGH_PAIRS)
    assert [call_s for call_s, _ in world.calls] == [5e-3] + [4e-3, 5e-3] * ENOUGH_PAIRS
    assert seen.is_steady
    assert seen.disturbed == ()


@pytest.mark.parametrize(
    ("best_ratio", "count"),
    [(None, ENOUGH_PAIRS), (1.9, 1), (2.5, MIN_PAIRS), (3.4, MIN_PAIRS), (3.6, ENOUGH_PAIRS)],
)
def test_candidate_is_timed_until_it_has_lost(best_ratio: float | None, count: int) -> None:
    """Four times the reference: dropped at once, after three slices, or timed like the best."""
    seen = timed(World(), 4e-3, 1e-3, best_ratio)
    assert len(seen.samples_s) == len(seen.reference_s) == count
    assert seen.is_steady


def test_short_slices_go_on_until_they_span_some_time() -> None:
    world = World()

    def repeat(count: int) -> None:
        world.now_ns += 1e3 * count

    begin_ns = world.now_ns
    slicers = [Slicer(repeat, 1e-6, 1e-3, world.clock_ns) for _ in range(2)]
    seen = paired(*slicers, Plan(1e18, 1.0, None), Pace(), world.clock_ns)
    assert len(seen.samples_s) > ENOUGH_PAIRS
    assert ENOUGH_S <= (world.now_ns - begin_ns) * 1e-9 < ENOUGH_S + 3e-3


@pytest.mark.parametrize(("wait_s", "is_short"), [(0.05, True), (math.inf, False)])
def test_first_reading_does_not_wait_long_for_a_machine_at_rest(
    wait_s: float, is_short: bool
) -> None:
    """All slices of the reference are twice its best; the candidate may be read again."""
    world, pace = World(), Pace(1e-3)
    begin_ns = world.now_ns
    plan = Plan(1e18, 0.3, 1.0, is_thorough=False, wait_s=wait_s)
    slicers = [world.slicer(2e-3, 2e-3) for _ in range(2)]
    seen = paired(*slicers, plan, pace, world.clock_ns)
    assert not seen.is_steady
    assert len(seen.samples_s) >= ENOUGH_PAIRS
    assert ((world.now_ns - begin_ns) * 1e-9 < 0.1) == is_short


@pytest.mark.parametrize(("best_ratio", "is_longer"), [(None, True), (1.0, True), (0.85, False)])
def test_contender_whose_slices_differ_gets_more_of_them(
    best_ratio: float | None, is_longer: bool
) -> None:
    """Beside a steady reference; who has lost is timed no longer for it."""
    world, chance = World(), np.random.default_rng(0)

    def steady(count: int) -> None:
        world.now_ns += 4e6 * count

    def uneven(count: int) -> None:
        world.now_ns += 4e6 * count * chance.uniform(0.97, 1.2)

    slicers = [Slicer(repeat, 4e-3, 1e-3, world.clock_ns) for repeat in (uneven, steady)]
    seen = paired(*slicers, Plan(1e18, 10.0, best_ratio), Pace(), world.clock_ns)
    assert (len(seen.samples_s) > 2 * ENOUGH_PAIRS) == is_longer
    assert len(seen.samples_s) < 200


def test_quick_reading_ends_when_it_has_a_number_of_pairs() -> None:
    world, chance = World(), np.random.default_rng(0)

    def steady(count: int) -> None:
        world.now_ns += 4e6 * count

    def uneven(count: int) -> None:
        world.now_ns += 4e6 * count * chance.uniform(0.97, 1.2)

    slicers = [Slicer(repeat, 4e-3, 1e-3, world.clock_ns) for repeat in (uneven, steady)]
    plan = Plan(1e18, 10.0, None, is_thorough=False)
    assert len(paired(*slicers, plan, Pace(), world.clock_ns).samples_s) == ENOUGH_PAIRS


def test_pairs_from_a_slow_phase_are_set_aside_and_made_up_for() -> None:
    """The candidate suffers as much as the reference: only the reference's own speed tells."""
    world = World(slowdown=lambda now_s: 1.5 if 0.02 < now_s % 0.1 < 0.06 else 1.0)
    seen = timed(world, 4e-3, 4e-3)
    assert seen.samples_s == pytest.approx([4e-3] * len(seen.samples_s))
    assert len(seen.samples_s) >= ENOUGH_PAIRS
    assert seen.is_steady
    assert seen.disturbed
    assert all(reference_s > 4.1e-3 for _, reference_s in seen.disturbed)


def test_pace_known_from_before_shows_that_the_machine_is_slow_from_the_start() -> None:
    world = World(slowdown=lambda now_s: 1.4)
    seen = timed(world, 4e-3, 4e-3, patience_s=0.1, pace=Pace(4e-3))
    assert not seen.is_steady
    assert len(seen.samples_s) >= MIN_PAIRS
    assert 0.1 <= (world.now_ns - 1e6) * 1e-9 < 0.15
    fresh = timed(World(slowdown=lambda now_s: 1.4), 4e-3, 4e-3, patience_s=0.1)
    assert fresh.is_steady


def test_every_pair_counts_where_the_machine_is_never_at_rest() -> None:
    slow = iter(1.2 + 0.01 * step for step in range(1000))
    world = World(slowdown=lambda now_s: next(slow))
    seen = timed(world, 4e-3, 4e-3, patience_s=0.15, pace=Pace(4e-3))
    assert not seen.is_steady
    assert seen.disturbed == ()
    assert len(seen.samples_s) == (len(world.calls) - 1) / 2 > MIN_PAIRS


def test_kernel_timed_against_itself_is_as_fast_as_itself_even_where_nothing_rests() -> None:
    """Slices that a busy machine stretches at random must not favour either side."""
    rng = random.Random(7)
    ratios = []
    for _ in range(40):
        world = World(slowdown=lambda now_s: rng.choice((1.0, 1.0, 1.5, 2.0, 3.0)))
        seen = timed(world, 4e-3, 4e-3, patience_s=0.15, pace=Pace(4e-3))
        ratios.append(Timing(seen.samples_s, seen.reference_s, 0.0, (), seen.is_steady).ratio)
    assert 0.85 < statistics.median(ratios) < 1.15


def test_pace_forgets_a_speed_that_never_comes_back() -> None:
    pace = Pace()
    assert pace.best_s is None
    for _ in range(1000):
        pace.note(1.0)
    for _ in range(15_000):
        pace.note(2.0)
    assert pace.best_s == 1.0
    for _ in range(2_000):
        pace.note(2.0)
    assert pace.best_s == 2.0


def test_pace_ignores_single_lucky_slices_and_learns_a_faster_speed() -> None:
    pace = Pace()
    for step in range(2000):
        pace.note(0.5 if step in (10, 60) else 1.0)
    assert pace.best_s == 1.0
    for _ in range(200):
        pace.note(0.9)
    assert pace.best_s == 0.9


def test_no_pair_starts_that_would_end_too_late() -> None:
    world = World()
    until_ns = world.now_ns + 3.1e9
    seen = timed(world, 0.5, 0.5, until_ns=until_ns, patience_s=100.0)
    assert len(seen.samples_s) == 2
    assert world.now_ns <= until_ns


def test_pair_longer_than_the_patience_is_the_only_one_unless_dropped_before() -> None:
    world = World()
    seen = timed(world, 4.0, 1.0, best_ratio=1.0, patience_s=0.1)
    assert [call_s for call_s, _ in world.calls] == [1.0, 4.0]
    assert len(seen.samples_s) == 1


@pytest.mark.parametrize(("patience_s", "count"), [(1.1, MIN_PAIRS), (0.9, 1)])
def test_long_calls_get_the_fewest_pairs(patience_s: float, count: int) -> None:
    assert len(timed(World(), 0.5, 0.5, patience_s=patience_s).samples_s) == count


@pytest.mark.parametrize(
    ("count", "sample_s", "is_steady", "firm"),
    [
        (ENOUGH_PAIRS, 1e-3, True, True),
        (ENOUGH_PAIRS - 1, 1e-3, True, False),
        (ENOUGH_PAIRS, 1e-3, False, False),
        (1, ENOUGH_S, False, True),
        (1, ENOUGH_S / 2, True, False),
    ],
)
def test_few_lucky_slices_drop_nobody_else(
    count: int, sample_s: float, is_steady: bool, firm: bool
) -> None:
    timing = Timing((sample_s,) * count, (1e-3,) * count, 0.0, (), is_steady)
    assert sure_ratio(timing) == timing.ratio * (1.0 if firm else LUCK)


@pytest.mark.parametrize(
    ("values", "quartile"),
    [([3.0], 3.0), ([1.0, 2.0], 1.25), ([5.0, 1.0, 3.0], 2.0), ([4.0, 3.0, 2.0, 1.0, 5.0], 2.0)],
)
def test_lower_quartile_is_interpolated(values: list[float], quartile: float) -> None:
    assert lower_quartile(values) == quartile
    steady = Timing(tuple(values), (1.0,) * len(values), 0.0)
    assert steady.ratio == quartile
    unsteady = dataclasses.replace(steady, is_steady=False)
    assert unsteady.ratio == statistics.median(values)


@pytest.mark.parametrize("step_ns", [0, -5])
def test_clock_without_positive_time_is_refused_after_one_retry(step_ns: int) -> None:
    now = [0]
    counts = []

    def clock_ns() -> int:
        now[0] += step_ns
        return now[0]

    slicer = Slicer(counts.append, 1e-3, SLICE_S, clock_ns)
    with pytest.raises(CandidateError) as caught:
        slicer.sample()
    assert caught.value.kind == "invalid_time"
    assert len(counts) == 2
    assert counts[1] > counts[0]


@pytest.mark.parametrize("is_first", [True, False])
def test_unsteady_reading_beside_a_steady_one_counts_as_aside(is_first: bool) -> None:
    unsteady = Timing((2.0, 3.0), (1.0, 1.5), 0.7, is_steady=False)
    steady = Timing((1.0,), (1.0,), 0.5, ((9.0, 4.0),))
    both = joined(unsteady, steady) if is_first else joined(steady, unsteady)
    assert both.is_steady
    assert both.samples_s == (1.0,)
    assert both.disturbed == ((9.0, 4.0), (2.0, 1.0), (3.0, 1.5))
    assert both.error_units == 0.7


def test_two_steady_readings_count_alike() -> None:
    both = joined(Timing((2.0,), (1.0,), 0.5, ((9.0, 4.0),)), Timing((1.0,), (1.0,), 0.6))
    assert both.is_steady
    assert (both.samples_s, both.reference_s) == ((2.0, 1.0), (1.0, 1.0))
    assert (both.disturbed, both.error_units) == (((9.0, 4.0),), 0.6)


def test_two_unsteady_readings_count_alike() -> None:
    earlier = Timing((2.0, 3.0), (1.0, 1.5), 0.5, is_steady=False)
    both = joined(earlier, Timing((4.0,), (2.0,), 0.5, is_steady=False))
    assert not both.is_steady
    assert not both.disturbed
    assert (both.samples_s, both.reference_s) == ((2.0, 3.0, 4.0), (1.0, 1.5, 2.0))


def test_contender_is_not_much_slower_than_the_best() -> None:
    timing = Timing((2.0,), (1.0,), 0.5)
    assert is_contender(timing, None)
    assert is_contender(timing, 1.8)
    assert not is_contender(timing, 1.7)
    unsteady = dataclasses.replace(timing, is_steady=False)
    assert is_contender(unsteady, 1.6)
    assert not is_contender(unsteady, 1.4)
