"""Why a lookup answers what it answers: every record that might have, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from autotune.ir.legal import violation
from autotune.lookup.answer import MAX_NEIGHBOURS, Hit, Question, candidates, find
from autotune.lookup.layers import Source
from autotune.lookup.nearest import by_distance, fields_apart
from autotune.ops.base import contraction
from autotune.store.record import Record
from autotune.targets.base import Target

MOST_ELSEWHERE = 16
"""Records of the same shape under other keys that are told of."""


@dataclass(frozen=True)
class Considered:
    """A record, and why it is or is not the answer."""

    record: Record
    verdict: str
    """`answer`, `behind` (good, but ranked after it), `illegal`, `fallback` (adapted, for want of
    an answer) or `other` (made for another key)."""
    reason: str
    differs: dict[str, list[Any]] = field(default_factory=dict)
    """Fields of its key that are not those asked for: name -> [its, ours]."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        told = self.record
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "key": told.key,
            "target": told.target_key,
            "differs": self.differs,
            "record": told.digest,
            "digest": told.schedule.digest,
            "seconds": told.seconds,
            "gflops": told.gflops,
            "verified": told.verified,
            "stale": told.is_stale,
            "origin": told.origin,
            "llvm": told.llvm,
            "codegen": told.codegen,
            "created": told.created,
        }


@dataclass(frozen=True)
class Explanation:
    """What a lookup answers, and all that it had to choose from."""

    hit: Hit
    records: tuple[Considered, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `autotune cache why --json`: that of a lookup, and the records."""
        return {**self.hit.to_dict(), "records": [record.to_dict() for record in self.records]}


def explain(source: Source, question: Question, target: Target) -> Explanation:
    """Ask the caches as a lookup does, and tell of each record what became of it."""
    hit = find(source, question, target)
    return Explanation(
        hit,
        (
            *_eligible(source, question, target),
            *_elsewhere(source, question, target),
            *_similar(source, question, target, hit),
        ),
    )


def _eligible(source: Source, question: Question, target: Target) -> Iterator[Considered]:
    """Records of this key and of compatible targets, in the order in which they are asked."""
    ours = (target.key, question.workload.key)
    is_answered = False
    for record in candidates(source, question.workload, target):
        differs = fields_apart((record.target_key, record.key), ours)
        broken = violation(contraction(question.workload), record.schedule, target)
        if broken is not None:
            yield Considered(record, "illegal", f"illegal here: {broken}", differs)
            continue
        made_for = "made for a subset of the features" if differs else "made for this key"
        marks = ", by another code generator or LLVM" if record.is_stale else ""
        verdict = "behind" if is_answered else "answer"
        why = "ranks after the answer: " if is_answered else ""
        yield Considered(record, verdict, f"{why}{made_for}{marks}", differs)
        is_answered = True


def _elsewhere(source: Source, question: Question, target: Target) -> Iterator[Considered]:
    """The best records of this shape under keys that no lookup of this one asks."""
    ours = (target.key, question.workload.key)
    asked = {record.target_key for record in candidates(source, question.workload, target)}
    pairs = [
        (target_key, key)
        for target_key, key in source.variants(question.workload)
        if key != question.workload.key or target_key not in asked
    ]
    for pair in pairs[:MOST_ELSEWHERE]:
        differs = fields_apart(pair, ours)
        for record in source.ranked(*pair)[:1]:
            yield Considered(record, "other", f"made for another {_words(differs)}", differs)


def _similar(source: Source, question: Question, target: Target, hit: Hit) -> Iterator[Considered]:
    """The nearest other shapes, one of which may be the fallback."""
    used = hit.cliff.nearest if hit.cliff and hit.origin == "nearest" else None
    relatives = source.relatives(target.key, question.workload)
    for relative in by_distance(question.workload, relatives, MAX_NEIGHBOURS):
        is_same_shape = not relative.distance and relative.workload_key != used
        if relative.workload_key == question.workload.key or is_same_shape:
            continue
        is_used = relative.workload_key == used
        why = "adapted, for want of an answer: " if is_used else ""
        verdict = "fallback" if is_used else "other"
        for record in source.ranked(target.key, relative.workload_key)[:1]:
            reason = f"{why}made for another {_words(relative.differs)}"
            yield Considered(record, verdict, reason, relative.differs)


def _words(differs: dict[str, list[Any]]) -> str:
    return ", ".join(f"{name} ({theirs}, not {ours})" for name, (theirs, ours) in differs.items())
