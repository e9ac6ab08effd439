"""`kill -9` of the tuner, of its workers and of whoever writes, at seeded moments: nothing is lost.

A moment is a share of an undisturbed life. What fails names its seed and its moment, so that it
can be done again.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from autotune.measure.check import check_candidate
from autotune.store.db import open_cache
from autotune.store.log import read
from autotune.store.record import Record
from autotune.targets.detect import host
from autotune.trial import FAILURE_KINDS
from tests.records import made
from tests.survival import (
    SCRIPTS,
    SEED,
    WORKLOAD,
    Site,
    moments,
    surviving_cache,
    surviving_log,
    told,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

ENDS_S = 120.0
"""By when an undisturbed run has ended, whatever else the machine does."""
AT_ONCE = 3
"""Runs that are killed side by side, since most of a short run is starting up."""
KINDS_OF = {signal.SIGKILL: {"out_of_memory"}, signal.SIGSTOP: {"timeout", "compile_timeout"}}
"""Failure kinds that each signal may give the candidate in a worker's hands."""
TIMEOUT_S = 2.0


def prepare(site: Site, is_known: bool) -> list[Record]:
    """A cache that holds another workload's record already, or none; what it holds."""
    if not is_known:
        return []
    known = made()
    with open_cache(site.cache) as cache:
        cache.put(known)
    return [known]


def undisturbed(site: Site, trials: int) -> float:
    """Seconds that a whole run takes; that it leaves nothing behind is made sure of as well."""
    begin = time.monotonic()
    ended = site.start(*site.command(trials)).wait(ENDS_S)
    life_s = time.monotonic() - begin
    assert ended == 0, site.errors()
    examine(site, [], trials, is_kept=True)
    return life_s


def examine(
    site: Site, before: list[Record], reported: int, is_kept: bool, log: bytes = b""
) -> None:
    """What must hold once a run is gone, however it went."""
    assert site.left() == {}
    assert site.litter() == []
    kept = surviving_log(site, reported, log)
    digests = [trial.schedule.digest for trial in kept.trials] if kept else []
    assert len(digests) == len(set(digests)), "a schedule was measured twice"
    added = surviving_cache(site, before)
    assert len(added) in ((1,) if is_kept else (0, 1)), added
    for record in added:
        assert record.key == WORKLOAD.key
        assert record.verified
        assert record.schedule.digest in digests
        assert check_candidate(WORKLOAD, record.schedule, host()) <= WORKLOAD.tolerance


def kill_tuner(folder: Path, trials: int, life_s: float, position: int, share: float) -> Site:
    """Start a run, kill it at a share of its life and look at what is left.

    Now the command, now the script that tells what is finished; now with a cache, now without.
    """
    site = Site(folder / f"moment{position}")
    before = prepare(site, is_known=position % 4 < 2)
    start = site.reporting if position % 3 else site.command
    tuner = site.start(*start(trials))
    time.sleep(share * life_s)
    log = site.logged()
    told_count = max(map(int, site.reported("trials")), default=0)
    is_kept = bool(site.reported("result"))
    tuner.kill()
    tuner.wait()
    examine(site, before, told_count, is_kept, log)
    return site


def kill_tuners(folder: Path, trials: int, count: int) -> list[Site]:
    """`count` runs, each killed at a moment of its own; a whole one ends late when others run."""
    life_s = 1.2 * undisturbed(Site(folder / "undisturbed"), trials)
    sites: list[Site] = []

    def one(position: int, share: float) -> str:
        def work() -> None:
            sites.append(kill_tuner(folder, trials, life_s, position, share))

        return told(f"tuner {position} killed {share:.4f} of {life_s:.2f} s after its start", work)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = [*pool.map(one, range(count), moments(count, "tuner"))]
    assert [problem for problem in found if problem] == []
    return sites


def run_again(site: Site) -> None:
    """The same cache and log serve another run."""
    before = site.logged()
    with open_cache(site.cache) as cache:
        known = cache.entries()
    assert site.start(*site.command(2)).wait(ENDS_S) == 0, site.errors()
    assert site.logged().startswith(before)
    log = read(site.log)
    assert len(log.trials) == log.end["trials"] == 2
    assert log.earlier_runs == before.count(b'"kind":"header"')
    assert len(log.bad) <= 1, log.bad
    # Where nothing beats what was there already, the old winner is measured anew and kept again.
    assert len(surviving_cache(site, known)) == 1


def test_killed_tuner_loses_nothing_finished(tmp_path: Path) -> None:
    kill_tuners(tmp_path, trials=8, count=6)


@pytest.mark.slow
def test_tuner_killed_at_fifty_moments_loses_nothing_finished(tmp_path: Path) -> None:
    sites = kill_tuners(tmp_path, trials=24, count=50)
    for site in sites[::10]:
        run_again(site)


def kill_writer(folder: Path, position: int, share: float) -> None:
    """Kill what writes to log and cache all the time, a moment after its first record."""
    site = Site(folder / f"writer{position}")
    arguments = [str(SCRIPTS / "writing.py"), str(site.cache), str(site.log)]
    writer = site.start(*arguments)
    try:
        wait_for(lambda: site.reported("kept") or position % 4 == 0, writer)
        time.sleep(share * (1.2 if position % 4 == 0 else 0.3))
        kept = len(site.reported("kept"))
    finally:
        writer.kill()
        writer.wait()
    surviving_log(site, kept)
    assert len(surviving_cache(site, [])) >= kept
    assert site.errors() == ""
    with open_cache(site.cache) as cache:
        assert cache.put(made(seconds=0.5))


def kill_writers(folder: Path, count: int) -> None:
    def one(position: int, share: float) -> str:
        work = partial(kill_writer, folder, position, share)
        return told(f"writer {position} killed at {share:.4f}", work)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = [*pool.map(one, range(count), moments(count, "writer"))]
    assert [problem for problem in found if problem] == []


def test_killed_writer_loses_nothing_it_wrote(tmp_path: Path) -> None:
    kill_writers(tmp_path, 4)


@pytest.mark.slow
def test_writer_killed_at_fifty_moments_loses_nothing_it_wrote(tmp_path: Path) -> None:
    kill_writers(tmp_path, 50)


def wait_for(is_there: Callable[[], object], process: subprocess.Popen[bytes]) -> bool:
    """Whether it came to that before the process ended."""
    deadline = time.monotonic() + ENDS_S
    while process.poll() is None and time.monotonic() < deadline:
        if is_there():
            return True
        time.sleep(0.005)
    return False


@dataclass
class Strikes:
    """A run whose workers are shot at; `signals` are those that hit."""

    site: Site
    tuner: subprocess.Popen[bytes]
    rng: random.Random
    signals: list[signal.Signals]
    log: bytes = b""

    def strike(self, number: signal.Signals, others: frozenset[int] = frozenset()) -> None:
        """Send this to a builder or a runner, which the seed prefers, but to none of `others`."""
        modules = self.rng.sample(("autotune.measure.build", "autotune.measure.run"), 2)
        time.sleep(self.rng.uniform(0.0, 0.2))
        log = self.site.logged()
        assert log.startswith(self.log), "the log was rewritten"
        self.log = log
        for module in modules:
            for pid in sorted(self.site.processes(module).keys() - others):
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
                    self.signals.append(number)
                    return

    def searching(self, trials: int, count: int) -> None:
        """Strike while candidates are measured: once stopped, then killed."""
        numbers = [signal.SIGSTOP] + [signal.SIGKILL] * (count - 1)
        for number, at in zip(
            numbers, sorted(self.rng.sample(range(1, trials - 4), count)), strict=True
        ):
            if not wait_for(partial(self._has, at), self.tuner):
                return
            self.strike(number)

    def _has(self, count: int) -> bool:
        return int((self.site.reported("trials") or ["0"])[-1]) >= count

    def finalists(self) -> None:
        """Strike at one of the fresh workers that time the finalists."""
        pool: frozenset[int] = frozenset()

        def has_begun() -> bool:
            nonlocal pool
            found = frozenset(self.site.processes())
            if "finalists" in self.site.reported("phase"):
                return True
            pool = found
            return False

        wait_for(has_begun, self.tuner)
        if wait_for(lambda: self.site.processes().keys() - pool, self.tuner):
            time.sleep(self.rng.uniform(0.0, 1.2))
            self.strike(signal.SIGKILL, pool)


def shoot_workers(folder: Path, trials: int, position: int, count: int) -> None:
    """One run through which `count` workers are killed, one of them in the final round."""
    site = Site(folder / f"run{position}")
    before = prepare(site, is_known=True)
    tuner = site.start(*site.reporting(trials, timeout_s=TIMEOUT_S, seed=position))
    strikes = Strikes(site, tuner, random.Random(f"{SEED} workers {position}"), [])
    try:
        strikes.searching(trials, count - 1)
        strikes.finalists()
        assert tuner.wait(ENDS_S) == 0, site.errors()
    finally:
        tuner.kill()
        tuner.wait()
    assert site.errors() == ""
    examine(site, before, trials, is_kept=True, log=strikes.log)
    log = read(site.log)
    assert log.end["stopped"] == "trials"
    assert len(log.trials) == trials
    failed = [trial.failure for trial in log.trials if trial.failure]
    allowed = set().union(*(KINDS_OF[number] for number in strikes.signals))
    assert {failure.kind for failure in failed} <= allowed <= set(FAILURE_KINDS)
    for number, kinds in KINDS_OF.items():
        hit = [failure for failure in failed if failure.kind in kinds]
        assert len(hit) <= strikes.signals.count(number), failed


def shoot_in_runs(folder: Path, trials: int, runs: int, count: int) -> None:
    found = [
        told(f"workers killed in run {run}", partial(shoot_workers, folder, trials, run, count))
        for run in range(runs)
    ]
    assert [problem for problem in found if problem] == []


def test_killed_and_stopped_workers_cost_what_they_had_in_hand_at_most(tmp_path: Path) -> None:
    shoot_in_runs(tmp_path, trials=10, runs=1, count=5)


@pytest.mark.slow
def test_fifty_killed_workers_cost_what_they_had_in_hand_at_most(tmp_path: Path) -> None:
    shoot_in_runs(tmp_path, trials=24, runs=10, count=5)
