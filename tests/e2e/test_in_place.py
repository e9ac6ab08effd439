"""Kernels that read padding and rows of step 2 where the caller stores them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autotune.ir.default import default_schedule, plain_choices
from autotune.ir.legal import violation
from autotune.ir.schedule import Loop, Nest, Schedule, Stage
from autotune.measure.check import check_candidate
from autotune.ops.base import contraction, parse_workload
from autotune.space.base import Narrowing
from autotune.space.generated import GeneratedSpace
from autotune.targets.detect import resolve
from autotune.trial import Workload
from tests.sweep import targets

SHAPES = {
    "same": "c=5,h=17,w=29,k=5,r=3,pad=1,groups=5,bias=1,act=relu",
    "step 2": "c=5,h=17,w=29,k=5,r=3,pad=1,stride=2,groups=5",
    "step 2, even": "c=6,h=16,w=32,k=6,r=3,pad=1,stride=2,groups=6,residual=1",
    "lopsided": "c=3,h=11,w=40,k=3,r=3,pad=0x2x3x0,stride=1x2,groups=3",
    "all padding": "c=2,h=1,w=9,k=2,r=5,pad=4,groups=2",
    "wide step": "c=3,h=19,w=23,k=6,r=2,s=3,pad=1,stride=3x2,groups=3,prepack=0",
    "dilated": "c=3,h=15,w=37,k=3,r=3,pad=2x3,stride=2,dilation=2x3,groups=3",
    "long window": "c=2,h=9,w=33,k=2,r=5,s=5,pad=2,groups=2",
    "groups": "c=4,h=12,w=21,k=6,r=3,pad=1,stride=2,groups=2",
    "no padding": "c=3,h=9,w=34,k=3,r=3,stride=2,groups=3",
}


def _workloads() -> dict[str, Workload]:
    made = {name: parse_workload("conv2d", shape) for name, shape in SHAPES.items()}
    made |= {
        f"{name}, {layout}": parse_workload("conv2d", SHAPES[name], "float64", layout)
        for name in ("same", "step 2", "dilated", "groups")
        for layout in ("NCHW", "NHWC")
    }
    return made


WORKLOADS = _workloads()


def _sampled(workload: Workload, name: str, threads: int, count: int) -> list[Schedule]:
    """Points of the space that stage nothing for the edges."""
    made, target = contraction(workload), resolve(name).with_threads(threads)
    space = GeneratedSpace(made, target, Narrowing())
    drawn = space.sample(np.random.default_rng(len(str(made)) + threads), 400)
    forms = [variant.form for variant in space.tables.variants]
    return [space.schedule(p) for p in drawn if forms[int(p[0])].in_place][:count]


@pytest.mark.parametrize("name", targets())
@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS.keys())
def test_points_are_right_and_stay_within_their_operands(workload: Workload, name: str) -> None:
    made = contraction(workload)
    for threads in (1, 2):
        target = resolve(name).with_threads(threads)
        found = _sampled(workload, name, threads, 2)
        assert found
        for schedule in found:
            assert violation(made, schedule, target) is None
            units = check_candidate(workload, schedule, target, strict=True)
            assert units <= workload.limit_units


def test_default_of_a_depthwise_layer_stages_nothing() -> None:
    made = contraction(parse_workload("conv2d", "c=32,h=56,k=32,r=3,pad=1,stride=2,groups=32"))
    (nest,) = default_schedule(made, resolve("x86-64-v3")).parts
    assert isinstance(nest, Nest)
    assert [stage.operand for stage in nest.stages] in ([], ["weight"])


def test_long_sum_is_offered_no_form_in_place() -> None:
    made = contraction(parse_workload("conv2d", "c=32,h=14,k=32,r=3,pad=1"))
    assert not any(form.in_place for form, _ in plain_choices(made, resolve("x86-64-v3")))


DENSE = parse_workload("conv2d", "c=12,h=10,w=11,k=16,r=3,pad=1")
_DENSE_NEST = Nest(
    (Stage("weight", "axes", once=True), Loop("oc", 8), Loop("oh", 3), Loop("ow", 4)),
    "oc",
    8,
    (("ic", 2), ("kh", 3), ("kw", 3)),
    "transpose",
)


@pytest.mark.isa("avx2", "fma")
@pytest.mark.parametrize("inner", [_DENSE_NEST.inner, _DENSE_NEST.inner[::-1]])
def test_long_sum_in_place_is_legal_and_right_all_the_same(
    inner: tuple[tuple[str, int], ...],
) -> None:
    schedule = Schedule((replace(_DENSE_NEST, inner=inner),))
    target = resolve("x86-64-v3")
    assert violation(contraction(DENSE), schedule, target) is None
    assert check_candidate(DENSE, schedule, target, strict=True) <= DENSE.limit_units


@pytest.mark.isa("avx2", "fma")
def test_sum_by_pairs_may_loop_over_channels() -> None:
    workload = parse_workload("conv2d", "c=6,h=10,w=34,k=4,r=3,pad=1,stride=2")
    steps = (Loop("oc", 2), Loop("oh", 2), Loop("ow", 8))
    for inner in ((("ic", 1), ("kh", 3), ("kw", 3)), (("kw", 3), ("ic", 2), ("kh", 3))):
        schedule = Schedule((Nest(steps, "ow", 8, inner),))
        target = resolve("x86-64-v3")
        assert violation(contraction(workload), schedule, target) is None
        assert check_candidate(workload, schedule, target, strict=True) <= workload.limit_units
