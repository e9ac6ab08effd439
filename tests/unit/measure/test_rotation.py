"""Copies of operands: how many, how placed, and that a slice goes round all of them."""

from __future__ import annotations

import types
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from autotune.measure.check import Operands, make_inputs
from autotune.measure.rotation import MAX_COPIES, Rotation, copies_in_a_row, copies_of
from autotune.ops.base import parse_workload


@pytest.mark.parametrize(
    ("operand_bytes", "cache_bytes", "count"),
    [(1 << 20, 32 << 20, 33), (100, 250, 4), (64 << 20, 32 << 20, 2), (1, 1 << 40, MAX_COPIES)],
)
def test_copies_in_use_between_two_uses_of_one_exceed_the_cache(
    operand_bytes: int, cache_bytes: int, count: int
) -> None:
    assert copies_of(operand_bytes, cache_bytes) == count
    if count < MAX_COPIES:
        assert (count - 1) * operand_bytes >= cache_bytes


def test_repeat_goes_round_equal_copies_in_memory_of_their_own() -> None:
    seen: list[int] = []
    made: list[dict[str, Any]] = []

    def bind(artifact: object, loaded: object, arrays: dict[str, Any], workspace: Any) -> Any:
        made.append(arrays)
        number = len(made) - 1
        return types.SimpleNamespace(run=lambda: seen.append(number))

    tools = types.SimpleNamespace(bind=bind)
    arrays = {"x": np.arange(10.0), "out": np.zeros((3, 5), np.float32)}
    copies = {name: copies_in_a_row(array, 5) for name, array in arrays.items()}
    rotation = Rotation(tools, None, None, copies, np.empty(0, np.uint8))  # type: ignore[arg-type]
    assert len(made) == 5
    rotation.repeat(7)
    rotation.repeat(2)
    assert seen == [0, 1, 2, 3, 4, 0, 1, 2, 3]
    for copy in made:
        for name, array in arrays.items():
            assert np.array_equal(copy[name], array)
            assert copy[name].dtype == array.dtype
            assert copy[name].ctypes.data % 64 == 0
    spans = sorted((c["x"].ctypes.data, c["x"].ctypes.data + 80) for c in made)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


def test_plain_operands_are_copied_once_and_packed_ones_for_each_candidate() -> None:
    workload = parse_workload("matmul", "8x8x8")
    operands = Operands(workload, make_inputs(workload, 0))
    cache_bytes = 4000
    plain = operands.arrays["x"]
    first = operands.copies("x", plain, cache_bytes)
    assert len(first) == copies_of(3 * 8 * 8 * 4, cache_bytes)
    assert operands.copies("x", plain, cache_bytes) is first
    packed = plain.copy()
    assert operands.copies("x", packed, cache_bytes) is not operands.copies(
        "x", packed, cache_bytes
    )
    assert len(operands.copies("x", packed, cache_bytes)) == len(first)
