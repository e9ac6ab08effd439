"""Algorithms: the statements that compute a contraction, each a contraction itself.

    direct      out = sum over everything
    partialN    the longest reduction axis in N equal parts, each summed on its own, then together
    partialNxL  the same, with L sums in each part, each of every L-th element
    winogradM   3x3 windows of step 1, M x M outputs at a time, by minimal filtering

A statement reads operands and what earlier statements wrote; a nest of the schedule computes each.
"""

from __future__ import annotations

import re
from dataclasses import replace

from autotune.errors import ScheduleError
from autotune.ir.contraction import Access, Affine, Axis, Contraction
from autotune.ir.winograd import winograd

WINOGRAD = {"winograd2": 2, "winograd4": 4, "winograd6": 6}
PARTIAL = re.compile(r"partial([1-9][0-9]{0,3})(?:x([2-9]|[1-9][0-9]{1,3}))?\Z")
PARTIAL_SUMS = "partial"
"""Operand that holds the sums of the parts."""
PART, LANE = "part", "lane"
"""Its axes beside those of the output: the parts, and the sums within each, side by side."""


def partial(parts: int, lanes: int = 1) -> str:
    """Name of the algorithm with so many parts, and so many sums in each."""
    return f"partial{parts}" if lanes == 1 else f"partial{parts}x{lanes}"


def statements(contraction: Contraction, algorithm: str) -> tuple[Contraction, ...]:
    """The algorithm's statements, in order; the last one writes the output.

    Raises:
        ScheduleError: there is no such algorithm, or not for this contraction.
    """
    if algorithm == "direct":
        return (contraction,)
    match = PARTIAL.match(algorithm)
    if match:
        return _partial(contraction, int(match[1]), int(match[2] or 1))
    if algorithm in WINOGRAD:
        return winograd(contraction, WINOGRAD[algorithm])
    raise ScheduleError(
        f"algorithm {algorithm!r} is not known; allowed: direct, partialN, partialNxL, "
        f"{', '.join(WINOGRAD)}"
    )


def longest_reduction(contraction: Contraction) -> Axis | None:
    """The axis that is cut into parts."""
    return max(contraction.reduction, key=lambda a: a.extent, default=None)


def _partial(contraction: Contraction, parts: int, lanes: int) -> tuple[Contraction, ...]:
    """Sums of equal parts of the longest reduction axis, then their sum and the tail.

    Of the axis, element (part * piece + i) * lanes + lane is number i of that part and lane.
    """
    axis = longest_reduction(contraction)
    if axis is None:
        raise ScheduleError("algorithm partial needs a reduction; this contraction has none")
    if parts * lanes < 2 or axis.extent % (parts * lanes):
        raise ScheduleError(
            f"algorithm {partial(parts, lanes)} does not divide {axis.name}={axis.extent}; "
            f"allowed: a divisor of at least 2"
        )
    piece = axis.extent // (parts * lanes)
    part, lane = Axis(PART, parts, "parallel"), Axis(LANE, lanes, "parallel")
    before, after = ((a,) if a.extent > 1 else () for a in (part, lane))
    axes = tuple(replace(a, extent=piece) if a is axis else a for a in contraction.axes)
    extents = {PART: parts, axis.name: piece, LANE: lanes}

    def cut(index: Affine) -> Affine:
        terms: list[tuple[str, int]] = []
        for name, c in index.terms:
            own = [(PART, c * piece * lanes), (axis.name, c * lanes), (LANE, c)]
            terms += own if name == axis.name else [(name, c)]
        return Affine(tuple(t for t in terms if extents.get(t[0], 2) > 1), index.offset)

    out = contraction.output
    plain = tuple(a for a in contraction.axes if a.kind == "parallel")
    kept = (*before, *plain, *after)
    sums = Access(
        PARTIAL_SUMS,
        tuple(a.extent for a in kept),
        tuple(Affine(((a.name, 1),) if a.extent > 1 else ()) for a in kept),
    )
    first = replace(
        contraction,
        axes=(*before, *axes, *after),
        inputs=tuple(
            Access(a.operand, a.shape, tuple(map(cut, a.index))) for a in contraction.inputs
        ),
        output=sums,
        bias=None,
        residual=None,
        activation="none",
    )
    second = replace(
        contraction,
        axes=(*plain, *(replace(a, kind="reduction") for a in (*before, *after))),
        inputs=(sums,),
        output=out,
        constant="",
    )
    return (first, second)
