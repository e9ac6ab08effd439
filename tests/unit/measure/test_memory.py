"""What there is, what measuring takes, and what follows: builders, or a refusal."""

from __future__ import annotations

import resource
import tracemalloc
from math import prod
from pathlib import Path

import pytest

from autotune.errors import UsageError
from autotune.ir.default import default_schedule
from autotune.ir.program import program
from autotune.measure import memory
from autotune.measure.check import Operands, make_inputs
from autotune.measure.memory import (
    BUILDER_BYTES,
    RUNNER_BYTES,
    TUNER_BYTES,
    UNUSED_BYTES,
    affordable_builders,
    builders_for,
    free_bytes,
    kernel_bytes,
    runner_bytes,
)
from autotune.ops.base import contraction, parse_workload
from autotune.reference import expected
from autotune.targets.detect import resolve

GIB = 2**30
TARGET = resolve("x86-64-v3")
ERF_BYTES = 65536 * 32


class Machine:
    """Folders that say what a test wants them to, in place of /proc and /sys/fs/cgroup."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.proc, self.cgroups = folder / "proc", folder / "cgroup"
        self._patch = patch
        self.write("proc/meminfo", f"MemTotal:  {2**25} kB\nMemAvailable:   {2**23} kB\nX: 1 kB\n")
        self.limit(resource.RLIM_INFINITY)

    def write(self, name: str, text: str) -> None:
        path = self.proc.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def limit(self, soft: int) -> None:
        self._patch.setattr(resource, "getrlimit", lambda _: (soft, resource.RLIM_INFINITY))

    @property
    def free(self) -> int:
        return free_bytes(self.proc, self.cgroups)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def test_free_memory_without_limits_is_what_the_system_has_available(machine: Machine) -> None:
    assert machine.free == 8 * GIB


def test_free_memory_under_cgroup_v2_is_the_least_of_all_parents(machine: Machine) -> None:
    machine.write("proc/self/cgroup", "0::/a/b\n")
    machine.write("cgroup/a/b/memory.max", "max\n")
    machine.write("cgroup/a/b/memory.current", "1\n")
    machine.write("cgroup/a/memory.max", f"{3 * GIB}\n")
    machine.write("cgroup/a/memory.current", f"{2 * GIB}\n")
    assert machine.free == GIB
    machine.write("cgroup/a/memory.stat", f"anon 5\ninactive_file {GIB // 2}\nactive_file 7\n")
    assert machine.free == GIB + GIB // 2


def test_free_memory_under_cgroup_v1_is_the_limit_less_the_usage(machine: Machine) -> None:
    machine.write("proc/self/cgroup", "4:cpu:/x\n3:memory:/job\n0::/\n")
    machine.write("cgroup/memory/job/memory.limit_in_bytes", f"{4 * GIB}")
    machine.write("cgroup/memory/job/memory.usage_in_bytes", f"{3 * GIB}")
    machine.write("cgroup/memory/memory.limit_in_bytes", "9223372036854771712")
    machine.write("cgroup/memory/memory.usage_in_bytes", f"{5 * GIB}")
    assert machine.free == GIB
    machine.write("cgroup/memory/job/memory.stat", f"inactive_file 1\ntotal_inactive_file {GIB}\n")
    assert machine.free == 2 * GIB


def test_free_memory_of_a_full_cgroup_is_none(machine: Machine) -> None:
    machine.write("proc/self/cgroup", "0::/\n")
    machine.write("cgroup/memory.max", f"{GIB}")
    machine.write("cgroup/memory.current", f"{GIB + 4096}")
    assert machine.free == 0


@pytest.mark.parametrize("text", ["", "max", "-1", "1.5", "lots"])
def test_free_memory_with_an_odd_cgroup_limit_ignores_it(machine: Machine, text: str) -> None:
    machine.write("proc/self/cgroup", "0::/\nnonsense\n")
    machine.write("cgroup/memory.max", text)
    machine.write("cgroup/memory.current", "4096")
    assert machine.free == 8 * GIB


def test_free_memory_where_nothing_says_so_is_all_there_is(tmp_path: Path) -> None:
    lines = Path("/proc/meminfo").read_text(encoding="utf-8").splitlines()
    (total,) = [int(line.split()[1]) for line in lines if line.startswith("MemTotal")]
    assert free_bytes(tmp_path, tmp_path) == total * 1024


@pytest.mark.parametrize(
    ("limit", "free"),
    [(GIB, GIB - UNUSED_BYTES), (64 * GIB, 8 * GIB), (UNUSED_BYTES // 2, 0), (0, 0)],
)
def test_free_memory_is_within_the_limit_on_address_space(
    machine: Machine, limit: int, free: int
) -> None:
    """F031: `ulimit -v`."""
    machine.limit(limit)
    assert machine.free == free


@pytest.mark.parametrize(
    ("free", "cores", "builders"),
    [
        (100 * BUILDER_BYTES, 16, 16),
        (5 * BUILDER_BYTES, 16, 5),
        (5 * BUILDER_BYTES - 1, 16, 4),
        (BUILDER_BYTES - 1, 16, 1),
        (0, 16, 1),
        (100 * BUILDER_BYTES, 0, 1),
        (100 * BUILDER_BYTES, -3, 1),
    ],
)
def test_builders_are_one_a_core_as_far_as_memory_goes(
    free: int, cores: int, builders: int
) -> None:
    """F031."""
    assert builders_for(free, cores) == builders


def builders(shape: str, cores: int = 16) -> int:
    workload = parse_workload("matmul", shape)
    default = default_schedule(contraction(workload), TARGET)
    return affordable_builders(workload, TARGET, [default], "warm", cores)


def test_builders_share_what_is_free_with_tuner_and_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    """F031: fewer than the cores have room for."""
    free = TUNER_BYTES + RUNNER_BYTES + 5 * BUILDER_BYTES + BUILDER_BYTES // 2
    monkeypatch.setattr(memory, "free_bytes", lambda: free)
    assert builders("64x64x64") == 5
    assert builders("64x64x64", cores=2) == 2
    assert 1 <= builders("2048x2048x2048") < 5


def test_what_cannot_fit_is_refused_with_key_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    workload = parse_workload("matmul", "65536x65536x16")
    least = 65536 * 65536 * 8
    monkeypatch.setattr(memory, "free_bytes", lambda: least)
    with pytest.raises(UsageError) as refused:
        builders("65536x65536x16")
    (line,) = str(refused.value).splitlines()
    assert line.startswith(f"{workload.key} takes ")
    assert line.endswith(f" bytes of memory to measure; {least} bytes are free")
    assert least < int(line.split()[2]) < 2.5 * least


def test_what_just_fits_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_bytes", lambda: 0)
    with pytest.raises(UsageError) as refused:
        builders("512x512x512")
    needed = int(str(refused.value).split(" takes ")[1].split()[0])
    monkeypatch.setattr(memory, "free_bytes", lambda: needed)
    assert builders("512x512x512") == 1
    monkeypatch.setattr(memory, "free_bytes", lambda: needed - 1)
    with pytest.raises(UsageError, match=f"takes {needed} bytes"):
        builders("512x512x512")


WORKLOADS = (
    ("matmul", "512x384x640", "float32", None),
    ("matmul", "512x384x640,ta=1,tb=1", "float64", None),
    ("matmul", "640x512x16,bias=1", "float32", None),
    ("matmul", "640x512x16,bias=1,act=relu", "float32", None),
    ("matmul", "640x512x16,residual=1,act=relu6", "float32", None),
    ("matmul", "640x512x16,bias=1,residual=1,act=gelu", "float64", None),
    ("matmul", "640x512x16,act=silu", "float32", None),
    ("batch_matmul", "6x200x200x30", "float32", None),
    ("conv2d", "c=32,h=56,k=32,r=3,pad=1", "float32", None),
    ("conv2d", "c=64,h=56,k=16,r=1", "float32", None),
    ("conv2d", "c=64,h=56,k=64,r=3,pad=1,groups=64,bias=1,act=relu", "float32", None),
    ("conv2d", "c=8,h=100,k=64,r=5,stride=2,bias=1,residual=1", "float32", "NHWC"),
    ("conv2d", "c=64,h=28,k=64,r=3,pad=1,residual=1,act=gelu", "float64", "NCHW16c"),
)


@pytest.mark.parametrize(("op", "shape", "dtype", "layout"), WORKLOADS)
def test_memory_of_a_runner_is_what_it_holds_at_its_peak(
    op: str, shape: str, dtype: str, layout: str | None
) -> None:
    workload = parse_workload(op, shape, dtype, layout)
    tracemalloc.start()
    try:
        inputs = make_inputs(workload, 0)
        right = expected(workload, inputs)
        _, peak = tracemalloc.get_traced_memory()
        operands = Operands(workload, inputs)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert right.out.size
    held += sum(buffer.bytes.size for buffer in operands.buffers.values())
    # The error function goes through lists of numbers, chunk by chunk: no part of the operands.
    peak -= ERF_BYTES if "gelu" in shape else 0
    told = runner_bytes(workload, [0]) - RUNNER_BYTES
    assert 0.9 * max(peak, held) <= told <= 1.2 * max(peak, held)


def test_memory_of_a_runner_covers_the_reference_and_most_candidates() -> None:
    workload = parse_workload("matmul", "64x64x64")
    empty = runner_bytes(workload, [0])
    kernels = [10_000_000, *range(0, 90_000_000, 1_000_000), *[GIB] * 9]
    assert runner_bytes(workload, kernels) - empty == pytest.approx(99_000_000, rel=0.01)
    # The default is measured beside a copy of itself.
    large = [100_000_000, *range(0, 90_000_000, 1_000_000)]
    assert runner_bytes(workload, large) - empty == pytest.approx(200_000_000, rel=0.01)
    assert runner_bytes(workload, [10_000_000]) - empty == pytest.approx(20_000_000, rel=0.01)


@pytest.mark.parametrize(("prepack", "times"), [(0, 1.0), (1, 4 / 3)])
def test_rotating_operands_take_more_than_the_cache(prepack: int, times: float) -> None:
    """What is packed, a third of the operands here, is copied for each of two kernels."""
    workload = parse_workload("matmul", f"64x64x64,prepack={prepack}")
    cache = 32 * 2**20
    more = runner_bytes(workload, [0], cache) - runner_bytes(workload, [0])
    assert times * cache <= more < 1.02 * times * cache


def test_memory_of_a_kernel_is_its_packed_weights_and_a_workspace_for_each_thread() -> None:
    made = contraction(parse_workload("conv2d", "c=64,h=56,k=64,r=3,pad=1"))
    default = default_schedule(made, TARGET.with_threads(4))
    one, four = (kernel_bytes(made, default, threads) for threads in (1, 4))
    # Packed in whole register tiles, so no smaller than the plain weights.
    packed = dict(program(made, default).packed)["weight"]
    assert 4 * prod(made.access("weight").shape) <= packed < one < four
    assert four - packed == pytest.approx(4 * (one - packed), rel=0.01)
