from __future__ import annotations

import json
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from autotune import doctor
from autotune.cli import app
from autotune.errors import MeasureError
from autotune.trial import Failure, Timing, Trial

TIMING = Timing((1e-6, 1e-6), (1e-6, 1e-6), 0.5)


class FakeMeasurer:
    """Stands for the pool: answers every schedule with one outcome, or never."""

    def __init__(self, outcome: Timing | Failure | None) -> None:
        self.outcome = outcome
        self.submitted: list[Any] = []
        self.is_closed = False

    def submit(self, schedules: Any) -> None:
        self.submitted += schedules

    def ready(self, wait_s: float) -> list[Trial]:
        if self.outcome is None:
            time.sleep(wait_s)
            return []
        return [Trial(self.submitted[0], self.outcome)]

    def peak_flops(self) -> float:
        return 1e11

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Sets what the measurer's constructor gives or raises."""

    def use(measurer: Any) -> None:
        def make(*_: Any) -> Any:
            if isinstance(measurer, Exception):
                raise measurer
            return measurer

        module = types.ModuleType("autotune.measure.pool")
        module.PoolMeasurer = make  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "autotune.measure.pool", module)

    return use


def steps(cache: str | None = None) -> dict[str, doctor.Step]:
    return {step.name: step for step in doctor.diagnose(cache)}


def test_all_is_well_where_everything_works(pool: Callable[[Any], None]) -> None:
    measurer = FakeMeasurer(TIMING)
    pool(measurer)
    found = steps()
    assert all(step.is_ok and not step.fix for step in found.values()), found
    assert measurer.is_closed
    wanted = {"python", "package numpy", "target", "cores", "caches", "kernel", "peak", "cache"}
    assert wanted | {"logs"} <= found.keys()


@pytest.mark.parametrize(
    "measurer",
    [
        FakeMeasurer(Failure("compile_error", "LLVM says no")),
        FakeMeasurer(Failure("wrong_result", "off by one")),
        MeasureError("workers cannot be started"),
        ImportError("no llvmlite"),
    ],
)
def test_broken_kernel_fails_with_its_reason_and_a_fix(
    pool: Callable[[Any], None], measurer: Any
) -> None:
    pool(measurer)
    found = steps()
    outcome = getattr(measurer, "outcome", None)
    assert not found["kernel"].is_ok
    assert (outcome.message if outcome else str(measurer)) in found["kernel"].detail
    assert found["kernel"].fix
    assert found["logs"].is_ok


def test_workers_that_never_answer_fail_in_time(
    pool: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "PROBE_WAIT_S", 0.05)
    pool(FakeMeasurer(None))
    assert "no answer" in steps()["kernel"].detail


def test_missing_package_is_named_with_the_command_that_installs_it(
    pool: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xgboost", None)
    pool(FakeMeasurer(TIMING))
    step = steps()["package xgboost"]
    assert not step.is_ok
    assert step.fix == "pip install --force-reinstall xgboost"


def test_unknown_processor_fails_every_step_that_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "find_target", lambda: None)
    found = steps()
    assert not any(found[name].is_ok for name in ("target", "cores", "caches", "kernel", "peak"))


def test_unwritable_folders_are_named(pool: Callable[[Any], None], tmp_path: Path) -> None:
    pool(FakeMeasurer(TIMING))
    (tmp_path / "file").write_text("", encoding="utf-8")
    step = steps(str(tmp_path / "file" / "cache.db"))["cache"]
    assert not step.is_ok
    assert "AUTOTUNE_CACHE" in step.fix


def test_cache_that_is_no_cache_is_a_finding(pool: Callable[[Any], None], tmp_path: Path) -> None:
    pool(FakeMeasurer(TIMING))
    (tmp_path / "notes.txt").write_text("not a database at all", encoding="utf-8")
    step = steps(str(tmp_path / "notes.txt"))["cache"]
    assert not step.is_ok
    assert "not an SQLite database" in step.detail
    new = tmp_path / "new" / "cache.db"
    assert steps(str(new))["cache"].is_ok
    assert not new.exists()
    assert new.parent.stat().st_mode & 0o777 == 0o700


def test_command_prints_a_line_a_step_and_fails_with_1(pool: Callable[[Any], None]) -> None:
    pool(MeasureError("no workers"))
    ended = CliRunner().invoke(app, ["doctor"])
    assert ended.exit_code == 1
    lines = ended.stdout.splitlines()
    assert all(line.startswith(("ok ", "FAILED ")) for line in lines)
    assert any(line.startswith("FAILED  kernel: MeasureError: no workers (to") for line in lines)


def test_command_json_is_a_file_that_target_takes(
    pool: Callable[[Any], None], tmp_path: Path
) -> None:
    from autotune.targets.detect import host, resolve

    pool(FakeMeasurer(TIMING))
    ended = CliRunner().invoke(app, ["doctor", "--json"])
    assert ended.exit_code == 0
    content = json.loads(ended.stdout)
    assert content["ok"] is True
    assert {"name", "ok", "detail", "fix"} == content["steps"][0].keys()
    file = tmp_path / "doctor.json"
    file.write_text(ended.stdout, encoding="utf-8")
    assert resolve(str(file)).key == host().key


def test_real_path_takes_under_ten_seconds() -> None:
    start_s = time.monotonic()
    failed = [step for step in doctor.diagnose() if not step.is_ok]
    assert failed == []
    assert time.monotonic() - start_s < 10
