"""What an algorithm's statements compute, evaluated point by point with NumPy as the judge."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from autotune.errors import ScheduleError
from autotune.ir.algorithm import statements
from autotune.ir.contraction import Axis
from autotune.ops.base import contraction, parse_workload

WORKLOADS = {
    "matmul": ("matmul", "3x4x12", "row"),
    "turned": ("matmul", "2x3x8,ta=1,tb=1", "row"),
    "batch": ("batch_matmul", "2x2x3x6", "row"),
    "row": ("matmul", "1x1x6", "row"),
    "padded": ("conv2d", "c=4,h=4,w=3,k=2,r=3,pad=1x0x1x2", "NCHW"),
    "strided": ("conv2d", "c=6,h=5,k=2,r=2,s=1,stride=2x1,dilation=2x1", "NHWC"),
    "depthwise": ("conv2d", "c=3,h=6,k=3,r=4,groups=3", "NCHW"),
    "longest reduction is a window": ("conv2d", "c=2,h=6,w=7,k=1,r=1,s=6,pad=0x1", "NCHW"),
}
PARTS = [(name, parts) for name in WORKLOADS for parts in (2, 3, 4, 6)]


def made(name, **tail):
    op, shape, layout = WORKLOADS[name]
    text = "".join(f",{key}={value}" for key, value in tail.items())
    return contraction(parse_workload(op, shape + text, "float64", layout))


def evaluate(computed, arrays):
    """The sum of products of one contraction, without its tail."""
    out = np.zeros(computed.output.shape)
    names = [axis.name for axis in computed.axes]
    for values in product(*(range(axis.extent) for axis in computed.axes)):
        point = dict(zip(names, values, strict=True))
        term = 1.0
        for access in computed.inputs:
            index = position(access, point)
            inside = all(0 <= i < n for i, n in zip(index, access.shape, strict=True))
            term *= arrays[access.operand][index] if inside else 0.0
        out[position(computed.output, point)] += term
    return out


def position(access, point):
    return tuple(a.offset + sum(c * point[n] for n, c in a.terms) for a in access.index)


def inputs(computed):
    rng = np.random.default_rng(0)
    return {a.operand: rng.standard_normal(a.shape) for a in computed.inputs}


def run(computed, algorithm):
    arrays = inputs(computed)
    for statement in statements(computed, algorithm):
        arrays[statement.output.operand] = evaluate(statement, arrays)
    return arrays[computed.output.operand]


def longest(computed):
    return max((axis.extent for axis in computed.reduction), default=1)


@pytest.mark.parametrize(("name", "parts"), PARTS)
def test_partial_sums_add_up_to_the_direct_result(name, parts):
    computed = made(name)
    if longest(computed) % parts:
        with pytest.raises(ScheduleError, match="does not divide"):
            statements(computed, f"partial{parts}")
        return
    np.testing.assert_allclose(
        run(computed, f"partial{parts}"), run(computed, "direct"), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("name", WORKLOADS)
@pytest.mark.parametrize("lanes", [2, 3, 4])
def test_sums_side_by_side_add_up_to_the_direct_result(name, lanes):
    computed = made(name)
    length = longest(computed)
    for parts in (n for n in range(1, length + 1) if length % (n * lanes) == 0):
        first, second = statements(computed, f"partial{parts}x{lanes}")
        assert first.output.index[-1].terms == (("lane", 1),)
        assert first.multiply_adds == computed.multiply_adds
        assert {a.name for a in second.reduction} == {"lane"} | ({"part"} if parts > 1 else set())
        found = run(computed, f"partial{parts}x{lanes}")
        np.testing.assert_allclose(found, run(computed, "direct"), rtol=1e-12, atol=1e-12)
    for wrong in (f"partial{length}x{lanes}", "partial5x7", "partial1"):
        with pytest.raises(ScheduleError, match="does not divide"):
            statements(computed, wrong)


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_reduction_can_be_cut_down_to_single_points(name):
    computed = made(name)
    parts = longest(computed)
    first, second = statements(computed, f"partial{parts}")
    assert first.by_name["part"] == Axis("part", parts, "parallel")
    assert second.reduction == (Axis("part", parts, "reduction"),)
    np.testing.assert_allclose(
        run(computed, f"partial{parts}"), run(computed, "direct"), rtol=1e-12, atol=1e-12
    )


def test_direct_is_the_contraction_itself():
    computed = made("matmul", bias=1, act="relu")
    assert statements(computed, "direct") == (computed,)


def test_tail_belongs_to_the_last_statement_and_the_constant_to_the_first():
    computed = made("matmul", bias=1, residual=1, act="gelu")
    first, second = statements(computed, "partial4")
    assert (first.bias, first.residual, first.activation) == (None, None, "none")
    assert (second.bias, second.residual) == (computed.bias, computed.residual)
    assert second.activation == "gelu"
    assert (first.constant, second.constant) == ("weight", "")
    assert second.output == computed.output
    assert first.output.operand == second.inputs[0].operand == "partial"


def test_statements_together_multiply_as_often_as_the_direct_one():
    computed = made("matmul")
    first, second = statements(computed, "partial3")
    assert first.multiply_adds == computed.multiply_adds
    assert second.multiply_adds == 3 * 4 * 3


@pytest.mark.parametrize("count", [1, 0, 5, 7, 9, 13, 9999])
def test_partial_by_no_divisor_is_refused(count):
    with pytest.raises(ScheduleError):
        statements(made("matmul"), f"partial{count}")


@pytest.mark.parametrize(
    "name",
    [
        *("", "Direct", "direct ", "partial", "partial02", "partial-2", "partial2.0", "partial2\n"),
        *("partial2x", "partial2x1", "partialx2", "partial2x02", "partial0x2", "partial2x2x2"),
        *("partial12345", "2", "nonesuch", "partial" + "9" * 50),
    ],
)
def test_unknown_algorithm_is_refused_by_name(name):
    with pytest.raises(ScheduleError, match="is not known") as caught:
        statements(made("matmul"), name)
    assert repr(name) in str(caught.value)


def test_partial_without_a_reduction_is_refused():
    with pytest.raises(ScheduleError, match="needs a reduction"):
        statements(contraction(parse_workload("matmul", "3x4x1")), "partial2")
