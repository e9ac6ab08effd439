"""Rules that every generated module keeps, read off its text; nothing is compiled here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import llvmlite.binding as llvm
import numpy as np
import pytest

from autotune.backends import cpu
from autotune.backends.cpu.lower import lower, lower_modules
from autotune.backends.cpu.machine import TRIPLE, target_machine
from autotune.errors import ScheduleError
from autotune.ir.contraction import ITEM_BYTES
from autotune.ir.default import default_schedule
from autotune.ir.legal import violation
from autotune.ir.program import program
from autotune.ir.schedule import Group, Loop, Nest, Schedule, Stage
from autotune.ops.base import contraction, parse_workload
from autotune.space import generate
from autotune.targets.detect import resolve
from tests.golden.kernels import KERNELS, TARGET

TARGETS = ("x86-64", "x86-64-v3", "x86-64-v4")
WORKLOADS = {
    "matmul": ("matmul", "17x31x13,bias=1,residual=1,act=gelu"),
    "turned": ("matmul", "37x41x43,ta=1,tb=1,prepack=0", "float64"),
    "batch": ("batch_matmul", "b=2,m=13,n=64,k=40,act=silu", "float64"),
    "padded": ("conv2d", "c=6,h=13,w=16,k=9,r=3,pad=1x2x0x3,residual=1"),
    "strided": ("conv2d", "c=3,h=31,w=29,k=10,r=5,stride=2,pad=3,bias=1,act=relu"),
    "depthwise": ("conv2d", "c=10,h=9,k=10,r=3,pad=1,groups=10", "float64", "NHWC"),
    "blocked": ("conv2d", "c=16,h=6,k=32,r=3,pad=1,bias=1,act=relu6", "float32", "NCHW16c"),
    "filtered": ("conv2d", "c=17,h=14,k=19,r=3,pad=1"),
}
ALLOWED_FUNCTIONS = re.compile(r"(body|nest_[0-9a-f]{16}|repeat|silu|gelu|pack_[a-z]+)\Z")
MADE_BY = 2
"""Points of the space for each workload and target, beside the default."""


def made(name):
    op, shape, *rest = WORKLOADS[name]
    dtype, layout = [*rest, *("float32", None)[len(rest) :]]
    return contraction(parse_workload(op, shape, dtype, layout))


def schedules(computed, target):
    yield default_schedule(computed, target)
    space = generate(computed, target)
    for point in space.sample(np.random.default_rng(7), MADE_BY):
        yield space.schedule(point)


# --- the rules ---------------------------------------------------------------------------------

WORD = r"(?:%[\w.]+|-?\d+)"
ADDRESS = re.compile(rf"= getelementptr i8, ptr %[\w.]+, i64 {WORD}\Z")
MASKED = re.compile(r"@llvm\.masked\.(?:load|store)\.v\d+f(\d+)\.p0\(.*?\bi32 (\d+), <")
ALIGNED = re.compile(r"\b(?:load|store) (?:<\d+ x )?(ptr|float|double)\b.*, align (\d+)\Z")
SCALAR = re.compile(
    r"= (?:add|sub|mul|shl|or|and|xor|udiv|urem|sdiv|srem|select i1 \S+,|phi|icmp \w+)(?: exact)? "
    r"(i\d+) "
)
FORBIDDEN = re.compile(
    r"\b(alloca|invoke|asm|trunc|sext|zext|ptrtoint|inttoptr|atomicrmw|cmpxchg|fence|volatile"
    r"|nsw|nuw|inbounds|fast|global|constant)\b"
)
HIDDEN = re.compile(
    r'%\w+ = call ptr asm "", "=r,0"\(ptr %\w+\)|call void asm sideeffect "", "~{memory}"\(\)'
)
"""The only assembly there may be: empty, so that LLVM is told nothing of a loop's pointer, and
that loads stay in their place."""
BYTES = {"ptr": 8, "float": 4, "double": 8}


def problems(text: str) -> Iterator[str]:
    """Lines of a module that break a rule."""
    defined = set(re.findall(r"^ *define [^@]*@(\w+)\(", text, re.MULTILINE))
    yield from (f"function {name}" for name in defined if not ALLOWED_FUNCTIONS.match(name))
    for line in map(str.strip, text.splitlines()):
        if line.startswith("target ") or HIDDEN.fullmatch(line):
            continue
        called = re.search(r"\bcall [^@]*@([\w.]+)\(", line)
        kind = SCALAR.search(line)
        aligned, masked = ALIGNED.search(line), MASKED.search(line)
        is_memory = re.search(r"(?:= load|^store) ", line)
        numbers = re.findall(r"(?<![\w.%])-?\d+(?![\w.])", line)
        if (
            FORBIDDEN.search(line)
            or ("getelementptr" in line and not ADDRESS.search(line))
            or (is_memory and not (aligned and int(aligned[2]) <= BYTES[aligned[1]]))
            or (masked and int(masked[2]) != int(masked[1]) // 8 and "declare" not in line)
            or (called and called[1] not in defined and not called[1].startswith("llvm."))
            or (kind and kind[1] not in ("i64", "i1"))
            or any(not -(2**63) <= int(number) < 2**63 for number in numbers)
        ):
            yield line


@pytest.mark.parametrize("name", KERNELS)
def test_kernel_keeps_the_rules(name):
    kernel = KERNELS[name]
    assert list(problems(lower(kernel.contraction, kernel.schedule))) == []


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", WORKLOADS)
def test_generated_module_keeps_the_rules(name, target):
    computed, machine = made(name), resolve(target)
    for schedule in schedules(computed, machine):
        text = cpu.ir_text(computed, schedule, machine)
        assert list(problems(text)) == []
        # Wide accesses are there, so that the rule of alignment says something.
        lanes = schedule.nests[0].lanes
        assert lanes == 1 or f"<{lanes} x " in text
        assert ITEM_BYTES[computed.dtype] in {int(n) for n in re.findall(r"align (\d+)", text)}


@pytest.mark.parametrize("name", ["turned", "strided", "filtered"])
def test_module_over_tasks_keeps_the_rules(name):
    computed, machine = made(name), resolve("x86-64-v3").with_threads(2)
    space, count = generate(computed, machine), 0
    for point in space.sample(np.random.default_rng(3), 8):
        schedule = space.schedule(point)
        count += schedule.parallel > 0
        assert list(problems(cpu.ir_text(computed, schedule, machine))) == []
    assert count


@pytest.mark.parametrize(
    "line",
    [
        "%v1 = load <8 x float>, ptr %p, align 32",
        "%v1 = load <8 x float>, ptr %p",
        "store double %x, ptr %p, align 16",
        "%v1 = load ptr, ptr %p, align 64",
        "%v1 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %p, i32 32, <8 x i1> %m, "
        "<8 x float> zeroinitializer)",
        "%v1 = alloca float",
        "%v1 = getelementptr i8, ptr %p, i32 %i",
        "%v1 = getelementptr inbounds i8, ptr %p, i64 %i",
        "%v1 = getelementptr float, ptr %p, i64 4",
        "%v1 = add i32 %i, 1",
        "%v1 = add nsw i64 %i, 1",
        "%v1 = add i64 %i, 9223372036854775808",
        "%v1 = mul i64 %i, -9223372036854775809",
        "%v1 = trunc i64 %i to i32",
        "%v1 = icmp slt i32 %i, 4",
        "%v1 = phi i32 [ 0, %a ], [ %b, %c ]",
        "call void @free(ptr %p)",
        'call void asm "cpuid", ""()',
        '%v1 = call ptr asm "nop", "=r,0"(ptr %p1)',
        "%v1 = call float @expf(float %x)",
        "define void @main() {",
        "@table = global i64 0",
    ],
)
def test_rules_catch_what_breaks_them(line):
    assert len(list(problems(f"define void @body() {{\n  {line}\n}}"))) == 1


# --- triple and data layout --------------------------------------------------------------------


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", WORKLOADS)
def test_module_has_the_triple_and_layout_of_its_machine(name, target):
    computed, machine = made(name), resolve(target)
    made_for = target_machine(machine)
    text = cpu.ir_text(computed, default_schedule(computed, machine), machine)
    module = llvm.parse_assembly(text)
    module.verify()
    assert module.triple == made_for.triple == TRIPLE
    assert module.data_layout == str(made_for.target_data) != ""


# --- functions of a module ---------------------------------------------------------------------


def signatures(text):
    return re.findall(r"^define [^{]*", text, re.MULTILINE)


@pytest.mark.parametrize("name", KERNELS)
def test_module_defines_the_body_its_repetition_and_a_packer_for_what_is_packed(name):
    kernel = KERNELS[name]
    text = lower(kernel.contraction, kernel.schedule)
    names = {signature.partition("@")[2].partition("(")[0] for signature in signatures(text)}
    made = program(kernel.contraction, kernel.schedule)
    nests = {name for name in names if name.startswith("nest_")}
    called = [plan for plan in made.nests if not plan.contraction.is_once]
    assert len(nests) == (len(called) if len(called) > 1 else 0)
    assert names - nests == {"body", "repeat", *(f"pack_{operand}" for operand, _ in made.packed)}
    assert "define void @body(ptr %operands, ptr %workspace, i64 %begin, i64 %end) " in text


@pytest.mark.parametrize("name", KERNELS)
def test_modules_together_define_what_each_of_them_calls(name):
    kernel = KERNELS[name]
    modules = lower_modules(kernel.contraction, kernel.schedule)
    defined = [found for text in modules for found in re.findall(r"define void @(\w+)\(", text)]
    assert len(defined) == len(set(defined))
    for text in modules:
        llvm.parse_assembly(text).verify()
        declared = set(re.findall(r"declare void @(\w+)\(", text))
        assert declared <= set(defined)
    assert sorted(defined) == sorted(
        re.findall(r"define void @(\w+)\(", lower(kernel.contraction, kernel.schedule))
    )


def test_schedules_that_differ_in_one_nest_share_the_modules_of_the_others():
    kernel = KERNELS["winograd"]
    first = kernel.schedule

    def ahead(part):
        """The same with a prefetch in the nest that reads the packed filters."""
        if isinstance(part, Group):
            return replace(part, parts=tuple(map(ahead, part.parts)))
        reads = any(isinstance(s, Stage) and s.operand == "filters" for s in part.steps)
        return replace(part, prefetch=(("filters", 4096),)) if reads else part

    second = replace(first, parts=tuple(map(ahead, first.parts)))
    assert first != second
    ones, others = (lower_modules(kernel.contraction, s) for s in (first, second))
    assert len(ones) == len(others) > 3
    assert len(set(ones) - set(others)) == 2, "the body and one nest"


def test_long_activations_are_written_once_and_short_ones_in_place():
    nest = Nest((Loop("m", 4),), "n", 8, (("k", 1),))
    for act, copies in (("gelu", 1), ("silu", 1), ("relu", 0), ("relu6", 0)):
        computed = contraction(parse_workload("matmul", f"8x16x2,act={act}"))
        text = lower(computed, Schedule((nest,)))
        assert text.count(f"@{act}(<8 x float> %x) noinline") == copies


def test_illegal_schedule_is_not_lowered():
    computed = contraction(parse_workload("matmul", "64x64x64"))
    whole = Schedule((Nest((), "n", 8, (("k", 1),)),))
    for function in (cpu.build, cpu.ir_text, cpu.assembly):
        with pytest.raises(ScheduleError, match="register tile of 512 vectors"):
            function(computed, whole, resolve(TARGET))


# --- sizes beyond 32 bits ----------------------------------------------------------------------

HUGE = [
    ("matmul", "65536x65536x16"),
    ("matmul", "65536x65536x16,ta=1,tb=1,prepack=0"),
    ("matmul", "1000000x1000000x1000000"),
    ("batch_matmul", "b=65536,m=1024,n=1024,k=64"),
    ("conv2d", "c=64,h=32768,k=64,r=3,pad=1"),
    ("conv2d", "c=64,h=32768,k=64,r=3,pad=1,stride=2,prepack=0,residual=1"),
]


@pytest.mark.parametrize(("op", "shape"), HUGE)
def test_addresses_of_huge_operands_are_64_bits(op, shape):
    computed, target = contraction(parse_workload(op, shape)), resolve("x86-64-v4")
    for schedule in schedules(computed, target):
        assert violation(computed, schedule, target) is None
        text = lower(computed, schedule)
        assert list(problems(text)) == []
        # Elements beyond what an i32 can count are reached by steps or by the ends of loops.
        numbers = {abs(int(n)) for n in re.findall(r"\bi64 (?:%[\w.]+, )?(-?\d+)", text)}
        assert max(numbers) * 65536 > 2**31


def test_largest_shape_that_is_accepted_keeps_its_offsets_in_64_bits():
    size = 2**20
    computed = contraction(parse_workload("matmul", f"{size}x{size}x{size},prepack=0"))
    nest = Nest((Loop("k", 1), Loop("m", 1), Loop("n", 8)), "n", 8, ())
    assert list(problems(lower(computed, Schedule((nest,))))) == []


# --- what is loaded when -------------------------------------------------------------------------

FENCE = 'asm sideeffect "", "~{memory}"()'


def tile_text(rows: int, columns: int, k: int = 64) -> str:
    nest = Nest((Loop("n", columns), Loop("m", rows)), "n", 8, (("k", 4),))
    return lower(contraction(parse_workload("matmul", f"48x48x{k}")), Schedule((nest,)))


def loads_between_fences(text: str) -> list[list[str]]:
    """Of each point of the reduction, the kinds of its loads in order."""
    points = text.split(FENCE)[1:]
    return [re.findall(r"= load (float|<8 x float>),", point) for point in points]


def test_points_of_a_crowded_register_tile_are_fenced_off():
    points = loads_between_fences(tile_text(6, 16))
    assert len(points) == 4
    assert all(point.count("float") == 6 and len(point) == 8 for point in points)


@pytest.mark.parametrize(("rows", "columns"), [(4, 16), (8, 8)])
def test_points_of_small_tiles_are_not(rows, columns):
    assert FENCE not in tile_text(rows, columns)


@pytest.mark.parametrize(
    ("inner", "fences", "vectors"), [(("kw", "kh"), 2, 18), (("kh", "kw"), 8, 36)]
)
def test_points_of_a_short_reduction_share_loads_and_are_fenced_off_from_others(
    inner, fences, vectors
):
    computed = contraction(parse_workload("conv2d", "c=4,h=18,w=18,k=4,r=3,groups=4"))
    steps = (Loop("g", 1), Loop("ow", 8), Loop("oh", 4))
    schedule = Schedule((Nest(steps, "ow", 8, tuple((axis, 3) for axis in inner)),))
    text = lower(computed, schedule)
    assert text.count(FENCE) == fences
    assert len(re.findall(r"= load <8 x float>,", text)) == vectors


@pytest.mark.parametrize(
    ("rows", "columns", "first"),
    [(6, 16, ["float", "<8 x float>", "<8 x float>"]), (3, 32, ["float", "<8 x float>", "float"])],
)
def test_the_fewer_operands_of_a_tile_are_loaded_first(rows, columns, first):
    for point in loads_between_fences(tile_text(rows, columns)):
        assert point[:3] == first
