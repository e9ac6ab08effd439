"""A choice as a point: the way back from decisions to knobs, where the knobs can say them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autotune.ir.assemble import Choice
from autotune.ir.contraction import Access
from autotune.space.tables import Tables
from autotune.space.variants import NONE, ONCE, Variant


def encoded(tables: Tables, variant: int, choice: Choice) -> NDArray[np.int64] | None:
    """The row of a choice without blocks; None where a knob lacks a value.

    Not canonical yet, and not judged. A split is one that the variant forces on a long window.
    """
    knobs, columns = tables.variants[variant], tables.columns
    split = knobs.reduction[knobs.split_axis] if knobs.split_axis >= 0 else ""
    unrolls = dict(choice.inner)
    wanted = {columns.split: choice.tile.get(split, 0) if knobs.is_split_inside else 0}
    for slot, axis in enumerate(knobs.parallel):
        wanted[columns.tile.start + slot] = choice.tile[axis]
        wanted[columns.block.start + slot] = 0
    for slot, axis in enumerate(knobs.reduction):
        wanted[columns.unroll.start + slot] = unrolls[axis]
    for i, access in enumerate(knobs.form.contraction.inputs):
        wanted[columns.dims.start + i] = _position(choice, access, "dims")
        wanted[columns.axes.start + i] = _position(choice, access, "axes")
    wanted[columns.out] = _position(choice, knobs.form.contraction.output, "axes")
    wanted[columns.align], wanted[columns.prefetch] = 1, 0
    if choice.store not in knobs.store:
        return None
    wanted[columns.store] = knobs.store.index(choice.store)
    wanted[columns.order] = _order(knobs, choice)
    row = np.zeros(columns.count, np.int64)
    row[0] = variant
    for column, value in wanted.items():
        values = tables.values[variant, column, : tables.counts[variant, column]].tolist()
        is_number = column in (columns.order, columns.store)
        if not is_number and value not in values:
            return None
        row[column] = value if is_number else values.index(value)
    # As many loops over tasks as lead the nest: canonical form keeps those that can be.
    row[columns.spread] = tables.counts[variant, columns.spread] - 1
    return row


def _position(choice: Choice, access: Access, layout: str) -> int:
    """Loops around a stage of an operand, or that there is none, or that it is packed before."""
    for stage, at in choice.stages:
        if stage.operand == access.operand and stage.layout == layout:
            return ONCE if stage.once else at
    return NONE


def _order(knobs: Variant, choice: Choice) -> int:
    """Number of the permutation of the tile loops."""
    movable = set(knobs.order[0])
    slots = [knobs.parallel.index(axis) for axis in choice.order if axis in knobs.parallel]
    return knobs.order.index(tuple(slot for slot in slots if slot in movable))
