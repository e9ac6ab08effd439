"""Slices against a clock of our own: lengths, pairing, dropping, and no invented number."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from autotune.measure.child import CandidateError
from autotune.measure.timing import Plan, Slicer, paired

SLICE_S = 0.003


@dataclass
class World:
    """A clock that only kernels move."""

    now_ns: float = 1e6
    calls: list[tuple[float, int]] = field(default_factory=list)

    def clock_ns(self) -> int:
        return int(self.now_ns)

    def slicer(self, call_s: float, guess_s: float) -> Slicer:
        def repeat(count: int) -> None:
            self.calls.append((call_s, count))
            self.now_ns += call_s * count * 1e9

        return Slicer(repeat, guess_s, SLICE_S, self.clock_ns)


@pytest.mark.parametrize("call_s", [2e-9, 3e-7, 1e-4, 2e-3, 0.5])
@pytest.mark.parametrize("guess", [0.0, 0.01, 1.0, 1000.0])
def test_slices_are_long_enough_whatever_the_first_guess(call_s: float, guess: float) -> None:
    world = World()
    slicer = world.slicer(call_s, call_s * guess)
    first, second = slicer.sample(), slicer.sample()
    assert first == pytest.approx(call_s, rel=1e-3)
    assert second == pytest.approx(call_s, rel=1e-3)
    last_count = world.calls[-1][1]
    assert last_count * call_s >= 0.79 * SLICE_S
    assert last_count * call_s <= max(2 * SLICE_S, 2 * call_s) or guess < 1


def test_pairs_are_taken_in_turn() -> None:
    world = World()
    samples, references = paired(
        world.slicer(1e-3, 1e-3), world.slicer(2e-3, 2e-3), Plan(3, 1e18, None), world.clock_ns
    )
    assert samples == pytest.approx([1e-3] * 3)
    assert references == pytest.approx([2e-3] * 3)
    assert [call_s for call_s, _ in world.calls] == [1e-3, 2e-3] * 3


@pytest.mark.parametrize(("best_ratio", "count"), [(None, 3), (1.0, 1), (1.7, 3)])
def test_slow_candidate_gets_one_slice(best_ratio: float | None, count: int) -> None:
    world = World()
    samples, references = paired(
        world.slicer(4e-3, 4e-3),
        world.slicer(1e-3, 1e-3),
        Plan(3, 1e18, best_ratio),
        world.clock_ns,
    )
    assert len(samples) == len(references) == count


def test_no_pair_starts_that_would_end_too_late() -> None:
    world = World()
    until_ns = world.now_ns + 2.5e9
    samples, _ = paired(
        world.slicer(0.5, 0.5), world.slicer(0.5, 0.5), Plan(9, until_ns, None), world.clock_ns
    )
    assert len(samples) == 2
    assert world.now_ns <= until_ns


@pytest.mark.parametrize("step_ns", [0, -5])
def test_clock_without_positive_time_is_refused_after_one_retry(step_ns: int) -> None:
    now = [0]
    counts = []

    def clock_ns() -> int:
        now[0] += step_ns
        return now[0]

    slicer = Slicer(counts.append, 1e-3, SLICE_S, clock_ns)
    with pytest.raises(CandidateError) as caught:
        slicer.sample()
    assert caught.value.kind == "invalid_time"
    assert len(counts) == 2
    assert counts[1] > counts[0]
