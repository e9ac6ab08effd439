"""What a workload's result must be: NumPy, float64, the fused tail included.

The runner compares every candidate with `expected`; `reference` is the public form of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autotune.errors import UsageError
from autotune.ops.base import Operator, contraction, sizes_of
from autotune.registry import OPERATORS
from autotune.trial import Workload

_CHUNK = 1 << 16


@dataclass(frozen=True)
class Expected:
    """The right result, and the scale against which errors are judged."""

    out: NDArray[np.float64]
    rms: float
    """Root mean square of the sum before the tail."""
    magnitude: NDArray[np.float64] | None
    """|sum| + |bias| + |residual| of each element; None where there is no tail."""


def reference(
    w: Workload,
    x: NDArray[Any],
    weight: NDArray[Any],
    bias: NDArray[Any] | None = None,
    residual: NDArray[Any] | None = None,
) -> NDArray[np.float64]:
    """The result of a workload in float64, computed with NumPy.

    Arrays have the shapes that the workload states, and any real dtype.

    Raises:
        UsageError: an array is missing, superfluous, or not of the stated shape.
    """
    given = {"x": x, "weight": weight, "bias": bias, "residual": residual}
    return expected(w, {name: array for name, array in given.items() if array is not None}).out


def expected(workload: Workload, arrays: Mapping[str, NDArray[Any]]) -> Expected:
    """act(sum + bias + residual) in float64, and the scale of its parts."""
    made = contraction(workload)
    wide = _checked(workload, arrays)
    operator: Operator = OPERATORS.get(workload.op)
    total = operator.reference(
        sizes_of(workload), workload.layout, wide["x"], wide["weight"]
    ).reshape(made.output.shape)
    rms = math.sqrt(float(np.mean(np.square(total))))
    if made.bias is None and made.residual is None and made.activation == "none":
        return Expected(total, rms, None)
    magnitude = np.abs(total)
    for addend in _addends(workload, operator, wide, total.shape):
        total = total + addend
        magnitude = magnitude + np.abs(addend)
    return Expected(activate(made.activation, total), rms, magnitude)


def _addends(
    workload: Workload,
    operator: Operator,
    wide: Mapping[str, NDArray[np.float64]],
    shape: tuple[int, ...],
) -> list[NDArray[np.float64]]:
    """Bias and residual, where there are any, shaped to add to the output."""
    found = []
    if "bias" in wide:
        kept = operator.bias_axes(workload.layout)
        found.append(wide["bias"].reshape([n if d in kept else 1 for d, n in enumerate(shape)]))
    if "residual" in wide:
        found.append(wide["residual"])
    return found


def _checked(
    workload: Workload, arrays: Mapping[str, NDArray[Any]]
) -> dict[str, NDArray[np.float64]]:
    needed = {a.operand: a.shape for a in contraction(workload).operands[:-1]}
    for name in sorted(needed.keys() ^ arrays.keys()):
        verb = "needs" if name in needed else "takes no"
        raise UsageError(f"{workload.op} {workload.shape} {verb} operand {name!r}")
    wide: dict[str, NDArray[np.float64]] = {}
    for name, shape in needed.items():
        if arrays[name].shape != shape:
            raise UsageError(
                f"operand {name!r} has shape {arrays[name].shape}; {workload.shape} needs {shape}"
            )
        wide[name] = np.asarray(arrays[name], dtype=np.float64)
    return wide


def activate(name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The named activation of every element."""
    if name == "relu":
        return np.maximum(values, 0.0)
    if name == "relu6":
        return np.clip(values, 0.0, 6.0)
    if name == "gelu":
        return values * 0.5 * (1.0 + erf(values / math.sqrt(2.0)))
    if name == "silu":
        # x * sigmoid(x), written so that exp never overflows.
        return values * 0.5 * (1.0 + np.tanh(values / 2.0))
    return values


def erf(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The error function of every element, as exact as the C library's."""
    flat = values.ravel()
    found = np.empty_like(flat)
    for start in range(0, flat.size, _CHUNK):
        piece = flat[start : start + _CHUNK]
        found[start : start + piece.size] = np.fromiter(
            map(math.erf, piece.tolist()), np.float64, piece.size
        )
    return found.reshape(values.shape)
