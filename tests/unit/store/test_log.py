from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from autotune.errors import StoreError
from autotune.store.lines import MAX_LINE_BYTES
from autotune.store.log import LogWriter, read
from autotune.trial import FAILURE_KINDS, Failure, Timing, Trial
from tests.records import made

SCHEDULE = made().schedule
GOOD = Trial(SCHEDULE, Timing((1e-3, 3e-3, 2e-3), (2e-3, 6e-3, 4e-3), 0.5), 0.25, 0.125)
BAD = Trial(SCHEDULE, Failure("timeout", "after 10 s"), 0.5)


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
]


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_odd_line_is_counted_and_named(path: Path, odd: bytes) -> None:
    lines = written(path, GOOD, BAD).splitlines()
    path.write_bytes(b"\n".join([*lines[:2], odd, *lines[2:]]))
    log = read(path)
    assert log.trials == (GOOD, BAD)
    assert [line.number for line in log.bad] == [3]
    assert log.summary.startswith("skipped 1 bad lines of the log (first at line 3: ")


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
