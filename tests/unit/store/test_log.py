from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from autotune.errors import StoreError, UsageError
from autotune.ir.schedule import Schedule
from autotune.store.lines import MAX_LINE_BYTES, MOST_BAD_KEPT
from autotune.store.log import LogWriter, newest, read
from autotune.trial import FAILURE_KINDS, Failure, Timing, Trial
from tests.counting import calls_of
from tests.records import made

SCHEDULE = made().schedule
GOOD = Trial(SCHEDULE, Timing((1e-3, 3e-3, 2e-3), (2e-3, 6e-3, 4e-3), 0.5), 0.25, 0.125)
BAD = Trial(SCHEDULE, Failure("timeout", "after 10 s"), 0.5)
UNSTEADY = Trial(
    SCHEDULE, Timing((1e-3,), (2e-3,), 0.5, ((5e-3, 7e-3), (6e-3, 8e-3)), is_steady=False)
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run" / "log.jsonl"


def written(path: Path, *trials: Trial, end: bool = True) -> bytes:
    with LogWriter(path) as log:
        log.header(seed=3, workload={"op": "matmul"})
        for trial in trials:
            log.trial(trial, at_s=1.5)
        if end:
            log.end(stopped="trials")
    return path.read_bytes()


def test_log_read_back_has_the_same_trials(path: Path) -> None:
    written(path, GOOD, BAD)
    log = read(path)
    assert log.trials == (GOOD, BAD)
    assert log.header["seed"] == 3
    assert log.end["stopped"] == "trials"
    assert (log.end["trials"], log.bad, log.summary) == (2, (), "")


def test_line_of_a_trial_has_what_the_contract_names(path: Path) -> None:
    lines = written(path, GOOD, BAD).decode("utf-8").splitlines()
    good, bad = json.loads(lines[1]), json.loads(lines[2])
    assert good["digest"] == SCHEDULE.digest
    assert good["schedule"] == SCHEDULE.to_dict()
    assert (good["status"], good["seconds"], good["ratio"]) == ("ok", 2e-3, 0.5)
    assert good["samples"] == [1e-3, 3e-3, 2e-3]
    assert good["reference_samples"] == [2e-3, 6e-3, 4e-3]
    assert (bad["status"], bad["seconds"], bad["ratio"]) == ("timeout", None, None)
    assert (bad["samples"], bad["message"], bad["at_s"]) == ([], "after 10 s", 1.5)


@pytest.mark.parametrize("later", [UNSTEADY, BAD], ids=["ok", "failed"])
def test_last_reading_of_a_trial_counts(path: Path, later: Trial) -> None:
    other = dataclasses.replace(BAD, schedule=dataclasses.replace(SCHEDULE, parallel=1))
    with LogWriter(path) as log:
        log.header()
        log.trial(GOOD, point=[1, 2])
        log.trial(other)
        log.reading(dataclasses.replace(GOOD, readings=2))
        log.reading(dataclasses.replace(later, readings=3))
        log.end()
    line = json.loads(path.read_bytes().splitlines()[4])
    assert (line["kind"], line["readings"], line["status"]) == ("reading", 3, later.status)
    run = read(path)
    first = run.entries[0]
    assert (first.outcome, first.point, first.line) == (later.outcome, (1, 2), 2)
    assert (len(run.entries), run.entries[1].outcome, run.bad) == (2, other.outcome, ())


def test_reading_of_no_trial_before_it_is_a_bad_line(path: Path) -> None:
    with LogWriter(path) as log:
        log.header()
        log.reading(GOOD)
        log.trial(GOOD)
    run = read(path)
    assert run.trials == (GOOD,)
    [bad] = run.bad
    assert f"digest '{SCHEDULE.digest}' is of no trial before it" in bad.message


def test_disturbed_pairs_are_kept_apart(path: Path) -> None:
    lines = written(path, UNSTEADY, GOOD, BAD).splitlines()
    unsteady, good, bad = map(json.loads, lines[1:4])
    assert (unsteady["samples"], unsteady["steady"]) == ([1e-3], False)
    assert unsteady["disturbed_samples"] == [5e-3, 6e-3]
    assert unsteady["disturbed_reference_samples"] == [7e-3, 8e-3]
    assert (good["disturbed_samples"], good["steady"], bad["steady"]) == ([], True, None)
    assert read(path).trials == (UNSTEADY, GOOD, BAD)


def test_log_of_before_there_were_disturbed_pairs_is_read(path: Path) -> None:
    lines = [json.loads(line) for line in written(path, GOOD, BAD).splitlines()]
    for line in lines:
        for name in ("disturbed_samples", "disturbed_reference_samples", "steady", "index"):
            line.pop(name, None)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    log = read(path)
    assert (log.trials, log.bad) == ((GOOD, BAD), ())
    assert [entry.index for entry in log.entries] == [0, 1]


def test_no_line_ever_holds_nan_or_infinity(path: Path) -> None:
    """F048."""

    def refuse(token: str) -> None:
        raise AssertionError(token)

    odd = Trial(SCHEDULE, Timing((float("nan"),), (1.0,), 0.5))
    with LogWriter(path) as log:
        log.header()
        with pytest.raises(StoreError, match="cannot be written"):
            log.trial(odd)
        for kind in FAILURE_KINDS:
            log.trial(Trial(SCHEDULE, Failure(kind, "x")))
        log.trial(GOOD, point=[1, 2])
        log.end()
    lines = [json.loads(line, parse_constant=refuse) for line in path.read_bytes().splitlines()]
    assert [line["seconds"] for line in lines[1:-2]] == [None] * len(FAILURE_KINDS)
    assert [line["ratio"] for line in lines[1:-2]] == [None] * len(FAILURE_KINDS)
    assert len(read(path).entries) == len(FAILURE_KINDS) + 1


@pytest.mark.parametrize("kind", FAILURE_KINDS)
def test_failure_of_every_kind_is_read_back(path: Path, kind: str) -> None:
    trial = Trial(SCHEDULE, Failure(kind, "a ünusual line"))
    written(path, trial)
    assert read(path).trials == (trial,)


def test_each_line_is_in_the_file_before_the_next_call(path: Path) -> None:
    log = LogWriter(path)
    log.header()
    assert len(path.read_bytes().splitlines()) == 1
    log.trial(GOOD)
    assert len(read(path).trials) == 1
    log.close()


def test_number_that_is_no_json_is_refused(path: Path) -> None:
    with LogWriter(path) as log, pytest.raises(StoreError, match="cannot be written"):
        log.header(budget=float("inf"))
    assert b"Infinity" not in path.read_bytes()


def test_log_cut_at_every_byte_keeps_the_whole_lines(path: Path) -> None:
    """F045: killed in mid write."""
    content = written(path, GOOD, BAD, end=False)
    last = content.rstrip(b"\n").rindex(b"\n") + 1
    for size in range(last, len(content) - 1):
        path.write_bytes(content[:size])
        log = read(path)
        assert log.trials == (GOOD,)
        assert len(log.bad) == (size > last)
        assert not log.bad or log.bad[0].number == 3


def test_appending_to_a_cut_log_starts_a_new_line(path: Path) -> None:
    content = written(path, GOOD)
    path.write_bytes(content[:-5])
    written(path, GOOD, BAD)
    log = read(path)
    assert (log.trials, log.earlier_runs) == ((GOOD, BAD), 1)
    assert [line.number for line in log.bad] == [3]


ODD: list[bytes] = [
    b"\xff\xfe",
    b"null",
    b"[]",
    b"3",
    b'"text"',
    b"{",
    b'{"kind":"else"}',
    b"{}",
    b'{"kind":"trial"}',
    b'{"a":NaN}',
    b"[" * 100_000,
    b'{"a":' * 50 + b"1" + b"}" * 50,
    b"x" * (2 * MAX_LINE_BYTES),
    b"9" * 10_000,
    b'{"a":1e999}',
    b'{"kind":["trial"]}',
    b'{"kind":"trial","schedule":' + b"[" * 900 + b"]" * 900 + b"}",
    b'{"kind":"' + b"x" * 1000 + b'"}',
]


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_odd_line_is_counted_and_named(path: Path, odd: bytes) -> None:
    lines = written(path, GOOD, BAD).splitlines()
    path.write_bytes(b"\n".join([*lines[:2], odd, *lines[2:]]))
    log = read(path)
    assert log.trials == (GOOD, BAD)
    assert [line.number for line in log.bad] == [3]
    assert log.summary.startswith(f"log {path}: skipped 1 of 5 (first at line 3): ")
    assert len(log.summary) < len(str(path)) + 300


def test_bad_lines_are_counted_and_the_first_is_named(path: Path) -> None:
    """F046."""
    content = written(path, *[GOOD] * 998)
    lines = content.splitlines(keepends=True)
    for number in range(37, 37 + 10 * 90, 90):
        lines[number - 1] = b"garbage\n"
    path.write_bytes(b"".join(lines))
    log = read(path)
    assert "skipped 10 of 1,000 (first at line 37): no JSON: " in log.summary
    assert (log.bad_count, log.line_count, len(log.entries)) == (10, 1000, 988)


def test_file_of_nothing_but_bad_lines_fills_no_memory(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"garbage\n" * 5000)
    log = read(path)
    assert (log.bad_count, len(log.bad), log.header) == (5000, MOST_BAD_KEPT, {})
    assert "skipped 5,000 of 5,000 (first at line 1)" in log.summary


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("schedule", {}),
        ("schedule", None),
        ("digest", "0" * 16),
        ("status", "great"),
        ("status", None),
        ("samples", []),
        ("samples", "1"),
        ("samples", [0.0]),
        ("samples", ["1", "2", "3"]),
        ("samples", [1e-3]),
        ("reference_samples", None),
        ("error_units", -1),
        ("error_units", "x"),
        ("build_s", None),
        ("build_s", True),
        ("samples", [True]),
        ("samples", [10**400, 1, 1]),
        ("samples", [1e-3, 1e-3, 1e-3, [1e-3]]),
        ("disturbed_samples", [1e-3]),
        ("disturbed_samples", {}),
        ("disturbed_reference_samples", [-1.0]),
        ("steady", "yes"),
        ("steady", None),
        ("index", -1),
        ("index", "0"),
        ("index", True),
        ("point", "x"),
        ("point", [1.0]),
        ("point", [2**63]),
        ("point", [0] * 10_000),
        ("status", ["ok"]),
        ("digest", 7),
        ("digest", []),
        ("schedule", 5e300),
    ],
)
def test_trial_with_a_wrong_field_is_left_out(path: Path, name: str, value: Any) -> None:
    lines = written(path, GOOD).splitlines()
    changed = json.dumps({**json.loads(lines[1]), name: value}).encode()
    path.write_bytes(b"\n".join([lines[0], changed, lines[2]]))
    log = read(path)
    assert log.trials == ()
    assert [line.number for line in log.bad] == [2]


def test_bom_crlf_blank_and_comment_lines_are_no_harm(path: Path) -> None:
    """F047."""
    lines = written(path, GOOD, BAD).splitlines()
    path.write_bytes(b"\xef\xbb\xbf" + b"\r\n \r\n# note\r\n\r\n".join(lines))
    log = read(path)
    assert (log.trials, log.bad) == ((GOOD, BAD), ())


def test_log_of_a_newer_program_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('{"kind":"header","log_version":9}\n')
    with pytest.raises(StoreError, match="version 9; this program reads up to 1"):
        read(path)


def test_file_that_is_none_is_a_plain_error(tmp_path: Path) -> None:
    for odd in (tmp_path, tmp_path / "none", Path("/dev/zero")):
        with pytest.raises(StoreError):
            read(odd)


def test_log_that_cannot_be_opened_is_a_plain_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        LogWriter(tmp_path)


def test_full_disk_is_a_plain_error() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with LogWriter("/dev/full") as log, pytest.raises(StoreError, match="cannot be written"):
        log.header()


# --- runs in several parts ---------------------------------------------------------------------


def other(count: int) -> list[Trial]:
    """Trials of as many different schedules."""
    trials = []
    for step in range(1, count + 1):
        nest = SCHEDULE.nests[0]
        inner = (*nest.inner[:-1], (nest.inner[-1][0], step))
        schedule = Schedule((dataclasses.replace(nest, inner=inner),))
        trials.append(dataclasses.replace(GOOD, schedule=schedule))
    return trials


def test_resumed_run_is_read_as_one(path: Path) -> None:
    first, second, third = other(3)
    with LogWriter(path) as log:
        log.header(seed=1)
        log.trial(first, point=[1, 2])
        log.trial(second)
        log.end(stopped="trials")
    with LogWriter(path) as log:
        log.resume(2, seed=5)
        log.trial(third, point=None)
        log.end(stopped="budget")
    found = read(path)
    assert found.trials == (first, second, third)
    assert [entry.index for entry in found.entries] == [0, 1, 2]
    assert [entry.head["seed"] for entry in found.entries] == [1, 1, 5]
    assert [entry.point for entry in found.entries] == [(1, 2), (), ()]
    assert [head["kind"] for head in found.heads] == ["header", "resume"]
    assert (found.header["seed"], found.end["stopped"], found.next_index) == (1, "budget", 3)
    assert found.end["trials"] == 3


def test_resumed_run_that_was_killed_has_no_end(path: Path) -> None:
    written(path, GOOD)
    with LogWriter(path) as log:
        log.resume(1)
    assert read(path).end == {}


def test_new_header_begins_a_new_run(path: Path) -> None:
    written(path, GOOD)
    with LogWriter(path) as log:
        log.resume(1)
    written(path, BAD)
    found = read(path)
    assert (found.trials, len(found.heads), found.earlier_runs) == ((BAD,), 1, 1)


def test_index_behind_lost_lines_is_not_given_twice(path: Path) -> None:
    lines = written(path, *[GOOD] * 4, end=False).splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], *lines[4:]]))
    assert read(path).next_index == 4


def test_resume_line_of_a_newer_program_is_refused(path: Path) -> None:
    written(path, GOOD)
    with path.open("a") as file:
        file.write('{"kind":"resume","log_version":9}\n')
    with pytest.raises(StoreError, match="version 9"):
        read(path)


def test_log_has_one_writer_at_a_time(path: Path) -> None:
    with LogWriter(path) as log:
        log.header()
        before = path.read_bytes()
        with pytest.raises(StoreError, match="being written by another run"):
            LogWriter(path)
        assert path.read_bytes() == before
    LogWriter(path).close()


def test_lock_ends_with_the_process_that_holds_it(path: Path, root: Path) -> None:
    code = (
        "import os, sys\nfrom autotune.store.log import LogWriter\n"
        "LogWriter(sys.argv[1]).header()\nos.kill(os.getpid(), 9)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(root)}
    subprocess.run([sys.executable, "-c", code, str(path)], env=environment, check=False)
    LogWriter(path).close()
    assert len(read(path).heads) == 1


def test_locale_makes_no_difference(path: Path, root: Path) -> None:
    """F047: read and written under LC_ALL=C."""
    trial = Trial(SCHEDULE, Failure("crash", "ein \u00fcbler Absturz \u2620"))
    written(path, trial)
    code = (
        "import sys\nfrom autotune.store.log import LogWriter, read\n"
        "log = read(sys.argv[1])\n"
        "with LogWriter(sys.argv[1]) as again:\n"
        "    again.resume(1)\n    again.trial(log.trials[0])\n"
    )
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("LC_")},
        "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONPATH": str(root),
    }  # fmt: skip
    subprocess.run([sys.executable, "-c", code, str(path)], env=environment, check=True)
    log = read(path)
    assert (log.trials, log.bad) == ((trial, trial), ())


def test_message_of_a_damaged_log_is_one_line_that_can_be_shown(path: Path) -> None:
    lines = written(path, BAD).splitlines(keepends=True)
    changed = {**json.loads(lines[1]), "message": "a\n\x1b[31m" + "x" * 2000 + "\ud800"}
    path.write_bytes(lines[0] + json.dumps(changed).encode() + b"\n")
    (entry,) = read(path).entries
    assert isinstance(entry.outcome, Failure)
    message = entry.outcome.message
    assert len(message) <= 500
    assert message.isprintable()
    message.encode()


# --- one of them -------------------------------------------------------------------------------


def test_find_takes_an_index_or_digits_of_a_digest(path: Path) -> None:
    trials = other(5)
    written(path, *trials)
    log = read(path)
    for index, trial in enumerate(trials):
        digest = trial.schedule.digest
        for name in (str(index), digest, digest[:6], digest[:9].upper(), f" {digest} "):
            entry = log.find(name)
            assert (entry.index, entry.digest) == (index, digest)
            assert log.fields_of(entry)["digest"] == digest


@pytest.mark.parametrize("name", ["5", "-1", "0.0", "", "abc", "x" * 99, "9" * 30, "\u0664"])
def test_find_of_no_trial_says_what_is_allowed(path: Path, name: str) -> None:
    written(path, *other(5))
    with pytest.raises(
        UsageError, match=r"names no trial of log .*an index from 0 to 4, or at lea"
    ):
        read(path).find(name)


def test_find_of_several_trials_says_how_many(path: Path) -> None:
    trials = other(3)
    lines = [json.loads(line) for line in written(path, *trials).splitlines()]
    log = read(path)
    alike = tuple(dataclasses.replace(e, digest=f"abcdef{e.index}") for e in log.entries)
    with pytest.raises(UsageError, match="names 3 trials"):
        dataclasses.replace(log, entries=alike).find("abcdef")
    assert dataclasses.replace(log, entries=alike).find("abcdef1").index == 1
    digits = tuple(dataclasses.replace(e, digest=f"{e.index}00000abc") for e in log.entries)
    assert dataclasses.replace(log, entries=digits).find("200000").index == 2
    assert len(lines) == 5


def test_find_of_a_schedule_measured_twice_is_the_last(path: Path) -> None:
    written(path, GOOD, BAD)
    assert read(path).find(SCHEDULE.digest).index == 1


def test_fields_of_a_file_that_changed_are_refused(path: Path) -> None:
    written(path, *other(2))
    log = read(path)
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    with pytest.raises(StoreError, match="changed while it was read"):
        log.fields_of(log.entries[1])


def test_newest_log_is_the_one_written_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with pytest.raises(UsageError, match=r"no log in .*; name one with --log"):
        newest()
    for name, age_s in (("b", 30), ("a", 10), ("c", 20)):
        written(tmp_path / "autotune" / f"{name}.jsonl", GOOD)
        moment_s = time.time() - age_s
        os.utime(tmp_path / "autotune" / f"{name}.jsonl", (moment_s, moment_s))
    assert newest() == str(tmp_path / "autotune" / "a.jsonl")


# --- long logs ---------------------------------------------------------------------------------


def test_work_of_reading_a_log_grows_as_its_length(tmp_path: Path) -> None:
    """F050."""
    counts = []
    for length in (0, 300, 600):
        written(tmp_path / f"{length}.jsonl", *[GOOD] * length)
        counts.append(calls_of(lambda name=f"{length}.jsonl": read(tmp_path / name)))  # type: ignore[misc]
    none, half, whole = counts
    assert whole - half == pytest.approx(half - none, rel=0.02)


@pytest.mark.slow
def test_log_of_200_000_trials_is_read_in_seconds_and_little_memory(path: Path, root: Path) -> None:
    """F050: every schedule another one; a generous bound, for machines that are busy."""
    lines = written(path, *other(2000)).splitlines(keepends=True)
    with path.open("wb") as file:
        file.writelines([lines[0], *lines[1:-1] * 100])
    code = (
        "import resource, sys, time\nfrom autotune.store.log import read\n"
        "start = time.process_time()\nlog = read(sys.argv[1])\n"
        "best = min(log.entries, key=lambda e: e.outcome.ratio)\n"
        "entry = log.find(str(len(log.entries) // 100 - 1))\n"
        "log.fields_of(entry)\n"
        "kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(len(log.entries), time.process_time() - start, kib // 1024)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    count, seconds, mebibytes = ended.stdout.split()
    assert int(count) == 200_000
    assert float(seconds) < 120
    assert int(mebibytes) < 800
