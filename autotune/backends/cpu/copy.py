"""Staging: copies the region of an operand into a buffer, zero-padded, in the layout of its home.

Rows are written forward in the buffer, so a whole vector may spill over the end of one: what
follows overwrites it, and every buffer ends with a vector of slack.
"""

from __future__ import annotations

from math import prod

from autotune.backends.cpu.emit import Emitter, Index
from autotune.backends.cpu.loops import for_squares
from autotune.backends.cpu.pack import AxesCopy
from autotune.backends.cpu.state import State
from autotune.ir.contraction import Access, Contraction
from autotune.ir.homes import NestPlan, StagePlan, round_up


def copy_stage(
    emitter: Emitter, nest: NestPlan, plan: StagePlan, state: State, target: str
) -> None:
    """Write the copy of one stage; `target` points at the buffer."""
    if plan.stage.layout == "dims":
        _DimsCopy(emitter, nest.contraction, plan, state, target).run()
    elif plan.stage.layout == "lanes":
        _LanesCopy(emitter, nest, plan, state, target).run()
    else:
        AxesCopy(emitter, nest, plan, state, target).run()


class _DimsCopy:
    """The operand's own dimensions: loops over rows, then one row at a time."""

    def __init__(
        self,
        emitter: Emitter,
        contraction: Contraction,
        plan: StagePlan,
        state: State,
        target: str,
    ) -> None:
        self.emitter, self.plan, self.target = emitter, plan, target
        self.access: Access = contraction.access(plan.stage.operand)
        self.extents = contraction.extents
        self.source = state.pointers[plan.stage.operand]
        self.spans = [
            sum(c * (state.region[a] - 1) for a, c in affine.terms) + 1
            for affine in self.access.index
        ]
        self.low: list[Index] = [self._low(d, state) for d in range(len(self.spans))]
        self.pitches = [prod(plan.shape[d + 1 :]) for d in range(len(self.spans))]
        self.rows = list(range(len(self.spans) - 1))
        """Dimensions to loop over around the rows."""

    def run(self) -> None:
        self._dimension(self.rows, self.source, self.target, True)

    def _low(self, dimension: int, state: State) -> Index:
        affine = self.access.index[dimension]
        total: Index = affine.offset
        for axis, coefficient in affine.terms:
            total = self.emitter.add(total, self.emitter.mul(state.absolute[axis], coefficient))
        return total

    def _leaves_storage(self, dimension: int) -> bool:
        affine = self.access.index[dimension]
        last = affine.offset + sum(c * (self.extents[a] - 1) for a, c in affine.terms)
        return affine.offset < 0 or last >= self.access.shape[dimension]

    def _dimension(
        self, dimensions: list[int], source: str, target: str, inside: bool | str
    ) -> None:
        if not dimensions:
            self._row(source, target, inside)
            return
        d, rest = dimensions[0], dimensions[1:]
        if self.spans[d] == 1:
            self._dimension(rest, source, target, self._inside(d, 0, inside))
            return
        with self.emitter.loop(self.spans[d], 1) as i:
            moved = self.emitter.along(source, i, self.access.strides[d])
            row = self.emitter.along(target, i, self.pitches[d])
            self._dimension(rest, moved, row, self._inside(d, i, inside))

    def _inside(self, d: int, i: Index, inside: bool | str) -> bool | str:
        if not self._leaves_storage(d):
            return inside
        position = self.emitter.add(self.low[d], i)
        size = self.access.shape[d]
        if isinstance(position, int):
            return inside if 0 <= position < size else False
        here = self.emitter.op(f"icmp ult i64 {position}, {size}")
        return self.emitter.both(inside, here)

    def _row(self, source: str, target: str, inside: bool | str) -> None:
        if inside is not True:
            if isinstance(inside, str):
                outside: bool | str = self.emitter.op(f"xor i1 {inside}, true")
            else:
                outside = True
            with self.emitter.when(outside):
                self._zero_row(target)
            if inside is False:
                return
        with self.emitter.when(inside):
            self._read_row(source, target)

    def _read_row(self, source: str, target: str) -> None:
        phases = self.plan.home.phases
        if phases:
            self._dealt_row(source, target, phases.count, phases.pitch)
        else:
            self._dealt_row(source, target, 1, round_up(self.plan.shape[-1], self.emitter.lanes))

    def _zero_row(self, target: str) -> None:
        emitter, width = self.emitter, self.plan.shape[-1]
        with emitter.loop(round_up(width, emitter.lanes), emitter.lanes) as x:
            emitter.store("zeroinitializer", emitter.along(target, x, 1))

    def _dealt_row(self, source: str, target: str, count: int, pitch: int) -> None:
        """Chunks of count * lanes elements, dealt out to `count` rows of the buffer.

        Where the row begins at a known place, chunks that reach over an edge of the storage are
        written apart, so that those between need no mask.
        """
        emitter, span, low = self.emitter, self.spans[-1], self.low[-1]
        chunk = count * emitter.lanes
        whole = span // chunk * chunk
        first, last, is_stored = 0, whole, not self._leaves_storage(len(self.spans) - 1)
        if isinstance(low, int) and not is_stored:
            first = min(whole, round_up(max(0, -low), chunk))
            last = min(whole, max(first, (self.access.shape[-1] - low) // chunk * chunk))
            is_stored = True
        start, into = emitter.move(source, first), emitter.move(target, first // count)
        if last - first > chunk:
            with emitter.loop(last - first, chunk) as i:
                here, there = emitter.along(start, i, 1), emitter.along(into, i, 1, count)
                at = None if is_stored else emitter.add(first, i)
                self._deal(here, there, at, count, pitch)
        elif last > first:
            self._deal(start, into, None if is_stored else first, count, pitch)
        end = round_up(pitch, emitter.lanes) * count
        for x in (*range(0, first, chunk), *range(last, end, chunk)):
            here, there = emitter.move(source, x), emitter.move(target, x // count)
            self._deal(here, there, x, count, pitch)

    def _read(self, pointer: str, x: Index | None, count: int) -> str:
        """The row's elements from x on: zero outside the storage and from `count` on.

        None stands for a place whose elements are all stored.
        """
        if count <= 0:
            return "zeroinitializer"
        mask = None if x is None else self._mask(x, count)
        return (
            self.emitter.masked_load(pointer, mask) if mask else self.emitter.load(pointer, count)
        )

    def _mask(self, x: Index, count: int) -> str | None:
        """Lanes of the row from x on that are stored; None where all `count` are."""
        emitter, last = self.emitter, len(self.spans) - 1
        if not self._leaves_storage(last):
            return None
        size = self.access.shape[last]
        position = emitter.add(self.low[last], x)
        if isinstance(position, int) and position >= 0 and position + count <= size:
            return None
        kind = f"<{emitter.lanes} x i64>"
        one = emitter.op(f"insertelement {kind} poison, i64 {position}, i64 0")
        base = emitter.op(
            f"shufflevector {kind} {one}, {kind} poison, <{emitter.lanes} x i32> zeroinitializer"
        )
        lanes = ", ".join(f"i64 {lane}" for lane in range(emitter.lanes))
        where = emitter.op(f"add {kind} {base}, <{lanes}>")
        sizes = ", ".join([f"i64 {size}"] * emitter.lanes)
        mask = emitter.op(f"icmp ult {kind} {where}, <{sizes}>")
        if count < emitter.lanes:
            mask = emitter.op(f"and <{emitter.lanes} x i1> {mask}, {emitter.mask(count)}")
        return mask

    def _deal(self, source: str, target: str, x: Index | None, count: int, pitch: int) -> None:
        """One chunk, which starts at element `x` of the row; None: at one that is all stored."""
        emitter, span = self.emitter, self.spans[-1]
        vectors = []
        for ahead in range(0, count * emitter.lanes, emitter.lanes):
            valid = emitter.lanes
            if isinstance(x, int):
                valid = max(0, min(valid, span - x - ahead))
            at = None if x is None else emitter.add(x, ahead)
            vectors.append(self._read(emitter.move(source, ahead), at, valid))
        room = self._room(x // count, pitch) if isinstance(x, int) else emitter.lanes
        for phase in range(count):
            value = _pick(emitter, vectors, phase)
            emitter.store(value, emitter.move(target, phase * pitch), room)

    def _room(self, position: int, pitch: int) -> int:
        """Lanes left in a phase's row; phases are written together, so none may spill."""
        return min(self.emitter.lanes, pitch - position)


class _LanesCopy(_DimsCopy):
    """Rows of one vector's worth of channels, turned so that channels are innermost."""

    def __init__(
        self, emitter: Emitter, nest: NestPlan, plan: StagePlan, state: State, target: str
    ) -> None:
        super().__init__(emitter, nest.contraction, plan, state, target)
        vector = nest.nest.vector
        self.channel = next(d for d, a in enumerate(self.access.index) if a.coefficient(vector))
        self.pitches = list(plan.shape)
        self.rows.remove(self.channel)
        self.channels = self.spans[self.channel]
        self.valid = emitter.lanes

    def run(self) -> None:
        emitter = self.emitter
        whole = self.channels // emitter.lanes * emitter.lanes
        if whole:
            with emitter.loop(whole, emitter.lanes) as c:
                self._block(c, emitter.lanes)
        if self.channels > whole:
            self._block(whole, self.channels - whole)

    def _block(self, channel: Index, valid: int) -> None:
        emitter = self.emitter
        self.valid = valid
        start = emitter.along(self.source, channel, self.access.strides[self.channel])
        into = emitter.along(self.target, channel, self.pitches[self.channel], emitter.lanes)
        self._dimension(self.rows, start, into, True)

    def _zero_row(self, target: str) -> None:
        emitter = self.emitter
        with emitter.loop(self.spans[-1], 1) as x:
            emitter.store("zeroinitializer", emitter.along(target, x, emitter.lanes))

    def _read_row(self, source: str, target: str) -> None:
        for_squares(
            self.emitter,
            self.spans[-1],
            lambda x, columns: self._square(source, target, x, columns),
        )

    def _square(self, source: str, target: str, x: Index, columns: int) -> None:
        emitter = self.emitter
        mask = self._mask(x, columns)
        start, into = emitter.along(source, x, 1), emitter.along(target, x, emitter.lanes)
        rows = []
        for r in range(emitter.lanes):
            if r >= self.valid:
                rows.append("zeroinitializer")
                continue
            place = emitter.move(start, r * self.access.strides[self.channel])
            rows.append(emitter.masked_load(place, mask) if mask else emitter.load(place, columns))
        for column, value in enumerate(emitter.transpose(rows)[:columns]):
            emitter.store(value, emitter.move(into, column * emitter.lanes))


def _pick(emitter: Emitter, vectors: list[str], phase: int) -> str:
    """Every len(vectors)-th lane of the concatenated vectors, from `phase` on."""
    lanes, count = emitter.lanes, len(vectors)
    value = vectors[0]
    for v in range(1, count):
        picks = []
        for lane in range(lanes):
            owner, within = divmod(phase + lane * count, lanes)
            if v == 1:
                picks.append(within + lanes * min(owner, 1) if owner <= 1 else 0)
            else:
                picks.append(lanes + within if owner == v else lane)
        value = emitter.shuffle(value, vectors[v], picks)
    return value
