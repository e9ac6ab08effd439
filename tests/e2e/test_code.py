"""The generated code itself: what it calls, its index arithmetic, its size."""

from __future__ import annotations

import ctypes
import itertools
import mmap
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autotune.backends import cpu
from autotune.backends.cpu.machine import target_machine
from autotune.ir.default import default_schedule
from autotune.ir.legal import violation
from autotune.ir.schedule import Loop, Nest, Schedule
from autotune.measure.check import make_inputs
from autotune.ops.base import contraction, parse_workload
from autotune.runtime import aligned_bytes, bind
from autotune.targets.base import Target
from autotune.targets.detect import resolve
from autotune.trial import Workload
from tests.sweep import TARGETS

V3 = resolve("x86-64-v3")
SHAPES = (
    ("matmul", "7x17x64,tb=1", "float32", None),
    ("batch_matmul", "b=3,m=1,n=17,k=5,ta=1,act=silu", "float64", None),
    ("conv2d", "c=3,h=17,k=7,r=3,stride=2,pad=1,bias=1,act=relu", "float32", None),
    ("conv2d", "c=5,h=7,w=9,k=6,r=3,dilation=2,residual=1,act=gelu", "float32", "NHWC"),
    ("conv2d", "c=16,h=7,k=32,r=1,prepack=0,act=gelu", "float64", "NCHW16c"),
)


def _all_code() -> Iterator[tuple[Workload, Target]]:
    for name in TARGETS:
        for op, shape, dtype, layout in SHAPES:
            yield parse_workload(op, shape, dtype, layout), resolve(name)
        for dtype, name_ in itertools.product(("float32", "float64"), ("gelu", "silu")):
            yield parse_workload("matmul", f"9x17x5,act={name_},prepack=0", dtype), resolve(name)


def test_code_calls_no_library_and_names_its_layout() -> None:
    for workload, target in _all_code():
        made = contraction(workload)
        schedule = default_schedule(made, target)
        text = cpu.ir_text(made, schedule, target)
        layout = str(target_machine(target).target_data)
        assert text.startswith(f'target datalayout = "{layout}"\ntarget triple = "x86_64-')
        lines = cpu.assembly(made, schedule, target)
        called = set(re.findall(r"\b(?:call|jmp)q?\s+\*?([A-Za-z_]\w*)", lines))
        defined = set(re.findall(r"^([A-Za-z_]\w*):", lines, re.MULTILINE))
        # Every C library that a loader can find these in has them.
        assert called - defined <= {"memset", "memcpy"}, (workload.key, target.key)


@pytest.mark.parametrize(
    ("op", "shape"),
    [
        ("matmul", "65536x65536x16"),
        ("matmul", "8192x14336x8192,prepack=0"),
        ("conv2d", "c=64,h=32768,k=8,r=3,pad=1"),
        ("conv2d", "c=64,h=32768,k=8,r=3,stride=2,bias=1,residual=1"),
    ],
)
def test_index_arithmetic_of_huge_shapes_is_64_bit(op: str, shape: str) -> None:
    workload, target = parse_workload(op, shape), resolve("x86-64-v4")
    made = contraction(workload)
    text = cpu.ir_text(made, default_schedule(made, target), target)
    assert not re.search(
        r"= (?:add|sub|mul|udiv|urem|sdiv|srem|shl|phi|trunc|icmp \w+) i32\b", text
    )
    offsets = re.findall(r"getelementptr [^,]+, ptr [^,]+, (\w+) ", text)
    assert set(offsets) == {"i64"}


@pytest.mark.isa("avx2", "fma")
def test_last_tile_beyond_four_gibielements_lands_where_it_should(tmp_path: Path) -> None:
    # The output takes 16 GiB of addresses; only the pages that one task writes become memory.
    size, depth = 65536, 16
    workload = parse_workload("matmul", f"{size}x{size}x{depth},prepack=0")
    nest = Nest((Loop("m", 4), Loop("n", 16)), "n", 8, (("k", 4),))
    made, schedule = contraction(workload), Schedule((nest,), "direct", 2)
    artifact = cpu.build(made, schedule, V3)
    loaded = cpu.load(artifact, V3)
    arrays = make_inputs(workload, 0)
    with (tmp_path / "out").open("w+b") as sparse:
        try:
            sparse.truncate(4 * size * size)
            memory = mmap.mmap(sparse.fileno(), 4 * size * size)
        except OSError:
            pytest.skip("no sparse file of 16 GiB here")
    out = np.frombuffer(memory, np.float32).reshape(size, size)
    bound = bind(artifact, loaded, {**arrays, "out": out}, aligned_bytes(0))
    loaded.body(ctypes.addressof(bound.table), 0, artifact.tasks - 1, artifact.tasks)
    right = arrays["x"][-4:].astype(np.float64) @ arrays["weight"][:, -16:]
    np.testing.assert_allclose(out[-4:, -16:], right, rtol=1e-4, atol=1e-4)
    assert not out[-4:, -1024:-16].any()
    assert not out[-8:-4, -16:].any()
    assert not out[:4].any()
    loaded.close()


def test_code_that_would_take_forever_to_compile_is_refused() -> None:
    # Reported as llvm/llvm-project#221433: thousands of operations in one straight line.
    workload = parse_workload("conv2d", "c=3,h=64,w=64,k=16,r=7")
    steps = (Loop("oc", 1), Loop("oh", 16), Loop("ow", 16))
    nest = Nest(steps, "ow", 8, (("ic", 3), ("kh", 7), ("kw", 7)))
    made, schedule = contraction(workload), Schedule((nest,))
    reason = violation(made, schedule, resolve("x86-64-v4"))
    assert reason is not None
    assert "multiply-adds in one straight-line body" in reason
    smaller = replace(schedule, parts=(replace(nest, inner=(("ic", 1), ("kh", 1), ("kw", 1))),))
    assert violation(made, smaller, resolve("x86-64-v4")) is None
