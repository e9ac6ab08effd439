"""Which tuned workload is most like another: a distance over the logarithms of their sizes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log
from typing import Any

from autotune.trial import Workload

UNLIKE = 0.25
"""Distance of two values that are no sizes, such as activations."""


@dataclass(frozen=True)
class Relative:
    """A tuned workload of the same operator, dtype, layout and target."""

    workload_key: str
    distance: float
    differs: dict[str, list[Any]]
    """Shape keys whose values differ: name -> [theirs, ours]."""


def by_distance(workload: Workload, relatives: Iterable[tuple[str, str]]) -> list[Relative]:
    """The relatives, given by key and shape text, nearest first.

    The distance is the sum over all sizes of |log((1 + theirs) / (1 + ours))|; adding one lets
    padding and flags, which may be 0, count too.
    """
    ours = _pairs(workload.shape)
    found = [_relative(key, _pairs(shape), ours) for key, shape in relatives]
    return sorted(found, key=lambda relative: (relative.distance, relative.workload_key))


def _pairs(shape: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in shape.split(",") if "=" in part)


def _relative(key: str, theirs: dict[str, str], ours: dict[str, str]) -> Relative:
    distance = 0.0
    differs: dict[str, list[Any]] = {}
    for name, our in ours.items():
        their = theirs.get(name, "")
        if their != our:
            distance += _apart(their, our)
            differs[name] = [_shown(their), _shown(our)]
    return Relative(key, distance, differs)


def _apart(theirs: str, ours: str) -> float:
    left, right = theirs.split("x"), ours.split("x")
    if len(left) != len(right) or not all(part.isdigit() for part in (*left, *right)):
        return UNLIKE
    pairs = zip(left, right, strict=True)
    return sum(abs(log((1 + int(a)) / (1 + int(b)))) for a, b in pairs)


def _shown(value: str) -> int | str:
    return int(value) if value.isdigit() else value
