"""`autotune run --resume` and `autotune show`, with what they call replaced: nothing is built."""

from __future__ import annotations

import json
import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from autotune.cli import app
from autotune.measure import rebuild as rebuilding
from autotune.measure.base import MeasureOptions
from autotune.measure.rebuild import Rebuilt
from autotune.ops.base import contraction, parse_workload
from autotune.store.log import LogWriter
from autotune.targets.base import Target
from autotune.targets.detect import host
from autotune.trial import Failure, Timing, Trial
from tests.measuring import variants

WORKLOAD = parse_workload("matmul", "m=13,n=13,k=40", tolerance=8.0)
SCHEDULES = variants(host(), 5, WORKLOAD)
OUTCOMES = (
    Timing((2e-6, 1e-6, 3e-6), (4e-6, 2e-6, 6e-6), 1.0),
    Failure("crash", "worker ended by SIGSEGV"),
    Failure("wrong_result", "3 elements differ"),
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of three trials."""
    path = tmp_path / "run.jsonl"
    with LogWriter(path) as writer:
        writer.header(
            workload=WORKLOAD.to_dict(),
            target=host().to_dict(),
            machine=host().cpu,
            seed=3,
            explorer="random",
            cost_model="xgboost",
            space_file=None,
            measure={"timeout_s": 2.5, "cache_policy": "warm"},
        )
        for schedule, outcome in zip(SCHEDULES, OUTCOMES, strict=False):
            writer.trial(Trial(schedule, outcome, 0.1, 0.2), point=[1, 2], at_s=1.5)
    return path


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


# --- run --resume ------------------------------------------------------------------------------


@pytest.fixture
def tune(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """How `tune.tune` was called."""
    calls: list[dict[str, Any]] = []

    def fake(workload: Any, **kwargs: Any) -> Any:
        calls.append({"workload": workload, **kwargs})
        return types.SimpleNamespace(to_dict=lambda: {"stopped": "trials"})

    module = types.ModuleType("autotune.tune")
    module.tune = fake  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "autotune.tune", module)
    return calls


def test_resume_takes_workload_target_and_options_from_the_log(
    tune: list[dict[str, Any]], log: Path
) -> None:
    ended = invoke("run", "--resume", str(log), "--trials", "20", "--json")
    assert ended.exit_code == 0, ended.stderr
    (call,) = tune
    resumed = call.pop("resume")
    assert len(resumed.log.entries) == 3
    call.pop("progress")
    assert call == {
        "workload": WORKLOAD,
        "trials": 20,
        "budget_s": None,
        "target": host().key,
        "threads": 1,
        "cache": None,
        "log": None,
        "seed": 3,
        "explorer": "random",
        "cost_model": "xgboost",
        "space": None,
        "timeout_s": 2.5,
        "cache_policy": "warm",
    }


def test_resume_lets_given_options_pass(tune: list[dict[str, Any]], log: Path) -> None:
    given = "--seed 0 --explorer genetic --timeout 7 --space s.toml --target host --threads 1"
    same = "--op matmul --shape k=40,m=13,n=13 --tolerance 8 --dtype float32 --layout row"
    ended = invoke("run", "--resume", str(log), *given.split(), *same.split(), "--quiet")
    assert ended.exit_code == 0, ended.stderr
    (call,) = tune
    expected = {"seed": 0, "explorer": "genetic", "timeout_s": 7.0, "space": "s.toml"}
    assert call.items() >= {**expected, "target": "host", "workload": WORKLOAD}.items()


def test_resume_hands_a_contradicting_workload_on_to_be_refused(
    tune: list[dict[str, Any]], log: Path
) -> None:
    """`tune` compares whole workloads; what is not given is the log's."""
    invoke("run", "--resume", str(log), "--dtype", "float64")
    invoke("run", "--resume", str(log), "--shape", "8x8x8")
    assert [call["workload"].dtype for call in tune] == ["float64", "float32"]
    assert [call["workload"].tolerance for call in tune] == [8.0, 8.0]
    assert tune[1]["workload"].shape.startswith("m=8,n=8,k=8,")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--op", "conv2d"], "--op conv2d is not the one of log .*; allowed: matmul"),
        (["--threads", "2"], "--threads 2 is not the one of log .*; allowed: 1"),
        (["--shape", "m=0"], "shape key m=0 is out of range"),
    ],
)
def test_resume_with_a_contradiction_exits_2_naming_both(
    tune: list[dict[str, Any]], log: Path, arguments: list[str], told: str
) -> None:
    ended = invoke("run", "--resume", str(log), *arguments)
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert ended.stderr.count("\n") == 1
    assert re.search(told, ended.stderr)
    assert not tune


def test_resume_of_a_run_under_another_number_of_threads(
    tune: list[dict[str, Any]], log: Path
) -> None:
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    lines[0]["target"] = host().with_threads(2).to_dict()
    log.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert invoke("run", "--resume", str(log), "--quiet").exit_code == 0
    assert (tune[0]["target"], tune[0]["threads"]) == (host().with_threads(2).key, 2)
    assert invoke("run", "--resume", str(log), "--threads", "1").exit_code == 2


def test_dry_run_of_a_log_shows_its_workload(tune: list[dict[str, Any]], log: Path) -> None:
    ended = invoke("run", "--resume", str(log), "--dry-run", "--json")
    assert json.loads(ended.stdout)["key"] == WORKLOAD.key
    assert not tune


# --- show --------------------------------------------------------------------------------------


class FakeRebuild:
    """Stands for `measure.rebuild.rebuild`."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.answer = Rebuilt("define void @body\n", "body:\n  ret\n", None, True)

    def __call__(
        self, workload: Any, target: Target, schedule: Any, options: MeasureOptions, runs: bool
    ) -> Rebuilt:
        self.calls.append((workload, target, schedule, options, runs))
        return self.answer


@pytest.fixture
def rebuild(monkeypatch: pytest.MonkeyPatch) -> FakeRebuild:
    fake = FakeRebuild()
    monkeypatch.setattr(rebuilding, "rebuild", fake)
    return fake


def test_show_json_has_the_log_s_line_and_what_is_rebuilt(rebuild: FakeRebuild, log: Path) -> None:
    rebuild.answer = Rebuilt("the ir", "", Failure("compile_error", "LLVM refused it"), False)
    ended = invoke("show", "1", "--log", str(log), "--json")
    assert (ended.exit_code, ended.stderr) == (0, "")
    content = json.loads(ended.stdout)
    line = json.loads(log.read_text(encoding="utf-8").splitlines()[2])
    assert content.pop("nest").startswith("# out[m, n] += ")
    assert content == {
        "trial": line,
        "ir": "the ir",
        "asm": "",
        "error": {"kind": "compile_error", "message": "LLVM refused it"},
    }


def test_show_rebuilds_the_schedule_as_the_run_did(rebuild: FakeRebuild, log: Path) -> None:
    for name in ("0", "1", SCHEDULES[2].digest[:8]):
        assert invoke("show", name, "--log", str(log)).exit_code == 0
    assert [call[2] for call in rebuild.calls] == SCHEDULES[:3]
    assert [call[4] for call in rebuild.calls] == [False, True, True]
    workload, target, _, options, _ = rebuild.calls[0]
    assert (workload, target) == (WORKLOAD, host())
    assert (options.timeout_s, options.seed) == (2.5, 3)


def test_show_does_not_run_what_this_machine_cannot(
    rebuild: FakeRebuild, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autotune.targets.detect.runnable", lambda target: "it lacks avx512f")
    invoke("show", "1", "--log", str(log))
    assert rebuild.calls[0][4] is False


def test_show_prints_trial_workload_outcome_sizes_and_nest(rebuild: FakeRebuild, log: Path) -> None:
    shown = invoke("show", "0", "--log", str(log)).stdout
    for part in (
        f"0 of {log}: {SCHEDULES[0].digest}",
        WORKLOAD.key,
        host().key,
        "outcome   ok: 2 us, 0.500 of the reference's time; 3 samples from 1 us to 3 us",
        "now       built, checked and timed without an error",
        "IR        1 lines, 18 bytes (--ir prints them)",
        "assembly  2 lines, 12 bytes (--asm prints them)",
        "multiply-add",
    ):
        assert part in shown
    assert "define void" not in shown


def test_show_of_a_failed_trial_tells_both_errors(rebuild: FakeRebuild, log: Path) -> None:
    rebuild.answer = Rebuilt("", "", Failure("crash", "worker ended by SIGABRT"), False)
    shown = invoke("show", "1", "--log", str(log)).stdout
    assert "outcome   crash: worker ended by SIGSEGV" in shown
    assert "now       crash: worker ended by SIGABRT" in shown
    assert "IR        none" in shown


@pytest.mark.parametrize(
    ("flags", "seen"),
    [
        ([], ()),
        (["--ir"], ("define",)),
        (["--asm"], ("ret",)),
        (["--ir", "--asm"], ("define", "ret")),
    ],
)
def test_show_prints_in_full_what_is_asked_for(
    rebuild: FakeRebuild, log: Path, flags: list[str], seen: tuple[str, ...]
) -> None:
    shown = invoke("show", "0", "--log", str(log), *flags).stdout
    assert (
        tuple(word for word in ("define", "ret") if re.search(rf"^ *{word}\b", shown, re.M)) == seen
    )


def test_show_of_a_schedule_that_is_no_nest_goes_on(rebuild: FakeRebuild, log: Path) -> None:
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    lines[0]["workload"] = parse_workload("conv2d", "c=8,h=8,k=8,r=3").to_dict()
    log.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    rebuild.answer = Rebuilt("", "", Failure("illegal", "no axis oc"), False)
    shown = invoke("show", "0", "--log", str(log)).stdout
    assert "now       illegal: no axis oc" in shown
    assert "(no loop nest)" in shown


@pytest.mark.parametrize("name", ["7", "abcdef", "x", ""])
def test_show_of_an_unknown_trial_exits_2_with_one_line(
    rebuild: FakeRebuild, log: Path, name: str
) -> None:
    ended = invoke("show", name, "--log", str(log))
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert ended.stderr.count("\n") == 1
    assert "names no trial" in ended.stderr
    assert not rebuild.calls


def test_show_tells_of_damaged_lines(rebuild: FakeRebuild, log: Path) -> None:
    """F046."""
    with log.open("ab") as file:
        file.write(b"\xff\xfe\n")
    ended = invoke("show", "1", "--log", str(log))
    assert ended.exit_code == 0
    assert ended.stderr.startswith(f"note: log {log}: skipped 1 of 5 (first at line 5): no JSON")
    assert ended.stderr.count("\n") == 1


def test_show_without_a_log_takes_the_newest(
    rebuild: FakeRebuild, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    ended = invoke("show", "1")
    assert (ended.exit_code, ended.stderr.count("\n")) == (2, 1)
    (tmp_path / "autotune").mkdir()
    (tmp_path / "autotune" / "a.jsonl").write_bytes(log.read_bytes())
    shown = invoke("show", "1").stdout
    assert str(tmp_path / "autotune" / "a.jsonl") in shown


def test_variants_are_legal_here() -> None:
    """What the tests above take for granted."""
    from autotune.ir.legal import violation

    assert not any(violation(contraction(WORKLOAD), s, host()) for s in SCHEDULES)
