"""What an operator computes, as one sum of products over named axes.

    out[o(parallel)] = tail( sum over reduction axes of  x0[a0(axes)] * x1[a1(axes)] * ... )

Space, lowering, features and checks work on this and know no operator by name. Pure data, standard
library only, so that a lookup can use it without NumPy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Literal

from autotune.errors import ScheduleError

ITEM_BYTES: Mapping[str, int] = {"float32": 4, "float64": 8}
ACTIVATIONS = ("none", "relu", "relu6", "gelu", "silu")


@dataclass(frozen=True)
class Axis:
    """A loop of the contraction; `extent` iterations, at least 1."""

    name: str
    extent: int
    kind: Literal["parallel", "reduction"]


@dataclass(frozen=True)
class Affine:
    """An index `sum(coefficient * axis) + offset` into one storage dimension.

    Coefficients are positive; an axis of extent 1 never appears.
    """

    terms: tuple[tuple[str, int], ...]
    offset: int = 0

    def coefficient(self, axis: str) -> int:
        return dict(self.terms).get(axis, 0)


@dataclass(frozen=True)
class Access:
    """How the contraction reads or writes one operand, stored row-major with this shape.

    An index outside the shape reads as zero (padding).
    """

    operand: str
    shape: tuple[int, ...]
    index: tuple[Affine, ...]

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """Elements between neighbours in each dimension."""
        return tuple(prod(self.shape[d + 1 :]) for d in range(len(self.shape)))

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """Axes this access depends on, in order of appearance."""
        return tuple(dict.fromkeys(name for affine in self.index for name, _ in affine.terms))

    def coefficient(self, axis: str) -> int:
        """Elements of storage that one step along `axis` moves."""
        return sum(
            stride * affine.coefficient(axis)
            for stride, affine in zip(self.strides, self.index, strict=True)
        )

    @property
    def offset(self) -> int:
        """Element offset at the origin of all axes; negative under padding."""
        return sum(s * a.offset for s, a in zip(self.strides, self.index, strict=True))


@dataclass(frozen=True)
class Factor:
    """A matrix that is part of the algorithm: `values[row][column]`, known to the compiler."""

    axes: tuple[str, str]
    """Axes that pick the row and the column."""
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Contraction:
    """A sum of products over named axes, then a fused tail: act(sum + bias + residual)."""

    axes: tuple[Axis, ...]
    output: Access
    inputs: tuple[Access, ...]
    dtype: str
    accumulate_dtype: str
    output_dtype: str
    constant: str = ""
    """The operand that never changes between calls, so that it may be packed beforehand."""
    bias: Access | None = None
    residual: Access | None = None
    activation: str = "none"
    factors: tuple[Factor, ...] = ()
    """Constant matrices that multiply each product."""
    rounding_units: float = 16.0
    """What an algorithm may round, in units of eps * sqrt(the sum's length) * RMS; 0 admits the
    direct sum alone."""

    @cached_property
    def by_name(self) -> Mapping[str, Axis]:
        return {axis.name: axis for axis in self.axes}

    @cached_property
    def extents(self) -> Mapping[str, int]:
        return {axis.name: axis.extent for axis in self.axes}

    @cached_property
    def parallel(self) -> tuple[Axis, ...]:
        """Parallel axes of more than one iteration, in declared order."""
        return tuple(a for a in self.axes if a.kind == "parallel" and a.extent > 1)

    @cached_property
    def reduction(self) -> tuple[Axis, ...]:
        """Reduction axes of more than one iteration, in declared order."""
        return tuple(a for a in self.axes if a.kind == "reduction" and a.extent > 1)

    @property
    def operands(self) -> tuple[Access, ...]:
        """Every array the kernel takes, in the order of its pointer table; the output is last."""
        extra = tuple(a for a in (self.bias, self.residual) if a is not None)
        return (*self.inputs, *extra, self.output)

    def access(self, operand: str) -> Access:
        for access in self.operands:
            if access.operand == operand:
                return access
        names = ", ".join(a.operand for a in self.operands)
        raise ScheduleError(f"no operand {operand!r}; this contraction has {names}")

    @property
    def multiply_adds(self) -> int:
        """Multiply-adds as the sum is written, padding included."""
        return prod(axis.extent for axis in self.axes)

    @property
    def is_once(self) -> bool:
        """Whether all it reads is constant, so that it is computed when operands are packed."""
        return bool(self.constant) and all(a.operand == self.constant for a in self.inputs)

    def is_padded(self, access: Access) -> bool:
        """Whether some iteration reads outside the operand's storage."""
        for size, affine in zip(access.shape, access.index, strict=True):
            last = sum(c * (self.extents[a] - 1) for a, c in affine.terms) + affine.offset
            if affine.offset < 0 or last >= size:
                return True
        return False


def affine(extents: Mapping[str, int], terms: Iterable[tuple[str, int]], offset: int = 0) -> Affine:
    """An affine index over `terms`, without the axes that have a single iteration."""
    return Affine(tuple((a, c) for a, c in terms if extents[a] > 1 and c), offset)


def fused_name(axes: Iterable[str]) -> str:
    """The name of the axis that replaces `axes`."""
    return ".".join(axes)


def fuse(contraction: Contraction, axes: tuple[str, ...]) -> Contraction:
    """The same contraction with neighbouring axes merged into one, first axis outermost.

        for p in P: for q in Q: f(p * Q + q)   ->   for p.q in P*Q: f(p.q)

    Raises:
        ScheduleError: some operand does not step evenly over the merged axis.
    """
    known = contraction.by_name
    for name in axes:
        if name not in known:
            raise ScheduleError(f"cannot fuse unknown axis {name!r}; axes: {', '.join(known)}")
    if any(name in factor.axes for factor in contraction.factors for name in axes):
        raise ScheduleError(f"cannot fuse {axes}: a constant matrix has one of them")
    kinds = {known[name].kind for name in axes}
    if len(axes) < 2 or len(set(axes)) != len(axes) or len(kinds) != 1:
        raise ScheduleError(f"cannot fuse {axes}: two or more distinct axes of one kind are needed")
    live = tuple(name for name in axes if known[name].extent > 1)
    name = fused_name(axes)
    merged = Axis(name, prod(known[a].extent for a in axes), known[axes[0]].kind)
    new_axes: list[Axis] = []
    for axis in contraction.axes:
        if axis.name == axes[0]:
            new_axes.append(merged)
        elif axis.name not in axes:
            new_axes.append(axis)
    extents = contraction.extents

    def rewrite(access: Access) -> Access:
        return _fuse_access(access, live, name, extents)

    return replace(
        contraction,
        axes=tuple(new_axes),
        output=rewrite(contraction.output),
        inputs=tuple(rewrite(a) for a in contraction.inputs),
        bias=rewrite(contraction.bias) if contraction.bias else None,
        residual=rewrite(contraction.residual) if contraction.residual else None,
    )


def _fuse_access(
    access: Access, live: tuple[str, ...], name: str, extents: Mapping[str, int]
) -> Access:
    if not any(axis in access.axes for axis in live) or not live:
        return access
    if len(live) == 1:
        index = tuple(
            Affine(tuple((name if a == live[0] else a, c) for a, c in d.terms), d.offset)
            for d in access.index
        )
        return Access(access.operand, access.shape, index)
    shape, index_list = list(access.shape), list(access.index)
    positions = []
    for axis in live:
        where = [d for d, aff in enumerate(index_list) if aff.coefficient(axis)]
        if len(where) != 1 or index_list[where[0]] != Affine(((axis, 1),), 0):
            raise ScheduleError(
                f"cannot fuse {live}: {access.operand} has no plain dimension {axis}"
            )
        positions.append(where[0])
    first = positions[0]
    if positions != list(range(first, first + len(live))):
        raise ScheduleError(f"cannot fuse {live}: not neighbouring dimensions of {access.operand}")
    for axis, position in zip(live, positions, strict=True):
        if shape[position] != extents[axis]:
            raise ScheduleError(f"cannot fuse {live}: {axis} skips part of {access.operand}")
    size = prod(shape[first : first + len(live)])
    shape[first : first + len(live)] = [size]
    index_list[first : first + len(live)] = [Affine(((name, 1),), 0)]
    return Access(access.operand, tuple(shape), tuple(index_list))
