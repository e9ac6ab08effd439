"""Random legal schedules over odd shapes match the reference and stay within their buffers."""

from __future__ import annotations

import dataclasses

import pytest

from autotune.ir.default import default_schedule
from autotune.ir.schedule import Group, Schedule
from autotune.ops.base import contraction, parse_workload
from autotune.targets.detect import host
from tests.sweep import Case, Outcome, cases, run


def _report(outcome: Outcome) -> str:
    return "\n".join(f"{message}\n  {case.to_json()}" for case, message in outcome.failures)


def _sweep(count: int, seed: int) -> list[Case]:
    """Check `count` schedules; all of them, for what else is asserted."""
    todo = cases(count, seed)
    outcome = run(todo)
    assert not outcome.failures, _report(outcome)
    assert outcome.count == len(todo) == count
    return todo


def test_two_hundred_random_schedules_are_right() -> None:
    todo = _sweep(200, seed=0)
    assert len({case.workload.shape for case in todo}) >= 40
    assert 80 <= sum(case.is_wild for case in todo) <= 160
    assert {case.threads for case in todo} == {1, 2}
    schedules = [case.schedule for case in todo]
    algorithms = {s.algorithm for s in schedules}
    # Which of each kind is a matter of the machine's targets; test_algorithms.py has them all.
    assert "direct" in algorithms
    assert any(name.startswith("partial") for name in algorithms)
    assert len({name for name in algorithms if name.startswith("winograd")}) >= 2
    assert sum(any(isinstance(part, Group) for part in s.parts) for s in schedules) >= 10
    assert sum(len(s.parts) > 1 and any(s.spread) for s in schedules) >= 4
    assert {nest.store for s in schedules for nest in s.nests} == {"direct", "transpose", "scatter"}
    assert {stage.layout for s in schedules for nest in s.nests for stage in nest.stages} == {
        "dims",
        "lanes",
        "axes",
    }


@pytest.mark.slow
def test_two_thousand_random_schedules_are_right() -> None:
    _sweep(2000, seed=1)


def test_cases_are_the_same_for_the_same_seed() -> None:
    first, again, other = (cases(12, seed) for seed in (5, 5, 6))
    assert first == again
    assert first != other


@pytest.fixture
def good() -> Case:
    workload = parse_workload("matmul", "5x9x7")
    schedule = default_schedule(contraction(workload), host())
    return Case(workload, "host", 1, schedule, seed=0)


def test_case_that_ends_its_process_or_is_illegal_costs_itself_alone(good: Case) -> None:
    (nest,) = good.schedule.nests
    illegal = Schedule((dataclasses.replace(nest, lanes=3),))
    todo = [
        good,
        # A target that the child does not know ends it.
        dataclasses.replace(good, target="nowhere"),
        dataclasses.replace(good, schedule=illegal),
        good,
    ]
    outcome = run(todo, children=1)
    messages = [message for _, message in outcome.failures]
    assert outcome.count == 4
    assert messages[0].startswith("child died: exit status ")
    assert messages[1].startswith("ScheduleError: lanes=3")
    assert len(messages) == 2


def test_case_that_hangs_is_ended(good: Case) -> None:
    outcome = run([good], children=1, limit_s=0.01)
    assert [message for _, message in outcome.failures] == ["child died: exit status -9"]
