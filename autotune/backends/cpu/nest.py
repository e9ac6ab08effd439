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
from autotune.ir.edges import PAIR, edge_rounds, is_paired, openings
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
        self._openings = openings(self.plan)
        self._paired = {a.operand for a in self.contraction.inputs if is_paired(self.plan, a)}
        self._loaded: dict[tuple[str, int, tuple[bool, ...]], str] = {}
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

        apart = edge_rounds(self.contraction, self._openings, loop.axis, region, loop.step)
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
        if self._paired:
            sums = [self._in_order(value) for value in sums]
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
        if self._paired and all(unroll >= state.region[axis] for axis, unroll in inner):
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
        operand = next(iter(self._paired))
        within = {axis for axis, _ in self.contraction.access(operand).index[-1].terms}
        rows: dict[int, list[tuple[int, int, dict[str, int]]]] = {}
        for point in points({axis: state.region[axis] for axis in axes}):
            for i, (row, j, _) in enumerate(places):
                at = {**known, **point, **row, vector: j * emitter.lanes}
                down = {axis: value for axis, value in at.items() if axis not in within}
                place = tile_offset(state.homes[operand], down)
                rows.setdefault(place, []).append((self._start(state, operand, at), i, at))
        following = list(sums)
        for place in sorted(rows):
            self._begin_row(state, operand)
            for _, i, at in sorted(rows[place], key=lambda entry: entry[:2]):
                following[i] = self._with_product(state, at, places[i][2], following[i])
        return following

    def _begin_row(self, state: State, operand: str) -> None:
        """Forget the row before, and the other operands where they take too many registers."""
        self.emitter.fence()
        if state is not self._loaded_in:
            self._loaded, self._loaded_in = {}, state
        kept = {key: value for key, value in self._loaded.items() if key[0] != operand}
        self._loaded = kept if len(kept) <= self.emitter.registers * 3 // 4 else {}

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
        self._begin_point(state, [at[i] for i in used], len(places))
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
        loaded = [self._load(state, name, at, count) for name in names]
        factors = [factor for factor in loaded if factor is not None]
        return self._added(factors, weight, total) if len(factors) == len(names) else total

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
                (name, self._start(state, name, point))
                for name in (access.operand for access in self.contraction.inputs)
                for point in at
            }
            known = {(operand, offset) for operand, offset, _ in self._loaded}
            is_apart = bool(known) and keys.isdisjoint(known)
        if is_apart:
            self.emitter.fence()
            self._loaded = {}

    def _start(self, state: State, operand: str, at: Mapping[str, int]) -> int:
        """Elements from the state's pointer to where a point's load begins."""
        parity = self._parity(operand, at) if operand in self._paired else 0
        return tile_offset(state.homes[operand], at) - parity

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

    def _load(self, state: State, operand: str, at: Mapping[str, int], count: int) -> str | None:
        """A vector of the operand along the vector axis, or one element in every lane.

        None where all of it is outside the storage, and so zero.
        """
        emitter, home = self.emitter, state.homes[operand]
        if operand in self._paired:
            return self._every_other(state, operand, at, count)
        is_spread = home.step(self.nest.vector) == 1 and emitter.lanes > 1
        is_exact = home.kind in ("storage", "handed")
        valid = [lane < count or not (is_spread and is_exact) for lane in range(emitter.lanes)]
        valid = self._stored(state, operand, at, valid, int(is_spread))
        offset = tile_offset(home, at)
        key = (operand, offset, tuple(valid))
        if not any(valid):
            return None
        if key not in self._loaded:
            place = emitter.move(state.pointers[operand], offset)
            if is_spread:
                self._loaded[key] = emitter.load_lanes(place, valid)
                ahead = dict(self.nest.prefetch).get(operand)
                if ahead:
                    emitter.prefetch(emitter.op(f"getelementptr i8, ptr {place}, i64 {ahead}"))
            else:
                self._loaded[key] = emitter.splat(emitter.load_scalar(place))
        return self._loaded[key]

    # What is read in place.

    def _stored(
        self,
        state: State,
        operand: str,
        at: Mapping[str, int],
        wanted: Sequence[bool],
        step: int,
        shift: int = 0,
    ) -> list[bool]:
        """Which of the wanted elements are inside the storage: `step` apart, `shift` further on.

        A loop's position that is not known now is one of those that touch no edge.
        """
        valid = list(wanted)
        for opening in self._openings:
            if opening.operand != operand:
                continue
            position, is_known = opening.affine.offset, True
            for axis, coefficient in opening.affine.terms:
                here = state.absolute[axis]
                is_known &= isinstance(here, int)
                position += coefficient * (at.get(axis, 0) + (here if isinstance(here, int) else 0))
            if not is_known:
                continue
            moves = step if opening.affine.coefficient(self.nest.vector) else 0
            position += shift if moves else 0
            valid = [
                one and 0 <= position + lane * moves < opening.size
                for lane, one in enumerate(valid)
            ]
        return valid

    def _every_other(
        self, state: State, operand: str, at: Mapping[str, int], count: int
    ) -> str | None:
        """Every second element of a row, in the order in which `_in_order` finds them.

        Neighbouring taps pick theirs from the same two vectors. No lane leaves its 128 bits: such
        a shuffle is one instruction, and its order is put right once, on the sums.
        """
        emitter, lanes = self.emitter, self.emitter.lanes
        parity, start = self._parity(operand, at), self._start(state, operand, at)
        wanted = [lane < 2 * count for lane in range(2 * lanes)]
        valid = self._stored(state, operand, at, wanted, 1, -parity)
        if not any(valid[parity::2]):
            return None
        pair = []
        for first in (0, lanes):
            part = tuple(valid[first : first + lanes])
            key = (operand, start + first, part)
            if key not in self._loaded:
                place = emitter.move(state.pointers[operand], key[1])
                self._loaded[key] = emitter.load_lanes(place, part)
            pair.append(self._loaded[key])
        return emitter.shuffle(pair[0], pair[1], [2 * i + parity for i in self._pair_order()])

    def _parity(self, operand: str, at: Mapping[str, int]) -> int:
        """Which element of each two in a row is meant, counted from the row's beginning.

        Where rows begin at whole vectors, so do most pairs then.
        """
        row = self.contraction.access(operand).index[-1]
        return (row.offset + sum(c * at.get(axis, 0) for axis, c in row.terms)) % PAIR

    def _pair_order(self) -> list[int]:
        """The element, counted in steps of two, in each lane: alternately of either vector."""
        lanes, item = self.emitter.lanes, self.emitter.item
        half = max(1, min(lanes, 16 // item) // 2)
        blocks = [range(first, first + half) for first in range(0, lanes // 2, half)]
        return [i + which for block in blocks for which in (0, lanes // 2) for i in block]

    def _in_order(self, value: str) -> str:
        """The lanes of a sum over pairs in their own order."""
        order = self._pair_order()
        if value == "zeroinitializer" or order == sorted(order):
            return value
        return self.emitter.shuffle(value, "poison", [order.index(i) for i in range(len(order))])


def _by_fewer(places: list[Place]) -> list[int]:
    """The order of a tile's accumulators in which the fewest loaded values are alive at once.

    Row by row the vectors stay, vector by vector the rows do.
    """
    vectors = len({j for _, j, _ in places})
    if vectors * vectors <= len(places):
        return list(range(len(places)))
    return sorted(range(len(places)), key=lambda i: places[i][1])
