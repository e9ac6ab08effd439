"""Search spaces: generated from a contraction and a target, narrowed by a file."""

from __future__ import annotations

from autotune.ir.contraction import Contraction
from autotune.space.base import Narrowing, Space
from autotune.space.generated import GeneratedSpace
from autotune.targets.base import Target

__all__ = ["Narrowing", "Space", "generate"]


def generate(
    contraction: Contraction, target: Target, narrowing: Narrowing | None = None
) -> GeneratedSpace:
    """The legal schedules of `contraction` on `target`.

    Raises:
        SpaceError: the narrowing names a knob that does not exist, or leaves nothing.
    """
    return GeneratedSpace(contraction, target, narrowing or Narrowing())
