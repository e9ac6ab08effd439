"""Loops over static regions: whole pieces in a loop, the remainder as one more instance."""

from __future__ import annotations

from collections.abc import Callable

from autotune.backends.cpu.emit import Emitter, Index
from autotune.ir.schedule import Loop


def for_region(
    emitter: Emitter, region: int, step: int, body: Callable[[Index, int], None]
) -> None:
    """Write `body(offset, size)` for every piece of a region: a loop, and the remainder."""
    whole = region // step * step
    if whole > step:
        with emitter.loop(whole, step) as i:
            body(i, step)
    elif whole:
        body(0, step)
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
    emitter: Emitter, index: Index, loop: Loop, extent: int, body: Callable[[Index, int], None]
) -> None:
    """Write `body(offset, size)` for the piece that a run-time index picks."""
    whole, left = extent // loop.step, extent % loop.step
    if not left:
        body(emitter.mul(index, loop.step), loop.step)
        return
    is_whole = emitter.op(f"icmp ult i64 {index}, {whole}")
    with emitter.when(is_whole):
        body(emitter.mul(index, loop.step), loop.step)
    with emitter.when(emitter.op(f"xor i1 {is_whole}, true")):
        body(whole * loop.step, left)
