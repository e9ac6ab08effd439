"""Recording a sweep with a measurer that answers at once: nothing is built."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

import numpy as np
import pytest
import record_sweep

from autotune import features
from autotune.errors import MeasureError, UsageError
from autotune.ir.default import default_schedule
from autotune.ops.base import contraction, parse_workload
from autotune.space import generate, narrowing
from autotune.space.excerpt import excerpt
from autotune.store.log import read
from autotune.sweeps import file
from autotune.sweeps.base import Sweep
from autotune.targets.detect import resolve
from autotune.trial import Failure, Timing, Trial

WORKLOAD = parse_workload("matmul", "48x64x32")
TARGET = resolve("x86-64-v3", 1)
COUNT = 60
DEFAULT = default_schedule(contraction(WORKLOAD), TARGET).digest


@dataclass
class Measurer:
    """Times by digest; each round is a little slower than the one before."""

    slower: float = 1.0
    stops_after: int | None = None
    default_fails: bool = False
    asked: list = field(default_factory=list)
    queue: deque = field(default_factory=deque)
    is_closed: bool = False

    @property
    def pending(self):
        return len(self.queue)

    def submit(self, schedules):
        self.queue.extend(schedules)

    def ready(self, wait_s):
        if self.stops_after is not None and len(self.asked) >= self.stops_after:
            raise KeyboardInterrupt
        schedule = self.queue.popleft()
        self.asked.append(schedule.digest)
        trial = Trial(schedule, self.outcome(schedule, len(self.asked) == 1))
        # Contenders are told again by the pool; a sweep does not listen.
        return [trial, replace(trial, outcome=Failure("crash", "never"), readings=2)]

    def outcome(self, schedule, is_first):
        number = int(schedule.digest[:8], 16)
        if is_first:
            return Failure("crash", "no") if self.default_fails else Timing((2e-6,), (2e-6,), 1.0)
        if number % 11 == 0:
            return Failure("timeout", "late")
        seconds = 2e-6 * (0.5 + (number % 1000) / 1000) * self.slower
        return Timing((seconds,), (2e-6,), 1.0)

    def close(self):
        self.is_closed = True


class Factory:
    """Hands out measurers and remembers them."""

    def __init__(self, **of_first):
        self.made: list[Measurer] = []
        self._of_first = of_first

    def __call__(self):
        first = {} if self.made else self._of_first
        self.made.append(Measurer(slower=1 + 0.01 * len(self.made), **first))
        return self.made[-1]


def recorded(folder: Path, factory: Factory, seed: int = 0) -> Sweep:
    return record_sweep.record(
        WORKLOAD, TARGET, "made", COUNT, seed, folder, lambda line: None, factory
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    recorded(folder, Factory())
    return folder


def test_sweep_has_every_point_of_the_excerpt_and_the_best_again(folder: Path) -> None:
    sweep = file.read(folder / "made.sweep.gz")
    space = generate(contraction(WORKLOAD), TARGET, narrowing.load(None, "matmul"))
    points = excerpt(space, COUNT, 0)
    digests = [space.schedule(point).digest for point in points]
    assert len(sweep) == len(points)
    for row, digest in enumerate(digests):
        number = int(digest[:8], 16)
        is_default = digest == DEFAULT
        assert bool(sweep.failures[row]) == (number % 11 == 0 and not is_default)
        if not sweep.failures[row]:
            ratio = 1.0 if is_default else 0.5 + (number % 1000) / 1000
            assert sweep.first_ratios[row] == pytest.approx(ratio, rel=1e-5)
    order = np.argsort(np.nan_to_num(sweep.first_ratios, nan=9.0), kind="stable")
    assert sorted(sweep.again) == sorted(order[: max(1, round(0.05 * len(points)))].tolist())
    for row, readings in sweep.again.items():
        expected = [sweep.first_ratios[row] * (1 + 0.01 * i) for i in range(1, 6)]
        assert readings == pytest.approx(expected, rel=1e-4)
    assert sweep.best_ratio == min(median(readings) for readings in sweep.again.values())
    assert sweep.reference_s == 2e-6


def test_sweep_keeps_what_explorers_and_models_see(folder: Path) -> None:
    sweep = file.read(folder / "made.sweep.gz")
    space = generate(contraction(WORKLOAD), TARGET, narrowing.load(None, "matmul"))
    points = excerpt(space, COUNT, 0)
    assert sweep.families.tolist() == space.family(points).tolist()
    np.testing.assert_allclose(sweep.bounds, space.bound(points), rtol=1e-5)
    computed = features.compute(space, points)
    for name, column in sweep.features.items():
        assert np.array_equal(column, computed[:, features.NAMES.index(name)])
    lost = [n for n in features.NAMES if n not in sweep.features]
    assert all(np.ptp(computed[:, features.NAMES.index(name)]) == 0 for name in lost)
    assert sweep.features_version == features.VERSION
    plain = {tuple(point) for point in space.plain(64).tolist()}
    assert [tuple(points[row].tolist()) in plain for row in sweep.plain] == [True] * len(
        sweep.plain
    )


def test_an_interrupted_recording_goes_on_and_measures_nothing_twice(tmp_path: Path) -> None:
    first, second = Factory(stops_after=20), Factory()
    with pytest.raises(KeyboardInterrupt):
        recorded(tmp_path, first)
    assert first.made[0].is_closed
    assert not (tmp_path / "made.sweep.gz").exists()
    kept = {entry.digest for entry in read(tmp_path / "made.rounds" / "0.jsonl").entries}
    is_inside = DEFAULT in kept
    assert len(kept) == 19 + is_inside
    sweep = recorded(tmp_path, second)
    # The default is what the others are timed beside, so it is asked for each time.
    assert kept.isdisjoint(second.made[0].asked[1:])
    assert len(second.made) == 6
    assert len(sweep) == len(kept) + len(second.made[0].asked) - 1
    third = Factory()
    assert recorded(tmp_path, third).ratios.tolist() == pytest.approx(
        sweep.ratios.tolist(), nan_ok=True
    )
    assert third.made == []


def test_logs_of_another_recording_are_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"0\.jsonl is of another recording: excerpt is"):
        recorded(folder, Factory(), seed=1)


def test_a_header_that_is_lost_costs_its_round(tmp_path: Path) -> None:
    recorded(tmp_path, Factory())
    path = tmp_path / "made.rounds" / "3.jsonl"
    path.write_bytes(path.read_bytes().partition(b"\n")[2])
    again = Factory()
    recorded(tmp_path, again)
    assert len(again.made) == 1


def test_without_a_reference_nothing_is_recorded(tmp_path: Path) -> None:
    with pytest.raises(MeasureError, match="the default schedule failed: no"):
        recorded(tmp_path, Factory(default_fails=True))


def test_refresh_computes_features_anew(folder: Path, tmp_path: Path) -> None:
    sweep = file.read(folder / "made.sweep.gz")
    path = tmp_path / "old.sweep.gz"
    old = {"lanes": np.zeros(len(sweep), np.float32)}
    file.write(replace(sweep, features=old, features_version=1, plain=(), bounds=np.zeros(0)), path)
    record_sweep.refresh(str(path))
    fresh = file.read(path)
    assert fresh.features_version == features.VERSION
    assert fresh.plain == sweep.plain
    assert fresh.features.keys() == sweep.features.keys()
    assert all(np.array_equal(fresh.features[n], sweep.features[n]) for n in sweep.features)


def test_refresh_of_another_space_changes_nothing(folder: Path, tmp_path: Path) -> None:
    sweep = file.read(folder / "made.sweep.gz")
    for change, message in (
        ({"about": {**sweep.about, "excerpt": {"points": COUNT, "seed": 1}}}, "other points now"),
        ({"about": {}}, "does not say what it is a part of: 'workload'"),
    ):
        path = tmp_path / "other.sweep.gz"
        file.write(replace(sweep, **change), path)
        before = path.read_bytes()
        with pytest.raises(UsageError, match=message):
            record_sweep.refresh(str(path))
        assert path.read_bytes() == before


def test_a_sweep_says_how_hard_it_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sweep = file.read(folder / "made.sweep.gz")
    record_sweep.show(sweep)
    near = int((sweep.qualities >= 0.95).sum())
    expected = round((len(sweep) + 1) / (near + 1))
    assert f"{near} points within 95%" in (told := capsys.readouterr().out)
    assert f"about {expected} trials" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Q7"], "unknown shape 'Q7'; known: C1, C2"),
        (["--refresh", "none.sweep.gz"], "sweep none.sweep.gz cannot be read"),
    ],
)
def test_bad_names_end_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert record_sweep.main(arguments) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["C2", "--points", "5"], ["C2", "--seed", "-1"]])
def test_bad_options_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        record_sweep.main(arguments)
    assert caught.value.code == 2
    assert "error: " in capsys.readouterr().err
