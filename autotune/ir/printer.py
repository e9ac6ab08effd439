"""Prints a schedule as the loop nest it denotes, for people."""

from __future__ import annotations

from autotune.ir.contraction import Contraction
from autotune.ir.homes import NestPlan
from autotune.ir.program import program
from autotune.ir.schedule import Group, Loop, Part, Schedule


def show(contraction: Contraction, schedule: Schedule) -> str:
    """The nest as indented text.

    Raises:
        ScheduleError: the schedule denotes nothing for this contraction.
    """
    plans = list(program(contraction, schedule).nests)
    lines: list[str] = []
    for part, parallel in zip(schedule.parts, schedule.spread, strict=True):
        lines += _part(part, plans, parallel, 0)
    return "\n".join(lines) + "\n"


def _part(part: Part, plans: list[NestPlan], parallel: int, depth: int) -> list[str]:
    """The lines of one part; takes its nests' plans off the list."""
    if not isinstance(part, Group):
        return _nest(plans.pop(0), parallel, depth)
    lines = []
    for position, loop in enumerate(part.loops):
        word = "parallel for" if position < parallel else "for"
        lines.append(f"{'  ' * depth}{word} {loop.axis} by {loop.step}:")
        depth += 1
    for inner in part.parts:
        lines += _part(inner, plans, 0, depth)
    return lines


def _nest(plan: NestPlan, left: int, depth: int) -> list[str]:
    nest, made = plan.nest, plan.contraction
    start = "  " * depth
    lines = [f"{start}# {_product(made)}"]
    lines += [f"{start}# {a.name}: {a.extent} ({a.kind})" for a in made.axes if a.extent > 1]
    for position, step in enumerate(nest.steps):
        pad = "  " * depth
        if isinstance(step, Loop):
            region = plan.regions[position][step.axis]
            word, left = ("parallel for", left - 1) if left else ("for", 0)
            lines.append(f"{pad}{word} {step.axis} in range({region}, step={step.step}):")
            depth += 1
            continue
        stage = plan.stages[position]
        when = "packed beforehand" if step.once else f"{stage.elements} elements"
        extra = f", rows of {step.align}" if step.align > 1 else ""
        extra += ", by phases" if step.phases else ""
        lines.append(f"{pad}stage {step.operand} as {step.layout}{extra}  # {when}")
    pad = "  " * depth
    tile = {**plan.rows, nest.vector: plan.tile[nest.vector]}
    shown = " x ".join(f"{axis}:{size}" for axis, size in tile.items())
    lines.append(
        f"{pad}tile {shown}  # {plan.accumulators} accumulators of {nest.lanes} along {nest.vector}"
    )
    for axis, unroll in nest.inner:
        lines.append(f"{pad}  for {axis} in range({plan.tile[axis]}, unroll={unroll}):")
        pad += "  "
    ahead = "".join(f", prefetch {name} {size} bytes ahead" for name, size in nest.prefetch)
    lines.append(f"{pad}  multiply-add{ahead}")
    lines.append(f"{'  ' * depth}store {nest.store}{_tail(made)}")
    return lines


def _product(made: Contraction) -> str:
    def indexed(operand: str, axes: tuple[str, ...]) -> str:
        return f"{operand}[{', '.join(axes)}]"

    factors = " * ".join(indexed(a.operand, a.axes) for a in made.inputs)
    return f"{indexed(made.output.operand, made.output.axes)} += {factors}"


def _tail(made: Contraction) -> str:
    parts = ["bias"] if made.bias else []
    parts += ["residual"] if made.residual else []
    text = "".join(f" + {part}" for part in parts)
    return f"{text}, {made.activation}" if made.activation != "none" else text
