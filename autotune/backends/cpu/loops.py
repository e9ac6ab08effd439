"""Loops over static regions: whole pieces in a loop, the remainder as one more instance."""

from __future__ import annotations

from collections.abc import Callable

from autotune.backends.cpu.emit import Emitter, Index
from autotune.ir.schedule import Loop


def for_region(
    emitter: Emitter,
    region: int,
    step: int,
    body: Callable[[Index, int], None],
    apart: tuple[int, int] = (0, 0),
) -> None:
    """Write `body(offset, size)` for every piece of a region: a loop, and the remainder.

    So many of the first and last whole rounds as `apart` says are written out at known offsets.
    """
    whole = region // step * step
    start, end = apart[0] * step, whole - apart[1] * step
    for offset in range(0, start, step):
        body(offset, step)
    if end - start > step:
        with emitter.loop(end, step, start) as i:
            body(i, step)
    elif end > start:
        body(start, step)
    for offset in range(end, whole, step):
        body(offset, step)
    if region > whole:
        body(whole, region - whole)


def for_squares(emitter: Emitter, region: int, body: Callable[[Index, int], None]) -> None:
    """Write `body(offset, size)` for pieces of one vector; the last one may overlap its neighbour.

    For copies, which may write an element twice: one body is written where `for_region` has two.
    """
    lanes = emitter.lanes
    if region <= lanes or region % lanes == 0:
        for_region(emitter, region, lanes, body)
        return
    last = region - lanes
    with emitter.loop(region, lanes) as i:
        is_over = emitter.op(f"icmp sgt i64 {i}, {last}")
        body(emitter.op(f"select i1 {is_over}, i64 {last}, i64 {i}"), lanes)


def split_task(
    emitter: Emitter, task: str, loops: tuple[Loop, ...], extents: list[int]
) -> list[Index]:
    """The indices of the parallel loops that a task's number stands for."""
    rest: Index = task
    indices: list[Index] = []
    for loop, extent in reversed(list(zip(loops, extents, strict=True))):
        count = -(-extent // loop.step)
        indices.append(emitter.op(f"urem i64 {rest}, {count}"))
        rest = emitter.op(f"udiv i64 {rest}, {count}")
    return indices[::-1]


def for_index(
    emitter: Emitter,
    index: Index,
    loop: Loop,
    extent: int,
    body: Callable[[Index, int], None],
    apart: tuple[int, int] = (0, 0),
) -> None:
    """Write `body(offset, size)` for the piece that a run-time index picks; see `for_region`."""
    step, whole = loop.step, extent // loop.step
    first, end = apart[0], whole - apart[1]
    alone = [(i, step) for i in (*range(first), *range(end, whole))]
    alone += [(whole, extent % step)] if extent % step else []
    if end > first:
        # From `first` on, as an unsigned number: what comes before it wraps around.
        inside: bool | str = True
        if alone:
            after = emitter.add(index, -first)
            inside = emitter.op(f"icmp ult i64 {after}, {end - first}")
        with emitter.when(inside):
            body(emitter.mul(index, step), step)
        if len(alone) == 1:
            with emitter.when(emitter.op(f"xor i1 {inside}, true")):
                body(alone[0][0] * step, alone[0][1])
            return
    for i, size in alone:
        with emitter.when(emitter.op(f"icmp eq i64 {index}, {i}")):
            body(i * step, size)
