"""A run and what surrounds it: signals at any moment, pipes that close, no home, rights or space.

Every process is real. What was measured is kept, the exit code tells, no worker is left.
"""

from __future__ import annotations

import dataclasses
import json
import os
import pty
import random
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from autotune.measure.base import MeasureOptions, Measurer
from autotune.measure.pool import PoolMeasurer
from autotune.progress import Result
from autotune.store.db import open_cache
from autotune.store.log import read
from autotune.store.record import Record
from autotune.targets.base import Target
from autotune.targets.detect import host
from autotune.trial import Workload
from autotune.tune import tune
from tests.e2e import test_faults, test_full_disk
from tests.measuring import FAULTY, WORKERS
from tests.survival import SEED, SHAPE, WORKLOAD, Site, moments, surviving_log, told

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

small_disk = test_full_disk.small_disk

ENDS_S = 120.0
LEAVES_S = 3.0
"""By when a run has ended after a signal; it takes a fifth of that on a quiet machine."""
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
NOBODY = 2000
"""A user whom no machine of ours knows by name."""


class Place(Site):
    """A site whose runs have an environment of their own, as another user where it is asked for."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.changes: dict[str, str | None] = {}
        """Variables that are set, or (None) missing."""
        self.before: list[str] = []
        """Command that starts the command."""

    def environment(self) -> dict[str, str]:
        whole = {**super().environment(), **self.changes}
        return {name: value for name, value in whole.items() if value is not None}

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        with open(self.said_path, "wb") as out, open(self.errors_path, "wb") as err:
            return subprocess.Popen(
                [*self.before, sys.executable, "-P", *arguments],
                env=self.environment(),
                stdout=out,
                stderr=err,
            )

    def run(self, *arguments: str) -> int:
        return self.start("-m", "autotune", *arguments).wait(ENDS_S)

    def tune(self, *more: str) -> int:
        return self.run("run", *TINY, *more)

    def records(self, path: str | os.PathLike[str] | None = None) -> list[Record]:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="cache .* belongs to another user")
            with open_cache(path or self.cache) as cache:
                return cache.entries()

    def lines(self) -> list[str]:
        return self.errors().splitlines()


TINY = ("--op", "matmul", "--shape", SHAPE, "--trials", "2", "--json")


@pytest.fixture
def site(tmp_path: Path) -> Place:
    return Place(tmp_path / "site")


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + ENDS_S
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.002)


# --- signals: F090 -----------------------------------------------------------------------------


def listens(pid: int) -> bool:
    """Whether the process catches SIGTERM, as it does from its first line on."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return False
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)


def has_line(site: Site, kind: str, count: int = 1) -> bool:
    return site.logged().count(f'"kind":"{kind}"'.encode()) >= count


TRIALS = 18
PHASES: dict[str, Callable[[Site, int], bool]] = {
    "loading": lambda _, pid: listens(pid),
    "first builds": lambda site, _: has_line(site, "header"),
    "first trial": lambda site, _: has_line(site, "trial"),
    "fit and ask": lambda site, _: has_line(site, "trial", 16),
    "finalists": lambda site, _: has_line(site, "trial", TRIALS),
    "end": lambda site, _: has_line(site, "end"),
}
"""What tells from outside that a run of so many trials has come so far."""


def interrupted(site: Place, phase: str, delay_s: float, numbers: list[int]) -> float:
    """Run until a phase, send the signals a moment apart; seconds from the first to the end."""
    run = site.start(*site.command(TRIALS, "--json"))
    try:
        wait_until(lambda: PHASES[phase](site, run.pid) or run.poll() is not None)
        time.sleep(delay_s)
        start_s = time.monotonic()
        for number in numbers:
            run.send_signal(number)
            time.sleep(0.05)
        code = run.wait(ENDS_S)
        took_s = time.monotonic() - start_s
    finally:
        run.kill()
        run.wait()
    check_ended(site, code, numbers)
    return took_s


def check_ended(site: Place, code: int, numbers: list[int]) -> None:
    """Whatever was measured is kept; how it ended is said in words and by the exit code."""
    assert "Traceback" not in site.errors(), site.errors()
    has_end = has_line(site, "end") and json.loads(site.logged().splitlines()[-1])["kind"] == "end"
    # What comes once all is kept changes nothing, or ends the process in the system's own way.
    late = {0, *(-number for number in numbers)} if has_end else {-n for n in numbers[1:]}
    assert code in {CODES[numbers[0]], *late}, (code, site.errors())
    assert site.left(2.0) == {}
    log = surviving_log(site, 0)
    worked = [] if log is None else [trial for trial in log.trials if trial.timing]
    records = site.records() if site.cache.exists() else []
    if worked:
        [record] = records
        assert log is not None
        assert log.end["result"]["best"]["schedule"] == record.schedule.to_dict()
        assert record.verified == bool(log.end["finalists"])
    else:
        assert records == []
        assert site.lines()[-1:] in (
            ["error: interrupted"],
            ["error: interrupted before anything was measured"],
        )
    assert site.litter() == []


@pytest.mark.parametrize("phase", [name for name in PHASES if name != "first trial"])
def test_interrupted_run_ends_at_once_with_its_work_kept(site: Place, phase: str) -> None:
    assert interrupted(site, phase, 0.0, [signal.SIGINT]) < LEAVES_S


def test_second_signal_loses_nothing_either(site: Place) -> None:
    assert interrupted(site, "first trial", 0.1, [signal.SIGINT] * 2) < LEAVES_S


def test_terminated_run_reports_and_answers_afterwards(site: Place) -> None:
    assert interrupted(site, "first trial", 0.3, [signal.SIGTERM]) < LEAVES_S
    content = json.loads(site.said()[0])
    assert content["stopped"] == "interrupted"
    assert content["best"]["seconds"] > 0
    assert site.run("lookup", *TINY[:4], "--cache", str(site.cache), "--json") == 0
    hit = json.loads(site.said()[0])
    assert (hit["hit"], hit["verified"]) == (True, False)


@pytest.mark.slow
@pytest.mark.parametrize("phase", PHASES)
def test_signals_at_many_moments_lose_nothing(tmp_path: Path, phase: str) -> None:
    chance = random.Random(f"{SEED} {phase}")
    wrong = []
    for position, share in enumerate(moments(12, phase)):
        numbers = [chance.choice(list(CODES)) for _ in range(chance.choice((1, 1, 2, 3)))]
        site = Place(tmp_path / str(position))

        def work(site: Place = site, share: float = share, numbers: list[int] = numbers) -> None:
            assert interrupted(site, phase, share, numbers) < LEAVES_S

        wrong.append(told(f"{phase} + {share:.3f} s, signals {numbers}", work))
    assert not any(wrong), "\n".join(filter(None, wrong))


# --- somebody stops listening: F090 ------------------------------------------------------------


@pytest.mark.parametrize("redirection", ["--json | head -c 1", "--json <&- >&- 2>&-"])
def test_closed_pipe_costs_no_work_and_no_traceback(site: Place, redirection: str) -> None:
    errors = shlex.quote(str(site.errors_path))
    places = ["--cache", str(site.cache), "--log", str(site.log)]
    script = f'{{ "$0" -m autotune run "$@" {redirection}; }} 2>{errors}'
    subprocess.run(
        ["sh", "-c", script, sys.executable, *TINY[:-1], *places],
        env=site.environment(),
        stdout=subprocess.DEVNULL,
        timeout=ENDS_S,
        check=False,
    )
    assert "Traceback" not in site.errors()
    assert "Exception" not in site.errors()
    assert len(site.records()) == 1
    assert read(site.log).end["stopped"] == "trials"
    assert site.left() == {}


def test_terminal_that_closes_ends_the_run_with_its_work_kept(site: Place) -> None:
    ours, theirs = pty.openpty()
    run = subprocess.Popen(
        [sys.executable, "-P", *site.command(500)],
        env={**site.environment(), "TERM": "xterm"},
        preexec_fn=lambda: os.login_tty(theirs),
        start_new_session=False,
    )
    os.close(theirs)
    try:
        wait_until(lambda: has_line(site, "trial", 4) or bool(run.poll()))
        os.close(ours)
        start_s = time.monotonic()
        code = run.wait(ENDS_S)
        took_s = time.monotonic() - start_s
    finally:
        run.kill()
        run.wait()
    assert code == 129
    assert took_s < LEAVES_S
    assert len(site.records()) == 1
    assert read(site.log).end["stopped"] == "interrupted"
    assert site.left() == {}


# --- a candidate that never ends: F091 ---------------------------------------------------------


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Tunes while one of the candidates that are submitted first hangs."""
    monkeypatch.syspath_prepend(str(WORKERS))

    def run(count: int, position: int, timeout_s: float, **limits: Any) -> Result:
        digest = test_faults._candidates(WORKLOAD, host(), count)[position].digest
        monkeypatch.setenv("AUTOTUNE_TEST_FAULTS", json.dumps({digest: "hang"}))

        def faulty(workload: Workload, target: Target, given: MeasureOptions) -> Measurer:
            planted = dataclasses.replace(FAULTY, timeout_s=timeout_s, seed=given.seed)
            return PoolMeasurer(workload, target, planted)

        places = {"cache": str(tmp_path / "cache.db"), "log": str(tmp_path / "run.jsonl")}
        return tune(WORKLOAD, explorer="random", measurer_factory=faulty, **places, **limits)

    return run


def test_hanging_last_candidate_is_counted_and_ends(hanging: Callable[..., Result]) -> None:
    result = hanging(6, -1, 2.0, trials=6)
    assert (result.trials, result.failures, result.stopped) == (6, {"timeout": 1}, "trials")


def test_hanging_candidate_does_not_outlive_the_budget(hanging: Callable[..., Result]) -> None:
    result = hanging(16, 8, 90.0, trials=None, budget_s=5.0)
    assert result.stopped == "budget"
    assert 1 <= result.trials <= 15
    assert result.seconds < 45.0, "budget and final round, but no more than that"


# --- no home, no rights: F097, F098 ------------------------------------------------------------


@pytest.fixture
def stranger(site: Place, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A site of a user without a name, who may read everything and write only what is theirs."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root with setpriv can become another user")
    reads = "-all,+dac_read_search"
    caps = [f"--{kind}={reads}" for kind in ("inh-caps", "ambient-caps", "bounding-set")]
    site.before = [
        *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
        *caps,
    ]
    if subprocess.run([*site.before, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets no process change its user")
    os.chown(site.temporary, NOBODY, NOBODY)
    site.changes = {"AUTOTUNE_CACHE": None, "XDG_CACHE_HOME": None, "XDG_DATA_HOME": None}
    return site


def spare(site: Site, uid: int) -> Path:
    return site.temporary / f"autotune-{uid}" / "cache.sqlite"


@pytest.mark.parametrize("home", [None, "/nonexistent"])
def test_user_without_a_home_gets_results_in_a_folder_of_their_own(
    stranger: Place, home: str | None
) -> None:
    stranger.changes["HOME"] = home
    assert stranger.tune("--quiet") == 0, stranger.errors()
    path = spare(stranger, NOBODY)
    warned = stranger.lines()
    assert len(warned) == 2, warned
    assert all(line.startswith("warning: ") for line in warned)
    assert f"results go to {path} instead" in warned[0]
    assert "the log of this run is" in warned[1]
    content = json.loads(stranger.said()[0])
    assert content["cache"] == str(path)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert len(read(content["log"]).trials) == 2

    assert stranger.run("lookup", *TINY[:4]) == 3
    assert all(line.startswith("warning: ") for line in stranger.lines())
    stranger.changes["AUTOTUNE_CACHE"] = str(path)
    assert stranger.run("lookup", *TINY[:4]) == 0
    assert stranger.lines() == []


def test_import_and_lookup_need_no_home_and_no_right_to_write(stranger: Place) -> None:
    stranger.changes["HOME"] = None
    code = (
        "import autotune, warnings; warnings.simplefilter('ignore')\n"
        "w = autotune.matmul(m=48, n=48, k=48)\n"
        "print(autotune.lookup(w).origin, autotune.load(w) is autotune.load(w))"
    )
    assert stranger.start("-c", code).wait(ENDS_S) == 0, stranger.errors()
    assert stranger.said() == ["default True"]


def test_read_only_cache_answers_and_results_go_elsewhere(stranger: Place) -> None:
    home = stranger.folder / "home with spaces é"
    (home / ".cache").mkdir(parents=True)
    (home / ".local" / "share").mkdir(parents=True)
    os.chown(home / ".cache", NOBODY, NOBODY)
    os.chown(home / ".local" / "share", NOBODY, NOBODY)
    stranger.changes["HOME"] = str(home)
    assert stranger.tune() == 0, stranger.errors()
    own = home / ".cache" / "autotune" / "cache.sqlite"
    assert len(stranger.records(own)) == 1
    assert not [line for line in stranger.lines() if line.startswith("warning")]

    os.chown(own, 0, 0)
    os.chown(own.parent, 0, 0)
    own.parent.chmod(0o755)
    assert stranger.run("lookup", *TINY[:4]) == 0
    assert stranger.lines() == []
    assert stranger.run("lookup", "--op", "matmul", "--shape", "7x7x7") == 3
    assert len(stranger.lines()) == 1, "a miss that cannot be noted is only told"
    assert stranger.tune("--quiet") == 0, stranger.errors()
    [warned] = stranger.lines()
    assert warned.startswith(f"warning: cache {own} belongs to another user (uid 0)")
    path = spare(stranger, NOBODY)
    assert len(stranger.records(path)) == 1
    file = str(stranger.temporary / "export.jsonl")
    assert stranger.run("cache", "export", file, "--cache", str(path)) == 0
    stranger.before = []
    assert stranger.run("cache", "import", file, "--cache", str(stranger.cache)) == 0
    assert len(stranger.records()) == 1


def test_folder_of_somebody_else_among_temporary_files_is_refused(stranger: Place) -> None:
    """F093: who made it could read and change what is put there."""
    stranger.changes["HOME"] = None
    spare(stranger, NOBODY).parent.mkdir(mode=0o777)
    assert stranger.tune() == 1
    [line] = stranger.lines()
    assert line.startswith(f"error: folder {spare(stranger, NOBODY).parent} is not this user's")


@pytest.mark.parametrize("option", ["--cache", "--log"])
def test_place_that_was_named_and_cannot_be_had_is_told_before_anything_is_measured(
    site: Place, option: str
) -> None:
    assert site.tune(option, "/proc/none/file") == 1
    [line] = site.lines()
    assert line.startswith("error: ")
    assert "/proc/none" in line
    assert site.said() == []


def test_cache_folder_with_spaces_and_accents_is_used(site: Place) -> None:
    base = site.folder / "mon caché ☃"
    site.changes = {"AUTOTUNE_CACHE": None, "XDG_CACHE_HOME": str(base)}
    assert site.tune("--log", str(site.log)) == 0, site.errors()
    assert json.loads(site.said()[0])["cache"] == str(base / "autotune" / "cache.sqlite")
    assert site.run("lookup", *TINY[:4]) == 0
    assert site.lines() == []


# --- no space: F099 ----------------------------------------------------------------------------


def rescued(site: Place) -> None:
    """The result is in a file, of which the run tells; with room again that is all it takes."""
    content = json.loads(site.said()[0])
    assert content["kept"] is False
    [line] = [note for note in content["notes"] if "not in the cache" in note]
    assert f"error: {line}" in site.lines()
    words = shlex.split(line.partition("later: ")[2])
    assert words[:3] == ["autotune", "cache", "import"]
    assert site.run(*words[1:]) == 0, site.errors()
    [record] = site.records()
    assert record.schedule.to_dict() == content["best"]["schedule"]


def test_cache_that_refuses_the_result_loses_nothing(site: Place) -> None:
    open_cache(site.cache).close()
    with closing(sqlite3.connect(site.cache)) as connection, connection:
        refuse = "BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT, 'database or disk is full')"
        connection.execute(f"CREATE TRIGGER full {refuse}; END")
    places = ["--cache", str(site.cache), "--log", str(site.log)]
    assert site.tune("--quiet", *places) == 1
    assert len(site.lines()) == 1
    assert "Traceback" not in site.errors()
    assert [path.name.partition("-")[0] for path in site.folder.glob("*.export.jsonl")] == ["run"]
    with closing(sqlite3.connect(site.cache)) as connection, connection:
        connection.execute("DROP TRIGGER full")
    rescued(site)


def test_full_disk_is_told_before_anything_is_measured_where_the_cache_was_named(
    site: Place, small_disk: Path
) -> None:
    test_full_disk.fill(small_disk / "filler")
    assert site.tune("--cache", str(small_disk / "cache.db"), "--log", str(site.log)) == 1
    [line] = site.lines()
    assert line.startswith("error: cache ")
    assert line.endswith(("full", "(is there space left?)"))
    assert not site.log.exists()


def test_full_disk_below_the_default_cache_and_log_sends_them_elsewhere(
    site: Place, small_disk: Path
) -> None:
    test_full_disk.fill(small_disk / "filler")
    site.changes = {"AUTOTUNE_CACHE": None, "HOME": str(small_disk)}
    site.changes |= dict.fromkeys(("XDG_CACHE_HOME", "XDG_DATA_HOME"))
    assert site.tune("--quiet") == 0, site.errors()
    assert all(line.startswith("warning: ") for line in site.lines())
    assert len(site.lines()) == 2
    assert len(site.records(spare(site, os.getuid()))) == 1
    assert len(read(json.loads(site.said()[0])["log"]).trials) == 2


def test_disk_of_the_cache_that_fills_in_mid_run_loses_nothing(
    site: Place, small_disk: Path
) -> None:
    site.cache = small_disk / "cache.db"
    run = site.start(*site.command(TRIALS, "--quiet", "--json"))
    wait_until(lambda: has_line(site, "trial") or run.poll() is not None)
    test_full_disk.fill(small_disk / "filler")
    assert run.wait(ENDS_S) == 1, site.errors()
    (small_disk / "filler").unlink()
    rescued(site)


# --- how many cores: F100 ----------------------------------------------------------------------


@pytest.mark.skipif(not shutil.which("taskset"), reason="no taskset to take cores away")
def test_log_tells_the_cores_that_this_process_may_use(site: Place) -> None:
    site.before = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    site.changes["PYTHON_CPU_COUNT"] = "64"
    assert site.tune("--cache", str(site.cache), "--log", str(site.log)) == 0, site.errors()
    assert read(site.log).header["cores"] == 1
