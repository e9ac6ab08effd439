"""Calls a kernel on one copy of its operands after the other, so that none is in the caches.

For the cache policy `rotating`: the copies are together larger than the last-level cache, and all
are made before the first slice, so that a slice times calls and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from autotune.measure.buffers import PAGE_BYTES, round_up
from autotune.measure.toolchain import Bound, Loaded, Toolchain

if TYPE_CHECKING:
    from autotune.backends.base import Artifact

MAX_COPIES = 4096
"""Operands of less than a few kilobytes stay in the caches all the same."""
_STAGGER_BYTES = 64
"""Copies begin on different cache sets, as the buffers of a network do."""


def copies_of(operand_bytes: int, cache_bytes: int) -> int:
    """How many copies of the operands, one being used, push all the others out of the cache."""
    return min(MAX_COPIES, -(-cache_bytes // max(operand_bytes, 1)) + 1)


class Rotation:
    """A kernel bound to many copies of its operands; `repeat` goes round."""

    def __init__(
        self,
        tools: Toolchain,
        artifact: Artifact,
        loaded: Loaded,
        copies: Mapping[str, Sequence[NDArray[Any]]],
        workspace: NDArray[np.uint8],
    ) -> None:
        """Bind to each set of copies.

        Args:
            tools: to bind with.
            artifact: what was built.
            loaded: its code in this process.
            copies: of every operand as the kernel wants it, by name; as many of each.
            workspace: shared by all copies, as one thread's calls share it.
        """
        sets = (
            dict(zip(copies, arrays, strict=True)) for arrays in zip(*copies.values(), strict=True)
        )
        self._bound: list[Bound] = [
            tools.bind(artifact, loaded, arrays, workspace) for arrays in sets
        ]
        self._next = 0

    def repeat(self, count: int) -> None:
        """Call the kernel `count` times, each time on the next copy."""
        bound, start = self._bound, self._next
        for i in range(start, start + count):
            bound[i % len(bound)].run()
        self._next = (start + count) % len(bound)


def copies_in_a_row(array: NDArray[Any], count: int) -> list[NDArray[Any]]:
    """Copies on cache lines, in one piece of memory."""
    stride = round_up(array.nbytes, PAGE_BYTES) + _STAGGER_BYTES
    whole = np.empty(count * stride + PAGE_BYTES, np.uint8)
    first = -whole.ctypes.data % PAGE_BYTES
    raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    made = []
    for i in range(count):
        place = whole[first + i * stride : first + i * stride + array.nbytes]
        place[:] = raw
        made.append(place.view(array.dtype).reshape(array.shape))
    return made
