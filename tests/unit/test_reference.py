"""The float64 reference with its tail, against independent formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from autotune.errors import UsageError
from autotune.ops.base import parse_workload
from autotune.reference import activate, erf, expected, reference

RNG = np.random.default_rng(0)


def test_erf_is_exact_to_the_last_digits() -> None:
    values = np.concatenate([RNG.standard_normal(1000) * 3, [0.0, -0.0, 6.0, -6.0, 1e-300]])
    assert np.allclose(erf(values), special.erf(values), rtol=1e-15, atol=1e-300)
    assert erf(values.reshape(5, -1)).shape == (5, 201)


@pytest.mark.parametrize("name", ["none", "relu", "relu6", "gelu", "silu"])
def test_activations_match_their_definitions(name: str) -> None:
    values = np.array([-800.0, -3.0, -0.5, 0.0, 0.5, 3.0, 7.0, 800.0])
    definitions = {
        "none": lambda v: v,
        "relu": lambda v: max(v, 0.0),
        "relu6": lambda v: min(max(v, 0.0), 6.0),
        "gelu": lambda v: 0.5 * v * (1.0 + math.erf(v / math.sqrt(2.0))),
        "silu": lambda v: v / (1.0 + math.exp(-v)) if v > -700 else 0.0,
    }
    wanted = [definitions[name](v) for v in values]
    assert np.allclose(activate(name, values), wanted, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize(
    ("layout", "out_shape", "bias_shape", "bias_at"),
    [
        ("NCHW", (1, 32, 4, 4), (32,), (1, 32, 1, 1)),
        ("NHWC", (1, 4, 4, 32), (32,), (1, 1, 1, 32)),
        ("NCHW16c", (1, 2, 4, 4, 16), (2, 16), (1, 2, 1, 1, 16)),
    ],
)
def test_bias_runs_along_the_output_channels(
    layout: str, out_shape: tuple[int, ...], bias_shape: tuple[int, ...], bias_at: tuple[int, ...]
) -> None:
    shape = "c=16,h=4,k=32,r=1,bias=1,residual=1,act=relu"
    workload = parse_workload("conv2d", shape, layout=layout)
    x_shape = {"NCHW": (1, 16, 4, 4), "NHWC": (1, 4, 4, 16), "NCHW16c": (1, 1, 4, 4, 16)}[layout]
    weight_shape = (1, 1, 16, 32) if layout == "NHWC" else (32, 16, 1, 1)
    x, weight = np.zeros(x_shape), np.zeros(weight_shape)
    bias, residual = RNG.standard_normal(bias_shape), RNG.standard_normal(out_shape)
    found = reference(workload, x, weight, bias, residual)
    assert np.allclose(found, np.maximum(bias.reshape(bias_at) + residual, 0.0))


def test_rms_is_of_the_sum_before_the_tail() -> None:
    workload = parse_workload("matmul", "2x2x1,bias=1,act=relu")
    arrays = {
        "x": np.array([[1.0], [2.0]]),
        "weight": np.array([[3.0, -4.0]]),
        "bias": np.array([100.0, 100.0]),
    }
    found = expected(workload, arrays)
    assert found.rms == pytest.approx(math.sqrt((9 + 16 + 36 + 64) / 4))
    assert found.magnitude is not None
    assert found.magnitude.tolist() == [[103.0, 104.0], [106.0, 108.0]]


def test_missing_superfluous_and_misshapen_arrays_are_refused() -> None:
    plain = parse_workload("matmul", "2x3x4")
    x, weight = np.zeros((2, 4)), np.zeros((4, 3))
    with pytest.raises(UsageError, match="takes no operand 'bias'"):
        reference(plain, x, weight, bias=np.zeros(3))
    with pytest.raises(UsageError, match="needs operand 'bias'"):
        reference(parse_workload("matmul", "2x3x4,bias=1"), x, weight)
    with pytest.raises(UsageError, match=r"operand 'x' has shape \(4, 2\)"):
        reference(plain, x.T, weight)


def test_given_arrays_are_left_alone() -> None:
    workload = parse_workload("matmul", "2x3x4,residual=1,act=relu")
    arrays = [RNG.standard_normal(s) for s in ((2, 4), (4, 3), (2, 3))]
    before = [array.copy() for array in arrays]
    reference(workload, arrays[0], arrays[1], residual=arrays[2])
    assert all(np.array_equal(a, b) for a, b in zip(arrays, before, strict=True))
