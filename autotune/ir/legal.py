"""The one function that judges a schedule, wherever it comes from.

The space, logs, imports and lookups all ask `violation`; lowering may assume what it checks. It
bounds everything a candidate can cost before a compiler sees it: registers, straight-line code,
buffers. Membership in today's search space is never required.
"""

from __future__ import annotations

from math import prod

from autotune.errors import ScheduleError
from autotune.ir import edges
from autotune.ir.contraction import ITEM_BYTES, Contraction
from autotune.ir.homes import NestPlan
from autotune.ir.program import program
from autotune.ir.schedule import Loop, Schedule
from autotune.targets.base import Target

MAX_ACCUMULATOR_RATIO = 2
"""Accumulators per vector register: above 1 they spill; twice is never worth measuring."""
MAX_BODY_OPERATIONS = 1536
"""Multiply-adds in one straight-line body. Source: build times on our machines stay under 0.3 s."""
MAX_TOTAL_OPERATIONS = 6144
"""Multiply-adds over all instances (remainders included) of the body."""
MAX_INSTANCES = 64
MAX_WORKSPACE_BYTES = 2**31
MAX_PACKED_BYTES = 2**40
"""A packed operand is about as large as the plain one, which the caller has anyway."""
MAX_PHASES = 16
MAX_ALIGN = 64
"""Elements that a row's pitch may be rounded up to: its padding is written out one by one."""
MAX_PREFETCH_BYTES = 65536


def violation(contraction: Contraction, schedule: Schedule, target: Target) -> str | None:
    """The first rule that `schedule` breaks for this contraction and target, or None.

    Proves: every name and step means something, every operand is readable as vectors where the
    register tile reads it, padding is resolved before it is read, the store fits the layout,
    reductions accumulate where they may, and code, registers and buffers are bounded.
    """
    try:
        made = program(contraction, schedule)
    except ScheduleError as error:
        return str(error)
    for plan in made.nests:
        reason = _violation(plan, target)
        if reason:
            return reason
    if len({plan.nest.lanes for plan in made.nests}) > 1:
        return "nests of different lanes in one schedule; one number of lanes is allowed"
    if made.call_bytes(1) > MAX_WORKSPACE_BYTES:
        return f"workspace of {made.call_bytes(1)} bytes; at most {MAX_WORKSPACE_BYTES}"
    for operand, size in made.packed:
        if size > MAX_PACKED_BYTES:
            return f"packed {operand} takes {size} bytes; at most {MAX_PACKED_BYTES}"
    return None


def _violation(plan: NestPlan, target: Target) -> str | None:
    rules = (_lanes, _align, _loads, _store, _registers, _code, _prefetch)
    for rule in rules:
        reason = rule(plan, target)
        if reason:
            return reason
    return None


def _lanes(plan: NestPlan, target: Target) -> str | None:
    lanes, item = plan.nest.lanes, ITEM_BYTES[plan.contraction.dtype]
    most = target.vector_bytes // item
    if lanes & (lanes - 1) or lanes > most:
        return f"lanes={lanes}; allowed: a power of two up to {most} on this target"
    return None


def _align(plan: NestPlan, target: Target) -> str | None:
    for stage in plan.nest.stages:
        if stage.align > MAX_ALIGN:
            return f"stage of {stage.operand} with align={stage.align}; at most {MAX_ALIGN}"
    return None


def _loads(plan: NestPlan, target: Target) -> str | None:
    vector = plan.nest.vector
    for access in plan.contraction.inputs:
        home = plan.homes[access.operand]
        step = home.step(vector)
        is_single = plan.nest.lanes == 1 or plan.tile[vector] == 1
        if step not in (0, 1) and not is_single and not edges.is_paired(plan, access):
            return f"{access.operand} moves {step} elements along {vector}; allowed: 0 or 1"
        if home.phases:
            reason = _phases(plan, access.operand)
            if reason:
                return reason
    return edges.violation(plan)


def _phases(plan: NestPlan, operand: str) -> str | None:
    """Axes that pick a phase are unrolled in full, and not looped over inside the stage."""
    phases = plan.homes[operand].phases
    if phases and phases.count > MAX_PHASES:
        return f"stage of {operand} by {phases.count} phases; at most {MAX_PHASES}"
    position = next(i for i, p in plan.stages.items() if p.stage.operand == operand)
    unrolls = dict(plan.nest.inner)
    for axis, _ in phases.odd if phases else ():
        if plan.contraction.by_name[axis].kind == "parallel":
            return f"phases of {operand} depend on the parallel axis {axis}"
        looped = [s for s in plan.nest.steps[position:] if isinstance(s, Loop) and s.axis == axis]
        if looped or (plan.tile[axis] > 1 and unrolls[axis] < plan.tile[axis]):
            return f"phases of {operand} need {axis} unrolled in full"
    return None


def _store(plan: NestPlan, target: Target) -> str | None:
    nest, out = plan.nest, plan.contraction.output
    staged = plan.output_stage is not None
    if plan.contraction.is_padded(out):
        reason = _clips(plan)
        if reason:
            return reason
    step = out.coefficient(nest.vector)
    is_vector = nest.lanes > 1 and plan.contraction.extents[nest.vector] > 1
    if nest.store == "direct" and is_vector and step != 1:
        return f"store direct: the output moves {step} elements along {nest.vector}; allowed: 1"
    if nest.store == "transpose":
        row = contiguous_axis(plan)
        if step == 1 or row is None or not is_vector:
            return "store transpose: the output has no other contiguous axis to turn to"
    if plan.split_reductions and not staged and nest.store != "direct":
        return f"store {nest.store} with a split reduction needs the output staged"
    return None


def _clips(plan: NestPlan) -> str | None:
    """Outputs that overrun their storage are staged as lanes, their rows whole."""
    position, out = plan.output_stage, plan.contraction.output
    if position is None or plan.stages[position].stage.layout != "lanes":
        return "the output overruns its storage in the last tiles; it must be staged as lanes"
    for axis, _ in out.index[-1].terms:
        extent = plan.contraction.extents[axis]
        if plan.regions[position][axis] < extent and axis != plan.nest.vector:
            return f"the output is staged inside a loop over {axis}, which cuts its rows"
    return None


def contiguous_axis(plan: NestPlan) -> str | None:
    """The parallel axis of more than one step along which the output is contiguous."""
    out = plan.contraction.output
    names = (axis.name for axis in plan.contraction.parallel)
    return next((name for name in names if out.coefficient(name) == 1), None)


def _registers(plan: NestPlan, target: Target) -> str | None:
    # Transforms have the whole matrix in the tile, and little else to do with registers.
    ratio = MAX_ACCUMULATOR_RATIO * (2 if plan.contraction.factors else 1)
    most = ratio * target.vector_registers
    if plan.accumulators > most:
        return f"register tile of {plan.accumulators} vectors; at most {most} on this target"
    return None


def _code(plan: NestPlan, target: Target) -> str | None:
    body = plan.accumulators * prod(unroll for _, unroll in plan.nest.inner)
    if body > MAX_BODY_OPERATIONS:
        return f"{body} multiply-adds in one straight-line body; at most {MAX_BODY_OPERATIONS}"
    count = instances(plan)
    if count > MAX_INSTANCES:
        return f"{count} instances of the body for the remainders; at most {MAX_INSTANCES}"
    if body * count > MAX_TOTAL_OPERATIONS:
        return f"{body * count} multiply-adds in all instances; at most {MAX_TOTAL_OPERATIONS}"
    return None


def instances(plan: NestPlan) -> int:
    """Copies of the body that remainders make: each loop that does not divide writes one more."""
    count, found = 1, edges.openings(plan)
    for axis in plan.contraction.axes:
        regions = [axis.extent]
        around = plan.shared.get(axis.name)
        steps = [around] if around else []
        steps += [loop.step for loop in plan.nest.loops if loop.axis == axis.name]
        for step in steps:
            apart = edges.edge_rounds(plan.contraction, found, axis.name, regions[0], step)
            regions = [piece for region in regions for piece in pieces(region, step, *apart)]
        count *= len(regions)
    for name, unroll in plan.nest.inner:
        count += 1 if plan.tile[name] % unroll else 0
    return count


def pieces(region: int, step: int, first: int = 0, last: int = 0) -> list[int]:
    """The sizes for which a loop over a region is written: whole steps, and what is left.

    As many of the `first` and `last` whole rounds are written apart.
    """
    whole, left = divmod(region, step)
    written = first + last + (whole > first + last)
    return [step] * written + [left] * bool(left)


def _prefetch(plan: NestPlan, target: Target) -> str | None:
    inputs = [access.operand for access in plan.contraction.inputs]
    for operand, ahead in plan.nest.prefetch:
        if operand not in inputs or ahead > MAX_PREFETCH_BYTES:
            return (
                f"prefetch of {operand} {ahead} bytes ahead; allowed: {', '.join(inputs)}, "
                f"up to {MAX_PREFETCH_BYTES}"
            )
    return None
