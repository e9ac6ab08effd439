"""Schedules keep their JSON and digest, and print as the nests on record."""

from __future__ import annotations

import json

import pytest

from autotune.ir.printer import show
from autotune.ir.schedule import from_dict
from tests.golden.kernels import KERNELS


def test_digests_of_schedules_are_those_on_record(golden):
    lines = [f"{name} {kernel.schedule.digest}\n" for name, kernel in KERNELS.items()]
    golden("digests.txt", "".join(lines))


def test_json_of_schedules_is_that_on_record(golden):
    lines = [f"  {json.dumps(name)}: {k.schedule.to_json()}" for name, k in KERNELS.items()]
    golden("schedules.json", "{\n" + ",\n".join(lines) + "\n}\n")


def test_schedules_on_record_still_read(root):
    recorded = json.loads((root / "tests" / "golden" / "schedules.json").read_text("utf-8"))
    read = {name: from_dict(data) for name, data in recorded.items()}
    assert read == {name: kernel.schedule for name, kernel in KERNELS.items()}


@pytest.mark.parametrize("name", KERNELS)
def test_printed_nest_is_that_on_record(name, golden):
    kernel = KERNELS[name]
    golden(f"nests/{name}.txt", show(kernel.contraction, kernel.schedule))
