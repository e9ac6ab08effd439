"""What a compiler asks: the schedule for a workload on a target, and what a miss will cost.

Answers from the cache are judged by `ir.legal` before they are given. On an SQLite cache nothing
but the standard library is loaded, and an answer is remembered until the file changes.
"""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from autotune.errors import (
    AutotuneError,
    CacheMissError,
    PerformanceCliffWarning,
    StoreError,
    UsageError,
)
from autotune.lookup import layers
from autotune.lookup.answer import Hit, Question, find
from autotune.lookup.cliff import Cliff, fix_all_command
from autotune.lookup.explaining import Explanation, explain
from autotune.lookup.noting import Site
from autotune.lookup.telling import Teller, Told
from autotune.ops.base import reparsed
from autotune.store import paths
from autotune.store.misses import Miss
from autotune.targets.base import Target
from autotune.targets.detect import resolve, runnable
from autotune.trial import Workload

if TYPE_CHECKING:
    from autotune.runtime import Kernel

FALLBACKS = ("nearest", "default")
RACY_NS = 50_000_000
"""A file changed so lately may change again within the same tick of its time stamp."""
Caches = str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None
"""One cache, or several layers of them, the upper first; None is the default."""
MAX_REMEMBERED = 16_384
MAX_KERNELS = 256
"""Compiled kernels that are remembered, the latest; others live as long as somebody holds them."""

_answers: dict[tuple[object, ...], tuple[layers.Stamp, Hit, str]] = {}
"""What was answered to `lookup`'s arguments, by the caches in which state, and where misses go."""
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
            _teller.notes.add(known[2], hit.target, w)
    else:
        strict = strict or _is_strict()
        hit = _answer(Question(*asked), strict)
    if hit.cliff is not None and (strict or _is_strict()):
        raise CacheMissError(hit.key, hit.cliff.fix)
    return hit


def report_cliffs() -> str:
    """The misses of this process that no warning has told yet, grouped; empty where all are told.

    Worst first by expected loss times uses, with the commands that tune them. What it returns is
    told: a process that never asks is warned of it when it ends.
    """
    return _teller.report()


def why(
    w: Workload, target: Target | str = "host", threads: int = 1, cache: Caches = None
) -> Explanation:
    """Which records a lookup with these arguments finds, and why each is or is not the answer.

    Nothing is noted and nobody warned.

    Raises:
        UsageError: an argument that is not allowed.
        StoreError: the cache that was named cannot be read as one, or is not that snapshot.
    """
    question = Question(w, target, threads, _locations(cache), cache is not None, FALLBACKS[0])
    with layers.opened(question.caches, question.is_named) as source:
        return explain(source, question, _resolved(target, threads))


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


def _answer(question: Question, strict: bool) -> Hit:
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
        hit = find(source, question, target)
    site = Site(paths.absolute(question.caches[0]), target.key, question.workload.key)
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
        _answers[question] = (stamp, hit, site.location)
    return hit


def _told(cliff: Cliff, question: Question, target: Target) -> Told:
    named = question.caches[0] if question.is_named else None
    fix_all = fix_all_command(question.target, question.threads, named)
    return Told(question.workload, target.key, cliff, fix_all)


def _look(location: str, miss: Miss) -> Told | None:
    """What there is to say of a miss that a child noted; None where it is settled by now."""
    with suppress(AutotuneError):
        target = resolve(miss.target_key)
        is_host = target == resolve("host", target.threads)
        is_named = location != paths.absolute(paths.cache_path())
        question = Question(
            reparsed(miss.workload),
            "host" if is_host else target,
            target.threads,
            (location,) if is_named else paths.locations(None),
            is_named,
            FALLBACKS[0],
        )
        with layers.opened(question.caches, is_named) as source:
            cliff = find(source, question, target).cliff
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
