"""The schedule of a workload that nobody tuned: the best of a few hundred by an analytic bound.

The bound counts, for one core, multiply-adds with their wasted lanes and remainders, loads, the
latency of short register tiles, packing and stores. Standard library only: a lookup must not load
NumPy to answer a miss.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from math import prod

from autotune.errors import ScheduleError
from autotune.ir.algorithm import LANE, PART
from autotune.ir.assemble import Choice, assemble
from autotune.ir.contraction import ITEM_BYTES, Access, Contraction, fuse
from autotune.ir.edges import PAIR, Opening, open_dimensions
from autotune.ir.legal import violation
from autotune.ir.schedule import Schedule, Stage
from autotune.targets.base import Target

LATENCY = 8
"""Multiply-adds in flight that keep a core busy: latency 4 times two pipes."""
LOAD_WORK = 1.1
"""Of a load, in multiply-adds: about as many can begin in a cycle. Source: tiles of one vector by 8
to 12 rows ran at 0.5 to 0.8 of those of 2 by 6 and 3 by 4, AVX2, 2026-12-01."""
TILE_CYCLES = 20
"""What a register tile costs beside its multiply-adds: loop, addresses, first loads."""
MOST_ALIGNED_ROWS, CONFLICT = 8, 1.2
"""More rows than cache ways, a multiple of 1 KB apart, evict each other. Source: register tiles of
14x2 against 8x3, 7x4 and 6x4 vectors, interleaved, 2026-11-30: 1.02 behind on 512 cubed, 1.36 on
1024 cubed."""
SHORT_REDUCTION = 32
"""Up to here (depthwise) the whole reduction is unrolled, so that rows share their loads."""
MAX_WINDOW = 32
"""Taps of a window that one running sum may take."""
PLAIN_SPLIT = 1024
MAX_PHASES = 4
MOST_VECTORS, MOST_ROWS = 4, 14
MOST_TRIED = 64


@dataclass(frozen=True)
class Form:
    """How a contraction is looked at: its fused axes, the vector axis and the lanes."""

    fuse: tuple[tuple[str, ...], ...]
    contraction: Contraction
    vector: str
    lanes: int
    in_place: bool = False
    """Nothing is staged for padding or rows of step 2: edges are written apart (see `edges`)."""


def forms(contraction: Contraction, target: Target) -> list[Form]:
    """Every way to fuse neighbouring parallel axes and to pick a vector axis, widest lanes first.

    A form is listed only where each operand can be read along the vector axis, directly or staged.
    """
    item = ITEM_BYTES[contraction.dtype]
    most = max(1, target.vector_bytes // item)
    found = []
    for groups, fused in _fusions(contraction):
        axes = fused.parallel or tuple(a for a in fused.axes if a.kind == "parallel")[:1]
        for axis in axes:
            lanes = most
            while lanes // 2 >= axis.extent:
                lanes //= 2
            form = Form(groups, fused, axis.name, lanes)
            found += [form, *_in_place(form)]
    return found


def _in_place(form: Form) -> list[Form]:
    """The form without stages, where that spares some and the edges are cheap to write apart.

    A long sum reads each row so often that to stage it once costs little.
    """
    made, kinds = form.contraction, form.contraction.by_name
    staged = [a for a in made.inputs if _need(form, a) in ("dims", "phases")]
    moving = [access for access in made.inputs if access.coefficient(form.vector)]
    if not staged or prod(axis.extent for axis in made.reduction) > SHORT_REDUCTION:
        return []
    for access in staged:
        phases = access.coefficient(form.vector) if _need(form, access) == "phases" else 0
        if phases and (phases != PAIR or len(moving) > 1):
            return []
    for opening in open_in_place(replace(form, in_place=True)):
        if sum(kinds[axis].kind == "parallel" for axis, _ in opening.affine.terms) > 1:
            return []
    return [replace(form, in_place=True)]


def open_in_place(form: Form) -> list[Opening]:
    """The open dimensions of what a form reads in place."""
    if not form.in_place:
        return []
    made = form.contraction
    read = [a for a in made.inputs if _need(form, a) in ("dims", "phases")]
    return [
        opening
        for access in read
        for opening in open_dimensions(made, access, _need(form, access) == "phases")
    ]


def _fusions(
    contraction: Contraction,
) -> Iterator[tuple[tuple[tuple[str, ...], ...], Contraction]]:
    """The contraction itself, and with each run of neighbouring parallel axes merged."""
    yield (), contraction
    names = [axis.name for axis in contraction.parallel]
    for first in range(len(names)):
        for last in range(first + 2, len(names) + 1):
            group = tuple(names[first:last])
            try:
                yield (group,), fuse(contraction, group)
            except ScheduleError:
                break


def long_window(contraction: Contraction) -> tuple[str, int] | None:
    """The window axis to split, and its step, where a window is too long for one running sum.

    Tolerances follow the channels of a convolution, not its window: up to 5x5 one sum per output
    keeps well within them, 7x7 does not. Sums of at most MAX_WINDOW taps, added up, do.
    """
    kinds = contraction.by_name
    taps: dict[str, int] = {}
    for access in contraction.inputs:
        for affine in access.index:
            names = [name for name, _ in affine.terms]
            # Parts of one reduction lie beside each other, but are no window over the input.
            around = [name for name in names if name not in (PART, LANE)]
            if any(kinds[name].kind == "parallel" for name in around):
                taps |= {n: kinds[n].extent for n in names if kinds[n].kind == "reduction"}
    if prod(taps.values()) <= MAX_WINDOW:
        return None
    axis = max(taps, key=lambda name: taps[name])
    most = max(1, MAX_WINDOW * taps[axis] // prod(taps.values()))
    # Blocks that divide the axis spare a second copy of the code.
    even = max(step for step in range(1, most + 1) if taps[axis] % step == 0)
    step = even if 2 * even > most else most
    return (axis, step) if step < taps[axis] else None


def needs_stage(form: Form, access: Access) -> str:
    """How an input must be staged to be read along the vector axis: '', dims, phases or axes."""
    need = _need(form, access)
    return "" if form.in_place and need in ("dims", "phases") else need


def _need(form: Form, access: Access) -> str:
    made = form.contraction
    step = access.coefficient(form.vector)
    is_padded = made.is_padded(access)
    if form.lanes == 1 or step in (0, 1):
        return "dims" if is_padded else ""
    row = access.index[-1]
    in_row = row.coefficient(form.vector)
    odd = [a for a, c in row.terms if c % in_row] if in_row else []
    kinds = made.by_name
    if step == in_row <= MAX_PHASES and all(kinds[a].kind == "reduction" for a in odd):
        return "phases"
    return "dims+axes" if is_padded else "axes"


@lru_cache(maxsize=1024)
def default_schedule(contraction: Contraction, target: Target) -> Schedule:
    """The legal schedule with the lowest bound; always exists."""
    for form, choice in islice(plain_choices(contraction, target), MOST_TRIED):
        schedule = assemble(form.contraction, choice)
        if violation(contraction, schedule, target) is None:
            return schedule
    schedule = _plain(contraction, target)
    reason = violation(contraction, schedule, target)
    if reason:
        raise ScheduleError(f"no default schedule: {reason}")
    return schedule


def plain_choices(contraction: Contraction, target: Target) -> Iterator[tuple[Form, Choice]]:
    """Every choice without blocks or splits that the default is taken from, lowest bound first."""
    candidates = [
        (_bound(form, tile, row, target), index, form, tile)
        for index, form in enumerate(forms(contraction, target))
        for tile, row in _tiles(form, target)
    ]
    candidates.sort(key=lambda entry: entry[:2])
    for _, _, form, tile in candidates:
        yield form, _choice(form, tile, target)


def _tiles(form: Form, target: Target) -> Iterator[tuple[dict[str, int], str]]:
    """Register tiles: some vectors along the vector axis times some rows of one other axis."""
    made, vector = form.contraction, form.vector
    extent = made.extents[vector]
    others = [axis for axis in made.parallel if axis.name != vector]
    most = max(1, target.vector_registers - 4)
    if prod(axis.extent for axis in made.reduction) <= SHORT_REDUCTION:
        most = min(most, 8)
    for vectors in range(1, MOST_VECTORS + 1):
        width = min(extent, vectors * form.lanes)
        base = {axis.name: 1 for axis in made.parallel} | {vector: width}
        yield base, ""
        for axis in others:
            for rows in range(2, min(axis.extent, MOST_ROWS) + 1):
                if rows * vectors <= most:
                    yield base | {axis.name: rows}, axis.name
        if width == extent:
            break


def _sizes(extent: int, tile: int) -> list[tuple[int, int]]:
    """(size, count) of the tiles that cover an axis."""
    whole, left = divmod(extent, tile)
    return [(tile, whole)] * bool(whole) + [(left, 1)] * bool(left)


def _bound(form: Form, tile: Mapping[str, int], row: str, target: Target) -> float:
    """Cycles of one core for the whole contraction, at least."""
    made, vector, lanes = form.contraction, form.vector, form.lanes
    reduction = prod(axis.extent for axis in made.reduction)
    others = prod(a.extent for a in made.parallel if a.name not in (vector, row))
    wide = target.vector_bytes // ITEM_BYTES[made.dtype]
    cycles = 0.0
    for width, columns in _sizes(made.extents[vector], tile[vector]):
        vectors = -(-width // lanes)
        for height, count in _sizes(made.extents[row], tile[row]) if row else [(1, 1)]:
            loads = sum(_loads(a, vector, row, vectors, height) for a in made.inputs)
            # Two pipes of half a wide vector each: narrow vectors go two to a cycle.
            work = vectors * height * max(0.5, lanes / wide)
            body = max(work, loads * LOAD_WORK, LATENCY)
            body *= CONFLICT if height > MOST_ALIGNED_ROWS and _conflicts(form, row) else 1.0
            cycles += others * columns * count * (reduction * body + TILE_CYCLES)
    cycles += sum(_stage_cycles(form, access) for access in made.inputs)
    return cycles + prod(a.extent for a in made.parallel) * _store_cycles(form, tile)


def _conflicts(form: Form, row: str) -> bool:
    """Whether rows of an operand that is read unpacked start in the same few cache sets."""
    made = form.contraction
    item = ITEM_BYTES[made.dtype]
    steps = [
        access.coefficient(row) * item
        for access in made.inputs
        if access.operand != made.constant and not needs_stage(form, access)
    ]
    return any(step and step % 1024 == 0 for step in steps)


def _store_cycles(form: Form, tile: Mapping[str, int]) -> float:
    """Cycles to store one element: whole vectors, squares turned in registers, or lane by lane."""
    made, lanes = form.contraction, form.lanes
    if lanes == 1 or made.output.coefficient(form.vector) == 1:
        return 1.5 / lanes
    rows = [a.name for a in made.parallel if made.output.coefficient(a.name) == 1]
    if not rows:
        return 2.0
    size = tile[rows[0]]
    return 0.5 * -(-size // lanes) * lanes / size


def _loads(access: Access, vector: str, row: str, vectors: int, height: int) -> int:
    axes = access.axes
    along = 1
    if vector in axes:
        along = vectors * (PAIR if access.coefficient(vector) == PAIR else 1)
    return along * (height if row and row in axes else 1)


def _stage_cycles(form: Form, access: Access) -> float:
    need = needs_stage(form, access)
    if access.operand == form.contraction.constant and need in ("axes", ""):
        return 0.0
    elements = prod(access.shape)
    return elements * {"": 0.0, "dims": 0.15, "phases": 0.25}.get(need, 1.0)


def _choice(form: Form, tile: Mapping[str, int], target: Target) -> Choice:
    made, vector = form.contraction, form.vector
    accumulators = prod(-(-t // form.lanes) if a == vector else t for a, t in tile.items())
    stages: list[tuple[Stage, int]] = []
    order, depth = _order(form, tile, target)
    window = long_window(made)
    tile = {**tile, window[0]: window[1]} if window else tile
    for access in made.inputs:
        stages += _stages(form, access, depth)
    step = made.output.coefficient(vector)
    store = "direct"
    if form.lanes > 1 and made.extents[vector] > 1 and step != 1:
        turns = any(made.output.coefficient(a.name) == 1 for a in made.parallel)
        store = "transpose" if turns else "scatter"
    if window:
        if store != "direct":
            stages.insert(0, (Stage(made.output.operand, "axes"), len(order)))
        order = [*order, window[0]]
    return Choice(
        vector=vector,
        lanes=form.lanes,
        tile=tile,
        block={},
        split={},
        outer=(),
        order=tuple(order),
        inner=_inner(form, tile, accumulators, window),
        stages=tuple(stages),
        store=store,
        fuse=form.fuse,
        parallel=len(order) if target.threads > 1 else 0,
    )


def _order(form: Form, tile: Mapping[str, int], target: Target) -> tuple[list[str], int]:
    """Order of the tile loops, and how many of them are around the stages.

    Axes that every input has (batch, groups) come first, with the stages inside them. Then the
    vector axis, so that its panel stays in cache while the rows pass; a staged operand that
    overflows the L2 cache is staged a slab at a time instead, its outermost axis outside.
    """
    made, vector = form.contraction, form.vector
    names = [axis.name for axis in made.parallel]
    shared = [n for n in names if n != vector and all(n in a.axes for a in made.inputs)]
    others = [n for n in names if n != vector and n not in shared]
    inside = prod(made.extents[name] for name in shared)
    limit = target.l2_bytes * inside // ITEM_BYTES[made.dtype]
    large = [a for a in made.inputs if needs_stage(form, a) and prod(a.shape) > limit]
    depth = sum(tile[name] < made.extents[name] for name in shared)
    for slab in others:
        if tile[slab] < made.extents[slab] and any(slab in access.axes for access in large):
            return [*shared, slab, vector, *(n for n in others if n != slab)], depth + 1
    return [*shared, vector, *others], depth


def _stages(form: Form, access: Access, depth: int) -> list[tuple[Stage, int]]:
    made, name = form.contraction, access.operand
    need = needs_stage(form, access)
    if name == made.constant and not made.is_padded(access):
        return [(Stage(name, "axes", once=True), 0)]
    staged: list[tuple[Stage, int]] = []
    if need in ("dims", "dims+axes"):
        staged.append((Stage(name, "dims"), depth))
    if need == "phases":
        staged.append((Stage(name, "dims", phases=True), depth))
    if need in ("axes", "dims+axes"):
        staged.append((Stage(name, "axes"), depth))
    return staged


def _inner(
    form: Form, tile: Mapping[str, int], accumulators: int, window: tuple[str, int] | None
) -> tuple[tuple[str, int], ...]:
    """Unrolling: short axes in full, the innermost long one four times, within a budget."""
    made = form.contraction
    extents = {**made.extents, **(dict([window]) if window else {})}
    budget = max(1, 384 // accumulators)
    factors: dict[str, int] = {}
    axes = [axis.name for axis in made.reduction]
    if prod(axis.extent for axis in made.reduction) <= SHORT_REDUCTION:
        # Innermost those along which the rows of the tile share what they read.
        axes.sort(key=lambda name: _is_shared(form, name, tile))
    for position, name in enumerate(reversed(axes)):
        extent = extents[name]
        short = extent <= 8
        unroll = extent if short else 1
        if position == 0 and not short:
            unroll = 4
        # Axes that pick a phase must be unrolled; they are short, and come first here.
        factors[name] = unroll if unroll <= budget else 1
        budget //= factors[name]
    return tuple((name, min(factors[name], extents[name])) for name in axes)


def _is_shared(form: Form, axis: str, tile: Mapping[str, int]) -> bool:
    """Whether neighbours along a row of the tile read the same elements at another `axis`."""
    rows = {name for name, size in tile.items() if size > 1 and name != form.vector}
    return any(
        affine.coefficient(axis) and rows & {name for name, _ in affine.terms}
        for access in form.contraction.inputs
        for affine in access.index
    )


def _plain(contraction: Contraction, target: Target) -> Schedule:
    """The simplest schedule that any contraction has: one lane, one element at a time.

    Padding is staged inside all loops, and a reduction too long for that is split.
    """
    parallel = tuple(axis.name for axis in contraction.parallel)
    vector = next(a.name for a in contraction.axes if a.kind == "parallel")
    padded = [a for a in contraction.inputs if contraction.is_padded(a)]
    split = {a.name: PLAIN_SPLIT for a in contraction.reduction if a.extent > PLAIN_SPLIT}
    choice = Choice(
        vector=vector,
        lanes=1,
        tile=dict.fromkeys(parallel, 1),
        block={},
        split=split if padded else {},
        outer=tuple(split),
        order=parallel,
        inner=tuple((axis.name, 1) for axis in contraction.reduction),
        stages=tuple((Stage(a.operand, "dims"), len(parallel) + len(split)) for a in padded),
        parallel=0,
    )
    return assemble(contraction, choice)
