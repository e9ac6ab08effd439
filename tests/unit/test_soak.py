"""The script that watches memory: what it draws, what it sees of a process, what it prints."""

from __future__ import annotations

import os
import sys

import pytest
import soak

from autotune.ops.base import parse_workload
from autotune.targets.detect import resolve

TARGET = resolve("x86-64-v3")
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def test_schedules_are_distinct_and_as_many_as_asked() -> None:
    workload = parse_workload("matmul", "64x64x64")
    digests = [schedule.digest for schedule in soak.schedules(workload, TARGET, 300, 0)]
    assert len(set(digests)) == len(digests) == 300


def test_schedules_of_a_small_space_come_to_an_end() -> None:
    found = list(soak.schedules(parse_workload("matmul", "1x1x1"), TARGET, 300, 0))
    assert 0 < len(found) < 300


@linux
def test_usage_of_this_process_counts_its_files_and_maps() -> None:
    (before,) = soak.usages()
    held = [open(os.devnull) for _ in range(5)]  # noqa: SIM115
    (after,) = soak.usages()
    for file in held:
        file.close()
    assert (after.role, after.pid) == ("tuner", os.getpid())
    assert after.files - before.files == 5
    assert after.maps > 20
    assert 1024 < after.rss_kib <= after.peak_kib


def test_table_has_a_line_for_each_process_and_the_rate_since_the_last(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = soak.Table()
    usages = (soak.Usage("tuner", 1, 2048, 4096, 7, 99), soak.Usage("run", 2, 1024, 1024, 6, 98))
    table.show(soak.Step(100, 10.0, usages))
    table.show(soak.Step(300, 20.0, usages))
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert lines[0] == ["100", "10.0", "tuner", "2.0", "4.0", "7", "99"]
    assert lines[1] == ["run", "1.0", "1.0", "6", "98"]
    assert lines[2][:3] == ["300", "20.0", "tuner"]


@pytest.mark.parametrize("option", ["--trials", "--every"])
def test_no_candidates_are_refused(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        soak.main([option, "0"])
    assert ended.value.code == 2
    assert "at least 1" in capsys.readouterr().err
