"""What a compiler asks: the schedule for a workload on a target, and what a miss will cost.

Answers from the cache are judged by `ir.legal` before they are given. On an SQLite cache nothing
but the standard library is loaded, and an answer is remembered until the file changes.
"""

from __future__ import annotations

import functools
import os
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from autotune.errors import CacheMissError, PerformanceCliffWarning, StoreError, UsageError
from autotune.ir.adapt import adapt
from autotune.ir.default import default_schedule
from autotune.ir.legal import violation
from autotune.ir.schedule import Schedule
from autotune.lookup.cliff import Cliff, estimate, fix_command
from autotune.lookup.nearest import Relative, by_distance
from autotune.ops.base import contraction, reduction_length
from autotune.store import paths, read
from autotune.store.misses import note_miss
from autotune.store.record import Record
from autotune.targets.base import Target
from autotune.targets.detect import features_of, resolve, runnable
from autotune.trial import Workload

if TYPE_CHECKING:
    from autotune.runtime import Kernel

FALLBACKS = ("nearest", "default")
MAX_NEIGHBOURS = 8
"""Nearest shapes whose schedule is tried on a miss before the default is taken."""
RACY_NS = 50_000_000
"""A file changed so lately may change again within the same tick of its time stamp."""
MAX_REMEMBERED = 16_384
MAX_KERNELS = 256
"""Compiled kernels that are remembered, the latest; others live as long as somebody holds them."""
DIRECT = "direct"
"""The algorithm that sums the products as the contraction says."""
ERROR_MARGIN = 1.25
"""How much larger than expected an error may turn out, on other operands and a larger output.
Source: winograd4 tuned at 64 channels (7.2 units), adapted to 1 to 33 of them, 5 seeds each."""

Stamp = tuple[int, ...]


class Source(Protocol):
    """What a lookup asks of a cache, whichever way it is read."""

    def ranked(self, target_key: str, workload_key: str) -> list[Record]: ...
    def targets(self, workload_key: str) -> list[str]: ...
    def relatives(self, target_key: str, workload: Workload) -> list[tuple[str, str]]: ...
    def speedups(self, op: str) -> list[float]: ...


@dataclass(frozen=True)
class Hit:
    """The answer to a lookup. `cliff` is None on a hit; `seconds` is None where not measured."""

    key: str
    target: str
    origin: str
    """`tuned`, `compatible` (tuned for a subset of the features), `nearest` or `default`."""
    schedule: Schedule
    gflops: float | None = None
    seconds: float | None = None
    stale: bool = False
    verified: bool = False
    cliff: Cliff | None = None

    @property
    def is_hit(self) -> bool:
        """Whether the schedule was tuned for this very workload."""
        return self.cliff is None

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `autotune lookup --json`."""
        return {
            "hit": self.is_hit,
            "key": self.key,
            "target": self.target,
            "origin": self.origin,
            "stale": self.stale,
            "verified": self.verified,
            "schedule": self.schedule.to_dict(),
            "gflops": self.gflops,
            "seconds": self.seconds,
            "cliff": self.cliff.to_dict() if self.cliff else None,
        }


class _Question(NamedTuple):
    """A lookup's arguments: a tuple, since it is made and hashed on every call."""

    workload: Workload
    target: Target | str
    threads: int
    cache: str | None
    location: str
    fallback: str


_answers: dict[_Question, tuple[Stamp, Hit]] = {}
_told: set[tuple[str, str, str, str]] = set()
_kernels: dict[tuple[Workload, Target, str], Kernel] = {}
_lock = threading.Lock()


def lookup(
    w: Workload,
    target: Target | str = "host",
    threads: int = 1,
    cache: str | os.PathLike[str] | None = None,
    strict: bool = False,
    fallback: str = "nearest",
) -> Hit:
    """The best schedule that is known for a workload.

    Args:
        w: what `parse_workload`, `conv2d` and the like make.
        target: a Target, or text as for `--target`.
        threads: that the kernel runs on; a Target brings its own.
        cache: a path or URL; None is the default cache. A file is read again only when it changed.
        strict: a miss is an error; also with AUTOTUNE_STRICT=1 in the environment.
        fallback: what to give on a miss: the schedule of the nearest tuned shape, adapted, or
            (also where there is none) the default schedule.

    Raises:
        CacheMissError: a miss, and `strict`.
        UsageError: an argument that is not allowed.
        StoreError: the cache that was named is a file that cannot be read as one.
    """
    location = _location(cache)
    named = None if cache is None else location
    question = _Question(w, target, threads, named, location, fallback)
    known = _answers.get(question)
    if known and known[0] == _stamp(location):
        hit = known[1]
    else:
        strict = strict or _is_strict()
        hit = _answer(question, strict)
    if hit.cliff is not None and (strict or _is_strict()):
        raise CacheMissError(hit.key, hit.cliff.fix)
    return hit


def load(
    w: Workload,
    cache: str | os.PathLike[str] | None = None,
    target: Target | str = "host",
    threads: int = 1,
    fallback: str = "nearest",
) -> Kernel:
    """The compiled kernel of a workload, for NumPy arrays, from the cache or the fallback.

    Compiled once per process and schedule, unless MAX_KERNELS others were compiled since; safe to
    call from several threads.

    Raises:
        UsageError: this host cannot run code for the target.
        AutotuneError: as `lookup`, or the schedule cannot be compiled.
    """
    hit = lookup(w, target, threads, cache, fallback=fallback)
    resolved = _resolved(target, threads)
    identity = (w, resolved, hit.schedule.digest)
    kernel = _kernels.get(identity)
    if kernel is None:
        reason = runnable(resolved)
        if reason:
            raise UsageError(reason)
        from autotune.runtime import Kernel

        with _lock:
            kernel = _kernels.get(identity)
            if kernel is None:
                while len(_kernels) >= MAX_KERNELS:
                    del _kernels[next(iter(_kernels))]
                kernel = _kernels[identity] = Kernel(w, hit.schedule, resolved)
    return kernel


def _is_strict() -> bool:
    return os.environ.get("AUTOTUNE_STRICT", "") not in ("", "0")


def _resolved(target: Target | str, threads: int) -> Target:
    return target if isinstance(target, Target) else resolve(target, threads)


def _answer(question: _Question, strict: bool) -> Hit:
    """Read the cache; remember the answer where a later change of the file is sure to be seen.

    A miss that will be an error is neither warned of nor remembered: the schedule is not used.
    """
    if question.fallback not in FALLBACKS:
        raise UsageError(
            f"fallback {question.fallback!r} is not known; allowed: {', '.join(FALLBACKS)}"
        )
    target = _resolved(question.target, question.threads)
    stamp = _stamp(question.location)
    try:
        with _source(question.location) as source:
            hit = _find(source, question, target)
    except StoreError as error:
        if question.cache is not None:
            raise
        _warn_of(str(error))
        hit = _find(None, question, target)
    if hit.cliff is not None:
        _note(question, target)
        if strict:
            return hit
        _warn(hit, question, target)
    if stamp and not _is_racy(stamp):
        if len(_answers) >= MAX_REMEMBERED:
            _answers.clear()
        _answers[question] = (stamp, hit)
    return hit


def _location(cache: str | os.PathLike[str] | None) -> str:
    """The cache's path or URL; empty where nobody named one and there is no place for another."""
    try:
        return paths.cache_path(cache)
    except StoreError as error:
        _warn_of(str(error))
        return ""


@functools.cache
def _warn_of(problem: str) -> None:
    """Tell once why the default cache answers nothing: no compiler is to fail for that."""
    warnings.warn(f"{problem}; nothing is found in the cache", UserWarning, stacklevel=4)


def _stamp(location: str) -> Stamp:
    """What changes when the file or its write-ahead log does; empty for a server's URL."""
    if "://" in location:
        return ()
    stamp: list[int] = []
    for path in (location, location + "-wal"):
        try:
            status = os.stat(path)
        except OSError:
            stamp += (0, 0, 0)
            continue
        # SQLite leaves an empty log behind after reading; it says as little as none.
        is_empty = status.st_size == 0
        stamp += (0, 0, 0) if is_empty else (status.st_mtime_ns, status.st_size, status.st_ino)
    return tuple(stamp)


def _is_racy(stamp: Stamp) -> bool:
    return abs(time.time_ns() - max(stamp[0], stamp[3])) < RACY_NS


@contextmanager
def _source(location: str) -> Iterator[Source | None]:
    if paths.is_file(location):
        with read.opened(location) as reader:
            yield reader
        return
    from autotune.store.db import Cache

    with Cache(location) as opened:
        yield opened


def _find(source: Source | None, question: _Question, target: Target) -> Hit:
    workload = question.workload
    rejected = ""
    for record in _candidates(source, workload, target):
        broken = violation(contraction(workload), record.schedule, target)
        if broken is None:
            return Hit(
                key=workload.key,
                target=target.key,
                origin="tuned" if record.target_key == target.key else "compatible",
                schedule=record.schedule,
                gflops=record.gflops,
                seconds=record.seconds,
                stale=record.is_stale,
                verified=record.verified,
            )
        age = "stale, and " if record.is_stale else ""
        rejected = rejected or f"the tuned schedule is {age}illegal here: {broken}"
    return _miss(source, question, target, rejected or "absent from the cache")


def _candidates(source: Source | None, workload: Workload, target: Target) -> Iterator[Record]:
    """Records of this target, then those of targets with fewer features, richest first.

    Never those of a target with a feature that ours lacks: its code might not run.
    """
    if source is None:
        return
    yield from source.ranked(target.key, workload.key)
    subsets: list[tuple[int, str]] = []
    for key in source.targets(workload.key):
        named = features_of(key)
        if key == target.key or named is None:
            continue
        features, threads = named
        if threads == target.threads and set(features) <= set(target.features):
            subsets.append((-len(features), key))
    for _, key in sorted(subsets):
        yield from source.ranked(key, workload.key)


def _miss(source: Source | None, question: _Question, target: Target, reason: str) -> Hit:
    workload = question.workload
    fix = fix_command(workload, question.target, question.threads, question.cache)
    relatives = source.relatives(target.key, workload) if source else []
    nearest = by_distance(workload, relatives)[:MAX_NEIGHBOURS]
    speedups = source.speedups(workload.op) if source else []
    cliff = Cliff(*estimate(speedups), reason=reason, fix=fix)
    if source and question.fallback == "nearest":
        for relative in nearest:
            schedule = _adapted(source, relative, workload, target)
            if schedule is not None:
                cliff = replace(cliff, nearest=relative.workload_key, differs=relative.differs)
                return Hit(workload.key, target.key, "nearest", schedule, cliff=cliff)
    if nearest:
        cliff = replace(cliff, nearest=nearest[0].workload_key, differs=nearest[0].differs)
    schedule = default_schedule(contraction(workload), target)
    return Hit(workload.key, target.key, "default", schedule, cliff=cliff)


def _adapted(
    source: Source, relative: Relative, workload: Workload, target: Target
) -> Schedule | None:
    for record in source.ranked(target.key, relative.workload_key):
        if not _is_exact_enough(record, workload):
            continue
        schedule = adapt(record.schedule, contraction(workload), target)
        if schedule is not None and violation(contraction(workload), schedule, target) is None:
            return schedule
    return None


def _is_exact_enough(record: Record, workload: Workload) -> bool:
    """Whether what was tuned there may be expected to stay within the tolerance here.

    An algorithm with constants of its own, such as Winograd, rounds them whatever the length of the
    sum; in units of its root the error grows as the sum gets shorter.
    """
    if record.schedule.algorithm == DIRECT:
        return True
    shorter = reduction_length(record.workload) / reduction_length(workload)
    expected = record.error_units * sqrt(max(1.0, shorter))
    return ERROR_MARGIN * expected <= workload.limit_units


def _is_first(kind: str, question: _Question, target: Target) -> bool:
    """Whether this is the first time in this process that this is said of this key."""
    identity = (kind, question.workload.key, target.key, question.location)
    with _lock:
        if identity in _told:
            return False
        _told.add(identity)
    return True


def _note(question: _Question, target: Target) -> None:
    """Count a miss in the cache, once per key and process."""
    if not question.location or not _is_first("noted", question, target):
        return
    if paths.is_file(question.location):
        note_miss(question.location, target.key, question.workload)
        return
    from autotune.store.db import Cache

    with suppress(StoreError), Cache(question.location) as opened:
        opened.note_miss(target.key, question.workload)


def _warn(hit: Hit, question: _Question, target: Target) -> None:
    """Warn of a miss, once per key and process."""
    if not _is_first("warned", question, target):
        return
    assert hit.cliff is not None
    warnings.warn(
        PerformanceCliffWarning(hit.cliff.message(question.workload, target, hit.origin)),
        stacklevel=4,
    )
