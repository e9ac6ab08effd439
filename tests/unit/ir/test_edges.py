"""Rounds at the edges of what is read in place, against every position counted one by one."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from autotune.ir.contraction import Contraction
from autotune.ir.edges import edge_rounds, is_paired, openings, violation
from autotune.ir.homes import NestPlan
from autotune.ir.resolve import resolve
from autotune.ir.schedule import Loop, Nest, Stage
from autotune.ops.base import contraction, parse_workload


def made(shape: str) -> Contraction:
    return contraction(parse_workload("conv2d", shape))


def planned(
    computed: Contraction, *steps: Loop | Stage, vector: str = "ow", lanes: int = 4
) -> NestPlan:
    inner = tuple((axis.name, axis.extent) for axis in computed.reduction)
    return resolve(computed, Nest(steps, vector, lanes, inner))


def _positions(plan: NestPlan, axis: str, dimension: int, begin: int, step: int) -> set[int]:
    """Every place in a dimension of x that one round of the loop over an axis reads."""
    affine = plan.contraction.access("x").index[dimension]
    places = {affine.offset}
    for name, coefficient in affine.terms:
        extent = plan.contraction.extents[name]
        values = range(begin, begin + step) if name == axis else range(extent)
        places = {place + coefficient * value for place in places for value in values}
    if is_paired(plan, plan.contraction.access("x")) and dimension == 3:
        places |= {place // 2 * 2 for place in places} | {place // 2 * 2 + 1 for place in places}
    return places


@given(
    size=st.integers(3, 24),
    window=st.integers(1, 4),
    stride=st.integers(1, 3),
    dilation=st.integers(1, 3),
    pads=st.tuples(st.integers(0, 4), st.integers(0, 4)),
    step=st.integers(1, 8),
    is_row=st.booleans(),
)
def test_rounds_apart_are_those_that_touch_an_edge(
    size: int,
    window: int,
    stride: int,
    dilation: int,
    pads: tuple[int, int],
    step: int,
    is_row: bool,
) -> None:
    outputs = (size + sum(pads) - dilation * (window - 1) - 1) // stride + 1
    assume(outputs > step)
    axis, dimension = ("ow", 3) if is_row else ("oh", 2)
    along = f"{pads[0]}x0x{pads[1]}x0"
    shape = f"c=2,groups=2,k=2,h={size},w=12,r={window},s=1,stride={stride}x1"
    shape += f",dilation={dilation}x1,pad={along}"
    if is_row:
        shape = f"c=2,groups=2,k=2,h=12,w={size},r=1,s={window},stride=1x{stride}"
        shape += f",dilation=1x{dilation},pad=0x{pads[0]}x0x{pads[1]}"
    assume(not is_row or stride < 3)
    plan = planned(made(shape), Loop(axis, step))
    first, last = edge_rounds(plan.contraction, openings(plan), axis, outputs, step)
    whole = outputs // step
    for i in range(whole):
        read = _positions(plan, axis, dimension, i * step, step)
        touches = min(read) < 0 or max(read) >= size
        is_apart = i < first or i >= whole - last
        assert is_apart or not touches
        if i in (first - 1, whole - last):
            assert touches


def test_staged_operand_has_no_openings() -> None:
    computed = made("c=2,groups=2,k=2,h=9,r=3,pad=1")
    assert openings(planned(computed, Stage("x", "dims"))) == []
    assert [o.operand for o in openings(planned(computed))] == ["x", "x"]


def test_row_of_step_two_is_read_by_pairs_where_it_is_a_vector() -> None:
    computed = made("c=2,groups=2,k=2,h=9,w=40,r=3,stride=2")
    access = computed.access("x")
    assert is_paired(planned(computed), access)
    assert not is_paired(planned(computed, lanes=1), access)
    assert not is_paired(planned(computed, Loop("ow", 1)), access)
    assert not is_paired(planned(computed, Stage("x", "dims", phases=True)), access)
    assert not is_paired(planned(made("c=2,groups=2,k=2,h=9,w=40,r=3,stride=3")), access)


def test_each_thing_that_hides_an_edge_is_named() -> None:
    computed = made("c=2,groups=2,k=2,h=17,r=3,pad=1")
    assert violation(planned(computed, Loop("oh", 4), Loop("ow", 8))) is None
    twice = planned(computed, Loop("oh", 8), Loop("oh", 4))
    assert violation(twice) == "x is read in place and needs fewer loops over oh"
    split = resolve(computed, Nest((Loop("oh", 4), Loop("kh", 1)), "ow", 4, (("kw", 3),)))
    assert violation(split) == "x is read in place and needs fewer loops over kh"
    rolled = resolve(computed, Nest((Loop("oh", 4),), "ow", 4, (("kh", 3), ("kw", 1))))
    assert violation(rolled) == "x is read in place and needs kw unrolled in full"
