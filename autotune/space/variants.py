"""The structural alternatives of a space, each with its tables of knob values.

A variant fixes how axes are fused, the vector axis and the lanes; that decides which axes exist and
what may be chosen for each. Slots give every variant the same columns: parallel slot 0 is the
vector axis, the others follow from the innermost outwards; reduction slots keep declared order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import permutations
from math import prod

from autotune.errors import SpaceError
from autotune.ir.contraction import ITEM_BYTES, Access, Contraction
from autotune.ir.default import Form, forms, long_window, needs_stage, open_in_place
from autotune.ir.legal import MAX_PACKED_BYTES
from autotune.space.base import Choice, Narrowing
from autotune.targets.base import Target

SPLIT_SLOT = 15
"""Stands for the split among the parallel slots of an order."""
NONE, ONCE = -1, -2
"""Stage positions that are no count of loops: not staged, packed beforehand."""
MULTIPLES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 64)
"""Blocks, in register tiles."""
SPLITS = (16, 32, 64, 128, 256, 512)
MOST_VECTORS = 8
ROWS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 28)
UNROLLS = (1, 2, 4, 8)
PREFETCH = (0, 512, 2048)
TINY_BYTES = 16384
"""Operands that fit here in all need no blocking, staging levels or prefetch."""


@dataclass(frozen=True)
class Variant:
    """One structural alternative; every table lists the values of one column."""

    form: Form
    parallel: tuple[str, ...]
    reduction: tuple[str, ...]
    tile: tuple[tuple[int, ...], ...]
    block: tuple[tuple[int, ...], ...]
    """Multiples of the tile by parallel slot; 0 is no block."""
    split_axis: int
    """Reduction slot that may be split; -1 where none is worth it."""
    split: tuple[int, ...]
    is_split_inside: bool
    """The split's loop is the innermost one: its blocks bound the rounding of long windows."""
    unroll: tuple[tuple[int, ...], ...]
    outer: tuple[tuple[int, ...], ...]
    """Orders of the parallel slots and the split, which is numbered SPLIT_SLOT here."""
    order: tuple[tuple[int, ...], ...]
    inner: tuple[tuple[int, ...], ...]
    needs: tuple[str, ...]
    """By input: '', dims, phases, axes or dims+axes."""
    dims: tuple[tuple[int, ...], ...]
    """Positions of each input's dims stage."""
    axes: tuple[tuple[int, ...], ...]
    align: tuple[int, ...]
    out: tuple[int, ...]
    store: tuple[str, ...]
    prefetch: tuple[int, ...]
    parallel_loops: tuple[int, ...]


def variants(
    contraction: Contraction, target: Target, narrowing: Narrowing
) -> tuple[list[Variant], Mapping[str, tuple[Choice, ...]]]:
    """Every variant that the narrowing leaves, and all knobs with the values they take.

    Raises:
        SpaceError: it leaves none, or names a knob or a value that no variant has.
    """
    found = []
    known: dict[str, set[Choice]] = {}
    for form in _all_forms(contraction, target):
        made = _Maker(form, target, narrowing, known).variant()
        if made:
            found.append(made)
    _check_narrowing(narrowing, known)
    if not found:
        keys = [f"{name}.{knob}" for name in ("only", "never") for knob in getattr(narrowing, name)]
        raise SpaceError(f"{narrowing.source}: {', '.join(keys)}: nothing is left of the space")
    knobs = {name: known[name].union(narrowing.only.get(name, ())) for name in sorted(known)}
    return found, {name: tuple(sorted(values, key=_by_kind)) for name, values in knobs.items()}


def _check_narrowing(narrowing: Narrowing, known: Mapping[str, set[Choice]]) -> None:
    """Every knob exists, and every value is one it has; a number may be new (that widens it)."""
    for section, knobs in (("only", narrowing.only), ("never", narrowing.never)):
        for knob, values in knobs.items():
            where = f"{narrowing.source}: {section}.{knob}"
            if knob not in known:
                raise SpaceError(
                    f"{where}: no such knob for this workload; knobs: {', '.join(sorted(known))}"
                )
            is_number = all(isinstance(value, int) for value in known[knob])
            for i, value in enumerate(values):
                fits = isinstance(value, int) if is_number else value in known[knob]
                if not fits or isinstance(value, bool):
                    shown = ", ".join(map(str, sorted(known[knob], key=_by_kind)))
                    kind = "a number, such as " if is_number else ""
                    raise SpaceError(
                        f"{where}[{i}]: {value!r} is not allowed; allowed: {kind}{shown}"
                    )


def _by_kind(value: Choice) -> tuple[bool, int, str]:
    """Numbers by size, then names by spelling."""
    is_name = isinstance(value, str)
    return (is_name, 0 if is_name else int(value), str(value))


def _all_forms(contraction: Contraction, target: Target) -> list[Form]:
    """The default's forms, each also at half the lanes: fewer wasted ones on short axes."""
    found = []
    for form in forms(contraction, target):
        found.append(form)
        extent = form.contraction.extents[form.vector]
        if form.lanes >= 4 and (extent % form.lanes or form.lanes * 4 > extent):
            found.append(replace(form, lanes=form.lanes // 2))
    return found


class _Maker:
    """Builds one variant's tables, asking the narrowing about each knob by name."""

    def __init__(
        self,
        form: Form,
        target: Target,
        narrowing: Narrowing,
        known: dict[str, set[Choice]],
    ) -> None:
        self.form, self.made, self.target = form, form.contraction, target
        self.narrowing, self.known = narrowing, known
        names = [axis.name for axis in self.made.parallel if axis.name != form.vector]
        self.parallel = (form.vector, *reversed(names))
        self.reduction = tuple(axis.name for axis in self.made.reduction)
        self.extents = self.made.extents
        size = ITEM_BYTES[self.made.dtype]
        self.bytes = {a.operand: prod(a.shape) * size for a in self.made.operands}
        self.window = long_window(self.made)
        self.is_tiny = sum(self.bytes.values()) <= TINY_BYTES
        self.openings = open_in_place(form)
        self.edged = {axis for opening in self.openings for axis, _ in opening.affine.terms}
        """Axes whose place must be known where an edge is: one loop, or unrolled."""

    def _allowed(self, knob: str, values: Iterable[Choice]) -> tuple[Choice, ...]:
        """The knob's values after narrowing; `only` may also widen it."""
        generated = tuple(values)
        self.known.setdefault(knob, set()).update(generated)
        kept = self.narrowing.only.get(knob, generated)
        return tuple(v for v in kept if v not in self.narrowing.never.get(knob, ()))

    def _numbers(self, knob: str, values: Iterable[int], low: int, high: int) -> tuple[int, ...]:
        allowed = self._allowed(knob, values)
        # A file may list values twice or in any order; points need each once, smallest first.
        numbers = {v for v in allowed if isinstance(v, int) and not isinstance(v, bool)}
        return tuple(sorted(v for v in numbers if low <= v <= high))

    def _names(self, knob: str, values: tuple[str, ...]) -> tuple[str, ...]:
        """The named values after narrowing, of those that this variant can do."""
        allowed = self._allowed(knob, values)
        return tuple(value for value in values if value in allowed)

    def variant(self) -> Variant | None:
        """The tables, or None where the narrowing forbids this variant."""
        form = self.form
        structure: list[tuple[str, Choice]] = [
            ("vector", form.vector),
            ("lanes", form.lanes),
            ("edges", "in_place" if form.in_place else "staged"),
            ("fuse", "+".join(".".join(group) for group in form.fuse) or "none"),
        ]
        allowed = [value in self._allowed(knob, (value,)) for knob, value in structure]
        tile = tuple(
            self._numbers(f"tile.{axis}", self._tiles(slot), 1, self.extents[axis])
            for slot, axis in enumerate(self.parallel)
        )
        block = tuple(
            self._numbers(f"block.{axis}", self._blocks(axis), 0, 2**31) for axis in self.parallel
        )
        split_axis = self._split_axis()
        split = self._splits(split_axis)
        unroll = tuple(
            self._numbers(f"unroll.{axis}", self._unrolls(axis), 1, self.extents[axis])
            for axis in self.reduction
        )
        store = self._names("store", self._stores())
        needs = tuple(needs_stage(form, access) for access in self.made.inputs)
        dims, axes = self._stages(needs)
        out = self._out(store)
        prefetch = self._numbers("prefetch", (0,) if self.is_tiny else PREFETCH, 0, 65536)
        tables = (*tile, *block, split, *unroll, store, *dims, *axes, out)
        if not all(allowed) or not all(tables):
            return None
        count = len(self.parallel)
        movable = [s for s in range(count) if block[s] != (0,)]
        is_inside = self.window is not None
        movable += [SPLIT_SLOT] if len(split) > 1 and not is_inside else []
        tiled = [s for s in range(count) if tile[s] != (self.extents[self.parallel[s]],)]
        return Variant(
            form=form,
            parallel=self.parallel,
            reduction=self.reduction,
            tile=tile,
            block=block,
            split_axis=split_axis,
            split=split,
            is_split_inside=is_inside,
            unroll=unroll,
            outer=tuple(permutations(movable)),
            order=tuple(permutations(tiled)),
            inner=tuple(permutations(range(len(self.reduction)))),
            needs=needs,
            dims=dims,
            axes=axes,
            align=self._aligns(needs),
            out=out,
            store=store,
            prefetch=prefetch or (0,),
            parallel_loops=tuple(range(1, count + 1)) if self.target.threads > 1 else (0,),
        )

    def _aligns(self, needs: tuple[str, ...]) -> tuple[int, ...]:
        """Row pitches of dims stages: as short as can be, or whole vectors."""
        staged = any("dims" in need or need == "phases" for need in needs)
        return (1, self.form.lanes) if staged and self.form.lanes > 1 else (1,)

    def _tiles(self, slot: int) -> set[int]:
        """Tile sizes: whole vectors or short rows, the balanced parts, and the axis itself."""
        axis, lanes = self.parallel[slot], self.form.lanes
        extent = self.extents[axis]
        most = MOST_VECTORS * lanes if slot == 0 else max(ROWS)
        values = {v * lanes for v in range(1, MOST_VECTORS + 1)} if slot == 0 else set(ROWS)
        parts = {-(-extent // n) for n in range(1, 17)}
        if slot == 0:
            parts |= {-(-p // lanes) * lanes for p in parts}
        return {v for v in values | parts if v <= min(extent, most)} or {min(extent, most)}

    def _blocks(self, axis: str) -> tuple[int, ...]:
        if self.is_tiny or self.extents[axis] < 4 or axis in self.edged:
            return (0,)
        return (0, *(m for m in MULTIPLES if m < self.extents[axis]))

    def _split_axis(self) -> int:
        """The longest reduction axis, where it is worth splitting, or that of a long window."""
        if self.window:
            return self.reduction.index(self.window[0])
        if not self.reduction or self.is_tiny:
            return -1
        longest = max(range(len(self.reduction)), key=lambda s: self.extents[self.reduction[s]])
        if self.reduction[longest] in self.edged:
            return -1
        return longest if self.extents[self.reduction[longest]] >= 2 * SPLITS[0] else -1

    def _splits(self, slot: int) -> tuple[int, ...]:
        if slot < 0:
            return (0,)
        axis = self.reduction[slot]
        if self.window:
            return self._numbers(f"split.{axis}", self._window_splits(), 1, self.window[1])
        values = (0, *(s for s in SPLITS if s < self.extents[axis]))
        return self._numbers(f"split.{axis}", values, 0, self.extents[axis] - 1)

    def _window_splits(self) -> set[int]:
        """Blocks that a long window may be summed in: what the default takes, half of it, one."""
        most = self.window[1] if self.window else 1
        return {1, -(-most // 2), most}

    def _unrolls(self, axis: str) -> set[int]:
        extent = self.extents[axis]
        if axis in self.edged:
            return {extent}
        if self.window and axis == self.window[0]:
            return {1, *(size for size in self._window_splits() if size <= 8)}
        short = {extent} if extent <= 8 else set()
        small = {1} if extent <= 8 else set(UNROLLS)
        return {u for u in small | short if u <= extent}

    def _stores(self) -> tuple[str, ...]:
        made, form = self.made, self.form
        if form.lanes == 1 or made.output.coefficient(form.vector) in (0, 1):
            return ("direct",)
        turns = any(made.output.coefficient(a.name) == 1 for a in made.parallel)
        return ("transpose", "scatter") if turns else ("scatter",)

    def _positions(self) -> tuple[int, ...]:
        """Counts of loops that may be around a stage."""
        if self.is_tiny:
            return (0,)
        blocked = sum(len(self._blocks(axis)) > 1 for axis in self.parallel)
        tiled = sum(self._tiles(s) != {self.extents[a]} for s, a in enumerate(self.parallel))
        return tuple(range(blocked + tiled + 1))

    def _stages(
        self, needs: tuple[str, ...]
    ) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
        dims, axes = [], []
        for access, need in zip(self.made.inputs, needs, strict=True):
            kinds = [
                str(v) for v in self._allowed(f"stage.{access.operand}", self._kinds(access, need))
            ]
            has_dims = need in ("dims", "phases", "dims+axes")
            dims.append(self._positions() if has_dims else (NONE,))
            places: list[int] = []
            if "none" in kinds and need not in ("axes", "dims+axes"):
                places.append(NONE)
            if "once" in kinds:
                places.append(ONCE)
            if "axes" in kinds:
                places += self._positions()
            axes.append(tuple(places))
        return tuple(dims), tuple(axes)

    def _kinds(self, access: Access, need: str) -> tuple[str, ...]:
        """How an input may be packed on top of what it needs."""
        if access.operand in {opening.operand for opening in self.openings}:
            return ("none",)
        # Rounding to whole tiles at most doubles what is packed.
        size = 2 * prod(access.shape) * ITEM_BYTES[self.made.dtype]
        is_constant = access.operand == self.made.constant and not self.made.is_padded(access)
        if is_constant and size <= MAX_PACKED_BYTES:
            return ("once",) if need == "axes" else ("none", "once")
        if need in ("axes", "dims+axes"):
            return ("axes",)
        return ("none",) if need == "phases" else ("none", "axes")

    def _out(self, store: tuple[str, ...]) -> tuple[int, ...]:
        kinds = self._names("stage.out", ("none", "axes"))
        places: list[int] = [NONE] if "none" in kinds else []
        if "axes" in kinds and (self.window or not self.is_tiny):
            places += self._positions()
        return tuple(places)
