from __future__ import annotations

from autotune.ir.assemble import Choice, assemble, loops_of
from autotune.ir.schedule import Loop, Stage
from autotune.ops.base import contraction, parse_workload

MATMUL = contraction(parse_workload("matmul", "24x48x32"))
WEIGHT, X, OUT = Stage("weight", "axes", once=True), Stage("x", "axes"), Stage("out", "axes")


def choice(**changes):
    fields = {
        "vector": "n",
        "lanes": 8,
        "tile": {"m": 4, "n": 16},
        "block": {},
        "split": {},
        "outer": ("m", "n", "k"),
        "order": ("m", "n"),
        "inner": (("k", 4),),
        "stages": (),
    }
    return Choice(**{**fields, **changes})


def loops(**changes):
    return [(loop.axis, loop.step) for loop in loops_of(MATMUL, choice(**changes))]


def test_tile_loops_follow_their_order():
    assert loops() == [("m", 4), ("n", 16)]
    assert loops(order=("n", "m")) == [("n", 16), ("m", 4)]


def test_blocks_and_splits_come_first_in_their_order():
    given = {"block": {"m": 12, "n": 32}, "split": {"k": 8}, "outer": ("k", "n", "m")}
    assert loops(**given) == [("k", 8), ("n", 32), ("m", 12), ("m", 4), ("n", 16)]


def test_loops_that_would_do_nothing_are_left_out():
    assert loops(tile={"m": 24, "n": 48}) == []
    assert loops(block={"m": 24, "n": 0}) == [("m", 4), ("n", 16)]
    assert loops(block={"m": 4}) == [("m", 4), ("n", 16)]
    assert loops(split={"k": 32}) == loops(split={"k": 0}) == [("m", 4), ("n", 16)]


def test_equal_decisions_give_equal_schedules():
    first = assemble(MATMUL, choice(block={"m": 24, "n": 0}, split={"k": 0}))
    assert first == assemble(MATMUL, choice(outer=("n", "k", "m")))


def test_stages_stand_behind_as_many_loops_as_they_say():
    stages = ((WEIGHT, 0), (X, 1), (OUT, 2))
    nest = assemble(MATMUL, choice(stages=stages)).nests[0]
    assert nest.steps == (WEIGHT, Loop("m", 4), X, Loop("n", 16), OUT)


def test_stage_further_in_than_there_are_loops_is_innermost():
    nest = assemble(MATMUL, choice(stages=((X, 9),))).nests[0]
    assert nest.steps == (Loop("m", 4), Loop("n", 16), X)


def test_unrolls_are_clipped_to_what_a_split_leaves():
    nest = assemble(MATMUL, choice(inner=(("k", 16),), split={"k": 8})).nests[0]
    assert nest.inner == (("k", 8),)
    assert assemble(MATMUL, choice(split={"k": 1})).nests[0].inner == ()


def test_tasks_are_clipped_to_the_loops_that_can_be_spread():
    def spread(**changes):
        return assemble(MATMUL, choice(parallel=9, **changes)).parallel

    assert spread() == 2
    assert spread(stages=((X, 1),)) == 1
    assert spread(stages=((WEIGHT, 0), (X, 0))) == 2
    assert spread(stages=((OUT, 0),)) == 0
    assert spread(stages=((X, 0), (OUT, 0))) == 0
    assert spread(split={"k": 8}, outer=("k",)) == 0
    assert spread(block={"m": 12}, outer=("m",)) == 1
    assert assemble(MATMUL, choice(parallel=1)).parallel == 1
