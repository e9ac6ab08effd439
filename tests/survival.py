"""What tests that kill processes share: marked processes, seeded moments, and what must survive.

Every process of a test, workers included, has the mark of its `Site` in its environment, so that
what is left of them is found however it was orphaned.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

from autotune.measure.lock import lock_path
from autotune.ops.base import parse_workload
from autotune.store.db import open_cache
from autotune.store.log import Log, read
from autotune.store.record import Record

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = Path(__file__).parent / "e2e" / "workers"
SHAPE = "48x48x48"
WORKLOAD = parse_workload("matmul", SHAPE)
SEED = int(os.environ.get("AUTOTUNE_TEST_SEED", "3"))
"""Of every moment and choice here; another one can be given to look further, or to replay."""
GONE_S = 5.0
"""By when the workers of a killed tuner must have left."""

_MARK = "AUTOTUNE_TEST_MARK"


class Site:
    """A folder with a cache, a log and temporary files of its own, and a mark for its processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache, self.log = folder / "cache.db", folder / "run.jsonl"
        self.temporary = folder / "temporary"
        self.temporary.mkdir(parents=True)
        self.mark = uuid.uuid4().hex
        self.said_path, self.errors_path = folder / "stdout", folder / "stderr"

    def environment(self) -> dict[str, str]:
        """For a process of this site, and thereby for its workers."""
        places = os.pathsep.join((str(ROOT), str(SCRIPTS)))
        own = {_MARK: self.mark, "TMPDIR": str(self.temporary), "PYTHONPATH": places}
        return {**os.environ, **own}

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Run Python with these arguments; what it says goes to files, so that nothing blocks."""
        with open(self.said_path, "wb") as out, open(self.errors_path, "wb") as err:
            return subprocess.Popen(
                [sys.executable, "-P", *arguments], env=self.environment(), stdout=out, stderr=err
            )

    def command(self, trials: int, *more: str) -> list[str]:
        """The arguments of a run as a user starts it."""
        places = ["--cache", str(self.cache), "--log", str(self.log)]
        what = ["--op", "matmul", "--shape", SHAPE, "--trials", str(trials)]
        return ["-m", "autotune", "run", *what, *places, *more]

    def reporting(self, trials: int, **options: object) -> list[str]:
        """The arguments of the same run by a script that tells what is finished."""
        given = {"cache": str(self.cache), "log": str(self.log), "trials": trials, **options}
        return [str(SCRIPTS / "reporting.py"), SHAPE, json.dumps(given)]

    def said(self) -> list[str]:
        """The whole lines on standard output so far."""
        return self.said_path.read_text(encoding="utf-8").split("\n")[:-1]

    def reported(self, word: str) -> list[str]:
        """What followed this word on each of the lines that it began."""
        return [line.partition(" ")[2] for line in self.said() if line.split(" ")[0] == word]

    def errors(self) -> str:
        return self.errors_path.read_text(encoding="utf-8", errors="replace")

    def logged(self) -> bytes:
        """The bytes of the log so far."""
        return self.log.read_bytes() if self.log.exists() else b""

    def processes(self, module: str = "") -> dict[int, str]:
        """Command lines by pid of this site's processes that live, of one module if it is given."""
        living = ((int(name), _living(int(name), self.mark)) for name in _pids())
        return {pid: line for pid, line in living if line and module in line}

    def left(self, limit_s: float = GONE_S) -> dict[int, str]:
        """The processes that are still there when the time is up; most often none, and at once."""
        deadline = time.monotonic() + limit_s
        while (found := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.02)
        return found

    def litter(self) -> list[str]:
        """Names left among temporary files, but for the lock, which is to stay."""
        return sorted(p.name for p in self.temporary.iterdir() if p.name != lock_path().name)


def _pids() -> Iterable[str]:
    return [name for name in os.listdir("/proc") if name.isdigit()]


def _living(pid: int, mark: str) -> str:
    """The command line of a process with this mark; empty for others, the dead among them."""
    try:
        if f"{_MARK}={mark}".encode() not in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
            return ""
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""
    return "" if state in "ZX" else line or "?"


def moments(count: int, name: str) -> list[float]:
    """Shares of a life at which to strike: uniform, one in each of `count` equal parts of it."""
    drawn = random.Random(f"{SEED} {name}")
    return [(position + drawn.random()) / count for position in range(count)]


def told(what: str, work: Callable[[], None]) -> str:
    """What is wrong, with the words that let it be replayed; empty where nothing is."""
    try:
        work()
    except Exception as error:
        return f"AUTOTUNE_TEST_SEED={SEED}, {what}: {type(error).__name__}: {error}"
    return ""


def surviving_log(site: Site, at_least: int, earlier: bytes = b"") -> Log | None:
    """The log, of which every line is whole and valid, but for a last one that may be cut.

    Args:
        site: whose log.
        at_least: trials that were reported as finished.
        earlier: what the log held before.
    """
    raw = site.logged()
    assert raw.startswith(earlier), "the log was rewritten"
    lines = raw.split(b"\n")
    kinds = [json.loads(line)["kind"] for line in lines[:-1]]
    assert kinds[:1] in ([], ["header"]), kinds
    assert kinds.count("trial") >= at_least, f"{kinds.count('trial')} of {at_least} reported trials"
    if not raw:
        return None
    log = read(site.log)
    wanted = [len(lines)] if lines[-1] else []
    assert [bad.number for bad in log.bad] == wanted, log.bad
    assert len(log.trials) == kinds.count("trial")
    return log


def surviving_cache(site: Site, before: list[Record]) -> list[Record]:
    """What the cache holds beside `before`; the file is sound and all of that is still there."""
    if site.cache.exists():
        with closing(sqlite3.connect(site.cache)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with open_cache(site.cache) as cache:
        records = cache.entries()
        cache.check_writable()
    for record in before:
        assert record in records, f"{record.key} is gone"
    return [record for record in records if record not in before]
