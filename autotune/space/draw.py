"""How spaces find legal points: by drawing or moving and keeping, or by walking a whole grid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from autotune.space.base import Points

SAMPLE_ROUNDS = 24
NEIGHBOUR_ROUNDS = 4
GRID_CHUNK = 32768
"""A round costs as much for a few points as for hundreds, and a chain can wait for the next."""


def legal_points(draw: Callable[[int], Points], count: int) -> Points:
    """At most `count` of what `draw` keeps of as many raw rows as it is asked for."""
    found: list[Points] = []
    missing = count
    for _ in range(SAMPLE_ROUNDS):
        found.append(draw(max(4 * missing, 64))[:missing])
        missing -= len(found[-1])
        if missing <= 0:
            break
    return np.concatenate(found)


def legal_neighbours(
    points: Points,
    change: Callable[[Points], Points],
    is_legal: Callable[[Points], NDArray[np.bool_]],
) -> Points:
    """Each point changed into another legal one; itself where no round found any."""
    result = points.copy()
    waiting = np.arange(len(points))
    for _ in range(NEIGHBOUR_ROUNDS):
        if not len(waiting):
            break
        moved = change(points[waiting])
        good = is_legal(moved) & np.any(moved != points[waiting], axis=1)
        result[waiting[good]] = moved[good]
        waiting = waiting[~good]
    return result


def grid(values: Sequence[Sequence[int]]) -> Iterator[Points]:
    """Every row that takes one of the given values in each column, in chunks and in order."""
    tables = [np.array(column, np.int64) for column in values]
    sizes = [len(table) for table in tables]
    total = prod(sizes)
    for start in range(0, total, GRID_CHUNK):
        places = np.unravel_index(np.arange(start, min(start + GRID_CHUNK, total)), sizes)
        yield np.stack([table[at] for table, at in zip(tables, places, strict=True)], axis=1)
