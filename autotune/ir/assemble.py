"""Builds a schedule from the decisions that the space, the default and `adapt` all make.

Two levels of loops over every parallel axis (block, then register tile), one split of a reduction,
and stages placed by how many loops are around them. A loop that would do nothing is left out, so
equal decisions give equal schedules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autotune.ir.contraction import Contraction
from autotune.ir.schedule import Loop, Nest, Schedule, Stage, Step


@dataclass(frozen=True)
class Choice:
    """One nest's decisions, in terms of the axes of the fused contraction."""

    vector: str
    lanes: int
    tile: Mapping[str, int] = field(hash=False)
    """Register tile of every parallel axis."""
    block: Mapping[str, int] = field(hash=False)
    """Multiples of the tile to loop over further out; 0 or the extent: no such loop."""
    split: Mapping[str, int] = field(hash=False)
    """Blocks of reduction axes; 0 or the extent: not split."""
    outer: tuple[str, ...]
    """Order of block and split loops, outermost first."""
    order: tuple[str, ...]
    """Order of the tile loops inside them."""
    inner: tuple[tuple[str, int], ...]
    """Reduction axes with their unroll factors, outermost first."""
    stages: tuple[tuple[Stage, int], ...]
    """Stages in order, each with the number of loops around it."""
    store: str = "direct"
    fuse: tuple[tuple[str, ...], ...] = ()
    prefetch: tuple[tuple[str, int], ...] = ()
    parallel: int = 0


def assemble(contraction: Contraction, choice: Choice) -> Schedule:
    """The schedule that `choice` describes; `contraction` is already fused. Not judged here."""
    loops = loops_of(contraction, choice)
    steps: list[Step] = []
    for position in range(len(loops) + 1):
        steps += [stage for stage, at in choice.stages if min(at, len(loops)) == position]
        if position < len(loops):
            steps.append(loops[position])
    left = dict(contraction.extents)
    for loop in loops:
        left[loop.axis] = loop.step
    inner = tuple(
        (axis, min(unroll, left[axis])) for axis, unroll in choice.inner if left[axis] > 1
    )
    nest = Nest(
        steps=tuple(steps),
        vector=choice.vector,
        lanes=choice.lanes,
        inner=inner,
        store=choice.store,
        fuse=choice.fuse,
        prefetch=choice.prefetch,
    )
    return Schedule((nest,), parallel=min(choice.parallel, leading_loops(contraction, steps)))


def loops_of(contraction: Contraction, choice: Choice) -> list[Loop]:
    """The loops that do something, outermost first."""
    left = dict(contraction.extents)
    loops = []
    for axis in choice.outer:
        step = choice.block.get(axis) or choice.split.get(axis) or 0
        if 0 < step < left[axis]:
            loops.append(Loop(axis, step))
            left[axis] = step
    for axis in choice.order:
        step = choice.tile.get(axis, left[axis])
        if 0 < step < left[axis]:
            loops.append(Loop(axis, step))
            left[axis] = step
    return loops


def leading_loops(contraction: Contraction, steps: Sequence[Step]) -> int:
    """How many loops tasks may range over: the leading ones over distinct parallel axes.

    None where the output is staged around them: tasks would share its buffer.
    """
    count, seen = 0, set()
    rest = list(steps)
    while rest and isinstance(rest[0], Stage):
        if rest[0].operand == contraction.output.operand:
            return 0
        rest.pop(0)
    for step in rest:
        if not isinstance(step, Loop) or step.axis in seen:
            break
        if contraction.by_name[step.axis].kind != "parallel":
            break
        seen.add(step.axis)
        count += 1
    return count
