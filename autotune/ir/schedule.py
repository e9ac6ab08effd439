"""How a contraction is computed, as plain data: a nest of loops and stages, and a register tile.

A schedule is frozen, serialises to canonical JSON and has a digest. It holds no code: whatever it
says is judged by `legal.violation` and turned into instructions by one lowering. A nest denotes

    for each step, outermost first:
        Loop(axis, step)        for axis0 in range(0, region, step): the rest, on `step` of it
        Stage(operand, layout)  copy what the rest needs of the operand into an aligned buffer
                                (for the output: compute into a buffer, copy out when done)
    then, on what the loops left of each parallel axis (the register tile):
        acc[tile] = 0                                    # vectors along `vector`
        for (axis, unroll) in inner: acc[tile] += product of the operands
        store acc through the tail                       # direct, transpose or scatter
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from autotune.errors import ScheduleError

SCHEDULE_VERSION = 1
LAYOUTS = ("dims", "lanes", "axes")
STORES = ("direct", "transpose", "scatter")
INSTRUCTIONS = ("fma",)
MAX_STEPS = 64
MAX_NESTS = 16
MAX_DEPTH = 4
"""Levels of loops around several nests."""
MAX_EXTENT = 2**62


@dataclass(frozen=True)
class Loop:
    """`for axis0 in range(0, region, step)`; the last iteration takes what is left."""

    axis: str
    step: int


@dataclass(frozen=True)
class Stage:
    """Copy the region of an operand that the rest of the nest needs into a buffer.

    `dims` keeps the operand's dimensions, fills padding with zeros and rounds the row pitch up to
    `align` elements; with `phases`, a row read with stride t is stored as t rows of every t-th
    element, so that vector loads are contiguous. `lanes` is like `dims`, with the dimension of the
    vector axis moved innermost in blocks of one vector. `axes` stores it in the very order in which
    the register tiles read it. `once` marks a constant operand packed before the call.
    """

    operand: str
    layout: str
    align: int = 1
    phases: bool = False
    once: bool = False


Step = Loop | Stage


@dataclass(frozen=True)
class Nest:
    """One contraction's loops, from the outermost step to the store of the register tile."""

    steps: tuple[Step, ...]
    vector: str
    lanes: int
    inner: tuple[tuple[str, int], ...]
    """Reduction axes left to the register tile with their unroll factors, outermost first."""
    store: str = "direct"
    fuse: tuple[tuple[str, ...], ...] = ()
    prefetch: tuple[tuple[str, int], ...] = ()
    """Operands to prefetch in the innermost loop, and how many bytes ahead."""

    @property
    def loops(self) -> tuple[Loop, ...]:
        return tuple(step for step in self.steps if isinstance(step, Loop))

    @property
    def stages(self) -> tuple[Stage, ...]:
        return tuple(step for step in self.steps if isinstance(step, Stage))

    def loops_before(self, stage: Stage) -> int:
        """How many loops are around a stage of this nest."""
        before = self.steps[: self.steps.index(stage)]
        return sum(isinstance(step, Loop) for step in before)


@dataclass(frozen=True)
class Group:
    """Loops around several nests: `for each loop: the parts, in order`.

    What one part leaves to the next lives in a buffer that covers one round of these loops.
    """

    loops: tuple[Loop, ...]
    parts: tuple[Part, ...]


Part = Nest | Group


@dataclass(frozen=True)
class Schedule:
    """The nests of an algorithm's statements in order, and what is spread over tasks."""

    parts: tuple[Part, ...]
    algorithm: str = "direct"
    parallel: int = 0
    """How many leading loops of the last part tasks range over."""
    instruction: str = "fma"
    parallel_before: tuple[int, ...] = ()
    """The same of each part before the last; () where none of them is spread."""

    @property
    def spread(self) -> tuple[int, ...]:
        """How many leading loops of each part tasks range over."""
        before = self.parallel_before or (0,) * (len(self.parts) - 1)
        return (*before, self.parallel)

    def spread_over(self, counts: Sequence[int]) -> Schedule:
        """The same with tasks over so many leading loops of each part."""
        *before, last = counts
        return replace(self, parallel=last, parallel_before=tuple(before) if any(before) else ())

    @cached_property
    def nests(self) -> tuple[Nest, ...]:
        """All nests in order, whatever loops they share."""
        return tuple(nest for part in self.parts for nest in _nests_of(part))

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits that identify what the schedule says."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; `from_dict` reads it back."""
        before = list(self.parallel_before)
        return {
            "version": SCHEDULE_VERSION,
            "algorithm": self.algorithm,
            "instruction": self.instruction,
            "parallel": self.parallel,
            **({"parallel_before": before} if before else {}),
            "nests": [_part_to_dict(part) for part in self.parts],
        }

    def to_json(self) -> str:
        """Canonical JSON: sorted keys, no spaces."""
        return json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))


def _nests_of(part: Part) -> tuple[Nest, ...]:
    if isinstance(part, Nest):
        return (part,)
    return tuple(nest for inner in part.parts for nest in _nests_of(inner))


def _part_to_dict(part: Part) -> dict[str, Any]:
    if isinstance(part, Nest):
        return _nest_to_dict(part)
    loops = [{"loop": loop.axis, "step": loop.step} for loop in part.loops]
    return {"loops": loops, "nests": [_part_to_dict(inner) for inner in part.parts]}


def _nest_to_dict(nest: Nest) -> dict[str, Any]:
    steps: list[dict[str, Any]] = []
    for step in nest.steps:
        if isinstance(step, Loop):
            steps.append({"loop": step.axis, "step": step.step})
            continue
        entry: dict[str, Any] = {"stage": step.operand, "layout": step.layout}
        if step.align != 1:
            entry["align"] = step.align
        if step.phases:
            entry["phases"] = True
        if step.once:
            entry["once"] = True
        steps.append(entry)
    return {
        "fuse": [list(axes) for axes in nest.fuse],
        "steps": steps,
        "vector": nest.vector,
        "lanes": nest.lanes,
        "inner": [[axis, unroll] for axis, unroll in nest.inner],
        "store": nest.store,
        "prefetch": [[operand, ahead] for operand, ahead in nest.prefetch],
    }


def from_json(text: str) -> Schedule:
    """The schedule that `Schedule.to_json` wrote.

    Raises:
        ScheduleError: not JSON, or not a schedule.
    """
    try:
        loaded = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ScheduleError(f"schedule is not JSON: {error}") from error
    return from_dict(loaded)


def from_dict(loaded: object) -> Schedule:
    """The schedule that this JSON data describes; every field is checked.

    Raises:
        ScheduleError: a field is missing, unknown, or not of its type; the message has its path.
    """
    top = _Reader(loaded, "schedule")
    version = top.integer("version", 1, 10**6)
    if version != SCHEDULE_VERSION:
        raise ScheduleError(f"schedule.version is {version}; this program reads {SCHEDULE_VERSION}")
    schedule = Schedule(
        parts=_read_parts(top, 0),
        algorithm=top.word("algorithm"),
        parallel=top.integer("parallel", 0, MAX_STEPS),
        instruction=top.choice("instruction", INSTRUCTIONS),
        parallel_before=top.counts("parallel_before") if top.has("parallel_before") else (),
    )
    top.done()
    return schedule


def _read_parts(reader: _Reader, depth: int) -> tuple[Part, ...]:
    parts = tuple(_read_part(inner, depth) for inner in reader.children("nests", MAX_NESTS))
    if not parts:
        raise ScheduleError(f"{reader.path}.nests is empty; at least one nest is needed")
    return parts


def _read_part(reader: _Reader, depth: int) -> Part:
    if not reader.has("loops"):
        return _read_nest(reader)
    if depth >= MAX_DEPTH:
        raise ScheduleError(f"{reader.path} is nested too deep; at most {MAX_DEPTH} levels")
    steps = [_read_step(step) for step in reader.children("loops", MAX_STEPS)]
    loops = tuple(step for step in steps if isinstance(step, Loop))
    if len(loops) != len(steps):
        raise ScheduleError(f"{reader.path}.loops holds a stage; only loops are allowed")
    group = Group(loops, _read_parts(reader, depth + 1))
    reader.done()
    return group


def _read_nest(reader: _Reader) -> Nest:
    nest = Nest(
        steps=tuple(_read_step(step) for step in reader.children("steps", MAX_STEPS)),
        vector=reader.word("vector"),
        lanes=reader.integer("lanes", 1, 1024),
        inner=reader.pairs("inner"),
        store=reader.choice("store", STORES),
        fuse=reader.groups("fuse"),
        prefetch=reader.pairs("prefetch"),
    )
    reader.done()
    return nest


def _read_step(reader: _Reader) -> Step:
    step: Step
    if reader.has("loop"):
        step = Loop(reader.word("loop"), reader.integer("step", 1, MAX_EXTENT))
    else:
        step = Stage(
            reader.word("stage"),
            reader.choice("layout", LAYOUTS),
            reader.integer("align", 1, 4096, default=1),
            reader.flag("phases"),
            reader.flag("once"),
        )
    reader.done()
    return step


class _Reader:
    """Reads one JSON object field by field, so that each error names its path."""

    def __init__(self, loaded: object, path: str) -> None:
        if not isinstance(loaded, Mapping):
            raise ScheduleError(f"{path} is {_shown(loaded)}; an object is needed")
        self._fields = dict(loaded)
        self.path = path

    def has(self, name: str) -> bool:
        return name in self._fields

    def _take(self, name: str) -> Any:
        if name not in self._fields:
            raise ScheduleError(f"{self.path}.{name} is missing")
        return self._fields.pop(name)

    def _wrong(self, name: str, value: object, allowed: str) -> ScheduleError:
        return ScheduleError(f"{self.path}.{name} is {_shown(value)}; allowed: {allowed}")

    def integer(self, name: str, low: int, high: int, default: int | None = None) -> int:
        if default is not None and name not in self._fields:
            return default
        value = self._take(name)
        if type(value) is not int or not low <= value <= high:
            raise self._wrong(name, value, f"an integer from {low} to {high}")
        return value

    def flag(self, name: str) -> bool:
        value = self._fields.pop(name, False)
        if not isinstance(value, bool):
            raise self._wrong(name, value, "true or false")
        return value

    def word(self, name: str) -> str:
        return self._word(name, self._take(name))

    def _word(self, name: str, value: object) -> str:
        if not isinstance(value, str) or not 1 <= len(value) <= 64 or not value.isprintable():
            raise self._wrong(name, value, "a name of 1 to 64 characters")
        return value

    def choice(self, name: str, allowed: tuple[str, ...]) -> str:
        value = self._take(name)
        if value not in allowed:
            raise self._wrong(name, value, ", ".join(allowed))
        return str(value)

    def _list(self, name: str, most: int) -> list[Any]:
        value = self._take(name)
        if not isinstance(value, list) or len(value) > most:
            raise self._wrong(name, value, f"a list of at most {most}")
        return value

    def children(self, name: str, most: int) -> list[_Reader]:
        entries = self._list(name, most)
        return [_Reader(entry, f"{self.path}.{name}[{i}]") for i, entry in enumerate(entries)]

    def pairs(self, name: str) -> tuple[tuple[str, int], ...]:
        found = []
        for entry in self._list(name, MAX_STEPS):
            if not isinstance(entry, list) or len(entry) != 2 or type(entry[1]) is not int:
                raise self._wrong(name, entry, "pairs of a name and an integer")
            if not 0 < entry[1] <= MAX_EXTENT:
                raise self._wrong(name, entry, "pairs whose integer is at least 1")
            found.append((self._word(name, entry[0]), entry[1]))
        return tuple(found)

    def counts(self, name: str) -> tuple[int, ...]:
        found = self._list(name, MAX_NESTS)
        for entry in found:
            if type(entry) is not int or not 0 <= entry <= MAX_STEPS:
                raise self._wrong(name, entry, f"integers from 0 to {MAX_STEPS}")
        return tuple(found)

    def groups(self, name: str) -> tuple[tuple[str, ...], ...]:
        found = []
        for entry in self._list(name, MAX_STEPS):
            if not isinstance(entry, list) or len(entry) > MAX_STEPS:
                raise self._wrong(name, entry, "lists of axis names")
            found.append(tuple(self._word(name, axis) for axis in entry))
        return tuple(found)

    def done(self) -> None:
        if self._fields:
            raise ScheduleError(
                f"{self.path} has unknown fields: {', '.join(map(str, self._fields))}"
            )


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        return f"a {type(value).__name__} too large to show"
    return text if len(text) <= 60 else text[:57] + "..."
