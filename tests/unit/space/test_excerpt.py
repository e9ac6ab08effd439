from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from autotune.ops.base import contraction, parse_workload
from autotune.space import Space, generate
from autotune.space.draw import grid
from autotune.space.excerpt import excerpt
from autotune.space.generated import GeneratedSpace
from autotune.space.naming import named
from autotune.space.union import UnionSpace
from autotune.targets.detect import resolve
from tests import spaces

CASES = {
    "3x3": ("conv2d", "c=32,h=14,k=32,r=3,pad=1"),
    "strided": ("conv2d", "c=32,h=28,k=64,r=3,pad=1,stride=2"),
    "depthwise": ("conv2d", "c=64,h=14,k=64,r=3,pad=1,groups=64"),
    "matmul": ("matmul", "64x96x128"),
    "long": ("matmul", "4x4x4096"),
}


def space_of(name: str) -> Space:
    op, shape = CASES[name]
    return generate(contraction(parse_workload(op, shape)), resolve("x86-64-v3", 1))


def test_a_grid_is_every_row_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autotune.space.draw.GRID_CHUNK", 5)
    values = [[3], [0, 2], [1, 5, 4], [7, 8]]
    chunks = list(grid(values))
    assert max(map(len, chunks)) == 5
    assert [tuple(row) for row in np.concatenate(chunks).tolist()] == list(product(*values))


@pytest.mark.parametrize("name", CASES)
def test_excerpt_is_of_about_the_size_asked_for_and_has_every_algorithm(name: str) -> None:
    space = space_of(name)
    points = excerpt(space, 200, 1)
    assert 120 <= len(points) <= 300
    assert len(np.unique(points, axis=0)) == len(points)
    if isinstance(space, UnionSpace):
        assert set(points[:, 0]) == set(range(len(space.members)))
    assert np.array_equal(points, excerpt(space_of(name), 200, 1))
    assert not np.array_equal(points, excerpt(space, 200, 2))


@pytest.mark.parametrize("name", ["strided", "matmul"])
def test_an_excerpt_lacks_no_legal_point_of_its_boxes(name: str) -> None:
    """Whatever is drawn from the whole space and lies in a box is there."""
    space = space_of(name)
    assert isinstance(space, GeneratedSpace)
    points = excerpt(space, 200, 0)
    known = {tuple(row) for row in points.tolist()}
    rng = np.random.default_rng(5)
    met = 0
    for v in np.unique(points[:, 0]):
        own = points[points[:, 0] == v]
        raw = np.stack([rng.choice(np.unique(column), 2000) for column in own.T], axis=1)
        kept = space._kept(raw)
        inside = [all(x in own[:, i] for i, x in enumerate(row)) for row in kept.tolist()]
        rows = {tuple(row) for row, is_in in zip(kept.tolist(), inside, strict=True) if is_in}
        met += len(rows)
        assert rows <= known
    assert met > 50


@pytest.mark.parametrize("name", CASES)
def test_names_tell_points_apart_and_say_what_schedules_are(name: str) -> None:
    space = space_of(name)
    points = excerpt(space, 100, 3)
    told = named(space, points)
    assert {len(column) for column in told.values()} == {len(points)}
    assert len(set(zip(*told.values(), strict=True))) == len(points)
    for row in range(0, len(points), 7):
        schedule = space.schedule(points[row])
        assert told["algorithm"][row] == schedule.algorithm
        if told["algorithm"][row] == "direct":
            (nest,) = schedule.nests
            assert told["vector"][row] == nest.vector
            assert told["lanes"][row] == nest.lanes
            assert told["store"][row] == nest.store
            for axis, factor in nest.inner:
                assert told[f"unroll.{axis}"][row] == factor
            tiles = {loop.axis: loop.step for loop in nest.loops}
            for axis, size in tiles.items():
                if f"tile.{axis}" in told:
                    assert told[f"tile.{axis}"][row] == size


def test_other_spaces_are_no_excerpts() -> None:
    space = spaces.small()
    with pytest.raises(TypeError, match="no part can be taken of a SyntheticSpace"):
        excerpt(space, 10, 0)
    with pytest.raises(TypeError, match="no names are known"):
        named(space, space.all_points())
