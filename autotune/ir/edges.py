"""Operands that register tiles read where the caller stores them, padding and all.

Nothing is staged for these: rounds of a loop in which a tile may touch an edge of the storage are
written apart, at positions known when code is generated, and those between need no check. A row of
step 2 is read as pairs of neighbouring vectors from even places, so a tile may reach one element
beyond its own at either end.
"""

from __future__ import annotations

from dataclasses import dataclass

from autotune.ir.contraction import Access, Affine, Contraction
from autotune.ir.homes import NestPlan
from autotune.ir.schedule import Loop

PAIR = 2
"""The step of a row that can be read as pairs of vectors."""


@dataclass(frozen=True)
class Opening:
    """A dimension whose places must be known: read beyond at an end, or by pairs."""

    operand: str
    affine: Affine
    size: int
    below: int = 0
    """Elements read below the first position that the axes give."""
    above: int = 0
    """Elements read beyond the last one."""


def is_paired(plan: NestPlan, access: Access) -> bool:
    """Whether the tile reads every second element of the operand's rows as pairs of vectors."""
    home, vector = plan.homes[access.operand], plan.nest.vector
    if home.kind != "storage" or plan.nest.lanes == 1 or plan.tile[vector] == 1:
        return False
    return home.step(vector) == access.index[-1].coefficient(vector) == PAIR


def openings(plan: NestPlan) -> list[Opening]:
    """Those of everything that the nest's register tiles read from the caller's storage."""
    found = []
    for access in plan.contraction.inputs:
        if plan.homes[access.operand].kind == "storage":
            found += open_dimensions(plan.contraction, access, is_paired(plan, access))
    return found


def open_dimensions(contraction: Contraction, access: Access, paired: bool) -> list[Opening]:
    """The dimensions of one operand whose places must be known."""
    found = []
    for dimension, (affine, size) in enumerate(zip(access.index, access.shape, strict=True)):
        low = affine.offset
        high = low + sum(c * (contraction.extents[axis] - 1) for axis, c in affine.terms)
        is_row = paired and dimension == len(access.shape) - 1
        below, above = (low % PAIR, (high + 1) % PAIR) if is_row else (0, 0)
        if is_row or low < below or high + above >= size:
            found.append(Opening(access.operand, affine, size, below, above))
    return found


def edge_rounds(
    contraction: Contraction, found: list[Opening], axis: str, region: int, step: int
) -> tuple[int, int]:
    """How many whole rounds of the only loop over an axis may touch an edge: first ones, last."""
    whole = region // step
    first = last = 0
    for opening in found:
        coefficient, offset = opening.affine.coefficient(axis), opening.affine.offset
        if not coefficient:
            continue
        others = sum(c * (contraction.extents[a] - 1) for a, c in opening.affine.terms if a != axis)
        low, high = offset - opening.below, offset + others + opening.above
        first = max(first, -(low // (coefficient * step)))
        inside = max(0, (opening.size - 1 - high) // coefficient + 1)
        last = max(last, whole - inside // step)
    first = min(first, whole)
    return first, min(last, whole - first)


def violation(plan: NestPlan) -> str | None:
    """Why the edges of what the nest reads in place cannot be told when code is generated."""
    kinds, unrolls = plan.contraction.by_name, dict(plan.nest.inner)
    for opening in openings(plan):
        name = opening.operand
        looped = [axis for axis, _ in opening.affine.terms if kinds[axis].kind == "parallel"]
        if len(looped) > 1:
            return f"{name} is read in place, at the sum of {' and '.join(looped)}; allowed: one"
        for axis, _ in opening.affine.terms:
            loops = [s for s in plan.nest.steps if isinstance(s, Loop) and s.axis == axis]
            if axis in plan.shared or len(loops) > (axis in looped):
                return f"{name} is read in place and needs fewer loops over {axis}"
            if axis not in looped and unrolls.get(axis, plan.tile[axis]) < plan.tile[axis]:
                return f"{name} is read in place and needs {axis} unrolled in full"
    vector, inputs = plan.nest.vector, plan.contraction.inputs
    moving = [access.operand for access in inputs if plan.homes[access.operand].step(vector)]
    if len(moving) > 1 and any(is_paired(plan, access) for access in inputs):
        return f"{' and '.join(moving)} move along {vector}; allowed by pairs: one alone"
    return None
