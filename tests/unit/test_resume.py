"""A run that is gone on with: nothing is measured twice, and only what compares counts."""

from __future__ import annotations

import dataclasses
import json
import os
import time

import numpy as np
import pytest

from autotune import resume as resuming
from autotune.backends import cpu
from autotune.errors import MeasureError, StoreError, UsageError
from autotune.finalists import FINALISTS, SCREENED
from autotune.ops.base import contraction, parse_workload
from autotune.registry import EXPLORERS
from autotune.resume import Conditions
from autotune.search import BARREN_BATCHES, BATCH, CONVERGED_TRIALS
from autotune.space import generate, narrowing
from autotune.store import log
from autotune.targets.detect import host
from autotune.trial import Failure
from autotune.tune import tune
from tests.counting import calls_of
from tests.unit.test_tune import ByDigest, FakeMeasurer

WORKLOAD = parse_workload("matmul", "m=33,n=47,k=20")
TRIALS = 40


def some_fail(schedule):
    """About an eighth of all."""
    return Failure("crash", "signal 11") if schedule.digest[0] in "01" else None


class Run:
    """Tunes into one log and one cache, each time with a measurer of its own."""

    def __init__(self, folder):
        self.path, self.cache = folder / "run.jsonl", folder / "cache.sqlite"
        self.measurer = None
        self.progress = []

    def __call__(self, workload=WORKLOAD, resume=True, fails=None, interrupt_at=None, **options):
        def factory(workload, target, measure_options):
            self.measurer = FakeMeasurer(ByDigest(), fails, chunk=4, interrupt_at=interrupt_at)
            return self.measurer

        given = str(self.path) if resume is True else resume
        where = {"resume": given} if given else {"log": str(self.path)}
        return tune(
            workload,
            cache=str(self.cache),
            measurer_factory=factory,
            progress=self.progress.append,
            # The quickest explorer; the tests of what explorers are told name another.
            **{"trials": TRIALS, "explorer": "random", **where, **options},
        )

    @property
    def submitted(self):
        """Digests of what the last measurer was given."""
        return [schedule.digest for schedule in self.measurer.measured]

    @property
    def lines(self):
        return self.path.read_bytes().splitlines(keepends=True)

    def cut(self, count):
        """Leave the first `count` lines, as if the run had been killed."""
        self.path.write_bytes(b"".join(self.lines[:count]))

    def change(self, kind, **fields):
        """Set fields of all lines of a kind."""
        loaded = map(json.loads, self.lines)
        changed = [{**line, **(fields if line["kind"] == kind else {})} for line in loaded]
        self.path.write_text("".join(json.dumps(line) + "\n" for line in changed))


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The log of a run of 40 trials, of which some failed."""
    made = Run(tmp_path_factory.mktemp("whole"))
    made(resume=False, fails=some_fail)
    return made.lines


@pytest.fixture
def begun(run, whole):
    """The log of a run that was killed after 20 trials."""
    run.path.write_bytes(b"".join(whole[:21]))
    return run


def digests(path):
    return [entry.digest for entry in log.read(path).entries]


# --- nothing twice -----------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [1, 2, 17, TRIALS + 1])
@pytest.mark.parametrize("more", [b"", b'{"kind":"trial","index":'])
def test_killed_run_is_completed_without_measuring_anything_twice(run, whole, kept, more):
    default = json.loads(whole[1])["digest"]
    run.path.write_bytes(b"".join(whole[:kept]) + more)
    known = digests(run.path)
    result = run(fails=some_fail)
    assert result.trials == TRIALS
    assert result.resumed == len(known) == kept - 1
    assert set(run.submitted) & set(known) <= {default}
    made = log.read(run.path)
    found = [entry.digest for entry in made.entries]
    assert len(found) == len(set(found)) == TRIALS
    assert found[: len(known)] == known
    assert [entry.index for entry in made.entries] == list(range(TRIALS))
    failed = sum(isinstance(entry.outcome, Failure) for entry in made.entries)
    assert failed == sum(result.failures.values()) > 0
    assert made.end["result"]["trials"] == made.end["trials"] == TRIALS
    assert len(made.bad) == bool(more)


def test_reference_comes_first_and_is_counted_once(begun):
    default = digests(begun.path)[0]
    begun(fails=some_fail)
    assert begun.submitted[0] == default
    assert digests(begun.path).count(default) == 1
    assert len(begun.submitted) == TRIALS - 20 + 1


def test_known_failures_are_never_submitted_again(begun):
    failed = {d for d in digests(begun.path) if d[0] in "01"}
    assert failed
    result = begun(fails=some_fail, trials=200)
    assert not failed & set(begun.submitted)
    assert result.failures["crash"] > len(failed)


def test_run_gone_on_with_again_and_again_ends_with_the_same_trials(begun):
    for trials in (24, 25, TRIALS):
        assert begun(fails=some_fail, trials=trials).trials == trials
    found = digests(begun.path)
    assert len(found) == len(set(found)) == TRIALS
    assert [line["kind"] for line in map(json.loads, begun.lines)].count("resume") == 3


@pytest.mark.parametrize("explorer", EXPLORERS.names())
def test_small_space_is_exhausted_across_two_runs(run, explorer):
    workload = parse_workload("matmul", "2x2x2")
    whole = run(workload, resume=False, trials=10**6, explorer=explorer)
    every = set(digests(run.path))
    run.cut(1 + len(every) // 2)
    result = run(workload, trials=10**6, explorer=explorer)
    found = digests(run.path)
    assert sorted(found) == sorted(every)
    assert (result.stopped, result.trials) == ("exhausted", whole.trials)
    assert run.progress[-1].trials == run.progress[-1].wanted == whole.trials


def test_resumed_run_believes_the_last_reading_of_a_trial(run, whole):
    """The best trial of the log turned out, at a second reading, to crash."""
    run.path.write_bytes(b"".join(whole[:-1]))
    trials = log.read(run.path).trials
    best = min((t for t in trials if t.timing), key=lambda t: t.timing.ratio)
    crashed = dataclasses.replace(best, outcome=Failure("crash", "signal 11"), readings=2)
    with log.LogWriter(run.path) as writer:
        writer.reading(crashed)
    result = run()
    assert run.submitted == []
    assert best.schedule not in run.measurer.retimed[0]
    assert result.to_dict()["failures"]["crash"] >= 1


def test_complete_run_only_times_its_finalists_again(run, whole):
    run.path.write_bytes(b"".join(whole))
    result = run(fails=some_fail)
    assert run.submitted == []
    assert FINALISTS < len(run.measurer.retimed[0]) <= SCREENED + 1
    assert (result.stopped, result.trials, result.resumed) == ("trials", TRIALS, TRIALS)
    assert any("only the finalists are timed again" in note for note in result.notes)
    assert result.to_dict()["trials_per_second"] == 0


def test_best_of_the_log_competes_with_what_is_new(begun):
    known = log.read(begun.path)
    fastest = min((e for e in known.entries if not isinstance(e.outcome, Failure)),
                  key=lambda e: e.outcome.ratio)  # fmt: skip
    begun(trials=21, fails=some_fail)
    assert fastest.digest in [schedule.digest for schedule in begun.measurer.retimed[0]]


def test_explorer_and_model_begin_with_what_the_log_knows(begun, monkeypatch):
    """No second start by chance: the first batch is already guided."""
    scores, told = [], []
    made = EXPLORERS.get("annealing")
    ask, tell = made.ask, made.tell
    monkeypatch.setattr(
        made, "ask", lambda self, n, score: scores.append(score) or ask(self, n, score)
    )
    monkeypatch.setattr(
        made, "tell", lambda self, p, s: told.append((len(p), s)) or tell(self, p, s)
    )
    begun(fails=some_fail, explorer="annealing")
    assert scores[0] is not None
    pointed = [e for e in log.read(begun.path).entries[:20] if e.point]
    count, speeds = told[0]
    assert count == len(pointed) >= 19
    assert speeds.max() <= 1
    assert np.count_nonzero(speeds == 0) == sum(isinstance(e.outcome, Failure) for e in pointed)


def test_converged_run_is_gone_on_with_until_it_converges_anew(run):
    first = run(resume=False, trials=None)
    again = run(trials=None)
    assert (first.stopped, again.stopped) == ("converged", "converged")
    assert again.trials - first.trials >= CONVERGED_TRIALS


def test_interrupted_run_is_gone_on_with(run):
    first = run(resume=False, interrupt_at=12)
    assert first.stopped == "interrupted"
    known = set(digests(run.path))
    result = run()
    assert result.trials == TRIALS
    assert len(set(run.submitted) & known) == 1


def test_interruption_before_anything_new_keeps_the_log_s_best(begun):
    result = begun(interrupt_at=0, fails=some_fail)
    assert (result.stopped, result.trials) == ("interrupted", 20)
    assert begun.cache.exists()


def test_earlier_failures_do_not_end_a_run_as_barren(run):
    every = Failure("crash", "signal 11")
    with pytest.raises(Exception, match="no valid schedule"):
        run(resume=False, trials=1000, fails=lambda schedule: every)
    count = len(digests(run.path))
    assert count >= BARREN_BATCHES * BATCH
    default = run.submitted[0]
    result = run(trials=count + 8, fails=lambda s: every if s.digest == default else None)
    assert result.trials == count + 8
    assert result.outcome.baseline is None
    assert any("no baseline" in note for note in result.notes)


def test_run_in_which_everything_fails_again_tells_all_of_it(run):
    every = Failure("crash", "signal 11")
    for resume in (False, True):
        with pytest.raises(Exception, match="no valid schedule: all") as caught:
            run(resume=resume, trials=1000, fails=lambda schedule: every)
    assert caught.value.failures == {"crash": len(digests(run.path))}


# --- what counts -------------------------------------------------------------------------------


@pytest.mark.parametrize("changed", ["llvm", "codegen", "reference"])
def test_trials_of_another_compiler_or_reference_are_measured_anew(begun, changed):
    begun.change("header", **{changed: 999})
    result = begun(fails=some_fail)
    assert (result.trials, result.resumed) == (TRIALS, 0)
    told = f"20 trials of the log are measured anew: {changed} 999, now "
    assert any(note.startswith(told) for note in result.notes)
    again = begun(fails=some_fail)
    assert (again.trials, again.resumed) == (TRIALS, TRIALS)


def test_another_cache_policy_measures_anew(begun):
    result = begun(fails=some_fail, cache_policy="rotating")
    assert result.resumed == 0
    assert any("cache_policy warm, now rotating" in note for note in result.notes)


def test_another_llvm_is_told_by_its_version(begun, monkeypatch):
    begun.change("header", llvm="1.0")
    assert any(f"llvm 1.0, now {cpu.llvm_version()}" in n for n in begun(fails=some_fail).notes)


def test_candidates_out_of_time_are_tried_again_with_more_of_it(run):
    slow = {"timeout": "0", "compile_timeout": "1", "crash": "2"}

    def fails(schedule):
        return next((Failure(k, "x") for k, d in slow.items() if schedule.digest[0] == d), None)

    run(resume=False, fails=fails)
    late = {d for d in digests(run.path)[1:] if d[0] in "01"}
    crashed = {d for d in digests(run.path)[1:] if d[0] == "2"}
    assert late
    assert crashed
    same = run(trials=TRIALS + 1, fails=fails)
    assert not late & set(run.submitted)
    assert same.failures.keys() == slow.keys()
    result = run(trials=TRIALS + 1 + len(late), timeout_s=60.0)
    assert not crashed & set(run.submitted)
    assert any(f"{len(late)} trials that ran out of time" in note for note in result.notes)
    assert result.failures.keys() == {"crash"}


def test_other_space_takes_the_schedules_but_not_their_points(begun, tmp_path, monkeypatch):
    told = []
    made = EXPLORERS.get("random")
    tell = made.tell
    monkeypatch.setattr(made, "tell", lambda self, p, s: told.append(len(p)) or tell(self, p, s))
    narrow = tmp_path / "space.toml"
    narrow.write_text('[only]\nstore = "direct"\n', encoding="utf-8")
    known = digests(begun.path)
    result = begun(fails=some_fail, space=str(narrow), trials=60)
    assert (result.trials, result.resumed) == (60, 20)
    assert not set(begun.submitted) & set(known[1:])
    # Nothing was told before the first new trials came.
    assert told[0] <= 40
    assert resuming.load(begun.path).options["space"] == str(narrow)


def test_point_that_is_not_its_schedule_s_is_not_used(begun):
    loaded = [json.loads(line) for line in begun.lines]
    wrong = [[0] * 3, [10**6] * 24, [-5] * 24]
    odd = [[2**70], "x", [1.5], {}]
    for line, point in zip(loaded[2:], [*wrong, *odd], strict=False):
        line["point"] = point
    begun.path.write_text("".join(json.dumps(line) + "\n" for line in loaded))
    found = resuming.load(begun.path)
    computed = contraction(WORKLOAD)
    space = generate(computed, host(), narrowing.load(None, "matmul"))
    earlier = found.earlier(computed, space, Conditions.of(found.log.header), 10.0)
    assert len(found.log.bad) == len(odd)
    assert len(earlier.outcomes) == 20 - len(odd)
    still = {line["digest"] for line in loaded[1:] if line["point"] is not None}
    assert earlier.points.keys() == still - {line["digest"] for line in loaded[2:9]}
    assert begun(fails=some_fail).trials == TRIALS


def test_illegal_schedule_of_a_damaged_log_is_no_finalist(begun):
    """A lost header may put trials of another workload among these."""
    foreign = Run(begun.path.parent / "other")
    foreign.path.parent.mkdir()
    foreign(parse_workload("conv2d", "c=16,h=8,k=16,r=3,pad=1"), resume=False, trials=8)
    fast = [json.loads(line) for line in foreign.lines[1:9]]
    for line in fast:
        line.update(samples=[1e-9], reference_samples=[1.0])
    with begun.path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in fast)
    result = begun(fails=some_fail)
    assert result.trials == TRIALS
    retimed = {schedule.digest for schedule in begun.measurer.retimed[0]}
    assert not retimed & {line["digest"] for line in fast}


# --- the reference -----------------------------------------------------------------------------


@pytest.mark.parametrize("fails_at_first", [True, False])
def test_reference_that_does_otherwise_than_before_ends_the_run(run, fails_at_first):
    default = []

    def fails(schedule):
        return Failure("timeout", "x") if schedule.digest == default[0] else None

    run(resume=False, trials=1)
    default.append(digests(run.path)[0])
    run(resume=False, trials=20, fails=fails if fails_at_first else None)
    with pytest.raises(MeasureError, match="would not compare"):
        run(fails=None if fails_at_first else fails)
    assert len(log.read(run.path).entries) <= TRIALS


# --- which run it is ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"workload": parse_workload("matmul", "8x8x8")}, r"workload matmul/m=8.*matmul/m=33"),
        ({"workload": parse_workload("matmul", "33x47x20", "float64")}, "float64.*float32"),
        ({"target": "x86-64"}, r"target x86-64/.* is not the one of log"),
        ({"log": "other.jsonl"}, "'other.jsonl' is not the one to go on with"),
    ],
)
def test_another_run_than_the_log_s_is_refused_naming_both(begun, options, told):
    before = begun.path.read_bytes()
    with pytest.raises(UsageError, match=told):
        begun(**options)
    assert begun.path.read_bytes() == before


def test_log_of_another_machine_is_refused(begun):
    begun.change("header", machine="other-1-2")
    with pytest.raises(UsageError, match=r"machine .* holds timings of other-1-2"):
        begun()


def test_log_may_be_named_beside_resume(begun):
    assert begun(log=os.path.relpath(begun.path), fails=some_fail).trials == TRIALS


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("workload", None, "workload is None; allowed: an object"),
        ("workload", {"op": "matmul"}, "workload.shape is None; allowed: text"),
        ("target", [], "target is []; allowed: an object"),
        ("target", {"cpu": "x"}, "target of log .*: features=None is not allowed"),
        ("machine", 3, "machine is 3; allowed: text"),
        ("seed", "x", "seed is x; allowed: an integer"),
        ("explorer", None, "explorer is None; allowed: text"),
        ("measure", {}, "measure.timeout_s is None; allowed: a number"),
        ("measure", {"timeout_s": True}, "measure.timeout_s is True; allowed: a number"),
        ("space_file", 7, "space_file is 7; allowed: text"),
    ],
)
def test_header_with_a_wrong_field_is_refused_by_name(begun, name, value, told):
    begun.change("header", **{name: value})
    with pytest.raises(UsageError, match=told.replace("[]", r"\[\]")):
        resuming.load(begun.path)


def test_log_without_a_header_is_refused(begun, tmp_path):
    begun.path.write_bytes(b"".join(begun.lines[1:]))
    with pytest.raises(UsageError, match="no header line"):
        resuming.load(begun.path)


def test_log_that_cannot_be_read_is_bad_input(tmp_path):
    for odd in (tmp_path, tmp_path / "none"):
        with pytest.raises(UsageError, match=str(odd)):
            resuming.load(odd)


def test_options_of_the_log_are_those_of_its_last_part(begun):
    begun(fails=some_fail, trials=24, seed=5, explorer="genetic", timeout_s=20.0)
    options = resuming.load(begun.path).options
    assert options == {
        "seed": 5,
        "explorer": "genetic",
        "cost_model": "xgboost",
        "space": None,
        "timeout_s": 20.0,
        "cache_policy": "warm",
    }


def test_log_that_another_run_writes_is_refused(begun):
    with log.LogWriter(begun.path), pytest.raises(StoreError, match="by another run"):
        begun(fails=some_fail)


def test_damaged_lines_are_told_in_one_note(begun):
    lines = begun.lines
    for number in range(3, 18, 5):
        lines[number - 1] = b"\xff\xfe\n"
    begun.path.write_bytes(b"".join(lines))
    before = begun.path.read_bytes()
    result = begun(fails=some_fail)
    assert result.resumed == 17
    assert begun.path.read_bytes().startswith(before)
    assert any("skipped 3 of 21 (first at line 3): no JSON" in note for note in result.notes)


def test_resume_line_is_written_whole_even_behind_a_cut_one(begun):
    begun.path.write_bytes(begun.path.read_bytes()[:-30])
    result = begun(fails=some_fail)
    assert result.resumed == 19
    whole = log.read(begun.path)
    assert [line.number for line in whole.bad] == [21]
    assert len(whole.entries) == TRIALS


# --- long logs ---------------------------------------------------------------------------------


def entries(log_read, count):
    """As many trials of a log, each of another digest."""
    made = log_read.entries
    return tuple(
        dataclasses.replace(made[number % len(made)], digest=f"{number:016x}", point=())
        for number in range(count)
    )


def test_work_of_going_on_grows_as_the_log(begun):
    """F050: counted in calls, where a clock would only guess."""
    found = resuming.load(begun.path)
    computed = contraction(WORKLOAD)
    space = generate(computed, host(), narrowing.load(None, "matmul"))
    now = Conditions.of(found.log.header)
    found.earlier(computed, space, now, 10.0)
    counts = []
    for length in (1000, 2000, 3000):
        long = dataclasses.replace(found.log, entries=entries(found.log, length))
        one = dataclasses.replace(found, log=long)
        counts.append(calls_of(lambda one=one: one.earlier(computed, space, now, 10.0)))
    few, more, most = counts
    assert most - more == pytest.approx(more - few, rel=0.02)


@pytest.mark.slow
def test_log_of_200_000_trials_is_gone_on_with(begun):
    found = resuming.load(begun.path)
    long = dataclasses.replace(found.log, entries=entries(found.log, 200_000))
    start_s = time.process_time()
    result = begun(resume=dataclasses.replace(found, log=long), trials=200_020, fails=some_fail)
    assert (result.trials, result.resumed) == (200_020, 200_000)
    assert time.process_time() - start_s < 120
