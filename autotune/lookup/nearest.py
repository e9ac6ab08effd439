"""Which tuned workload is most like another: a distance over the logarithms of their sizes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from math import inf, log
from typing import Any

from autotune.trial import Workload

Keys = tuple[str, str]
"""Target key and workload key."""
UNLIKE = 0.25
"""Distance of two values that are no sizes, such as activations."""


@dataclass(frozen=True)
class Relative:
    """A tuned workload of the same operator, dtype, layout and target."""

    workload_key: str
    distance: float
    differs: dict[str, list[Any]]
    """Shape keys whose values differ: name -> [theirs, ours]."""


def by_fields(ours: Keys, theirs: Iterable[Keys]) -> list[Relative]:
    """Records of other keys, those first that differ in the fewest fields."""
    found = []
    for keys in theirs:
        differs = fields_apart(keys, ours)
        if differs:
            found.append(Relative(keys[1], float(len(differs)), differs))
    return sorted(found, key=lambda r: (r.distance, r.workload_key, str(r.differs)))


def fields_apart(theirs: Keys, ours: Keys) -> dict[str, list[Any]]:
    """The fields that differ: name -> [theirs, ours]."""
    left, right = _fields(*theirs), _fields(*ours)
    return {
        name: [_shown(left.get(name, "")), _shown(value)]
        for name, value in right.items()
        if left.get(name, "") != value
    }


def _fields(target_key: str, workload_key: str) -> dict[str, str]:
    cpu, features, threads = [*target_key.split("/"), "", "", ""][:3]
    op, shape, dtype, layout, tolerance = [*workload_key.split("/"), *[""] * 5][:5]
    named = {"op": op, **_pairs(shape), "dtype": dtype, "layout": layout}
    named["tolerance"] = tolerance.removeprefix("tol=")
    return {**named, "cpu": cpu, "features": features, "threads": threads.removeprefix("t")}


def by_distance(
    workload: Workload, relatives: Iterable[tuple[str, str]], count: int
) -> list[Relative]:
    """The `count` nearest relatives, given by key and shape text, nearest first.

    The distance is the sum over all sizes of |log((1 + theirs) / (1 + ours))|; adding one lets
    padding and flags, which may be 0, count too.
    """
    ours = workload.shape.split(",")
    near = nsmallest(
        count, ((_distance(shape.split(","), ours), key, shape) for key, shape in relatives)
    )
    return [
        Relative(key, distance, _shape_apart(key, shape, workload)) for distance, key, shape in near
    ]


def _distance(theirs: list[str], ours: list[str]) -> float:
    """Between two shapes, whose parts are in the operator's order, so that most are equal."""
    if len(theirs) != len(ours):
        return inf
    return sum(_part_apart(their, our) for their, our in zip(theirs, ours, strict=True))


def _part_apart(theirs: str, ours: str) -> float:
    if theirs == ours:
        return 0.0
    return _apart(theirs.partition("=")[2], ours.partition("=")[2])


def _shape_apart(key: str, shape: str, workload: Workload) -> dict[str, list[Any]]:
    theirs, ours = _pairs(shape), _pairs(workload.shape)
    tolerance = key.rpartition("/tol=")[2] if "/tol=" in key else workload.tolerance_text
    theirs["tolerance"], ours["tolerance"] = tolerance, workload.tolerance_text
    return {
        name: [_shown(theirs.get(name, "")), _shown(our)]
        for name, our in ours.items()
        if theirs.get(name, "") != our
    }


def _pairs(shape: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in shape.split(",") if "=" in part)


@lru_cache(maxsize=65_536)
def _apart(theirs: str, ours: str) -> float:
    left, right = theirs.split("x"), ours.split("x")
    if len(left) != len(right) or not all(part.isdigit() for part in (*left, *right)):
        return UNLIKE
    pairs = zip(left, right, strict=True)
    return sum(abs(log((1 + int(a)) / (1 + int(b)))) for a, b in pairs)


def _shown(value: str) -> int | str:
    return int(value) if value.isdigit() else value
