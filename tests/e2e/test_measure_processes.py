"""Workers start from any kind of script and never outlive the tuner."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from autotune.ir.default import default_schedule
from autotune.ops.base import contraction
from autotune.targets.detect import host
from tests.measuring import WORKERS, WORKLOAD

SCRIPT = """
import sys, time
sys.path.insert(0, {root!r})
sys.path.insert(0, {workers!r})
from autotune.ir.default import default_schedule
from autotune.measure.base import MeasureOptions
from autotune.measure.lock import DeviceLock
from autotune.measure.pool import PoolMeasurer
from autotune.ops.base import contraction, parse_workload
from autotune.targets.detect import host
workload = parse_workload("matmul", "13x13x40")
schedule = default_schedule(contraction(workload), host())
with PoolMeasurer(workload, host(), {options}) as measurer:
    measurer.submit([schedule])
    print("started", schedule.digest, flush=True)
    while measurer.pending:
        for trial in measurer.ready(60.0):
            print(trial.status, flush=True)
"""


def script(root: Path, options: str) -> str:
    return SCRIPT.format(root=str(root), workers=str(WORKERS), options=options)


def bare_environment(**more: str) -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | more


def test_script_from_stdin_without_main_guard_works(root: Path, tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise ImportError('the working directory is no path')\n")
    ended = subprocess.run(
        [sys.executable, "-P", "-"],
        input=script(root, "MeasureOptions()"),
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
        env=bare_environment(),
        check=False,
    )
    assert ended.stdout.splitlines()[1:] == ["ok"], ended.stderr


@pytest.fixture
def hanging(root: Path) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A tuner that waits for a hanging candidate, and the pids of its workers."""
    digest = default_schedule(contraction(WORKLOAD), host()).digest
    options = (
        "MeasureOptions(builder_module='faulty_builder', runner_module='faulty_runner', "
        "timeout_s=60.0)"
    )
    tuner = subprocess.Popen(
        [sys.executable, "-P", "-c", script(root, options)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=bare_environment(AUTOTUNE_TEST_FAULTS=json.dumps({digest: "hang"})),
    )
    try:
        assert tuner.stdout is not None
        assert tuner.stdout.readline().startswith("started")
        time.sleep(1.5)
        yield tuner, children(tuner.pid)
    finally:
        tuner.kill()
        tuner.communicate()


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in text for child in (task / "children").read_text().split()]


def is_alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def wait_until_gone(pids: list[int], limit_s: float) -> list[int]:
    deadline = time.monotonic() + limit_s
    while any(map(is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return [pid for pid in pids if is_alive(pid)]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_killed_tuner_leaves_no_worker(hanging: tuple[subprocess.Popen[str], list[int]]) -> None:
    tuner, workers = hanging
    assert len(workers) == 2
    tuner.kill()
    assert wait_until_gone(workers, 5.0) == []


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_interrupted_tuner_ends_with_its_workers(
    hanging: tuple[subprocess.Popen[str], list[int]],
) -> None:
    tuner, workers = hanging
    tuner.send_signal(signal.SIGINT)
    _, errors = tuner.communicate(timeout=5.0)
    assert "KeyboardInterrupt" in errors
    assert wait_until_gone(workers, 1.0) == []
