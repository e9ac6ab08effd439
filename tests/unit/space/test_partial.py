"""Reductions in parts: where they are offered, that points are legal, how files name them."""

from __future__ import annotations

import numpy as np
import pytest

from autotune import features
from autotune.errors import SpaceError
from autotune.ir.legal import violation
from autotune.ir.program import program
from autotune.ops.base import contraction, parse_workload
from autotune.space import generate
from autotune.space.narrowing import parse
from autotune.space.partial import offered
from autotune.targets.detect import resolve

V3 = resolve("x86-64-v3")
PARTS, LANES = ("partial4", "partial16", "partial64"), ("partial1x8", "partial8x8")
WIDE = ("partial1x64", "partial8x64")
OFFERED = {
    "a dot product": ("matmul", "1x1x4096", 1, LANES + WIDE),
    "a dot product over threads": ("matmul", "1x1x4096", 2, LANES + WIDE),
    "too short": ("matmul", "1x1x512", 2, ()),
    "a prime": ("matmul", "1x1x4099", 2, ()),
    "odd numbers": ("matmul", "1x4x1125", 2, ("partial5", "partial15", "partial75")),
    "weights packed along the rows": ("matmul", "1x16x4096", 1, LANES + WIDE),
    "the same over threads": ("matmul", "1x16x4096", 2, PARTS + LANES + WIDE),
    "outputs enough for two threads": ("matmul", "16x8x4096", 2, ()),
    "but not for three": ("matmul", "16x8x4096", 3, PARTS + LANES + WIDE),
    "rows against rows": ("matmul", "3x5x4096,tb=1,prepack=0", 1, LANES + WIDE),
    "rows against columns": ("matmul", "3x5x4096,prepack=0", 1, ()),
    "columns of the first": ("matmul", "2x2x4096,ta=1", 1, PARTS),
    "channels": ("conv2d", "c=2048,h=1,k=6,r=1", 1, LANES + WIDE),
    "channels of several points": ("conv2d", "c=2048,h=2,k=6,r=1", 2, PARTS),
    "a long window": ("conv2d", "c=1,h=1,w=2050,k=4,r=1,s=2048", 2, ()),
}


def made(name):
    op, shape, threads, _ = OFFERED[name]
    return contraction(parse_workload(op, shape)), V3.with_threads(threads)


@pytest.mark.parametrize("name", OFFERED)
def test_algorithms_are_offered_where_they_may_pay(name):
    assert offered(*made(name)) == OFFERED[name][3]


@pytest.mark.parametrize("name", [name for name, case in OFFERED.items() if case[3]])
def test_points_are_legal_canonical_and_described(name):
    (computed, target), rng = made(name), np.random.default_rng(0)
    space = generate(computed, target)
    points = np.unique(space.sample(rng, 200), axis=0)
    points = np.unique(np.concatenate([points, space.neighbours(points, rng)]), axis=0)
    schedules = [space.schedule(point) for point in points]
    assert {violation(computed, schedule, target) for schedule in schedules} == {None}
    assert len({schedule.digest for schedule in schedules}) == len(points)
    assert {s.algorithm for s in schedules} == {"direct", *OFFERED[name][3]}
    assert ("direct", *OFFERED[name][3]) == space.knobs["algorithm"]
    assert np.isfinite(space.bound(points)).all()
    assert np.isfinite(features.compute(space, points)).all()
    is_direct = np.array([s.algorithm == "direct" for s in schedules])
    families = space.family(points)
    assert not set(families[is_direct]) & set(families[~is_direct])
    assert space.why_empty() is not None


def test_parts_are_spread_and_added_up_in_a_phase_of_their_own():
    computed, target = made("the same over threads")
    space = generate(computed, target)
    points = space.sample(np.random.default_rng(0), 100)
    phases = [
        program(computed, schedule).phases
        for schedule in map(space.schedule, points)
        if schedule.parallel_before
    ]
    assert phases
    assert {len(found) for found in phases} == {2}
    assert {found[1].tasks for found in phases} == {1}


def narrowed(text, shape="1x1x4096", threads=1):
    computed = contraction(parse_workload("matmul", shape))
    return generate(computed, V3.with_threads(threads), parse(text, "my.toml", "matmul"))


def algorithms(space):
    points = space.sample(np.random.default_rng(0), 60)
    return {space.schedule(point).algorithm for point in points}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("only.algorithm='direct'", {"direct"}),
        ("never.algorithm='direct'", {*LANES, *WIDE}),
        ("only.algorithm=['partial8x8', 'direct']", {"direct", "partial8x8"}),
        ("never.algorithm=['partial1x8', 'partial8x8', 'partial1x64']", {"direct", "partial8x64"}),
        # Any may be asked for, and in a shape that offers none.
        ("only.algorithm=['partial2x16', 'partial3']", {"partial2x16"}),
    ],
)
def test_file_names_algorithms(text, found):
    assert algorithms(narrowed(text)) == found


def test_order_of_a_file_does_not_matter():
    one, other = (
        narrowed(f"only.algorithm=[{names}]")
        for names in (
            "'direct', 'partial8x8', 'partial2x16'",
            "'partial2x16','partial8x8','direct'",
        )
    )
    assert (
        one.knobs["algorithm"]
        == other.knobs["algorithm"]
        == ("direct", "partial8x8", "partial2x16")
    )


def test_algorithm_may_be_asked_for_where_it_is_not_offered():
    assert algorithms(narrowed("only.algorithm='partial4'", "64x64x64")) == {"partial4"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("only.algorithm='partial'", "'partial' is not allowed; allowed: direct, winograd2"),
        ("only.algorithm='partial3'", "only.algorithm: none of partial3 fits"),
        ("only.algorithm='partial4x1'", "'partial4x1' is not allowed"),
    ],
)
def test_algorithm_that_does_not_fit_is_refused(text, message):
    with pytest.raises(SpaceError, match=message):
        narrowed(text)
