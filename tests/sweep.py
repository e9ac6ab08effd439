"""Random legal schedules over odd shapes, checked in processes that may die.

`scripts/sweep.py`, the short sweep of the suite and the full one in test_full all call `run`: it
deals cases out to children (`python -m tests.sweep`), each of which builds, runs and judges one
schedule after the other between guard zones and before inaccessible pages.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from autotune.errors import AutotuneError
from autotune.ir.default import default_schedule
from autotune.ir.schedule import Schedule, from_dict
from autotune.measure.check import check_candidate
from autotune.measure.child import CandidateError
from autotune.ops.base import contraction, parse_workload
from autotune.space import generate
from autotune.targets.base import Target
from autotune.targets.detect import resolve, runnable
from autotune.trial import DEFAULT_TOLERANCE, Workload
from tests.mutate import mutated
from tests.wild import is_cheap_and_legal, wild_schedules

ROOT = Path(__file__).resolve().parent.parent
TARGETS = ("host", "x86-64-v4", "x86-64-v3", "x86-64")
LIMIT_S = 60.0
"""What one case may take before its child is killed."""
WILD_SHARE = 0.4
"""Share of schedules drawn from outside the generated space, legal all the same."""
MUTATED_SHARE = 0.4
"""Share of points of the space that are edited until they need not be in it any more."""
LEAST_SHARE = 3
"""Schedules of a pair of shape and target at least: preparing a space takes far longer than one."""

SHAPES: tuple[tuple[str | float, ...], ...] = (
    # op, shape, and where they are not the default: dtype, layout, tolerance.
    ("matmul", "1x1x1"),
    ("matmul", "7x1x5"),
    ("matmul", "1x129x64"),
    ("matmul", "129x1x64"),
    ("matmul", "1x1x257"),
    ("matmul", "1x1x4096"),
    ("matmul", "1x3x1040,bias=1,act=gelu"),
    ("matmul", "2x6x1155"),
    ("matmul", "3x5x1152,tb=1,prepack=0,residual=1", "float64"),
    ("matmul", "17x31x13"),
    ("matmul", "64x64x64,prepack=0"),
    ("matmul", "37x41x43,ta=1"),
    ("matmul", "37x41x43,tb=1,prepack=0"),
    ("matmul", "23x19x70,ta=1,tb=1,bias=1,act=relu"),
    ("matmul", "33x65x97,bias=1,residual=1,act=gelu", "float64"),
    ("matmul", "33x50x127,prepack=0,tb=1,act=silu", "float64"),
    ("matmul", "16x48x512,bias=1,residual=1,act=gelu"),
    ("matmul", "5x211x101,act=relu6,prepack=0"),
    ("batch_matmul", "3x17x19x23"),
    ("batch_matmul", "b=2,m=13,n=64,k=40,ta=1,residual=1"),
    ("batch_matmul", "b=5,m=8,n=33,k=7,tb=1,prepack=1,bias=1,act=silu"),
    ("batch_matmul", "b=4,m=1,n=65,k=31,ta=1,tb=1", "float64"),
    ("batch_matmul", "b=3,m=2,n=4,k=1024,tb=1"),
    ("conv2d", "c=3,h=17,k=8,r=3"),
    ("conv2d", "c=1,h=1,w=129,k=1,r=1"),
    ("conv2d", "c=5,h=9,w=13,k=7,r=1,bias=1,act=relu"),
    ("conv2d", "c=8,h=14,w=14,k=16,r=3,pad=1"),
    ("conv2d", "n=2,c=4,h=15,w=17,k=12,r=3,s=3,pad=1,stride=2"),
    ("conv2d", "c=3,h=31,w=29,k=10,r=7,stride=2,pad=3,bias=1,act=relu"),
    ("conv2d", "c=6,h=13,w=16,k=9,r=3,pad=1x2x0x3,residual=1"),
    ("conv2d", "c=4,h=20,w=21,k=6,r=3,dilation=2,pad=2"),
    ("conv2d", "c=4,h=19,w=23,k=8,r=3,s=2,dilation=2x3,stride=1x2,pad=0x1x2x0"),
    ("conv2d", "c=12,h=11,w=10,k=8,r=3,pad=1,groups=4,bias=1"),
    ("conv2d", "c=24,h=15,k=24,r=3,pad=1,groups=24,bias=1,act=relu6"),
    ("conv2d", "c=10,h=14,k=20,r=3,pad=1,stride=2,groups=10"),
    ("conv2d", "c=7,h=13,w=33,k=7,r=5,s=3,groups=7,pad=2x1,act=silu", "float64"),
    ("conv2d", "c=9,h=10,w=11,k=13,r=2,s=4,stride=3x1,pad=0x3x1x0,prepack=0"),
    ("conv2d", "c=8,h=12,w=12,k=4,r=1,stride=2,bias=1,residual=1,act=gelu"),
    ("conv2d", "c=16,h=7,k=32,r=3,pad=1,prepack=0", "float64"),
    ("conv2d", "c=3,h=40,w=8,k=5,r=1,s=5,stride=1x4,pad=0x2"),
    ("conv2d", "c=5,h=12,w=15,k=11,r=3,pad=1", "float32", "NHWC"),
    ("conv2d", "c=8,h=13,w=9,k=16,r=3,stride=2,pad=0x1x1x0,bias=1,act=relu", "float32", "NHWC"),
    ("conv2d", "c=18,h=11,k=18,r=3,pad=1,groups=18,residual=1", "float32", "NHWC"),
    ("conv2d", "c=12,h=9,w=14,k=6,r=3,groups=3,dilation=2,act=gelu", "float64", "NHWC"),
    ("conv2d", "n=2,c=20,h=6,k=17,r=1,prepack=0", "float32", "NHWC"),
    ("conv2d", "c=16,h=10,k=32,r=3,pad=1,bias=1,act=relu", "float32", "NCHW16c"),
    ("conv2d", "c=32,h=9,w=11,k=16,r=3,stride=2,pad=1x0x0x1", "float32", "NCHW16c"),
    ("conv2d", "c=32,h=8,k=32,r=3,pad=1,groups=32,bias=1,residual=1", "float32", "NCHW16c"),
    ("conv2d", "c=32,h=7,k=32,r=3,pad=1,groups=4,act=silu", "float64", "NCHW16c"),
    ("conv2d", "c=48,h=5,k=16,r=1,prepack=0,dilation=2", "float64", "NCHW16c"),
    ("conv2d", "c=2,h=4,w=211,k=3,r=3,s=3,pad=1,bias=1"),
    ("conv2d", "c=16,h=9,k=24,r=3,pad=1,stride=2,act=relu6", "float64"),
    ("conv2d", "n=3,c=1,h=28,k=6,r=5,act=relu"),
    ("conv2d", "c=24,h=17,w=14,k=32,r=3,pad=1,residual=1"),
    ("conv2d", "c=16,h=10,w=26,k=40,r=3,bias=1,act=silu", "float32", "NHWC"),
    ("conv2d", "c=33,h=13,w=15,k=18,r=3,pad=1,bias=1", "float32", "NCHW", 64.0),
    ("conv2d", "c=40,h=12,k=16,r=3,pad=1", "float32", "NHWC", 64.0),
    ("conv2d", "c=24,h=9,k=16,r=3,pad=1,prepack=0", "float32", "NHWC", 64.0),
    ("conv2d", "c=1040,h=2,w=1,k=5,r=1,bias=1", "float32", "NHWC"),
    ("conv2d", "c=1024,h=3,k=3,r=3,act=relu"),
    ("conv2d", "c=20,h=11,k=16,r=3,pad=1,act=relu", "float32", "NCHW", "strict"),
)


@dataclass(frozen=True)
class Case:
    """One schedule of one workload on one target, with the seed of its operands."""

    workload: Workload
    target: str
    threads: int
    schedule: Schedule
    seed: int
    is_wild: bool = False

    def to_json(self) -> str:
        return json.dumps(
            {
                "workload": self.workload.to_dict(),
                "target": self.target,
                "threads": self.threads,
                "schedule": self.schedule.to_dict(),
                "seed": self.seed,
            },
            sort_keys=True,
        )

    @property
    def group(self) -> str:
        """What the counts are kept by."""
        return f"{self.workload.op} {self.workload.layout} {self.workload.dtype} {self.target}"


@dataclass
class Outcome:
    """What a sweep found."""

    counts: dict[str, int] = field(default_factory=dict)
    worst: dict[str, float] = field(default_factory=dict)
    """Largest error of each group, in tolerance units."""
    failures: list[tuple[Case, str]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def count(self) -> int:
        return sum(self.counts.values())

    def add(self, case: Case, units: float | str) -> None:
        self.counts[case.group] = self.counts.get(case.group, 0) + 1
        if isinstance(units, str):
            self.failures.append((case, units))
        else:
            self.worst[case.group] = max(self.worst.get(case.group, 0.0), units)


def workloads() -> list[Workload]:
    """Every shape of the sweep."""
    made = []
    for op, shape, *rest in SHAPES:
        dtype, layout, tolerance = [*rest, *("float32", None, DEFAULT_TOLERANCE)[len(rest) :]]
        made.append(parse_workload(op, shape, dtype, layout, tolerance))
    return made


def targets() -> list[str]:
    """The targets whose code this machine can run."""
    return [name for name in TARGETS if runnable(resolve(name)) is None]


def cases(count: int, seed: int) -> list[Case]:
    """`count` cases over all shapes and targets, the same for the same seed on one machine."""
    pairs = _pairs(np.random.default_rng(seed))
    pairs = pairs[: max(len(SHAPES), -(-count // LEAST_SHARE))]
    shares = [count // len(pairs) + (i < count % len(pairs)) for i in range(len(pairs))]
    made: list[Case] = []
    for position, (share, (workload, target)) in enumerate(zip(shares, pairs, strict=True)):
        made += _cases_of(workload, target, share, [seed, position])
    return made


def _pairs(rng: np.random.Generator) -> list[tuple[Workload, str]]:
    """Every shape on every target, at random; each shape comes once before any comes twice."""
    shapes, names = workloads(), targets()
    first = rng.integers(len(names), size=len(shapes))
    return [
        (shapes[i], names[(int(first[i]) + turn) % len(names)])
        for turn in range(len(names))
        for i in rng.permutation(len(shapes))
    ]


def _cases_of(workload: Workload, name: str, count: int, seed: list[int]) -> list[Case]:
    """Random cases of one pair: some of the space, some from outside it, some over two threads."""
    rng = np.random.default_rng(seed)
    threads = int(rng.integers(1, 3))
    target = resolve(name).with_threads(threads)
    computed = contraction(workload)
    wild_count = int(rng.binomial(count, WILD_SHARE))
    found = [(s, True) for s in wild_schedules(computed, target, rng, wild_count)]
    for schedule in _sampled(workload, target, rng, count - len(found)):
        moved = schedule
        if rng.random() < MUTATED_SHARE:
            moved = mutated(computed, schedule, partial(is_cheap_and_legal, computed, target), rng)
        found.append((moved, moved != schedule))
    return [
        Case(workload, name, threads, schedule, seed[0], is_wild) for schedule, is_wild in found
    ]


def _sampled(
    workload: Workload, target: Target, rng: np.random.Generator, count: int
) -> list[Schedule]:
    """Points of the space, half of them moved once; the default where there are none."""
    if count <= 0:
        return []
    computed = contraction(workload)
    space = generate(computed, target)
    points = space.sample(rng, count)
    half = len(points) // 2
    points[:half] = space.neighbours(points[:half], rng)
    made = [space.schedule(point) for point in points]
    return made + [default_schedule(computed, target)] * (count - len(made))


# --- running -------------------------------------------------------------------------------


@dataclass
class _Child:
    process: subprocess.Popen[str]
    case: Case | None = None
    since_s: float = 0.0


def run(todo: Sequence[Case], children: int = 2, limit_s: float = LIMIT_S) -> Outcome:
    """Check every case; a child that dies or hangs costs its case alone."""
    start_s = time.monotonic()
    waiting, outcome = deque(todo), Outcome()
    selector = selectors.DefaultSelector()
    try:
        for _ in range(min(children, len(waiting))):
            _give(selector, _start(selector), waiting)
        while selector.get_map():
            for key, _ in selector.select(min(1.0, limit_s)):
                _take(selector, key.data, waiting, outcome)
            _kill_late(selector, limit_s)
    finally:
        for key in list(selector.get_map().values()):
            key.data.process.kill()
            key.data.process.wait()
        selector.close()
    outcome.seconds = time.monotonic() - start_s
    return outcome


def _start(selector: selectors.BaseSelector) -> _Child:
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.sweep"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    child = _Child(process)
    selector.register(process.stdout, selectors.EVENT_READ, child)  # type: ignore[arg-type]
    return child


def _give(selector: selectors.BaseSelector, child: _Child, waiting: deque[Case]) -> None:
    """The next case to a child, or its end where there is none."""
    if not waiting:
        _end(selector, child)
        return
    child.case, child.since_s = waiting.popleft(), time.monotonic()
    print(child.case.to_json(), file=child.process.stdin, flush=True)


def _end(selector: selectors.BaseSelector, child: _Child) -> int:
    selector.unregister(child.process.stdout)  # type: ignore[arg-type]
    for stream in (child.process.stdin, child.process.stdout):
        if stream is not None:
            stream.close()
    return child.process.wait(10.0)


def _take(
    selector: selectors.BaseSelector, child: _Child, waiting: deque[Case], outcome: Outcome
) -> None:
    """One answer: a line of JSON, or the end of the child."""
    line = child.process.stdout.readline()  # type: ignore[union-attr]
    case, child.case = child.case, None
    if case is None:
        raise RuntimeError(f"a child said {line!r} unasked")
    if line:
        outcome.add(case, json.loads(line))
        _give(selector, child, waiting)
        return
    outcome.add(case, f"child died: exit status {_end(selector, child)}")
    if waiting:
        _give(selector, _start(selector), waiting)


def _kill_late(selector: selectors.BaseSelector, limit_s: float) -> None:
    for key in selector.get_map().values():
        child: _Child = key.data
        if child.case is not None and time.monotonic() - child.since_s > limit_s:
            child.process.kill()


# --- in the child --------------------------------------------------------------------------


def answers(lines: Iterator[str]) -> Iterator[float | str]:
    """For each case its error in tolerance units, or what is wrong with it."""
    for line in lines:
        fields: dict[str, Any] = json.loads(line)
        workload = Workload(**fields["workload"])
        target = resolve(fields["target"]).with_threads(fields["threads"])
        schedule = from_dict(fields["schedule"])
        try:
            yield check_candidate(workload, schedule, target, fields["seed"], strict=True)
        except (CandidateError, AutotuneError) as error:
            yield f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    for answer in answers(iter(sys.stdin)):
        print(json.dumps(answer), flush=True)
