"""An analytic lower bound of a point's time, before anything is measured.

It need not be right, only to rank: multiply-adds with wasted lanes and remainders against loads and
latency in the register tile, plus what staging, stores and each cache level cost at least.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autotune.ir.default import LATENCY, LOAD_WORK
from autotune.space.decode import Decoded
from autotune.space.tables import Ints
from autotune.space.variants import NONE, ONCE
from autotune.targets.base import Target

CLOCK_HZ = 3.5e9
"""Only scales the bound; ranking does not depend on it."""
TILE_CYCLES = 20.0
L2_BYTES_PER_CYCLE, L3_BYTES_PER_CYCLE = 32.0, 12.0


def lower_bound(made: Decoded, target: Target, item: int) -> NDArray[np.float64]:
    """(n,) seconds."""
    return np.asarray(np.sum(cycles(made, target, item), axis=0) / CLOCK_HZ)


def cycles(made: Decoded, target: Target, item: int) -> list[NDArray[np.float64]]:
    """(n,) cycles each of the register tiles, staging, stores and memory."""
    return [
        _tile_cycles(made, target, item),
        _stage_cycles(made),
        _store_cycles(made),
        _memory_cycles(made, target, item),
    ]


def tile_counts(made: Decoded) -> NDArray[np.float64]:
    """(n,) register tiles in the whole contraction, each remainder counted as a whole one."""
    extents = made.extents[:, :-1]
    return np.asarray((-(-extents // made.tile)).prod(axis=1).astype(np.float64))


def tile_loads(made: Decoded) -> Ints:
    """(n,) loads that one point of the reduction takes in the register tile."""
    depends = made.tables.depends[made.variant]
    loads = np.zeros(len(made.points), np.int64)
    for i in range(made.tables.columns.inputs):
        vectors = made.vectors * made.tables.halves[made.variant, i]
        along = np.where(depends[:, i, 0], vectors, 1)
        rows = np.where(depends[:, i, 1:-1], made.tile[:, 1:], 1).prod(axis=1)
        loads += along * rows
    return loads


def _tile_cycles(made: Decoded, target: Target, item: int) -> NDArray[np.float64]:
    wide = target.vector_bytes // item
    work = made.accumulators * np.maximum(0.5, made.lanes / wide)
    body = np.maximum(np.maximum(work, tile_loads(made) * LOAD_WORK), LATENCY)
    points = made.tables.reduction_extents[made.variant].prod(axis=1)
    return np.asarray(tile_counts(made) * (points * body + TILE_CYCLES))


def _stage_cycles(made: Decoded) -> NDArray[np.float64]:
    """Elements copied, each time a stage runs."""
    columns = made.tables.columns
    cycles = np.zeros(len(made.points))
    for i in range(columns.inputs):
        for column, cost in ((columns.dims.start + i, 0.15), (columns.axes.start + i, 0.8)):
            at = made.value(column)
            elements = made.elements(i, np.maximum(at, 0))
            cycles += np.where(at >= 0, elements * made.times(at) * cost, 0.0)
    return cycles


def _store_cycles(made: Decoded) -> NDArray[np.float64]:
    elements = made.extents[:, :-1].astype(np.float64).prod(axis=1)
    each = np.choose(made.stores, [1.5 / made.lanes, 0.5, 2.0])
    staged = made.value(made.tables.columns.out) >= 0
    splits = np.where(made.split > 0, -(-made.extents[:, -1] // np.maximum(made.split, 1)), 1)
    again = (splits - 1 + staged) * 2.0 / made.lanes
    return np.asarray(elements * (each + again))


def _memory_cycles(made: Decoded, target: Target, item: int) -> NDArray[np.float64]:
    """Traffic of each input: what the innermost loops touch again from a level that holds it."""
    columns = made.tables.columns
    cycles = np.zeros(len(made.points))
    for i in range(columns.inputs):
        at = made.value(columns.axes.start + i)
        dims = made.value(columns.dims.start + i)
        at = np.where((at == NONE) | (at == ONCE), np.maximum(dims, 0), at)
        for level in range(made.loops.shape[1] + 1):
            position = np.minimum(np.full(len(at), level), made.count)
            inside = made.elements(i, position) * item
            if level == 0:
                fits_l1 = fits_l2 = np.zeros(len(at), np.bool_)
                l1_traffic = l2_traffic = np.zeros(len(at))
            runs = made.times(position)
            fill = inside * runs
            newly_l1 = ~fits_l1 & (inside <= target.l1_bytes / 2)
            newly_l2 = ~fits_l2 & (inside <= target.l2_bytes / 2)
            l1_traffic = np.where(newly_l1, fill, l1_traffic)
            l2_traffic = np.where(newly_l2, fill, l2_traffic)
            fits_l1, fits_l2 = fits_l1 | newly_l1, fits_l2 | newly_l2
        # From L2 where L1 does not hold the panel, from L3 where L2 does not.
        cycles += np.where(l1_traffic > 0, 0.25 * l1_traffic / L2_BYTES_PER_CYCLE, 0.0)
        cycles += np.where(l2_traffic > 0, 0.5 * l2_traffic / L3_BYTES_PER_CYCLE, 0.0)
    return cycles
