"""Which points are worth building, thousands at once.

The rules repeat in NumPy what `ir.legal` says of one schedule, tighter where a candidate would cost
more to build than it could win, so that sampling never builds a schedule only to throw it away.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autotune.ir.contraction import Contraction
from autotune.ir.default import open_in_place
from autotune.ir.edges import Opening, edge_rounds
from autotune.ir.legal import pieces
from autotune.space.decode import Decoded
from autotune.space.tables import Ints, Tables

MAX_BODY = 640
"""Multiply-adds in one body: tighter than legality, so that builds stay short."""
MAX_CODE = 768
"""The same with all remainders. Source: our measurements on AVX2: of 600 direct schedules of seven
shapes none with more than 16 KiB of code was within 4% of the fastest of its shape, and on
convolutions they took a third to a half of the time that all builds took."""
MAX_INSTANCES = 16
MAX_SQUARES = 24
MAX_SCATTERED = 1024
MAX_STAGED_BYTES = 2**28


def broken(
    tables: Tables, made: Decoded, registers: int, item_bytes: int
) -> dict[str, NDArray[np.bool_]]:
    """By rule, (n,) which points break it."""
    body = made.accumulators * made.unroll.prod(axis=1)
    copies = instances(made)
    # Beside the accumulators: the vectors or the rows of one point, whichever are fewer, and one
    # value of the other kind at a time.
    rows = made.accumulators // np.maximum(made.vectors, 1)
    live = made.accumulators + np.minimum(made.vectors, rows) + 1
    columns = tables.columns
    too_big = np.zeros(len(made.points), np.bool_)
    for i in range(columns.inputs):
        for column in (columns.dims.start + i, columns.axes.start + i):
            at = made.value(column)
            size = made.elements(i, np.maximum(at, 0)) * item_bytes
            too_big |= (at >= 0) & (size > MAX_STAGED_BYTES)
    out = made.value(columns.out)
    region = made.regions(np.maximum(out, 0))[:, :-1].astype(np.float64)
    region[:, 0] = -(-region[:, 0] // made.tile[:, 0]) * made.vectors * made.lanes
    too_big |= (out >= 0) & (region.prod(axis=1) * item_bytes > MAX_STAGED_BYTES)
    lost = (made.split > 0) & (made.stores != 0) & (out < 0)
    return {
        f"a register tile of more than {registers} vectors, operands included": live > registers,
        f"more than {MAX_BODY} multiply-adds in one body": body > MAX_BODY,
        f"more than {MAX_CODE} multiply-adds with all remainders": body * copies > MAX_CODE,
        f"more than {MAX_INSTANCES} remainders": copies > MAX_INSTANCES,
        "stores too long for straight-line code": _store_code(tables, made) * copies > MAX_SQUARES,
        "a phase that is not known when code is generated": ~_phases_hold(tables, made),
        f"a staged buffer of more than {MAX_STAGED_BYTES} bytes": too_big,
        "a split reduction whose output is not staged": lost,
    }


def legal(tables: Tables, made: Decoded, registers: int, item_bytes: int) -> NDArray[np.bool_]:
    """(n,) which points break no rule."""
    rules = broken(tables, made, registers, item_bytes).values()
    return np.asarray(~np.any(list(rules), axis=0))


def instances(made: Decoded) -> Ints:
    """(n,) copies of the body that remainders make, as `ir.legal.instances` counts them."""
    extents, tile, block = made.extents[:, :-1], made.tile, made.block
    rest = np.where(block > 0, extents % np.maximum(block, 1), extents)
    copies = (rest >= tile).astype(np.int64) + (rest % tile > 0)
    copies = np.where(block > 0, 1 + np.where(rest > 0, copies, 0), copies)
    for v, variant in enumerate(made.tables.variants):
        found = open_in_place(variant.form)
        here = np.flatnonzero(made.variant == v) if found else ()
        if not len(here):
            continue
        for slot, axis in enumerate(variant.parallel):
            sizes, which = np.unique(tile[here, slot], return_inverse=True)
            written = [_written(variant.form.contraction, found, axis, int(size)) for size in sizes]
            copies[here, slot] = np.array(written, np.int64)[which]
    split = np.where(made.split > 0, made.split, 1)
    return np.asarray(copies.prod(axis=1) * (1 + (made.extents[:, -1] % split > 0)))


def _written(contraction: Contraction, found: list[Opening], axis: str, step: int) -> int:
    """Copies that the only loop over an axis makes."""
    extent = contraction.extents[axis]
    if step >= extent:
        return 1
    return len(pieces(extent, step, *edge_rounds(contraction, found, axis, extent, step)))


def _store_code(tables: Tables, made: Decoded) -> NDArray[np.float64]:
    """Squares turned in one instance of the body (or their worth in scalar stores)."""
    rows = np.ones(len(made.points), np.int64)
    size = np.ones(len(made.points), np.int64)
    for v, variant in enumerate(tables.variants):
        out = variant.form.contraction.output
        slot = next((s for s, a in enumerate(variant.parallel) if out.coefficient(a) == 1), None)
        here = made.variant == v
        if slot is not None and slot > 0:
            rows[here] = made.tile[here, slot]
            size[here] = -(-rows[here] // made.lanes[here])
    turned = made.accumulators / rows * size
    scattered = made.accumulators * made.lanes / MAX_SCATTERED * MAX_SQUARES
    code = np.where(made.stores == 1, turned, np.where(made.stores == 2, scattered, 0.0))
    staged = made.value(tables.columns.out) >= 0
    return np.asarray(np.where(staged, 0.0, code))


def _phases_hold(tables: Tables, made: Decoded) -> NDArray[np.bool_]:
    """Axes that pick a phase are unrolled in full."""
    good = np.ones(len(made.points), np.bool_)
    for v, variant in enumerate(tables.variants):
        here = made.variant == v
        for access, need in zip(variant.form.contraction.inputs, variant.needs, strict=True):
            if need != "phases":
                continue
            row = access.index[-1]
            count = row.coefficient(variant.form.vector)
            for slot, axis in enumerate(variant.reduction):
                if row.coefficient(axis) % count:
                    good &= ~here | (made.unroll[:, slot] == made.reduction[:, slot])
                    good &= ~here | (variant.split_axis != slot) | (made.split == 0)
    return good
