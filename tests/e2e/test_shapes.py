"""Every shape of the data files tunes: no crash of the tuner, no candidate that is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import autotune
from autotune.diagnosis import NoValidScheduleError
from autotune.progress import Result
from autotune.store.log import read
from autotune.trial import Trial, Workload
from autotune.tune import tune

FILES = sorted((Path(__file__).resolve().parents[1] / "data" / "shapes").glob("*.json"))
SHORT = ("C12", "D8", "G10", "P5")
TRIALS = 8
BUDGET_S, BUSY_BUDGET_S = 6.0, 60.0
"""For the trials, and for as much of the final round as there is time for after them."""
DEFECTS = {"illegal", "compile_error", "crash", "wrong_result"}
"""Failures that no schedule of the space may have; running out of time or memory is its own."""


def _workload(entry: dict[str, Any]) -> Workload:
    sizes = {key: value for key, value in entry.items() if key not in ("name", "op")}
    made: Workload = getattr(autotune, entry["op"])(**sizes)
    return made


def _workloads() -> dict[str, Workload]:
    """Every distinct workload, by its name or its place in its file."""
    found: dict[Workload, str] = {}
    for path in FILES:
        for position, entry in enumerate(json.loads(path.read_text(encoding="utf-8"))):
            found.setdefault(_workload(entry), entry.get("name", f"{path.stem}-{position}"))
    return {name: workload for workload, name in found.items()}


WORKLOADS = _workloads()


def _defects(trials: tuple[Trial, ...]) -> list[str]:
    """Failures that are ours. Too few correct digits are only to be expected of Winograd."""
    return [
        f"{trial.status}: {trial.failure.message} {trial.schedule.to_json()}"
        for trial in trials
        if trial.failure
        and trial.status in DEFECTS
        and not (trial.status == "wrong_result" and trial.schedule.algorithm.startswith("winograd"))
    ]


def _tuned(workload: Workload, folder: Path) -> Result:
    """What tuning gives; with more time where the machine was too busy for a single trial."""
    cache = str(folder / "cache.db")
    try:
        log = str(folder / "run.jsonl")
        return tune(workload, trials=TRIALS, budget_s=BUDGET_S, cache=cache, log=log)
    except NoValidScheduleError:
        log = str(folder / "again.jsonl")
        return tune(workload, trials=TRIALS, budget_s=BUSY_BUDGET_S, cache=cache, log=log)


def _tunes(workload: Workload, folder: Path) -> None:
    result = _tuned(workload, folder)
    assert result.trials == TRIALS or result.stopped in ("exhausted", "budget")
    assert result.trials
    assert _defects(read(result.log).trials) == []
    assert result.outcome.baseline is not None, result.notes
    hit = autotune.lookup(workload, cache=result.cache, strict=True)
    assert hit.schedule == result.schedule


@pytest.mark.parametrize("name", SHORT)
def test_shape_tunes(name: str, tmp_path: Path) -> None:
    _tunes(WORKLOADS[name], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in WORKLOADS if name not in SHORT])
def test_every_other_shape_tunes(name: str, tmp_path: Path) -> None:
    _tunes(WORKLOADS[name], tmp_path)
