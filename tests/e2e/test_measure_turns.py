"""One measurement at a time on a machine, on cores of its own, with inputs of a normal range."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from autotune.measure.base import MeasureOptions
from autotune.measure.check import make_inputs
from autotune.measure.cores import allowed_cores, divide
from autotune.measure.pool import PoolMeasurer
from autotune.ops.base import parse_workload
from autotune.targets.detect import host
from autotune.trial import Trial
from tests.measuring import WORKERS, WORKLOAD, collect, variants


@pytest.fixture(autouse=True)
def _workers_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(WORKERS))


def test_two_tuners_at_once_never_time_at_the_same_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F019: what is measured under contention is worth nothing in quiet."""
    overlaps = tmp_path / "overlaps"
    monkeypatch.setenv("AUTOTUNE_TEST_TIMING", str(tmp_path / "timing"))
    monkeypatch.setenv("AUTOTUNE_TEST_OVERLAPS", str(overlaps))
    options = MeasureOptions(runner_module="exclusive")
    schedules = variants(host(), 6)
    done: list[list[Trial]] = []

    def tune() -> None:
        with PoolMeasurer(WORKLOAD, host(), options) as measurer:
            measurer.submit(schedules)
            done.append(collect(measurer))

    tuners = [threading.Thread(target=tune) for _ in range(2)]
    for tuner in tuners:
        tuner.start()
    for tuner in tuners:
        tuner.join()
    assert [trial.status for trials in done for trial in trials] == ["ok"] * 12
    marks = overlaps.read_bytes()
    assert len(marks) > 50
    assert b"!" not in marks


@pytest.mark.parametrize("threads", [1, 2])
def test_workers_and_their_threads_stay_on_the_cores_they_were_given(threads: int) -> None:
    target, options = host().with_threads(threads), MeasureOptions(cores=divide(allowed_cores(), 1))
    with PoolMeasurer(WORKLOAD, target, options) as measurer:
        measurer.submit(variants(target, 1))
        collect(measurer)
        seen: dict[str, list[set[int]]] = {}
        for status in Path("/proc").glob("[0-9]*/task/[0-9]*/status"):
            try:
                command = (status.parent / "cmdline").read_bytes().split(b"\0")
                lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
            except OSError:
                continue
            if any(part.startswith(b"autotune.measure.") for part in command):
                module = next(p for p in command if p.startswith(b"autotune.measure.")).decode()
                if int(lines["PPid"]) == _own_pid():
                    seen.setdefault(module, []).append(cores_of(lines["Cpus_allowed_list"]))
    running, building = seen["autotune.measure.run"], seen["autotune.measure.build"]
    assert len(running) >= threads
    assert all(cores == set(options.cores.measuring) for cores in running)
    assert all(cores == set(options.cores.building) for cores in building)


def _own_pid() -> int:
    return int(Path("/proc/self/stat").read_text().split()[0])


def cores_of(text: str) -> set[int]:
    cores: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        cores |= set(range(int(first), int(last or first) + 1))
    return cores


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_inputs_are_alike_for_all_candidates_and_of_a_normal_range(dtype: str) -> None:
    """F023: zeros and denormals change the time of the very same kernel."""
    workload = parse_workload("conv2d", "c=8,h=14,k=16,r=3,pad=1,bias=1", dtype)
    first, again, other = (make_inputs(workload, seed) for seed in (0, 0, 1))
    for name, array in first.items():
        assert np.array_equal(array, again[name])
        assert not np.array_equal(array, other[name])
        assert np.isfinite(array).all()
        assert (np.abs(array) > np.finfo(dtype).tiny).all()
        assert 0.5 < array.std() < 1.5
