"""Measures thousands of distinct candidates in one run and shows what every process holds.

    python scripts/soak.py --trials 5000 --every 400 [--tune]

One line a step for the tuner, each builder and the runner: resident memory and its peak, open
files, memory maps, candidates a second since the step before. Linux only. With `--tune` the whole
search runs, explorer and cost model included; without, schedules drawn at random are measured.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

import numpy as np

from autotune.ir.schedule import Schedule
from autotune.measure.base import MeasureOptions
from autotune.measure.pool import PoolMeasurer
from autotune.ops.base import contraction, parse_workload
from autotune.progress import Progress
from autotune.space import generate, narrowing
from autotune.targets.base import Target
from autotune.targets.detect import host
from autotune.trial import Workload
from autotune.tune import tune

BATCH = 16
PENDING = 32
"""Candidates under way at most: builders and runner never idle, nothing piles up."""
DRAWS = 100
"""Times that schedules are drawn to replace those that came twice."""
TRIAL_LIMIT_S = 120.0
"""Without a single candidate for so long, something hangs."""


@dataclass(frozen=True)
class Usage:
    """What one process holds."""

    role: str
    """`tuner`, or the module that a worker runs."""
    pid: int
    rss_kib: int
    peak_kib: int
    files: int
    maps: int


@dataclass(frozen=True)
class Step:
    """The state after so many candidates."""

    done: int
    seconds: float
    usages: tuple[Usage, ...]

    def of(self, role: str) -> Usage:
        """The first process of a role."""
        return next(usage for usage in self.usages if usage.role == role)


def usages() -> tuple[Usage, ...]:
    """This process and the workers that it has started."""
    found = [_usage(os.getpid(), "tuner")]
    for pid in _children(os.getpid()):
        # A worker may end while it is looked at.
        with suppress(OSError, KeyError):
            command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if b"-m" in command:
                module = command[command.index(b"-m") + 1].decode()
                found.append(_usage(pid, module.rpartition(".")[2]))
    return tuple(sorted(found, key=lambda usage: (usage.role != "tuner", usage.role)))


def _children(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        yield from map(int, (task / "children").read_text().split())


def _usage(pid: int, role: str) -> Usage:
    folder = Path(f"/proc/{pid}")
    sizes = dict(re.findall(r"^(Vm\w+):\s+(\d+) kB$", (folder / "status").read_text(), re.M))
    return Usage(
        role=role,
        pid=pid,
        rss_kib=int(sizes["VmRSS"]),
        peak_kib=int(sizes["VmHWM"]),
        files=len(list((folder / "fd").iterdir())),
        maps=(folder / "maps").read_text().count("\n"),
    )


def schedules(workload: Workload, target: Target, count: int, seed: int) -> Iterator[Schedule]:
    """Distinct schedules of the space, at random; fewer where it has no more."""
    space = generate(contraction(workload), target, narrowing.load(None, workload.op))
    rng = np.random.default_rng(seed)
    seen: set[str] = set()
    for _ in range(DRAWS):
        for point in space.sample(rng, count - len(seen)):
            schedule = space.schedule(point)
            if schedule.digest not in seen:
                seen.add(schedule.digest)
                yield schedule
        if len(seen) == count:
            break


def measure(
    workload: Workload,
    target: Target,
    options: MeasureOptions,
    count: int,
    every: int,
    tell: Callable[[Step], None],
) -> dict[str, int]:
    """Measure `count` schedules, tell every so many; how many ended in which way."""
    drawn = schedules(workload, target, count, options.seed)
    ended: dict[str, int] = {}
    start_s = time.monotonic()
    done, is_drained = 0, False
    with PoolMeasurer(workload, target, options) as measurer:
        while not is_drained or measurer.pending:
            while not is_drained and measurer.pending <= PENDING - BATCH:
                batch = [schedule for _, schedule in zip(range(BATCH), drawn, strict=False)]
                is_drained = not batch
                measurer.submit(batch)
            for trial in measurer.ready(TRIAL_LIMIT_S):
                if trial.readings > 1:
                    continue
                ended[trial.status] = ended.get(trial.status, 0) + 1
                done += 1
                if done % every == 0:
                    tell(Step(done, time.monotonic() - start_s, usages()))
    return ended


def search(workload: Workload, count: int, every: int, tell: Callable[[Step], None]) -> None:
    """Tune with `count` trials into a cache that is thrown away, tell every so many."""
    start_s = time.monotonic()
    told = 0

    def report(progress: Progress) -> None:
        nonlocal told
        done = progress.trials
        if done // every > told:
            told = done // every
            tell(Step(done, time.monotonic() - start_s, usages()))

    with tempfile.TemporaryDirectory() as folder:
        places = {"cache": f"{folder}/cache.db", "log": f"{folder}/run.jsonl"}
        tune(workload, trials=count, progress=report, **places)


class Table:
    """Prints steps as they come."""

    def __init__(self) -> None:
        self._before = (0, 0.0)
        print(f"{'done':>6} {'a second':>8}  {'process':8} {'RSS MiB':>8} {'peak MiB':>8} "
              f"{'files':>6} {'maps':>6}")  # fmt: skip

    def show(self, step: Step) -> None:
        """One line a process."""
        done, seconds = self._before
        rate = (step.done - done) / max(step.seconds - seconds, 1e-9)
        self._before = (step.done, step.seconds)
        for index, usage in enumerate(step.usages):
            head = f"{step.done:6} {rate:8.1f}" if index == 0 else " " * 15
            print(f"{head}  {usage.role:8} {usage.rss_kib / 1024:8.1f} "
                  f"{usage.peak_kib / 1024:8.1f} {usage.files:6} {usage.maps:6}",
                  flush=True)  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=5000, help="candidates to measure")
    parser.add_argument("--every", type=int, default=400, help="candidates between two steps")
    parser.add_argument("--op", default="matmul")
    parser.add_argument("--shape", default="64x64x64")
    parser.add_argument("--tune", action="store_true", help="run the whole search")
    chosen = parser.parse_args(arguments)
    if min(chosen.trials, chosen.every) < 1:
        parser.error("--trials and --every are at least 1")
    workload, target = parse_workload(chosen.op, chosen.shape), host()
    print(f"{chosen.trials} candidates of {workload.key} on {target.key}")
    table = Table()
    if chosen.tune:
        search(workload, chosen.trials, chosen.every, table.show)
    else:
        ended = measure(workload, target, MeasureOptions(), chosen.trials, chosen.every, table.show)
        print(", ".join(f"{kind} {count}" for kind, count in sorted(ended.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
