"""The loop on a synthetic space, measured by a formula: nothing is compiled."""

from __future__ import annotations

import json
import math
import signal
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from autotune.cost.base import FeatureLengthError, NotFitted
from autotune.diagnosis import NoValidScheduleError
from autotune.errors import MeasureError, SpaceError, StoreError, UsageError
from autotune.finalists import ROUNDS
from autotune.interruption import Gate
from autotune.ir.default import default_schedule
from autotune.learning import speeds_of
from autotune.limits import Limits, wanted_trials
from autotune.ops.base import contraction, parse_workload
from autotune.registry import COST_MODELS, EXPLORERS
from autotune.search import (
    BARREN_BATCHES,
    BATCH,
    CONVERGED_TRIALS,
    LOW_WATER,
    Parts,
    Search,
)
from autotune.store import log
from autotune.store.db import open_cache
from autotune.targets.base import Target
from autotune.targets.detect import resolve
from autotune.trial import Failure, Timing, Trial, Workload
from autotune.tune import Keeping, run, tune
from tests import spaces

BIG = spaces.SyntheticSpace()
FLOP = 10**8
PEAK = 2e12
WORKLOAD = Workload("matmul", "m=64,n=64,k=64", "float32", "row")
TARGET = Target("x86-64-v3", ("avx2", "fma"), 32, 16, 2**15, 2**20, 2**24, 1)
REFERENCE_S = 2e-4


@dataclass
class FakeMeasurer:
    """Answers from the space's formula, at most `chunk` trials a call, on a clock of its own."""

    space: object
    fails: object = None
    """Schedule -> Failure or None."""
    chunk: int = 4
    trial_s: float = 0.05
    start_s: float = 0.0
    interrupt_at: int | None = None
    interrupts_final: bool = False
    now_s: float = 0.0
    queue: list = field(default_factory=list)
    again: object = None
    """Trial -> the same after one more reading, or None."""
    told_again: list = field(default_factory=list)
    measured: list = field(default_factory=list)
    least_pending: list = field(default_factory=list)
    retimed: list = field(default_factory=list)
    peak: float | None = PEAK

    def clock(self):
        return self.now_s

    @property
    def pending(self):
        return len(self.queue)

    def submit(self, schedules):
        assert schedules
        self.queue += schedules

    def seconds(self, schedule):
        return float(self.space.seconds(self.space.point(schedule)[None])[0])

    def outcome(self, schedule, count):
        failure = self.fails(schedule) if self.fails else None
        if failure:
            return failure
        return Timing((self.seconds(schedule),) * count, (REFERENCE_S,) * count, 1.5)

    def ready(self, wait_s):
        if self.interrupt_at is not None and len(self.measured) >= self.interrupt_at:
            self.interrupt_at = None
            raise KeyboardInterrupt
        taken, self.queue = self.queue[: self.chunk], self.queue[self.chunk :]
        self.measured += taken
        self.now_s += self.trial_s * len(taken) + self.start_s
        self.start_s = 0.0
        self.least_pending.append(len(self.queue))
        told = [Trial(s, self.outcome(s, 3), 0.02, 0.03) for s in taken]
        corrected, self.told_again = self.told_again, []
        if self.again:
            self.told_again = [t for t in map(self.again, told) if t]
        return [*corrected, *told]

    def retime(self, schedules, rounds, hopefuls=(), places=0, within_s=math.inf):
        if self.interrupts_final:
            raise KeyboardInterrupt
        every = [*schedules, *hopefuls]
        self.retimed.append(every)
        self.now_s += 0.1 * len(every)
        placed = {*schedules, *sorted(hopefuls, key=self.seconds)[:places]}
        found = [self.outcome(s, rounds if s in placed else 2) for s in every]
        first = found[0].samples_s if isinstance(found[0], Timing) else (REFERENCE_S,) * rounds
        return [
            replace(o, reference_s=first[: len(o.samples_s)]) if isinstance(o, Timing) else o
            for o in found
        ]

    def peak_flops(self):
        if self.peak is None:
            raise MeasureError("no peak kernel")
        return self.peak

    def close(self):
        self.queue.clear()


@dataclass
class FakeLog:
    trials: list = field(default_factory=list)
    readings: list = field(default_factory=list)
    ended: dict = field(default_factory=dict)
    is_broken: bool = False

    def trial(self, trial, **fields):
        if self.is_broken:
            raise StoreError("log cannot be written: no space left")
        self.trials.append(trial)

    def reading(self, trial):
        if self.is_broken:
            raise StoreError("log cannot be written: no space left")
        self.readings.append(trial)

    def end(self, **fields):
        json.dumps(fields, allow_nan=False)
        self.ended = fields


@dataclass
class FakeCache:
    records: list = field(default_factory=list)
    is_broken: bool = False

    def get(self, target_key, workload_key):
        return self.records[0] if self.records else None

    def put(self, record):
        if self.is_broken:
            raise StoreError("cache is read-only")
        self.records.insert(0, record)
        return True


class Bench:
    """One run's parts, and what they saw."""

    def __init__(self, space=BIG, explorer="annealing", model="xgboost", seed=0, **measurer):
        self.measurer = FakeMeasurer(space, **measurer)
        self.log, self.cache, self.progress = FakeLog(), FakeCache(), []
        listed = space.all_points()
        first = listed[0] if listed is not None and len(listed) else np.zeros(6, dtype=np.int64)
        self.parts = Parts(
            space=space,
            default=space.schedule(first),
            explorer=EXPLORERS.get(explorer)(space, np.random.default_rng(seed)),
            model=COST_MODELS.get(model)(seed=seed),
            features=spaces.features,
            measurer=self.measurer,
            log=self.log,
            flop=FLOP,
            executed=lambda _: FLOP,
            report=self.progress.append,
            space_source="narrow.toml",
            clock=self.measurer.clock,
        )
        self.keeping = Keeping(
            *(self.cache, WORKLOAD, TARGET, seed, "amd-25-17", "20.1", "0.1", "c.sqlite"),
            log_name="l.jsonl",
        )

    def run(self, trials=64, budget_s=None):
        return run(self.parts, Limits(trials, budget_s), self.keeping, self.measurer.now_s)

    @property
    def digests(self):
        return [schedule.digest for schedule in self.measurer.measured]


def fail_all(kind="timeout"):
    return lambda schedule: Failure(kind, "took more than 0.001 s")


# --- the normal course -------------------------------------------------------------------------


@pytest.mark.parametrize("explorer", EXPLORERS.names())
def test_run_measures_what_was_asked_and_keeps_the_winner(explorer):
    bench = Bench(explorer=explorer)
    result = bench.run(64)
    assert result.stopped == "trials"
    assert result.trials == 64
    assert len(set(bench.digests)) == 64
    assert [t.schedule.digest for t in bench.log.trials] == bench.digests
    assert bench.digests[0] == bench.parts.default.digest
    [record] = bench.cache.records
    assert record.schedule == result.schedule
    assert record.speedup > 1.2
    assert record.verified


def test_annealing_with_the_model_finds_more_than_random():
    found = {
        name: np.mean([Bench(explorer=name, seed=seed).run(96).gflops for seed in range(3)])
        for name in ("annealing", "random")
    }
    assert found["annealing"] > 1.05 * found["random"]


def test_result_is_the_json_of_the_contract():
    result = Bench().run(32).to_dict()
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert set(result) >= {
        *("workload", "key", "target", "trials", "failed", "failures", "seconds", "stopped"),
        *("trials_per_second", "selected", "baseline", "best", "cache", "log"),
    }
    assert set(result["best"]) == {
        *("seconds", "gflops", "speedup", "speedup_interval", "peak_fraction", "error_units"),
        "ties",
        "schedule",
    }
    best = result["best"]
    assert result["selected"] == "tuned"
    assert best["gflops"] == pytest.approx(FLOP / best["seconds"] / 1e9)
    assert best["peak_fraction"] == pytest.approx(FLOP / best["seconds"] / PEAK)
    assert best["error_units"] == 1.5
    ratio = result["baseline"]["seconds"] / best["seconds"]
    assert best["speedup"] == pytest.approx(ratio)
    assert result["trials_per_second"] == pytest.approx(20.0)
    assert result["workload"]["op"] == "matmul"


def test_the_default_and_the_best_sixteen_are_screened_for_the_final_round():
    bench = Bench()
    bench.run(64)
    [schedules] = bench.measurer.retimed
    assert schedules[0] == bench.parts.default
    seconds = sorted(map(bench.measurer.seconds, bench.measurer.measured[1:]))
    assert [bench.measurer.seconds(s) for s in schedules[1:]] == seconds[:16]
    finals = bench.log.ended["finalists"]
    assert [len(final["samples"]) for final in finals] == [ROUNDS] * 9 + [2] * 8


def test_builders_never_idle_while_there_is_more_to_ask():
    bench = Bench(chunk=1)
    bench.run(64)
    assert min(bench.measurer.least_pending[: 64 - BATCH]) >= LOW_WATER - 1


def test_same_seed_gives_the_same_trials():
    runs = [Bench(seed=7), Bench(seed=7), Bench(seed=8)]
    for bench in runs:
        bench.run(48)
    assert runs[0].digests == runs[1].digests != runs[2].digests


def test_schedule_the_cache_would_answer_is_a_finalist_too():
    bench = Bench()
    first = bench.run(64)
    known = bench.cache.records[0]
    again = Bench(seed=5)
    again.cache.records = [known]
    result = again.run(1)
    assert known.schedule in again.measurer.retimed[0]
    assert result.schedule == first.schedule
    assert any("in the cache before" in note for note in result.notes)
    assert first.notes == ()


def test_default_that_nothing_beats_is_kept_and_said_so():
    bench = Bench()
    points = BIG.sample(np.random.default_rng(3), 40_000)
    best = points[np.argmin(BIG.seconds(points))]
    bench.parts = replace(bench.parts, default=BIG.schedule(best))
    result = bench.run(32)
    assert result.to_dict()["selected"] == "baseline"
    assert result.to_dict()["best"]["speedup"] == 1.0
    assert bench.cache.records[0].schedule == bench.parts.default
    assert bench.cache.records[0].speedup == 1.0


# --- progress and effective count --------------------------------------------------------------


def test_progress_counts_up_to_the_wanted_and_reports_every_figure():
    bench = Bench(fails=lambda s: Failure("crash", "x") if s.digest[0] in "0123" else None)
    result = bench.run(48)
    last = bench.progress[-1]
    assert last.phase == "done"
    assert [p.phase for p in bench.progress].count("finalists") == 1
    assert (last.trials, last.wanted) == (48, 48)
    assert last.failures == result.failures == {"crash": result.to_dict()["failed"]}
    assert last.best_gflops > 0
    assert last.peak_fraction == pytest.approx(last.best_gflops * 1e9 / PEAK)
    assert last.seconds_left == 0
    counts = [p.trials for p in bench.progress]
    assert counts == sorted(counts)


def test_progress_shows_no_rate_that_was_never_timed():
    """A disturbed reference makes the best ratio of all, and would show more than the peak."""
    bench = Bench()
    bench.measurer.outcome = lambda schedule, count: Timing(
        (1e-3,) * count, ((1e-3, 1e-2)[len(bench.measurer.measured) > 8],) * count, 1.0
    )
    bench.run(32)
    assert max(p.best_gflops for p in bench.progress) == pytest.approx(FLOP / 1e-3 / 1e9)


def test_progress_before_the_first_result_has_no_best():
    bench = Bench(trial_s=1.0, chunk=1)
    bench.run(2)
    assert bench.progress[0].trials == 1


@pytest.mark.parametrize(("trials", "wanted"), [(1, 1), (3, 3), (1000, 3), (None, 3)])
def test_wanted_trials_is_the_least_of_asked_and_possible(trials, wanted):
    """F004."""
    space = spaces.tiny(3)
    assert wanted_trials(trials, space, space.schedule(space.all_points()[1])) == wanted


def test_wanted_trials_counts_a_default_outside_the_space():
    space = spaces.tiny(3)
    assert wanted_trials(100, space, BIG.schedule(np.full(6, 3))) == 4


def test_wanted_trials_of_a_large_space_is_what_was_asked():
    default = BIG.schedule(np.zeros(6, dtype=np.int64))
    assert wanted_trials(500, BIG, default) == 500
    assert wanted_trials(None, BIG, default) is None
    assert wanted_trials(10**9, BIG, default) == BIG.size


# --- exhaustion: F001 to F005 ------------------------------------------------------------------


@pytest.mark.parametrize("explorer", EXPLORERS.names())
@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("is_listed", [True, False])
def test_tiny_space_is_measured_once_and_kept(explorer, count, is_listed):
    """F001 to F004."""
    bench = Bench(spaces.tiny(count, is_listed), explorer)
    result = bench.run(500)
    assert result.stopped == "exhausted"
    assert result.trials == count
    assert len(set(bench.digests)) == count
    assert bench.progress[-1].trials == bench.progress[-1].wanted == count
    assert len(bench.cache.records) == 1


@pytest.mark.parametrize("explorer", EXPLORERS.names())
def test_small_space_is_measured_exactly_once_each(explorer):
    space = spaces.small()
    bench = Bench(space, explorer, chunk=16)
    result = bench.run(10_000)
    assert result.stopped == "exhausted"
    assert sorted(bench.digests) == sorted(space.schedule(p).digest for p in space.all_points())
    best = space.seconds(space.all_points()).min()
    assert result.to_dict()["best"]["seconds"] == pytest.approx(best)


def test_as_many_trials_as_points_is_no_exhaustion():
    assert Bench(spaces.tiny(3)).run(3).stopped == "trials"


def test_default_alone_is_measured_for_one_trial():
    bench = Bench()
    assert bench.run(1).trials == 1
    assert bench.measurer.measured == [bench.parts.default]


@pytest.mark.parametrize("explorer", EXPLORERS.names())
@pytest.mark.parametrize("is_listed", [True, False])
def test_space_without_legal_points_ends_with_a_reason(explorer, is_listed):
    """F005."""
    bench = Bench(spaces.nothing_legal(is_listed), explorer)
    with pytest.raises(SpaceError, match=r"no legal schedule .* of narrow\.toml"):
        bench.run(64)
    assert bench.measurer.measured == []
    assert bench.cache.records == []
    assert bench.log.ended["stopped"] == "error"


def test_explorer_that_only_repeats_ends_the_run():
    class Stuck:
        def ask(self, count, score):
            return np.zeros((1, 6), dtype=np.int64)

        def tell(self, points, speeds):
            pass

    bench = Bench()
    bench.parts = replace(bench.parts, explorer=Stuck())
    result = bench.run(64)
    assert result.stopped == "exhausted"
    assert len(bench.digests) == 1


def test_repeated_schedule_is_told_its_known_speed_and_not_measured():
    told = {}

    class Recording:
        def __init__(self):
            self.turn = 0

        def ask(self, count, score):
            self.turn += 1
            rows = {1: [[0] * 6, [1, 0, 0, 0, 1, 0]], 2: [[2, 0, 0, 0, 1, 0]]}.get(self.turn, [])
            return np.array(rows, dtype=np.int64).reshape(-1, 6)

        def tell(self, points, speeds):
            told.update(zip(map(tuple, points.tolist()), speeds, strict=True))

    bench = Bench(chunk=1)
    bench.parts = replace(bench.parts, explorer=Recording())
    bench.run(64)
    assert len(bench.digests) == len(set(bench.digests)) == 3
    assert told[(0,) * 6] > 0


# --- failures: F010 to F013 --------------------------------------------------------------------


def test_all_failing_stops_early_with_a_histogram_and_leaves_the_cache():
    """F010 to F012."""
    bench = Bench(fails=fail_all())
    with pytest.raises(NoValidScheduleError, match=r"all \d+ .* \(timeout \d+\)") as caught:
        bench.run(1000)
    count = len(bench.measurer.measured)
    assert BARREN_BATCHES * BATCH <= count <= (BARREN_BATCHES + 1) * BATCH
    assert caught.value.failures == {"timeout": count}
    first = bench.digests[0]
    assert f"first timeout: {first}: took more than 0.001 s" in str(caught.value)
    assert str(caught.value).endswith("to do: raise --timeout (10 s now)")
    assert bench.cache.records == []
    assert bench.measurer.retimed == []
    assert bench.log.ended["stopped"] == "error"
    assert len(bench.log.trials) == count


def test_first_failure_of_each_kind_is_told_once():
    kinds = {"0": "crash", "1": "timeout", "2": "wrong_result"}

    def fails(schedule):
        kind = kinds.get(schedule.digest[0])
        return Failure(kind, f"of {schedule.digest}") if kind else None

    bench = Bench(fails=fails)
    result = bench.run(64)
    told = [p.note for p in bench.progress if p.note.startswith("first ")]
    expected = {}
    for digest in bench.digests:
        if kind := kinds.get(digest[0]):
            expected.setdefault(kind, f"first {kind}: {digest}: of {digest}")
    assert sorted(told) == sorted(expected.values())
    assert len(told) == 3
    assert sum(result.failures.values()) > 3
    # They stand in the log; at the end only the counts are told once more.
    assert result.notes == ()


def test_all_failing_within_fewer_trials_is_no_result_either():
    bench = Bench(spaces.tiny(3), fails=fail_all("compile_error"))
    with pytest.raises(NoValidScheduleError, match=r"all 3 .* \(compile_error 3\)"):
        bench.run(500)
    assert bench.cache.records == []


def test_single_success_among_failures_is_the_result():
    """F011."""
    chosen = []

    def fails(schedule):
        if not chosen and schedule != BIG.schedule(np.zeros(6, dtype=np.int64)):
            chosen.append(schedule)
        return None if schedule in chosen else Failure("crash", "signal 11")

    bench = Bench(fails=fails)
    result = bench.run(32)
    assert [result.schedule] == chosen
    assert result.failures == {"crash": 31}


def test_failing_default_leaves_no_baseline_and_says_so():
    """F013."""
    default = BIG.schedule(np.zeros(6, dtype=np.int64))
    bench = Bench(fails=lambda s: Failure("timeout", "0.2 s") if s == default else None)
    result = bench.run(48)
    content = result.to_dict()
    assert content["baseline"] is None
    assert content["selected"] == "tuned"
    assert content["best"]["speedup"] is None
    assert content["best"]["speedup_interval"] is None
    assert any("default schedule failed (timeout: 0.2 s)" in note for note in result.notes)
    assert any("default schedule failed" in p.note for p in bench.progress)
    assert default not in bench.measurer.retimed[0]
    assert bench.cache.records[0].speedup == 1.0


def test_default_failing_in_the_end_leaves_no_baseline():
    bench = Bench()
    original = bench.measurer.retime

    def retime(schedules, rounds, hopefuls, places, within_s):
        bench.measurer.fails = lambda s: (
            Failure("crash", "signal 11") if s == bench.parts.default else None
        )
        return original(schedules, rounds, hopefuls, places, within_s)

    bench.measurer.retime = retime
    result = bench.run(48)
    assert result.to_dict()["baseline"] is None
    assert any("failed in the end" in note for note in result.notes)


def test_finalist_that_fails_its_second_check_is_dropped():
    """F044."""
    bench = Bench()
    original = bench.measurer.retime
    best = []

    def retime(schedules, rounds, hopefuls, places, within_s):
        best.append(hopefuls[0])
        bench.measurer.fails = lambda s: Failure("wrong_result", "x") if s == best[0] else None
        return original(schedules, rounds, hopefuls, places, within_s)

    bench.measurer.retime = retime
    result = bench.run(48)
    assert result.schedule != best[0]
    assert result.to_dict()["selected"] == "tuned"
    assert bench.cache.records[0].schedule == result.schedule


def test_no_finalist_holding_is_no_result():
    bench = Bench()
    bench.measurer.retime = lambda schedules, rounds, hopefuls, places, within_s: (
        [Failure("crash", "x")] * (len(schedules) + len(hopefuls))
    )
    with pytest.raises(NoValidScheduleError, match="finalists"):
        bench.run(32)
    assert bench.cache.records == []


def test_workers_that_cannot_start_end_the_run():
    bench = Bench()

    def ready(wait_s):
        raise MeasureError("workers cannot be started")

    bench.measurer.ready = ready
    with pytest.raises(MeasureError):
        bench.run(32)
    assert bench.cache.records == []


# --- limits and interruption -------------------------------------------------------------------


@pytest.mark.parametrize("budget_s", [2.0, 5.0, 20.0])
def test_budget_covers_everything(budget_s):
    bench = Bench()
    result = bench.run(10**6, budget_s=budget_s)
    assert result.stopped == "budget"
    assert 0.5 * budget_s < result.seconds <= budget_s * 1.05
    assert len(bench.measurer.retimed) == 1


def test_budget_that_ends_before_anything_is_measured_says_so():
    bench = Bench(trial_s=10.0)
    bench.measurer.ready = lambda wait_s: setattr(bench.measurer, "now_s", 9.0) or []
    with pytest.raises(NoValidScheduleError, match="budget of 1 s"):
        bench.run(64, budget_s=1.0)


def test_slow_start_does_not_end_a_budget_early():
    bench = Bench(chunk=1, trial_s=0.05, start_s=2.0)
    result = bench.run(10**6, budget_s=10.0)
    assert result.trials > 60


def test_tiny_budget_retimes_fewer_finalists():
    bench = Bench(trial_s=0.05)
    bench.run(64, budget_s=1.5)
    assert 2 <= len(bench.measurer.retimed[0]) < 9


def test_run_without_limits_converges():
    result = Bench(chunk=16).run(None)
    assert result.stopped == "converged"
    assert result.trials >= CONVERGED_TRIALS


def test_convergence_never_cuts_asked_trials_short():
    assert Bench(chunk=16).run(3 * CONVERGED_TRIALS).trials == 3 * CONVERGED_TRIALS


def test_interrupted_run_keeps_the_best_of_what_was_measured():
    bench = Bench(interrupt_at=24)
    result = bench.run(64)
    assert result.stopped == "interrupted"
    assert 24 <= result.trials < 64
    assert bench.measurer.retimed == []
    assert bench.cache.records[0].schedule == result.schedule
    assert not bench.cache.records[0].verified


def test_lucky_reading_loses_its_rank_when_read_again():
    """The tenth trial reads twenty times too fast, and as it is at the second reading."""
    bench = Bench()
    lucky, usual = [], bench.measurer.outcome

    def outcome(schedule, count):
        found = usual(schedule, count)
        if len(lucky) == 9:
            found = replace(found, samples_s=tuple(s / 20 for s in found.samples_s))
        if count == 3:
            lucky.append(schedule)
        return found

    def again(trial):
        return replace(trial, outcome=usual(trial.schedule, 6), readings=2)

    bench.measurer.outcome, bench.measurer.again = outcome, again
    bench.run(64)
    [screened] = bench.measurer.retimed
    seconds = [bench.measurer.seconds(s) for s in screened[1:]]
    assert seconds == sorted(seconds)
    assert len(bench.log.trials) == 64
    assert lucky[9] in [trial.schedule for trial in bench.log.readings]


def test_trial_that_fails_at_its_second_reading_is_no_finalist_and_counts_as_failed():
    bench = Bench()
    crash = Failure("crash", "signal 11")
    best = []

    def again(trial):
        if trial.schedule == bench.parts.default or best:
            return None
        best.append(trial.schedule)
        return replace(trial, outcome=crash, readings=2)

    bench.measurer.again = again
    result = bench.run(48)
    assert best[0] not in bench.measurer.retimed[0]
    assert result.to_dict()["failures"] == {"crash": 1}
    assert (result.trials, result.to_dict()["failed"]) == (48, 1)


def test_interruption_of_the_finals_is_an_interruption():
    bench = Bench(interrupts_final=True)
    result = bench.run(32)
    assert result.stopped == "interrupted"
    assert not bench.cache.records[0].verified
    assert bench.cache.records[0].schedule == result.schedule


def test_final_round_that_cannot_start_keeps_the_search_s_verdict():
    bench = Bench()

    def retime(schedules, rounds, hopefuls, places, within_s):
        raise MeasureError("workers cannot be started")

    bench.measurer.retime = retime
    result = bench.run(32)
    assert result.stopped == "trials"
    assert any("not timed again" in note for note in result.notes)
    assert not bench.cache.records[0].verified


def test_interruption_before_the_first_result_is_passed_on():
    bench = Bench(interrupt_at=0)
    with pytest.raises(KeyboardInterrupt):
        bench.run(64)
    assert bench.cache.records == []
    assert bench.log.ended["stopped"] == "interrupted"


def test_interruptions_while_the_winner_is_kept_lose_nothing():
    bench = Bench()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    class Pressed(FakeCache):
        def put(self, record):
            for _ in range(3):
                signal.raise_signal(signal.SIGINT)
            return super().put(record)

    bench.cache = bench.keeping = replace(bench.keeping, cache=Pressed())
    try:
        with Gate() as gate:
            result = run(bench.parts, Limits(32), bench.keeping, 0.0, gate)
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.stopped == bench.log.ended["stopped"] == "interrupted"
    assert result.trials == 32
    assert bench.keeping.cache.records[0].schedule == result.schedule


@pytest.mark.parametrize(
    "options", [{"trials": 0}, {"trials": -3}, {"trials": 2.5}, {"budget_s": 0.0}]
)
def test_limits_that_make_no_sense_are_refused(options):
    with pytest.raises(UsageError, match="not allowed"):
        Limits(**options)


@pytest.mark.parametrize("budget_s", [float("nan"), float("inf"), -1.0])
def test_budget_that_is_no_time_is_refused(budget_s):
    with pytest.raises(UsageError):
        Limits(budget_s=budget_s)


# --- what may go wrong beside the measuring ----------------------------------------------------


def test_unwritable_cache_costs_one_note_not_the_result(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bench = Bench()
    bench.cache.is_broken = True
    result = bench.run(32)
    assert result.trials == 32
    assert not result.to_dict()["kept"]
    assert [n for n in result.notes if "not in the cache" in n] == list(result.notes)
    assert bench.log.ended["result"]["best"]["schedule"] == result.schedule.to_dict()


def test_unreadable_cache_is_told_and_survived():
    bench = Bench()

    def get(target_key, workload_key):
        raise StoreError("cache is locked")

    bench.cache.get = get
    assert any("locked" in note for note in bench.run(32).notes)


def test_unwritable_log_is_told_once():
    bench = Bench()
    bench.log.is_broken = True
    assert len([n for n in bench.run(32).notes if "log is incomplete" in n]) == 1


@pytest.mark.parametrize(("share", "is_doubted"), [(1.0, True), (0.25, False)])
def test_rate_above_the_peak_is_flagged_on_what_is_executed(share, is_doubted):
    """F024: an algorithm that executes a quarter may well be three times as fast as direct."""
    bench = Bench()
    bench.parts = replace(bench.parts, executed=lambda _: int(share * FLOP))
    fastest = bench.run(32).outcome.timing.seconds
    bench = Bench(peak=FLOP / fastest / 3)
    bench.parts = replace(bench.parts, executed=lambda _: int(share * FLOP))
    result = bench.run(32)
    assert any("above the measured peak" in note for note in result.notes) == is_doubted
    assert (result.to_dict()["best"]["peak_fraction"] > 1.05) == is_doubted


def test_unmeasurable_peak_leaves_no_share():
    result = Bench(peak=None).run(32)
    assert result.to_dict()["best"]["peak_fraction"] is None
    assert any("share of peak" in note for note in result.notes)


class Faulty:
    """A cost model that fails as told."""

    def __init__(self, at_fit=None, at_predict=None):
        self.at_fit, self.at_predict = at_fit, at_predict

    def fit(self, features, speeds, groups):
        if self.at_fit:
            raise self.at_fit

    def predict_score(self, features):
        raise self.at_predict


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (Faulty(NotFitted("xgboost could not be fitted: check failed", True)), "check failed"),
        (Faulty(FeatureLengthError("features are 312, not 336")), "312"),
        (Faulty(None, NotFitted("fitted elsewhere", True)), "fitted elsewhere"),
        (Faulty(None, FeatureLengthError("835 and 919")), "835"),
        (Faulty(NotFitted("3 speeds are known; 8 are needed")), None),
    ],
)
def test_failing_model_is_told_once_and_the_run_goes_on(model, said):
    """F051 to F054."""
    bench = Bench()
    bench.parts = replace(bench.parts, model=model)
    result = bench.run(64)
    assert result.trials == 64
    assert len(result.notes) == (1 if said else 0)
    assert said is None or said in result.notes[0]


def test_features_that_say_nothing_do_not_stop_it():
    """F054."""
    bench = Bench()
    bench.parts = replace(
        bench.parts, features=lambda space, points: np.ones((len(points), 5), dtype=np.float32)
    )
    assert bench.run(64).trials == 64


def test_speeds_are_relative_to_the_best_and_zero_for_failures():
    timings = [Timing((s,), (1.0,), 0.0) for s in (2.0, 1.0, 4.0)]
    outcomes = [*timings, Failure("crash", "x")]
    assert speeds_of(outcomes, 1.0).tolist() == [0.5, 1.0, 0.25, 0.0]
    assert speeds_of([Failure("crash", "x")], math.inf).tolist() == [0.0]


def test_search_tells_every_speed_anew_when_the_best_improves():
    bench = Bench()
    told = []
    explorer = bench.parts.explorer
    original = explorer.tell
    explorer.tell = lambda points, speeds: (told.append(speeds.max()), original(points, speeds))
    Search(bench.parts, Limits(96), 0.0).run()
    assert max(told) <= 1.0
    assert len(told) >= 3


# --- the parts put together --------------------------------------------------------------------


class ByDigest:
    """Times schedules of a real space by their digest alone."""

    def point(self, schedule):
        return np.array([int(schedule.digest[:6], 16)])

    def seconds(self, points):
        return 1e-4 * (1.0 + points[:, 0] / 2**24)


@pytest.fixture
def tuned(tmp_path):
    def call(shape="m=33,n=47,k=20", **options):
        made = []

        def factory(workload, target, measure_options):
            made.append(FakeMeasurer(ByDigest(), chunk=16))
            made[0].options = measure_options
            return made[0]

        result = tune(
            parse_workload("matmul", shape),
            cache=str(tmp_path / "cache.sqlite"),
            log=str(tmp_path / "log.jsonl"),
            measurer_factory=factory,
            **{"trials": 40, "target": "host", **options},
        )
        return result, made[0]

    return call


def test_tune_puts_log_and_cache_where_it_was_told(tuned, tmp_path):
    result, measurer = tuned()
    assert result.stopped == "trials"
    written = log.read(tmp_path / "log.jsonl")
    assert len(written.trials) == 40
    assert written.header["seed"] == 0
    assert written.header["key"] == result.workload.key
    assert written.end["result"]["best"] == result.to_dict()["best"]
    with open_cache(str(tmp_path / "cache.sqlite")) as cache:
        record = cache.get(result.target_key, result.workload.key)
    assert record.schedule == result.schedule
    assert measurer.pending == 0
    assert measurer.options.seed == 0


def test_tune_measures_the_default_schedule_first(tuned):
    result, measurer = tuned(trials=1)
    target = resolve("host")
    expected = default_schedule(contraction(result.workload), target)
    assert measurer.measured == [expected]


@pytest.mark.parametrize("shape", ["1x1x1", "2x2x2"])
def test_tune_ends_when_the_space_of_a_tiny_shape_does(tuned, shape):
    """F001: one measurement of each distinct schedule, whatever was asked for."""
    result, measurer = tuned(shape, trials=10**6)
    assert result.stopped == "exhausted"
    digests = [schedule.digest for schedule in measurer.measured]
    assert len(set(digests)) == len(digests) == result.trials


@pytest.mark.parametrize(
    "options",
    [
        {"trials": 0},
        {"seed": -1},
        {"seed": 2**63},
        {"budget_s": 0},
        {"explorer": "oracle"},
        {"cost_model": "oracle"},
        {"timeout_s": 0},
        {"target": "no-such-machine"},
        {"space": "no-such-file.toml"},
    ],
)
def test_tune_refuses_bad_input_before_it_writes_anything(tuned, tmp_path, options):
    with pytest.raises(UsageError):
        tuned(**options)
    assert list(tmp_path.iterdir()) == []


def test_tune_two_workloads_in_one_process(tuned):
    """F052."""
    assert tuned("m=64,n=64,k=64", trials=32)[0].notes == ()
    assert tuned("m=16,n=16,k=1", trials=32)[0].notes == ()
