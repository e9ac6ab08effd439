"""Points as decisions, thousands at once: what each knob means, canonical form, and legality.

The rules repeat in NumPy what `ir.legal` and `ir.assemble` say of one schedule, so that sampling
never builds a schedule only to throw it away.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autotune.space.tables import Ints, Orders, Tables
from autotune.space.variants import NONE


@dataclass(frozen=True)
class Decoded:
    """The decisions of n points. Slots are as in `Variant`; the split is the last loop slot."""

    tables: Tables
    points: Ints
    variant: Ints
    tile: Ints
    """(n, parallel)."""
    block: Ints
    """(n, parallel); 0 where there is no such loop."""
    split: Ints
    """(n,); 0 where no reduction is split."""
    unroll: Ints
    """(n, reduction)."""
    loops: Ints
    """(n, loops) slot of each loop, outermost first."""
    steps: Ints
    """(n, loops) its step."""
    count: Ints
    """(n,) loops that exist; what follows in `loops` is filling."""

    @cached_property
    def extents(self) -> Ints:
        return np.asarray(self.tables.extents[self.variant])

    @cached_property
    def lanes(self) -> Ints:
        return np.asarray(self.tables.lanes[self.variant])

    @cached_property
    def vectors(self) -> Ints:
        return np.asarray(-(-self.tile[:, 0] // self.lanes))

    @cached_property
    def accumulators(self) -> Ints:
        return np.asarray(self.vectors * self.tile[:, 1:].prod(axis=1))

    @cached_property
    def reduction(self) -> Ints:
        """(n, reduction) extents of the reduction slots inside the register tile."""
        full = self.tables.reduction_extents[self.variant].copy()
        rows = np.nonzero(self.split)[0]
        full[rows, self.tables.split_slot[self.variant[rows]]] = self.split[rows]
        return full

    def value(self, column: int) -> Ints:
        """What the knob of a column says."""
        return np.asarray(self.tables.values[self.variant, column, self.points[:, column]])

    def values(self, columns: slice) -> Ints:
        width = range(columns.start, columns.stop)
        return (
            np.stack([self.value(c) for c in width], axis=1)
            if width
            else np.zeros((len(self.points), 0), np.int64)
        )

    def regions(self, position: Ints) -> Ints:
        """(n, parallel + 1) region of each loop slot inside `position` loops."""
        return np.asarray(self._regions[self._depth(position), np.arange(len(position))])

    def times(self, position: Ints) -> NDArray[np.float64]:
        """(n,) how often what is inside `position` loops runs."""
        return np.asarray(self._times[self._depth(position), np.arange(len(position))])

    def elements(self, operand: int, position: Ints) -> NDArray[np.float64]:
        """(n,) elements of the region that a stage of an input covers inside `position` loops."""
        rows = np.arange(len(position))
        return np.asarray(self._elements[operand][self._depth(position), rows])

    def _depth(self, position: Ints) -> Ints:
        return np.clip(position, 0, self.count)

    @cached_property
    def _regions(self) -> Ints:
        """(loops + 1, n, parallel + 1): `regions` at every depth."""
        found, rows = [self.extents], np.arange(len(self.points))
        for i in range(self.loops.shape[1]):
            region, slot = found[-1].copy(), self.loops[:, i]
            region[rows, slot] = np.where(i < self.count, self.steps[:, i], region[rows, slot])
            found.append(region)
        return np.stack(found)

    @cached_property
    def _times(self) -> NDArray[np.float64]:
        """(loops + 1, n): `times` at every depth."""
        rows = np.arange(len(self.points))
        found = [np.ones(len(rows))]
        for i in range(self.loops.shape[1]):
            around = self._regions[i, rows, self.loops[:, i]]
            trips = -(-around // np.maximum(self.steps[:, i], 1))
            found.append(np.where(i < self.count, found[-1] * trips, found[-1]))
        return np.stack(found)

    @cached_property
    def _elements(self) -> list[NDArray[np.float64]]:
        """By input, (loops + 1, n): `elements` at every depth."""
        regions = self._regions.astype(np.float64)
        found = [np.ones(regions.shape[:2]) for _ in range(self.tables.columns.inputs)]
        for v, variant in enumerate(self.tables.variants):
            here = np.flatnonzero(self.variant == v)
            if not len(here):
                continue
            made, region = variant.form.contraction, regions[:, here]
            sizes = {axis: region[:, :, s] for s, axis in enumerate(variant.parallel)}
            for axis in variant.reduction:
                sizes[axis] = np.full(region.shape[:2], float(made.extents[axis]))
            if variant.split_axis >= 0:
                sizes[variant.reduction[variant.split_axis]] = region[:, :, -1]
            for total, access, need in zip(found, made.inputs, variant.needs, strict=True):
                product = np.ones(region.shape[:2])
                if need == "axes" or (need == "" and not variant.form.in_place):
                    for axis in access.axes:
                        product *= sizes[axis]
                else:
                    for affine in access.index:
                        product *= 1.0 + sum(c * (sizes[axis] - 1) for axis, c in affine.terms)
                total[:, here] = product
        return found

    @cached_property
    def stores(self) -> NDArray[np.int64]:
        """(n,) 0 direct, 1 transpose, 2 scatter."""
        names = ("direct", "transpose", "scatter")
        column = self.tables.columns.store
        widest = int(self.tables.counts[:, column].max())
        codes = np.zeros((len(self.tables.variants), widest), np.int64)
        for i, variant in enumerate(self.tables.variants):
            codes[i, : len(variant.store)] = [names.index(name) for name in variant.store]
        return np.asarray(codes[self.variant, self.points[:, column]])


def decode(tables: Tables, points: Ints) -> Decoded:
    """The decisions of canonical points."""
    columns, variant = tables.columns, points[:, 0]

    def values(part: slice) -> Ints:
        return (
            np.stack(
                [tables.values[variant, c, points[:, c]] for c in range(part.start, part.stop)],
                axis=1,
            )
            if part.stop > part.start
            else np.zeros((len(points), 0), np.int64)
        )

    tile = values(columns.tile)
    block = values(columns.block) * tile
    extents = tables.extents[variant]
    block = np.where(block < extents[:, :-1], block, 0)
    split = tables.values[variant, columns.split, points[:, columns.split]]
    split = np.where(split < extents[:, -1], split, 0)
    outer = tables.outer.slots[variant, points[:, columns.outer]]
    order = tables.order.slots[variant, points[:, columns.order]]
    inside = tables.is_split_inside[variant]
    loops, steps, count = _loops(extents, tile, block, split, inside, outer, order)
    return Decoded(
        tables, points, variant, tile, block, split, values(columns.unroll), loops, steps, count
    )


def _loops(
    extents: Ints,
    tile: Ints,
    block: Ints,
    split: Ints,
    inside: NDArray[np.bool_],
    outer: Ints,
    order: Ints,
) -> tuple[Ints, Ints, Ints]:
    blocks = np.concatenate([block, np.where(inside, 0, split)[:, None]], axis=1)
    outer_steps = np.take_along_axis(blocks, outer, axis=1)
    around = np.where(block > 0, block, extents[:, :-1])
    tiles = np.where(tile < around, tile, 0)
    order_steps = np.take_along_axis(tiles, order, axis=1)
    last = np.full((len(split), 1), tile.shape[1], np.int64)
    slots = np.concatenate([outer, order, last], axis=1)
    innermost = np.where(inside, split, 0)[:, None]
    steps = np.concatenate([outer_steps, order_steps, innermost], axis=1)
    exists = steps > 0
    first = np.argsort(~exists, axis=1, kind="stable")
    return (
        np.take_along_axis(slots, first, axis=1),
        np.take_along_axis(steps, first, axis=1),
        exists.sum(axis=1),
    )


def canonical(tables: Tables, points: Ints) -> Ints:
    """The points with every knob that says nothing at its first value, and stages hoisted."""
    columns = tables.columns
    points = points.copy()
    points[:, 0] %= len(tables.variants)
    variant = points[:, 0]
    points[:, 1:] = np.minimum(points[:, 1:], tables.counts[variant, 1:] - 1)
    made = decode(tables, points)
    part = points[:, columns.block]
    part[made.block == 0] = 0
    points[made.split == 0, columns.split] = 0
    if tables.has_blocks_only:
        # No 0 is allowed: the first value is a block after all.
        made = decode(tables, points)
    moving = np.where(tables.is_split_inside[variant], 0, made.split)
    blocks = np.concatenate([made.block, moving[:, None]], axis=1) > 0
    _reorder(points, columns.outer, tables.outer, variant, blocks)
    around = np.where(made.block > 0, made.block, made.extents[:, :-1])
    _reorder(points, columns.order, tables.order, variant, made.tile < around)
    _clip_unrolls(tables, points, made)
    _reorder(points, columns.inner, tables.inner, variant, made.reduction > 1)
    _place_stages(tables, points, decode(tables, points))
    return points


def _reorder(
    points: Ints, column: int, orders: Orders, variant: Ints, active: NDArray[np.bool_]
) -> None:
    """Active slots keep their order; the others follow by number, movable ones first."""
    slots = orders.slots[variant, points[:, column]]
    count = slots.shape[1]
    if count == 0:
        return
    place = np.argsort(slots, axis=1)
    movable = orders.movable[variant]
    number = np.arange(count)
    key = np.where(active & movable, place, np.where(movable, count + number, 2 * count + number))
    points[:, column] = orders.lookup(variant, np.argsort(key, axis=1, kind="stable"))


def _clip_unrolls(tables: Tables, points: Ints, made: Decoded) -> None:
    part = tables.columns.unroll
    for i, column in enumerate(range(part.start, part.stop)):
        table = tables.values[made.variant, column]
        known = np.arange(table.shape[1]) < tables.counts[made.variant, column][:, None]
        fits = (table <= made.reduction[:, i : i + 1]) & known
        points[:, column] = np.minimum(points[:, column], np.maximum(fits.sum(axis=1) - 1, 0))


def _place_stages(tables: Tables, points: Ints, made: Decoded) -> None:
    """Each stage as far out as the loops that move its operand allow."""
    columns, variant = tables.columns, made.variant
    dims_at = []
    for i in range(columns.inputs):
        column = columns.dims.start + i
        at = _hoist(made, i, made.value(column))
        _set_position(tables, points, column, variant, at)
        dims_at.append(at)
    for i in range(columns.inputs):
        column = columns.axes.start + i
        wanted = made.value(column)
        at = np.where(wanted >= 0, np.maximum(_hoist(made, i, wanted), dims_at[i]), wanted)
        _set_position(tables, points, column, variant, at)
    store = made.stores
    first_split = np.where(
        made.split > 0, np.argmax(made.loops == columns.parallel, axis=1), made.count
    )
    wanted = made.value(columns.out)
    forced = (made.split > 0) & (store != 0) & (wanted < 0)
    wanted = np.where(forced, first_split, np.minimum(wanted, first_split))
    at = _hoist(made, columns.inputs, wanted)
    at = np.where((store == 0) & (made.split == 0), NONE, at)
    _set_position(tables, points, columns.out, variant, at)
    # The stages stand in the points, which `made` sees; its loops do not depend on them.
    points[_prefetched(tables, made) < 0, columns.prefetch] = 0
    _clip_spread(tables, points, made)


def _hoist(made: Decoded, operand: int, position: Ints) -> Ints:
    """The position moved out of loops that the operand does not depend on."""
    at = np.minimum(position, made.count)
    depends = made.tables.depends[made.variant, operand]
    depth = np.arange(1, made.loops.shape[1] + 1)
    moves = np.take_along_axis(depends, made.loops, axis=1) & (depth <= at[:, None])
    return np.where(at > 0, np.max(np.where(moves, depth, 0), axis=1), at)


def _set_position(tables: Tables, points: Ints, column: int, variant: Ints, at: Ints) -> None:
    """Write positions as indices; a position that the table lacks leaves the nearest one."""
    table = tables.values[variant, column]
    known = np.arange(table.shape[1]) < tables.counts[variant, column][:, None]
    distance = np.where(known, np.abs(table - at[:, None]), np.iinfo(np.int64).max)
    # A sign change is a change of kind (staged or not): only ever the last resort.
    distance = np.where(known & ((table < 0) != (at[:, None] < 0)), 10**6, distance)
    points[:, column] = np.argmin(distance, axis=1)


def _prefetched(tables: Tables, made: Decoded) -> Ints:
    """(n,) the input that a prefetch is for: packed, and read along the vector axis; or -1."""
    found = np.full(len(made.points), -1, np.int64)
    for i in range(tables.columns.inputs):
        packed = made.value(tables.columns.axes.start + i) != NONE
        found = np.where(packed & tables.depends[made.variant, i, 0], i, found)
    return found


def _clip_spread(tables: Tables, points: Ints, made: Decoded) -> None:
    """No more parallel loops than lead the nest without a stage or a reduction between them."""
    columns = tables.columns
    most = made.count.copy()
    rows = np.arange(len(points))
    seen = np.zeros((len(points), columns.parallel + 1), np.bool_)
    for i in range(made.loops.shape[1]):
        slot = made.loops[:, i]
        stop = (slot == columns.parallel) | seen[rows, slot]
        most = np.where(stop, np.minimum(most, i), most)
        seen[rows, slot] = True
    stages = [*range(columns.dims.start, columns.axes.stop), columns.out]
    for column in stages:
        at = made.value(column)
        most = np.where(at > 0, np.minimum(most, at), most)
    most = np.where(made.value(columns.out) == 0, 0, most)
    wanted = np.minimum(made.value(columns.spread), np.maximum(most, 1))
    _set_position(tables, points, columns.spread, made.variant, wanted)
