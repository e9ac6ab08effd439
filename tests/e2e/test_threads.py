"""Kernels over several threads: the bits of one, counted repeats, and failures that stay single."""

from __future__ import annotations

import ctypes
import dataclasses
import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from autotune.backends import cpu
from autotune.backends.base import Artifact
from autotune.ir.default import default_schedule
from autotune.ir.program import program
from autotune.ir.schedule import Schedule
from autotune.measure.check import check_candidate, error_units, make_inputs
from autotune.measure.pool import PoolMeasurer
from autotune.ops.base import contraction, parse_workload
from autotune.pages import aligned_bytes
from autotune.reference import expected
from autotune.runtime import Kernel, bind
from autotune.space import generate
from autotune.space.narrowing import parse
from autotune.space.winograd_nests import build
from autotune.targets.detect import host
from autotune.trial import Workload
from tests.measuring import FAULTY, WORKERS, WORKLOAD, collect, plant, variants

THREADS = (1, 2, 3, 4, 7)
WORKLOADS = {
    "matmul": parse_workload("matmul", "61x64x48,bias=1,act=gelu"),
    "conv2d": parse_workload("conv2d", "c=6,h=19,w=23,k=20,r=3,pad=1,bias=1,residual=1,act=relu"),
    "conv2d in NHWC": parse_workload("conv2d", "c=5,h=11,k=20,r=3,stride=2,pad=1", layout="NHWC"),
    "fewer tasks than threads": parse_workload("matmul", "7x16x8"),
}


def default(workload: Workload, threads: int) -> Schedule:
    return default_schedule(contraction(workload), host().with_threads(threads))


def outputs(workload: Workload, schedule: Schedule) -> set[bytes]:
    """Results with every number of threads, some calls each; right at least once."""
    given = make_inputs(workload, 0)
    right = expected(workload, given)
    x, weight = given.pop("x"), given.pop("weight")
    found = set()
    for threads in THREADS:
        kernel = Kernel(workload, schedule, host().with_threads(threads))
        for _ in range(5):
            out = kernel(x, weight, **given)
            found.add(out.tobytes())
    assert error_units(workload, out, right) <= workload.tolerance
    return found


@pytest.mark.parametrize("name", WORKLOADS)
def test_any_number_of_threads_gives_the_same_bits(name: str) -> None:
    workload = WORKLOADS[name]
    assert len(outputs(workload, default(workload, max(THREADS)))) == 1


def test_winograd_over_any_number_of_threads_gives_the_same_bits() -> None:
    workload = parse_workload("conv2d", "c=8,h=18,k=16,r=3,pad=1")
    made = contraction(workload)
    space = generate(made, host().with_threads(4))
    points = space.sample(np.random.default_rng(0), 2000)
    schedules = (space.schedule(point) for point in points)
    spread = (s for s in schedules if s.algorithm.startswith("winograd") and s.parallel)
    chosen = next(s for s in spread if program(made, s).tasks >= 4)
    assert len(outputs(workload, chosen)) == 1


def built(
    workload: Workload, schedule: Schedule, threads: int
) -> tuple[Artifact, cpu.Loaded, dict[str, NDArray[Any]]]:
    """A kernel over so many threads, and its operands, packed where it wants that."""
    made, target = contraction(workload), host().with_threads(threads)
    artifact = cpu.build(made, schedule, target)
    loaded, arrays = cpu.load(artifact, target), make_inputs(workload, 0)
    for name, size in artifact.packed_bytes:
        packed = aligned_bytes(size)
        loaded.pack(name, arrays[name].ctypes.data, packed.ctypes.data)
        arrays[name] = packed
    arrays["out"] = np.empty(made.output.shape, np.float32)
    return artifact, loaded, arrays


PHASES = {
    # The filters are transformed first, and at each call.
    "rows of tiles": ("c=16,h=18,k=32,r=3,pad=1,prepack=0", {"rows": 1, "filters": 0}),
    "filters and channels": ("c=16,h=7,k=32,r=3,pad=1,prepack=0", {"rows": 2, "filters": 1}),
    "neither": ("c=8,h=7,k=16,r=3,pad=1,prepack=0", {"rows": 2, "filters": 0}),
    "filters packed": ("c=16,h=7,k=32,r=3,pad=1", {"rows": 2, "filters": 1}),
}


@pytest.mark.parametrize(
    ("op", "shape"),
    [
        ("matmul", "1x1x2048"),
        ("matmul", "3x7x1024,bias=1,residual=1,act=relu"),
        ("batch_matmul", "b=2,m=2,n=3,k=1024,tb=1"),
        ("conv2d", "c=1024,h=2,k=5,r=1"),
    ],
)
def test_reduction_in_parts_is_right_and_keeps_to_its_memory(op: str, shape: str) -> None:
    workload = parse_workload(op, shape)
    target = host().with_threads(3)
    space = generate(contraction(workload), target, parse("never.algorithm='direct'", "", op))
    points = space.sample(np.random.default_rng(0), 60)
    schedules = {s.algorithm: s for s in map(space.schedule, points) if s.parallel_before}
    assert len(schedules) >= 2
    for schedule in schedules.values():
        for threads in (1, 2, 7):
            over = host().with_threads(threads)
            assert check_candidate(workload, schedule, over, strict=True) <= workload.tolerance
        assert len(outputs(workload, schedule)) == 1


def of_phases(name: str) -> tuple[Workload, Schedule]:
    """A Winograd schedule of several phases."""
    shape, changes = PHASES[name]
    workload = parse_workload("conv2d", shape)
    knobs = {"outputs": 4, "channels": 1, "tile_rows": 1, "tile_columns": 2, "vectors": 1,
             "unroll": 1, "prefetch": 0, **changes}  # fmt: skip
    made, target = contraction(workload), host().with_threads(4)
    lanes = min(8, target.vector_bytes // 4)
    return workload, build(made, target, knobs, lanes)


@pytest.mark.parametrize("name", PHASES)
def test_phases_over_any_number_of_threads_give_the_same_bits(name: str) -> None:
    workload, schedule = of_phases(name)
    assert len(program(contraction(workload), schedule).phases) > 1
    assert len(outputs(workload, schedule)) == 1


@pytest.mark.parametrize("name", PHASES)
def test_phases_keep_to_their_memory_and_what_threads_share(name: str) -> None:
    workload, schedule = of_phases(name)
    for threads in (1, 2, 7):
        target = host().with_threads(threads)
        assert check_candidate(workload, schedule, target, strict=True) <= workload.tolerance
    made = program(contraction(workload), schedule)
    artifact = cpu.build(contraction(workload), schedule, host().with_threads(3))
    assert artifact.shared_bytes == made.shared_bytes > 0
    assert artifact.workspace_bytes == 3 * made.workspace_bytes + made.shared_bytes
    assert artifact.share_bytes == made.workspace_bytes
    assert artifact.phases == tuple(phase.tasks for phase in made.phases)


@pytest.mark.parametrize("name", PHASES)
def test_any_order_of_the_tasks_within_a_phase_gives_the_same_bits(name: str) -> None:
    workload, schedule = of_phases(name)
    artifact, loaded, arrays = built(workload, schedule, 1)
    workspace, out = aligned_bytes(artifact.workspace_bytes), arrays["out"]
    bound = bind(artifact, loaded, arrays, workspace)
    found, rng = set(), np.random.default_rng(0)
    for call in range(4):
        out.fill(np.nan)
        workspace.fill(0xFF)
        if call == 0:
            bound.run()
        ends = itertools.accumulate(artifact.phases)
        for end, tasks in zip(ends, artifact.phases, strict=True) if call else ():
            for task in end - tasks + rng.permutation(tasks):
                place = ctypes.addressof(bound.table), workspace.ctypes.data
                loaded.body(*place, int(task), int(task) + 1)
        found.add(out.tobytes())
    assert len(found) == 1
    loaded.close()


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_candidates_over_threads_keep_to_their_memory(threads: int) -> None:
    target = host().with_threads(threads)
    for workload in WORKLOADS.values():
        units = check_candidate(workload, default(workload, threads), target, strict=True)
        assert units <= workload.tolerance


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_repeated_calls_are_whole_calls(threads: int) -> None:
    for workload, schedule in (
        (WORKLOADS["matmul"], default(WORKLOADS["matmul"], threads)),
        of_phases("rows of tiles"),
    ):
        artifact, loaded, arrays = built(workload, schedule, threads)
        right, out = expected(workload, make_inputs(workload, 0)), arrays["out"]
        bound = bind(artifact, loaded, arrays, aligned_bytes(artifact.workspace_bytes))
        for count in (1, 2, 100):
            out.fill(np.nan)
            bound.repeat(count)
            assert error_units(workload, out, right) <= workload.tolerance
        loaded.close()


# --- in a runner ---------------------------------------------------------------------------


def test_crash_and_hang_in_a_thread_fail_their_candidates_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(WORKERS))
    target, options = host().with_threads(2), dataclasses.replace(FAULTY, timeout_s=1.5)
    schedules = variants(target, 5)
    plant(monkeypatch, schedules, {1: "segfault_in_thread", 3: "hang_in_thread"})
    with PoolMeasurer(WORKLOAD, target, options) as measurer:
        measurer.submit(schedules)
        trials = {trial.schedule.digest: trial for trial in collect(measurer)}
    found = [trials[schedule.digest] for schedule in schedules]
    kinds = [trial.failure.kind if trial.failure else "ok" for trial in found]
    assert kinds == ["ok", "crash", "ok", "timeout", "ok"]
    assert found[1].failure is not None
    assert "SIGSEGV" in found[1].failure.message
