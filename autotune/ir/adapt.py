"""Carries a schedule to another shape of the same operator."""

from __future__ import annotations

from dataclasses import replace

from autotune.errors import ScheduleError
from autotune.ir.contraction import Contraction, fuse
from autotune.ir.legal import violation
from autotune.ir.program import task_loops
from autotune.ir.resolve import resolve
from autotune.ir.schedule import Loop, Nest, Schedule, Stage, Step
from autotune.targets.base import Target


def adapt(schedule: Schedule, contraction: Contraction, target: Target) -> Schedule | None:
    """The schedule for another contraction of the same form, legal there, or None.

    Tiles keep their sizes where they fit; loops that would do nothing go; outer steps become
    multiples of inner ones again; stages that the new shape needs (padding) are added and `once`
    follows what is constant.
    """
    if schedule.algorithm != "direct" or len(schedule.nests) != 1:
        return None
    try:
        nest = _nest(schedule.nests[0], contraction, target)
        plan = resolve(contraction, nest)
    except ScheduleError:
        return None
    if nest.store == "transpose" and plan.contraction.output.coefficient(nest.vector) <= 1:
        nest = replace(nest, store="direct")
    adapted = replace(schedule, parts=(nest,))
    while adapted.parallel:
        try:
            task_loops(adapted, adapted.parts, (plan,))
            break
        except ScheduleError:
            adapted = replace(adapted, parallel=adapted.parallel - 1)
    return adapted if violation(contraction, adapted, target) is None else None


def _nest(nest: Nest, contraction: Contraction, target: Target) -> Nest:
    fused = contraction
    for axes in nest.fuse:
        fused = fuse(fused, axes)
    steps = _steps(nest, fused)
    tile = dict(fused.extents)
    for step in steps:
        if isinstance(step, Loop):
            tile[step.axis] = step.step
    needed = {a.name for a in fused.reduction if tile[a.name] > 1}
    inner = [(a, min(unroll, tile[a])) for a, unroll in nest.inner if a in needed]
    known = {axis for axis, _ in inner}
    inner += [(a.name, 1) for a in fused.reduction if a.name in needed - known]
    return replace(nest, steps=tuple(steps), inner=tuple(inner))


def _steps(nest: Nest, fused: Contraction) -> list[Step]:
    """The steps with sizes that fit, innermost first so that each outer step is a multiple."""
    inner_step: dict[str, int] = {}
    kept: list[Step] = []
    for step in reversed(nest.steps):
        if isinstance(step, Stage):
            once = step.once and step.operand == fused.constant
            kept.append(replace(step, once=once) if step.once else step)
            continue
        extent = fused.extents.get(step.axis)
        if extent is None:
            raise ScheduleError(f"no axis {step.axis} in this shape")
        base = inner_step.get(step.axis, 1)
        size = max(base, step.step // base * base)
        if size < extent and size != inner_step.get(step.axis):
            kept.append(Loop(step.axis, size))
            inner_step[step.axis] = size
    kept.reverse()
    staged = {step.operand for step in kept if isinstance(step, Stage) and step.layout == "dims"}
    padded = [a for a in fused.inputs if fused.is_padded(a) and a.operand not in staged]
    return [*(Stage(a.operand, "dims") for a in padded), *kept]
