"""The schedule of what nobody tuned: always there, always legal, whatever the shape and target."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from autotune.errors import UsageError
from autotune.ir.default import default_schedule, forms, needs_stage
from autotune.ir.legal import violation
from autotune.ir.program import program
from autotune.ir.schedule import from_json
from autotune.ops.base import contraction, parse_workload
from autotune.registry import OPERATORS, TARGETS
from autotune.targets.detect import resolve

FILES = sorted((Path(__file__).resolve().parents[2] / "data" / "shapes").glob("*.json"))
TARGET_NAMES = TARGETS.names()
V3, V4 = resolve("x86-64-v3"), resolve("x86-64-v4")


def text_of(entry):
    sizes = {k: v for k, v in entry.items() if k not in ("name", "op", "dtype")}
    return ",".join(
        f"{k}={'x'.join(map(str, v)) if isinstance(v, list) else v}" for k, v in sizes.items()
    )


SHAPES = [(entry["op"], text_of(entry)) for p in FILES for entry in json.loads(p.read_text())]
"""Every recorded shape; targets, dtypes and layouts are dealt out over them in turn."""


def combinations():
    """Every other shape with one target, dtype and layout; all pairs occur over the list."""
    for position, (op, shape) in enumerate(list(dict.fromkeys(SHAPES))[::2]):
        layouts = OPERATORS.get(op).layouts
        target = TARGET_NAMES[position % len(TARGET_NAMES)]
        dtype = ("float32", "float64")[position // len(TARGET_NAMES) % 2]
        layout = layouts[position % len(layouts)]
        try:
            yield parse_workload(op, shape, dtype, layout), target
        except UsageError:
            # Channels that no block of 16 divides.
            yield parse_workload(op, shape, dtype), target


def test_default_of_every_recorded_shape_is_legal():
    count = 0
    for workload, name in combinations():
        target = resolve(name).with_threads(1 + count % 3)
        computed = contraction(workload)
        schedule = default_schedule(computed, target)
        assert violation(computed, schedule, target) is None, (workload.key, name)
        count += 1
    assert count > 100


HUGE = [
    ("matmul", "m=1000000,n=1000000,k=1000000"),
    ("matmul", "m=65536,n=65536,k=16"),
    ("matmul", "m=65536,n=65536,k=16,ta=1,tb=1,prepack=0"),
    ("matmul", "m=1,n=2147483647,k=2147483"),
    ("matmul", "m=2147483647,n=1,k=2147483"),
    ("matmul", "m=1,n=1,k=2147483647"),
    ("batch_matmul", "b=1000000,m=1000,n=1000,k=1000,tb=1"),
    ("conv2d", "c=64,h=32768,k=64,r=3,pad=1"),
    ("conv2d", "c=64,h=32768,k=64,r=3,pad=1,prepack=0,stride=2"),
    ("conv2d", "c=16,h=1,w=300000000,k=16,r=1,s=3,pad=0x1"),
    ("conv2d", "n=65536,c=3,h=224,k=64,r=7,stride=2,pad=3"),
    ("conv2d", "c=65536,h=64,k=65536,r=3,pad=1,groups=65536"),
]


@pytest.mark.parametrize("name", TARGET_NAMES)
@pytest.mark.parametrize(("op", "shape"), HUGE)
def test_default_of_a_huge_shape_is_legal(op, shape, name):
    target = resolve(name).with_threads(2)
    for layout in OPERATORS.get(op).layouts:
        if layout == "NCHW16c" and any(part in shape for part in ("c=1,", "c=3,", "k=1,")):
            continue
        computed = contraction(parse_workload(op, shape, "float64", layout))
        schedule = default_schedule(computed, target)
        assert violation(computed, schedule, target) is None
        assert from_json(schedule.to_json()) == schedule


@pytest.mark.parametrize(
    "shape",
    ["c=1,h=1,w=1073741824,k=1,r=1,s=3,pad=0x1", "c=500000000,h=3,w=3,k=2,r=3,pad=1"],
)
def test_default_of_padding_that_no_buffer_holds_is_legal(shape):
    computed = contraction(parse_workload("conv2d", shape))
    assert violation(computed, default_schedule(computed, V3), V3) is None


@pytest.mark.parametrize("name", TARGET_NAMES)
@pytest.mark.parametrize(
    ("op", "shape"),
    [
        ("matmul", "1x1x1"),
        ("batch_matmul", "1x1x1x1,ta=1,tb=1"),
        ("conv2d", "c=1,h=1,k=1,r=1"),
        ("conv2d", "c=1,h=1,k=1,r=1,pad=3,stride=7"),
        ("conv2d", "c=1,h=1,k=1,r=3,pad=1"),
        ("conv2d", "c=7,h=1,w=4099,k=13,r=1,stride=1x5"),
        ("conv2d", "c=2,h=40,k=2,r=2,stride=17x19,dilation=3x5,pad=1x2x3x4,groups=2"),
    ],
)
def test_default_of_a_degenerate_shape_is_legal(op, shape, name):
    computed = contraction(parse_workload(op, shape))
    assert violation(computed, default_schedule(computed, resolve(name)), resolve(name)) is None


@pytest.mark.timing
def test_default_is_found_quickly():
    for op, shape in [*SHAPES[::20], *HUGE]:
        computed = contraction(parse_workload(op, shape))
        default_schedule.cache_clear()
        start_s = time.perf_counter()
        default_schedule(computed, V4)
        assert time.perf_counter() - start_s < 1.0, shape  # some 10 ms; no search, no hang


def test_default_is_the_same_every_time():
    computed = contraction(parse_workload(*SHAPES[0]))
    first = default_schedule(computed, V3)
    default_schedule.cache_clear()
    assert default_schedule(computed, V3) == first


def test_default_packs_a_constant_beforehand_and_nothing_without_one():
    packed = contraction(parse_workload("matmul", "128x768x768"))
    plain = contraction(parse_workload("matmul", "128x768x768,prepack=0"))
    assert [n for n, _ in program(packed, default_schedule(packed, V3)).packed] == ["weight"]
    assert program(plain, default_schedule(plain, V3)).packed == ()


def test_default_is_spread_where_there_are_threads():
    computed = contraction(parse_workload("matmul", "128x768x768"))
    assert program(computed, default_schedule(computed, V3)).tasks == 1
    assert program(computed, default_schedule(computed, V3.with_threads(4))).tasks >= 4


def test_default_uses_whole_vectors_and_fills_registers_on_a_large_matmul():
    computed = contraction(parse_workload("matmul", "512x512x512"))
    for target in (V3, V4):
        plan = program(computed, default_schedule(computed, target)).nests[0]
        assert plan.nest.lanes == target.vector_bytes // 4
        assert 8 <= plan.accumulators < target.vector_registers


# --- forms -------------------------------------------------------------------------------------


def test_forms_offer_every_parallel_axis_and_narrow_lanes_for_short_ones():
    computed = contraction(parse_workload("matmul", "3x48x8"))
    assert [(f.fuse, f.vector, f.lanes) for f in forms(computed, V4)] == [
        ((), "m", 4),
        ((), "n", 16),
    ]


def test_forms_offer_each_run_of_axes_that_can_be_merged():
    computed = contraction(parse_workload("conv2d", "n=2,c=3,h=4,k=6,r=1"))
    found = {(f.fuse, f.vector) for f in forms(computed, V3)}
    assert ((("oh", "ow"),), "oh.ow") in found
    assert ((("n", "oc"),), "n.oc") not in found


@pytest.mark.parametrize(
    ("shape", "layout", "vector", "operand", "need"),
    [
        ("c=3,h=9,k=4,r=3", "NCHW", "ow", "x", ""),
        ("c=3,h=9,k=4,r=3", "NCHW", "oc", "x", ""),
        ("c=3,h=9,k=4,r=3", "NCHW", "oc", "weight", "axes"),
        ("c=3,h=9,k=4,r=3", "NHWC", "oc", "weight", ""),
        ("c=3,h=9,k=4,r=3", "NHWC", "ow", "x", "axes"),
        ("c=3,h=9,k=4,r=3,pad=1", "NCHW", "ow", "x", "dims"),
        ("c=3,h=9,k=4,r=3,pad=1", "NHWC", "ow", "x", "dims+axes"),
        ("c=3,h=9,k=4,r=3,stride=2", "NCHW", "ow", "x", "phases"),
        ("c=3,h=9,k=4,r=3,stride=2,pad=1", "NCHW", "ow", "x", "phases"),
        ("c=3,h=30,k=4,r=3,stride=5", "NCHW", "ow", "x", "axes"),
        ("c=3,h=30,k=4,r=3,stride=5,pad=1", "NCHW", "ow", "x", "dims+axes"),
        ("c=3,h=9,k=4,r=3", "NCHW", "oh", "x", "axes"),
    ],
)
def test_inputs_are_staged_as_the_vector_axis_needs(shape, layout, vector, operand, need):
    computed = contraction(parse_workload("conv2d", shape, "float32", layout))
    form = next(f for f in forms(computed, V3) if f.vector == vector and not f.fuse)
    assert needs_stage(form, computed.access(operand)) == need
