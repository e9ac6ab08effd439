"""Minimal filtering of 3x3 windows as six statements.

    filters   = G w G'       once, where the weights are constant
    rows      = B x          input tiles, transformed along their rows,
    bands     = rows B'      then along their columns
    products  = sum over channels of bands * filters, for each of the (M + 2)^2 points
    sums      = A products   the inverse, along rows,
    out       = sums A'      then along columns, through the tail

Source: Lavin and Gray, arXiv 1509.09308; the matrices by Toom and Cook's construction over the
points below, which keep the error of M = 4 small (see docs/decisions.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import prod

from autotune.errors import ScheduleError
from autotune.ir.contraction import Access, Affine, Axis, Contraction, Factor

KERNEL = 3
POINTS = {
    2: (Fraction(0), Fraction(1), Fraction(-1)),
    4: (Fraction(0), Fraction(2, 3), Fraction(-2, 3), Fraction(3, 2), Fraction(-3, 2)),
    6: (
        *(Fraction(0), Fraction(1), Fraction(-1)),
        *(Fraction(4, 7), Fraction(-4, 7), Fraction(7, 4), Fraction(-7, 4)),
    ),
}
"""Finite interpolation points by M; infinity is the last one, always."""

ROUNDING = {2: (1.0, 8.0), 4: (5.0, 30.0), 6: (25.0, 330.0)}
"""By M, a and b of the largest error a + b / channels, in the units of a tolerance: they grow with
the root of the channels, the rounding of the transforms hardly. Source: measured on N(0, 1)."""

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Transforms:
    """The three matrices of F(M, 3): out = A ((G w) * (B x))."""

    b: Matrix
    g: Matrix
    a: Matrix


@cache
def transforms(outputs: int) -> Transforms:
    """Matrices of F(outputs, 3).

    Row j of B holds the coefficients of the product over l != j of (x - p_l), the last row those
    over all l; G evaluates the filter at p_j over the product of (p_j - p_l); A holds powers.
    """
    points = POINTS[outputs]
    size = outputs + KERNEL - 1
    b = [_coefficients([q for q in points if q != p], size) for p in points]
    b.append(_coefficients(list(points), size))
    g = [
        [p**k / prod((p - q for q in points if q != p), start=Fraction(1)) for k in range(KERNEL)]
        for p in points
    ]
    g.append([Fraction(int(k == KERNEL - 1)) for k in range(KERNEL)])
    a = [[p**i for p in points] + [Fraction(int(i == outputs - 1))] for i in range(outputs)]
    return Transforms(_floats(b), _floats(g), _floats(a))


def _coefficients(roots: list[Fraction], size: int) -> list[Fraction]:
    """Coefficients of the product of (x - root), lowest power first, padded with zeros."""
    found = [Fraction(1)]
    for root in roots:
        shifted = [Fraction(0), *found]
        found = [s - root * f for s, f in zip(shifted, [*found, Fraction(0)], strict=True)]
    return found + [Fraction(0)] * (size - len(found))


def _floats(rows: list[list[Fraction]]) -> Matrix:
    return tuple(tuple(float(value) for value in row) for row in rows)


@dataclass(frozen=True)
class Window:
    """The axes of a 3x3 window: out axis, kernel axis and dimension of x, for rows and columns."""

    out: tuple[str, str]
    kernel: tuple[str, str]
    dims: tuple[int, int]


def window(contraction: Contraction) -> Window | None:
    """The window of a contraction that minimal filtering fits, if it has one."""
    if len(contraction.inputs) != 2 or contraction.factors:
        return None
    x, weight = contraction.inputs
    kinds = contraction.by_name
    found = []
    for dimension, affine in enumerate(x.index):
        if len(affine.terms) != 2 or {c for _, c in affine.terms} != {1}:
            continue
        names = [name for name, _ in affine.terms]
        kernel = [n for n in names if kinds[n].kind == "reduction" and kinds[n].extent == KERNEL]
        out = [n for n in names if kinds[n].kind == "parallel"]
        if len(kernel) == len(out) == 1 and _is_plain(weight, kernel[0]):
            found.append((out[0], kernel[0], dimension))
    if len(found) != 2:
        return None
    (oh, kh, h), (ow, kw, w) = found
    if not all(_is_plain(contraction.output, axis) for axis in (oh, ow)):
        return None
    if any(axis in weight.axes for axis in (oh, ow)) or not _channels(contraction, found[0][1], kw):
        return None
    return Window((oh, ow), (kh, kw), (h, w))


def _is_plain(access: Access, axis: str) -> bool:
    """Whether the axis is a dimension of its own."""
    return Affine(((axis, 1),)) in access.index


def _channels(contraction: Contraction, kh: str, kw: str) -> list[str]:
    """The reduction axes beside the kernel's."""
    return [a.name for a in contraction.reduction if a.name not in (kh, kw)]


def rounding_units(contraction: Contraction, outputs: int) -> float:
    """The error to expect of F(outputs, 3) on data like N(0, 1), in the units of a tolerance."""
    found = window(contraction)
    if found is None:
        return 0.0
    return _rounding_units(outputs, _channel_count(contraction, found))


def _rounding_units(outputs: int, channels: int) -> float:
    least, shared = ROUNDING[outputs]
    return least + shared / channels


def _channel_count(contraction: Contraction, found: Window) -> int:
    return prod(contraction.extents[name] for name in _channels(contraction, *found.kernel))


def winograd(contraction: Contraction, outputs: int) -> tuple[Contraction, ...]:
    """The statements, in order.

    Raises:
        ScheduleError: the contraction has no 3x3 window of step 1.
    """
    found = window(contraction)
    if found is None:
        raise ScheduleError("algorithm winograd needs 3x3 windows of step 1 and dilation 1")
    channels = _channel_count(contraction, found)
    units = _rounding_units(outputs, channels)
    if units > contraction.rounding_units:
        raise ScheduleError(
            f"algorithm winograd{outputs} rounds by up to {units:.3g} units with {channels} "
            f"channels; allowed by the tolerance: {contraction.rounding_units:g}"
        )
    return _Statements(contraction, found, outputs).all()


class _Statements:
    def __init__(self, contraction: Contraction, found: Window, outputs: int) -> None:
        self.made, self.window, self.m = contraction, found, outputs
        self.size = outputs + KERNEL - 1
        self.matrices = transforms(outputs)
        self.x, self.weight = contraction.inputs
        self.channels = _channels(contraction, *found.kernel)
        extents = contraction.extents
        outer = [a for a in contraction.axes if a.kind == "parallel" and a.name not in found.out]
        used = self.x.axes
        self.batch = [a for a in outer if a.name in used]
        self.filters = [a for a in outer if a.name not in used and a.extent > 1]
        self.tiles = [Axis(f"{o}_tile", -(-extents[o] // outputs), "parallel") for o in found.out]
        self.images = [a for a in self.batch if a.name not in self.weight.axes and a.extent > 1]
        self.groups = [a for a in self.batch if a.name in self.weight.axes]
        self.sums = [Axis(n, extents[n], "parallel") for n in self.channels]

    def axis(self, side: int, role: str, kind: str = "parallel") -> Axis:
        """Rows or columns of a tile: `in` and `freq` have M + 2, `out` has M."""
        size = self.m if role == "out" else self.size
        name = f"{self.window.out[side]}_{role}"
        return Axis(name, size, "reduction" if kind == "reduction" else "parallel")

    def all(self) -> tuple[Contraction, ...]:
        return (
            self._filters(),
            self._rows(),
            self._bands(),
            self._products(),
            self._sums(),
            self._out(),
        )

    def _handed(self, operand: str, axes: list[Axis]) -> Access:
        """A temporary with one dimension an axis."""
        index = tuple(Affine(((a.name, 1),) if a.extent > 1 else ()) for a in axes)
        return Access(operand, tuple(a.extent for a in axes), index)

    def _statement(
        self,
        axes: list[Axis],
        output: Access,
        inputs: tuple[Access, ...],
        factors: tuple[Factor, ...] = (),
        constant: str = "",
    ) -> Contraction:
        return replace(
            self.made,
            axes=tuple(axes),
            output=output,
            inputs=inputs,
            factors=factors,
            constant=constant,
            bias=None,
            residual=None,
            activation="none",
        )

    def _tile_axes(self) -> list[Axis]:
        return [*self.batch, *self.tiles]

    def _rows(self) -> Contraction:
        rows, columns = self.axis(0, "freq"), self.axis(1, "in")
        source = self.axis(0, "in", "reduction")
        index = list(self.x.index)
        for side, name in ((0, source.name), (1, columns.name)):
            dimension = self.window.dims[side]
            tile = self.tiles[side]
            terms = ((tile.name, self.m),) if tile.extent > 1 else ()
            index[dimension] = Affine((*terms, (name, 1)), index[dimension].offset)
        x = Access(self.x.operand, self.x.shape, tuple(index))
        parallel = [rows, columns, *self._tile_axes(), *self.sums]
        return self._statement(
            [*parallel, source],
            self._handed("rows", parallel),
            (x,),
            (Factor((rows.name, source.name), self.matrices.b),),
        )

    def _bands(self) -> Contraction:
        rows, columns = self.axis(0, "freq"), self.axis(1, "freq")
        source = self.axis(1, "in", "reduction")
        tail = [*self._tile_axes(), *self.sums]
        parallel = [rows, columns, *tail]
        return self._statement(
            [*parallel, source],
            self._handed("bands", parallel),
            (self._handed("rows", [rows, source, *tail]),),
            (Factor((columns.name, source.name), self.matrices.b),),
        )

    def _filter_axes(self) -> list[Axis]:
        return [
            self.axis(0, "freq"), self.axis(1, "freq"), *self.groups, *self.sums, *self.filters
        ]  # fmt: skip

    def _filters(self) -> Contraction:
        parallel = self._filter_axes()
        kernel = [self.made.by_name[name] for name in self.window.kernel]
        factors = tuple(
            Factor((parallel[side].name, kernel[side].name), self.matrices.g) for side in (0, 1)
        )
        return self._statement(
            [*parallel, *kernel],
            self._handed("filters", parallel),
            (self.weight,),
            factors,
            self.made.constant,
        )

    def _product_axes(self) -> list[Axis]:
        return [*self._tile_axes(), *self.filters]

    def _products(self) -> Contraction:
        rows, columns = self.axis(0, "freq"), self.axis(1, "freq")
        parallel = [rows, columns, *self._product_axes()]
        channels = [Axis(a.name, a.extent, "reduction") for a in self.sums]
        return self._statement(
            [*parallel, *channels],
            self._handed("products", parallel),
            (
                self._handed("bands", [rows, columns, *self._tile_axes(), *self.sums]),
                self._handed("filters", self._filter_axes()),
            ),
            constant="filters" if self.made.constant else "",
        )

    def _sums(self) -> Contraction:
        rows, columns = self.axis(0, "out"), self.axis(1, "freq")
        source = self.axis(0, "freq", "reduction")
        parallel = [rows, columns, *self._product_axes()]
        return self._statement(
            [*parallel, source],
            self._handed("sums", parallel),
            (self._handed("products", [source, columns, *self._product_axes()]),),
            (Factor((rows.name, source.name), self.matrices.a),),
        )

    def _out(self) -> Contraction:
        rows, columns = self.axis(0, "out"), self.axis(1, "out")
        source = self.axis(1, "freq", "reduction")
        parallel = [rows, columns, *self._product_axes()]

        def tiled(access: Access) -> Access:
            index = list(access.index)
            for side, name in enumerate(self.window.out):
                tile, inside = self.tiles[side], (rows, columns)[side]
                terms = ((tile.name, self.m),) if tile.extent > 1 else ()
                position = index.index(Affine(((name, 1),)))
                index[position] = Affine((*terms, (inside.name, 1)))
            return Access(access.operand, access.shape, tuple(index))

        residual = self.made.residual
        return replace(
            self.made,
            axes=(*parallel, source),
            output=tiled(self.made.output),
            inputs=(self._handed("sums", [rows, source, *self._product_axes()]),),
            factors=(Factor((columns.name, source.name), self.matrices.a),),
            constant="",
            residual=tiled(residual) if residual else None,
        )
