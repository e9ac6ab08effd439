"""One trial rebuilt to be looked at: whatever it does, it does in a process of its own."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from autotune.cli import app
from autotune.errors import MeasureError
from autotune.ir.schedule import Schedule
from autotune.measure.base import MeasureOptions
from autotune.measure.rebuild import Rebuilt, rebuild
from autotune.store.log import LogWriter
from autotune.targets.base import Target
from autotune.targets.detect import host
from autotune.trial import CODEGEN_VERSION, Failure, Trial
from tests.measuring import FAULTY, WORKERS, WORKLOAD, plant, variants


@pytest.fixture(scope="module")
def target() -> Target:
    return host()


@pytest.fixture(scope="module")
def schedule(target: Target) -> Schedule:
    return variants(target, 1)[0]


def rebuilt(
    schedule: Schedule, target: Target, options: MeasureOptions = FAULTY, runs: bool = True
) -> Rebuilt:
    return rebuild(WORKLOAD, target, schedule, options, runs)


FAULTS = {
    "build_codegen_error": ("compile_error", "LLVM refused the module"),
    "build_abort_in_llvm": ("crash", "SIGABRT"),
    "build_segfault": ("crash", "SIGSEGV"),
    "build_hang": ("compile_timeout", "no answer within 3 s"),
    "build_memory_error": ("out_of_memory", ""),
    "segfault": ("crash", "SIGSEGV"),
    "wrong": ("wrong_result", ""),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_failure_is_met_again_and_ir_and_assembly_are_there(
    fault: str, schedule: Schedule, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each ends its own worker; the texts come from the next one."""
    monkeypatch.syspath_prepend(str(WORKERS))
    plant(monkeypatch, [schedule], {0: fault})
    found = rebuilt(schedule, target)
    kind, said = FAULTS[fault]
    assert found.failure is not None
    assert found.failure.kind == kind
    assert said in found.failure.message
    assert found.is_run is not fault.startswith("build_")
    assert "define void @body" in found.ir
    assert "target triple" in found.ir
    assert "body:" in found.asm


def test_candidate_that_is_not_to_run_is_only_built(
    schedule: Schedule, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(WORKERS))
    plant(monkeypatch, [schedule], {0: "segfault"})
    found = rebuilt(schedule, target, runs=False)
    assert (found.failure, found.is_run) == (None, False)


def test_good_candidate_has_no_failure(schedule: Schedule, target: Target) -> None:
    found = rebuilt(schedule, target, MeasureOptions())
    assert (found.failure, found.is_run) == (None, True)


def test_illegal_schedule_has_no_ir_and_says_why(schedule: Schedule, target: Target) -> None:
    (nest,) = schedule.nests
    illegal = dataclasses.replace(schedule, parts=(dataclasses.replace(nest, vector="q"),))
    found = rebuilt(illegal, target, MeasureOptions())
    assert found.failure is not None
    assert found.failure.kind == "illegal"
    assert (found.ir, found.asm, found.is_run) == ("", "", False)


def test_worker_that_cannot_start_is_an_error(schedule: Schedule, target: Target) -> None:
    with pytest.raises(MeasureError, match="failed to start"):
        rebuilt(schedule, target, MeasureOptions(builder_module="no_such_module"))


@pytest.fixture
def log(schedule: Schedule, target: Target, tmp_path: Path) -> Path:
    path = tmp_path / "run.jsonl"
    with LogWriter(path) as writer:
        writer.header(
            workload=WORKLOAD.to_dict(),
            target=target.to_dict(),
            machine=target.cpu,
            codegen=CODEGEN_VERSION,
            seed=0,
            explorer="random",
            cost_model="xgboost",
            space_file=None,
            measure={"timeout_s": 10.0, "cache_policy": "warm"},
        )
        writer.trial(Trial(schedule, Failure("crash", "worker ended by SIGSEGV")))
    return path


def test_command_shows_a_trial_of_a_log(log: Path, schedule: Schedule) -> None:
    ended = CliRunner().invoke(app, ["show", schedule.digest[:8], "--log", str(log), "--json"])
    assert (ended.exit_code, ended.stderr) == (0, "")
    content: dict[str, Any] = json.loads(ended.stdout)
    assert content.keys() == {"trial", "nest", "ir", "asm", "error"}
    assert content["trial"]["schedule"] == schedule.to_dict()
    assert content["trial"]["status"] == "crash"
    assert content["error"] is None
    assert "define void @body" in content["ir"]
    assert "body:" in content["asm"]
    assert "multiply-add" in content["nest"]
    shown = CliRunner().invoke(app, ["show", "0", "--log", str(log), "--asm"]).stdout
    assert "built, checked and timed without an error" in shown
    assert "body:" in shown
    assert "define void" not in shown
