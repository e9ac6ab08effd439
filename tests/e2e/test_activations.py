"""Fused activations against the C library, over the whole range of numbers and beyond."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from autotune.ir.default import default_schedule
from autotune.ops.base import contraction, parse_workload
from autotune.runtime import Kernel
from autotune.targets.base import Target
from autotune.targets.detect import host, resolve

DTYPES = ("float32", "float64")


def _activated(name: str, values: NDArray[np.floating], target: Target) -> NDArray[np.floating]:
    """What a kernel makes of each value: the tail of a product with 1."""
    workload = parse_workload(
        "matmul", f"1x{values.size}x1,act={name},prepack=0", str(values.dtype)
    )
    kernel = Kernel(workload, default_schedule(contraction(workload), target), target)
    return kernel(np.ones((1, 1), values.dtype), values[None])[0]


def _exact(name: str, x: float) -> float:
    """The activation by the C library's functions, without cancellation or overflow."""
    if name == "gelu":
        return 0.5 * x * math.erfc(-x * math.sqrt(0.5))
    if name == "silu":
        return x / (1 + math.exp(-x)) if x > -700 else 0.0
    return min(max(x, 0.0), 6.0 if name == "relu6" else math.inf)


def _wide_range(dtype: str) -> NDArray[np.floating]:
    """Every magnitude down to denormal numbers, and a fine grid where the curves bend."""
    powers = 2.0 ** np.arange(-140, 80, 0.37)
    grid = np.linspace(-100, 100, 4001)
    return np.concatenate([-powers, powers, grid, [0.0, -0.0]]).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["relu", "relu6", "gelu", "silu"])
@pytest.mark.parametrize("level", ["host", "x86-64"])
def test_activation_is_accurate_over_the_whole_range(level: str, name: str, dtype: str) -> None:
    values = _wide_range(dtype)
    found = _activated(name, values, resolve(level)).astype(np.float64)
    right = np.array([_exact(name, float(x)) for x in values])
    if name.startswith("relu"):
        assert np.array_equal(found, right)
        return
    limits = np.finfo(dtype)
    # Far below zero nothing is left of either function; the rounding of x stays.
    size = np.minimum(np.abs(values.astype(np.float64)), np.maximum(right, 30.0))
    allowed = 4 * float(limits.eps) * size + float(limits.smallest_subnormal)
    assert np.all(np.abs(found - right) <= allowed)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["relu", "relu6", "gelu", "silu"])
def test_activation_of_nan_and_infinity(name: str, dtype: str) -> None:
    top = float(np.finfo(dtype).max)
    values = np.array([np.nan, np.inf, top, -top], dtype)
    nan, infinite, large, below = _activated(name, values, host()).tolist()
    limit = 6.0 if name == "relu6" else math.inf
    assert math.isnan(nan)
    assert (infinite, large) == (limit, min(limit, top))
    assert abs(below) <= 1e-30


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["relu", "relu6", "gelu", "silu"])
def test_activation_of_minus_infinity_is_zero_or_nan(name: str, dtype: str) -> None:
    # NaN is what NumPy and torch make of x * 0 there; an infinite or finite other value is wrong.
    (found,) = _activated(name, np.array([-np.inf], dtype), host()).tolist()
    assert math.isnan(found) or abs(found) <= 1e-30
