"""Who stays on which cores."""

from __future__ import annotations

import pytest

from autotune.measure.cores import allowed_cores, divide, staying_on


@pytest.mark.parametrize(
    ("allowed", "threads", "measuring", "building"),
    [
        ([0, 1], 1, (1,), (0,)),
        ([3, 1, 2, 0], 1, (3,), (0, 1, 2)),
        ([0, 1, 2, 3], 3, (1, 2, 3), (0,)),
        ([5], 1, (5,), (5,)),
        ([0, 1], 2, (0, 1), (0, 1)),
        ([0, 1], 8, (0, 1), (0, 1)),
    ],
)
def test_last_cores_measure_and_the_others_build(
    allowed: list[int], threads: int, measuring: tuple[int, ...], building: tuple[int, ...]
) -> None:
    cores = divide(allowed, threads)
    assert (cores.measuring, cores.building) == (measuring, building)
    assert cores.are_shared == (measuring == building)


def test_thread_stays_on_its_cores_only_while_the_context_lasts() -> None:
    before = allowed_cores()
    with staying_on(before[:1]):
        assert allowed_cores() == before[:1]
    assert allowed_cores() == before


def test_cores_that_do_not_exist_are_ignored() -> None:
    before = allowed_cores()
    with staying_on([10_000]):
        assert allowed_cores() == before
