from __future__ import annotations

import pytest

from autotune.errors import ScheduleError
from autotune.ir.resolve import Phases, Stride, resolve, round_up, storage_home
from autotune.ir.schedule import Loop, Nest, Stage
from autotune.ops.base import contraction, parse_workload


def made(op, shape, layout=None):
    return contraction(parse_workload(op, shape, "float32", layout))


MATMUL = made("matmul", "12x40x20,bias=1")
PADDED = made("conv2d", "c=3,h=8,w=9,k=4,r=3,pad=1")
STRIDED = made("conv2d", "c=2,h=9,w=40,k=4,r=1,s=5,stride=1x2")
INNER = (("k", 1),)


def nest(*steps, vector="n", lanes=8, inner=INNER, **rest):
    return Nest(tuple(steps), vector, lanes, inner, **rest)


# --- what is refused ---------------------------------------------------------------------------

ONCE = Stage("weight", "axes", once=True)
CONV_INNER = (("ic", 1), ("kh", 1), ("kw", 1))


def conv(*steps, vector="ow", inner=CONV_INNER, **rest):
    return Nest(tuple(steps), vector, 8, inner, **rest)


def strided(*steps, vector="ow"):
    return Nest(tuple(steps), vector, 8, (("ic", 1), ("kw", 5)))


REFUSED = {
    # Names.
    "unknown vector axis": (MATMUL, nest(vector="q"), "vector axis 'q' is not one of m, n"),
    "vector along a reduction": (MATMUL, nest(vector="k"), "vector axis 'k' is not one of m, n"),
    "prefetch of no operand": (MATMUL, nest(prefetch=(("y", 8),)), "no operand 'y'"),
    "fuse of no axis": (MATMUL, nest(fuse=(("m", "q"),)), "cannot fuse unknown axis 'q'"),
    "loop over no axis": (MATMUL, nest(Loop("q", 1)), "loop over unknown axis 'q'; axes: m, n, k"),
    "loop over a fused axis": (
        made("conv2d", "c=2,h=3,k=2,r=1"),
        Nest((Loop("oh", 1),), "oh.ow", 8, (("ic", 1),), fuse=(("oh", "ow"),)),
        "loop over unknown axis 'oh'",
    ),
    "stage of no operand": (MATMUL, nest(Stage("y", "axes")), "stage of 'y'; allowed: x, weight"),
    "stage of the bias": (MATMUL, nest(Stage("bias", "dims")), "stage of 'bias'; allowed: x"),
    # Steps of loops.
    "loop by 0": (MATMUL, nest(Loop("m", 0)), "step 0; allowed: 1 to 11"),
    "loop by the extent": (MATMUL, nest(Loop("m", 12)), "step 12; allowed: 1 to 11"),
    "loop by more": (MATMUL, nest(Loop("m", 2**62)), "less than the region it is in"),
    "loop that does nothing": (MATMUL, nest(Loop("m", 4), Loop("m", 4)), "allowed: 1 to 3"),
    "loop over one iteration": (made("matmul", "1x8x2"), nest(Loop("m", 1)), "step 1; allowed"),
    "step that does not divide": (
        MATMUL,
        nest(Loop("m", 6), Loop("m", 4)),
        "loop over m has step 4, which does not divide the step 6 around it",
    ),
    # Inner loops.
    "no inner loop": (MATMUL, nest(inner=()), r"inner loops are \[\]; needed, each once: k"),
    "inner loop twice": (MATMUL, nest(inner=(("k", 1), ("k", 1))), "needed, each once: k"),
    "inner loop over a parallel axis": (MATMUL, nest(inner=(("m", 1),)), "needed, each once: k"),
    "inner loop over one point": (MATMUL, nest(Loop("k", 1)), "needed, each once: none"),
    "unroll by 0": (MATMUL, nest(inner=(("k", 0),)), "unroll 0; allowed: 1 to 20"),
    "unroll by more": (MATMUL, nest(inner=(("k", 21),)), "unroll 21; allowed: 1 to 20"),
    "unroll by more than a block": (
        MATMUL,
        nest(Loop("k", 4), inner=(("k", 5),)),
        "inner loop k has unroll 5; allowed: 1 to 4",
    ),
    # Packing beforehand.
    "once inside a loop": (MATMUL, nest(Loop("m", 4), ONCE), "weight cannot be done once"),
    "once of what changes": (MATMUL, nest(Stage("x", "axes", once=True)), "x cannot be done once"),
    "once of a weight that changes": (
        made("matmul", "12x40x20,prepack=0"),
        nest(ONCE),
        "only a constant operand",
    ),
    "once of the output": (MATMUL, nest(Stage("out", "axes", once=True)), "cannot be done once"),
    "once as dims": (MATMUL, nest(Stage("weight", "dims", once=True)), "weight once has layout"),
    # Stages over stages.
    "dims after axes": (
        MATMUL,
        nest(Stage("x", "axes"), Stage("x", "dims")),
        "x as dims reads a buffer",
    ),
    "dims twice": (MATMUL, nest(Stage("x", "dims"), Stage("x", "dims")), "reads a buffer"),
    "axes twice": (MATMUL, nest(Stage("x", "axes"), Stage("x", "axes")), "x as axes comes twice"),
    "axes after once": (MATMUL, nest(ONCE, Stage("weight", "axes")), "as axes comes twice"),
    "axes over padding": (PADDED, conv(Stage("x", "axes")), "x as axes reads padding"),
    "axes after phases": (
        STRIDED,
        strided(Stage("x", "dims", phases=True), Stage("x", "axes")),
        "x as axes cannot follow phases",
    ),
    "phases of a row without steps": (
        PADDED,
        conv(Stage("x", "dims", phases=True)),
        "x by phases: its rows have step 1 along ow; needed: 2 or more",
    ),
    "phases along another axis": (
        STRIDED,
        strided(Stage("x", "dims", phases=True), vector="oc"),
        "step 0 along oc",
    ),
    # Staging the output.
    "output as dims": (MATMUL, nest(Stage("out", "dims")), "the output is staged once"),
    "output twice": (
        MATMUL,
        nest(Stage("out", "axes"), Stage("out", "axes")),
        "the output is staged once",
    ),
    "output inside a reduction": (
        MATMUL,
        nest(Loop("k", 4), Stage("out", "axes")),
        "the output is staged inside a reduction loop",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_resolve_refuses(case):
    computed, given, message = REFUSED[case]
    with pytest.raises(ScheduleError, match=message):
        resolve(computed, given)


def test_resolve_refuses_to_fuse_what_other_nests_run_over():
    pointwise = made("conv2d", "c=2,h=4,k=2,r=1")
    given = Nest((), "oh.ow", 8, (("ic", 1),), fuse=(("oh", "ow"),))
    with pytest.raises(ScheduleError, match="other nests run over one of them too"):
        resolve(pointwise, given, {"oh": 2})


# --- what a nest denotes -----------------------------------------------------------------------


def test_regions_follow_the_loops():
    plan = resolve(MATMUL, nest(Loop("m", 6), Loop("n", 16), Loop("m", 3), inner=(("k", 4),)))
    assert [region["m"] for region in plan.regions] == [12, 6, 6]
    assert plan.tile == {"m": 3, "n": 16, "k": 20}
    assert plan.rows == {"m": 3}
    assert (plan.vectors, plan.accumulators, plan.split_reductions) == (2, 6, ())


def test_vectors_round_up_and_rows_of_one_are_left_out():
    plan = resolve(MATMUL, nest(Loop("m", 1), Loop("n", 10)))
    assert (plan.rows, plan.vectors, plan.accumulators) == ({}, 2, 2)


def test_split_reduction_leaves_its_block_to_the_tile():
    plan = resolve(MATMUL, nest(Loop("k", 8), Loop("m", 1), Loop("k", 4)))
    assert plan.tile["k"] == 4
    assert plan.split_reductions == ("k",)


def test_shared_loops_cut_the_regions():
    plan = resolve(MATMUL, nest(Loop("m", 2)), {"m": 4, "b": 3})
    assert plan.regions[0] == {"m": 4, "n": 40, "k": 20}
    with pytest.raises(ScheduleError, match="does not divide the step 4 around it"):
        resolve(MATMUL, nest(Loop("m", 3)), {"m": 4})


def test_storage_is_read_by_its_strides():
    home = storage_home(PADDED, PADDED.access("x"))
    assert (home.kind, home.offset, home.is_padded) == ("storage", -10, True)
    assert {axis: s.outer for axis, s in home.strides.items()} == {
        **{"ic": 72, "oh": 9, "kh": 9, "ow": 1, "kw": 1}
    }
    assert (home.step("ow"), home.step("oc")) == (1, 0)


def test_dims_stage_covers_the_window_of_its_region():
    plan = resolve(PADDED, conv(Loop("oh", 2), Stage("x", "dims", align=16), Loop("oc", 1)))
    stage = plan.stages[1]
    # Two rows of outputs need four rows of three channels; a row of 9 outputs needs 11 elements.
    assert stage.spans == (1, 3, 4, 11)
    assert stage.shape == (1, 3, 4, 16)
    assert stage.elements == 3 * 4 * 16 + 8
    assert {a: s.outer for a, s in stage.home.strides.items()} == {
        **{"ic": 64, "oh": 16, "kh": 16, "ow": 1, "kw": 1}
    }
    assert not stage.home.is_padded
    assert plan.homes["x"] == stage.home
    assert plan.bytes_of(1) == round_up(stage.elements * 4, 64)


def test_phases_deal_a_row_out_to_rows_of_every_other_element():
    plan = resolve(STRIDED, strided(Stage("x", "dims", phases=True, align=4), Loop("oc", 1)))
    stage = plan.stages[0]
    # 18 outputs of step 2 and a window of 5 read 39 elements: two rows of 20.
    assert stage.home.phases == Phases(2, 20, (("kw", 1),))
    assert stage.shape == (1, 2, 9, 40)
    assert stage.home.strides["ow"] == Stride(1)
    assert stage.home.strides["kw"] == Stride(0)


def test_axes_stage_is_in_the_order_of_the_register_tiles():
    plan = resolve(
        MATMUL,
        nest(Stage("x", "axes"), Stage("weight", "axes"), Loop("m", 5), Loop("n", 16)),
    )
    x, weight = plan.stages[0].home, plan.stages[1].home
    assert x.strides == {"m": Stride(5 * 20, 5, 1), "k": Stride(5)}
    assert weight.strides == {"n": Stride(16 * 20, 16, 1), "k": Stride(16)}
    assert plan.stages[0].elements == 3 * 5 * 20 + 8
    assert plan.stages[1].elements == 3 * 16 * 20 + 8
    assert (weight.step("n"), x.step("n")) == (1, 0)


def test_axes_stage_pads_the_vector_axis_to_whole_vectors():
    plan = resolve(MATMUL, nest(Loop("n", 10), Stage("weight", "axes")))
    assert plan.stages[1].home.strides["k"] == Stride(16)


def test_axes_stage_follows_the_order_of_the_inner_loops():
    inner = (("kw", 1), ("ic", 1), ("kh", 1))
    plan = resolve(PADDED, conv(Stage("weight", "axes"), Loop("oc", 2), inner=inner))
    assert plan.stages[0].order == ("kw", "ic", "kh")
    steps = {a: s.outer for a, s in plan.homes["weight"].strides.items()}
    assert (steps["kh"], steps["ic"], steps["kw"]) == (2, 6, 18)


def test_staged_output_holds_whole_vectors_of_its_region():
    plan = resolve(MATMUL, nest(Loop("m", 4), Stage("out", "axes"), Loop("k", 5), Loop("n", 16)))
    assert plan.output_stage == 1
    assert plan.stages[1].elements == 4 * 16 * 3 + 8
    # Sums go to the buffer; the output itself is where the caller wants it.
    assert plan.stages[1].home.strides == {"m": Stride(16), "n": Stride(4 * 16, 16, 1)}


@pytest.mark.parametrize(("value", "multiple", "rounded"), [(0, 8, 0), (1, 8, 8), (8, 8, 8)])
def test_round_up_gives_the_least_multiple(value, multiple, rounded):
    assert round_up(value, multiple) == rounded
