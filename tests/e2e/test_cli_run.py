"""The command as a user runs it: real workers, real kernels, real signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SMALL = ["--op", "conv2d", "--shape", "c=16,h=9,k=17,r=3,pad=1"]
OTHER = ["--op", "conv2d", "--shape", "c=16,h=10,k=17,r=3,pad=1"]


class Command:
    """Runs `autotune` with a cache and log of its own."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.cache, self.log = folder / "cache.db", folder / "run.jsonl"
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(root),
            "AUTOTUNE_CACHE": str(self.cache),
        }

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "autotune", *arguments],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err


@pytest.fixture
def command(root: Path, tmp_path: Path) -> Command:
    return Command(root, tmp_path)


def test_run_then_lookup_hits_and_another_shape_misses(command: Command) -> None:
    code, out, err = command("run", *SMALL, "--trials", "8", "--json", "--log", str(command.log))
    assert code == 0, err
    content = json.loads(out)
    assert content["trials"] == 8
    assert content["stopped"] == "trials"
    assert sum(content["failures"].values()) == content["failed"]
    names = {"workload", "key", "target", "seconds", "trials_per_second", "selected", "baseline"}
    assert content.keys() >= names | {"cache", "log"}
    best = {
        "seconds",
        "gflops",
        "speedup",
        "speedup_interval",
        "peak_fraction",
        "error_units",
        "ties",
    }
    assert content["best"].keys() == best | {"schedule"}
    assert 0 < content["best"]["error_units"] < 16
    lines = command.log.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 10

    code, out, err = command("lookup", *SMALL, "--json")
    assert (code, err) == (0, "")
    hit = json.loads(out)
    assert (hit["hit"], hit["origin"], hit["cliff"]) == (True, "tuned", None)
    assert hit["schedule"] == content["best"]["schedule"]

    code, out, err = command("lookup", *OTHER, "--json")
    miss = json.loads(out)
    assert (code, miss["hit"]) == (3, False)
    assert err.startswith("warning: performance cliff: ")
    assert err.count("\n") == 1
    assert miss["cliff"]["fix"].startswith("autotune run --op conv2d --shape ")


def _measured(command: Command, count: int) -> None:
    """Wait until the log holds so many timings."""
    deadline_s = time.monotonic() + 60
    while time.monotonic() < deadline_s:
        done = command.log.read_text(encoding="utf-8") if command.log.exists() else ""
        if done.count('"status":"ok"') >= count:
            return
        time.sleep(0.02)


def test_storm_of_signals_loses_nothing(command: Command) -> None:
    process = command.start("run", *SMALL, "--budget", "60s", "--json", "--log", str(command.log))
    _measured(command, 2)
    # What comes later than the result ends the process in the system's own way, to the same code.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        process.send_signal(number)
        time.sleep(0.03)
    out, err = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP), err
    assert "Traceback" not in err
    assert json.loads(out)["stopped"] == "interrupted"
    assert json.loads(command.log.read_text(encoding="utf-8").splitlines()[-1])["kind"] == "end"
    assert command("lookup", *SMALL)[0] == 0


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full", "2>&1 >/dev/null | head -c 1"])
def test_run_that_nobody_hears_is_kept_all_the_same(command: Command, redirection: str) -> None:
    script = f'"$0" -m autotune run "$@" {redirection}'
    subprocess.run(
        ["sh", "-c", script, sys.executable, *SMALL, "--trials", "2", "--log", str(command.log)],
        env=command.environment,
        stdout=subprocess.DEVNULL,
        check=False,
        timeout=60,
    )
    assert command("lookup", *SMALL)[0] == 0


def test_output_that_cannot_be_written_is_told_in_one_line(command: Command) -> None:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "autotune", "list", "ops"],
            env=command.environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
        )
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: ")
    assert ended.stderr.count("\n") == 1


def test_run_where_nothing_can_work_exits_1_and_leaves_no_record(command: Command) -> None:
    code, out, err = command("run", *SMALL, "--trials", "4", "--timeout", "0.0001", "--quiet")
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert command("lookup", *SMALL)[0] == 3


@pytest.mark.parametrize(
    "arguments", [["--explorer", "none"], ["--cost-model", "none"], ["--target", "x86-64-v9"]]
)
def test_unknown_choice_exits_2_and_writes_nothing(command: Command, arguments: list[str]) -> None:
    code, out, err = command("run", *SMALL, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert not command.cache.exists()


def test_build_whose_misses_were_tuned_misses_nothing(command: Command) -> None:
    """The circle from a build over its misses to tuning and back."""
    build = (
        "import sys, autotune\n"
        "for sizes in ((8, 16, 4), (8, 16, 4), (9, 16, 4)):\n"
        "    hit = autotune.lookup(autotune.matmul(*sizes))\n"
        "    print(hit.origin)\n"
    )

    def built() -> tuple[list[str], str]:
        done = subprocess.run(
            [sys.executable, "-c", build],
            env=command.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return done.stdout.split(), done.stderr

    origins, said = built()
    assert origins == ["default"] * 3
    assert "to tune them all: autotune run --misses\n" in said
    listed = json.loads(command("cache", "misses", "--json")[1])["misses"]
    assert [miss["count"] for miss in listed] == [2, 1]
    code, out, err = command(
        "run", "--misses", "--trials", "2", "--json", "--log", str(command.log)
    )
    assert code == 0, err
    told = json.loads(out)
    assert {entry["key"] for entry in told["workloads"]} == {miss["key"] for miss in listed}
    assert told["failed"] == 0
    assert json.loads(command("cache", "misses", "--json")[1]) == {"misses": []}
    assert built() == (["tuned"] * 3, "")
