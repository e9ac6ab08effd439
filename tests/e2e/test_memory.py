"""Memory of real workers: what is estimated is what they take, and many candidates leave nothing.

A process that may have little of it ends as it should: fewer builders, failures with their kind.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import textwrap
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from soak import Step, Usage, measure, schedules, usages
from suite import named_shapes, workload_of

from autotune.backends import cpu
from autotune.ir.default import default_schedule
from autotune.ir.schedule import Schedule
from autotune.measure.base import MeasureOptions
from autotune.measure.memory import BUILDER_BYTES, kernel_bytes, runner_bytes
from autotune.measure.pool import PoolMeasurer
from autotune.ops.base import contraction, parse_workload
from autotune.space import generate, narrowing
from autotune.store.log import read
from autotune.targets.detect import host
from autotune.trial import Workload
from autotune.tune import tune
from tests.measuring import FAULTY, WORKERS, WORKLOAD, collect, plant, variants

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

MIB = 2**20
SMALL = parse_workload("matmul", "64x64x64")


@pytest.fixture(autouse=True)
def _workers_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(WORKERS))


# --- many candidates ---------------------------------------------------------------------------

MAPS, RSS_KIB = 12, 2048
"""How much more a runner may hold after many candidates than after a few."""
HUGE_PAGE_KIB = 2048
"""What the kernel may add to that, once, by making a page huge."""


def soaked(count: int, every: int, runner: str = "autotune.measure.run") -> list[Step]:
    steps: list[Step] = []
    options = MeasureOptions(runner_module=runner)
    ended = measure(SMALL, host(), options, count, every, steps.append)
    assert ended == {"ok": count}
    assert len(steps) == count // every
    return steps


def growth(steps: list[Step], role: str) -> tuple[Usage, Usage]:
    first, last = steps[0].of(role), steps[-1].of(role)
    assert first.pid == last.pid
    return first, last


def check_runner(steps: list[Step]) -> None:
    first, last = growth(steps, "run")
    assert last.files == first.files
    assert last.maps - first.maps <= MAPS
    assert last.rss_kib - first.rss_kib <= RSS_KIB + HUGE_PAGE_KIB
    # What candidates leave behind grows with every step.
    sizes = [step.of("run").rss_kib for step in steps]
    usual = statistics.median(later - earlier for earlier, later in pairwise(sizes))
    assert usual * (len(steps) - 1) <= RSS_KIB


def check_tuner(steps: list[Step]) -> None:
    first, last = growth(steps, "tuner")
    assert last.files == first.files


def test_hundred_candidates_leave_nothing_in_runner_and_tuner() -> None:
    """F027. Left behind by each, 32 KiB would be 4 MiB."""
    steps = soaked(150, 25)
    check_runner(steps)
    check_tuner(steps)
    first, last = growth(steps, "build")
    assert last.files == first.files
    assert last.peak_kib * 1024 < BUILDER_BYTES


def test_runner_that_unloads_nothing_is_found_out() -> None:
    first, last = growth(soaked(30, 10, "leaky_runner"), "leaky_runner")
    assert last.maps - first.maps > 2 * MAPS


@pytest.mark.slow
def test_two_thousand_candidates_leave_nothing_and_renew_the_builder() -> None:
    """F027."""
    # Builders are renewed every 500: none is just starting when it is looked at.
    steps = soaked(2000, 450)
    check_runner(steps)
    check_tuner(steps)
    assert steps[0].of("build").pid != steps[-1].of("build").pid
    assert all(step.of("build").peak_kib * 1024 < BUILDER_BYTES for step in steps)


LOADS = """
    import json, warnings
    import soak
    from autotune import load, lookup, parse_workload, runtime
    from autotune.ir.default import default_schedule
    from autotune.ops.base import contraction
    from autotune.targets.detect import host
    warnings.simplefilter("ignore")
    made = []

    class Counted(runtime.Kernel):
        def __init__(self, *arguments):
            made.append(arguments)
            super().__init__(*arguments)

    runtime.Kernel = Counted
    shapes = [parse_workload("matmul", f"8x8x{k}") for k in (3, 4, 5)]

    def ask(times):
        for turn in range(times):
            load(shapes[turn % 3])
            lookup(shapes[turn % 3])
        (usage,) = soak.usages()
        return usage

    before, after = ask(300), ask(2000)
    print(json.dumps([len(made), after.rss_kib - before.rss_kib, after.maps - before.maps,
                      after.files - before.files]))
"""


def test_loading_kernels_again_and_again_compiles_and_keeps_nothing(root: Path) -> None:
    """F027, in the process of a user."""
    ended = python(root, LOADS)
    assert ended.returncode == 0, ended.stderr
    compiled, rss_kib, maps, files = json.loads(ended.stdout)
    assert (compiled, files) == (3, 0)
    assert maps <= 4
    assert rss_kib <= 1024


def python(
    root: Path, script: str, limit: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    places = os.pathsep.join(str(place) for place in (root, root / "scripts", WORKERS))
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env={**os.environ, "PYTHONPATH": places},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        preexec_fn=limit,
    )


# --- what is estimated -------------------------------------------------------------------------


def workload(name: str) -> Workload:
    shapes = named_shapes()
    return workload_of(shapes[name], True) if name in shapes else parse_workload("matmul", name)


@pytest.mark.parametrize(
    "name", ["1024x1024x1024", "C2", "C12", "D1", "24576x16x512,prepack=0,bias=1,act=relu"]
)
def test_estimate_of_a_runner_is_what_it_takes(name: str) -> None:
    made, target = workload(name), host()
    default = default_schedule(contraction(made), target)
    drawn = list(schedules(made, target, 64, seed=1))
    kernels = [kernel_bytes(contraction(made), s, 1) for s in (default, *drawn)]
    with PoolMeasurer(made, target, MeasureOptions(timeout_s=60.0)) as measurer:
        measurer.submit([default, *drawn[:6]])
        assert {trial.status for trial in collect(measurer)} == {"ok"}
        (runner,) = (usage for usage in usages() if usage.role == "run")
    peak = runner.peak_kib * 1024
    assert 0.8 * peak <= runner_bytes(made, kernels) <= 1.5 * peak


@pytest.mark.parametrize("name", ["C12", "1000x1000x100"])
def test_memory_of_a_kernel_is_what_its_artifact_says(name: str) -> None:
    made, target = contraction(workload(name)), host()
    space = generate(made, target, narrowing.load(None, workload(name).op))
    points = space.sample(np.random.default_rng(0), 3)
    for schedule in (default_schedule(made, target), *map(space.schedule, points)):
        artifact = cpu.build(made, schedule, target)
        held = sum(size for _, size in artifact.packed_bytes) + artifact.workspace_bytes
        assert kernel_bytes(made, schedule, 1) == held


def cli(root: Path, folder: Path, *options: str, limit_bytes: int = 0) -> tuple[int, str]:
    """`autotune run` with a cache and a log in the folder; its status and standard error."""
    command = ["run", "--op", "matmul", "--cache", f"{folder}/cache.db", "--log", f"{folder}/log"]
    arguments = [*command, *options]
    script = f"""
        import sys
        from autotune.__main__ import main
        sys.argv[1:] = {arguments!r}
        main()
    """

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))

    ended = python(root, script, limit if limit_bytes else None)
    return ended.returncode, ended.stderr


def test_shape_that_cannot_fit_is_refused_before_anything_runs(root: Path, tmp_path: Path) -> None:
    """F031."""
    status, said = cli(root, tmp_path, "--shape", "1048576x1048576x16", "--quiet")
    assert status == 2
    (line,) = said.splitlines()
    assert line.startswith("error: matmul/m=1048576,n=1048576,k=16,")
    assert int(line.split(" takes ")[1].split()[0]) > 2**40 * 8
    assert list(tmp_path.iterdir()) == []


# --- little of it ------------------------------------------------------------------------------


def test_run_in_a_gibibyte_of_address_space_ends_well(root: Path, tmp_path: Path) -> None:
    """F031: `ulimit -v`."""
    options = ("--shape", "64x64x64", "--trials", "6", "--quiet")
    status, said = cli(root, tmp_path, *options, limit_bytes=1024 * MIB)
    assert (status, said) == (0, "")
    log = read(str(tmp_path / "log"))
    assert [trial.status for trial in log.trials] == ["ok"] * 6
    assert log.header["measure"]["builders"] >= 1


def test_shape_that_a_limit_on_address_space_leaves_no_room_for_is_refused(
    root: Path, tmp_path: Path
) -> None:
    """F031: the same shape is tuned where there is no limit."""
    options = ("--shape", "4096x4096x64", "--trials", "1", "--quiet")
    status, said = cli(root, tmp_path, *options, limit_bytes=800 * MIB)
    assert (status, len(said.splitlines())) == (2, 1)
    assert said.startswith("error: matmul/m=4096,n=4096,k=64,")
    assert list(tmp_path.iterdir()) == []


SIXTEEN_CORES = """
    from autotune.ir.default import default_schedule
    from autotune.measure.memory import affordable_builders
    from autotune.ops.base import contraction, parse_workload
    from autotune.targets.detect import host
    for size in (64, 2500):
        w = parse_workload("matmul", f"{size}x{size}x{size}")
        default = default_schedule(contraction(w), host())
        print(affordable_builders(w, host(), [default], "warm", 16))
"""


def test_sixteen_builders_do_not_share_a_gibibyte(root: Path) -> None:
    """F031."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1024 * MIB, 1024 * MIB))

    ended = python(root, SIXTEEN_CORES, limit)
    assert ended.returncode == 0, ended.stderr
    small, large = map(int, ended.stdout.split())
    assert 1 <= large < small < 16


MEASURE = """
    import json, os
    from autotune.measure.pool import PoolMeasurer
    from autotune.targets.detect import host
    from tests.measuring import FAULTY, WORKLOAD, collect, variants
    with PoolMeasurer(WORKLOAD, host(), FAULTY) as measurer:
        measurer.submit(variants(host(), 4))
        trials = {trial.schedule.digest: trial for trial in collect(measurer)}
    for schedule in variants(host(), 4):
        failure = trials[schedule.digest].failure
        print(json.dumps([failure.kind, failure.message] if failure else ["ok", ""]))
"""


@pytest.mark.parametrize("fault", ["memory_loop", "map_too_much", "memory_kept"])
def test_candidate_that_meets_a_limit_fails_alone_for_memory(
    root: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """F031: a soft limit holds in the workers too."""
    plant(monkeypatch, variants(host(), 4), {1: fault, 2: f"build_{fault}"})

    def limit() -> None:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (1024 * MIB, hard))

    ended = python(root, MEASURE, limit)
    assert ended.returncode == 0, ended.stderr
    outcomes = [json.loads(line) for line in ended.stdout.splitlines()]
    kinds = [kind for kind, _ in outcomes]
    assert kinds == ["ok", "out_of_memory", "out_of_memory", "ok"], outcomes
    assert all(message for kind, message in outcomes if kind != "ok")


# --- the compiler's own ------------------------------------------------------------------------


def test_compile_that_overflows_its_stack_is_a_crash_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F030."""
    candidates = variants(host(), 4)
    plant(monkeypatch, candidates, {1: "build_overflow_stack"})
    with PoolMeasurer(WORKLOAD, host(), FAULTY) as measurer:
        measurer.submit(candidates)
        trials = {trial.schedule.digest: trial for trial in collect(measurer)}
    failure = trials[candidates[1].digest].failure
    assert failure is not None
    assert (failure.kind, failure.message.split(":")[0]) == ("crash", "worker ended by SIGSEGV")
    assert [t.status for d, t in trials.items() if d != candidates[1].digest] == ["ok"] * 3


def longest(made: Workload) -> Schedule:
    """The candidate with the most code of some hundred."""
    computed = contraction(made)
    drawn = schedules(made, host(), 100, seed=3)
    return max(drawn, key=lambda schedule: len(cpu.ir_text(computed, schedule, host())))


@pytest.mark.parametrize("name", ["C12", "D1"])
def test_longest_code_compiles_on_a_stack_of_one_mebibyte(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F029, F030: straight-line code is bounded, so neither time nor stack runs out."""
    made = workload(name)
    candidate = longest(made)
    plant(monkeypatch, [candidate], {0: "build_shrink_stack"})
    options = MeasureOptions(builder_module="faulty_builder", timeout_s=60.0)
    with PoolMeasurer(made, host(), options) as measurer:
        measurer.submit([candidate])
        (trial,) = collect(measurer)
    assert trial.status == "ok", trial.failure


# --- time limits -------------------------------------------------------------------------------


@pytest.mark.slow
def test_large_odd_matmul_is_tuned_within_the_usual_time_limit(tmp_path: Path) -> None:
    """F026."""
    made = parse_workload("matmul", "2043x2043x2043")
    log = str(tmp_path / "log")
    tune(made, trials=10, cache=str(tmp_path / "cache.db"), log=log)
    trials = read(log).trials
    assert len(trials) == 10
    assert trials[0].timing is not None
    for failure in [trial.failure for trial in trials if trial.failure]:
        assert (failure.kind, failure.message) == ("timeout", "no answer within 10 s; killed")
