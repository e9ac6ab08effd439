"""What a compiler asks: the schedule for a workload on a target, and what a miss will cost.

Answers from the cache are judged by `ir.legal` before they are given. On an SQLite cache nothing
but the standard library is loaded, and an answer is remembered until the file changes.
"""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from autotune.errors import (
    AutotuneError,
    CacheMissError,
    PerformanceCliffWarning,
    StoreError,
    UsageError,
)
from autotune.ir.adapt import adapt
from autotune.ir.default import default_schedule
from autotune.ir.legal import violation
from autotune.ir.schedule import Schedule
from autotune.lookup import layers
from autotune.lookup.cliff import Cliff, estimate, fix_all_command, fix_command
from autotune.lookup.layers import Source
from autotune.lookup.nearest import Relative, by_distance, by_fields
from autotune.lookup.noting import Site
from autotune.lookup.telling import Teller, Told
from autotune.ops.base import contraction, reduction_length, reparsed
from autotune.store import paths
from autotune.store.misses import Miss
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
Caches = str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None
"""One cache, or several layers of them, the upper first; None is the default."""
MAX_REMEMBERED = 16_384
MAX_KERNELS = 256
"""Compiled kernels that are remembered, the latest; others live as long as somebody holds them."""
DIRECT = "direct"
"""The algorithm that sums the products as the contraction says."""
ERROR_MARGIN = 1.25
"""How much larger than expected an error may turn out, on other operands and a larger output.
Source: winograd4 tuned at 64 channels (7.2 units), adapted to 1 to 33 of them, 5 seeds each."""


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
    """A lookup's arguments. Answers are remembered by the plain tuple, which is made faster."""

    workload: Workload
    target: Target | str
    threads: int
    caches: tuple[str, ...]
    is_named: bool
    fallback: str


_answers: dict[tuple[object, ...], tuple[layers.Stamp, Hit]] = {}
_kernels: dict[tuple[Workload, Target, str], Kernel] = {}
_lock = threading.Lock()


def lookup(
    w: Workload,
    target: Target | str = "host",
    threads: int = 1,
    cache: Caches = None,
    strict: bool = False,
    fallback: str = "nearest",
) -> Hit:
    """The best schedule that is known for a workload.

    Args:
        w: what `parse_workload`, `conv2d` and the like make.
        target: a Target, or text as for `--target`.
        threads: that the kernel runs on; a Target brings its own.
        cache: a path or URL; several, an upper layer first: all answer, misses are noted in the
            first; `FILE#sha256=HEX` is a snapshot of that content and no other. None is the default
            cache above those of AUTOTUNE_CACHE_LAYERS. A file is read again only when it changed.
        strict: a miss is an error; also with AUTOTUNE_STRICT=1 in the environment.
        fallback: what to give on a miss: the schedule of the nearest tuned shape, adapted, or
            (also where there is none) the default schedule.

    Raises:
        CacheMissError: a miss, and `strict`.
        UsageError: an argument that is not allowed.
        StoreError: the cache that was named cannot be read as one, or is not that snapshot.
    """
    caches = _locations(cache)
    asked = (w, target, threads, caches, cache is not None, fallback)
    known = _answers.get(asked)
    if known and known[0] == layers.stamp(caches):
        hit = known[1]
        if hit.cliff is not None:
            _teller.notes.add(caches[0], hit.target, w)
    else:
        strict = strict or _is_strict()
        hit = _answer(_Question(*asked), strict)
    if hit.cliff is not None and (strict or _is_strict()):
        raise CacheMissError(hit.key, hit.cliff.fix)
    return hit


def report_cliffs() -> str:
    """The misses of this process that no warning has told yet, grouped; empty where all are told.

    Worst first by expected loss times uses, with the commands that tune them. What it returns is
    told: a process that never asks is warned of it when it ends.
    """
    return _teller.report()


def load(
    w: Workload,
    cache: Caches = None,
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
    stamp = layers.stamp(question.caches)
    with layers.opened(question.caches, question.is_named) as source:
        hit = _find(source, question, target)
    site = Site(question.caches[0], target.key, question.workload.key)
    if hit.cliff is None:
        _teller.hit(site)
    else:
        _teller.notes.add(site.location, target.key, question.workload)
        if strict:
            return hit
        if _teller.missed(site, _told(hit.cliff, question, target)):
            message = hit.cliff.message(question.workload, target, hit.origin)
            warnings.warn(PerformanceCliffWarning(message), stacklevel=3)
    if stamp and not _is_racy(stamp):
        if len(_answers) >= MAX_REMEMBERED:
            _answers.clear()
        _answers[question] = (stamp, hit)
    return hit


def _told(cliff: Cliff, question: _Question, target: Target) -> Told:
    named = question.caches[0] if question.is_named else None
    fix_all = fix_all_command(question.target, question.threads, named)
    return Told(question.workload, target.key, cliff, fix_all)


def _look(location: str, miss: Miss) -> Told | None:
    """What there is to say of a miss that a child noted; None where it is settled by now."""
    with suppress(AutotuneError):
        target = resolve(miss.target_key)
        is_host = target == resolve("host", target.threads)
        is_named = location != paths.cache_path()
        question = _Question(
            reparsed(miss.workload),
            "host" if is_host else target,
            target.threads,
            (location,) if is_named else paths.locations(None),
            is_named,
            FALLBACKS[0],
        )
        with layers.opened(question.caches, is_named) as source:
            cliff = _find(source, question, target).cliff
        return None if cliff is None else _told(cliff, question, target)
    return None


_teller = Teller(_look)


def _locations(cache: Caches) -> tuple[str, ...]:
    """The caches' paths or URLs; one empty text where nobody named any and there is no default."""
    try:
        return paths.locations(cache)
    except StoreError as error:
        layers.warn_of(str(error))
        return ("", *paths.shipped())


def _is_racy(stamp: layers.Stamp) -> bool:
    return abs(time.time_ns() - max(stamp[::3])) < RACY_NS


def _find(source: Source, question: _Question, target: Target) -> Hit:
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


def _candidates(source: Source, workload: Workload, target: Target) -> Iterator[Record]:
    """Records of this target, then those of targets with fewer features, richest first.

    Never those of a target with a feature that ours lacks: its code might not run.
    """
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


def _miss(source: Source, question: _Question, target: Target, reason: str) -> Hit:
    workload = question.workload
    named = question.caches[0] if question.is_named else None
    fix = fix_command(workload, question.target, question.threads, named)
    nearest = by_distance(workload, source.relatives(target.key, workload))[:MAX_NEIGHBOURS]
    cliff = Cliff(*estimate(source.speedups(workload.op)), reason=reason, fix=fix)
    if question.fallback == "nearest":
        for relative in nearest:
            schedule = _adapted(source, relative, workload, target)
            if schedule is not None:
                cliff = replace(cliff, nearest=relative.workload_key, differs=relative.differs)
                return Hit(workload.key, target.key, "nearest", schedule, cliff=cliff)
    here = (target.key, workload.key)
    elsewhere = ((other, workload.key) for other in source.targets(workload.key))
    closest = next(iter(nearest or by_fields(here, elsewhere)), None)
    if closest is not None:
        cliff = replace(cliff, nearest=closest.workload_key, differs=closest.differs)
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
