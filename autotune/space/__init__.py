"""Search spaces: generated from a contraction and a target, narrowed by a file.

`generate` is the one way in: the direct schedules, with those of other algorithms beside them where
the contraction admits any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from autotune.errors import ScheduleError, SpaceError
from autotune.ir.algorithm import PARTIAL, WINOGRAD
from autotune.ir.contraction import Contraction
from autotune.space.base import Choice, Narrowing, Space
from autotune.space.generated import GeneratedSpace
from autotune.space.partial import PartialSpace, offered
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
    wanted, own = _algorithms(contraction, target, narrowing)
    others, winograd = _split(own, "winograd.")
    transformed = WinogradSpace(contraction, target, winograd, wanted)
    _check_winograd(transformed, winograd)
    members: list[Space] = [GeneratedSpace(contraction, target, others)]
    knobs, algorithms = dict(members[0].knobs), ["direct"]
    if "direct" not in wanted:
        members.clear()
    if not transformed.is_empty:
        members.append(transformed)
        knobs |= transformed.knobs
        algorithms += [f"winograd{m}" for m in transformed.outputs]
    parts = _partials(contraction, target, wanted)
    if parts:
        members.append(parts[0] if len(parts) == 1 else UnionSpace(parts, {}))
        algorithms += [space.algorithm for space in parts]
    if not members:
        raise SpaceError(f"{narrowing.source}: only.algorithm: none of {', '.join(wanted)} fits")
    if len(members) == 1:
        return members[0]
    choices: dict[str, tuple[Choice, ...]] = {"algorithm": tuple(algorithms), **knobs}
    return UnionSpace(members, choices)


def _algorithms(
    contraction: Contraction, target: Target, narrowing: Narrowing
) -> tuple[tuple[str, ...], Narrowing]:
    """The algorithms that the narrowing leaves, and the narrowing without that knob."""
    known = ("direct", *WINOGRAD)
    for section, knobs in (("only", narrowing.only), ("never", narrowing.never)):
        for i, value in enumerate(knobs.get("algorithm", ())):
            if value not in known and not PARTIAL.match(str(value)):
                raise SpaceError(
                    f"{narrowing.source}: {section}.algorithm[{i}]: {value!r} is not allowed; "
                    f"allowed: {', '.join(known)}, partialN, partialNxL"
                )
    usual = (*known, *offered(contraction, target))
    never = narrowing.never.get("algorithm", ())
    kept = [str(name) for name in narrowing.only.get("algorithm", usual) if name not in never]
    # In the usual order, whatever a file's is.
    wanted = sorted(dict.fromkeys(kept), key=lambda n: (*usual, *sorted(kept)).index(n))
    if not wanted:
        raise SpaceError(f"{narrowing.source}: algorithm: nothing is left of the space")
    return tuple(wanted), _without(narrowing, lambda knob: knob == "algorithm")


def _partials(
    contraction: Contraction, target: Target, wanted: Sequence[str]
) -> list[PartialSpace]:
    """The spaces of the wanted partial algorithms, of those that the contraction has."""
    found = []
    for algorithm in filter(PARTIAL.match, wanted):
        try:
            found.append(PartialSpace(contraction, target, algorithm))
        except (ScheduleError, SpaceError):
            continue
    return found


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
