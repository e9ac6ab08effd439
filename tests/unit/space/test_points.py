"""Points of generated spaces: legal, canonical, deterministic, and described by finite numbers."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autotune import features
from autotune.ir.default import default_schedule
from autotune.ir.legal import violation
from autotune.ops.base import contraction, parse_workload
from autotune.space import generate
from autotune.space.base import Narrowing
from autotune.space.decode import canonical
from autotune.space.generated import GeneratedSpace
from autotune.targets.detect import resolve

ROOT = Path(__file__).resolve().parents[3]
TARGETS = ("x86-64", "x86-64-v3", "x86-64-v4")
COUNT = 8
WORKLOADS = {
    "row": ("matmul", "1x129x64"),
    "column": ("matmul", "129x1x64,bias=1"),
    "square": ("matmul", "64x64x64,prepack=0"),
    "turned": ("matmul", "37x41x43,ta=1"),
    "turned weight": ("matmul", "37x41x43,tb=1,prepack=0"),
    "tail": ("matmul", "33x65x97,bias=1,residual=1,act=gelu", "float64"),
    "prime": ("matmul", "127x509x257"),
    "long reduction": ("matmul", "4x8x4099"),
    "batch": ("batch_matmul", "b=2,m=13,n=64,k=40,ta=1,residual=1"),
    "odd batch": ("batch_matmul", "b=4,m=1,n=65,k=31,ta=1,tb=1,prepack=1", "float64"),
    "few channels": ("conv2d", "c=3,h=31,w=29,k=10,r=7,stride=2,pad=3,bias=1,act=relu"),
    "uneven padding": ("conv2d", "c=6,h=13,w=16,k=9,r=3,pad=1x2x0x3,residual=1"),
    "dilated": ("conv2d", "c=4,h=19,w=23,k=8,r=3,s=2,dilation=2x3,stride=1x2,pad=0x1x2x0"),
    "wide steps": ("conv2d", "c=3,h=40,w=60,k=5,r=1,s=5,stride=1x7,pad=0x2"),
    "pointwise": ("conv2d", "c=24,h=14,k=36,r=1"),
    "window of three": ("conv2d", "c=17,h=14,k=19,r=3,pad=1"),
    "grouped": ("conv2d", "c=12,h=11,w=10,k=8,r=3,pad=1,groups=4,bias=1"),
    "depthwise": ("conv2d", "c=24,h=15,k=24,r=3,pad=1,stride=2,groups=24", "float64"),
    "one row": ("conv2d", "c=7,h=1,w=4099,k=13,r=1"),
    "channels last": ("conv2d", "c=12,h=12,w=15,k=11,r=3,pad=1", "float32", "NHWC"),
    "depthwise last": ("conv2d", "c=18,h=11,k=18,r=3,pad=1,groups=18", "float64", "NHWC"),
    "blocked": ("conv2d", "c=32,h=9,w=11,k=16,r=3,stride=2,pad=1x0x0x1", "float32", "NCHW16c"),
    "blocked groups": ("conv2d", "c=32,h=7,k=32,r=3,pad=1,groups=4", "float64", "NCHW16c"),
}


def made(name):
    op, shape, *rest = WORKLOADS[name]
    dtype, layout = [*rest, *("float32", None)[len(rest) :]]
    return contraction(parse_workload(op, shape, dtype, layout))


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", WORKLOADS)
def test_points_are_legal_canonical_and_described(name, target):
    computed, machine = made(name), resolve(target)
    space = generate(computed, machine)
    sampled = space.sample(rng(1), COUNT)
    moved = space.neighbours(sampled, rng(2))
    mixed = space.mix(sampled, moved[::-1].copy(), rng(3))
    assert len(sampled) == len(moved) == len(mixed) == COUNT

    points = np.concatenate([sampled, moved, mixed])
    rows = np.unique(points, axis=0)
    schedules = [space.schedule(row) for row in rows]
    assert {violation(computed, schedule, machine) for schedule in schedules} == {None}
    assert len({schedule.digest for schedule in schedules}) == len(rows)

    bounds, families = space.bound(points), space.family(points)
    assert bounds.shape == families.shape == (len(points),)
    assert families.dtype == np.int64
    assert np.isfinite(bounds).all()
    assert (bounds > 0).all()
    described = features.compute(space, points)
    assert described.shape == (len(points), len(features.NAMES))
    assert described.dtype == np.float32
    assert np.isfinite(described).all()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["row", "column", "pointwise", "uneven padding"])
def test_neighbours_hardly_ever_stay(name, target):
    space = generate(made(name), resolve(target))
    sampled = space.sample(rng(1), 200)
    is_moved = np.any(space.neighbours(sampled, rng(2)) != sampled, axis=1)
    # Winograd's move tries once and often stays; the others hardly ever do.
    is_direct = np.array([space.schedule(row).algorithm == "direct" for row in sampled])
    assert is_moved.mean() >= 0.5
    assert is_moved[is_direct].mean() >= 0.9


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", WORKLOADS)
def test_plain_points_are_distinct_legal_and_direct(name, target, threads):
    computed, machine = made(name), resolve(target).with_threads(threads)
    space = generate(computed, machine)
    points = space.plain(12)
    assert 0 < len(points) <= 12
    assert len(np.unique(points, axis=0)) == len(points)
    schedules = [space.schedule(point) for point in points]
    assert {violation(computed, schedule, machine) for schedule in schedules} == {None}
    assert {schedule.algorithm for schedule in schedules} == {"direct"}


@pytest.mark.parametrize("name", sorted(set(WORKLOADS) - {"grouped"}))
def test_first_plain_points_have_the_tile_of_the_default(name):
    computed, machine = made(name), resolve("x86-64-v3")
    space = generate(computed, machine)
    schedules = [space.schedule(point) for point in space.plain(3)]
    default = default_schedule(computed, machine)
    assert {_without_places(s) for s in schedules} >= {_without_places(default)}


def _without_places(schedule):
    """Register tile and order of loops, wherever the stages are."""
    (nest,) = schedule.nests
    return (nest.vector, nest.lanes, nest.fuse, tuple(nest.loops), nest.store)


@pytest.mark.parametrize("name", ["turned weight", "few channels", "pointwise", "blocked groups"])
def test_threads_spread_some_points_and_stay_legal(name):
    computed, machine = made(name), resolve("x86-64-v3").with_threads(4)
    space = generate(computed, machine)
    points = space.sample(rng(), 4 * COUNT)
    schedules = [space.schedule(point) for point in points]
    assert all(violation(computed, schedule, machine) is None for schedule in schedules)
    assert any(schedule.parallel for schedule in schedules)
    assert len({s.digest for s in schedules}) == len(np.unique(points, axis=0))
    alone = generate(computed, resolve("x86-64-v3"))
    assert not any(alone.schedule(point).parallel for point in alone.sample(rng(), COUNT))


@pytest.mark.parametrize("name", ["tail", "uneven padding", "one row", "blocked"])
def test_canonical_form_of_any_row_is_stable(name):
    space = GeneratedSpace(made(name), resolve("x86-64-v4").with_threads(2), Narrowing())
    counts = space.tables.counts
    variant = rng().integers(len(counts), size=500)
    rows = rng(1).integers(0, counts[variant])
    rows[:, 0] = variant
    points = canonical(space.tables, rows)
    np.testing.assert_array_equal(canonical(space.tables, points), points)
    # Indices out of range, as a move to another variant leaves them, are brought back into it.
    wild = canonical(space.tables, rows + rng(2).integers(0, 9, rows.shape))
    assert (wild < counts[wild[:, 0]]).all()
    np.testing.assert_array_equal(canonical(space.tables, wild), wild)


def test_point_that_is_moved_back_and_forth_changes_little_at_a_time():
    space = generate(made("prime"), resolve("x86-64-v3"))
    points = space.sample(rng(), 200)
    moved = space.neighbours(points, rng(1))
    # One or two knobs, and what follows from them.
    assert np.median((moved != points).sum(axis=1)) <= 4
    assert len(np.unique(moved, axis=0)) > 150


def test_mix_of_a_point_with_itself_is_the_point():
    space = generate(made("pointwise"), resolve("x86-64-v3"))
    points = space.sample(rng(), 50)
    np.testing.assert_array_equal(space.mix(points, points, rng(1)), points)


def test_calls_leave_their_arguments_alone():
    space = generate(made("window of three"), resolve("x86-64-v3"))
    points = space.sample(rng(), 30)
    kept, other = points.copy(), points[::-1].copy()
    space.neighbours(points, rng(1))
    space.mix(points, other, rng(1))
    space.bound(points)
    space.family(points)
    features.compute(space, points)
    np.testing.assert_array_equal(points, kept)
    np.testing.assert_array_equal(other, kept[::-1])


def test_no_points_are_answered_with_none():
    space = generate(made("window of three"), resolve("x86-64-v3"))
    none = space.sample(rng(), 0)
    assert none.shape == (0, space.sample(rng(), 1).shape[1])
    assert space.neighbours(none, rng()).shape == none.shape
    assert space.mix(none, none, rng()).shape == none.shape
    assert len(space.bound(none)) == len(space.family(none)) == 0
    assert features.compute(space, none).shape == (0, len(features.NAMES))


def test_families_tell_structures_apart():
    space = generate(made("pointwise"), resolve("x86-64-v3"))
    points = space.sample(rng(), 400)
    families = space.family(points)
    structures = []
    for point in points:
        nest = space.schedule(point).nests[0]
        packed = tuple((s.operand, s.once) for s in nest.stages if s.operand != "out")
        structures.append((nest.vector, nest.fuse, tuple(sorted(packed)), nest.store))
    assert len(set(families.tolist())) == len(set(zip(structures, families, strict=True)))
    assert len(set(families.tolist())) >= 8


# --- the same for the same seed ----------------------------------------------------------------


def fingerprint():
    """Of the definition and a sample of some spaces."""
    found = hashlib.sha256()
    for name in ("turned", "window of three", "blocked"):
        space = generate(made(name), resolve("x86-64-v4"))
        points = space.sample(rng(5), 20)
        found.update(space.digest.encode() + points.tobytes())
        found.update(space.neighbours(points, rng(6)).tobytes())
        found.update(space.bound(points).tobytes())
    return found.hexdigest()


def test_same_seed_gives_the_same_points_in_a_fresh_process_with_another_hash_seed():
    code = "from tests.unit.space.test_points import fingerprint as f; print(f())"
    environment = {**os.environ, "PYTHONHASHSEED": "4242", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == fingerprint()


def test_other_seeds_give_other_points():
    space = generate(made("prime"), resolve("x86-64-v3"))
    assert np.any(space.sample(rng(1), 20) != space.sample(rng(2), 20))


def test_digest_follows_workload_target_and_narrowing():
    computed = made("square")
    v3, v4 = resolve("x86-64-v3"), resolve("x86-64-v4")
    pinned = Narrowing("f", "digest", {"vector": ("n",)})
    spaces = [
        generate(computed, v3),
        generate(computed, v4),
        generate(computed, v3.with_threads(2)),
        generate(made("turned"), v3),
        generate(computed, v3, pinned),
    ]
    assert len({space.digest for space in spaces}) == len(spaces)
    assert generate(computed, v3).digest == spaces[0].digest


# --- size --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["prime", "window of three"])
def test_size_is_the_same_before_and_after_sampling(name):
    before = generate(made(name), resolve("x86-64-v3"))
    size, is_exact = before.size, before.is_exact
    assert size > COUNT
    points = before.sample(rng(), COUNT)
    before.neighbours(points, rng())
    assert (before.size, before.is_exact) == (size, is_exact)
    after = generate(made(name), resolve("x86-64-v3"))
    after.sample(rng(), COUNT)
    assert (after.size, after.is_exact) == (size, is_exact)


def test_large_spaces_have_millions_of_points_and_are_not_listed():
    space = generate(made("prime"), resolve("x86-64-v4"))
    assert space.size > 10**6
    assert space.all_points() is None
    assert not space.is_exact


@pytest.mark.parametrize(
    ("op", "shape"),
    [
        ("matmul", "65536x65536x16"),
        ("matmul", "1000000x1000000x1000000,prepack=0"),
        ("conv2d", "c=64,h=32768,k=64,r=3,pad=1"),
        ("conv2d", "c=65536,h=64,k=65536,r=3,pad=1,groups=65536"),
    ],
)
def test_space_of_a_huge_shape_has_legal_points(op, shape):
    computed, target = contraction(parse_workload(op, shape)), resolve("x86-64-v4")
    space = generate(computed, target)
    points = space.sample(rng(), COUNT)
    assert len(points) == COUNT
    for point in points:
        assert violation(computed, space.schedule(point), target) is None
    assert np.isfinite(space.bound(points)).all()
    assert np.isfinite(features.compute(space, points)).all()


# --- lanes come from the target ----------------------------------------------------------------


@pytest.mark.parametrize(("target", "most"), [("x86-64", 4), ("x86-64-v3", 8), ("x86-64-v4", 16)])
def test_lanes_are_never_more_than_the_target_has(target, most):
    space = generate(made("prime"), resolve(target))
    assert max(space.knobs["lanes"]) == most
    points = space.sample(rng(), 100)
    lanes = {space.schedule(point).nests[0].lanes for point in points}
    assert max(lanes) == most
