"""Flip rates, regrets and speedups of repeated tunes against planted numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import repeatability
from repeatability import Judged, Repeated, Tuned

from autotune.finalists import Ratio
from autotune.ir.default import default_schedule
from autotune.ir.schedule import Loop, Nest, Schedule
from autotune.ops.base import contraction, parse_workload
from autotune.progress import Outcome, Result
from autotune.store.log import LogWriter
from autotune.targets.detect import resolve
from autotune.trial import Failure, Timing, Trial

WORKLOAD = parse_workload("matmul", "m=16,n=16,k=16")
CRASH = Failure("crash", "signal 11")


def schedule(step: int) -> Schedule:
    return Schedule((Nest((Loop("m", step),), "m", 16, ()),))


DEFAULT, A, B = (schedule(step) for step in (1, 2, 3))


def timing(ratios: Sequence[float], reference_s: float = 1e-3) -> Timing:
    samples_s = tuple(ratio * reference_s for ratio in ratios)
    return Timing(samples_s, (reference_s,) * len(ratios), error_units=1.0)


@pytest.mark.parametrize("winners", ["a", "aa", "ab", "aabbc", "abcde", "aaaab"])
def test_flips_are_counted_like_by_hand(winners: str) -> None:
    count = len(winners)
    differing = sum(winners[i] != winners[j] for i in range(count) for j in range(count) if i != j)
    ordered_pairs = count * (count - 1)
    assert repeatability.flip_rate(winners) == (differing / ordered_pairs if count > 1 else 0.0)
    kinds = [letter for i, letter in enumerate(winners) if letter not in winners[:i]]
    assert repeatability.distinct_share(winners) == len(kinds) / count


def phases(*shares: float) -> list[float]:
    """Twelve rounds of a machine that wanders by a third, times a share in turn."""
    rng = np.random.default_rng(7)
    return [share * (1 + rng.random() / 3) for share, _ in zip(cycle(shares), range(12))]


def test_regret_is_planted_whatever_the_phase_of_the_machine() -> None:
    fast, slow = timing(phases(0.5)), timing(phases(0.515))
    best, three, failed = repeatability.regrets([fast, slow, CRASH])
    assert best == Ratio(0.0, 0.0, 0.0)
    assert three is not None
    assert (three.median, three.low, three.high) == pytest.approx((0.03, 0.03, 0.03))
    assert failed is None
    assert repeatability.regrets([CRASH]) == [None]


def test_regret_has_the_interval_of_its_rounds() -> None:
    fast, slow = timing(phases(1.0)), timing(phases(1.0, 1.02, 1.04, 1.04))
    regret = repeatability.regrets([slow, fast])[0]
    assert regret is not None
    assert regret.median == pytest.approx(0.03)
    # Of twelve rounds, the third from either end.
    assert (regret.low, regret.high) == pytest.approx((0.0, 0.04))


def test_regret_of_one_left_out_early_counts_the_rounds_it_had() -> None:
    fast, slow = timing(phases(1.0)), timing(phases(1.5)[:4])
    assert repeatability.quotients(slow, fast) == pytest.approx([1.5] * 4)
    regret = repeatability.regrets([fast, slow])[1]
    assert regret is not None
    assert regret.median == pytest.approx(0.5)
    assert regret.high == math.inf


def test_speedup_together_is_the_defaults_time_over_the_winners() -> None:
    fast, slow = timing(phases(0.5)), timing(phases(1.0))
    together = repeatability.speedup(fast, slow)
    assert together is not None
    assert (together.median, together.low, together.high) == pytest.approx((2.0, 2.0, 2.0))
    few = repeatability.speedup(timing([0.5] * 3), timing([1.0] * 3))
    assert few == Ratio(2.0, 0.0, math.inf)
    assert repeatability.speedup(fast, CRASH) is None
    assert repeatability.speedup(CRASH, slow) is None


def one(seed: int, winner: Schedule, rate: float = 16.0, build_s: float = 0.05) -> Tuned:
    return Tuned(seed, winner, Ratio(2.1, 2.0, 2.2), 100, rate, build_s, builders=1)


def shape_of(*tunes: Tuned, **outcomes: Timing | Failure) -> Repeated:
    by_digest = {s.digest: outcomes[name] for s, name in ((DEFAULT, "default"), (A, "a"), (B, "b"))}
    return Repeated("C6", tunes, repeatability.judge(tunes, by_digest, DEFAULT.digest))


def test_winners_are_judged_by_the_rounds_they_shared() -> None:
    outcomes = {"default": timing(phases(1.0)), "a": timing(phases(0.5)), "b": timing(phases(0.52))}
    shape = shape_of(one(0, A), one(1, B), one(2, A), **outcomes)
    assert shape.worst_regret == pytest.approx(0.04)
    assert not shape.is_met
    told = json.loads(json.dumps(shape.to_dict(), allow_nan=False))
    assert [tune["winner"] for tune in told["tunes"]] == [A.digest, B.digest, A.digest]
    assert [tune["regret"]["median"] for tune in told["tunes"]] == pytest.approx([0, 0.04, 0])
    assert told["tunes"][0]["together"]["median"] == pytest.approx(2.0)
    assert told["tunes"][0]["claimed"] == {"median": 2.1, "low": 2.0, "high": 2.2}
    assert told["tunes"][0]["schedule"] == A.to_dict()
    assert told["tunes"][0]["build_share"] == pytest.approx(16.0 * 0.05)
    assert (told["distinct_share"], told["flip_rate"]) == pytest.approx((2 / 3, 2 / 3))
    text = "\n".join(repeatability.lines([shape]))
    assert "C6: 2 different winners of 3 (67% of pairs disagree); worst regret 4.00%, " in text
    assert "target 2%: missed" in text
    assert text.count(" 80%") == 3


def test_two_builders_share_the_time() -> None:
    assert Tuned(0, A, None, 9, 30.0, 0.05, builders=2).build_share == pytest.approx(0.75)


def test_a_winner_that_fails_leaves_no_verdict_but_says_why() -> None:
    shape = shape_of(one(0, A), one(1, B), default=CRASH, a=timing(phases(1.0)), b=CRASH)
    assert shape.worst_regret is None
    assert not shape.is_met
    assert shape.judged == (Judged(Ratio(0, 0, 0), None), Judged(None, None, "crash: signal 11"))
    text = "\n".join(repeatability.lines([shape]))
    assert "\n  crash: signal 11\n" in text
    assert "worst regret unknown, a winner failed, target 2%: missed" in text


def test_open_intervals_are_named_and_null_in_json() -> None:
    few = {"default": timing([1.0] * 3), "a": timing([0.5] * 3), "b": timing([0.5] * 3)}
    shape = shape_of(one(0, A), **few)
    assert " 0.00 [too few] " in "\n".join(repeatability.lines([shape]))
    told = json.loads(json.dumps(shape.to_dict(), allow_nan=False))
    assert told["tunes"][0]["together"] == {"median": 2.0, "low": 0.0, "high": None}


@pytest.mark.parametrize(
    ("rate", "build_s", "said"),
    [
        (15.0, 0.036, "15.0 trials a second at worst, target 15: met"),
        (14.9, 0.036, "14.9 trials a second at worst, target 15: missed"),
        (19.0, 0.035, "19.0 trials a second at worst, target 20: missed"),
        (20.0, 0.035, "20.0 trials a second at worst, target 20: met"),
    ],
)
def test_rate_is_held_against_what_building_allows(rate: float, build_s: float, said: str) -> None:
    same = {"default": timing(phases(1.0)), "a": timing(phases(1.0)), "b": CRASH}
    shape = shape_of(one(0, A, 99.0), one(1, A, rate, build_s), **same)
    assert list(repeatability.lines([shape]))[-1] == f"  C6: {said}"
    other = Repeated("G3", shape.tunes, shape.judged)
    assert "trials a second" not in "\n".join(repeatability.lines([other]))


def fake_tune(workload: Any, log: str, cache: str, seed: int, **limits: Any) -> Result:
    """Writes a log of two trials and returns a result, as `tune` does."""
    assert not Path(cache).exists()
    assert limits == {"trials": 7, "budget_s": 3.0}
    with LogWriter(log) as writer:
        writer.header(measure={"builders": 2})
        writer.trial(Trial(DEFAULT, timing([1.0]), build_s=0.1))
        writer.trial(Trial(A, CRASH, build_s=0.3))
    chosen = Outcome(A, timing([0.5]), True, timing([1.0]), 2.0, (1.9, 2.1))
    return Result(
        workload=workload, target_key="t", trials=2, failures={"crash": 1}, seconds=5.0,
        search_seconds=4.0, stopped="trials", outcome=chosen, is_kept=True, flop=10**6,
        executed_flop=10**6, peak_flops=1e11, cache=cache, log=log,
    )  # fmt: skip


def test_a_tune_starts_empty_and_its_log_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeatability, "tune", fake_tune)
    found = repeatability.tuned("C6", WORKLOAD, 5, 7, 3.0)
    assert found == Tuned(5, A, Ratio(2.0, 1.9, 2.1), 2, 0.5, pytest.approx(0.2), 2)


def test_equal_winners_are_timed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    target = resolve("x86-64-v3")
    default = default_schedule(contraction(WORKLOAD), target)
    winners = iter([A, default, A])
    timed: list[Schedule] = []

    class Retimer:
        def __init__(self, *_: Any) -> None: ...

        def __enter__(self) -> Retimer:
            return self

        def __exit__(self, *_: object) -> None: ...

        def retime(self, schedules: list[Schedule], rounds: int) -> list[Timing]:
            timed.extend(schedules)
            return [timing([1.0] * rounds), timing([0.5] * rounds)]

    monkeypatch.setattr(repeatability, "PoolMeasurer", Retimer)
    monkeypatch.setattr(repeatability, "tuned", lambda name, w, seed, *_: one(seed, next(winners)))
    shape = repeatability.repeated("C6", WORKLOAD, target, range(3), 7, 3.0, rounds=12)
    assert timed == [default, A]
    assert [tuned.seed for tuned in shape.tunes] == [0, 1, 2]
    assert [judged.regret.median for judged in shape.judged if judged.regret] == [0.0, 1.0, 0.0]
