"""One nest's code: its steps from the outside in, then the register tile.

Called by `lower` for each nest in its place. All extents are known, so a remainder is one more
instance of the same code on a smaller region.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

from autotune.backends.cpu.copy import copy_stage
from autotune.backends.cpu.emit import Emitter, Index
from autotune.backends.cpu.loops import for_index, for_region, split_task
from autotune.backends.cpu.state import ACCUMULATOR, State, tile_offset
from autotune.backends.cpu.store import (
    Coordinates,
    chunks,
    copy_out,
    load_accumulators,
    points,
    store_accumulators,
    store_tile,
)
from autotune.ir.default import SHORT_REDUCTION
from autotune.ir.program import Program
from autotune.ir.schedule import Loop, Stage

Place = tuple[dict[str, int], int, int]
"""An accumulator: its row, vector index and valid lanes."""


class NestBody:
    """Writes one nest of a program; `tasks` are the loops of it that tasks range over."""

    def __init__(
        self, emitter: Emitter, program: Program, index: int, tasks: tuple[Loop, ...]
    ) -> None:
        self.emitter, self.program, self.index, self.tasks = emitter, program, index, tasks
        self.plan = program.nests[index]
        self.nest, self.contraction = self.plan.nest, self.plan.contraction
        self._loaded: dict[tuple[str, int, int], str] = {}
        """By operand, offset and lanes, what later points of the same state may use again."""
        self._loaded_in: State | None = None

    def write(self, state: State) -> None:
        """The whole nest, from the state that the loops around it left."""
        self._steps(0, state, ())

    def _steps(self, position: int, state: State, indices: Sequence[Index]) -> None:
        """Everything from step `position` on; tasks gave the next loops' `indices`."""
        if position == len(self.nest.steps):
            self._tile(state)
            return
        step = self.nest.steps[position]
        if isinstance(step, Stage):
            self._stage(position, step, state)
        elif self.tasks:
            self._tasks(position, state)
        else:
            self._loop(position, step, state, indices)

    def _tasks(self, position: int, state: State) -> None:
        """One loop over the task numbers, in place of the parallel loops."""
        tasks, self.tasks = self.tasks, ()
        extents = [state.region[loop.axis] for loop in tasks]
        with self.emitter.loop("%end", 1, start="%begin") as task:
            self._steps(position, state, split_task(self.emitter, task, tasks, extents))

    def _loop(self, position: int, loop: Loop, state: State, indices: Sequence[Index]) -> None:
        region = state.region[loop.axis]
        is_split = self.contraction.by_name[loop.axis].kind == "reduction"
        last = region // loop.step * loop.step - loop.step if region % loop.step == 0 else None

        def body(offset: Index, size: int) -> None:
            here = state.moved(self.emitter, loop.axis, offset).narrowed(loop.axis, size)
            if is_split and region > loop.step:
                here = self._split(here, offset, last, size < loop.step)
            self._steps(position + 1, here, indices[1:])

        if indices:
            for_index(self.emitter, indices[0], loop, region, body)
        else:
            for_region(self.emitter, region, loop.step, body)

    def _split(self, state: State, offset: Index, last: int | None, is_rest: bool) -> State:
        """The state inside a split reduction: it is first at 0, last at `last` (None: the rest)."""
        emitter = self.emitter
        if isinstance(offset, int):
            first: bool | str = offset == 0
            end: bool | str = is_rest or offset == last
        else:
            first = emitter.op(f"icmp eq i64 {offset}, 0")
            end = False if last is None else emitter.op(f"icmp eq i64 {offset}, {last}")
        return replace(
            state,
            is_first=emitter.both(state.is_first, first),
            is_last=emitter.both(state.is_last, end),
        )

    def _stage(self, position: int, stage: Stage, state: State) -> None:
        emitter, plan = self.emitter, self.plan.stages[position]
        if stage.once:
            self._steps(position + 1, state, ())
            return
        offset = self.program.offsets[self.index, position]
        target = emitter.op(f"getelementptr i8, ptr %workspace, i64 {offset}")
        if stage.operand == self.contraction.output.operand:
            here = state.housed(ACCUMULATOR, plan.home, target)
            self._steps(position + 1, here, ())
            copy_out(emitter, self.plan, here)
            return
        copy_stage(emitter, self.plan, plan, state, target)
        self._steps(position + 1, state.housed(stage.operand, plan.home, target), ())

    # The register tile.

    def _tile(self, state: State) -> None:
        emitter, vector = self.emitter, self.nest.vector
        names = [a.name for a in self.contraction.parallel if a.name != vector]
        rows = {name: state.region[name] for name in names if state.region[name] > 1}
        places = [
            (row, j, count)
            for row in points(rows)
            for j, count in chunks(state.region[vector], emitter.lanes)
        ]
        inner = [(axis, unroll) for axis, unroll in self.nest.inner if state.region[axis] > 1]
        sums = self._reduce(inner, state, {}, places, ["zeroinitializer"] * len(places))
        sums = self._with_earlier(state, places, sums)
        by_place = {
            (tuple(row.items()), j): value for (row, j, _), value in zip(places, sums, strict=True)
        }

        def read(coordinates: Coordinates, j: int) -> str:
            return by_place[tuple((axis, coordinates[axis]) for axis in rows), j]

        if ACCUMULATOR in state.homes:
            store_accumulators(emitter, self.plan, state, rows, read)
            return
        if state.is_last is not True:
            unfinished: bool | str = True
            if isinstance(state.is_last, str):
                unfinished = emitter.op(f"xor i1 {state.is_last}, true")
            with emitter.when(unfinished):
                store_accumulators(emitter, self.plan, state, rows, read)
            if state.is_last is False:
                return
        with emitter.when(state.is_last):
            store_tile(emitter, self.plan, state, rows, read)

    def _with_earlier(self, state: State, places: list[Place], sums: list[str]) -> list[str]:
        """The sums of this block plus those of the blocks before it, if a reduction is split.

        Each block starts from zero: a sum of sums rounds less than one long sum.
        """
        emitter = self.emitter
        if state.is_first is True:
            return sums

        def added() -> list[str]:
            return [
                emitter.arithmetic(
                    "fadd", load_accumulators(emitter, self.plan, state, *place), own
                )
                for place, own in zip(places, sums, strict=True)
            ]

        if state.is_first is False:
            return added()
        later = emitter.op(f"xor i1 {state.is_first}, true")
        before = emitter.label
        with emitter.when(later):
            totals = added()
            inside = emitter.label
        return [
            emitter.op(f"phi {emitter.vector} [ {own}, %{before} ], [ {total}, %{inside} ]")
            for own, total in zip(sums, totals, strict=True)
        ]

    def _reduce(
        self,
        inner: list[tuple[str, int]],
        state: State,
        known: dict[str, int],
        places: list[Place],
        sums: list[str],
    ) -> list[str]:
        """Add the products over the inner reduction axes; `known` are unrolled positions."""
        if not inner:
            return self._multiply_add(state, known, places, sums)
        (axis, unroll), rest = inner[0], inner[1:]
        emitter, region = self.emitter, state.region[axis]
        unroll = min(unroll, region)
        whole = region // unroll * unroll
        if whole > unroll:
            kinds = [emitter.vector] * len(sums)
            with emitter.carried_loop(whole, unroll, sums, kinds) as (i, carried, following):
                here = state.moved(emitter, axis, i)
                values = carried
                for x in range(unroll):
                    values = self._reduce(rest, here, {**known, axis: x}, places, values)
                following.extend(values)
            sums = following
        else:
            for x in range(unroll):
                sums = self._reduce(rest, state, {**known, axis: x}, places, sums)
        for x in range(whole, region):
            sums = self._reduce(rest, state, {**known, axis: x}, places, sums)
        return sums

    def _multiply_add(
        self,
        state: State,
        known: dict[str, int],
        places: list[Place],
        sums: list[str],
    ) -> list[str]:
        """One point of the reduction for the whole register tile; each operand is loaded once."""
        vector, lanes = self.nest.vector, self.emitter.lanes
        at = [{**known, **row, vector: j * lanes} for row, j, _ in places]
        weights = [self._coefficient(point) for point in at]
        used = [i for i in _by_fewer(places) if weights[i] != 0]
        self._begin_point(state, [at[i] for i in used], len(places))
        following = list(sums)
        names = [access.operand for access in self.contraction.inputs]
        for i in used:
            factors = [self._load(state, name, at[i], places[i][2]) for name in names]
            following[i] = self._added(factors, weights[i], sums[i])
        return following

    def _begin_point(
        self, state: State, at: Sequence[Mapping[str, int]], accumulators: int
    ) -> None:
        """Forget what was loaded where it is of no more use, and keep LLVM from loading ahead.

        Left to itself it loads so far ahead that accumulators spill. Points of a short reduction
        (depthwise) share loads, so that they are fenced off only from those that share none.
        """
        if state is not self._loaded_in:
            self._loaded, self._loaded_in = {}, state
        reduction = prod(axis.extent for axis in self.contraction.reduction)
        if reduction > SHORT_REDUCTION:
            is_apart = accumulators > self.emitter.registers // 2
        else:
            keys = {
                (name, tile_offset(state.homes[name], point))
                for name in (access.operand for access in self.contraction.inputs)
                for point in at
            }
            known = {(operand, offset) for operand, offset, _ in self._loaded}
            is_apart = bool(known) and keys.isdisjoint(known)
        if is_apart:
            self.emitter.fence()
            self._loaded = {}

    def _coefficient(self, at: Mapping[str, int]) -> float:
        """What the constant matrices multiply this product by."""
        weight = 1.0
        for factor in self.contraction.factors:
            row, column = (at.get(axis, 0) for axis in factor.axes)
            weight *= factor.values[row][column]
        return weight

    def _added(self, factors: list[str], weight: float, total: str) -> str:
        """The sum with one more product; a multiplication by 1 or an addition to 0 is left out."""
        emitter = self.emitter
        product = factors[0]
        for factor in factors[1:-1]:
            product = emitter.arithmetic("fmul", product, factor)
        if len(factors) > 1:
            if weight != 1.0:
                product = emitter.arithmetic("fmul", product, emitter.constant(weight))
            return emitter.multiply_add(product, factors[-1], total)
        if total == "zeroinitializer":
            is_one = weight == 1.0
            return (
                product if is_one else emitter.arithmetic("fmul", product, emitter.constant(weight))
            )
        if abs(weight) == 1.0:
            return emitter.arithmetic("fadd" if weight > 0 else "fsub", total, product)
        return emitter.multiply_add(product, emitter.constant(weight), total)

    def _load(self, state: State, operand: str, at: dict[str, int], count: int) -> str:
        """A vector of the operand along the vector axis, or one element in every lane."""
        emitter, home = self.emitter, state.homes[operand]
        step = home.step(self.nest.vector)
        offset = tile_offset(home, at)
        is_spread = step == 1 and emitter.lanes > 1
        is_exact = home.kind in ("storage", "handed")
        valid = count if is_spread and is_exact else emitter.lanes
        key = (operand, offset, valid)
        if key not in self._loaded:
            place = emitter.move(state.pointers[operand], offset)
            if is_spread:
                self._loaded[key] = emitter.load(place, valid)
                ahead = dict(self.nest.prefetch).get(operand)
                if ahead:
                    emitter.prefetch(emitter.op(f"getelementptr i8, ptr {place}, i64 {ahead}"))
            else:
                self._loaded[key] = emitter.splat(emitter.load_scalar(place))
        return self._loaded[key]


def _by_fewer(places: list[Place]) -> list[int]:
    """The order of a tile's accumulators in which the fewest loaded values are alive at once.

    Row by row the vectors stay, vector by vector the rows do.
    """
    vectors = len({j for _, j, _ in places})
    if vectors * vectors <= len(places):
        return list(range(len(places)))
    return sorted(range(len(places)), key=lambda i: places[i][1])
