from __future__ import annotations

import importlib
import json
import os
import re
import signal
import subprocess
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from autotune.cli import app, options, progress, show
from autotune.errors import AutotuneError, PerformanceCliffWarning, UsageError
from autotune.ir.schedule import Loop, Nest, Schedule
from autotune.ops.base import parse_workload

C6 = ["--op", "conv2d", "--shape", "c=128,h=28,k=128,r=3,pad=1"]
SMALL = ["--op", "matmul", "--shape", "m=8,n=16,k=4"]
SCHEDULE = Schedule((Nest((Loop("m", 1),), "n", 16, (("k", 1),)),))


def outcome(**changes: Any) -> dict[str, Any]:
    """The JSON of a run that went well."""
    return {
        "workload": {},
        "key": "matmul/...",
        "target": "x86-64/baseline/t1",
        "trials": 64,
        "failed": 2,
        "failures": {"timeout": 2},
        "seconds": 5.1,
        "trials_per_second": 12.5,
        "stopped": "trials",
        "selected": "tuned",
        "baseline": {"seconds": 2e-3, "gflops": 50.0},
        "best": {
            "seconds": 1e-3,
            "gflops": 100.0,
            "speedup": 2.0,
            "speedup_interval": [1.9, 2.1],
            "peak_fraction": 0.9,
            "error_units": 1.0,
            "schedule": {},
        },
        "cache": "cache.db",
        "log": "run.jsonl",
        **changes,
    }


def advance(**changes: Any) -> types.SimpleNamespace:
    """Progress as `tune` reports it."""
    fields = {
        "phase": "search",
        "note": "",
        "trials": 3,
        "wanted": 8,
        "best_gflops": 12.34,
        "peak_fraction": 0.5,
        "trials_per_second": 10.0,
        "failures": {"timeout": 1},
        "seconds_left": 4.0,
    }
    return types.SimpleNamespace(**{**fields, **changes})


class FakeTune:
    """Stands for `tune.tune`: remembers how it was called, reports once, ends as told."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.content = outcome()
        self.error: BaseException | None = None
        self.signal: int | None = None

    def __call__(self, workload: Any, **kwargs: Any) -> Any:
        self.calls.append({"workload": workload, **kwargs})
        if kwargs["progress"]:
            kwargs["progress"](advance())
        if self.error:
            raise self.error
        if self.signal:
            try:
                os.kill(os.getpid(), self.signal)
                signal.pause()
            except KeyboardInterrupt:
                self.content = outcome(stopped="interrupted")
        return types.SimpleNamespace(to_dict=lambda: self.content)


@pytest.fixture
def tune(monkeypatch: pytest.MonkeyPatch) -> FakeTune:
    fake = FakeTune()
    module = types.ModuleType("autotune.tune")
    module.tune = fake  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "autotune.tune", module)
    return fake


class FakeHit(types.SimpleNamespace):
    """What `lookup.lookup` answers."""

    def to_dict(self) -> dict[str, Any]:
        return {"hit": self.is_hit, "origin": self.origin, "cliff": self.cliff}


@pytest.fixture
def lookup(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets what the lookup finds."""
    answers: dict[str, Any] = {}

    def find(workload: Any, **kwargs: Any) -> FakeHit:
        if not answers["hit"]:
            warnings.warn("expected 2x slower;\nrun: autotune run", PerformanceCliffWarning, 2)
        return FakeHit(
            key=workload.key,
            target="x86-64/baseline/t1",
            stale=False,
            verified=True,
            seconds=1e-3,
            gflops=100.0,
            schedule=SCHEDULE,
            cliff=None if answers["hit"] else {"predicted_slowdown": 2.0},
            origin="tuned" if answers["hit"] else "default",
            is_hit=answers["hit"],
        )

    module = types.ModuleType("autotune.lookup")
    module.lookup = find  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "autotune.lookup", module)
    return lambda **given: answers.update(given)


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def test_run_json_is_one_object_alone_on_stdout(tune: FakeTune) -> None:
    ended = invoke("run", *C6, "--json")
    assert ended.exit_code == 0
    assert json.loads(ended.stdout) == tune.content
    assert "trials" in ended.stderr


def test_run_passes_every_option_on(tune: FakeTune, tmp_path: Path) -> None:
    flags = "--dtype float64 --target x86-64-v3 --threads 1 --trials 5 --budget 2m --seed 3"
    more = "--explorer random --cost-model xgboost --tolerance 8 --timeout 2.5 --quiet"
    files = ["--cache", "c.db", "--log", "l.jsonl", "--space", "s.toml"]
    assert invoke("run", *C6, *flags.split(), *more.split(), *files).exit_code == 0
    (call,) = tune.calls
    workload = call.pop("workload")
    assert (workload.dtype, workload.tolerance) == ("float64", 8.0)
    assert call == {
        "trials": 5,
        "budget_s": 120.0,
        "target": "x86-64-v3",
        "threads": 1,
        "cache": "c.db",
        "log": "l.jsonl",
        "resume": None,
        "seed": 3,
        "explorer": "random",
        "cost_model": "xgboost",
        "space": "s.toml",
        "timeout_s": 2.5,
        "progress": None,
    }


def test_run_without_trials_has_64_or_the_budget_alone(tune: FakeTune) -> None:
    invoke("run", *C6)
    invoke("run", *C6, "--budget", "45s")
    assert tune.calls[0]["trials"] == 64
    assert tune.calls[1]["trials"] is None


def test_run_summary_tells_winner_default_and_files(tune: FakeTune) -> None:
    shown = invoke("run", *C6).stdout
    for part in ("2.00x", "1.90 to 2.10", "90% of peak", "50.0", "cache.db", "run.jsonl"):
        assert part in shown
    assert "timeout 2" in shown


def test_run_summary_says_when_the_default_stays(tune: FakeTune) -> None:
    tune.content = outcome(selected="baseline")
    assert "nothing measured beats it" in invoke("run", *C6).stdout


def test_run_quiet_says_nothing(tune: FakeTune) -> None:
    ended = invoke("run", *C6, "--quiet")
    assert (ended.exit_code, ended.stdout, ended.stderr) == (0, "", "")


def test_run_verbose_says_what_is_tuned(tune: FakeTune) -> None:
    assert "tuning conv2d/" in invoke("run", *C6, "-v").stderr


def test_run_summary_copes_with_a_failed_default(tune: FakeTune) -> None:
    best = {**outcome()["best"], "speedup": None, "speedup_interval": None}
    tune.content = outcome(best=best, baseline=None, notes=["the default failed"])
    shown = invoke("run", *C6).stdout
    assert "default   failed" in shown
    assert "note      the default failed" in shown


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_run_ended_by_a_signal_reports_and_exits_by_it(
    tune: FakeTune, number: int, code: int
) -> None:
    before = signal.getsignal(number)
    tune.signal = number
    ended = invoke("run", *C6, "--json")
    assert ended.exit_code == code
    assert json.loads(ended.stdout)["stopped"] == "interrupted"
    assert signal.getsignal(number) is before


def test_run_interrupted_before_anything_exits_130_with_one_line(tune: FakeTune) -> None:
    tune.error = KeyboardInterrupt()
    ended = invoke("run", *C6, "--quiet")
    assert ended.exit_code == 130
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "code"), [(UsageError("two\nlines"), 2), (AutotuneError("two\nlines"), 1)]
)
def test_errors_are_one_line_and_an_exit_code(tune: FakeTune, error: Exception, code: int) -> None:
    tune.error = error
    ended = invoke("run", *C6, "--quiet")
    assert (ended.exit_code, ended.stdout, ended.stderr) == (code, "", "error: two lines\n")


@pytest.mark.parametrize(
    ("shape", "named"),
    [
        ("c=3,h=2,k=4,r=3", "r=3"),
        ("c=3,h=8,k=4,r=3,dilation=5", "dilation"),
        ("c=3,h=8,k=4,r=3,stride=0", "stride=0"),
        ("c=3,h=8,k=4,r=3,groups=2", "groups=2"),
        ("c=3,h=8,k=4,r=3,n=0", "n=0"),
        ("c=3,h=8,k=4,r=3,pad=-1", "pad=-1"),
        ("c=3,h=8,k=4,r=3,q=1", "q=1"),
    ],
)
def test_impossible_shapes_exit_2_naming_the_key(tune: FakeTune, shape: str, named: str) -> None:
    ended = invoke("run", "--op", "conv2d", "--shape", shape)
    assert ended.exit_code == 2
    assert named in ended.stderr
    assert ended.stderr.startswith("error: ")
    assert ended.stderr.count("\n") == 1
    assert not tune.calls


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", *SMALL, "--budget", "10"],
        ["run", *SMALL, "--budget", "0s"],
        ["run", *SMALL, "--trials", "0"],
        ["run", *SMALL, "--threads", "0"],
        ["run", *SMALL, "--trials", "many"],
        ["run", *SMALL, "--dtype", "int8"],
        ["run", *SMALL, "--layout", "NHWC"],
        ["run", "--op", "softmax", "--shape", "m=1"],
        ["run", *SMALL, "--no-such-flag"],
        ["run"],
        ["no-such-command"],
        ["cache", "show"],
        ["list", "planets"],
    ],
)
def test_bad_usage_exits_2_without_a_traceback(tune: FakeTune, arguments: list[str]) -> None:
    ended = invoke(*arguments)
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert "Traceback" not in ended.stderr
    assert not tune.calls


@pytest.mark.parametrize("command", ["run", "lookup"])
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_more_threads_than_cores_exit_2_with_one_line(command: str, more: list[str]) -> None:
    ended = invoke(command, *SMALL, "--threads", "1023", *more)
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert re.fullmatch(r"error: threads=1023 is not allowed on this host; .*\n", ended.stderr)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", *SMALL, "--trials", "0"], "'--trials'.*greater than or equal to 1, not '0'"),
        (["run", *SMALL, "--seed", "x"], "'--seed'.*not 'x'"),
        (["run", *SMALL, "--no-such"], "No such option: --no-such"),
        (
            ["run"],
            r"Missing option '--op' \(or '--resume', '--misses'\); see `autotune run --help`",
        ),
        (["run", "--op", "matmul"], "Missing option '--shape'"),
        (["run", "--shape", "8x8x8"], "Missing option '--op'"),
        (["run", "--resume", "no-such.jsonl"], "no-such.jsonl cannot be read"),
        (["show"], "Missing argument 'TRIAL'"),
        (["show", "1", "--log", "no-such.jsonl"], "no-such.jsonl cannot be read"),
        (["runn"], "No such command 'runn'. Did you mean 'run'"),
        (["--no-such"], "No such option: --no-such"),
        (["cache", "show", "x", "--as", "c"], "'c' is not one of 'nest', 'ir', 'asm';"),
    ],
)
def test_bad_usage_is_told_in_one_line_with_the_value(arguments: list[str], told: str) -> None:
    ended = invoke(*arguments)
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert ended.stderr.startswith("error: ")
    assert ended.stderr.count("\n") == 1
    assert re.search(told, ended.stderr)


@pytest.mark.parametrize("group", [[], ["cache"], ["list"]])
def test_no_arguments_show_the_help(group: list[str]) -> None:
    ended = invoke(*group)
    assert ended.exit_code == 2
    assert "Usage: " in ended.stderr + ended.stdout


def test_run_whose_result_is_not_kept_exits_1_with_it(tune: FakeTune) -> None:
    tune.content = outcome(kept=False)
    ended = invoke("run", *C6, "--json")
    assert ended.exit_code == 1
    assert json.loads(ended.stdout)["kept"] is False


def test_run_of_an_exhausted_space_says_how_many_there_were(tune: FakeTune) -> None:
    """F001."""
    tune.content = outcome(stopped="exhausted", trials=4)
    assert "space exhausted, 4 of 4 schedules" in invoke("run", *C6).stdout


@pytest.mark.parametrize(
    ("text", "seconds"), [("30s", 30.0), ("10m", 600.0), ("1h", 3600.0), ("1.5M", 90.0)]
)
def test_budget_reads_seconds_minutes_and_hours(text: str, seconds: float) -> None:
    assert options.budget_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "30", "s", "-1s", "0m", "1d", "1h30m", "nans", "1e3s"])
def test_budget_refuses_anything_else(text: str) -> None:
    with pytest.raises(UsageError, match="30s, 10m or 1h"):
        options.budget_seconds(text)


def test_lookup_hit_exits_0(lookup: Callable[..., None]) -> None:
    lookup(hit=True)
    ended = invoke("lookup", *SMALL)
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert ended.stdout.startswith("hit: matmul/")


def test_lookup_miss_exits_3_with_the_cliff_on_one_line(lookup: Callable[..., None]) -> None:
    lookup(hit=False)
    ended = invoke("lookup", *SMALL, "--json")
    assert ended.exit_code == 3
    assert ended.stderr == "warning: expected 2x slower; run: autotune run\n"
    assert json.loads(ended.stdout)["cliff"] == {"predicted_slowdown": 2.0}


def test_progress_line_names_everything() -> None:
    line = progress.describe(advance())
    assert line == "best 12.3 GFLOP/s, 50% of peak, 10.0 trials/s, failed timeout 1, 4 s left"
    late = advance(phase="finalists")
    assert progress.describe(late).startswith("re-timing the finalists, best 12.3")
    unknown = advance(best_gflops=None, peak_fraction=None, failures={}, seconds_left=None)
    assert progress.describe(unknown) == "best - GFLOP/s, 10.0 trials/s"


def test_progress_without_a_terminal_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with progress.watch(quiet=False) as report:
        assert report is not None
        report(advance())
        report(advance(trials=4, note="the default failed"))
    told = [f"3/8 trials, {progress.describe(advance())}", "note: the default failed"]
    assert capsys.readouterr().err.splitlines() == told


def test_progress_without_a_known_end_counts_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.watch(quiet=False) as report:
        assert report is not None
        report(advance(wanted=None))
    assert capsys.readouterr().err.startswith("3 trials, best")


def test_progress_on_a_terminal_is_a_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with progress.watch(quiet=False) as report:
        assert report is not None
        report(advance())
    assert capsys.readouterr().out == ""


def test_progress_on_a_terminal_that_cannot_redraw_is_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    with progress.watch(quiet=False) as report:
        assert report is not None
        report(advance())
    assert capsys.readouterr().err.startswith("3/8 trials, best")


def test_progress_without_any_stderr_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with progress.watch(quiet=False) as report:
        assert report is not None
        report(advance(note="something"))


@pytest.mark.parametrize(
    ("seconds", "text"), [(-1, "0 s"), (119, "119 s"), (600, "10 min"), (1e9, "277,778 h")]
)
def test_waiting_time_is_told_in_a_unit_that_reads_well(seconds: float, text: str) -> None:
    assert show.wait(seconds) == text


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, child in getattr(command, "commands", {}).items():
        yield from commands(child, (*path, name))


def test_every_command_and_flag_has_help_and_a_line_in_the_docs(root: Path) -> None:
    documented = (root / "README.md").read_text(encoding="utf-8")
    for path, command in commands(typer.main.get_command(app)):
        ended = invoke(*path, "--help")
        assert ended.exit_code == 0
        assert path == () or f"autotune {path[0]}" in documented, path
        for parameter in command.params:
            assert getattr(parameter, "help", None), (path, parameter.name)
            for flag in parameter.opts:
                if flag.startswith("--") and flag != "--help":
                    assert flag in documented, flag


def test_version_is_the_packages_own() -> None:
    package = importlib.import_module("autotune")
    assert invoke("--version").stdout == f"autotune {package.__version__}\n"


def test_no_file_imports_click(root: Path) -> None:
    for path in (root / "autotune").rglob("*.py"):
        assert "import click" not in path.read_text(encoding="utf-8")


def test_module_is_the_command(root: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "autotune", "run", *SMALL, "--budget", "never"],
        capture_output=True,
        text=True,
        cwd=root,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: budget 'never'")
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("kind", ["ops", "targets", "spaces", "explorers", "models"])
def test_list_names_what_is_installed(kind: str) -> None:
    (entries,) = json.loads(invoke("list", kind, "--json").stdout).values()
    shown = invoke("list", kind).stdout
    # Search-space files are optional: without one the generated space is used.
    assert entries or kind == "spaces"
    assert all(entry["name"] in shown for entry in entries)


def test_listed_targets_are_a_file_that_target_takes(tmp_path: Path) -> None:
    from autotune.targets.detect import host, resolve

    file = tmp_path / "targets.json"
    file.write_text(invoke("list", "targets", "--json").stdout, encoding="utf-8")
    assert resolve(str(file)).key == host().key


def test_dry_run_measures_nothing_and_shows_the_default_nest(tune: FakeTune) -> None:
    ended = invoke("run", *SMALL, "--dry-run", "--json")
    planned = json.loads(ended.stdout)
    assert planned["key"] == parse_workload("matmul", "m=8,n=16,k=4").key
    assert planned["space"]["size"] >= 1
    assert planned["nest"]
    assert f"{planned['space']['size']:,}" in invoke("run", *SMALL, "--dry-run").stdout
    assert not tune.calls
