"""Points as named values: what every knob says, in words that outlive the numbering of a space.

Recorded sweeps keep these. A knob that a point does not have is 0, or "-" where it holds names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from autotune.space.base import Choice, Points, Space
from autotune.space.generated import GeneratedSpace
from autotune.space.partial import PartialSpace
from autotune.space.tables import Ints
from autotune.space.union import UnionSpace
from autotune.space.variants import NONE, ONCE
from autotune.space.winograd import WinogradSpace

ALGORITHM = "algorithm"
NO_NAME = "-"

Named = dict[str, list[Choice]]
"""Knob -> one value a point."""


def named(space: Space, points: Points) -> Named:
    """What every knob says of every point; equal points and no others have equal values."""
    found: Named = {}
    _name(space, points, np.arange(len(points)), len(points), found)
    return found


def _name(space: Space, points: Points, rows: NDArray[np.intp], count: int, found: Named) -> None:
    """Fill in the knobs of some rows."""
    if isinstance(space, UnionSpace):
        for i, member in enumerate(space.members):
            of_member, own = space.own(points, i)
            _name(member, own, rows[of_member], count, found)
    elif isinstance(space, WinogradSpace):
        _fill(found, rows, count, _winograd(space, points))
    elif isinstance(space, GeneratedSpace):
        for v in np.unique(points[:, 0]):
            of_variant = np.flatnonzero(points[:, 0] == v)
            _fill(found, rows[of_variant], count, _generated(space, points[of_variant]))
    else:
        raise TypeError(f"no names are known for points of a {type(space).__name__}")


def _fill(
    found: Named, rows: NDArray[np.intp], count: int, values: Mapping[str, Sequence[Choice]]
) -> None:
    for name, column in values.items():
        if not column:
            continue
        missing: Choice = NO_NAME if isinstance(column[0], str) else 0
        whole = found.setdefault(name, [missing] * count)
        for row, value in zip(rows, column, strict=True):
            whole[row] = value


def _winograd(space: WinogradSpace, points: Points) -> dict[str, list[Choice]]:
    values = space.values(points)
    algorithms: list[Choice] = [f"winograd{m}" for m in values.pop("outputs")]
    return {
        ALGORITHM: algorithms,
        **{f"winograd.{name}": column.tolist() for name, column in values.items()},
    }


def _generated(space: GeneratedSpace, points: Points) -> dict[str, list[Choice]]:
    """Points of one variant."""
    made, columns = space.decode(points), space.tables.columns
    variant = space.tables.variants[int(points[0, 0])]
    form, count = variant.form, len(points)
    algorithm = space.algorithm if isinstance(space, PartialSpace) else "direct"
    found: dict[str, list[Choice]] = {
        ALGORITHM: [algorithm] * count,
        "vector": [form.vector] * count,
        "lanes": [form.lanes] * count,
        "fuse": ["+".join(".".join(group) for group in form.fuse) or "none"] * count,
    }
    for slot, axis in enumerate(variant.parallel):
        found[f"tile.{axis}"] = made.tile[:, slot].tolist()
        found[f"block.{axis}"] = made.block[:, slot].tolist()
    for slot, axis in enumerate(variant.reduction):
        found[f"unroll.{axis}"] = made.unroll[:, slot].tolist()
    if variant.split_axis >= 0:
        found[f"split.{variant.reduction[variant.split_axis]}"] = made.split.tolist()
    loops = [*variant.parallel, *[""] * (columns.parallel - len(variant.parallel)), "split"]
    tables = space.tables
    found["outer"] = _orders(tables.outer.slots[points[:, 0], points[:, columns.outer]], loops)
    found["order"] = _orders(tables.order.slots[points[:, 0], points[:, columns.order]], loops)
    inner = tables.inner.slots[points[:, 0], points[:, columns.inner]]
    found["inner"] = _orders(inner, [*variant.reduction, *[""] * columns.reduction])
    for i, access in enumerate(form.contraction.inputs):
        found[f"stage.{access.operand}"] = _places(made.value(columns.dims.start + i))
        found[f"pack.{access.operand}"] = _places(made.value(columns.axes.start + i))
    found["stage.out"] = _places(made.value(columns.out))
    found["align"] = made.value(columns.align).tolist()
    found["store"] = [variant.store[place] for place in points[:, columns.store]]
    found["prefetch"] = made.value(columns.prefetch).tolist()
    found["spread"] = made.value(columns.spread).tolist()
    return found


def _orders(slots: Ints, names: Sequence[str]) -> list[Choice]:
    """Loops from the outermost on."""
    texts = {row: " ".join(names[slot] for slot in row if names[slot]) for row in map(tuple, slots)}
    return [texts[row] for row in map(tuple, slots)]


def _places(at: Ints) -> list[Choice]:
    """Whether an operand is staged, and inside how many loops."""
    words = {NONE: "none", ONCE: "once"}
    return [words.get(int(place), f"at {place}") for place in at]
