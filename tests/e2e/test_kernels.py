"""Compiles and runs small kernels in this process: every feature of the schedule language."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from autotune.backends import cpu
from autotune.ir.default import default_schedule
from autotune.ir.legal import violation
from autotune.ir.schedule import Group, Loop, Nest, Schedule, Stage, Step
from autotune.measure.check import check_candidate, make_inputs
from autotune.ops.base import contraction, parse_workload
from autotune.reference import reference
from autotune.runtime import Kernel, aligned_bytes, bind
from autotune.targets.base import Target
from autotune.targets.detect import host, resolve
from autotune.trial import Workload
from tests.sweep import TARGETS, targets

V3 = resolve("x86-64-v3")
LANES = {"float32": 8, "float64": 4}
needs_v3 = pytest.mark.isa("avx2", "fma")


def check(workload: Workload, schedule: Schedule, target: Target = V3) -> None:
    """The schedule is legal, right, and writes nothing but its output."""
    assert violation(contraction(workload), schedule, target) is None
    assert check_candidate(workload, schedule, target) <= workload.tolerance


# --- stores, tails, split reductions -------------------------------------------------------

TAILS = ("", ",bias=1,act=relu", ",bias=1,residual=1,act=gelu")


def _stored(store: str, lanes: int, is_split: bool) -> Schedule:
    """A matmul's nest: vectors along the output's rows, or turned to them when stored."""
    loops: list[Step] = [Loop("m", 3), Loop("n", 2 * lanes)]
    vector = "n"
    if store != "direct":
        loops, vector = [Loop("m", lanes), Loop("n", 5), Stage("x", "axes")], "m"
    if is_split:
        loops.insert(1, Loop("k", 5))
        if store != "direct":
            loops.insert(0, Stage("out", "axes"))
    return Schedule((Nest(tuple(loops), vector, lanes, (("k", 2),), store),))


@needs_v3
@pytest.mark.parametrize("is_split", [False, True], ids=["whole", "split"])
@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("dtype", LANES)
@pytest.mark.parametrize("store", ["direct", "transpose", "scatter"])
def test_every_store_with_every_tail_is_right(
    store: str, dtype: str, tail: str, is_split: bool
) -> None:
    workload = parse_workload("matmul", f"17x31x13{tail}", dtype)
    check(workload, _stored(store, LANES[dtype], is_split))


@needs_v3
@pytest.mark.parametrize("output", ["in place", "staged"])
def test_two_split_reductions_accumulate_and_apply_the_tail_once(output: str) -> None:
    workload = parse_workload("conv2d", "c=7,h=11,w=13,k=5,r=3,pad=1,bias=1,act=relu6")
    staged = (Stage("out", "axes"),) if output == "staged" else ()
    steps = (
        *(Loop("oc", 2), *staged, Loop("ic", 4), Loop("kh", 2), Stage("x", "dims")),
        *(Loop("ic", 2), Loop("oh", 1), Loop("ow", 8)),
    )
    nest = Nest(steps, "ow", 8, (("ic", 1), ("kh", 2), ("kw", 3)))
    check(workload, Schedule((nest,)))


# --- stages --------------------------------------------------------------------------------

PADDED = "c=6,h=13,w=16,k=9,r=3,pad=1x2x0x3"
_INNER = (("ic", 2), ("kh", 1), ("kw", 3))
_ROWS = (Loop("oc", 3), Loop("oh", 1), Loop("ow", 16))
STAGES: dict[str, tuple[tuple[Step, ...], str, str]] = {
    "dims outside": ((Stage("x", "dims"), *_ROWS), "ow", "direct"),
    "dims inside, aligned": (
        (Loop("oh", 4), Stage("x", "dims", align=8), Loop("oc", 3), Loop("oh", 1), Loop("ow", 16)),
        "ow",
        "direct",
    ),
    "dims then axes": (
        (Stage("x", "dims", align=3), Loop("oh", 1), Loop("ow", 8), Stage("x", "axes"), _ROWS[0]),
        "ow",
        "direct",
    ),
    "dims in a split reduction": (
        (Loop("ic", 4), Stage("x", "dims"), *_ROWS),
        "ow",
        "direct",
    ),
    "weights once": (
        (Stage("weight", "axes", once=True), Stage("x", "dims"), *_ROWS),
        "ow",
        "direct",
    ),
    "weights on each call": (
        (Stage("x", "dims"), Loop("oc", 3), Stage("weight", "axes"), *_ROWS[1:]),
        "ow",
        "direct",
    ),
    "weights as dims, then axes": (
        (
            *(Stage("x", "dims"), Stage("weight", "dims")),
            *(Loop("oc", 3), Stage("weight", "axes"), *_ROWS[1:]),
        ),
        "ow",
        "direct",
    ),
    "output": (
        (Stage("x", "dims"), Loop("oc", 3), Stage("out", "axes"), Loop("ic", 4), *_ROWS[1:]),
        "ow",
        "direct",
    ),
    "vectors of channels, turned": (
        (
            *(Stage("weight", "axes", once=True), Stage("x", "dims")),
            *(Loop("oc", 8), Loop("oh", 1), Loop("ow", 6)),
        ),
        "oc",
        "transpose",
    ),
    "vectors of channels, scattered": (
        (Stage("x", "dims"), Loop("oc", 8), Stage("weight", "axes"), Loop("oh", 2), Loop("ow", 3)),
        "oc",
        "scatter",
    ),
}


@needs_v3
@pytest.mark.parametrize(("steps", "vector", "store"), STAGES.values(), ids=STAGES.keys())
def test_every_stage_is_right(steps: tuple[Step, ...], vector: str, store: str) -> None:
    nest = Nest(steps, vector, 8, _INNER, store, prefetch=(("x", 256),))
    check(parse_workload("conv2d", PADDED), Schedule((nest,)))


@needs_v3
@pytest.mark.parametrize("stride", [2, 3, 5])
@pytest.mark.parametrize("width", [7, 17, 64])
def test_phases_of_a_strided_row_are_right(stride: int, width: int) -> None:
    workload = parse_workload("conv2d", f"c=3,h=9,w={width},k=4,r=3,stride={stride},pad=2x1x0x3")
    out_w = contraction(workload).extents["ow"]
    loops = (Loop("oc", 2), Loop("oh", 1), *((Loop("ow", 8),) if out_w > 8 else ()))
    nest = Nest((Stage("x", "dims", phases=True), *loops), "ow", 8, _INNER)
    check(workload, Schedule((nest,)))


# --- shapes and targets --------------------------------------------------------------------

PLAIN = (
    ("matmul", "7x17x64,tb=1", "float32", None),
    ("batch_matmul", "b=3,m=1,n=17,k=5,ta=1,act=silu", "float64", None),
    ("conv2d", "c=3,h=17,k=7,r=3,stride=2,pad=1,bias=1,act=relu", "float32", None),
    ("conv2d", "c=12,h=9,k=12,r=3,pad=1,groups=12", "float64", None),
    ("conv2d", "c=5,h=7,w=9,k=6,r=3,dilation=2,residual=1", "float32", "NHWC"),
    ("conv2d", "c=16,h=7,k=32,r=1,prepack=0", "float32", "NCHW16c"),
)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize(("op", "shape", "dtype", "layout"), PLAIN)
def test_default_schedule_is_right_on_every_target(
    op: str, shape: str, dtype: str, layout: str | None, name: str
) -> None:
    if name not in targets():
        pytest.skip(f"this machine cannot run {name}")
    workload, target = parse_workload(op, shape, dtype, layout), resolve(name)
    check(workload, default_schedule(contraction(workload), target), target)


# Reported as apache/tvm#4260: a template took stride and padding for granted.
SIZED = {
    "c=80,h=73,w=73,k=192,r=3": (71, 71),
    "c=20,h=73,w=73,k=24,r=3,stride=2": (36, 36),
    "c=20,h=73,w=73,k=24,r=3,pad=1x2x0x3": (72, 76),
    "c=20,h=73,w=73,k=24,r=3,dilation=2": (69, 69),
    "c=20,h=73,w=73,k=24,r=3,groups=4": (71, 71),
    "c=20,h=73,w=73,k=24,r=3,stride=2,pad=1x2x0x3,dilation=2,groups=4": (35, 37),
}


@pytest.mark.parametrize(("shape", "size"), SIZED.items())
def test_output_has_the_size_that_stride_and_padding_give(
    shape: str, size: tuple[int, int]
) -> None:
    workload = parse_workload("conv2d", shape)
    schedule = default_schedule(contraction(workload), host())
    check(workload, schedule, host())
    given = make_inputs(workload, 0)
    out = Kernel(workload, schedule, host())(given["x"], given["weight"])
    assert out.shape == (1, contraction(workload).output.shape[1], *size)
    np.testing.assert_allclose(out, reference(workload, **given), rtol=1e-3, atol=1e-3)


# --- tasks ---------------------------------------------------------------------------------


def _spread(parallel: int, *steps: Step) -> Schedule:
    return Schedule((Nest(steps, "ow", 8, _INNER),), "direct", parallel)


_GROUPED = (
    Nest((Loop("part", 1), Loop("oc", 2), Loop("ow", 8)), "ow", 8, _INNER),
    Nest((Loop("ow", 8), Loop("oh", 1)), "ow", 8, (("part", 1),)),
)
_STAGED_TASKS: tuple[Step, ...] = (
    *(Stage("weight", "axes", once=True), Loop("oh", 5), Stage("x", "dims")),
    *(Loop("oc", 3), Loop("oh", 1), Loop("ow", 16)),
)
_SPLIT_TASKS: tuple[Step, ...] = (
    *(Loop("oc", 4), Stage("out", "axes"), Loop("ic", 4), Loop("oh", 1), Loop("ow", 8)),
)
SPREAD: dict[str, tuple[str, Schedule]] = {
    "two loops with remainders": (
        "c=6,h=13,w=16,k=9,r=3",
        _spread(2, Loop("oc", 2), Loop("oh", 3), Loop("ow", 8)),
    ),
    "stages around and inside": (PADDED, _spread(1, *_STAGED_TASKS)),
    "split reduction inside": ("c=6,h=13,w=16,k=9,r=3", _spread(1, *_SPLIT_TASKS)),
    "a group": (
        "c=6,h=13,w=16,k=9,r=3,bias=1,act=relu",
        Schedule((Group((Loop("oc", 4), Loop("oh", 3)), _GROUPED),), "partial2", 2),
    ),
}


def _ranges(tasks: int, rng: np.random.Generator) -> Iterator[list[tuple[int, int]]]:
    """Ways to cut the tasks into runs, in any order, empty runs among them."""
    yield [(0, tasks)]
    yield [(task, task + 1) for task in reversed(range(tasks))]
    for _ in range(6):
        cuts = sorted(int(cut) for cut in rng.integers(0, tasks + 1, 3))
        runs = list(itertools.pairwise([0, *cuts, tasks]))
        yield [runs[i] for i in rng.permutation(len(runs))]


@needs_v3
@pytest.mark.parametrize(("shape", "schedule"), SPREAD.values(), ids=SPREAD.keys())
def test_any_split_of_the_tasks_gives_the_same_bits(shape: str, schedule: Schedule) -> None:
    workload, target = parse_workload("conv2d", shape), V3.with_threads(2)
    check(workload, schedule, target)
    artifact = cpu.build(contraction(workload), schedule, target)
    assert artifact.threads == 2
    loaded = cpu.load(artifact, target)
    arrays = make_inputs(workload, 0)
    for name, size in artifact.packed_bytes:
        packed = aligned_bytes(size)
        loaded.pack(name, arrays[name].ctypes.data, packed.ctypes.data)
        arrays[name] = packed
    out = arrays["out"] = np.empty(contraction(workload).output.shape, np.float32)
    workspace = aligned_bytes(artifact.workspace_bytes)
    bound = bind(artifact, loaded, arrays, workspace)
    found = set()
    for runs in _ranges(artifact.tasks, np.random.default_rng(0)):
        out.fill(np.nan)
        workspace.fill(0xFF)
        for begin, end in runs:
            loaded.body(ctypes.addressof(bound.table), workspace.ctypes.data, begin, end)
        found.add(out.tobytes())
    assert len(found) == 1
    loaded.close()


@needs_v3
@pytest.mark.parametrize(("shape", "schedule"), SPREAD.values(), ids=SPREAD.keys())
def test_two_threads_give_the_bits_of_one(shape: str, schedule: Schedule) -> None:
    workload = parse_workload("conv2d", shape)
    given = make_inputs(workload, 1)
    x, weight = given.pop("x"), given.pop("weight")
    alone = Kernel(workload, schedule, V3)(x, weight, **given)
    both = Kernel(workload, schedule, V3.with_threads(2))
    for _ in range(20):
        assert both(x, weight, **given).tobytes() == alone.tobytes()
