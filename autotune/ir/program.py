"""What a schedule denotes: its statements' nests under the loops they share, and their buffers.

The tree of the schedule is kept; every nest is resolved in its place, and every operand that one
nest hands to another gets a buffer scoped to the loops around both. Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from autotune.errors import ScheduleError
from autotune.ir.algorithm import statements
from autotune.ir.contraction import ITEM_BYTES, Access, Contraction
from autotune.ir.homes import (
    ALIGN_BYTES,
    Home,
    NestPlan,
    StagePlan,
    Stride,
    round_up,
)
from autotune.ir.resolve import resolve
from autotune.ir.schedule import Group, Loop, Nest, Part, Schedule, Stage

Path = tuple[int, ...]
"""Where a group is in the tree: positions of parts from the top; () is the schedule itself."""


@dataclass(frozen=True)
class Temporary:
    """An operand that one nest writes and others read, for one round of the group at `scope`."""

    access: Access
    scope: Path
    home: Home
    elements: int


@dataclass(frozen=True)
class Phase:
    """Parts that follow each other, and the leading loops of theirs that tasks range over.

    for each phase in order: for each of its tasks, in any order: its parts
    """

    parts: tuple[int, ...]
    """Positions among the schedule's parts; only one where there are loops."""
    loops: tuple[Loop, ...]
    tasks: int


@dataclass(frozen=True)
class Program:
    """Everything that lowering needs to know of a schedule."""

    contraction: Contraction
    schedule: Schedule
    nests: tuple[NestPlan, ...]
    temporaries: Mapping[str, Temporary] = field(hash=False)
    offsets: Mapping[tuple[int, int] | str, int] = field(hash=False)
    """Bytes into the workspace: of (nest, step) stages, and of temporaries by name; of those that
    threads share, into what they share."""
    workspace_bytes: int
    """Of each thread."""
    pack_bytes: int
    """Workspace of the nests that run when operands are packed."""
    packed: tuple[tuple[str, int], ...]
    """Operands packed beforehand, with the bytes of their buffers."""
    phases: tuple[Phase, ...]
    """Tasks are numbered through all of them."""
    shared: frozenset[str] = frozenset()
    """Temporaries that one phase leaves to another, so that all threads must see them."""
    shared_bytes: int = 0

    @property
    def tasks(self) -> int:
        """Tasks of all phases."""
        return sum(phase.tasks for phase in self.phases)

    def threads_of(self, most: int) -> int:
        """How many of `most` threads a call has work for."""
        return min(most, max(phase.tasks for phase in self.phases))

    def call_bytes(self, threads: int) -> int:
        """Workspace of a call over so many threads: a share of each, then what all share."""
        return self.workspace_bytes * threads + self.shared_bytes

    def consumer(self, operand: str) -> tuple[NestPlan, StagePlan] | None:
        """The nest that has an operand packed beforehand, and the stage that says how."""
        for plan in self.nests:
            for stage in plan.stages.values():
                if stage.stage.once and stage.stage.operand == operand:
                    return plan, stage
        return None

    def caller_operand(self, operand: str) -> str:
        """Which of the caller's operands is passed for what a nest reads: its source if packed."""
        for plan in self.nests:
            if plan.contraction.is_once and plan.contraction.output.operand == operand:
                return plan.contraction.constant
        return operand


def program(contraction: Contraction, schedule: Schedule) -> Program:
    """What `schedule` denotes for `contraction`.

    Raises:
        ScheduleError: it denotes nothing; the message says which part.
    """
    computed = statements(contraction, schedule.algorithm)
    places = list(_places(schedule.parts, (), {}))
    if len(places) != len(computed):
        raise ScheduleError(
            f"algorithm {schedule.algorithm} has {len(computed)} nests; {len(places)} were given"
        )
    temporaries = _temporaries(contraction, schedule, computed, places)
    plans = _resolved(computed, places, temporaries)
    kept = {n: t for n, t in temporaries.items() if not _is_packed(plans, n)}
    item = ITEM_BYTES[contraction.dtype]
    phases = _phases(schedule, plans)
    shared = frozenset(name for name in kept if _is_shared(name, schedule, plans, phases))
    own = {name: temporary for name, temporary in kept.items() if name not in shared}
    offsets, used, packing = _workspace(plans, own, item)
    between, shared_bytes = _placed({name: kept[name] for name in kept if name in shared}, item, 0)
    made = Program(
        contraction,
        schedule,
        tuple(plans),
        kept,
        offsets | between,
        used,
        packing,
        (),
        phases,
        shared,
        shared_bytes,
    )
    packed = tuple(
        (made.caller_operand(stage.stage.operand), plan.bytes_of(position))
        for plan in plans
        for position, stage in plan.stages.items()
        if stage.stage.once
    )
    return replace(made, packed=packed)


def _resolved(
    computed: tuple[Contraction, ...],
    places: list[tuple[Nest, Path, dict[str, int]]],
    temporaries: Mapping[str, Temporary],
) -> list[NestPlan]:
    """Every nest in its place, those that only pack last: they write where their reader stages."""
    homes = {name: temporary.home for name, temporary in temporaries.items()}
    plans: dict[int, NestPlan] = {}
    for index in sorted(range(len(computed)), key=lambda i: computed[i].is_once):
        made, (nest, path, shared) = computed[index], places[index]
        _check_shared(made, shared)
        if made.is_once:
            name = made.output.operand
            stage = next(
                (s for p in plans.values() for s in p.stages.values()
                 if s.stage.once and s.stage.operand == name),
                None,
            )  # fmt: skip
            if stage is None or path:
                raise ScheduleError(
                    f"{name} is computed once, so its nest stands alone and its reader stages it "
                    f"once"
                )
            homes[name] = stage.home
        plans[index] = resolve(made, nest, shared, homes)
    return [plans[index] for index in range(len(computed))]


def _is_packed(plans: list[NestPlan], operand: str) -> bool:
    return any(p.contraction.is_once and p.contraction.output.operand == operand for p in plans)


def _phases(schedule: Schedule, plans: Sequence[NestPlan]) -> tuple[Phase, ...]:
    """What runs at each call: each spread part a phase, those between two of them one together."""
    if len(schedule.spread) != len(schedule.parts):
        raise ScheduleError(
            f"parallel_before={list(schedule.parallel_before)} is not one count for each of the "
            f"{len(schedule.parts) - 1} parts before the last"
        )
    found: list[Phase] = []
    first = 0
    for position, (part, wanted) in enumerate(zip(schedule.parts, schedule.spread, strict=True)):
        plan = plans[first]
        first += count_nests(part)
        if plan.contraction.is_once:
            if wanted:
                raise ScheduleError(f"parallel={wanted} of a nest that only packs; allowed: 0")
            continue
        loops = _task_loops(part, wanted, plan)
        if not loops and found and not found[-1].loops:
            found[-1] = replace(found[-1], parts=(*found[-1].parts, position))
            continue
        extents = plan.contraction.extents
        tasks = prod(-(-extents[loop.axis] // loop.step) for loop in loops)
        found.append(Phase((position,), loops, tasks))
    return tuple(found)


def _is_shared(
    operand: str, schedule: Schedule, plans: Sequence[NestPlan], phases: Sequence[Phase]
) -> bool:
    """Whether nests of several phases write or read an operand."""
    part_of = [p for p, part in enumerate(schedule.parts) for _ in range(count_nests(part))]
    users = {
        part_of[index]
        for index, plan in enumerate(plans)
        if operand in {access.operand for access in plan.contraction.operands}
    }
    return sum(not users.isdisjoint(phase.parts) for phase in phases) > 1


def count_nests(part: Part) -> int:
    """Nests in a part of the schedule."""
    return sum(map(count_nests, part.parts)) if isinstance(part, Group) else 1


def _places(
    parts: tuple[Part, ...], path: Path, shared: Mapping[str, int]
) -> Iterator[tuple[Nest, Path, dict[str, int]]]:
    """Every nest with the group it is in and what the loops around it leave of their axes."""
    for position, part in enumerate(parts):
        if isinstance(part, Nest):
            yield part, path, dict(shared)
        else:
            inside = dict(shared)
            for loop in part.loops:
                if loop.axis in inside:
                    raise ScheduleError(f"two loops over {loop.axis} around several nests")
                inside[loop.axis] = loop.step
            yield from _places(part.parts, (*path, position), inside)


def _check_shared(made: Contraction, shared: Mapping[str, int]) -> None:
    for axis, step in shared.items():
        known = made.by_name.get(axis)
        if known is None or known.kind != "parallel" or not 1 <= step < known.extent:
            raise ScheduleError(
                f"loop over {axis} by {step} around several nests; needed: a parallel axis of "
                f"each, longer than the step"
            )


def _temporaries(
    contraction: Contraction,
    schedule: Schedule,
    computed: tuple[Contraction, ...],
    places: list[tuple[Nest, Path, dict[str, int]]],
) -> dict[str, Temporary]:
    """A buffer for each operand that is neither the caller's nor the output."""
    given = {access.operand for access in contraction.operands}
    found = {}
    for made in computed:
        access = made.output
        if access.operand in given:
            continue
        users = [
            path
            for other, (_, path, _) in zip(computed, places, strict=True)
            if access.operand in {a.operand for a in other.operands}
        ]
        scope = _common(users)
        shared = _loops_at(schedule.parts, scope)
        sizes = [
            shared.get(affine.terms[0][0], size) if affine.terms else size
            for affine, size in zip(access.index, access.shape, strict=True)
        ]
        strides = {
            affine.terms[0][0]: Stride(prod(sizes[d + 1 :]))
            for d, affine in enumerate(access.index)
            if affine.terms
        }
        home = Home(access.operand, "handed", strides)
        found[access.operand] = Temporary(access, scope, home, prod(sizes))
    return found


def _common(paths: list[Path]) -> Path:
    """The innermost group that all of these are in."""
    first = paths[0]
    length = 0
    while all(len(p) > length and p[: length + 1] == first[: length + 1] for p in paths):
        length += 1
    return first[:length]


def _loops_at(parts: tuple[Part, ...], path: Path) -> dict[str, int]:
    shared: dict[str, int] = {}
    for position in path:
        part = parts[position]
        if isinstance(part, Group):
            shared |= {loop.axis: loop.step for loop in part.loops}
            parts = part.parts
    return shared


def _workspace(
    plans: list[NestPlan], temporaries: Mapping[str, Temporary], item: int
) -> tuple[dict[tuple[int, int] | str, int], int, int]:
    """Offset of each buffer; bytes that a call needs, and bytes that packing needs."""
    offsets: dict[tuple[int, int] | str, int] = {}
    used = {False: 0, True: 0}
    for index, plan in enumerate(plans):
        is_once = plan.contraction.is_once
        for position, stage in plan.stages.items():
            if not stage.stage.once:
                offsets[index, position] = used[is_once]
                used[is_once] += plan.bytes_of(position)
    placed, end = _placed(temporaries, item, used[False])
    return offsets | placed, end, used[True]


def _placed(
    temporaries: Mapping[str, Temporary], item: int, first: int
) -> tuple[dict[tuple[int, int] | str, int], int]:
    """Offsets of temporaries one after the other from `first` on, and where they end."""
    offsets: dict[tuple[int, int] | str, int] = {}
    for name, temporary in temporaries.items():
        offsets[name] = first
        first += round_up(temporary.elements * item, ALIGN_BYTES)
    return offsets, first


def _task_loops(part: Part, wanted: int, plan: NestPlan) -> tuple[Loop, ...]:
    """The leading loops of a part that tasks range over.

    Args:
        part: of the schedule.
        wanted: how many.
        plan: the part's first nest.

    Raises:
        ScheduleError: there are not that many, or a stage or a reduction comes between.
    """
    if isinstance(part, Group):
        steps: list[object] = list(part.loops)
    else:
        steps = list(part.steps)
        while steps and isinstance(steps[0], Stage):
            if wanted and plan.output_stage == len(part.steps) - len(steps):
                raise ScheduleError("the output is staged outside the parallel loops")
            steps.pop(0)
    loops = tuple(step for step in steps[:wanted] if isinstance(step, Loop))
    if len(loops) < wanted:
        raise ScheduleError(f"parallel={wanted} needs that many leading loops in one run")
    kinds = plan.contraction.by_name
    for loop in loops:
        if kinds[loop.axis].kind != "parallel":
            raise ScheduleError(f"parallel loop over {loop.axis}: a reduction cannot be spread")
    if len({loop.axis for loop in loops}) != len(loops):
        raise ScheduleError("two parallel loops over one axis; one is allowed")
    return loops


def executed_multiply_adds(contraction: Contraction, schedule: Schedule) -> int:
    """Multiply-adds that a call executes: entries of constant matrices that are 0 cost none."""
    total = 0
    for made in statements(contraction, schedule.algorithm):
        if made.is_once:
            continue
        count = made.multiply_adds
        for factor in made.factors:
            entries = [value for row in factor.values for value in row]
            count = count * sum(value != 0 for value in entries) // len(entries)
        total += count
    return total
