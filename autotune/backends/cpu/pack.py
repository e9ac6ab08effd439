"""Packing: a staged operand in the very order in which register tiles read it.

Like every stage it writes forward, so whole vectors may spill over what follows them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

from autotune.backends.cpu.emit import Emitter, Index
from autotune.backends.cpu.loops import for_squares
from autotune.backends.cpu.state import State
from autotune.ir.homes import Home, NestPlan, StagePlan

UNROLL_LIMIT = 64
"""Scalar copies written out one by one before a loop is made of them."""


class AxesCopy:
    """The order in which register tiles read: blocks of tiles, reductions, then one tile."""

    def __init__(
        self,
        emitter: Emitter,
        nest: NestPlan,
        plan: StagePlan,
        state: State,
        target: str,
    ) -> None:
        self.emitter, self.plan = emitter, plan
        operand = plan.stage.operand
        self.home: Home = plan.home
        self.source: Home = state.homes[operand]
        both = {operand: self.source, "@copy": plan.home}
        pointers = {operand: state.pointers[operand], "@copy": target}
        zero: dict[str, Index] = dict.fromkeys(state.region, 0)
        self.start = State(state.region, zero, both, pointers)
        parallel = [a.name for a in nest.contraction.axes if a.kind == "parallel"]
        blocked = [a for a in parallel if a in self.home.strides]
        # Buffer order, outermost first: a larger outer stride is further out.
        self.blocked = sorted(blocked, key=lambda a: -self.home.strides[a].outer)
        self.operand = operand
        self.vector = nest.nest.vector
        self.is_vector_padded = self.vector in self.home.strides

    def run(self) -> None:
        self._blocks(0, self.start)

    def _blocks(self, depth: int, state: State) -> None:
        if depth == len(self.blocked):
            self._tile_runs(state)
            return
        axis = self.blocked[depth]
        size, region = self.home.strides[axis].block, state.region[axis]
        whole = region // size * size
        if whole:
            inner = state.narrowed(axis, size)
            if whole == size:
                self._blocks(depth + 1, inner)
            else:
                with self.emitter.loop(whole, size) as i:
                    self._blocks(depth + 1, inner.moved(self.emitter, axis, i))
        if region > whole:
            rest = state.narrowed(axis, region - whole).moved(self.emitter, axis, whole)
            self._blocks(depth + 1, rest)

    def _tile_runs(self, state: State) -> None:
        """All of one block: the tile's elements at each point of the reductions."""
        tile = [a for a in self.blocked if state.region[a] > 1 and a != self.vector]
        if self.is_vector_padded:
            tile.append(self.vector)
        order = [a for a in self.plan.order if state.region[a] > 1]
        fast = tile[-1] if tile else None
        run, length = self._contiguous_run(order, state)
        is_column = fast is not None and self._pitch(fast) == 1 and len(tile) == 1
        if fast and is_column and self.source.strides[fast].outer != 1 and length > 1:
            outer = order[: len(order) - run]
            pitch = self.home.strides[order[-1]].outer
            self._each(outer, state, lambda here: self._transposed(here, fast, length, pitch))
            return
        self._each(order, state, lambda here: self._tile(here, tile))

    def _contiguous_run(self, order: list[str], state: State) -> tuple[int, int]:
        """How many innermost reduction axes are one contiguous row in the source, and its length.

        In the buffer they must be evenly spaced too.
        """
        count, length = 0, 1
        for axis in reversed(order):
            even = self.home.strides[axis].outer == length * self.home.strides[order[-1]].outer
            if self.source.strides[axis].outer != length or not even:
                break
            count, length = count + 1, length * state.region[axis]
        return count, length

    def _each(self, axes: list[str], state: State, body: Callable[[State], None]) -> None:
        if not axes:
            body(state)
            return
        with self.emitter.loop(state.region[axes[0]], 1) as i:
            self._each(axes[1:], state.moved(self.emitter, axes[0], i), body)

    def _pointers(self, state: State, coordinates: Mapping[str, int]) -> tuple[str, str]:
        source = sum(self.source.strides[a].outer * v for a, v in coordinates.items())
        target = sum(self.home.strides[a].step * v for a, v in coordinates.items())
        return (
            self.emitter.move(state.pointers[self.operand], source),
            self.emitter.move(state.pointers["@copy"], target),
        )

    def _tile(self, state: State, tile: list[str]) -> None:
        emitter = self.emitter
        if not tile:
            source, into = self._pointers(state, {})
            emitter.store_scalar(emitter.load_scalar(source), into)
            return
        fast, rows = tile[-1], tile[:-1]
        size = state.region[fast]
        for values in product(*(range(state.region[a]) for a in rows)):
            coordinates = dict(zip(rows, values, strict=True))
            source, into = self._pointers(state, coordinates)
            step = self.source.strides[fast].outer
            pitch = self._pitch(fast)
            if step == 1 and pitch == 1:
                self._contiguous(source, into, size)
            else:
                self._scalars(source, into, size, step, pitch)

    def _pitch(self, axis: str) -> int:
        """Elements of the buffer between neighbours along an axis of the tile."""
        return 1 if axis == self.vector else self.home.strides[axis].step

    def _contiguous(self, source: str, into: str, size: int) -> None:
        emitter = self.emitter
        for x in range(0, size, emitter.lanes):
            value = emitter.load(emitter.move(source, x), size - x)
            emitter.store(value, emitter.move(into, x), self._store_count(size - x))

    def _store_count(self, count: int) -> int:
        """Lanes to store: all where the tile is padded to whole vectors, else only valid ones."""
        return self.emitter.lanes if self.is_vector_padded else count

    def _scalars(self, source: str, into: str, size: int, step: int, pitch: int) -> None:
        emitter = self.emitter
        if self.is_vector_padded and size % emitter.lanes:
            last = size // emitter.lanes * emitter.lanes
            emitter.store("zeroinitializer", emitter.move(into, last))
        if size > UNROLL_LIMIT:
            with emitter.loop(size, 1) as i:
                value = emitter.load_scalar(emitter.along(source, i, step))
                emitter.store_scalar(value, emitter.along(into, i, pitch))
            return
        for at in range(size):
            value = emitter.load_scalar(emitter.move(source, at * step))
            emitter.store_scalar(value, emitter.move(into, at * pitch))

    def _transposed(self, state: State, fast: str, length: int, pitch: int) -> None:
        """Rows of the source become columns of the tile, a square of lanes at a time."""
        for_squares(
            self.emitter,
            length,
            lambda x, columns: self._squares(state, fast, x, columns, pitch),
        )

    def _squares(self, state: State, fast: str, x: Index, columns: int, pitch: int) -> None:
        emitter, size = self.emitter, state.region[fast]
        step = self.source.strides[fast].outer
        start = emitter.along(state.pointers[self.operand], x, 1)
        base = emitter.along(state.pointers["@copy"], x, pitch)
        for first in range(0, size, emitter.lanes):
            count = min(emitter.lanes, size - first)
            rows = []
            for r in range(emitter.lanes):
                if r >= count:
                    rows.append("zeroinitializer")
                    continue
                rows.append(emitter.load(emitter.move(start, (first + r) * step), columns))
            turned = emitter.transpose(rows)
            for column in range(columns):
                into = emitter.move(base, column * pitch + first)
                emitter.store(turned[column], into, self._store_count(count))
