"""What an operator is, and how `--shape` text becomes a workload.

An operator is one file that defines OPERATOR. It declares its shape keys, builds the contraction
and computes the float64 reference; everything else follows from the contraction.

Loop names: matmul b m n k; conv2d n g oc oh ow (parallel), ic kh kw (reduction).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from autotune.errors import UsageError
from autotune.ir.contraction import ACTIVATIONS, ITEM_BYTES, Access, Contraction
from autotune.registry import OPERATORS
from autotune.trial import DEFAULT_TOLERANCE, STRICT, Tolerance, Workload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_SIZE = 2**31 - 1
"""Largest single size; products are checked against MAX_ELEMENTS."""
MAX_ELEMENTS = 2**60
"""Largest element count of an operand, and largest multiply-add count: address maths is int64."""


@dataclass(frozen=True)
class Key:
    """One key of the shape grammar: `width` integers of at least `low`, joined by `x`."""

    name: str
    default: tuple[int, ...] | str | None = None
    """Default value, the name of another key to copy it from, or None where it is required."""
    low: int = 1
    width: int = 1
    high: int = MAX_SIZE


Sizes = Mapping[str, tuple[int, ...]]
"""Every numeric key of a shape with its integers."""


class Operator(Protocol):
    """One operator. `keys` fixes the canonical order of the shape text."""

    name: str
    keys: tuple[Key, ...]
    layouts: tuple[str, ...]
    """Accepted layouts; the first is the default."""
    prepack_default: int
    short_form: tuple[str, ...]
    """Keys that `AxBxC` stands for; empty where there is no short form."""

    def validate(self, sizes: Sizes, layout: str) -> None:
        """Raise UsageError where the sizes contradict one another."""

    def contraction(self, sizes: Sizes, layout: str, dtype: str) -> Contraction:
        """The contraction without its tail; inputs are called `x` and `weight`, output `out`."""

    def bias_axes(self, layout: str) -> tuple[int, ...]:
        """Dimensions of the output that the bias runs along, outermost first."""

    def reduction_length(self, sizes: Sizes) -> int:
        """C of the tolerance: c/groups for a convolution, k for a matmul."""

    def reference(
        self, sizes: Sizes, layout: str, x: NDArray[np.float64], weight: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The sum, without its tail, in float64 from float64 arrays."""

    def reference_bytes(self, sizes: Sizes, layout: str) -> int:
        """Bytes that `reference` holds at its peak beside its arguments, its result included."""


_INTEGER = re.compile(r"[+-]?[0-9]{1,20}\Z")


def parse_workload(
    op: str,
    shape: str,
    dtype: str = "float32",
    layout: str | None = None,
    tolerance: Tolerance | str = DEFAULT_TOLERANCE,
) -> Workload:
    """The workload that `--op op --shape shape` names, in canonical form.

    Raises:
        UsageError: anything unknown, doubled, missing or impossible; the message names the key,
            the value and what is allowed.
    """
    operator: Operator = OPERATORS.get(op)
    if dtype not in ITEM_BYTES:
        raise UsageError(f"dtype {dtype!r} is not supported; allowed: {', '.join(ITEM_BYTES)}")
    chosen = operator.layouts[0] if layout is None else layout
    if chosen not in operator.layouts:
        allowed = ", ".join(operator.layouts)
        raise UsageError(f"layout {chosen!r} is not one of {op}'s; allowed: {allowed}")
    accepted = _tolerance(tolerance)
    pairs = _split(operator, shape)
    act = pairs.pop("act", "none").lower()
    if act not in ACTIVATIONS:
        raise UsageError(f"shape key act={act!r} is not allowed; allowed: {', '.join(ACTIVATIONS)}")
    sizes = _sizes(operator, pairs)
    operator.validate(sizes, chosen)
    workload = Workload(op, _canonical(operator, sizes, act), dtype, chosen, accepted)
    _check_bounds(workload)
    return workload


def reparsed(workload: Workload) -> Workload:
    """The same workload, where it came from outside and has to be believed.

    Raises:
        UsageError: it is not one in canonical form.
    """
    found = parse_workload(
        workload.op, workload.shape, workload.dtype, workload.layout, workload.tolerance
    )
    if found != workload:
        raise UsageError(f"key {workload.key!r} is not canonical; allowed: {found.key}")
    return found


def workload_of(key: str) -> Workload:
    """The workload that a key names.

    Raises:
        UsageError: it is no key.
    """
    op, shape, dtype, layout, tolerance = [*key.split("/"), "", "", "", "", ""][:5]
    units = tolerance.removeprefix("tol=")
    if key.count("/") != 4 or units == tolerance:
        raise UsageError(
            f"key {key[:200]!r} is not one; allowed: op/shape/dtype/layout/tol=UNITS, as "
            f"`autotune lookup` prints it"
        )
    return parse_workload(op, shape, dtype, layout, units)


def _tolerance(given: Tolerance | str) -> Tolerance:
    """A number of units, also as text, or `strict`."""
    if isinstance(given, str) and given.strip().lower() == STRICT:
        return STRICT
    try:
        units = float(given)
    except (TypeError, ValueError):
        units = 0.0
    if not 0 < units < float("inf"):
        raise UsageError(
            f"tolerance {given!r} is not allowed; allowed: a positive number, or {STRICT}"
        )
    return units


def _all_keys(operator: Operator) -> tuple[Key, ...]:
    prepack = Key("prepack", (operator.prepack_default,), low=0, high=1)
    bias = Key("bias", (0,), low=0, high=1)
    residual = Key("residual", (0,), low=0, high=1)
    return (*operator.keys, prepack, bias, residual)


def _split(operator: Operator, shape: str) -> dict[str, str]:
    """Shape text as key -> value text, with unknown and doubled keys refused."""
    if len(shape) > 1000:
        raise UsageError(f"shape is {len(shape)} characters long; at most 1000 are allowed")
    short = operator.short_form
    if short and "=" not in shape.split(",")[0] and "x" in shape.lower():
        first, _, rest = shape.partition(",")
        parts = first.lower().split("x")
        if len(parts) != len(short):
            raise UsageError(
                f"shape {first!r} has {len(parts)} sizes; {operator.name} takes {'x'.join(short)}"
            )
        shape = ",".join(f"{k}={v}" for k, v in zip(short, parts, strict=True))
        shape += f",{rest}" if rest else ""
    allowed = [key.name for key in _all_keys(operator)] + ["act"]
    pairs: dict[str, str] = {}
    for item in shape.split(","):
        name, equals, value = item.strip().partition("=")
        name, value = name.strip().lower(), value.strip()
        if not equals or name not in allowed:
            raise UsageError(
                f"shape part {item.strip()!r} is not allowed; {operator.name} takes key=value with "
                f"keys {', '.join(allowed)}"
            )
        if name in pairs:
            raise UsageError(f"shape key {name}={value} is given twice; once is allowed")
        pairs[name] = value
    return pairs


def _sizes(operator: Operator, pairs: Mapping[str, str]) -> dict[str, tuple[int, ...]]:
    sizes: dict[str, tuple[int, ...]] = {}
    for key in _all_keys(operator):
        if key.name in pairs:
            sizes[key.name] = _read(key, pairs[key.name])
        elif isinstance(key.default, tuple):
            sizes[key.name] = key.default
        elif isinstance(key.default, str):
            sizes[key.name] = sizes[key.default]
        else:
            needed = ", ".join(k.name for k in operator.keys if k.default is None)
            raise UsageError(f"shape key {key.name} is missing; {operator.name} needs {needed}")
    return sizes


def _read(key: Key, text: str) -> tuple[int, ...]:
    forms = {1: "one integer", 2: "an integer or HxW", 4: "an integer, HxW or TxLxBxR"}
    allowed = f"{forms[key.width]} from {key.low} to {key.high}"
    parts = text.lower().split("x")
    if not all(_INTEGER.match(part) for part in parts):
        raise UsageError(f"shape key {key.name}={text!r} is not an integer; allowed: {allowed}")
    values = tuple(int(part) for part in parts)
    if any(not key.low <= value <= key.high for value in values):
        raise UsageError(f"shape key {key.name}={text} is out of range; allowed: {allowed}")
    if len(values) == 1:
        return values * key.width
    if len(values) == key.width:
        return values
    if len(values) == 2 and key.width == 4:
        return (values[0], values[1], values[0], values[1])
    raise UsageError(f"shape key {key.name}={text} has {len(values)} parts; allowed: {allowed}")


def _canonical(operator: Operator, sizes: Sizes, act: str) -> str:
    parts = [f"{key.name}={'x'.join(map(str, sizes[key.name]))}" for key in _all_keys(operator)]
    return ",".join([*parts, f"act={act}"])


def _check_bounds(workload: Workload) -> None:
    made = contraction(workload)
    for access in made.operands:
        count = 1
        for size in access.shape:
            count *= size
        if count > MAX_ELEMENTS:
            raise UsageError(
                f"operand {access.operand} of {workload.shape} has {count} elements; "
                f"at most {MAX_ELEMENTS} are allowed"
            )
    if made.multiply_adds > MAX_ELEMENTS:
        raise UsageError(
            f"shape {workload.shape} takes {made.multiply_adds} multiply-adds; "
            f"at most {MAX_ELEMENTS} are allowed"
        )


@lru_cache(maxsize=4096)
def sizes_of(workload: Workload) -> Sizes:
    """Every numeric key of the workload's shape with its integers."""
    sizes: dict[str, tuple[int, ...]] = {}
    for part in workload.shape.split(","):
        name, _, value = part.partition("=")
        if name != "act":
            sizes[name] = tuple(int(v) for v in value.split("x"))
    return sizes


@lru_cache(maxsize=4096)
def contraction(workload: Workload) -> Contraction:
    """The contraction of a workload, its fused tail included."""
    operator: Operator = OPERATORS.get(workload.op)
    sizes = sizes_of(workload)
    made = operator.contraction(sizes, workload.layout, workload.dtype)
    out = made.output
    bias = None
    if sizes["bias"][0]:
        dims = operator.bias_axes(workload.layout)
        bias = Access("bias", tuple(out.shape[d] for d in dims), tuple(out.index[d] for d in dims))
    return replace(
        made,
        constant="weight" if sizes["prepack"][0] else "",
        rounding_units=0.0 if workload.tolerance == STRICT else workload.tolerance,
        bias=bias,
        residual=replace(out, operand="residual") if sizes["residual"][0] else None,
        activation=workload.shape.rpartition("act=")[2],
    )


def flop(workload: Workload) -> int:
    """Floating-point operations of the direct algorithm: two per multiply-add."""
    return 2 * contraction(workload).multiply_adds


def reduction_length(workload: Workload) -> int:
    """C of the tolerance unit eps * sqrt(C) * RMS."""
    operator: Operator = OPERATORS.get(workload.op)
    return operator.reduction_length(sizes_of(workload))


def command(workload: Workload) -> str:
    """The command line that tunes this workload, defaults left out."""
    operator: Operator = OPERATORS.get(workload.op)
    sizes = sizes_of(workload)
    parts = []
    for key in _all_keys(operator):
        default = sizes[key.default] if isinstance(key.default, str) else key.default
        if sizes[key.name] != default:
            values = sizes[key.name]
            same = len(set(values)) == 1
            parts.append(f"{key.name}={values[0] if same else 'x'.join(map(str, values))}")
    activation = workload.shape.rpartition("act=")[2]
    if activation != "none":
        parts.append(f"act={activation}")
    line = f"autotune run --op {workload.op} --shape {','.join(parts)}"
    if workload.dtype != "float32":
        line += f" --dtype {workload.dtype}"
    if workload.layout != operator.layouts[0]:
        line += f" --layout {workload.layout}"
    if workload.tolerance != DEFAULT_TOLERANCE:
        line += f" --tolerance {workload.tolerance_text}"
    return line
