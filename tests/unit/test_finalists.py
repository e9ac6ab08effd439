from __future__ import annotations

from math import comb, inf

import pytest

from autotune.finalists import ROUNDS, interval_of, judge, judge_unpaired
from autotune.ir.schedule import Loop, Nest, Schedule
from autotune.trial import Failure, Timing


def schedule(step):
    return Schedule((Nest((Loop("m", step),), "m", 16, ()),))


def timing(ratios, reference=1e-3):
    return Timing(
        tuple(reference * ratio for ratio in ratios), (reference,) * len(ratios), error_units=1.0
    )


DEFAULT, A, B = schedule(1), schedule(2), schedule(3)
EQUAL = timing([1.0] * ROUNDS)
FAILED = Failure("crash", "signal 11")


@pytest.mark.parametrize(("count", "rank"), [(6, 1), (7, 1), (8, 1), (9, 2), (11, 2), (15, 4)])
def test_interval_is_the_innermost_pair_that_holds_95_percent(count, rank):
    ratio = interval_of([float(value) for value in range(1, count + 1)])
    assert (ratio.low, ratio.high) == (rank, count + 1 - rank)
    outside = 2 * sum(comb(count, k) for k in range(rank)) / 2**count
    assert outside <= 0.05
    assert outside + 2 * comb(count, rank) / 2**count > 0.05


def test_interval_of_too_few_readings_is_unbounded():
    assert interval_of([0.5] * 5).high == inf
    assert interval_of([0.5]).median == 0.5


def test_clear_winner_is_tuned_with_its_paired_speedup():
    outcome = judge([DEFAULT, A, B], [EQUAL, timing([0.8] * 11), timing([0.5] * 11)], True)
    assert outcome.schedule == B
    assert outcome.is_tuned
    assert outcome.speedup == pytest.approx(2.0)
    assert outcome.speedup_interval == pytest.approx((2.0, 2.0))
    assert outcome.baseline == EQUAL


def test_speedup_lies_within_its_interval():
    ratios = [0.5, 0.52, 0.54, 0.56, 0.58, 0.6, 0.62, 0.64, 0.66, 0.68, 0.7]
    outcome = judge([DEFAULT, A], [EQUAL, timing(ratios)], True)
    low, high = outcome.speedup_interval
    assert low == pytest.approx(1 / 0.68)
    assert high == pytest.approx(1 / 0.52)
    assert low < outcome.speedup < high


def test_who_was_only_screened_neither_wins_nor_leads():
    lucky = timing([0.1] * 2)
    assert judge([DEFAULT, A, B], [EQUAL, lucky, timing([0.5] * ROUNDS)], True).schedule == B
    assert judge([A, B], [lucky, timing([0.5] * ROUNDS)], False).schedule == B


def test_one_spoilt_reading_does_not_cost_the_win():
    outcome = judge([DEFAULT, A], [EQUAL, timing([0.9] * 10 + [3.0])], True)
    assert outcome.schedule == A


@pytest.mark.parametrize(
    "ratios", [[0.9] * 9 + [1.01] * 2, [1.0] * 11, [1.2] * 11, [0.5] * 5, [0.97, 1.02] * 5 + [0.9]]
)
def test_gain_within_the_noise_keeps_the_default(ratios):
    outcome = judge([DEFAULT, A], [EQUAL, timing(ratios)], True)
    assert outcome.schedule == DEFAULT
    assert not outcome.is_tuned
    assert outcome.speedup == 1.0
    assert outcome.speedup_interval == (1.0, 1.0)


def test_steady_finalist_wins_over_a_noisy_one_of_lower_median():
    noisy = timing([0.7] * 6 + [1.1] * 5)
    outcome = judge([DEFAULT, A, B], [EQUAL, noisy, timing([0.8] * 11)], True)
    assert outcome.schedule == B


def test_failed_finalist_is_dropped():
    """F044: a winner that does not hold when checked again is no winner."""
    outcome = judge([DEFAULT, A, B], [EQUAL, FAILED, timing([0.8] * 11)], True)
    assert outcome.schedule == B
    assert judge([DEFAULT, A], [EQUAL, FAILED], True).schedule == DEFAULT


def test_nothing_worked_is_no_outcome():
    assert judge([DEFAULT, A], [FAILED, FAILED], True) is None
    assert judge([A], [FAILED], False) is None
    assert judge([], [], False) is None


def test_without_default_the_fastest_wins_and_no_gain_is_claimed():
    outcome = judge([A, B], [timing([1.0] * 11), timing([0.9] * 11)], False)
    assert outcome.schedule == B
    assert outcome.is_tuned
    assert outcome.baseline is None
    assert outcome.speedup is None
    assert outcome.speedup_interval is None


def test_failed_default_is_no_baseline():
    assert judge([DEFAULT, A], [FAILED, EQUAL], True) is None


def test_unpaired_verdict_needs_the_worst_to_beat_the_best():
    usual = timing([1.0, 1.05, 0.95])
    clear = judge_unpaired((DEFAULT, usual), (A, timing([0.5, 0.6, 0.55])))
    assert clear.schedule == A
    assert clear.is_tuned
    assert not clear.is_retimed
    low, high = clear.speedup_interval
    assert low < clear.speedup < high
    close = judge_unpaired((DEFAULT, usual), (A, timing([0.9, 0.96, 0.92])))
    assert close.schedule == DEFAULT
    assert not close.is_tuned


def test_unpaired_verdict_without_default_or_with_the_default_as_best():
    usual = timing([1.0, 1.0, 1.0])
    assert judge_unpaired(None, (A, usual)).schedule == A
    alone = judge_unpaired((DEFAULT, usual), (DEFAULT, usual))
    assert alone.speedup == 1.0
    assert not alone.is_tuned


FACTORS = (0.97, 1.03, 1.0, 0.98, 1.02, 0.99, 1.01)


def noisy(median_ratio, turn=0):
    """Rounds that scatter by 3% either way, in another order for each turn."""
    return timing([median_ratio * factor for factor in FACTORS[turn:] + FACTORS[:turn]])


SHORT, LONG = schedule(4), Schedule((Nest((Loop("m", 8), Loop("n", 8)), "m", 16, ()),))


def test_of_equal_ones_the_shortest_schedule_wins_and_the_others_are_its_ties():
    """F020: near ties must not be decided by noise, else every run crowns another one."""
    usual = timing([1.0] * 7)
    for first, second in ((0.5, 0.501), (0.501, 0.5)):
        outcome = judge([DEFAULT, LONG, SHORT], [usual, noisy(first), noisy(second, 1)], True)
        assert outcome.schedule == SHORT
        assert outcome.ties == (LONG.digest,)


def test_one_that_ties_but_is_behind_by_more_than_a_hundredth_does_not_win():
    usual = timing([1.0] * 7)
    behind = timing([0.51 * factor for factor in (0.9, 1.1, 1.0, 0.95, 1.05, 0.97, 1.03)])
    outcome = judge([DEFAULT, LONG, SHORT], [usual, noisy(0.5), behind], True)
    assert outcome.schedule == LONG
    assert outcome.ties == (SHORT.digest,)


def test_incumbent_stays_where_the_rounds_cannot_tell_it_from_the_fastest():
    usual, fast, before = (
        timing([1.0] * 7),
        noisy(0.5),
        timing([0.51] * 3 + [0.505] * 2 + [0.5] * 2),
    )
    outcomes = [usual, fast, before]
    assert judge([DEFAULT, SHORT, LONG], outcomes, True, incumbent=LONG).schedule == LONG
    assert judge([DEFAULT, SHORT, LONG], outcomes, True).schedule == SHORT


def test_incumbent_that_is_beaten_by_more_than_the_interval_goes():
    outcomes = [timing([1.0] * 7), noisy(0.5), noisy(0.6)]
    outcome = judge([DEFAULT, SHORT, LONG], outcomes, True, incumbent=LONG)
    assert outcome.schedule == SHORT
    assert outcome.ties == ()


def test_incumbent_that_failed_or_is_no_faster_than_the_default_does_not_stay():
    usual = timing([1.0] * 7)
    failed = judge([DEFAULT, SHORT, LONG], [usual, noisy(0.5), FAILED], True, incumbent=LONG)
    assert failed.schedule == SHORT
    slow = judge([DEFAULT, LONG], [usual, timing([1.0] * 7)], True, incumbent=LONG)
    assert slow.schedule == DEFAULT
    assert not slow.is_tuned


def test_rounds_of_one_that_was_left_out_are_compared_as_far_as_they_go():
    outcome = judge([DEFAULT, A, B], [EQUAL, timing([0.5] * 11), timing([0.9] * 4)], True)
    assert outcome.schedule == A
    assert outcome.speedup == pytest.approx(2.0)


def test_speed_is_paired_with_whatever_the_rounds_were_paired_with():
    """The reference is not the default: its pace cancels round by round."""
    pace = (1e-3, 2e-3, 1e-3, 3e-3, 1e-3, 1.5e-3, 1e-3)
    usual = Timing(tuple(2 * p for p in pace), pace, 0.0)
    fast = Timing(tuple(0.5 * p for p in pace), pace, 0.0)
    outcome = judge([DEFAULT, A], [usual, fast], True)
    assert outcome.speedup == pytest.approx(4.0)
    assert outcome.speedup_interval == pytest.approx((4.0, 4.0))
