"""What the features of a few known points say."""

from __future__ import annotations

import numpy as np
import pytest

from autotune import features
from autotune.ops.base import contraction, parse_workload
from autotune.space import generate
from autotune.space.base import Narrowing
from autotune.space.generated import GeneratedSpace
from autotune.targets.detect import resolve
from tests.spaces import SyntheticSpace

V3 = resolve("x86-64-v3")
SQUARE = contraction(parse_workload("matmul", "64x64x64"))
PINNED = {
    "vector": ("n",),
    "tile.m": (4,),
    "tile.n": (16,),
    "block.m": (0,),
    "block.n": (0,),
    "split.k": (0,),
    "unroll.k": (4,),
    "stage.x": ("none",),
    "stage.weight": ("none",),
    "stage.out": ("none",),
    "prefetch": (0,),
}


def described(target=V3, **changes):
    """Features of one point of a space pinned but for the order of its loops, by name."""
    space = GeneratedSpace(SQUARE, target, Narrowing("f", "f", PINNED | changes))
    points = space.all_points()
    row = features.compute(space, points)[0]
    return dict(zip(features.NAMES, row.tolist(), strict=True))


def test_names_are_distinct_and_as_many_as_columns():
    assert len(set(features.NAMES)) == len(features.NAMES)
    assert isinstance(features.VERSION, int)


def test_register_tile_is_described():
    found = described()
    assert found["lanes"] == 3
    assert found["vectors"] == 1
    assert found["accumulators"] == 3
    assert found["register_share"] == 8 / 16
    # Two vectors of weights and four elements of x.
    assert found["loads"] == pytest.approx(np.log2(6))
    assert found["reuse"] == pytest.approx(8 / 6)
    assert (found["useful"], found["useful_lanes"]) == (1, 1)
    assert found["tiles"] == 6
    assert found["instances"] == 0
    assert (found["tile_0"], found["tile_1"], found["tile_2"]) == (4, 2, 0)


def test_remainders_and_wasted_lanes_are_described():
    found = described(**{"tile.m": (3,), "tile.n": (24,)})
    assert found["useful"] == pytest.approx(64 * 64 / (66 * 72))
    assert found["useful_lanes"] == pytest.approx(64 / 72)
    assert found["instances"] == 2


def test_reduction_is_described():
    found = described(**{"split.k": (16,), "block.m": (2,)})
    assert found["reduction"] == 4
    assert found["splits"] == 2
    assert found["inner_unroll"] == 2
    assert found["body"] == 5
    assert (found["reduction_0"], found["unroll_0"], found["innermost_is_0"]) == (4, 2, 1)


def test_packing_and_staging_are_described():
    plain = described()
    assert (plain["unpacked_0"], plain["unpacked_1"], plain["packed_once_1"]) == (1, 1, 0)
    once = described(**{"stage.weight": ("once",), "prefetch": (512,)})
    assert (once["unpacked_1"], once["packed_once_1"], once["prefetch"]) == (0, 1, 9)
    copied = described(**{"stage.x": ("axes",)})
    assert copied["unpacked_0"] == 0
    assert copied["axes_bytes_0"] > 0
    staged = described(**{"stage.out": ("axes",), "split.k": (16,)})
    assert (plain["out_staged"], staged["out_staged"]) == (0, 1)


def test_threads_are_described():
    assert described()["spread"] == 0
    assert described(V3.with_threads(4))["spread"] >= 1


@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3", "x86-64-v4"])
@pytest.mark.parametrize(
    ("op", "shape"),
    [
        ("matmul", "1x1x1"),
        ("matmul", "1x1x4099"),
        ("batch_matmul", "2x3x4x5"),
        ("conv2d", "n=2,c=1,h=1,k=1,r=1"),
        ("conv2d", "c=17,h=14,k=19,r=3,pad=1"),
        ("conv2d", "c=32,h=7,k=32,r=3,pad=1,groups=4"),
    ],
)
def test_length_is_the_same_for_every_operator_and_target(op, shape, target):
    computed = contraction(parse_workload(op, shape))
    space = generate(computed, resolve(target))
    found = features.compute(space, space.sample(np.random.default_rng(0), 40))
    assert found.shape == (40, len(features.NAMES))
    assert found.dtype == np.float32
    assert np.isfinite(found).all()


def test_rows_are_described_one_by_one_as_together():
    computed = contraction(parse_workload("conv2d", "c=17,h=14,k=19,r=3,pad=1"))
    space = generate(computed, V3)
    points = space.sample(np.random.default_rng(0), 30)
    together = features.compute(space, points)
    alone = [features.compute(space, points[i : i + 1])[0] for i in range(len(points))]
    np.testing.assert_array_equal(together, np.stack(alone))


def test_different_points_differ_in_some_feature():
    space = generate(SQUARE, V3)
    points = np.unique(space.sample(np.random.default_rng(0), 300), axis=0)
    found = features.compute(space, points)
    assert len(np.unique(found, axis=0)) > 0.95 * len(points)


def test_space_of_unknown_points_is_refused():
    with pytest.raises(TypeError, match="no features are known for points of a SyntheticSpace"):
        features.compute(SyntheticSpace(), np.zeros((1, 6), np.int64))
