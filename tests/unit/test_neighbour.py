"""The busy neighbour: at work while it should be, and never afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import neighbour
import pytest

from autotune.errors import AutotuneError


def is_running(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in ("Z", "X")


def wait_for_end(pid: int) -> bool:
    end_s = time.monotonic() + 60
    while is_running(pid) and time.monotonic() < end_s:
        time.sleep(0.05)
    return not is_running(pid)


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


def test_neighbour_is_busy_on_its_core_and_then_gone() -> None:
    core = max(os.sched_getaffinity(0))
    with neighbour.busy(core) as pid:
        assert os.sched_getaffinity(pid) == {core}
        before_s, end_s = cpu_s(pid), time.monotonic() + 60
        while cpu_s(pid) < before_s + 0.1:
            assert time.monotonic() < end_s
            time.sleep(0.02)
    assert not is_running(pid)


def test_neighbour_is_gone_after_an_error() -> None:
    with pytest.raises(KeyboardInterrupt), neighbour.busy(None) as pid:  # noqa: PT012
        assert is_running(pid)
        raise KeyboardInterrupt
    assert not is_running(pid)


def test_neighbour_without_a_parent_ends_by_itself(root: Path) -> None:
    code = (
        "import neighbour, time\n"
        "with neighbour.busy(None) as pid:\n    print(pid, flush=True); time.sleep(600)"
    )
    paths = os.pathsep.join([str(root), str(root / "scripts")])
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths},
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    try:
        assert wait_for_end(pid)
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_neighbour_that_dies_early_is_an_error() -> None:
    with pytest.raises(AutotuneError, match="ended early, status -9"), neighbour.busy(None) as pid:  # noqa: PT012
        os.kill(pid, signal.SIGKILL)
        assert wait_for_end(pid)


def test_neighbour_that_does_not_start_is_an_error() -> None:
    with pytest.raises(AutotuneError, match="did not start"), neighbour.busy(1 << 14):
        pass
