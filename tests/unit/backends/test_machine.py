"""What LLVM makes of a module: registers, fused multiply-adds, no library; and its refusals."""

from __future__ import annotations

import ctypes
import platform
import re
from dataclasses import replace

import numpy as np
import pytest

from autotune.backends import cpu
from autotune.backends.base import Artifact
from autotune.backends.cpu.machine import (
    FEATURES,
    LEVELS,
    Loaded,
    compile_object,
    cpu_name,
    feature_text,
)
from autotune.backends.cpu.peak import CHAINS, ROUNDS
from autotune.errors import CodegenError
from autotune.ir.default import default_schedule
from autotune.ir.program import program
from autotune.ops.base import contraction, parse_workload
from autotune.registry import TARGETS
from autotune.targets.detect import resolve
from tests.golden.kernels import KERNELS, TARGET

SSE, AVX2, AVX512 = (resolve(name) for name in ("x86-64", "x86-64-v3", "x86-64-v4"))
WITHOUT_FMA = replace(AVX2, features=tuple(f for f in AVX2.features if f != "fma"))


def assembly(shape, target, dtype="float32"):
    computed = contraction(parse_workload("matmul", shape, dtype))
    return cpu.assembly(computed, default_schedule(computed, target), target)


# --- instructions ------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("target", "widest", "unknown"),
    [(SSE, "xmm", "ymm|zmm"), (AVX2, "ymm", "zmm"), (AVX512, "zmm", "none")],
    ids=["x86-64", "x86-64-v3", "x86-64-v4"],
)
def test_code_uses_the_widest_registers_and_fused_multiply_adds(target, widest, unknown, dtype):
    text = assembly("48x64x32", target, dtype)
    suffix = {"float32": "ps", "float64": "pd"}[dtype]
    if target.has_fma:
        fused = re.findall(rf"vfn?madd\d+{suffix}\s.*%({widest})\d+", text)
        assert len(fused) >= 8
        assert f"vmul{suffix}" not in text
    else:
        assert "fmadd" not in text
        assert len(re.findall(rf"mul{suffix}\s.*%{widest}\d+", text)) >= 8
    assert not re.search(unknown, text)


def test_code_for_a_target_without_fused_multiply_adds_has_none():
    assert not WITHOUT_FMA.has_fma
    text = assembly("48x64x32", WITHOUT_FMA)
    assert "fmadd" not in text
    assert re.search(r"vmulps\s.*%ymm", text)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("target", [SSE, WITHOUT_FMA, AVX2, AVX512], ids=lambda t: t.key[:20])
def test_code_calls_no_library(target, dtype):
    for act in ("gelu", "silu"):
        text = assembly(f"9x17x5,act={act}", target, dtype)
        called = set(re.findall(r"\b(?:call|jmp)q?\s+\*?([A-Za-z_]\w*)", text))
        # The loader resolves these two in any C library.
        assert called - {"memset", "memcpy"} <= {"body", "gelu", "silu"}, called


# --- names that reach LLVM ---------------------------------------------------------------------


@pytest.mark.parametrize("name", [*TARGETS.names(), "host"])
def test_every_feature_is_named_with_its_sign(name):
    target = resolve(name)
    signs = {part[1:]: part[0] for part in feature_text(target).split(",")}
    assert set(signs) == set(FEATURES.values())
    assert {linux for linux, llvm in FEATURES.items() if signs[llvm] == "+"} == set(target.features)


def test_cpu_names_are_those_of_levels_only():
    assert [cpu_name(target) for target in (SSE, AVX2, AVX512)] == list(LEVELS.values())
    strange = replace(AVX512, cpu="amd-25-17")
    assert cpu_name(strange) == "x86-64-v4"
    assert cpu_name(replace(strange, features=AVX2.features)) == "x86-64-v3"
    assert cpu_name(replace(strange, features=WITHOUT_FMA.features)) == "x86-64"
    assert cpu_name(replace(strange, cpu="-64bit,+nonesuch", features=())) == "x86-64"


def test_llvm_version_is_three_numbers():
    assert re.fullmatch(r"\d+\.\d+\.\d+", cpu.llvm_version())


# --- artifacts and refusals --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["direct", "once_and_prefetch", "tasks", "fused_tail"])
def test_artifact_says_what_a_caller_must_provide(name):
    kernel, target = KERNELS[name], resolve(TARGET).with_threads(2)
    made = program(kernel.contraction, kernel.schedule)
    artifact = cpu.build(kernel.contraction, kernel.schedule, target)
    assert all(code[:4] == b"\x7fELF" for code in artifact.objects)
    assert artifact.operands == tuple(a.operand for a in kernel.contraction.operands)
    assert artifact.operands[-1] == "out"
    assert artifact.packed_bytes == made.packed
    assert artifact.tasks == made.tasks
    assert artifact.threads == min(2, made.tasks)
    assert artifact.workspace_bytes >= made.workspace_bytes * artifact.threads
    assert (artifact.digest, artifact.target) == (kernel.schedule.digest, target.key)
    assert artifact.ir_bytes > 0


@pytest.mark.parametrize(
    "ir",
    ["nonsense", "define void @body() {", "define i32 @body() {\n  ret float 0.0\n}"],
)
def test_module_that_llvm_refuses_is_a_codegen_error_of_one_line(ir):
    with pytest.raises(CodegenError, match="LLVM refused the module") as caught:
        compile_object(ir, AVX2)
    assert "\n" not in str(caught.value)


def small() -> Artifact:
    kernel = KERNELS["direct"]
    return cpu.build(kernel.contraction, kernel.schedule, resolve(TARGET))


@pytest.mark.isa("avx2")
def test_object_without_a_function_it_promises_is_refused():
    artifact = replace(small(), packed_bytes=(("weight", 64),))
    with pytest.raises(CodegenError, match=r"cannot be linked: .*pack_weight"):
        cpu.load(artifact, resolve(TARGET))


@pytest.mark.isa("avx2")
def test_unloaded_kernel_gives_no_functions():
    loaded = cpu.load(small(), resolve(TARGET))
    loaded.close()
    loaded.close()
    assert not hasattr(loaded, "body")
    with pytest.raises(CodegenError, match="this kernel's code was unloaded"):
        loaded._linked.function("body")


@pytest.mark.isa("avx2")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_peak_is_that_of_ordinary_numbers_whatever_memory_holds(dtype):
    """Some cores are a hundred times slower with subnormal ones."""
    artifact, flop_count = cpu.peak_kernel(AVX2, dtype)
    place = np.full(artifact.workspace_bytes // 4, 1e-40, np.float32)
    table = (ctypes.c_void_p * 1)(place.ctypes.data)
    loaded = cpu.load(artifact, AVX2)
    loaded.body(ctypes.addressof(table), 0, 0, 1)
    sums = place.view(dtype).reshape(CHAINS, -1)
    assert np.array_equal(sums, np.broadcast_to(np.arange(CHAINS)[:, None] + ROUNDS, sums.shape))
    assert flop_count == 2 * sums.size * ROUNDS
    loaded.close()


def test_code_is_not_loaded_on_another_machine(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    with pytest.raises(CodegenError, match="this machine is aarch64; x86_64 code cannot run here"):
        Loaded(small(), resolve(TARGET))
