"""Stores of a register tile: through the fused tail, straight, turned, or lane by lane."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product

from autotune.backends.cpu.emit import Emitter, Index
from autotune.backends.cpu.functions import activation
from autotune.backends.cpu.loops import for_region, for_squares
from autotune.backends.cpu.state import ACCUMULATOR, State, tile_offset
from autotune.ir.contraction import Access, Affine, Axis
from autotune.ir.homes import Home, NestPlan, Stride, storage_home
from autotune.ir.legal import contiguous_axis

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
    clipped: frozenset[str] = frozenset()
    if state.homes[ACCUMULATOR].kind == "lanes":
        plan, state, clipped = _by_dimensions(emitter, plan, state)
    vector = plan.nest.vector
    row = contiguous_axis(plan) if plan.nest.store == "transpose" else None
    steps = {a.name: 1 for a in plan.contraction.parallel if a.name != vector}
    if row:
        steps[row] = emitter.lanes
    steps = {vector: plan.tile[vector], **steps}
    _copy_block(emitter, plan, state, list(steps.items()), clipped)


def _by_dimensions(
    emitter: Emitter, plan: NestPlan, state: State
) -> tuple[NestPlan, State, frozenset[str]]:
    """The copy as a nest over the output's dimensions, in which several axes may meet.

    The last item names the dimensions that the region may overrun: what is outside is not stored.
    """
    out, position = plan.contraction.output, plan.output_stage
    if position is None:
        raise AssertionError("only a staged output is copied out")
    stage = plan.stages[position]
    names = [f"dim{d}" for d in range(len(out.shape))]
    spans = [sum(c * (state.region[a] - 1) for a, c in affine.terms) + 1 for affine in out.index]
    vector = next(
        n for n, a in zip(names, out.index, strict=True) if a.coefficient(plan.nest.vector)
    )

    def plain(access: Access) -> Access:
        found = [names[out.index.index(affine)] for affine in access.index]
        return Access(access.operand, access.shape, tuple(Affine(((n, 1),)) for n in found))

    made = plan.contraction
    copied = replace(
        made,
        axes=tuple(Axis(n, size, "parallel") for n, size in zip(names, out.shape, strict=True)),
        output=plain(out),
        inputs=(),
        factors=(),
        bias=plain(made.bias) if made.bias else None,
        residual=plain(made.residual) if made.residual else None,
    )
    low: dict[str, Index] = {}
    for name, affine in zip(names, out.index, strict=True):
        at: Index = affine.offset
        for axis, coefficient in affine.terms:
            at = emitter.add(at, emitter.mul(state.absolute[axis], coefficient))
        low[name] = at
    pitches = dict(zip(names, stage.shape, strict=True))
    strides = {n: Stride(pitches[n]) for n in names}
    strides[vector] = Stride(pitches[vector], plan.nest.lanes, 1)
    homes = {a.operand: storage_home(copied, a) for a in copied.operands}
    homes[ACCUMULATOR] = Home(ACCUMULATOR, "lanes", strides)
    region = dict(zip(names, spans, strict=True))
    nest = replace(plan.nest, vector=vector, steps=(), inner=(), fuse=())
    extents = made.extents
    clipped = frozenset(
        name
        for name, affine, size in zip(names, out.index, out.shape, strict=True)
        if affine.offset + sum(c * (extents[a] - 1) for a, c in affine.terms) >= size
    )
    return (
        NestPlan(copied, nest, (), region | {vector: plan.nest.lanes}, {}, homes, {}),
        State(region, low, homes, {n: state.pointers[n] for n in homes}),
        clipped,
    )


def _copy_block(
    emitter: Emitter,
    plan: NestPlan,
    state: State,
    steps: list[tuple[str, int]],
    clipped: frozenset[str],
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
    region, low, size = state.region[axis], state.absolute[axis], plan.contraction.extents[axis]
    is_open = axis in clipped and isinstance(low, str)
    if axis in clipped and isinstance(low, int):
        region = min(region, size - low)

    def body(offset: Index, count: int) -> None:
        inner = state.narrowed(axis, count).moved(emitter, axis, offset)
        inside: bool | str = True
        if is_open:
            inside = emitter.op(f"icmp ult i64 {emitter.add(low, offset)}, {size}")
        with emitter.when(inside):
            _copy_block(emitter, plan, inner, rest, clipped)

    if step == emitter.lanes and axis != plan.nest.vector:
        for_squares(emitter, region, body)
    else:
        for_region(emitter, region, step, body)
