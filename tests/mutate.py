"""Random edits of a legal schedule that leave it legal, whatever its algorithm.

They reach what no space makes and no random draw hits: programs of many nests with their loops
reordered, steps that divide nothing, stages added, moved and left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from autotune.ir.algorithm import statements
from autotune.ir.contraction import Contraction
from autotune.ir.schedule import LAYOUTS, STORES, Group, Loop, Nest, Part, Schedule, Stage, Step

TRIES = 40
MOST_EDITS = 4


def mutated(
    contraction: Contraction,
    schedule: Schedule,
    is_legal: Callable[[Schedule], bool],
    rng: np.random.Generator,
) -> Schedule:
    """The schedule after some edits, each of which `is_legal` accepts; itself where none was."""
    edits = 0
    for _ in range(TRIES):
        edited = _edited(contraction, schedule, rng)
        if edited != schedule and is_legal(edited):
            schedule, edits = edited, edits + 1
        if edits == MOST_EDITS:
            break
    return schedule


def _edited(contraction: Contraction, schedule: Schedule, rng: np.random.Generator) -> Schedule:
    kind = rng.random()
    if kind < 0.1:
        return schedule.spread_over([int(n) for n in rng.integers(0, 4, len(schedule.parts))])
    if kind < 0.2:
        return replace(schedule, parts=tuple(_group_edited(p, rng) for p in schedule.parts))
    chosen = int(rng.integers(len(schedule.nests)))
    made = statements(contraction, schedule.algorithm)[chosen]
    nest = _nest_edited(schedule.nests[chosen], made, rng)
    parts, _ = _replaced(schedule.parts, chosen, nest)
    return replace(schedule, parts=parts)


def _replaced(parts: tuple[Part, ...], position: int, nest: Nest) -> tuple[tuple[Part, ...], int]:
    """The parts with another nest at a position among all; the position behind these parts."""
    found: list[Part] = []
    for part in parts:
        if isinstance(part, Nest):
            found.append(nest if position == 0 else part)
            position -= 1
        else:
            inside, position = _replaced(part.parts, position, nest)
            found.append(replace(part, parts=inside))
    return tuple(found), position


def _group_edited(part: Part, rng: np.random.Generator) -> Part:
    """The loops around several nests: one with another step, or in another order."""
    if isinstance(part, Nest):
        return part
    loops = [part.loops[int(i)] for i in rng.permutation(len(part.loops))]
    changed = int(rng.integers(len(loops)))
    loops[changed] = _resized(loops[changed], rng)
    inside = tuple(_group_edited(p, rng) for p in part.parts)
    return Group(tuple(loops), inside)


def _resized(loop: Loop, rng: np.random.Generator) -> Loop:
    step = rng.choice([loop.step * 2, loop.step // 2, loop.step + 1, loop.step - 1, loop.step * 3])
    return Loop(loop.axis, max(1, int(step)))


def _nest_edited(nest: Nest, made: Contraction, rng: np.random.Generator) -> Nest:
    steps = list(nest.steps)
    kind = int(rng.integers(7))
    if kind == 0 and nest.inner:
        inner = [nest.inner[int(i)] for i in rng.permutation(len(nest.inner))]
        axis, unroll = inner[0]
        inner[0] = (axis, max(1, unroll + int(rng.integers(-2, 3))))
        return replace(nest, inner=tuple(inner))
    if kind == 1:
        return replace(nest, store=str(rng.choice(STORES)))
    if kind == 2:
        steps.insert(int(rng.integers(len(steps) + 1)), _new_step(made, nest, rng))
    elif steps:
        position = int(rng.integers(len(steps)))
        step = steps[position]
        if kind == 3:
            steps.pop(position)
        elif kind == 4 and isinstance(step, Stage):
            steps[position] = replace(step, align=int(rng.choice([1, 3, nest.lanes])))
        elif kind == 5 and isinstance(step, Loop):
            steps[position] = _resized(step, rng)
        else:
            steps.insert(int(rng.integers(len(steps))), steps.pop(position))
    return replace(nest, steps=tuple(steps))


def _new_step(made: Contraction, nest: Nest, rng: np.random.Generator) -> Step:
    if rng.random() < 0.5:
        axis = made.axes[int(rng.integers(len(made.axes)))]
        return Loop(axis.name, int(rng.integers(1, max(2, axis.extent))))
    operands = [access.operand for access in (*made.inputs, made.output)]
    return Stage(str(rng.choice(operands)), str(rng.choice(LAYOUTS)))
