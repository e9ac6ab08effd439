"""The space of reductions in parts: a generated space of their sums, and a nest that adds these up.

`generate` offers it where a reduction is long and outputs are too few. Parts give idle threads
work; lanes fill vectors along the reduction itself, with no operand turned for them.
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from autotune.ir.algorithm import LANE, PART, longest_reduction, partial, statements
from autotune.ir.contraction import ITEM_BYTES, Contraction
from autotune.ir.default import LATENCY, long_window
from autotune.ir.schedule import Loop, Nest, Schedule
from autotune.space.base import Choice, Narrowing, Points
from autotune.space.bound import CLOCK_HZ
from autotune.space.generated import GeneratedSpace
from autotune.targets.base import Target

MIN_LENGTH = 1024
"""Of the reduction that is cut."""
PARTS = (4, 16, 64)
LANE_VECTORS = (1, 8)
"""Vectors that the lanes of one part fill: several where there is but one output."""
CLOSING_ACCUMULATORS = 8


def offered(contraction: Contraction, target: Target) -> tuple[str, ...]:
    """The algorithms that may pay: none where the outputs alone keep all threads busy.

    Over one thread parts without lanes are for outputs that fill no vector, and only where lanes
    cannot be had: these were always faster. Source: docs/decisions.md.
    """
    axis = longest_reduction(contraction)
    if axis is None or axis.extent < MIN_LENGTH or long_window(contraction):
        return ()
    full = max(1, target.vector_bytes // ITEM_BYTES[contraction.dtype])
    outputs = prod(a.extent for a in contraction.parallel)
    if outputs >= LATENCY * full * target.threads:
        return ()
    found = []
    has_lanes = _is_contiguous(contraction, axis.name)
    if outputs > 1 and (target.threads > 1 or (outputs <= full and not has_lanes)):
        found += [partial(n) for n in _divisors(axis.extent, PARTS) if n > 1]
    for lanes in (vectors * full for vectors in LANE_VECTORS if has_lanes):
        if lanes > 1 and axis.extent % lanes == 0:
            wanted = (1, 8 * -(-target.threads // 4))
            found += [partial(n, lanes) for n in _divisors(axis.extent // lanes, wanted)]
    return tuple(found)


def _divisors(extent: int, wanted: tuple[int, ...]) -> list[int]:
    """For each wanted number the divisor next to it, if there is one of about its size."""
    divisors = [n for n in range(1, min(extent, 2 * max(wanted)) + 1) if extent % n == 0]
    near = [min(divisors, key=lambda n: max(n / w, w / n)) for w in wanted]
    return sorted({n for n, w in zip(near, wanted, strict=True) if w <= 2 * n <= 4 * w})


def _is_contiguous(contraction: Contraction, axis: str) -> bool:
    """Whether all that is read at each call lies along the axis, element by element."""
    steps = {a.operand: a.coefficient(axis) for a in contraction.inputs}
    steps.pop(contraction.constant, None)
    return all(step in (0, 1) for step in steps.values()) and 1 in steps.values()


class PartialSpace(GeneratedSpace):
    """Schedules of one partial algorithm: points of the space of its first statement."""

    def __init__(self, contraction: Contraction, target: Target, algorithm: str) -> None:
        """Generate.

        Raises:
            ScheduleError: the contraction has no such algorithm.
            SpaceError: it has nothing to put in vectors.
        """
        first, self._last = statements(contraction, algorithm)
        self.algorithm = algorithm
        names = tuple(a.name for a in first.parallel if a.name != PART)
        # Other nests run over the axes of the sums, so that none may be fused.
        only: dict[str, tuple[Choice, ...]] = {"vector": names, "fuse": ("none",)}
        full = target.vector_bytes // ITEM_BYTES[contraction.dtype]
        if LANE in names:
            only["vector"] = (LANE,)
        if first.extents.get(LANE, 1) % full == 0:
            only["lanes"] = (full,)
        super().__init__(first, target, Narrowing(algorithm, algorithm, only))

    def bound(self, points: Points) -> NDArray[np.float64]:
        """Of the sums of the parts, and of adding those up."""
        lanes = self.target.vector_bytes // self._item
        is_turned = self._last.by_name.get(LANE) is not None
        cycles = self._last.multiply_adds * (0.5 if is_turned else 1.0 / lanes)
        return np.asarray(super().bound(points) + cycles / CLOCK_HZ)

    def schedule(self, point: NDArray[np.int64]) -> Schedule:
        first = super().schedule(point)
        (nest,) = first.nests
        both = Schedule((nest, closing(self._last, nest.lanes)), self.algorithm)
        return both.spread_over([first.parallel, 0])


def closing(made: Contraction, lanes: int) -> Nest:
    """The nest that adds up the sums of the parts.

    Vectors lie along the axis in which the sums do; where lanes of a part lie there, each vector
    has one output only, and some outputs are added up at a time.
    """
    (sums,) = made.inputs
    across = next((a.name for a in made.parallel if sums.coefficient(a.name) == 1), None)
    names = [axis for axis in made.axes if axis.kind == "parallel"]
    vector = across or min(names, key=lambda a: a.extent).name
    extents = made.extents
    vectors = min(4, -(-extents[vector] // lanes)) if across else 1
    others = [a.name for a in made.parallel if a.name != vector]
    tile = dict.fromkeys(others, 1)
    if others:
        longest = max(others, key=lambda name: extents[name])
        tile[longest] = min(extents[longest], CLOSING_ACCUMULATORS // vectors)
    tile[vector] = vectors * lanes if across else 1
    loops = tuple(Loop(name, step) for name, step in tile.items() if step < extents[name])
    inner = tuple((a.name, min(a.extent, 8 if a.name == LANE else 4)) for a in made.reduction)
    is_straight = extents[vector] == 1 or made.output.coefficient(vector) == 1
    return Nest(loops, vector, lanes, inner, "direct" if is_straight else "scatter")
