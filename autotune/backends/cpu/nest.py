"""One nest's code: its steps from the outside in, then the register tile.

Called by `lower` for each nest in its place. All extents are known, so a remainder is one more
instance of the same code on a smaller region.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from autotune.backends.cpu.copy import copy_stage
from autotune.backends.cpu.emit import Emitter, Index
from autotune.backends.cpu.loads import Loads
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
from autotune.ir.edges import edge_rounds
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
        self.loads = Loads(emitter, self.plan)

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

        apart = edge_rounds(self.contraction, self.loads.openings, loop.axis, region, loop.step)
        if indices:
            for_index(self.emitter, indices[0], loop, region, body, apart)
        else:
            for_region(self.emitter, region, loop.step, body, apart)

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
        if self.loads.paired:
            sums = [self.loads.in_order(value) for value in sums]
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
        if self.loads.paired and all(unroll >= state.region[axis] for axis, unroll in inner):
            return self._row_by_row([axis for axis, _ in inner], state, known, places, sums)
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

    def _row_by_row(
        self,
        axes: Sequence[str],
        state: State,
        known: Mapping[str, int],
        places: list[Place],
        sums: list[str],
    ) -> list[str]:
        """All points of these axes, in the order of the rows that are read by pairs.

        What is read of a row serves several taps and rows of the tile, and is then done with.
        """
        emitter, vector = self.emitter, self.nest.vector
        operand = self.loads.paired
        within = {axis for axis, _ in self.contraction.access(operand).index[-1].terms}
        rows: dict[int, list[tuple[int, int, dict[str, int]]]] = {}
        for point in points({axis: state.region[axis] for axis in axes}):
            for i, (row, j, _) in enumerate(places):
                at = {**known, **point, **row, vector: j * emitter.lanes}
                down = {axis: value for axis, value in at.items() if axis not in within}
                place = tile_offset(state.homes[operand], down)
                rows.setdefault(place, []).append((self.loads.start(state, operand, at), i, at))
        following = list(sums)
        for place in sorted(rows):
            self.loads.begin_row(state)
            for _, i, at in sorted(rows[place], key=lambda entry: entry[:2]):
                following[i] = self._with_product(state, at, places[i][2], following[i])
        return following

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
        used = [i for i in _by_fewer(places) if self._coefficient(at[i]) != 0]
        self.loads.begin_point(state, [at[i] for i in used], len(places))
        following = list(sums)
        for i in used:
            following[i] = self._with_product(state, at[i], places[i][2], sums[i])
        return following

    def _with_product(self, state: State, at: Mapping[str, int], count: int, total: str) -> str:
        """The sum with the product of the operands at one point, if there is any."""
        weight = self._coefficient(at)
        if weight == 0:
            return total
        names = [access.operand for access in self.contraction.inputs]
        loaded = [self.loads.load(state, name, at, count) for name in names]
        factors = [factor for factor in loaded if factor is not None]
        return self._added(factors, weight, total) if len(factors) == len(names) else total

    def _coefficient(self, at: Mapping[str, int]) -> float:
        """What the constant matrices multiply this product by."""
        weight = 1.0
        for factor in self.contraction.factors:
            row, column = (at.get(axis, 0) for axis in factor.axes)
            weight *= factor.values[row][column]
        return weight

    def _added(self, factors: Sequence[str], weight: float, total: str) -> str:
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


def _by_fewer(places: list[Place]) -> list[int]:
    """The order of a tile's accumulators in which the fewest loaded values are alive at once.

    Row by row the vectors stay, vector by vector the rows do.
    """
    vectors = len({j for _, j, _ in places})
    if vectors * vectors <= len(places):
        return list(range(len(places)))
    return sorted(range(len(places)), key=lambda i: places[i][1])
