"""Algorithms: the statements that compute a contraction, each a contraction itself.

    direct      out = sum over everything
    partialN    the longest reduction axis in N equal parts, each summed on its own, then together
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
PARTIAL = re.compile(r"partial([1-9][0-9]{0,3})\Z")
PARTIAL_SUMS = "partial"
"""Operand that holds the sums of the parts; `part` is its axis."""


def statements(contraction: Contraction, algorithm: str) -> tuple[Contraction, ...]:
    """The algorithm's statements, in order; the last one writes the output.

    Raises:
        ScheduleError: there is no such algorithm, or not for this contraction.
    """
    if algorithm == "direct":
        return (contraction,)
    match = PARTIAL.match(algorithm)
    if match:
        return _partial(contraction, int(match[1]))
    if algorithm in WINOGRAD:
        return winograd(contraction, WINOGRAD[algorithm])
    raise ScheduleError(
        f"algorithm {algorithm!r} is not known; allowed: direct, partialN, {', '.join(WINOGRAD)}"
    )


def _partial(contraction: Contraction, parts: int) -> tuple[Contraction, ...]:
    """Sums of `parts` equal pieces of the longest reduction axis, then their sum and the tail."""
    if not contraction.reduction:
        raise ScheduleError("algorithm partial needs a reduction; this contraction has none")
    axis = max(contraction.reduction, key=lambda a: a.extent)
    if parts < 2 or axis.extent % parts:
        raise ScheduleError(
            f"algorithm partial{parts} does not divide {axis.name}={axis.extent}; "
            f"allowed: a divisor of at least 2"
        )
    piece = axis.extent // parts
    part = Axis("part", parts, "parallel")
    axes = tuple(replace(a, extent=piece) if a is axis else a for a in contraction.axes)

    def cut(affine: Affine) -> Affine:
        terms: list[tuple[str, int]] = []
        for name, coefficient in affine.terms:
            if name != axis.name:
                terms.append((name, coefficient))
                continue
            terms.append(("part", coefficient * piece))
            if piece > 1:
                terms.append((name, coefficient))
        return Affine(tuple(terms), affine.offset)

    out = contraction.output
    plain = [a for a in contraction.axes if a.kind == "parallel"]
    sums = Access(
        PARTIAL_SUMS,
        (parts, *(a.extent for a in plain)),
        tuple(Affine(((a.name, 1),) if a.extent > 1 else ()) for a in (part, *plain)),
    )
    first = replace(
        contraction,
        axes=(part, *axes),
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
        axes=(*plain, replace(part, kind="reduction")),
        inputs=(sums,),
        output=out,
        constant="",
    )
    return (first, second)
