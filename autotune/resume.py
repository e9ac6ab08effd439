"""Goes on with a run from its log: what was tuned and how, and which of its trials count now.

`load` reads a log, `Unfinished.earlier` picks what need not be measured again. Timings count only
where they compare: taken on this machine, by this compiler, beside the same reference.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from autotune.errors import ScheduleError, StoreError, UsageError
from autotune.finalists import SCREENED
from autotune.ir.contraction import Contraction
from autotune.ir.legal import violation
from autotune.ops.base import parse_workload
from autotune.store.entry import Entry
from autotune.store.log import Log, read
from autotune.targets._read import target_from
from autotune.targets.base import Target
from autotune.trial import STRICT, Failure, Timing, Tolerance, Trial, Workload

if TYPE_CHECKING:
    from autotune.space.base import Space

MOST_POINTS = 8192
"""The newest points of a log that are taken over: as many as a listed space can have, twice."""
_OUT_OF_TIME = ("timeout", "compile_timeout")


@dataclass(frozen=True)
class Earlier:
    """What was measured before a run was gone on with, in the order in which it was."""

    outcomes: Mapping[str, Timing | Failure] = field(default_factory=dict)
    """By digest."""
    points: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Digests of schedules that are points of the space."""
    best: tuple[Trial, ...] = ()
    """The fastest of them, fastest first, as many as there may be finalists besides the default."""
    notes: tuple[str, ...] = ()
    """What is to be told of it, one line each."""


@dataclass(frozen=True)
class Conditions:
    """What two timings must have in common for their ratios to be comparable."""

    codegen: object
    llvm: object
    reference: object
    """Digest of the schedule beside which all others are timed."""
    cache_policy: object

    @classmethod
    def of(cls, head: Mapping[str, Any]) -> Conditions:
        """Those that a header or resume line states; None for what it does not."""
        measure = head.get("measure")
        policy = measure.get("cache_policy") if isinstance(measure, dict) else None
        return cls(head.get("codegen"), head.get("llvm"), head.get("reference"), policy)

    def differences(self, other: Conditions) -> str:
        """What is not the same, both values of it."""
        pairs = ((name, getattr(self, name), getattr(other, name)) for name in vars(self))
        return ", ".join(f"{name} {_shown(a)}, now {_shown(b)}" for name, a, b in pairs if a != b)


@dataclass(frozen=True)
class Unfinished:
    """A run to go on with, as the last header or resume line of its log describes it."""

    log: Log
    workload: Workload
    target: Target
    machine: str
    options: Mapping[str, Any]
    """Arguments of `tune` that are the log's unless others are given."""

    def agree(self, workload: Workload, target: Target, machine: str) -> None:
        """Check that this is the run that is meant, on the machine where it was begun.

        Raises:
            UsageError: it is another one; the message names both.
        """
        pairs = {
            "workload": (workload.key, self.workload.key),
            "target": (target.key, self.target.key),
            "machine": (machine, self.machine),
        }
        for name, (ours, theirs) in pairs.items():
            if ours != theirs:
                raise UsageError(
                    f"{name} {ours} is not the one of log {self.log.path}, which holds timings of "
                    f"{theirs}; allowed: that {name}, or a new run"
                )

    def earlier(
        self, contraction: Contraction, space: Space, now: Conditions, timeout_s: float
    ) -> Earlier:
        """What of the log counts.

        Args:
            contraction: of the workload.
            space: that is searched now; other schedules of the log count too, but not as points.
            now: how this run measures.
            timeout_s: seconds that a candidate may take in it.
        """
        comparable = [e for e in self.log.entries if Conditions.of(e.head) == now]
        known = {e.digest: e for e in comparable if not _had_less_time(e, timeout_s)}
        late = {e.digest for e in comparable} - known.keys()
        counted = known.keys() | late
        other = {e.digest: e for e in self.log.entries if e.digest not in counted}
        notes = [self.log.summary] if self.log.summary else []
        if other:
            what = Conditions.of(next(iter(other.values())).head).differences(now)
            notes.append(f"{len(other)} trials of the log are measured anew: {what}")
        if late:
            notes.append(f"{len(late)} trials that ran out of time are measured with more of it")
        notes.append(f"going on with {len(known)} trials of {self.log.path}")
        return Earlier(
            outcomes={digest: entry.outcome for digest, entry in known.items()},
            points=_points(known.values(), space),
            best=_best(known.values(), contraction, self.target),
            notes=tuple(notes),
        )


def load(path: str | os.PathLike[str]) -> Unfinished:
    """The last run in a log.

    Raises:
        UsageError: the log cannot be read, or does not say what was tuned.
    """
    try:
        log = read(path)
    except StoreError as error:
        raise UsageError(str(error)) from error
    if not log.heads:
        raise UsageError(
            f"log {log.path} has no header line that can be read: no run to go on with"
        )
    head = _Head(log.path, log.heads[-1])
    return Unfinished(
        log=log,
        workload=head.workload(),
        target=target_from(head.object("target"), f"target of log {log.path}"),
        machine=head.text("machine"),
        options=head.options(),
    )


class _Head:
    """Reads a header or resume line field by field, so that each error names its own."""

    def __init__(self, path: str, fields: Mapping[str, Any], name: str = "") -> None:
        self._path, self._fields, self._name = path, fields, name

    def _wrong(self, name: str, allowed: str) -> UsageError:
        value = _shown(self._fields.get(name))
        return UsageError(f"log {self._path}: {self._name}{name} is {value}; allowed: {allowed}")

    def object(self, name: str) -> Mapping[str, Any]:
        value = self._fields.get(name)
        if not isinstance(value, dict):
            raise self._wrong(name, "an object")
        return value

    def text(self, name: str) -> str:
        value = self._fields.get(name)
        if not isinstance(value, str):
            raise self._wrong(name, "text")
        return value

    def number(self, name: str) -> float:
        value = self._fields.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
            raise self._wrong(name, "a number")
        return float(value)

    def tolerance(self) -> Tolerance:
        is_strict = self._fields.get("tolerance") == STRICT
        return STRICT if is_strict else self.number("tolerance")

    def integer(self, name: str) -> int:
        value = self._fields.get(name)
        if type(value) is not int:
            raise self._wrong(name, "an integer")
        return value

    def workload(self) -> Workload:
        told = _Head(self._path, self.object("workload"), "workload.")
        return parse_workload(
            told.text("op"),
            told.text("shape"),
            told.text("dtype"),
            told.text("layout"),
            told.tolerance(),
        )

    def options(self) -> dict[str, Any]:
        measure = _Head(self._path, self.object("measure"), "measure.")
        is_narrowed = self._fields.get("space_file") is not None
        return {
            "seed": self.integer("seed"),
            "explorer": self.text("explorer"),
            "cost_model": self.text("cost_model"),
            "space": self.text("space_file") if is_narrowed else None,
            "timeout_s": measure.number("timeout_s"),
            "cache_policy": measure.text("cache_policy"),
        }


def _had_less_time(entry: Entry, timeout_s: float) -> bool:
    """Whether a candidate ran out of time, and has more of it now."""
    if not isinstance(entry.outcome, Failure) or entry.outcome.kind not in _OUT_OF_TIME:
        return False
    measure = entry.head.get("measure")
    before_s = measure.get("timeout_s") if isinstance(measure, dict) else None
    return isinstance(before_s, int | float) and before_s < timeout_s


def _points(entries: Iterable[Entry], space: Space) -> dict[str, tuple[int, ...]]:
    """The newest points, each of which still denotes its schedule."""
    import numpy as np

    knobs = space.sample(np.random.default_rng(0), 1).shape[1]
    pointed = [e for e in entries if len(e.point) == knobs and e.head.get("space") == space.digest]
    return {e.digest: e.point for e in pointed[-MOST_POINTS:] if _denotes(e, space)}


def _denotes(entry: Entry, space: Space) -> bool:
    import numpy as np

    try:
        return space.schedule(np.array(entry.point, dtype=np.int64)).digest == entry.digest
    except (LookupError, ArithmeticError, ValueError, TypeError, ScheduleError):
        # Whatever numbers that are no point lead to.
        return False


def _best(entries: Iterable[Entry], contraction: Contraction, target: Target) -> tuple[Trial, ...]:
    """The fastest that are legal: a log may be damaged, and what it says ends in the cache."""
    timed = [(e.outcome.ratio, e) for e in entries if isinstance(e.outcome, Timing)]
    best: list[Trial] = []
    for _, entry in sorted(timed, key=lambda pair: pair[0]):
        if len(best) > SCREENED:
            break
        try:
            trial = entry.trial
        except ScheduleError:
            continue
        if not violation(contraction, trial.schedule, target):
            best.append(trial)
    return tuple(best)


def _shown(value: object) -> str:
    return str(value) if isinstance(value, str) and len(value) < 40 else repr(value)[:40]
