"""Compiles and runs small kernels in this process: every feature of the schedule language."""

from __future__ import annotations

import pytest

from autotune.ir.legal import violation
from autotune.ir.schedule import Group, Loop, Nest, Schedule, Stage, Step
from autotune.measure.check import check_candidate
from autotune.ops.base import contraction, parse_workload
from autotune.targets.detect import resolve

V3 = resolve("x86-64-v3")


def _nest(*steps: Step, inner: str, vector: str = "n", fuse: tuple[str, ...] = ()) -> Nest:
    return Nest(steps, vector, 8, ((inner, 1),), fuse=(fuse,) if fuse else ())


_FIRST = _nest(Loop("part", 1), Loop("m", 1), Loop("n", 8), inner="k")
_SECOND = _nest(Loop("m", 1), Loop("n", 8), inner="part")
_FUSED = _nest(Loop("m.n", 8), inner="part", vector="m.n", fuse=("m", "n"))
_PACKED = _nest(Stage("weight", "axes", once=True), Loop("part", 1), Loop("m", 1), inner="k")
_WITHIN = _nest(Loop("m", 1), inner="part")
_STAGED = _nest(Stage("partial", "dims"), Loop("m", 1), Loop("n", 8), inner="part")

PROGRAMS = {
    "plain": (_FIRST, _SECOND),
    "fused over a temporary": (_FIRST, _FUSED),
    "packed once inside a group": (Group((Loop("n", 8),), (_PACKED, _WITHIN)),),
    "temporary staged inside a group": (Group((Loop("m", 2),), (_FIRST, _STAGED)),),
}


@pytest.mark.isa("avx2", "fma")
@pytest.mark.parametrize("parts", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_program_of_two_nests_is_refused_or_right(parts: tuple[Nest | Group, ...]) -> None:
    workload, schedule = parse_workload("matmul", "8x16x8"), Schedule(parts, "partial2")
    if violation(contraction(workload), schedule, V3) is None:
        assert check_candidate(workload, schedule, V3) <= workload.tolerance
