"""The benchmark against the libraries: its parts with stand-ins, and short runs of the whole."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import bench_kernels
import contest
import held
import numpy as np
import ours
import picture
import pytest
import rows
import suite
import tables
import versus
from peers import Call
from rows import OURS, PEAK, Row

from autotune.errors import UsageError
from autotune.finalists import interval_of
from autotune.targets.detect import resolve


class Clock:
    """Time that only moves when a contender is called."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.called: list[int] = []

    def __call__(self) -> float:
        self.now_s += 1e-9
        return self.now_s

    def contender(self, name: str, *seconds: float) -> versus.InProcess:
        """One whose sets of operands take so many seconds each."""

        def call(place: int, spent_s: float) -> Call:
            def run() -> int:
                self.now_s += spent_s
                self.called.append(place)
                return place

            return Call(run, lambda value: np.array([value]))

        return versus.InProcess(name, [call(i, s) for i, s in enumerate(seconds)], self)


def test_interleaving_gives_every_contender_every_round() -> None:
    clock, rests = Clock(), []
    contenders = [clock.contender("ours", 1e-3), clock.contender("theirs", 2e-3)]
    samples = versus.interleave(contenders, 9, lambda: rests.append(clock.now_s))
    assert [len(times) for times in samples.values()] == [9, 9]
    ratio = interval_of(rows.quotients(samples["theirs"], samples["ours"]))
    assert (ratio.low, ratio.median, ratio.high) == pytest.approx((2.0, 2.0, 2.0), rel=1e-3)
    # Before each is counted and before each slice.
    assert len(rests) == 2 + 2 * 9


def test_slices_take_ten_milliseconds_and_more() -> None:
    clock = Clock()
    for seconds in (1e-7, 1e-5, 3e-3, 0.5):
        count = versus.calls_a_slice(clock.contender("any", seconds))
        assert count * seconds >= versus.SLICE_S
        assert count * seconds <= max(2 * versus.SLICE_S, 2 * seconds)


def test_sets_of_operands_take_turns_from_one_slice_to_the_next() -> None:
    clock = Clock()
    contender = clock.contender("any", 1.0, 2.0, 4.0)
    assert contender.spend_s(4) == pytest.approx(8.0)
    assert contender.spend_s(2) == pytest.approx(6.0)
    assert clock.called == [0, 1, 2, 0, 1, 2]


def test_outputs_of_other_sets_are_kept_and_the_own_one_is_given_back_first() -> None:
    alive: list[int] = []

    class Output:
        def __init__(self, place: int) -> None:
            assert place not in alive
            alive.append(place)
            self.place = place

        def __del__(self) -> None:
            alive.remove(self.place)

    calls = [Call(lambda i=i: Output(i), lambda _: np.zeros(1)) for i in range(3)]  # type: ignore[misc]
    versus.InProcess("any", calls).spend_s(7)
    contender = versus.InProcess("any", calls)
    contender.spend_s(7)
    assert sorted(alive) == [0, 1, 2]


@pytest.mark.parametrize(("busy_until_s", "rested_s"), [(0.0, 0.005), (0.1, 0.1), (9.0, 0.5)])
def test_rest_is_waited_for_while_a_thread_computes_but_not_for_ever(
    monkeypatch: pytest.MonkeyPatch, busy_until_s: float, rested_s: float
) -> None:
    now_s = 0.0

    def sleep(seconds: float) -> None:
        nonlocal now_s
        now_s += seconds

    monkeypatch.setattr(versus.time, "perf_counter", lambda: now_s)
    monkeypatch.setattr(versus.time, "process_time", lambda: min(now_s, busy_until_s))
    monkeypatch.setattr(versus.time, "sleep", sleep)
    versus.wait_for_rest()
    assert now_s == pytest.approx(rested_s, abs=1.1 * versus.REST_LOOK_S)


@pytest.mark.parametrize(
    ("once", "cache", "sets"),
    [(1 << 20, 8 << 20, 17), (100 << 20, 8 << 20, 2), (64 << 20, 4 << 30, 16), (2 << 30, 1, 2)],
)
def test_operand_sets_exceed_the_cache_twice_within_bounds(
    once: int, cache: int, sets: int
) -> None:
    assert contest.operand_sets(once, cache) == sets


SETTINGS = {"target": "host", "host": "amd-25-1", "versions": {"torch": "2"}}


def row(shape: str, ours_s: list[float], peers_s: dict[str, list[float]], **changed: Any) -> Row:
    fields: dict[str, Any] = {
        "shape": shape, "suite": "gemm", "side": "plain", "threads": 1, "caches": "warm",
        "settings": SETTINGS, "key": "key", "algorithm": "direct", "origin": "tuned",
        "is_eligible": False, "flop": 2000, "executed_flop": 1000, "peak_flop": 500,
        "operand_sets": 1, "samples_s": {OURS: ours_s, **peers_s, PEAK: [1.0] * len(ours_s)},
        "missing": {},
    }  # fmt: skip
    return Row(**{**fields, **changed})


def test_ratio_is_the_median_of_rounds_with_its_order_statistics() -> None:
    # Nine rounds: x(2) and x(8) hold the median with 1 - 2 * (1 + 9) / 512 = 0.961.
    one = row("G1", [1.0] * 9, {"a": [9, 1, 2, 8, 3, 7, 4, 6, 5], "b": [3.0] * 9})
    assert vars(one.ratios["a"]) == {"median": 5, "low": 2, "high": 8}
    assert one.best_peer == "b"
    assert one.against_best == one.ratios["b"]


def test_rounds_are_paired_not_the_medians() -> None:
    # A slow phase of the machine meets both.
    one = row("G1", [1, 1, 1, 5, 5, 5, 1, 1, 1], {"a": [2, 2, 2, 10, 10, 10, 2, 2, 2]})
    assert vars(one.ratios["a"]) == {"median": 2, "low": 2, "high": 2}


def test_share_of_peak_counts_what_is_executed_on_all_threads() -> None:
    # 1000 FLOP in 4 s, beside 500 FLOP a second on each of two threads.
    assert row("G1", [4.0] * 9, {}, threads=2).peak_fraction == pytest.approx(0.25)
    assert row("G1", [4.0] * 9, {}).gflops == pytest.approx(2000 / 4 / 1e9)


BEHIND = row("G1", [2.0] * 9, {"a": [1.0] * 9, "b": [4.0] * 9})
AHEAD = row("G2", [1.0] * 9, {"a": [2.0] * 9}, missing={"b": "gone"}, is_eligible=True,
            algorithm="winograd4")  # fmt: skip
UNSURE = row("G3", [1.0] * 9, {"a": [0.8, 0.9, 0.9, 0.9, 1.0, 1.1, 1.1, 1.1, 1.2]})


def test_tables_name_the_best_peer_the_mean_who_is_behind_and_who_is_missing() -> None:
    text = "\n".join(tables.lines("title", [BEHIND, AHEAD, UNSURE]))
    assert "geometric mean against the best peer: 1.00" in text
    assert "where Winograd fits (G2): 2.00" in text
    assert "whole interval above 1: 1 of 3 shapes; below 1: 1: G1" in text
    assert "0.9 of the measured multiply-add peak and more: 2 of 3 shapes; least 1.00" not in text
    assert "least 1.00 (G1)" in text
    assert "missing: b: gone" in text
    assert re.search(r"^G1 +direct .* 0\.50 \[0\.50 0\.50\] .* a +0\.50$", text, re.MULTILINE)
    assert re.search(r"^G2 +winograd4 ", text, re.MULTILINE)


def test_an_untuned_schedule_is_called_what_it_is() -> None:
    text = "\n".join(tables.lines("title", [row("G1", [1.0] * 9, {}, origin="default")]))
    assert "direct (default)" in text


def test_markdown_has_a_table_for_each_group() -> None:
    cold = row("G1", [1.0] * 9, {"a": [3.0] * 9}, caches="rotating", threads=2)
    text = "\n".join(bench_kernels._document([BEHIND, AHEAD, cold]))
    assert text.count("\n### ") == 2
    assert "### Plain against plain, 2 threads, rotating caches" in text
    assert "| G2 | winograd4 |" in text
    widths = {line.count("|") for line in text.split("### ")[1].splitlines() if line[:1] == "|"}
    assert len(widths) == 1


def test_rows_come_back_from_their_file_and_interrupted_writing_leaves_the_old_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "rows.json")
    assert rows.load(path) == []
    rows.save(path, [BEHIND])
    rows.save(path, [BEHIND, AHEAD])
    assert rows.load(path) == [BEHIND, AHEAD]
    assert json.loads(Path(path).read_text())["rows"][1]["derived"]["best_peer"] == "a"

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(rows.os, "replace", full)
    with pytest.raises(UsageError, match="cannot be written: No space left"):
        rows.save(path, [AHEAD])
    assert rows.load(path) == [BEHIND, AHEAD]


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format": "autotune-bench-1", "rows": [{}]}'])
def test_other_files_are_no_rows(tmp_path: Path, text: str) -> None:
    (tmp_path / "other").write_text(text)
    with pytest.raises(UsageError, match="holds no rows"):
        rows.load(str(tmp_path / "other"))


def test_suites_and_names_are_chosen_once_each() -> None:
    assert len(suite.chosen("all")) == 40
    assert suite.chosen("G3, resnet18,G3,C2")[:3] == ["G3", "C1", "C2"]
    assert len(suite.chosen("mobilenet-depthwise,pointwise")) == 16
    with pytest.raises(UsageError, match="unknown shapes C99, tophub-x86; known: all, resnet18"):
        suite.chosen("C2,C99,tophub-x86")


def test_every_named_shape_is_a_workload_of_both_tables() -> None:
    for entry in suite.named_shapes().values():
        packed, plain = (suite.workload_of(entry, flag) for flag in (True, False))
        assert "prepack=1" in packed.key
        assert packed.key.replace("prepack=1", "prepack=0") == plain.key


def test_winograd_fits_four_layers_of_resnet() -> None:
    fits = [
        name
        for name, entry in suite.named_shapes().items()
        if contest._is_eligible(suite.workload_of(entry, True))
    ]
    assert fits == ["C2", "C6", "C9", "C12"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--shapes", "C99"],
        ["--skip-tune"],
        ["--rounds", "3"],
        ["--cache", "README.md"],
        ["--json", "README.md"],
        ["--json", "no/such/folder.json"],
        ["--sides", "left"],
        ["--caches", "cold"],
        ["--threads", "0"],
        ["--threads", "1,4096"],
        ["--budget", "soon"],
        ["--picture", "bars.bmp"],
        ["--target", "pdp-11"],
        ["--target", "x86-64"],
        ["--space", "README.md"],
    ],
)
def test_benchmark_refuses_bad_input(
    root: Path, arguments: list[str], capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(root)
    with pytest.raises(SystemExit) as ended:
        sys.exit(bench_kernels.main(arguments))
    assert ended.value.code == 2
    assert "error: " in capsys.readouterr().err


def test_without_matplotlib_a_picture_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"^matplotlib is not installed.*\[bench\]'$"):
        picture.check("bars.svg")


@pytest.mark.parametrize("kind", picture.KINDS)
def test_picture_has_a_panel_for_each_table(tmp_path: Path, kind: str) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / f"bars{kind}"
    picture.draw([BEHIND, AHEAD, UNSURE, row("G1", [1.0] * 5, {"a": [3.0] * 5}, threads=2)],
                 str(path))  # fmt: skip
    assert path.stat().st_size > 10_000


def test_without_a_peer_there_is_no_picture(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no shape was compared"):
        picture.draw([row("G1", [1.0] * 9, {})], str(tmp_path / "bars.svg"))


def test_libraries_are_held_to_avx2_only_where_they_would_go_further() -> None:
    v3, v4 = resolve("x86-64-v3"), resolve("x86-64-v4")
    assert held.is_held(v3, v4)
    assert not held.is_held(v3, v3)
    assert not held.is_held(v4, v4)
    with pytest.raises(UsageError, match="has no AVX2"):
        held.is_held(resolve("x86-64"), v4)


def test_environment_is_rid_of_other_processors_settings_before_it_holds() -> None:
    given = {"PATH": "/bin", "OPENBLAS_CORETYPE": "Zen", "OPENBLAS_L2_SIZE": "1"}
    assert held.environment(given, False) == {"PATH": "/bin"}
    assert held.environment(given, True) == {"PATH": "/bin", **held.AVX2}


def test_an_interrupted_tune_interrupts_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    class Result:
        def to_dict(self) -> dict[str, Any]:
            return {"best": None, "trials": 3, "seconds": 1.0, "trials_per_second": 3.0,
                    "failed": 0, "log": "log", "stopped": "interrupted"}  # fmt: skip

    monkeypatch.setattr(ours, "tune", lambda *_, **__: Result())
    with pytest.raises(KeyboardInterrupt):
        ours.tune_fresh(suite.workload_of(suite.named_shapes()["G9"], True), "cache", 1.0, 1, 0)


def command(root: Path, folder: Path, *more: str) -> list[str]:
    script = str(root / "scripts" / "bench_kernels.py")
    files = ["--json", str(folder / "rows.json"), "--cache", str(folder / "cache.db")]
    return [sys.executable, script, "--rounds", "9", *files, *more]


def environment(root: Path, folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(root), "XDG_DATA_HOME": str(folder)}


def ended(root: Path, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(root, folder, *more),
        env=environment(root, folder),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_a_run_ends_with_tables_and_its_rows_are_not_made_again(root: Path, tmp_path: Path) -> None:
    # What fits into two seconds is up to whatever else runs here.
    for budget in ("2s", "10s", "40s"):
        folder = tmp_path / budget
        folder.mkdir()
        table = str(folder / "table.md")
        one = ("--shapes", "G11", "--sides", "plain", "--table", table, "--budget", budget)
        first = ended(root, folder, *one)
        if "no valid schedule" not in first.stderr:
            break
    assert first.returncode == 0, first.stderr
    assert "plain against plain, 1 thread, warm caches" in first.stdout
    assert "| G11 | direct" in Path(table).read_text()
    before = rows.load(str(folder / "rows.json"))
    again = ended(root, folder, *one)
    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert "tuned" not in again.stderr
    more = ended(root, folder, *one, "--caches", "warm,rotating")
    assert more.returncode == 0, more.stderr
    # The schedule is in the cache: only the new row is made.
    assert "tuned" not in more.stderr
    after = rows.load(str(folder / "rows.json"))
    assert after[0] == before[0]
    assert [r.caches for r in after] == ["warm", "rotating"]
    assert after[1].operand_sets > 1
    other = ended(root, folder, *one, "--seed", "1")
    assert other.returncode == 2
    assert "was not tuned by this benchmark with these settings" in other.stderr


def test_an_interrupted_run_keeps_its_rows_and_shows_them(root: Path, tmp_path: Path) -> None:
    path = str(tmp_path / "rows.json")
    with subprocess.Popen(
        command(root, tmp_path, "--shapes", "G11,G9", "--sides", "plain", "--skip-tune"),
        env=environment(root, tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        until_s = time.monotonic() + 200
        while time.monotonic() < until_s and not rows.load(path):
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert "Traceback" not in err
    assert "1 of 2 rows are missing" in err
    assert re.search(r"^G11 +direct \(default\)", out, re.MULTILINE)
    assert [r.shape for r in rows.load(path)] == ["G11"]
