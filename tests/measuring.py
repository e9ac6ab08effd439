"""What the tests with real measuring workers share: a workload, its schedules, planted faults."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from autotune.ir.default import default_schedule
from autotune.ir.schedule import Schedule
from autotune.measure.base import MeasureOptions
from autotune.measure.pool import PoolMeasurer
from autotune.ops.base import contraction, parse_workload
from autotune.targets.base import Target
from autotune.trial import Trial, Workload

WORKERS = Path(__file__).parent / "e2e" / "workers"
WORKLOAD = parse_workload("matmul", "13x13x40")
FAULTY = MeasureOptions(
    builder_module="faulty_builder", runner_module="faulty_runner", timeout_s=3.0
)


def variants(target: Target, count: int, workload: Workload = WORKLOAD) -> list[Schedule]:
    """Distinct legal schedules: the default with another unroll factor each."""
    default = default_schedule(contraction(workload), target)
    (nest,) = default.nests
    made = []
    for unroll in range(1, count + 1):
        inner = (*nest.inner[:-1], (nest.inner[-1][0], unroll))
        made.append(dataclasses.replace(default, parts=(dataclasses.replace(nest, inner=inner),)))
    return made


def collect(measurer: PoolMeasurer) -> list[Trial]:
    """Every trial as it was told first."""
    trials: list[Trial] = []
    while measurer.pending:
        trials += (trial for trial in measurer.ready(30.0) if trial.readings == 1)
    return trials


def plant(patch: pytest.MonkeyPatch, schedules: list[Schedule], faults: dict[int, str]) -> None:
    by_digest = {schedules[position].digest: fault for position, fault in faults.items()}
    patch.setenv("AUTOTUNE_TEST_FAULTS", json.dumps(by_digest))


class PlantingMeasurer(PoolMeasurer):
    """Plants faults by the order in which schedules come, whoever chooses them; "" is none."""

    def __init__(
        self,
        workload: Workload,
        target: Target,
        options: MeasureOptions,
        faults: Sequence[str],
        patch: pytest.MonkeyPatch,
        file: Path,
    ) -> None:
        self.planted: dict[str, str] = {}
        self._left = [*faults]
        self._file = file
        file.write_text("{}", encoding="utf-8")
        patch.setenv("AUTOTUNE_TEST_FAULTS_FILE", str(file))
        super().__init__(workload, target, options)

    def submit(self, schedules: Sequence[Schedule]) -> None:
        """Queue schedules, once the workers can know what is wrong with them."""
        for schedule in schedules:
            if self._left and (fault := self._left.pop(0)):
                self.planted[schedule.digest] = fault
        # Never half there: a worker may be reading.
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(self.planted), encoding="utf-8")
        new.replace(self._file)
        super().submit(schedules)
