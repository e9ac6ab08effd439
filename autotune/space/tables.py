"""Variants as arrays: which columns a point has, and what each index means in each variant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autotune.ir.contraction import Access
from autotune.ir.edges import PAIR
from autotune.space.variants import SPLIT_SLOT, Variant

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Columns:
    """Where each knob is in a row."""

    parallel: int
    """Parallel slots."""
    reduction: int
    inputs: int

    @property
    def tile(self) -> slice:
        return slice(1, 1 + self.parallel)

    @property
    def block(self) -> slice:
        return slice(1 + self.parallel, 1 + 2 * self.parallel)

    @property
    def split(self) -> int:
        return 1 + 2 * self.parallel

    @property
    def outer(self) -> int:
        return self.split + 1

    @property
    def order(self) -> int:
        return self.split + 2

    @property
    def inner(self) -> int:
        return self.split + 3

    @property
    def unroll(self) -> slice:
        return slice(self.inner + 1, self.inner + 1 + self.reduction)

    @property
    def dims(self) -> slice:
        start = self.inner + 1 + self.reduction
        return slice(start, start + self.inputs)

    @property
    def axes(self) -> slice:
        start = self.inner + 1 + self.reduction + self.inputs
        return slice(start, start + self.inputs)

    @property
    def align(self) -> int:
        return self.inner + 1 + self.reduction + 2 * self.inputs

    @property
    def out(self) -> int:
        return self.align + 1

    @property
    def store(self) -> int:
        return self.align + 2

    @property
    def prefetch(self) -> int:
        return self.align + 3

    @property
    def spread(self) -> int:
        """Leading loops spread over tasks."""
        return self.align + 4

    @property
    def count(self) -> int:
        return self.align + 5


@dataclass(frozen=True)
class Orders:
    """A column of permutations: `slots[variant, index]` lists slots, `codes` finds an index."""

    slots: Ints
    movable: NDArray[np.bool_]
    codes: Ints
    """(variants, indices) code of each permutation, padded with -1."""

    def lookup(self, variant: Ints, slots: Ints) -> Ints:
        """Index of each permutation in its variant's list."""
        code = encode(slots)
        return np.asarray(np.argmax(self.codes[variant] == code[:, None], axis=1))


@dataclass(frozen=True)
class Tables:
    """Everything that decoding points needs, by variant."""

    variants: tuple[Variant, ...]
    columns: Columns
    counts: Ints
    """(variants, columns) number of values of each knob."""
    values: Ints
    """(variants, columns, values) what an index means; order columns hold none."""
    extents: Ints
    """(variants, parallel + 1) extents of the parallel slots and of the split reduction."""
    reduction_extents: Ints
    lanes: Ints
    split_slot: Ints
    is_split_inside: NDArray[np.bool_]
    outer: Orders
    order: Orders
    inner: Orders
    depends: NDArray[np.bool_]
    """(variants, inputs + output, parallel + 1): whether an operand moves with a loop slot."""
    halves: Ints
    """(variants, inputs): vectors loaded for each one that is used; two where a row has step 2."""

    @cached_property
    def has_blocks_only(self) -> bool:
        """Whether some block or split has no value that says "none"."""
        blocks, split = self.columns.block, self.columns.split
        return bool(self.values[:, blocks, 0].any() or self.values[:, split, 0].any())


def encode(slots: Ints) -> Ints:
    """A number that identifies each permutation of fewer than 16 slots."""
    weights = 16 ** np.arange(slots.shape[-1], dtype=np.int64)
    return np.asarray(slots @ weights)


def tables(variants: Sequence[Variant]) -> Tables:
    """The arrays of a list of variants."""
    first = variants[0].form.contraction
    columns = Columns(
        max(len(v.parallel) for v in variants),
        max(len(v.reduction) for v in variants),
        len(first.inputs),
    )
    rows = [_row(v, columns) for v in variants]
    widest = max(len(values) for row in rows for values in row)
    values = np.zeros((len(rows), columns.count, widest), np.int64)
    counts = np.zeros((len(rows), columns.count), np.int64)
    for i, row in enumerate(rows):
        for j, entries in enumerate(row):
            values[i, j, : len(entries)] = entries
            counts[i, j] = len(entries)
    counts[:, 0] = len(variants)
    return Tables(
        tuple(variants),
        columns,
        counts,
        values,
        np.array([_extents(v, columns) for v in variants], np.int64),
        np.array([_reductions(v, columns) for v in variants], np.int64),
        np.array([v.form.lanes for v in variants], np.int64),
        np.array([v.split_axis for v in variants], np.int64),
        np.array([v.is_split_inside for v in variants], np.bool_),
        _orders([v.outer for v in variants], columns.parallel + 1),
        _orders([v.order for v in variants], columns.parallel),
        _orders([v.inner for v in variants], columns.reduction),
        np.array([_depends(v, columns) for v in variants], np.bool_),
        np.array([_halves(v) for v in variants], np.int64),
    )


def _row(variant: Variant, columns: Columns) -> list[Sequence[int]]:
    """The values of every column; a slot that this variant lacks has one."""
    missing = columns.parallel - len(variant.parallel)
    row: list[Sequence[int]] = [(0,), *variant.tile, *[(1,)] * missing]
    row += [*variant.block, *[(0,)] * missing, variant.split]
    row += [range(len(variant.outer)), range(len(variant.order)), range(len(variant.inner))]
    row += [*variant.unroll, *[(1,)] * (columns.reduction - len(variant.reduction))]
    row += [*variant.dims, *variant.axes, variant.align, variant.out]
    row += [range(len(variant.store)), variant.prefetch, variant.parallel_loops]
    return row


def _extents(variant: Variant, columns: Columns) -> list[int]:
    extents = variant.form.contraction.extents
    sizes = [extents[axis] for axis in variant.parallel]
    sizes += [1] * (columns.parallel - len(sizes))
    split = variant.split_axis
    return [*sizes, extents[variant.reduction[split]] if split >= 0 else 1]


def _reductions(variant: Variant, columns: Columns) -> list[int]:
    extents = variant.form.contraction.extents
    sizes = [extents[axis] for axis in variant.reduction]
    return sizes + [1] * (columns.reduction - len(sizes))


def _orders(lists: Sequence[Sequence[tuple[int, ...]]], count: int) -> Orders:
    """Permutations padded to the same number of slots and of entries."""
    longest = max(len(entries) for entries in lists)
    slots = np.zeros((len(lists), longest, count), np.int64)
    codes = np.full((len(lists), longest), -1, np.int64)
    movable = np.zeros((len(lists), count), np.bool_)
    for i, entries in enumerate(lists):
        for j, entry in enumerate(entries):
            slots[i, j] = _complete(entry, count)
            codes[i, j] = encode(slots[i, j][None])[0]
        movable[i, slots[i, 0, : len(entries[0])]] = True
    return Orders(slots, movable, codes)


def _complete(order: tuple[int, ...], count: int) -> list[int]:
    """The order of the movable slots, then the others; the split is the last-numbered slot."""
    given = [count - 1 if slot == SPLIT_SLOT else slot for slot in order]
    return [*given, *(slot for slot in range(count) if slot not in given)]


def _halves(variant: Variant) -> list[int]:
    form, needs = variant.form, variant.needs
    steps = [access.coefficient(form.vector) for access in form.contraction.inputs]
    return [
        step if step == PAIR and form.lanes > 1 and need == "" else 1
        for step, need in zip(steps, needs, strict=True)
    ]


def _depends(variant: Variant, columns: Columns) -> list[list[bool]]:
    made = variant.form.contraction
    split = variant.reduction[variant.split_axis] if variant.split_axis >= 0 else ""
    names = [*variant.parallel, *[""] * (columns.parallel - len(variant.parallel)), split]

    def row(access: Access) -> list[bool]:
        return [name in access.axes for name in names]

    return [row(access) for access in (*made.inputs, made.output)]
