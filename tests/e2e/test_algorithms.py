"""Programs of several nests: a reduction cut into parts, Winograd, stages of stages."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from autotune.ir.legal import violation
from autotune.ir.schedule import Group, Loop, Nest, Part, Schedule, Stage, Step
from autotune.measure.check import check_candidate
from autotune.ops.base import contraction, parse_workload
from autotune.space import generate
from autotune.targets.base import Target
from autotune.targets.detect import host, resolve
from autotune.trial import Tolerance, Workload

V3 = resolve("x86-64-v3")
needs_v3 = pytest.mark.isa("avx2", "fma")


def check(workload: Workload, schedule: Schedule, target: Target = V3) -> None:
    """The schedule is legal, right, and writes nothing but its output."""
    assert violation(contraction(workload), schedule, target) is None
    assert check_candidate(workload, schedule, target) <= workload.tolerance


def _nest(*steps: Step, inner: str, vector: str = "n", fuse: tuple[str, ...] = ()) -> Nest:
    return Nest(steps, vector, 8, ((inner, 1),), fuse=(fuse,) if fuse else ())


_FIRST = _nest(Loop("part", 1), Loop("m", 1), Loop("n", 8), inner="k")
_SECOND = _nest(Loop("m", 1), Loop("n", 8), inner="part")
_FUSED = _nest(Loop("m.n", 8), inner="part", vector="m.n", fuse=("m", "n"))
_PACKED = _nest(Stage("weight", "axes", once=True), Loop("part", 1), Loop("m", 1), inner="k")
_WITHIN = _nest(Loop("m", 1), inner="part")
_STAGED = _nest(Stage("partial", "dims"), Loop("m", 1), Loop("n", 8), inner="part")

PROGRAMS: dict[str, tuple[Part, ...]] = {
    "plain": (_FIRST, _SECOND),
    "fused over a temporary": (_FIRST, _FUSED),
    "packed once inside a group": (Group((Loop("n", 8),), (_PACKED, _WITHIN)),),
    "temporary staged inside a group": (Group((Loop("m", 2),), (_FIRST, _STAGED)),),
}


@needs_v3
@pytest.mark.parametrize("parts", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_program_of_two_nests_is_refused_or_right(parts: tuple[Part, ...]) -> None:
    workload, schedule = parse_workload("matmul", "8x16x8"), Schedule(parts, "partial2")
    if violation(contraction(workload), schedule, V3) is None:
        check(workload, schedule)


_SHARED = (Loop("m", 4), Loop("n", 16))
_PARTS_INSIDE = (
    Nest((Loop("part", 1), Loop("m", 2)), "n", 8, (("k", 2),)),
    Nest((Loop("m", 2),), "n", 8, (("part", 1),)),
)
CUT: dict[str, tuple[Part, ...]] = {
    "side by side": (
        Nest((Loop("part", 1), Loop("m", 3), Loop("n", 16)), "n", 8, (("k", 2),)),
        Nest((Loop("m", 1), Loop("n", 8)), "n", 8, (("part", 2),)),
    ),
    "under one group": (Group(_SHARED, _PARTS_INSIDE),),
    "under two groups": (Group(_SHARED[:1], (Group(_SHARED[1:], _PARTS_INSIDE),)),),
    "a group around one": (
        Group(
            _SHARED[:1],
            (Nest((Loop("part", 1), Loop("m", 2), Loop("n", 16)), "n", 8, (("k", 3),)),),
        ),
        Nest((Loop("m", 1), Loop("n", 8)), "n", 8, (("part", 1),)),
    ),
}


@needs_v3
@pytest.mark.parametrize("count", [2, 3, 12])
@pytest.mark.parametrize("parts", CUT.values(), ids=CUT.keys())
def test_reduction_cut_into_parts_is_right(parts: tuple[Part, ...], count: int) -> None:
    workload = parse_workload("matmul", "9x37x36,bias=1,residual=1,act=relu")
    for spread in itertools.product((0, 1), repeat=len(parts)):
        schedule = Schedule(parts, f"partial{count}").spread_over(spread)
        check(workload, schedule, V3.with_threads(1 + count % 3))


# --- stages of stages ----------------------------------------------------------------------

WEIGHT_STAGES = (
    Stage("weight", "dims", align=8),
    Stage("weight", "lanes"),
    Stage("weight", "axes"),
    Stage("weight", "axes", once=True),
)


@needs_v3
@pytest.mark.parametrize("stages", [*itertools.permutations(WEIGHT_STAGES, 2)])
@pytest.mark.parametrize("between", [(), (Loop("n", 16),)], ids=["", "with a loop between"])
def test_operand_staged_twice_is_refused_or_right(
    stages: tuple[Stage, Stage], between: tuple[Step, ...]
) -> None:
    workload = parse_workload("matmul", "5x33x12,tb=1")
    steps = (stages[0], *between, stages[1], Loop("m", 2), Loop("n", 8))
    schedule = Schedule((Nest(steps, "n", 8, (("k", 1),)),))
    if violation(contraction(workload), schedule, V3) is None:
        check(workload, schedule)


@needs_v3
@pytest.mark.parametrize("cut", ["g", "oc"])
@pytest.mark.parametrize("layout", ["lanes", "axes"])
def test_staged_output_with_one_of_two_channel_axes_cut_is_refused_or_right(
    layout: str, cut: str
) -> None:
    # Both axes lie in one dimension: a cut of the inner one leaves gaps in the dimension.
    workload = parse_workload("conv2d", "c=6,h=7,w=11,k=9,r=3,groups=3")
    steps = (Loop(cut, 2), Stage("out", layout), Loop("oh", 1), Loop("ow", 8))
    schedule = Schedule((Nest(steps, "ow", 8, (("ic", 1), ("kh", 1), ("kw", 1))),))
    tile = [Loop(axis, 1) for axis in ("g", "oc") if axis != cut]
    inner = replace(schedule.nests[0], steps=(*steps, Loop(cut, 1), *tile))
    for made in (schedule, Schedule((inner,))):
        if violation(contraction(workload), made, V3) is None:
            check(workload, made)


# --- Winograd ------------------------------------------------------------------------------

WINDOWS = (
    ("n=2,c=20,h=13,w=10,k=19,r=3,pad=1", "float32", "NCHW"),
    ("c=16,h=9,w=15,k=24,r=3,bias=1,residual=1,act=gelu", "float64", "NCHW"),
    ("c=33,h=8,w=9,k=16,r=3,pad=1x2x0x3,bias=1,act=relu", "float32", "NHWC"),
    ("c=32,h=10,k=48,r=3,pad=1,residual=1", "float32", "NHWC"),
    ("c=16,h=7,w=12,k=32,r=3,pad=1,prepack=0,act=silu", "float64", "NHWC"),
)


def transformed(workload: Workload, target: Target, count: int) -> list[Schedule]:
    """Points of the space that compute by Winograd."""
    space = generate(contraction(workload), target)
    points = space.sample(np.random.default_rng(0), 40 * count)
    schedules = (space.schedule(point) for point in points)
    return [s for s in schedules if s.algorithm.startswith("winograd")][:count]


@pytest.mark.parametrize(("shape", "dtype", "layout"), WINDOWS)
def test_winograd_is_right_in_every_layout_and_with_every_tail(
    shape: str, dtype: str, layout: str
) -> None:
    workload = parse_workload("conv2d", shape, dtype, layout)
    schedules = transformed(workload, host(), 6)
    assert len(schedules) == 6
    for schedule in schedules:
        check(workload, schedule, host())


def test_winograd_over_two_threads_is_right() -> None:
    workload, target = parse_workload("conv2d", WINDOWS[0][0]), host().with_threads(2)
    spread = [s for s in transformed(workload, target, 60) if s.parallel][:4]
    assert len(spread) == 4
    for schedule in spread:
        check(workload, schedule, target)


def _with_step(part: Part, axis: str, step: int) -> Part:
    """The part with every loop over an axis that several nests share at another step."""
    if isinstance(part, Nest):
        return part
    loops = tuple(Loop(axis, step) if loop.axis == axis else loop for loop in part.loops)
    return Group(loops, tuple(_with_step(inside, axis, step) for inside in part.parts))


@pytest.mark.parametrize("step", [1, 2, 3, 6, 8])
def test_winograd_with_filters_packed_in_odd_blocks_is_refused_or_right(step: int) -> None:
    # The nest that packs writes vectors: they may not reach over the blocks of the one that reads.
    workload, target = parse_workload("conv2d", WINDOWS[0][0]), resolve("x86-64")
    found = set()
    for schedule in transformed(workload, target, 40):
        parts = tuple(_with_step(part, "oc", step) for part in schedule.parts)
        found.add(replace(schedule, parts=parts))
    legal = [s for s in found if violation(contraction(workload), s, target) is None]
    for schedule in sorted(legal, key=lambda s: s.digest)[:8]:
        check(workload, schedule, target)


# --- the space -----------------------------------------------------------------------------


def test_space_holds_legal_schedules_only_where_blocks_leave_remainders() -> None:
    # 256 = 10 * 24 + 16 and 24 = 4 * 6: each remainder of a block is one more body.
    workload, target = parse_workload("conv2d", "c=128,h=56,k=256,r=3,pad=1"), resolve("x86-64-v4")
    made, rng = contraction(workload), np.random.default_rng(0)
    space = generate(made, target)
    for _ in range(4):
        for point in space.sample(rng, 500):
            assert violation(made, space.schedule(point), target) is None


# --- what a tolerance admits ---------------------------------------------------------------

LAYER = "c=64,h=20,k=32,r=3,pad=1"


def algorithms(tolerance: Tolerance) -> set[str]:
    workload = parse_workload("conv2d", LAYER, tolerance=tolerance)
    space = generate(contraction(workload), host())
    points = space.sample(np.random.default_rng(0), 200)
    return {space.schedule(point).algorithm for point in points}


@pytest.mark.parametrize(
    ("tolerance", "admitted"),
    [
        ("strict", {"direct"}),
        (1.0, {"direct"}),
        (8.0, {"direct", "winograd2"}),
        (16.0, {"direct", "winograd2", "winograd4"}),
        (64.0, {"direct", "winograd2", "winograd4", "winograd6"}),
    ],
)
def test_space_holds_the_algorithms_that_the_tolerance_admits(
    tolerance: Tolerance, admitted: set[str]
) -> None:
    assert algorithms(tolerance) == admitted


def test_strict_workload_refuses_any_schedule_of_winograd() -> None:
    loose, strict = (parse_workload("conv2d", LAYER, tolerance=t) for t in (16.0, "strict"))
    schedule = transformed(loose, host(), 1)[0]
    assert violation(contraction(loose), schedule, host()) is None
    assert "allowed by the tolerance: 0" in str(violation(contraction(strict), schedule, host()))


def test_six_by_six_is_right_within_the_error_expected_of_it() -> None:
    workload = parse_workload("conv2d", LAYER, tolerance=64.0)
    found = [s for s in transformed(workload, host(), 60) if s.algorithm == "winograd6"][:6]
    assert len(found) == 6
    for schedule in found:
        assert 8 < check_candidate(workload, schedule, host()) <= workload.limit_units
