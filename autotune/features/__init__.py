"""Features of points: what a cost model sees, computed for thousands at once, nothing lowered.

The length is fixed whatever the operator, so that one model can learn from several. Sizes are log2;
raise VERSION whenever the meaning of a column changes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from autotune.ir.contraction import ITEM_BYTES
from autotune.space.base import Points, Space
from autotune.space.bound import CLOCK_HZ, cycles, tile_counts, tile_loads
from autotune.space.decode import Decoded
from autotune.space.generated import GeneratedSpace
from autotune.space.rules import instances
from autotune.space.union import UnionSpace
from autotune.space.variants import NONE, ONCE
from autotune.space.winograd import WinogradSpace
from autotune.targets.base import Target

VERSION = 2
SLOTS, REDUCTIONS, INPUTS, DEPTHS = 4, 3, 2, 4
"""How many slots, reduction axes, inputs and innermost loop levels have columns of their own."""

Column = NDArray[np.float64]


def compute(space: Space, points: Points) -> NDArray[np.float32]:
    """(n, len(NAMES)) float32 features of n points of a generated space."""
    found = np.zeros((len(points), len(NAMES)), np.float32)
    if isinstance(space, UnionSpace):
        for i, member in enumerate(space.members):
            rows, own = space.own(points, i)
            if len(rows):
                found[rows] = compute(member, own)
    elif isinstance(space, WinogradSpace):
        for name, values in _winograd(space, points).items():
            found[:, NAMES.index(name)] = values
    elif isinstance(space, GeneratedSpace):
        made, item = space.decode(points), ITEM_BYTES[space.contraction.dtype]
        columns = [c for group in _GROUPS for c in group(made, space.target, item)]
        found[:, : len(columns)] = np.stack(columns, axis=1)
    else:
        raise TypeError(f"no features are known for points of a {type(space).__name__}")
    return found


def _winograd(space: WinogradSpace, points: Points) -> dict[str, Column]:
    """The products' register tile under the same names as any other, and what is handed on."""
    value, size = space.values(points), space.sizes(points)
    rows, columns = value["tile_rows"], value["tile_columns"]
    accumulators = rows * columns * value["vectors"]
    loads = rows * columns + value["vectors"]
    covered = -(-size["tall"] // rows) * rows * -(-size["wide"] // columns) * columns
    handed, target = space.handed_bytes(points), space.target
    multiply_adds = space.contraction.multiply_adds
    block = np.where(value["filters"] > 0, value["filters"] * value["vectors"] * space.lanes, 0)
    found = {
        "lanes": _log(np.full(len(points), space.lanes)),
        "vectors": _log(value["vectors"]),
        "accumulators": _log(accumulators),
        "register_share": accumulators / target.vector_registers,
        "loads": _log(loads),
        "reuse": accumulators / loads,
        "useful": size["tall"] * size["wide"] / covered,
        "tile_0": _log(value["vectors"] * space.lanes),
        "tile_1": _log(columns),
        "tile_2": _log(rows),
        "reduction": _log(size["channels"]),
        "body": _log(accumulators * value["unroll"]),
        "inner_unroll": _log(value["unroll"]),
        "prefetch": _log(np.maximum(value["prefetch"], 1)),
        "outputs": value["outputs"] * 1.0,
        "handed": _log(handed),
        "handed_l2_share": _log(handed / target.l2_bytes),
        "rounds": _log(-(-size["tall"] // value["rows"])),
        "filters_at_once": _log(np.where(block > 0, block, size["filters"])),
        "channels_at_once": _log(
            np.where(value["channels"] > 0, value["channels"] * space.lanes, size["channels"])
        ),
        "cycles_per_flop": _log(space.bound(points) * CLOCK_HZ / multiply_adds),
        "flop": _log(np.full(len(points), multiply_adds)),
    }
    return {name: np.asarray(values, np.float64) for name, values in found.items()}


def _log(values: NDArray[np.generic] | float) -> Column:
    return np.asarray(np.log2(np.maximum(np.asarray(values, np.float64), 2.0**-20)))


def _part(values: NDArray[np.int64], index: int, missing: float = 1.0) -> Column:
    """A column of a table, or a filling where this space has fewer."""
    if index < values.shape[1]:
        return np.asarray(values[:, index], np.float64)
    return np.full(len(values), missing)


def _tile(made: Decoded, target: Target, item: int) -> list[Column]:
    loads = tile_loads(made)
    covered = tile_counts(made) * made.tile.prod(axis=1)
    useful = made.extents[:, :-1].prod(axis=1) / covered
    padded = made.extents[:, 0] / (
        -(-made.extents[:, 0] // made.tile[:, 0]) * made.vectors * made.lanes
    )
    found = [
        _log(made.lanes),
        _log(made.lanes * item / target.vector_bytes),
        _log(made.vectors),
        _log(made.accumulators),
        made.accumulators / target.vector_registers,
        _log(loads),
        made.accumulators / loads,
        np.asarray(useful),
        np.asarray(padded),
        _log(tile_counts(made)),
        _log(instances(made)),
    ]
    return found + [_log(_part(made.tile, slot)) for slot in range(SLOTS)]


def _reduction(made: Decoded, target: Target, item: int) -> list[Column]:
    orders = made.tables.inner
    inner = orders.slots[made.variant, made.points[:, made.tables.columns.inner]]
    last = inner[:, -1:] if inner.shape[1] else np.zeros((len(made.points), 1), np.int64)
    width = made.reduction.shape[1]
    full = made.reduction if width else np.ones((len(made.points), 1), np.int64)
    factor = made.unroll if width else np.ones((len(made.points), 1), np.int64)
    body = made.accumulators * made.unroll.prod(axis=1)
    return [
        _log(full.prod(axis=1)),
        _log(body),
        _log(np.take_along_axis(full, last, axis=1)[:, 0]),
        _log(np.take_along_axis(factor, last, axis=1)[:, 0]),
        _log(np.where(made.split > 0, -(-made.extents[:, -1] // np.maximum(made.split, 1)), 1)),
        *[_log(_part(full, slot)) for slot in range(REDUCTIONS)],
        *[_log(_part(factor, slot)) for slot in range(REDUCTIONS)],
        *[(last[:, 0] == slot).astype(np.float64) for slot in range(REDUCTIONS)],
    ]


def _stages(made: Decoded, target: Target, item: int) -> list[Column]:
    columns, found = made.tables.columns, list[Column]()
    for i in range(INPUTS):
        if i >= columns.inputs:
            found += [np.zeros(len(made.points))] * 7
            continue
        dims = made.value(columns.dims.start + i)
        axes = made.value(columns.axes.start + i)
        for at in (dims, axes):
            elements = made.elements(i, np.maximum(at, 0))
            found.append(np.where(at >= 0, _log(elements * item), -1.0))
            found.append(np.where(at >= 0, _log(made.times(at) * elements * item), -1.0))
        found += [(axes == NONE) * 1.0, (axes == ONCE) * 1.0, np.minimum(axes, 8) * 1.0]
    out = made.value(columns.out)
    return [
        *found,
        (out >= 0) * 1.0,
        np.where(out >= 0, _log(made.times(out)), -1.0),
        (made.stores == 1) * 1.0,
        (made.stores == 2) * 1.0,
        _log(np.maximum(made.value(columns.prefetch), 1)),
        _log(made.value(columns.align)),
        made.value(columns.spread) * 1.0,
    ]


def _nest(made: Decoded, target: Target, item: int) -> list[Column]:
    """Footprints and reuse inside each of the innermost loops, and what those loops run over."""
    found = list[Column]()
    rows = np.arange(len(made.points))
    depends = made.tables.depends[made.variant]
    for depth in range(DEPTHS):
        position = np.maximum(made.count - depth, 0)
        total = np.zeros(len(rows))
        for i in range(INPUTS):
            if i >= made.tables.columns.inputs:
                found.append(np.zeros(len(rows)))
                continue
            size = made.elements(i, position) * item
            total += size
            found.append(_log(size))
        found.append(_log(total / target.l1_bytes))
        found.append(_log(total / target.l2_bytes))
        slot = made.loops[rows, np.maximum(position - 1, 0)]
        exists = position > 0
        found.append(np.where(exists, slot == 0, False) * 1.0)
        for i in range(INPUTS):
            moves = depends[rows, min(i, depends.shape[1] - 1), slot]
            found.append(np.where(exists, moves, False) * 1.0)
    return found


def _bounds(made: Decoded, target: Target, item: int) -> list[Column]:
    parts = cycles(made, target, item)
    total = np.sum(parts, axis=0)
    flop = made.tables.reduction_extents[made.variant].prod(axis=1) * made.extents[:, :-1].prod(
        axis=1
    )
    return [_log(total / flop), *[np.asarray(part / total) for part in parts], _log(flop)]


_GROUPS: tuple[Callable[[Decoded, Target, int], list[Column]], ...] = (
    _tile,
    _reduction,
    _stages,
    _nest,
    _bounds,
)


def _names() -> tuple[str, ...]:
    tile = ["lanes", "width", "vectors", "accumulators", "register_share", "loads", "reuse"]
    tile += ["useful", "useful_lanes", "tiles", "instances"]
    tile += [f"tile_{slot}" for slot in range(SLOTS)]
    reduction = ["reduction", "body", "inner_extent", "inner_unroll", "splits"]
    for kind in ("reduction", "unroll", "innermost_is"):
        reduction += [f"{kind}_{slot}" for slot in range(REDUCTIONS)]
    stages = []
    for i in range(INPUTS):
        stages += [f"dims_bytes_{i}", f"dims_traffic_{i}", f"axes_bytes_{i}", f"axes_traffic_{i}"]
        stages += [f"unpacked_{i}", f"packed_once_{i}", f"packed_at_{i}"]
    stages += ["out_staged", "out_times", "turned", "scattered", "prefetch", "align", "spread"]
    nest = []
    for depth in range(DEPTHS):
        nest += [f"footprint_{i}_at_{depth}" for i in range(INPUTS)]
        nest += [f"l1_share_at_{depth}", f"l2_share_at_{depth}", f"is_vector_at_{depth}"]
        nest += [f"moves_{i}_at_{depth}" for i in range(INPUTS)]
    bounds = ["cycles_per_flop", "tile_share", "stage_share", "store_share", "memory_share", "flop"]
    winograd = ["outputs", "handed", "handed_l2_share", "rounds", "filters_at_once"]
    winograd += ["channels_at_once"]
    return tuple(tile + reduction + stages + nest + bounds + winograd)


NAMES = _names()
