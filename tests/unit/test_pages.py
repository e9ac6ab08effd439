"""Buffers for kernels start where their cache sets are known."""

from __future__ import annotations

import mmap
import os

import numpy as np
import pytest

from autotune.pages import HUGE_FROM_BYTES, HUGE_PAGE_BYTES, PAGE_BYTES, aligned_bytes


@pytest.mark.parametrize("size", [1, 63, 64, 4097, HUGE_FROM_BYTES - 1])
def test_small_buffer_starts_on_a_cache_line(size: int) -> None:
    buffer = aligned_bytes(size)
    assert (buffer.size, buffer.ctypes.data % 64) == (size, 0)


def test_buffers_of_medium_size_share_huge_pages_but_no_byte() -> None:
    sizes = [HUGE_FROM_BYTES, HUGE_PAGE_BYTES // 2, HUGE_FROM_BYTES + 1, 700_001, 900_000, 50_000]
    buffers = [aligned_bytes(size) for size in sizes]
    for number, (buffer, size) in enumerate(zip(buffers, sizes, strict=True)):
        assert (buffer.size, buffer.ctypes.data % PAGE_BYTES) == (size, 0)
        buffer[:] = number
        first, last = buffer.ctypes.data, buffer.ctypes.data + size - 1
        assert first // HUGE_PAGE_BYTES == last // HUGE_PAGE_BYTES
    assert all(np.all(buffer == number) for number, buffer in enumerate(buffers))


@pytest.mark.parametrize("size", [HUGE_PAGE_BYTES // 2 + 1, 3 * HUGE_PAGE_BYTES + 5])
def test_large_buffer_starts_on_a_huge_page_and_can_be_written(size: int) -> None:
    buffer = aligned_bytes(size)
    assert (buffer.size, buffer.ctypes.data % HUGE_PAGE_BYTES) == (size, 0)
    buffer[:] = 7
    assert buffer[0] == buffer[-1] == 7


@pytest.mark.parametrize("size", [HUGE_FROM_BYTES, 100_000])
def test_buffer_alone_starts_on_a_huge_page_whatever_its_size(size: int) -> None:
    buffers = [aligned_bytes(size, is_alone=True) for _ in range(3)]
    assert [buffer.ctypes.data % HUGE_PAGE_BYTES for buffer in buffers] == [0, 0, 0]
    assert all(buffer.size == size for buffer in buffers)


def test_forked_process_has_buffers_of_its_own() -> None:
    buffers = [aligned_bytes(size) for size in (HUGE_FROM_BYTES, 2 * HUGE_PAGE_BYTES)]
    child = os.fork()
    if not child:
        for buffer in buffers:
            buffer[:] = 9
        os._exit(0)
    os.waitpid(child, 0)
    assert not any(buffer.any() for buffer in buffers)


def test_where_there_are_no_huge_pages_a_cache_line_will_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(mmap, "MADV_HUGEPAGE", raising=False)
    buffer = aligned_bytes(HUGE_FROM_BYTES)
    assert (buffer.size, buffer.ctypes.data % 64) == (HUGE_FROM_BYTES, 0)
