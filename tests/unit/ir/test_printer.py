"""What the printed nests leave open; the nests of all kernels are kept in tests/golden."""

from __future__ import annotations

import pytest

from autotune.errors import ScheduleError
from autotune.ir.printer import show
from autotune.ir.schedule import Group, Loop, Nest, Schedule
from autotune.ops.base import contraction, parse_workload

MATMUL = contraction(parse_workload("matmul", "12x16x8,bias=1,residual=1,act=silu"))
FIRST = Nest((Loop("part", 1), Loop("m", 1)), "n", 8, (("k", 1),))
SECOND = Nest((Loop("m", 1),), "n", 8, (("part", 2),))


def test_schedule_that_denotes_nothing_is_refused():
    with pytest.raises(ScheduleError, match="loop over unknown axis"):
        show(MATMUL, Schedule((Nest((Loop("q", 1),), "n", 8, (("k", 1),)),)))


def test_only_as_many_loops_are_parallel_as_the_schedule_says():
    nest = Nest((Loop("m", 4), Loop("n", 8)), "n", 8, (("k", 1),))
    for parallel in (0, 1, 2):
        text = show(MATMUL, Schedule((nest,), parallel=parallel))
        assert text.count("parallel for") == parallel


def test_each_part_has_parallel_loops_of_its_own():
    schedule = Schedule((FIRST, SECOND), "partial2").spread_over([2, 1])
    assert show(MATMUL, schedule).count("parallel for") == 3


def test_groups_indent_their_nests_and_keep_their_order():
    inner = Group((Loop("n", 8),), (FIRST, SECOND))
    text = show(MATMUL, Schedule((Group((Loop("m", 4),), (inner,)),), "partial2", parallel=1))
    lines = text.splitlines()
    assert lines[:2] == ["parallel for m by 4:", "  for n by 8:"]
    assert all(line.startswith("    ") for line in lines[2:])
    assert text.index("partial[part, m, n] += x") < text.index("out[m, n] += partial")


def test_tail_is_told_where_it_is_done():
    text = show(MATMUL, Schedule((FIRST, SECOND), "partial2"))
    stores = [line.strip() for line in text.splitlines() if "store" in line]
    assert stores == ["store direct", "store direct + bias + residual, silu"]


def test_text_ends_with_one_newline():
    text = show(MATMUL, Schedule((FIRST, SECOND), "partial2"))
    assert text.endswith("silu\n")
    assert "\n\n" not in text
