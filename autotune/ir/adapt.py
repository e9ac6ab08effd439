"""Carries a schedule to another shape of the same operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from autotune.errors import ScheduleError
from autotune.ir.algorithm import statements
from autotune.ir.contraction import Contraction, fuse
from autotune.ir.legal import violation
from autotune.ir.program import count_nests, program
from autotune.ir.schedule import Group, Loop, Nest, Part, Schedule, Stage, Step
from autotune.targets.base import Target


def adapt(schedule: Schedule, contraction: Contraction, target: Target) -> Schedule | None:
    """The schedule for another contraction of the same form, legal there, or None.

    Tiles keep their sizes where they fit; loops that would do nothing go; outer steps become
    multiples of inner ones again; stages that the new shape needs (padding) are added and `once`
    follows what is constant.
    """
    try:
        computed = statements(contraction, schedule.algorithm)
        if len(computed) != len(schedule.nests):
            return None
        parts = _parts(schedule.parts, computed, {})
        plain = replace(schedule, parts=parts, parallel=0, parallel_before=())
        adapted = _spread(contraction, plain, schedule.spread)
    except ScheduleError:
        return None
    return adapted if violation(contraction, adapted, target) is None else None


def _spread(contraction: Contraction, plain: Schedule, wanted: Sequence[int]) -> Schedule:
    """The schedule with as many of the wanted parallel loops of each part as are left.

    Raises:
        ScheduleError: it denotes nothing, spread or not.
    """
    program(contraction, plain)
    if len(wanted) != len(plain.parts):
        return plain
    found = plain
    for position, most in enumerate(wanted):
        for count in range(most, 0, -1):
            counts = [*found.spread]
            counts[position] = count
            if _denotes(contraction, found.spread_over(counts)):
                found = found.spread_over(counts)
                break
    return found


def _denotes(contraction: Contraction, schedule: Schedule) -> bool:
    try:
        program(contraction, schedule)
    except ScheduleError:
        return False
    return True


def _parts(
    parts: tuple[Part, ...], computed: tuple[Contraction, ...], shared: Mapping[str, int]
) -> tuple[Part, ...]:
    """The parts for the statements that they compute; a group that loses its loops dissolves."""
    found: list[Part] = []
    first = 0
    for part in parts:
        own = computed[first : first + count_nests(part)]
        first += len(own)
        if isinstance(part, Nest):
            found.append(_nest(part, own[0], shared))
            continue
        loops = tuple(loop for loop in part.loops if loop.step < own[0].extents.get(loop.axis, 1))
        around = {**shared, **{loop.axis: loop.step for loop in loops}}
        inner = _parts(part.parts, own, around)
        found += [Group(loops, inner)] if loops else inner
    return tuple(found)


def _nest(nest: Nest, made: Contraction, shared: Mapping[str, int]) -> Nest:
    for axes in nest.fuse:
        made = fuse(made, axes)
    steps = _steps(nest, made, shared)
    tile = {**made.extents, **shared}
    for step in steps:
        if isinstance(step, Loop):
            tile[step.axis] = step.step
    needed = {a.name for a in made.reduction if tile[a.name] > 1}
    inner = [(a, min(unroll, tile[a])) for a, unroll in nest.inner if a in needed]
    known = {axis for axis, _ in inner}
    inner += [(a.name, 1) for a in made.reduction if a.name in needed - known]
    is_straight = nest.store == "transpose" and made.output.coefficient(nest.vector) <= 1
    store = "direct" if is_straight else nest.store
    return replace(nest, steps=tuple(steps), inner=tuple(inner), store=store)


def _steps(nest: Nest, made: Contraction, shared: Mapping[str, int]) -> list[Step]:
    """The steps with sizes that fit, innermost first so that each outer step is a multiple."""
    inner_step: dict[str, int] = {}
    kept: list[Step] = []
    for step in reversed(nest.steps):
        if isinstance(step, Stage):
            once = step.once and step.operand == made.constant
            kept.append(replace(step, once=once) if step.once else step)
            continue
        extent = made.extents.get(step.axis)
        if extent is None:
            raise ScheduleError(f"no axis {step.axis} in this shape")
        base = inner_step.get(step.axis, 1)
        size = max(base, step.step // base * base)
        if size < shared.get(step.axis, extent) and size != inner_step.get(step.axis):
            kept.append(Loop(step.axis, size))
            inner_step[step.axis] = size
    kept.reverse()
    staged = {step.operand for step in kept if isinstance(step, Stage) and step.layout != "axes"}
    padded = [a for a in made.inputs if made.is_padded(a) and a.operand not in staged]
    return [*(Stage(a.operand, "dims") for a in padded), *kept]
