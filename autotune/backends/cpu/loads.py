"""The operands of a register tile: what is loaded when, once for all points that share it.

Also where nothing was staged: what an edge cuts off is not read, and rows of step 2 come by pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from autotune.backends.cpu.emit import Emitter
from autotune.backends.cpu.state import State, tile_offset
from autotune.ir.default import SHORT_REDUCTION
from autotune.ir.edges import PAIR, is_paired, openings
from autotune.ir.homes import NestPlan


class Loads:
    """Loads of one nest's register tiles.

    Attributes:
        openings: the dimensions, of what is read in place, whose places must be known.
        paired: the operand whose rows of step 2 are read by pairs, or empty.
    """

    def __init__(self, emitter: Emitter, plan: NestPlan) -> None:
        self._emitter, self._nest, self._contraction = emitter, plan.nest, plan.contraction
        self.openings = openings(plan)
        pairs = (a.operand for a in plan.contraction.inputs if is_paired(plan, a))
        self.paired = next(pairs, "")
        self._loaded: dict[tuple[str, int, tuple[bool, ...]], str] = {}
        """By operand, offset and lanes, what later points of the same state may use again."""
        self._loaded_in: State | None = None

    def begin_point(self, state: State, at: Sequence[Mapping[str, int]], accumulators: int) -> None:
        """Forget what was loaded where it is of no more use, and keep LLVM from loading ahead.

        Left to itself it loads so far ahead that accumulators spill. Points of a short reduction
        (depthwise) share loads, so that they are fenced off only from those that share none.
        """
        if state is not self._loaded_in:
            self._loaded, self._loaded_in = {}, state
        reduction = prod(axis.extent for axis in self._contraction.reduction)
        if reduction > SHORT_REDUCTION:
            is_apart = accumulators > self._emitter.registers // 2
        else:
            keys = {
                (name, self.start(state, name, point))
                for name in (access.operand for access in self._contraction.inputs)
                for point in at
            }
            known = {(operand, offset) for operand, offset, _ in self._loaded}
            is_apart = bool(known) and keys.isdisjoint(known)
        if is_apart:
            self._emitter.fence()
            self._loaded = {}

    def begin_row(self, state: State) -> None:
        """Forget the row before, and the other operands where they take too many registers."""
        self._emitter.fence()
        if state is not self._loaded_in:
            self._loaded, self._loaded_in = {}, state
        kept = {key: value for key, value in self._loaded.items() if key[0] != self.paired}
        self._loaded = kept if len(kept) <= self._emitter.registers * 3 // 4 else {}

    def load(self, state: State, operand: str, at: Mapping[str, int], count: int) -> str | None:
        """A vector of the operand along the vector axis, or one element in every lane.

        None where all of it is outside the storage, and so zero.
        """
        emitter, home = self._emitter, state.homes[operand]
        if operand == self.paired:
            return self._every_other(state, operand, at, count)
        is_spread = home.step(self._nest.vector) == 1 and emitter.lanes > 1
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
                ahead = dict(self._nest.prefetch).get(operand)
                if ahead:
                    emitter.prefetch(emitter.op(f"getelementptr i8, ptr {place}, i64 {ahead}"))
            else:
                self._loaded[key] = emitter.splat(emitter.load_scalar(place))
        return self._loaded[key]

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
        for opening in self.openings:
            if opening.operand != operand:
                continue
            position, is_known = opening.affine.offset, True
            for axis, coefficient in opening.affine.terms:
                here = state.absolute[axis]
                is_known &= isinstance(here, int)
                position += coefficient * (at.get(axis, 0) + (here if isinstance(here, int) else 0))
            if not is_known:
                continue
            moves = step if opening.affine.coefficient(self._nest.vector) else 0
            position += shift if moves else 0
            valid = [
                one and 0 <= position + lane * moves < opening.size
                for lane, one in enumerate(valid)
            ]
        return valid

    def _every_other(
        self, state: State, operand: str, at: Mapping[str, int], count: int
    ) -> str | None:
        """Every second element of a row, in the order in which `in_order` finds them.

        Neighbouring taps pick theirs from the same two vectors. No lane leaves its 128 bits: such
        a shuffle is one instruction, and its order is put right once, on the sums.
        """
        emitter, lanes = self._emitter, self._emitter.lanes
        parity, start = self._parity(operand, at), self.start(state, operand, at)
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
        row = self._contraction.access(operand).index[-1]
        return (row.offset + sum(c * at.get(axis, 0) for axis, c in row.terms)) % PAIR

    def _pair_order(self) -> list[int]:
        """The element, counted in steps of two, in each lane: alternately of either vector."""
        lanes, item = self._emitter.lanes, self._emitter.item
        half = max(1, min(lanes, 16 // item) // 2)
        blocks = [range(first, first + half) for first in range(0, lanes // 2, half)]
        return [i + which for block in blocks for which in (0, lanes // 2) for i in block]

    def in_order(self, value: str) -> str:
        """The lanes of a sum over pairs in their own order."""
        order = self._pair_order()
        if value == "zeroinitializer" or order == sorted(order):
            return value
        return self._emitter.shuffle(value, "poison", [order.index(i) for i in range(len(order))])

    def start(self, state: State, operand: str, at: Mapping[str, int]) -> int:
        """Elements from the state's pointer to where a point's load begins."""
        parity = self._parity(operand, at) if operand == self.paired else 0
        return tile_offset(state.homes[operand], at) - parity
