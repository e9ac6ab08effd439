"""The measurement bench: its counts against independent ones, its parts with stand-ins.

One test at the end measures a tiny matmul in real workers beside a real neighbour.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import Any

import bench_measurement
import noise
import numpy as np
import pytest
import repeatability
from noise import Noise, Wander
from repeatability import Judged, Repeated, Tuned

from autotune.errors import AutotuneError, MeasureError
from autotune.finalists import Ratio
from autotune.ir.schedule import Loop, Nest, Schedule
from autotune.measure import pool
from autotune.measure.base import MeasureOptions
from autotune.ops.base import parse_workload
from autotune.targets.detect import resolve
from autotune.trial import Failure, Timing, Trial

WORKLOAD = parse_workload("matmul", "m=16,n=16,k=16")
CRASH = Failure("crash", "signal 11")


def schedule(step: int) -> Schedule:
    return Schedule((Nest((Loop("m", step),), "m", 16, ()),))


DEFAULT, A, B, C = (schedule(step) for step in (1, 2, 3, 4))


def timing(
    ratios: Sequence[float], reference_s: float = 1e-3, disturbed: Sequence[float] = ()
) -> Timing:
    return Timing(
        samples_s=tuple(ratio * reference_s for ratio in ratios),
        reference_s=(reference_s,) * len(ratios),
        error_units=1.0,
        disturbed=tuple((ratio * reference_s, reference_s) for ratio in disturbed),
    )


def test_cv_is_the_samples_deviation_over_its_mean() -> None:
    assert noise.cv([1.0, 2.0, 3.0]) == pytest.approx(0.5)
    assert noise.cv([7.0] * 4) == 0.0
    values = np.random.default_rng(0).normal(5.0, 1.0, 100)
    assert noise.cv(list(values)) == pytest.approx(np.std(values, ddof=1) / np.mean(values))


def test_robust_cv_is_planted_and_ignores_a_wild_value() -> None:
    # Deviations from the median 3: 2, 1, 0, 1 and 97; their median is 1.
    assert noise.robust_cv([1.0, 2.0, 3.0, 4.0, 100.0]) == pytest.approx(1.4826 / 3)
    values = [*np.random.default_rng(1).normal(1.0, 0.05, 20_000), *[1e9] * 20]
    assert noise.robust_cv(values) == pytest.approx(0.05, rel=0.03)


def test_raw_seconds_count_disturbed_slices_too() -> None:
    assert noise.raw_seconds(timing([1.0, 2.0])) == pytest.approx(1.5e-3)
    assert noise.raw_seconds(timing([1.0, 2.0], disturbed=[5.0, 6.0, 7.0])) == pytest.approx(5e-3)


def test_wander_of_a_slow_phase_is_raw_and_not_paired() -> None:
    # The machine gets slower from one measurement to the next; the pairs agree.
    speeds = [1e-3, 2e-3, 3e-3]
    trials = [
        Trial(A, timing([0.5, 0.5], s, disturbed=[0.5] if i == 0 else []), 0.1, run_s)
        for i, (s, run_s) in enumerate(zip(speeds, (0.01, 0.02, 0.06), strict=True))
    ]
    found = noise.wander_of("a", [*trials, Trial(A, CRASH, 0.1, 9.0)])
    assert (found.digest, found.count) == ("a", 3)
    assert found.raw_cv == pytest.approx(0.5)
    assert found.raw_robust == pytest.approx(1.4826 / 2)
    assert (found.paired_cv, found.paired_robust) == pytest.approx((0.0, 0.0))
    assert (found.ratio, found.slices) == (0.5, 2.0)
    assert found.run_s == pytest.approx(0.03)
    assert found.disturbed == pytest.approx(1 / 7)


def test_wander_of_too_few_measurements_asks_for_more_seconds() -> None:
    trials = [Trial(A, timing([1.0]))] * (noise.LEAST - 1)
    with pytest.raises(AutotuneError, match=r"measured 2 times; 3 are needed.*--seconds"):
        noise.wander_of("a", [*trials, Trial(A, CRASH)])


@pytest.mark.parametrize(
    ("mode", "raw_cv", "paired_cv", "met"),
    [
        ("quiet", 0.08, 0.02, True),
        ("quiet", 0.08, 0.021, False),
        ("quiet", 0.079, 0.5, None),
        ("busy", 0.3, 0.04, True),
        ("busy", 0.01, 0.041, False),
    ],
)
def test_targets_hold_where_the_issue_says(
    mode: str, raw_cv: float, paired_cv: float, met: bool | None
) -> None:
    assert noise.is_met(mode, raw_cv, paired_cv) is met


def noise_with(mode: str, *cvs: tuple[float, float], core: int | None = None) -> Noise:
    wanders = tuple(
        Wander(f"d{i}", 10, 0.5, 3.0, raw, raw / 2, paired, paired / 2, 0.02, 0.25)
        for i, (raw, paired) in enumerate(cvs)
    )
    return Noise("C3", mode, core, wanders, failed=0)


def test_noise_of_a_shape_is_the_median_over_its_schedules() -> None:
    shape = noise_with("quiet", (0.1, 0.01), (0.2, 0.02), (0.9, 0.09))
    assert (shape.middle("raw_cv"), shape.middle("paired_cv")) == (0.2, 0.02)
    assert shape.factor == pytest.approx(10.0)
    assert shape.is_met is True
    told = json.loads(json.dumps(shape.to_dict(), allow_nan=False))
    assert told["median"]["raw_robust"] == pytest.approx(0.1)
    assert [one["digest"] for one in told["schedules"]] == ["d0", "d1", "d2"]
    assert noise_with("quiet", (0.2, 0.0)).factor is None


def test_noise_table_says_both_cvs_the_factor_and_the_target() -> None:
    quiet, low, busy, alone = (
        line.split()
        for line in list(
            noise.lines(
                [
                    noise_with("quiet", (0.2, 0.01), (0.2, 0.03)),
                    noise_with("quiet", (0.07, 0.01)),
                    noise_with("busy", (0.2, 0.05), core=1),
                    noise_with("busy", (0.2, 0.0)),
                ]
            )
        )[2:]
    )
    assert quiet[:8] == ["C3", "quiet", "20.00", "(10.00)", "2.00", "(1.00)", "3.00", "10.0"]
    assert quiet[8:] == ["20", "20.0", "25.0%", "2%:", "met"]
    assert " ".join(low[11:]) == "none: raw is below 8%"
    assert " ".join(busy[11:]) == "4%: missed"
    assert alone[7] == "-"
    assert " ".join(alone[11:]) == "4%: met (one core, shared with the neighbour)"


def test_noise_table_counts_failures() -> None:
    shape = Noise("C3", "quiet", None, noise_with("quiet", (0.2, 0.01)).wanders, failed=4)
    assert list(noise.lines([shape]))[-1].endswith("2%: met, 4 failed")


class Measurer:
    """Answers one trial at a time, with the planted ratio or failure of each schedule."""

    def __init__(self, planted: dict[str, float | Failure]) -> None:
        self.planted = planted
        self.queue: list[Schedule] = []
        self.now_s = 0.0
        self.readings: dict[str, int] = {}
        """Of those that are told more than once."""

    @property
    def pending(self) -> int:
        return len(self.queue)

    @property
    def is_idle(self) -> bool:
        return not self.queue

    def submit(self, schedules: Sequence[Schedule]) -> None:
        self.queue += schedules

    def ready(self, wait_s: float) -> list[Trial]:
        self.now_s += 1.0
        one = self.queue.pop(0)
        outcome = self.planted[one.digest]
        if self.readings.get(one.digest, 1) > 1:
            self.readings[one.digest] -= 1
            self.queue.append(one)
            return [Trial(one, timing([9.0]))]
        return [Trial(one, outcome if isinstance(outcome, Failure) else timing([outcome]))]

    def clock(self) -> float:
        return self.now_s


def test_candidates_are_the_default_and_others_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    class Space:
        def sample(self, rng: np.random.Generator, count: int) -> list[Schedule]:
            assert count == noise.SCREENED
            return [A, DEFAULT, B, A]

        def schedule(self, point: Schedule) -> Schedule:
            return point

    monkeypatch.setattr(noise, "default_schedule", lambda *_: DEFAULT)
    monkeypatch.setattr(noise, "generate", lambda *_: Space())
    assert noise._candidates(WORKLOAD, resolve("x86-64-v3"), 0) == (DEFAULT, [A, B])


def test_screening_keeps_the_default_and_the_best_others() -> None:
    others = [schedule(step) for step in range(2, 9)]
    ratios: list[float | Failure] = [0.9, 0.5, CRASH, 2.0, 0.7, 0.6, 3.0]
    planted = {s.digest: ratio for s, ratio in zip(others, ratios, strict=True)}
    measurer = Measurer(planted | {DEFAULT.digest: 1.0})
    chosen = noise.screen(measurer, DEFAULT, others)  # type: ignore[arg-type]
    assert chosen == [DEFAULT, others[1], others[5], others[4]]


def test_screening_without_a_working_other_leaves_the_default() -> None:
    measurer = Measurer({DEFAULT.digest: 1.0, A.digest: CRASH})
    assert noise.screen(measurer, DEFAULT, [A]) == [DEFAULT]  # type: ignore[arg-type]


def test_screening_needs_the_default() -> None:
    measurer = Measurer({DEFAULT.digest: CRASH, A.digest: 1.0})
    with pytest.raises(AutotuneError, match="the default schedule fails: signal 11"):
        noise.screen(measurer, DEFAULT, [A])  # type: ignore[arg-type]


def test_repeating_takes_turns_until_time_is_up() -> None:
    measurer = Measurer({s.digest: 1.0 for s in (DEFAULT, A, B)})
    measurer.submit([C])
    measurer.planted[C.digest] = 1.0
    trials = noise.repeat(measurer, [DEFAULT, A, B], 10.0, measurer.clock)  # type: ignore[arg-type]
    # What was queued before is let pass, before the time starts, and does not count.
    turns = cycle([DEFAULT, A, B])
    assert [trial.schedule for trial in trials] == [next(turns) for _ in range(9)]
    assert measurer.now_s == 11.0


def test_last_reading_of_a_turn_counts() -> None:
    measurer = Measurer({s.digest: 1.0 for s in (DEFAULT, A)})
    measurer.readings = {A.digest: 3}
    trials = noise.repeat(measurer, [DEFAULT, A], 5.0, measurer.clock)  # type: ignore[arg-type]
    assert [trial.outcome for trial in trials] == [timing([1.0]), timing([1.0])]


def repeated_once(winner: Schedule) -> Repeated:
    tuned = Tuned(0, winner, None, 10, 16.0, 0.05, 1)
    return Repeated("G3", (tuned,), (Judged(Ratio(0, 0, 0), None),))


def stand_ins(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    calls: list[tuple[Any, ...]] = []

    def measured(name: str, _w: Any, _t: Any, modes: list[str], seconds: float, seed: int) -> Any:
        calls.append((name, *modes, seconds, seed))
        return (noise_with(mode, (0.2, 0.01)) for mode in modes)

    def repeated(name: str, _w: Any, _t: Any, seeds: range, *limits: Any) -> Repeated:
        calls.append((name, *seeds, *limits))
        return repeated_once(A)

    monkeypatch.setattr(noise, "noise_of", measured)
    monkeypatch.setattr(repeatability, "repeated", repeated)
    return calls


@pytest.mark.parametrize(
    "arguments",
    [
        ["--shapes", "C99"],
        ["--tune-shapes", "C6,nothing"],
        ["--seconds", "-1"],
        ["--seconds", "nan"],
        ["--rounds", "5"],
        ["--tunes", "-1"],
        ["--tune-trials", "0"],
        ["--seed", "-1"],
        ["--tune-budget", "7"],
        ["--quiet", "--busy"],
        ["--json", "nowhere/at/all.json"],
    ],
)
def test_command_refuses_bad_input(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = stand_ins(monkeypatch)
    try:
        status: Any = bench_measurement.main([*arguments])
    except SystemExit as ended:
        status = ended.code
    assert status == 2
    # Before anything is measured, which may take an hour.
    assert not calls
    assert capsys.readouterr().err.splitlines()[-1].partition("error: ")[2]


def test_command_says_what_could_not_be_measured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any) -> Iterator[Noise]:
        raise MeasureError("workers cannot be started")

    monkeypatch.setattr(noise, "noise_of", failing)
    assert bench_measurement.main([]) == 1
    assert capsys.readouterr().err == "error: workers cannot be started\n"


def test_command_measures_both_ways_tunes_and_writes_one_object(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, path = stand_ins(monkeypatch), tmp_path / "figures.json"
    measuring = ["--shapes", "C2,G1", "--seconds", "3", "--seed", "4", "--json", str(path)]
    tuning = ["--tunes", "2", "--tune-shapes", "G3", "--tune-trials", "9", "--tune-budget", "20s"]
    assert bench_measurement.main([*measuring, *tuning, "--rounds", "8"]) == 0
    assert calls == [
        ("C2", "quiet", "busy", 3.0, 4),
        ("G1", "quiet", "busy", 3.0, 4),
        ("G3", 4, 5, 9, 20.0, 8),
    ]
    told = json.loads(path.read_text(encoding="utf-8"))
    assert [entry["mode"] for entry in told["noise"]] == ["quiet", "busy"] * 2
    assert len(told["repeatability"]) == 1
    printed = capsys.readouterr().out
    assert printed.index("noise: ") < printed.index("repeatability: ")


def test_command_keeps_what_was_measured_before_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any) -> Iterator[Noise]:
        yield noise_with("quiet", (0.2, 0.01))
        raise AutotuneError("too little could be measured")

    monkeypatch.setattr(noise, "noise_of", failing)
    path = tmp_path / "figures.json"
    assert bench_measurement.main(["--json", str(path)]) == 1
    said = capsys.readouterr()
    assert said.err == "error: too little could be measured\n"
    assert "C3    quiet" in said.out
    told = json.loads(path.read_text(encoding="utf-8"))
    assert (len(told["noise"]), told["repeatability"]) == (1, [])


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ("--quiet --shapes C2 --tunes 0", [("C2", "quiet", 60.0, 0)]),
        ("--busy --shapes C2 --tunes 0", [("C2", "busy", 60.0, 0)]),
        ("--seconds 0 --tunes 0", []),
    ],
)
def test_command_leaves_out_what_is_not_wanted(
    arguments: str, wanted: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = stand_ins(monkeypatch)
    assert bench_measurement.main(arguments.split()) == 0
    assert calls == wanted


def test_noise_is_measured_in_real_workers_beside_a_neighbour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Compiles."""
    monkeypatch.setattr(pool, "READING_GAP_S", 0.0)
    monkeypatch.setattr(noise, "SCREENED", 3)
    monkeypatch.setattr(noise, "KEPT", 1)
    target = resolve("host")
    for seconds in (2.0, 10.0, 40.0):
        # What fits into two seconds is up to whatever else runs here.
        with suppress(AutotuneError):
            found = list(noise.noise_of("tiny", WORKLOAD, target, ["busy"], seconds, 0))
            break
    (shape,) = found
    cores = MeasureOptions().cores
    if cores.are_shared:
        assert shape.core is None
    else:
        assert shape.core in set(cores.building) - set(cores.measuring)
    assert os.sched_getaffinity(0) == {*cores.building, *cores.measuring}
    assert len({wander.digest for wander in shape.wanders}) == 2
    assert all(wander.count >= noise.LEAST for wander in shape.wanders)
    assert all(wander.raw_cv > 0 and wander.run_s > 0 for wander in shape.wanders)
