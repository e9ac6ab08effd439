"""The answer to one question, from the caches that are open: records judged, or a fallback."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, NamedTuple

from autotune.ir.adapt import adapt
from autotune.ir.default import default_schedule
from autotune.ir.legal import violation
from autotune.ir.schedule import Schedule
from autotune.lookup.cliff import Cliff, estimate, fix_command
from autotune.lookup.layers import Source
from autotune.lookup.nearest import Relative, by_distance, by_fields
from autotune.ops.base import contraction, reduction_length
from autotune.store.record import Record
from autotune.targets.base import Target
from autotune.targets.detect import features_of
from autotune.trial import Workload

MAX_NEIGHBOURS = 8
"""Nearest shapes whose schedule is tried on a miss before the default is taken."""
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


class Question(NamedTuple):
    """A lookup's arguments. Answers are remembered by the plain tuple, which is made faster."""

    workload: Workload
    target: Target | str
    threads: int
    caches: tuple[str, ...]
    is_named: bool
    fallback: str


def find(source: Source, question: Question, target: Target) -> Hit:
    """The best record that is legal, exact or compatible; else the fallback with its cliff."""
    workload = question.workload
    rejected = ""
    for record in candidates(source, workload, target):
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


def candidates(source: Source, workload: Workload, target: Target) -> Iterator[Record]:
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


def _miss(source: Source, question: Question, target: Target, reason: str) -> Hit:
    workload = question.workload
    named = question.caches[0] if question.is_named else None
    fix = fix_command(workload, question.target, question.threads, named)
    nearest = by_distance(workload, source.relatives(target.key, workload), MAX_NEIGHBOURS)
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
