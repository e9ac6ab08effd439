"""Every rule that `violation` reports, and schedules just inside it."""

from __future__ import annotations

import pytest

from autotune.ir.legal import (
    MAX_BODY_OPERATIONS,
    MAX_PREFETCH_BYTES,
    contiguous_axis,
    instances,
    violation,
)
from autotune.ir.program import program
from autotune.ir.resolve import resolve
from autotune.ir.schedule import Group, Loop, Nest, Schedule, Stage
from autotune.ops.base import contraction, parse_workload
from autotune.targets.detect import resolve as target_of

SSE, AVX2, AVX512 = (target_of(name) for name in ("x86-64", "x86-64-v3", "x86-64-v4"))


def made(op, shape, dtype="float32", layout=None):
    return contraction(parse_workload(op, shape, dtype, layout))


def judge(computed, *steps, vector="n", lanes=8, inner=(("k", 1),), target=AVX2, **rest):
    nest = Nest(tuple(steps), vector, lanes, inner, **rest)
    return violation(computed, Schedule((nest,)), target)


MATMUL = made("matmul", "24x48x32")
TILED = (Loop("m", 4), Loop("n", 16))


def test_legal_schedule_breaks_no_rule():
    assert judge(MATMUL, *TILED) is None


def test_schedule_that_denotes_nothing_is_reported_in_its_words():
    assert "inner loops are" in judge(MATMUL, *TILED, inner=())
    assert "loop over unknown axis 'q'" in judge(MATMUL, Loop("q", 1))
    assert "'nonesuch' is not known" in violation(
        MATMUL, Schedule((Nest((), "n", 8, ()),), "nonesuch"), AVX2
    )


# --- lanes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "target", "most"),
    [
        ("float32", SSE, 4),
        ("float64", SSE, 2),
        ("float32", AVX2, 8),
        ("float64", AVX2, 4),
        ("float32", AVX512, 16),
        ("float64", AVX512, 8),
    ],
)
def test_lanes_are_a_power_of_two_that_the_target_has(dtype, target, most):
    computed = made("matmul", "24x48x32", dtype)
    for lanes in range(1, 34):
        reason = judge(computed, Loop("m", 1), Loop("n", 2), lanes=lanes, target=target)
        if lanes <= most and lanes in (1, 2, 4, 8, 16):
            assert reason is None
        else:
            assert reason == (f"lanes={lanes}; allowed: a power of two up to {most} on this target")


def test_nests_of_different_lanes_are_refused():
    first = Nest((Loop("part", 1), Loop("m", 1), Loop("n", 8)), "n", 8, (("k", 1),))
    second = Nest((Loop("m", 1), Loop("n", 8)), "n", 4, (("part", 2),))
    reason = violation(MATMUL, Schedule((first, second), "partial2"), AVX2)
    assert reason == "nests of different lanes in one schedule; one number of lanes is allowed"


# --- loads -------------------------------------------------------------------------------------

PADDED = made("conv2d", "c=3,h=8,k=4,r=3,pad=1")
ROWS = (Loop("oc", 1), Loop("oh", 1))


def conv(computed, *steps, vector="ow", kw=1, **rest):
    inner = tuple(
        (axis.name, kw if axis.name == "kw" else 1)
        for axis in computed.reduction
        if axis.name not in [s.axis for s in steps if isinstance(s, Loop)]
    )
    return judge(computed, *steps, vector=vector, inner=inner, **rest)


def test_padding_is_staged_as_dims_or_its_place_is_known():
    assert conv(PADDED, *ROWS) == "x is read in place and needs kh unrolled in full"
    assert conv(PADDED, *ROWS, Stage("x", "dims")) is None
    assert conv(PADDED, Stage("x", "dims"), *ROWS, Stage("x", "axes")) is None


STRIDED = made("conv2d", "c=3,h=8,w=20,k=4,r=1,s=3,stride=1x2")


def test_operand_with_steps_along_the_vector_axis_must_be_staged():
    reason = conv(STRIDED, *ROWS, Stage("x", "dims"))
    assert reason == "x moves 2 elements along ow; allowed: 0 or 1"
    assert conv(STRIDED, *ROWS) == "x is read in place and needs kw unrolled in full"
    assert conv(STRIDED, *ROWS, kw=3) is None
    assert conv(STRIDED, *ROWS, Stage("x", "axes")) is None
    assert conv(STRIDED, *ROWS, lanes=1) is None
    assert conv(STRIDED, *ROWS, Loop("ow", 1)) is None
    turned = made("matmul", "24x48x32,tb=1")
    assert judge(turned, *TILED) == "weight moves 32 elements along n; allowed: 0 or 1"


# --- phases ------------------------------------------------------------------------------------

PHASES = Stage("x", "dims", phases=True)


def test_axis_that_picks_a_phase_must_be_unrolled_in_full():
    assert conv(STRIDED, PHASES, *ROWS, kw=3) is None
    assert conv(STRIDED, PHASES, *ROWS, kw=2) == "phases of x need kw unrolled in full"
    assert conv(STRIDED, PHASES, *ROWS, kw=1) == "phases of x need kw unrolled in full"


def test_axis_that_picks_a_phase_must_not_be_looped_over_inside_the_stage():
    reason = conv(STRIDED, PHASES, *ROWS, Loop("kw", 1))
    assert reason == "phases of x need kw unrolled in full"
    assert conv(STRIDED, *ROWS, Loop("kw", 1), PHASES) is None


def test_axis_whose_step_is_whole_phases_picks_none():
    even = made("conv2d", "c=3,h=8,w=30,k=4,r=1,s=3,stride=1x2,dilation=1x4")
    assert conv(even, PHASES, *ROWS, kw=1) is None


def test_parallel_axis_that_picks_a_phase_is_refused():
    groups = made("conv2d", "c=24,h=4,k=24,r=1,groups=8,prepack=0", layout="NHWC")
    # A row of weights holds 3 filters a group: along g it has step 3, and oc picks the phase.
    stages = (Stage("x", "axes"), Stage("weight", "dims", phases=True))
    reason = conv(groups, *stages, Loop("oh", 1), Loop("ow", 1), vector="g")
    assert reason == "phases of weight depend on the parallel axis oc"


@pytest.mark.parametrize(("stride", "is_legal"), [(2, True), (16, True), (17, False)])
def test_phases_are_at_most_sixteen(stride, is_legal):
    computed = made("conv2d", f"c=2,h=4,w=400,k=2,r=1,s=1,stride=1x{stride}")
    reason = conv(computed, PHASES, *ROWS, Loop("ow", 8))
    assert reason == (None if is_legal else f"stage of x by {stride} phases; at most 16")


# --- stores ------------------------------------------------------------------------------------

TURNED = made("matmul", "24x48x32,ta=1")
BY_ROWS = (Loop("m", 8), Loop("n", 4))


def test_direct_store_needs_a_contiguous_output_along_the_vector_axis():
    reason = judge(TURNED, *BY_ROWS, vector="m")
    assert reason == "store direct: the output moves 48 elements along m; allowed: 1"
    assert judge(TURNED, *BY_ROWS, vector="m", lanes=1) is None
    column = made("matmul", "24x1x32,ta=1")
    assert judge(column, Loop("m", 8), vector="m") is None


@pytest.mark.parametrize("store", ["transpose", "scatter"])
def test_other_stores_fit_an_output_that_has_steps(store):
    assert judge(TURNED, *BY_ROWS, vector="m", store=store) is None


def test_transpose_needs_another_contiguous_axis():
    reason = "store transpose: the output has no other contiguous axis to turn to"
    assert judge(MATMUL, *TILED, store="transpose") == reason
    column = made("matmul", "24x1x32,ta=1")
    assert judge(column, Loop("m", 8), vector="m", store="transpose") == reason
    assert judge(TURNED, *BY_ROWS, vector="m", lanes=1, store="transpose") == reason
    assert judge(MATMUL, *TILED, store="scatter") is None


@pytest.mark.parametrize("store", ["transpose", "scatter"])
def test_split_reduction_accumulates_in_a_staged_output_unless_stored_direct(store):
    steps = (Loop("k", 8), *BY_ROWS)
    reason = judge(TURNED, *steps, vector="m", store=store)
    assert reason == f"store {store} with a split reduction needs the output staged"
    assert judge(TURNED, Stage("out", "axes"), *steps, vector="m", store=store) is None
    assert judge(MATMUL, Loop("k", 8), *TILED) is None


def test_contiguous_axis_is_the_one_of_step_one():
    def plan(computed, vector):
        return resolve(computed, Nest((), vector, 8, (("k", 1),)))

    assert contiguous_axis(plan(MATMUL, "m")) == "n"
    assert contiguous_axis(plan(made("matmul", "24x1x32"), "m")) == "m"
    assert contiguous_axis(plan(made("matmul", "1x1x32"), "m")) is None


# --- registers and code ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "rows", "is_legal"),
    [
        (AVX2, 32, True),
        (AVX2, 33, False),
        (SSE, 33, False),
        (AVX512, 64, True),
        (AVX512, 65, False),
    ],
)
def test_register_tile_holds_at_most_twice_the_registers(target, rows, is_legal):
    computed = made("matmul", f"{4 * rows}x16x4")
    reason = judge(computed, Loop("m", rows), Loop("n", 4), lanes=4, target=target)
    registers = 2 * target.vector_registers
    assert reason == (
        None if is_legal else f"register tile of {rows} vectors; at most {registers} on this target"
    )


def test_tile_without_loops_is_all_of_the_output():
    assert judge(MATMUL) == "register tile of 144 vectors; at most 32 on this target"


@pytest.mark.parametrize(("unroll", "is_legal"), [(48, True), (49, False)])
def test_one_body_holds_a_bounded_number_of_multiply_adds(unroll, is_legal):
    computed = made("matmul", "64x16x200")
    reason = judge(computed, Loop("m", 32), Loop("n", 8), inner=(("k", unroll),))
    assert MAX_BODY_OPERATIONS == 32 * 48
    assert (reason is None) == is_legal
    if reason:
        assert reason == "1568 multiply-adds in one straight-line body; at most 1536"


def test_all_instances_together_hold_a_bounded_number_of_multiply_adds():
    computed = made("matmul", "65x17x200")
    steps = (Loop("m", 16), Loop("n", 16))
    # Four instances (whole and left over of m and n), and one more for the rest of k.
    assert judge(computed, *steps, inner=(("k", 40),)) is None
    reason = judge(computed, *steps, inner=(("k", 41),))
    assert reason == "6560 multiply-adds in all instances; at most 6144"


def test_instances_are_bounded():
    computed = made("conv2d", "n=3,c=25,h=13,w=13,k=25,r=7,groups=5,prepack=0")
    parallel = [(axis, 2) for axis in ("n", "g", "oc", "oh", "ow")]
    loops = [Loop(axis, step) for axis, step in (*parallel, ("ic", 3), ("kh", 4), ("kw", 4))]
    inner = (("ic", 1), ("kh", 1), ("kw", 1))
    reason = judge(computed, *loops, vector="ow", lanes=1, inner=inner)
    assert reason == "256 instances of the body for the remainders; at most 64"
    assert (
        judge(computed, *loops[4:], *_whole(loops[:4]), vector="ow", lanes=1, inner=inner) is None
    )


def _whole(loops):
    """Loops by 1, which leave no remainder."""
    return [Loop(loop.axis, 1) for loop in loops]


@pytest.mark.parametrize(
    ("shape", "steps", "unroll", "count"),
    [
        ("24x48x32", TILED, 1, 1),
        ("25x48x32", TILED, 1, 2),
        ("25x49x32", TILED, 1, 4),
        ("25x49x33", TILED, 2, 5),
        ("25x48x33", (Loop("k", 8), *TILED), 1, 4),
        ("25x48x32", (Loop("m", 12), Loop("m", 4)), 1, 2),
    ],
)
def test_instances_count_each_combination_of_remainders(shape, steps, unroll, count):
    nest = Nest(tuple(steps), "n", 8, (("k", unroll),))
    assert instances(resolve(made("matmul", shape), nest)) == count


LADDER = tuple(Loop(axis, 2**power) for axis in ("m", "n", "k") for power in (6, 5, 4, 3, 2, 1, 0))


def test_instances_bound_the_bodies_that_lowering_writes():
    # 127 = 64 + 32 + ... + 1: each of the seven loops over an axis leaves a remainder of its own.
    computed = made("matmul", "127x127x127")
    reason = judge(computed, *LADDER, inner=())
    assert reason is not None
    assert "instances" in reason


def test_instances_count_the_remainder_of_shared_loops():
    computed = made("matmul", "10x16x4")
    nests = (
        Nest((Loop("part", 1), Loop("m", 2)), "n", 8, (("k", 2),)),
        Nest((Loop("m", 1),), "n", 8, (("part", 2),)),
    )
    shared = program(computed, Schedule((Group((Loop("m", 4),), nests),), "partial2"))
    assert [instances(plan) for plan in shared.nests] == [2, 2]
    odd = program(made("matmul", "11x16x4"), Schedule((Group((Loop("m", 4),), nests),), "partial2"))
    assert [instances(plan) for plan in odd.nests] == [3, 2]


# --- prefetch and buffers ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operand", "ahead", "is_legal"),
    [
        ("x", 1, True),
        ("weight", MAX_PREFETCH_BYTES, True),
        ("weight", MAX_PREFETCH_BYTES + 1, False),
        ("weight", 2**62, False),
        ("out", 64, False),
    ],
)
def test_prefetch_is_of_an_input_not_far_ahead(operand, ahead, is_legal):
    reason = judge(MATMUL, *TILED, prefetch=(("x", 64), (operand, ahead)))
    if is_legal:
        assert reason is None
    else:
        assert reason == (
            f"prefetch of {operand} {ahead} bytes ahead; allowed: x, weight, up to 65536"
        )


def test_prefetch_of_the_bias_is_refused():
    reason = judge(made("matmul", "24x48x32,bias=1"), *TILED, prefetch=(("bias", 64),))
    assert "allowed: x, weight" in reason


def test_workspace_is_bounded():
    large = made("matmul", "m=65536,n=16,k=8192")
    steps = (Loop("m", 4), Loop("n", 8))
    reason = judge(large, Stage("x", "axes"), *steps)
    assert reason == f"workspace of {2**31 + 64} bytes; at most {2**31}"
    assert judge(large, Loop("m", 4), Stage("x", "axes"), Loop("n", 8)) is None


def test_packed_operand_is_bounded():
    steps = (Stage("weight", "axes", once=True), Loop("m", 4), Loop("n", 8))
    assert judge(made("matmul", "m=8,n=65536,k=65536"), *steps) is None
    reason = judge(made("matmul", "m=8,n=1048576,k=262144"), *steps)
    assert reason == f"packed weight takes {2**40 + 64} bytes; at most {2**40}"


def test_reason_is_one_line_however_large_the_numbers():
    huge = made("matmul", f"m={2**29},n={2**29},k=3")
    reasons = [
        judge(huge, *TILED, Stage("x", "axes"), inner=(("k", 3),)),
        judge(huge, Stage("out", "axes"), *TILED),
        judge(huge, Stage("x", "axes"), *TILED),
        judge(huge),
    ]
    assert reasons[0] is None
    assert all(reason and "\n" not in reason for reason in reasons[1:])
