"""Runs that are killed for real and gone on with: nothing is measured twice."""

from __future__ import annotations

import json
import signal
import sys
import time
from pathlib import Path

import pytest

from autotune.store.db import open_cache
from autotune.store.log import read
from tests.survival import WORKLOAD, Site

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

TRIALS = 24
LIMIT_S = 120.0


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "site")


def resumed(site: Site, *more: str, trials: int = TRIALS) -> list[str]:
    """The arguments of a run that goes on with the site's log."""
    places = ["--resume", str(site.log), "--cache", str(site.cache)]
    return ["-m", "autotune", "run", *places, "--trials", str(trials), *more]


def kill_at(site: Site, arguments: list[str], count: int) -> None:
    """Start, wait for so many lines of trials, and `kill -9`."""
    process = site.start(*arguments)
    deadline_s = time.monotonic() + LIMIT_S
    while site.logged().count(b'"kind":"trial"') < count and time.monotonic() < deadline_s:
        assert process.poll() is None, site.errors()
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait(LIMIT_S) == -signal.SIGKILL
    assert site.left() == {}


def test_run_killed_twice_is_completed_with_every_schedule_measured_once(site: Site) -> None:
    """F032: and the explorer learns from what the log holds."""
    kill_at(site, site.command(TRIALS), 5)
    kill_at(site, resumed(site), 12)
    before = read(site.log)
    known = len(before.entries)
    assert 12 <= known < TRIALS
    # Cut in mid-line, as a power failure would leave it.
    site.log.write_bytes(site.logged() + b'{"kind":"trial","ind')
    assert site.start(*resumed(site, "--json")).wait(LIMIT_S) == 0, site.errors()
    content = json.loads(site.said_path.read_text(encoding="utf-8"))
    assert (content["trials"], content["resumed"], content["stopped"]) == (TRIALS, known, "trials")
    assert "skipped 1 of " in site.errors()
    log = read(site.log)
    digests = [entry.digest for entry in log.entries]
    assert len(digests) == len(set(digests)) == TRIALS
    assert [entry.index for entry in log.entries] == list(range(TRIALS))
    assert log.entries[:known] == before.entries
    assert [head["kind"] for head in log.heads] == ["header", "resume", "resume"]
    points = sum(bool(entry.point) for entry in log.entries)
    assert points >= TRIALS - 1
    with open_cache(site.cache) as cache:
        record = cache.get(log.header["target"]["key"], WORKLOAD.key)
    assert record is not None
    assert record.trials == TRIALS
    assert record.verified


def test_completed_run_only_times_its_finalists_again(site: Site) -> None:
    assert site.start(*site.command(5)).wait(LIMIT_S) == 0, site.errors()
    assert site.start(*resumed(site, trials=5)).wait(LIMIT_S) == 0, site.errors()
    assert "only the finalists are timed again" in site.errors()
    log = read(site.log)
    assert len(log.entries) == 5
    assert len(log.end["finalists"]) > 1


def test_log_that_a_living_run_writes_is_left_alone(site: Site) -> None:
    process = site.start(*site.command(500))
    deadline_s = time.monotonic() + LIMIT_S
    while site.logged().count(b'"kind":"trial"') < 2 and time.monotonic() < deadline_s:
        time.sleep(0.02)
    other = Site(site.folder / "other")
    other.log, other.cache = site.log, site.cache
    assert other.start(*resumed(other)).wait(LIMIT_S) == 1
    assert other.errors().endswith("is being written by another run\n")
    process.send_signal(signal.SIGINT)
    assert process.wait(LIMIT_S) == 130
    assert [head["kind"] for head in read(site.log).heads] == ["header"]
