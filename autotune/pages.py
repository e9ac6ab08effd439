"""Memory for kernels, placed in the same way wherever they run.

Which cache sets a buffer occupies is decided by its physical pages. Small pages come in any order,
so that the same kernel on the same data runs at another speed each time memory is allocated; those
of a huge page lie in a row.
"""

from __future__ import annotations

import mmap
import threading

import numpy as np
from numpy.typing import NDArray

LINE_BYTES, PAGE_BYTES, HUGE_PAGE_BYTES = 64, 4096, 2 << 20
HUGE_FROM_BYTES = 32 << 10
"""Smaller buffers fit a level-1 cache, whose sets do not depend on the pages.

Copies of one kernel of C6 in one process differed by up to 9% before code and data had set places,
and by 1.4 and 2.3% with huge pages; what those alone contribute was not measured.
"""


class _Shared:
    """Buffers cut one after the other from a huge page, which lives as long as one of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left: NDArray[np.uint8] = np.empty(0, np.uint8)

    def cut(self, size: int) -> NDArray[np.uint8]:
        """The next `size` bytes, from a whole small page on."""
        whole = -(-size // PAGE_BYTES) * PAGE_BYTES
        with self._lock:
            if self._left.size < whole:
                self._left = _mapped(HUGE_PAGE_BYTES)
            taken, self._left = self._left[:size], self._left[whole:]
        return taken


_SHARED = _Shared()


def aligned_bytes(size: int, is_alone: bool = False) -> NDArray[np.uint8]:
    """A byte buffer that starts on a cache line; in huge pages where it pays and there are any.

    Args:
        size: in bytes.
        is_alone: in huge pages of its own, at their very start: at the same place each time, for
            2 MiB however small it is.
    """
    if size < HUGE_FROM_BYTES or not hasattr(mmap, "MADV_HUGEPAGE"):
        return _aligned(np.empty(size + LINE_BYTES, np.uint8), LINE_BYTES, size)
    is_shared = size <= HUGE_PAGE_BYTES // 2 and not is_alone
    return _SHARED.cut(size) if is_shared else _mapped(size)


def _mapped(size: int) -> NDArray[np.uint8]:
    # Private: forked processes must not share a workspace, and shared memory is seldom huge.
    memory = mmap.mmap(-1, size + HUGE_PAGE_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_HUGEPAGE)
    return _aligned(np.frombuffer(memory, np.uint8), HUGE_PAGE_BYTES, size)


def _aligned(raw: NDArray[np.uint8], alignment: int, size: int) -> NDArray[np.uint8]:
    start = -raw.ctypes.data % alignment
    return raw[start : start + size]
