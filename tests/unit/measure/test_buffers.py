"""Guard zones notice every byte written outside; placement and poison are as promised."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from autotune.measure.buffers import GUARD_BYTES, GuardedBuffer, same_bytes


@pytest.mark.parametrize("is_strict", [False, True])
@pytest.mark.parametrize("size_bytes", [0, 4, 676, 4096, 4100])
def test_fresh_buffer_is_intact_and_aligned(size_bytes: int, is_strict: bool) -> None:
    buffer = GuardedBuffer(size_bytes, 4 if is_strict else 64, is_strict)
    buffer.poison()
    assert buffer.is_intact()
    assert buffer.bytes.size == size_bytes
    assert buffer.address % (4 if is_strict else 64) == 0
    if is_strict:
        assert (buffer.address + size_bytes) % 4096 == 0


@pytest.mark.parametrize("is_strict", [False, True])
@pytest.mark.parametrize("offset", [-GUARD_BYTES, -5, -1])
def test_write_before_the_start_is_seen(offset: int, is_strict: bool) -> None:
    buffer = GuardedBuffer(100, 4, is_strict)
    ctypes.memset(buffer.address + offset, 0, 1)
    assert not buffer.is_intact()


@pytest.mark.parametrize("offset", [0, 1, GUARD_BYTES - 1])
def test_write_after_the_end_is_seen(offset: int) -> None:
    buffer = GuardedBuffer(100)
    ctypes.memset(buffer.address + 100 + offset, 0, 1)
    assert not buffer.is_intact()


def test_strict_buffer_guards_the_gap_that_alignment_leaves() -> None:
    buffer = GuardedBuffer(100, 64, is_strict=True)
    assert buffer.address % 64 == 0
    ctypes.memset(buffer.address + 100, 0, 1)
    assert not buffer.is_intact()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_poison_and_guards_read_as_nan(dtype: str) -> None:
    buffer = GuardedBuffer(64)
    buffer.poison()
    assert np.isnan(buffer.array(dtype, (-1,))).all()
    beyond = (ctypes.c_char * 64).from_address(buffer.address + 64)
    assert np.isnan(np.frombuffer(beyond, dtype)).all()


def test_same_bytes_sees_one_changed_byte() -> None:
    a = np.arange(1000, dtype=np.uint8)
    b = a.copy()
    assert same_bytes(a, b)
    b[999] += 1
    assert not same_bytes(a, b)
