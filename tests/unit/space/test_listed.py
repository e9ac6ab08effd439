"""Spaces small enough to list, counted once more by hand: every combination, built on its own."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from autotune.backends.cpu.lower import lower
from autotune.ir.assemble import Choice, assemble
from autotune.ir.legal import violation
from autotune.ir.schedule import Stage
from autotune.ops.base import contraction, parse_workload
from autotune.space import generate
from autotune.space.base import Narrowing
from autotune.space.decode import canonical
from autotune.space.generated import LIST_LIMIT, GeneratedSpace
from autotune.space.tables import SPLIT_SLOT
from autotune.space.variants import NONE, ONCE, variants
from autotune.targets.detect import resolve

TARGETS = ("x86-64", "x86-64-v3", "x86-64-v4")
TINY = {
    "1x1x1": ("matmul", "1x1x1"),
    "2x2x2": ("matmul", "2x2x2"),
    "2x1x3": ("matmul", "2x1x3"),
    "3x2x1 changing": ("matmul", "3x2x1,prepack=0"),
    "7x1x5": ("matmul", "7x1x5"),
    "batch": ("batch_matmul", "2x1x2x2"),
    # All sizes 1 but one.
    "only width": ("conv2d", "c=1,h=1,w=129,k=1,r=1"),
    "only height": ("conv2d", "c=1,h=65,w=1,k=1,r=1"),
    "only channels": ("conv2d", "c=61,h=1,k=1,r=1"),
    "only filters": ("conv2d", "c=1,h=1,k=67,r=1"),
    "only images": ("conv2d", "n=33,c=1,h=1,k=1,r=1"),
}


def made(name):
    return contraction(parse_workload(*TINY[name]))


def by_hand(computed, target):
    """Schedules of every combination of knob values, without points, tables or canonical forms."""
    found, _ = variants(computed, target, Narrowing())
    for variant in found:
        slots = [*variant.parallel]
        split = variant.reduction[variant.split_axis] if variant.split_axis >= 0 else ""
        names = {**dict(enumerate(slots)), SPLIT_SLOT: split}
        inputs = [a.operand for a in variant.form.contraction.inputs]
        for values in product(
            product(*variant.tile),
            product(*variant.block),
            variant.split,
            variant.outer,
            variant.order,
            variant.inner,
            product(*variant.unroll),
            product(*variant.dims),
            product(*variant.axes),
            variant.align,
            variant.out,
            variant.store,
            variant.prefetch,
        ):
            tile, block, cut, outer, order, inner, unroll, dims, axes, align, out, store, ahead = (
                values
            )
            # Tiny spaces have no blocks, splits, prefetch or staged outputs, and stage outermost.
            assert not any(block)
            assert (cut, out, ahead) == (0, NONE, 0)
            stages = [Stage(o, "axes", once=True) for o, at in zip(inputs, axes, strict=True)
                      if at == ONCE]  # fmt: skip
            for operand, at, packed, need in zip(inputs, dims, axes, variant.needs, strict=True):
                if at >= 0:
                    stages.append(Stage(operand, "dims", align, phases=need == "phases"))
                if packed >= 0:
                    stages.append(Stage(operand, "axes"))
            choice = Choice(
                vector=variant.form.vector,
                lanes=variant.form.lanes,
                tile=dict(zip(slots, tile, strict=True)),
                block={},
                split={},
                outer=tuple(names[s] for s in outer),
                order=tuple(names[s] for s in order),
                inner=tuple((variant.reduction[s], unroll[s]) for s in inner),
                stages=tuple((stage, 0) for stage in stages),
                store=store,
                fuse=variant.form.fuse,
            )
            yield assemble(variant.form.contraction, choice)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", TINY)
def test_listed_points_are_all_schedules_that_there_are(name, target):
    computed, machine = made(name), resolve(target)
    space = generate(computed, machine)
    points = space.all_points()
    assert points is not None
    assert space.is_exact
    assert len(points) == space.size
    schedules = [space.schedule(point) for point in points]
    assert {violation(computed, schedule, machine) for schedule in schedules} == {None}
    digests = {schedule.digest for schedule in schedules}
    assert len(digests) == len(points)

    expected = {s.digest: s for s in by_hand(computed, machine)}
    legal = {d for d, s in expected.items() if violation(computed, s, machine) is None}
    assert digests == legal


@pytest.mark.parametrize("name", ["1x1x1", "2x2x2", "only width", "only channels"])
def test_sampling_a_listed_space_gives_its_points(name):
    space = generate(made(name), resolve("x86-64-v3"))
    listed = {tuple(row) for row in space.all_points().tolist()}
    sampled = space.sample(np.random.default_rng(0), 40 * space.size)
    assert {tuple(row) for row in sampled.tolist()} == listed
    moved = space.neighbours(sampled[:50], np.random.default_rng(1))
    assert {tuple(row) for row in moved.tolist()} <= listed


def test_single_size_of_many_ones_leaves_few_kernels_that_are_the_same():
    for name in ("only width", "only channels", "only filters"):
        computed = made(name)
        space = generate(computed, resolve("x86-64-v3"))
        kernels = {lower(computed, space.schedule(point)) for point in space.all_points()}
        assert len(kernels) >= 0.9 * space.size, name


def test_list_is_a_copy():
    space = generate(made("2x2x2"), resolve("x86-64-v3"))
    space.all_points()[:] = -1
    assert (space.all_points() >= 0).all()


def test_size_of_a_listed_space_is_known_before_and_after_sampling():
    for before in (True, False):
        space = generate(made("2x1x3"), resolve("x86-64-v3"))
        if not before:
            space.sample(np.random.default_rng(0), 5)
        assert space.size == len(space.all_points())


# --- spaces that a file makes small ---------------------------------------------------------------

SQUARE = contraction(parse_workload("matmul", "64x64x64"))
FEW = {
    "vector": ("n",),
    "tile.m": (4, 6),
    "tile.n": (8, 24),
    "block.m": (0, 2, 16),
    "block.n": (0,),
    "split.k": (0, 16),
    "unroll.k": (1, 4),
    "stage.out": ("none",),
    "prefetch": (0, 512),
}


def few(**changes):
    return GeneratedSpace(SQUARE, resolve("x86-64-v3"), Narrowing("few.toml", "few", FEW | changes))


def test_narrowed_space_is_listed_and_canonical():
    space = few()
    points = space.all_points()
    assert points is not None
    assert 0 < len(points) <= LIST_LIMIT
    schedules = [space.schedule(point) for point in points]
    assert len({s.digest for s in schedules}) == len(points)
    assert {violation(SQUARE, s, space.target) for s in schedules} == {None}
    nests = [schedule.nests[0] for schedule in schedules]
    assert {nest.vector for nest in nests} == {"n"}
    assert {stage.operand for nest in nests for stage in nest.stages} == {"x", "weight"}
    assert {loop.step for nest in nests for loop in nest.loops if loop.axis == "n"} == {8, 24}
    assert {u for nest in nests for _, u in nest.inner} == {1, 4}


def test_block_as_long_as_the_axis_is_no_block():
    # Sixteen tiles of 4 or 6 rows are all 64 of them.
    assert few().size == few(**{"block.m": (0, 2)}).size


def test_block_that_is_none_gives_way_to_the_first_value_where_a_file_allows_no_0():
    # 30 tiles of 2 columns are a block, 30 tiles of 3 are more than all there are.
    turned = {"vector": ("m",), "tile.m": (8, 16), "tile.n": (2, 3), "block.n": (3, 30)}
    space = few(**turned)
    counts = space.tables.counts
    rows = np.random.default_rng(0).integers(0, counts[np.zeros(2000, np.int64)])
    rows[:, 0] = 0
    points = canonical(space.tables, rows)
    np.testing.assert_array_equal(canonical(space.tables, points), points)


@pytest.mark.parametrize(
    "values", [{"tile.m": (6, 4, 6)}, {"unroll.k": (4, 1, 1)}, {"block.m": (16, 0, 2, 0)}]
)
def test_order_and_repetition_in_a_file_say_nothing(values):
    space = few(**values)
    digests = {space.schedule(point).digest for point in space.all_points()}
    assert len(digests) == space.size == few().size
