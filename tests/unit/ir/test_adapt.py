"""A schedule carried to another shape: what stays, what goes, and that the rest is legal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from autotune.errors import UsageError
from autotune.ir.adapt import adapt
from autotune.ir.default import default_schedule
from autotune.ir.legal import violation
from autotune.ir.program import program
from autotune.ir.schedule import Group, Loop, Nest, Schedule, Stage
from autotune.ops.base import contraction, parse_workload
from autotune.space.winograd_nests import build
from autotune.targets.detect import resolve
from tests.golden.kernels import KERNELS
from tests.wild import wild_schedules

V2, V3, V4 = (resolve(name) for name in ("x86-64", "x86-64-v3", "x86-64-v4"))
ONCE = Stage("weight", "axes", once=True)


def made(op, shape, dtype="float32", layout=None):
    return contraction(parse_workload(op, shape, dtype, layout))


def tuned(*steps, parallel=0, vector="n", inner=(("k", 4),), **rest):
    return Schedule((Nest(tuple(steps), vector, 8, inner, **rest),), parallel=parallel)


MATMUL = tuned(ONCE, Loop("n", 32), Loop("m", 24), Loop("k", 64), Loop("m", 6), Loop("n", 16))


def steps_of(schedule):
    return [
        (step.axis, step.step) if isinstance(step, Loop) else step.operand
        for step in schedule.nests[0].steps
    ]


def carried(schedule, computed, target=V3):
    adapted = adapt(schedule, computed, target)
    assert adapted is not None
    assert violation(computed, adapted, target) is None
    return adapted


def test_schedule_that_fits_stays_as_it_is():
    assert carried(MATMUL, made("matmul", "48x64x128")) == MATMUL


def test_larger_shape_keeps_every_tile():
    assert carried(MATMUL, made("matmul", "1000x500x3000")) == MATMUL


def test_smaller_shape_loses_the_loops_that_would_do_nothing():
    adapted = carried(MATMUL, made("matmul", "20x40x64"))
    assert steps_of(adapted) == ["weight", ("n", 32), ("m", 6), ("n", 16)]
    assert adapted.nests[0].inner == (("k", 4),)


@pytest.mark.parametrize(
    ("shape", "steps", "inner"),
    [
        ("1x500x300", ["weight", ("n", 32), ("k", 64), ("n", 16)], (("k", 4),)),
        ("100x1x300", ["weight", ("m", 24), ("k", 64), ("m", 6)], (("k", 4),)),
        ("100x50x1", ["weight", ("n", 32), ("m", 24), ("m", 6), ("n", 16)], ()),
        ("1x1x1", ["weight"], ()),
        ("100x50x3", ["weight", ("n", 32), ("m", 24), ("m", 6), ("n", 16)], (("k", 3),)),
    ],
)
def test_axis_of_few_iterations_loses_its_loops_and_unrolls(shape, steps, inner):
    adapted = carried(MATMUL, made("matmul", shape))
    assert (steps_of(adapted), adapted.nests[0].inner) == (steps, inner)


def test_outer_steps_become_multiples_of_inner_ones_again():
    odd = tuned(Loop("m", 20), Loop("m", 6), Loop("n", 16))
    adapted = carried(odd, made("matmul", "50x32x8"))
    assert steps_of(adapted) == [("m", 18), ("m", 6), ("n", 16)]


def test_reduction_left_whole_gets_an_inner_loop():
    split = tuned(Loop("k", 1), Loop("m", 4), Loop("n", 8), inner=())
    assert carried(split, made("matmul", "8x16x5")).nests[0].inner == ()
    whole = tuned(Loop("m", 4), Loop("n", 8), inner=())
    assert carried(whole, made("matmul", "8x16x5")).nests[0].inner == (("k", 1),)


def test_weight_that_changes_is_packed_inside_the_call():
    adapted = carried(MATMUL, made("matmul", "48x64x128,prepack=0"))
    assert adapted.nests[0].stages == (Stage("weight", "axes"),)
    computed = made("matmul", "48x64x128,prepack=0")
    assert program(computed, adapted).packed == ()
    assert program(computed, adapted).workspace_bytes > 64 * 128 * 4


def test_padding_that_the_new_shape_has_is_staged():
    bare = Schedule((Nest((Loop("oc", 1), Loop("oh", 1)), "ow", 8, (("ic", 1), ("kw", 3))),))
    adapted = carried(bare, made("conv2d", "c=4,h=6,w=14,k=4,r=1,s=3,pad=0x1"))
    assert steps_of(adapted) == ["x", ("oc", 1), ("oh", 1)]
    assert adapted.nests[0].stages[0].layout == "dims"
    # A stage that the old shape needed is kept where the new one has no padding.
    assert carried(adapted, made("conv2d", "c=4,h=6,w=14,k=4,r=1,s=3")) == adapted


def test_padding_is_staged_before_it_is_packed():
    packed = Schedule((Nest((Loop("oh", 1), Stage("x", "axes"), Loop("ow", 1)), "oc", 8, ()),))
    computed = made("conv2d", "c=1,h=6,k=8,r=1,pad=1", layout="NHWC")
    layouts = [stage.layout for stage in carried(packed, computed).nests[0].stages]
    assert layouts == ["dims", "axes"]


def test_kernel_axes_that_are_new_are_reduced_too():
    pointwise = Schedule((Nest((Loop("oc", 2), Loop("oh", 1)), "ow", 8, (("ic", 4),)),))
    adapted = carried(pointwise, made("conv2d", "c=8,h=9,w=12,k=4,r=3"))
    assert adapted.nests[0].inner == (("ic", 4), ("kh", 1), ("kw", 1))


TURNED = tuned(Loop("m", 8), Loop("n", 4), vector="m", store="transpose")


def test_transpose_stays_where_there_is_an_axis_to_turn_to():
    assert carried(TURNED, made("matmul", "16x8x4,ta=1")).nests[0].store == "transpose"
    assert carried(TURNED, made("matmul", "1x1x4,ta=1")).nests[0].store == "direct"


def test_transpose_is_direct_where_the_vector_axis_became_contiguous():
    assert adapt(TURNED, made("matmul", "16x1x4,ta=1"), V3) is not None


def test_tasks_shrink_to_the_loops_that_are_left():
    spread = tuned(Loop("m", 6), Loop("n", 16), parallel=2)
    assert carried(spread, made("matmul", "60x64x8")).parallel == 2
    assert carried(spread, made("matmul", "1x64x8")).parallel == 1
    assert carried(spread, made("matmul", "6x16x8")).parallel == 0
    between = tuned(Loop("m", 24), Loop("m", 6), Loop("n", 16), parallel=1)
    assert carried(between, made("matmul", "20x64x8")).parallel == 1


@pytest.mark.parametrize(
    ("schedule", "computed", "target"),
    [
        # Lanes that the target does not have.
        (tuned(Loop("m", 6), Loop("n", 16)), made("matmul", "60x64x8"), V2),
        (tuned(Loop("m", 6), Loop("n", 16)), made("matmul", "60x64x8", "float64"), V3),
        # An operand that moves by steps along the vector axis, unlike before.
        (tuned(Loop("m", 6), Loop("n", 16)), made("matmul", "60x64x8,tb=1"), V3),
        # No such axis.
        (tuned(Loop("q", 6)), made("matmul", "60x64x8"), V3),
        (MATMUL, made("conv2d", "c=4,h=6,k=4,r=1"), V3),
        (tuned(Stage("y", "axes"), Loop("m", 1), Loop("n", 8)), made("matmul", "60x64x8"), V3),
        # Axes that cannot be merged here.
        (
            Schedule((Nest((), "oh.ow", 8, (("ic", 1),), fuse=(("oh", "ow"),)),)),
            made("conv2d", "c=4,h=6,k=1,r=3"),
            V3,
        ),
        # Rows without the steps that phases are made of.
        (
            Schedule((Nest((Stage("x", "dims", phases=True),), "ow", 8, (("ic", 1),)),)),
            made("conv2d", "c=4,h=1,w=6,k=1,r=1"),
            V3,
        ),
        # Another contraction's tile is too large for the registers.
        (tuned(), made("matmul", "60x64x8"), V3),
        # Fewer nests than the algorithm has.
        (Schedule(tuned().parts, "partial2"), made("matmul", "8x8x8"), V3),
    ],
)
def test_schedule_that_fits_nowhere_is_none(schedule, computed, target):
    assert adapt(schedule, computed, target) is None


@pytest.mark.parametrize("shape", ["8x8x8", "24x40x16", "3x8x8"])
def test_nests_under_shared_loops_are_carried(shape):
    adapted = adapt(KERNELS["two_nests"].schedule, made("matmul", shape), V3)
    assert adapted is not None
    assert adapted.algorithm == KERNELS["two_nests"].schedule.algorithm
    assert len(adapted.nests) == 2


def test_nests_under_shared_loops_are_carried_together():
    nests = KERNELS["two_nests"].schedule
    adapted = carried(nests, made("matmul", "6x8x12"))
    assert adapted.algorithm == "partial2"
    assert isinstance(adapted.parts[0], Group)
    assert adapted.parts[0].loops == (Loop("m", 2),)
    # Two rows are one round: the loop around both nests goes, and with it the tasks.
    alone = carried(nests, made("matmul", "2x8x12"))
    assert [type(part) for part in alone.parts] == [Nest, Nest]
    assert alone.parallel == 0


def test_default_of_one_target_is_carried_to_narrower_ones_or_not_at_all():
    computed = made("matmul", "64x64x64")
    assert adapt(default_schedule(computed, V4), computed, V3) is None
    assert adapt(default_schedule(computed, V3), computed, V4) is not None


def test_each_part_keeps_the_parallel_loops_that_are_left():
    shape = "c=16,h=14,k=32,r=3,pad=1,prepack=0"
    knobs = {"outputs": 2, "rows": 1, "filters": 1, "channels": 1, "tile_rows": 1,
             "tile_columns": 2, "vectors": 1, "unroll": 1, "prefetch": 0}  # fmt: skip
    plain, packed = made("conv2d", shape), made("conv2d", shape.replace(",prepack=0", ""))
    schedule = build(plain, V3.with_threads(2), knobs, 8)
    assert schedule.spread == (1, 1)
    assert carried(schedule, made("conv2d", shape.replace("h=14", "h=20"))).spread == (1, 1)
    assert carried(schedule, made("conv2d", shape.replace("k=32", "k=8"))).spread == (1, 1)
    # A part that dissolves leaves one thread.
    assert carried(schedule, made("conv2d", shape.replace("h=14", "h=2"))).spread == (0,) * 3
    once = build(packed, V3.with_threads(2), knobs, 8)
    assert once.spread == carried(once, plain).spread == (0, 1)


# --- any schedule, any shape -------------------------------------------------------------------

SIZE = st.integers(1, 40)
FLAG = st.integers(0, 1)


@st.composite
def shapes(draw, op):
    """Shape text, dtype and layout of an operator."""
    dtype = draw(st.sampled_from(["float32", "float32", "float64"]))
    if op == "matmul":
        sizes = {"m": SIZE, "n": SIZE, "k": SIZE, "ta": FLAG, "tb": FLAG, "prepack": FLAG}
        layout = "row"
    else:
        small = st.integers(1, 3)
        sizes = {"n": small, "c": SIZE, "h": SIZE, "w": SIZE, "k": SIZE, "r": small, "s": small}
        sizes |= {"stride": small, "dilation": small, "pad": st.integers(0, 2), "prepack": FLAG}
        layout = draw(st.sampled_from(["NCHW", "NHWC"]))
    text = ",".join(f"{name}={draw(values)}" for name, values in sizes.items())
    return text, dtype, layout


def contraction_of(op, shape):
    try:
        return made(op, *shape)
    except UsageError:
        assume(False)
        raise


@settings(derandomize=True, database=None, deadline=None, max_examples=40)
@given(st.data(), st.sampled_from(["matmul", "conv2d"]), st.integers(0, 2**32 - 1))
def test_adapt_gives_something_legal_or_none(data, op, seed):
    before = contraction_of(op, data.draw(shapes(op)))
    after = contraction_of(op, data.draw(shapes(op)))
    source, target = (data.draw(st.sampled_from([V2, V3, V4])) for _ in range(2))
    schedules = [default_schedule(before, source.with_threads(2))]
    schedules += wild_schedules(before, source, np.random.default_rng(seed), 1)
    for schedule in schedules:
        assert violation(before, schedule, source) is None
        adapted = adapt(schedule, after, target)
        if adapted is not None:
            assert violation(after, adapted, target) is None
            assert adapt(adapted, after, target) == adapted


def test_adapt_succeeds_for_most_neighbouring_shapes():
    base = made("conv2d", "c=16,h=14,k=32,r=3,pad=1")
    near = [f"c={c},h={h},k={k},r=3,pad=1" for c in (8, 17) for h in (7, 28) for k in (16, 33)]
    adapted = [
        adapt(default_schedule(base, target), made("conv2d", shape), target) is not None
        for target in (V2, V3, V4)
        for shape in near
    ]
    # An axis that was whole in the register tile has no loop to keep it small where it is longer.
    assert sum(adapted) >= 0.9 * len(adapted)
