"""A part of a space that can be measured whole: every legal point of a few boxes, one a variant.

A box allows some values in each column. It grows around points that the space itself would draw,
value by value, so that its points are like those that a search meets and neighbours are there too.
"""

from __future__ import annotations

from math import prod

import numpy as np

from autotune.space.base import Points, Space
from autotune.space.generated import GeneratedSpace
from autotune.space.union import UnionSpace
from autotune.space.winograd import WinogradSpace

DRAWN = 1024
"""Points drawn to grow the boxes around."""
PLAIN = 64
"""Plain points among which there is one of each variant that has any."""
OVERSHOOT = 1.25
"""A value that brings a box so far beyond its share is left out."""
WALKED = 64
"""Raw rows of a box that are walked at most for each point of its share."""
TRIES = 48
"""Values tried for one box; a variant that has no more points to give is small."""


def excerpt(space: Space, count: int, seed: int) -> Points:
    """About `count` points, the same for the same seed: as many of each variant as can be.

    Args:
        space: generated, of Winograd schedules, or a union of such.
        count: points wanted; small variants give fewer, and no box is cut.
        seed: of the points around which boxes grow.
    """
    rng = np.random.default_rng(seed)
    variants = [v for member in _members(space) for v in _variants(*member, rng)]
    found, left = [], count
    for i, (member, around, wrap) in enumerate(variants):
        points = _grown(member, around, left // (len(variants) - i), rng)
        left -= len(points)
        for union, position in reversed(wrap):
            points = union.wrapped(position, points)
        found.append(points)
    return np.concatenate(found)


Member = GeneratedSpace | WinogradSpace
Wrap = tuple[tuple[UnionSpace, int], ...]
"""The unions around a space, outermost first, and which member it is in each."""


def _members(space: Space, wrap: Wrap = ()) -> list[tuple[Member, Wrap]]:
    """Every space that is no union, with what is around it."""
    if isinstance(space, UnionSpace):
        inside = enumerate(space.members)
        return [m for i, member in inside for m in _members(member, (*wrap, (space, i)))]
    if isinstance(space, GeneratedSpace | WinogradSpace):
        return [(space, wrap)]
    raise TypeError(f"no part can be taken of a {type(space).__name__}")


def _variants(
    space: Member, wrap: Wrap, rng: np.random.Generator
) -> list[tuple[Member, Points, Wrap]]:
    """Points of each variant: a plain one if there is any, then random ones."""
    plain, drawn = space.plain(PLAIN), space.sample(rng, DRAWN)
    found = []
    for v in np.unique(np.concatenate([plain[:, 0], drawn[:, 0]])):
        of_v = [plain[plain[:, 0] == v][:1], drawn[drawn[:, 0] == v]]
        found.append((space, np.concatenate(of_v), wrap))
    return found


def _grown(space: Member, around: Points, share: int, rng: np.random.Generator) -> Points:
    """All points of a box that holds about as many as its share."""
    box = [[int(value)] for value in around[0]]
    points = space.among(box)
    tried: set[tuple[int, int]] = set()
    for point in around[1:]:
        for column in rng.permutation(np.arange(1, len(box))).tolist():
            value = int(point[column])
            if value in box[column] or (column, value) in tried:
                continue
            if len(points) >= share or len(tried) >= TRIES:
                return points
            tried.add((column, value))
            larger = [*box[:column], sorted([*box[column], value]), *box[column + 1 :]]
            if prod(map(len, larger)) > WALKED * share:
                continue
            more = space.among(larger)
            if len(points) < len(more) <= OVERSHOOT * share:
                box, points = larger, more
    return points
