"""Stores of a register tile: through the fused tail, straight, turned, or lane by lane."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

from autotune.backends.cpu.emit import Emitter
from autotune.backends.cpu.functions import activation
from autotune.backends.cpu.state import ACCUMULATOR, State, tile_offset
from autotune.ir.legal import contiguous_axis
from autotune.ir.resolve import NestPlan

Coordinates = Mapping[str, int]
Read = Callable[[Coordinates, int], str]
"""Accumulator vector of a row (coordinates without the vector axis) and a vector index."""


def store_tile(
    emitter: Emitter, plan: NestPlan, state: State, rows: Mapping[str, int], read: Read
) -> None:
    """Store a finished tile of `rows` x the vector axis into the output, through the tail."""
    store = plan.nest.store
    if store == "transpose":
        _transposed(emitter, plan, state, rows, read)
        return
    vector = plan.nest.vector
    for row in points(rows):
        for j, count in chunks(state.region[vector], emitter.lanes):
            at = {**row, vector: j * emitter.lanes}
            value = tail(emitter, plan, state, read(row, j), at, vector, count)
            if store == "direct":
                emitter.store(
                    value, pointer(emitter, state, plan.contraction.output.operand, at), count
                )
            else:
                _scatter(emitter, plan, state, value, at, count)


def points(sizes: Mapping[str, int]) -> list[dict[str, int]]:
    """Every point of a small box, last axis fastest."""
    return [
        dict(zip(sizes, values, strict=True))
        for values in product(*(range(size) for size in sizes.values()))
    ]


def chunks(size: int, lanes: int) -> list[tuple[int, int]]:
    """(vector index, valid lanes) that cover `size` elements."""
    return [(j, min(lanes, size - j * lanes)) for j in range(-(-size // lanes))]


def pointer(emitter: Emitter, state: State, operand: str, at: Coordinates) -> str:
    """Address of one element of an operand in its present home."""
    return emitter.move(state.pointers[operand], tile_offset(state.homes[operand], at))


def _scatter(
    emitter: Emitter, plan: NestPlan, state: State, value: str, at: Coordinates, count: int
) -> None:
    axis, operand = plan.nest.vector, plan.contraction.output.operand
    for lane in range(count):
        place = pointer(emitter, state, operand, {**at, axis: at[axis] + lane})
        emitter.store_scalar(emitter.extract(value, lane), place)


def _transposed(
    emitter: Emitter, plan: NestPlan, state: State, rows: Mapping[str, int], read: Read
) -> None:
    """Squares of lanes x lanes: accumulator vectors in, vectors along the output's rows out."""
    vector, turned_axis = plan.nest.vector, contiguous_axis(plan)
    if turned_axis is None:
        raise AssertionError("legality admits no transpose without a contiguous axis")
    length = rows.get(turned_axis, 1)
    others = {axis: size for axis, size in rows.items() if axis != turned_axis}
    for row in points(others):
        for j, valid in chunks(state.region[vector], emitter.lanes):
            for first in range(0, length, emitter.lanes):
                count = min(emitter.lanes, length - first)
                square = [
                    read({**row, turned_axis: first + i}, j) if i < count else "zeroinitializer"
                    for i in range(emitter.lanes)
                ]
                columns = emitter.transpose(square)
                for lane in range(valid):
                    at = {**row, turned_axis: first, vector: j * emitter.lanes + lane}
                    value = tail(emitter, plan, state, columns[lane], at, turned_axis, count)
                    emitter.store(
                        value, pointer(emitter, state, plan.contraction.output.operand, at), count
                    )


def tail(
    emitter: Emitter,
    plan: NestPlan,
    state: State,
    value: str,
    at: Coordinates,
    axis: str,
    count: int,
) -> str:
    """act(value + bias + residual) of `count` elements along `axis` from `at` on."""
    for operand in ("bias", "residual"):
        if operand in state.homes:
            added = _read_along(emitter, state, operand, at, axis, count)
            value = emitter.arithmetic("fadd", value, added)
    return activation(emitter, plan.contraction.activation, value)


def _read_along(
    emitter: Emitter, state: State, operand: str, at: Coordinates, axis: str, count: int
) -> str:
    step = state.homes[operand].step(axis)
    if step == 0:
        return emitter.splat(emitter.load_scalar(pointer(emitter, state, operand, at)))
    if step == 1:
        return emitter.load(pointer(emitter, state, operand, at), count)
    value = "zeroinitializer"
    for lane in range(count):
        place = pointer(emitter, state, operand, {**at, axis: at[axis] + lane})
        value = emitter.insert(value, emitter.load_scalar(place), lane)
    return value


def store_accumulators(
    emitter: Emitter, plan: NestPlan, state: State, rows: Mapping[str, int], read: Read
) -> None:
    """Keep a tile of sums where they accumulate: the staged buffer, or the output itself."""
    operand = ACCUMULATOR if ACCUMULATOR in state.homes else plan.contraction.output.operand
    vector = plan.nest.vector
    for row in points(rows):
        for j, count in chunks(state.region[vector], emitter.lanes):
            at = {**row, vector: j * emitter.lanes}
            lanes = emitter.lanes if operand == ACCUMULATOR else count
            emitter.store(read(row, j), pointer(emitter, state, operand, at), lanes)


def load_accumulators(
    emitter: Emitter, plan: NestPlan, state: State, row: Coordinates, j: int, count: int
) -> str:
    """The sum so far of one accumulator."""
    operand = ACCUMULATOR if ACCUMULATOR in state.homes else plan.contraction.output.operand
    at = {**row, plan.nest.vector: j * emitter.lanes}
    lanes = emitter.lanes if operand == ACCUMULATOR else count
    return emitter.load(pointer(emitter, state, operand, at), lanes)


def copy_out(emitter: Emitter, plan: NestPlan, state: State) -> None:
    """Carry a staged output's buffer through the tail into the output.

    The register tile's size no longer matters here: a turned row is taken whole vectors at a time.
    """
    vector = plan.nest.vector
    row = contiguous_axis(plan) if plan.nest.store == "transpose" else None
    steps = {a.name: 1 for a in plan.contraction.parallel if a.name != vector}
    if row:
        steps[row] = emitter.lanes
    steps = {vector: plan.tile[vector], **steps}
    _copy_block(emitter, plan, state, list(steps.items()))


def _copy_block(
    emitter: Emitter, plan: NestPlan, state: State, steps: list[tuple[str, int]]
) -> None:
    if not steps:
        vector = plan.nest.vector
        rows = {a: n for a, n in state.region.items() if a != vector and n > 1}
        kinds = plan.contraction.by_name
        rows = {a: n for a, n in rows.items() if kinds[a].kind == "parallel"}

        def read(coordinates: Coordinates, j: int) -> str:
            return load_accumulators(emitter, plan, state, coordinates, j, emitter.lanes)

        store_tile(emitter, plan, state, rows, read)
        return
    (axis, step), rest = steps[0], steps[1:]
    region = state.region[axis]
    whole = region // step * step
    if whole == step:
        _copy_block(emitter, plan, state.narrowed(axis, step), rest)
    elif whole:
        with emitter.loop(whole, step) as i:
            inner = state.narrowed(axis, step).moved(emitter, axis, i)
            _copy_block(emitter, plan, inner, rest)
    if region > whole:
        left = state.narrowed(axis, region - whole).moved(emitter, axis, whole)
        _copy_block(emitter, plan, left, rest)
