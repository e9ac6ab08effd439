"""Search spaces: generated from a contraction and a target, narrowed by a file.

`generate` is the one way in: the direct schedules, with those of other algorithms beside them where
the contraction admits any.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from autotune.errors import SpaceError
from autotune.ir.algorithm import WINOGRAD
from autotune.ir.contraction import Contraction
from autotune.space.base import Choice, Narrowing, Space
from autotune.space.generated import GeneratedSpace
from autotune.space.union import UnionSpace
from autotune.space.winograd import WinogradSpace
from autotune.targets.base import Target

__all__ = ["Narrowing", "Space", "generate"]


def generate(contraction: Contraction, target: Target, narrowing: Narrowing | None = None) -> Space:
    """The legal schedules of `contraction` on `target`.

    Raises:
        SpaceError: the narrowing names a knob or a value that does not exist, or leaves nothing.
    """
    narrowing = narrowing or Narrowing()
    wanted, own = _algorithms(narrowing)
    others, winograd = _split(own, "winograd.")
    transformed = WinogradSpace(contraction, target, winograd, wanted)
    _check_winograd(transformed, winograd)
    if transformed.is_empty and "direct" not in wanted:
        raise SpaceError(f"{narrowing.source}: only.algorithm: none of {', '.join(wanted)} fits")
    if transformed.is_empty:
        return GeneratedSpace(contraction, target, others)
    direct = GeneratedSpace(contraction, target, others)
    if "direct" not in wanted:
        return transformed
    algorithms = ("direct", *(f"winograd{m}" for m in transformed.outputs))
    knobs: dict[str, tuple[Choice, ...]] = {
        "algorithm": algorithms, **direct.knobs, **transformed.knobs
    }  # fmt: skip
    return UnionSpace([direct, transformed], knobs)


def _algorithms(narrowing: Narrowing) -> tuple[tuple[str, ...], Narrowing]:
    """The algorithms that the narrowing leaves, and the narrowing without that knob."""
    known = ("direct", *WINOGRAD)
    for section, knobs in (("only", narrowing.only), ("never", narrowing.never)):
        for i, value in enumerate(knobs.get("algorithm", ())):
            if value not in known:
                raise SpaceError(
                    f"{narrowing.source}: {section}.algorithm[{i}]: {value!r} is not allowed; "
                    f"allowed: {', '.join(known)}"
                )
    kept = narrowing.only.get("algorithm", known)
    wanted = tuple(n for n in known if n in kept and n not in narrowing.never.get("algorithm", ()))
    if not wanted:
        raise SpaceError(f"{narrowing.source}: algorithm: nothing is left of the space")
    return wanted, _without(narrowing, lambda knob: knob == "algorithm")


def _split(narrowing: Narrowing, prefix: str) -> tuple[Narrowing, Narrowing]:
    """What concerns knobs without the prefix, and with it."""
    return (
        _without(narrowing, lambda knob: knob.startswith(prefix)),
        _without(narrowing, lambda knob: not knob.startswith(prefix)),
    )


def _without(narrowing: Narrowing, is_out: Callable[[str], bool]) -> Narrowing:
    only = {knob: values for knob, values in narrowing.only.items() if not is_out(knob)}
    never = {knob: values for knob, values in narrowing.never.items() if not is_out(knob)}
    return replace(narrowing, only=only, never=never)


def _check_winograd(space: WinogradSpace, narrowing: Narrowing) -> None:
    """Its knobs are numbers; where the algorithm does not fit, they have no meaning."""
    for section, knobs in (("only", narrowing.only), ("never", narrowing.never)):
        for knob, values in knobs.items():
            if knob not in space.knobs:
                allowed = ", ".join(sorted(space.knobs)) or "none for this workload"
                raise SpaceError(
                    f"{narrowing.source}: {section}.{knob}: no such knob; knobs: {allowed}"
                )
            low, high = space.ranges[knob]
            for i, value in enumerate(values):
                is_number = isinstance(value, int) and not isinstance(value, bool)
                if not is_number or not low <= int(value) <= high:
                    raise SpaceError(
                        f"{narrowing.source}: {section}.{knob}[{i}]: {value!r} is not allowed; "
                        f"allowed: a number from {low} to {high}"
                    )
