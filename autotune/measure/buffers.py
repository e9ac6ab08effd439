"""Memory for a kernel's operands between guard zones that show writes outside of it.

Guard words are NaN in float32 and in float64, so that a read outside that reaches the result shows
there. A strict buffer ends right before an inaccessible page, so that any read or write past its
end is a fault.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autotune.pages import aligned_bytes

GUARD_BYTES = 4096
PAGE_BYTES = mmap.PAGESIZE
_GUARD_WORD = np.uint32(0xFFF1A5C3)


class GuardedBuffer:
    """`size_bytes` of memory between two guard zones of at least GUARD_BYTES."""

    def __init__(self, size_bytes: int, alignment: int = 64, is_strict: bool = False) -> None:
        """Allocate, with guard zones filled.

        Args:
            size_bytes: of the part that the kernel may use.
            alignment: of a strict buffer's first byte, a power of two up to the page size; others
                start on a cache line.
            is_strict: end at an inaccessible page, as closely as the alignment allows.
        """
        inside = round_up(size_bytes + GUARD_BYTES, PAGE_BYTES)
        if is_strict:
            whole = np.frombuffer(mmap.mmap(-1, inside + GUARD_BYTES), dtype=np.uint8)
            start = (inside - size_bytes) // alignment * alignment
            end_guard = inside
        else:
            whole = aligned_bytes(size_bytes + 2 * GUARD_BYTES, is_alone=True)
            start = GUARD_BYTES
            end_guard = start + size_bytes + GUARD_BYTES
        self.bytes: NDArray[np.uint8] = whole[start : start + size_bytes]
        self._front = whole[start - GUARD_BYTES : start]
        self._back = whole[start + size_bytes : end_guard]
        self.address = int(whole.ctypes.data) + start
        _fill(self._front)
        _fill(self._back)
        if is_strict:
            _forbid(int(whole.ctypes.data) + inside, whole.size - inside)

    def array(self, dtype: Any, shape: tuple[int, ...]) -> NDArray[Any]:
        """The memory as an array."""
        seen: NDArray[Any] = self.bytes.view(dtype).reshape(shape)
        return seen

    def poison(self) -> None:
        """Fill with NaN, whatever the element type; a kernel must write before it reads."""
        self.bytes.fill(0xFF)

    def is_intact(self) -> bool:
        """Whether both guard zones still hold their pattern."""
        return _is_filled(self._front) and _is_filled(self._back)


def round_up(value: int, step: int) -> int:
    """The least multiple of `step` that is no smaller."""
    return -(-value // step) * step


def _pattern(zone: NDArray[np.uint8]) -> NDArray[np.uint8]:
    words = np.full(zone.size // 4 + 1, _GUARD_WORD).view(np.uint8)
    return words[: zone.size]


def _fill(zone: NDArray[np.uint8]) -> None:
    zone[:] = _pattern(zone)


def _is_filled(zone: NDArray[np.uint8]) -> bool:
    return bool(np.array_equal(zone, _pattern(zone)))


def _forbid(address: int, size_bytes: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(size_bytes), 0) != 0:
        raise OSError(ctypes.get_errno(), "mprotect refused to forbid a guard page")


def same_bytes(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> bool:
    """Whether two equally long byte arrays hold the same, without a temporary array."""
    compare = ctypes.CDLL(None).memcmp
    pointers = (ctypes.c_void_p(a.ctypes.data), ctypes.c_void_p(b.ctypes.data))
    return bool(compare(*pointers, ctypes.c_size_t(a.size)) == 0)
