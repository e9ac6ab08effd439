"""What a measurer is, and the options of the one that uses this machine.

`tune` submits schedules and takes trials as they become ready; building overlaps measuring and
there is no barrier. A candidate that fails is a `Failure` value, never an exception.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from autotune.errors import UsageError
from autotune.ir.schedule import Schedule
from autotune.measure.cores import Cores, allowed_cores, divide
from autotune.trial import CACHE_POLICIES, CachePolicy, Failure, Timing, Trial


@dataclass(frozen=True)
class MeasureOptions:
    """How candidates are built and timed.

    `builder_module` and `runner_module` name the modules that workers run as `python -m`. Tests
    name their own, which wrap `build.main` and `run.main` and misbehave on purpose.
    """

    builders: int = 1
    timeout_s: float = 10.0
    """Wall time one candidate may take to build, and again to be checked and timed."""
    min_slice_s: float = 0.001
    """What a slice takes at least: short, for a shared machine stays the same for 5 to 50 ms."""
    patience_s: float = 0.3
    """Longest that a reading takes, an undisturbed machine waited for or not; a first one: half."""
    drops_slow: bool = True
    """A candidate that is clearly slower than the best gets a slice or three, no full reading."""
    cache_policy: CachePolicy = "warm"
    cores: Cores = field(default_factory=lambda: divide(allowed_cores(), 1))
    """Where the builders and the runner stay."""
    recycle_after: int = 500
    """Candidates after which a builder is replaced by a fresh process."""
    seed: int = 0
    strict: bool = False
    """Checks each candidate also with every buffer right before an inaccessible page."""
    builder_module: str = "autotune.measure.build"
    runner_module: str = "autotune.measure.run"

    def __post_init__(self) -> None:
        for name in ("timeout_s", "min_slice_s", "patience_s"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise UsageError(f"{name} is {value!r}; allowed: a positive number of seconds")
        for name in ("builders", "recycle_after"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)!r}; allowed: an integer from 1")
        if self.cache_policy not in CACHE_POLICIES:
            raise UsageError(
                f"cache_policy is {self.cache_policy!r}; allowed: {', '.join(CACHE_POLICIES)}"
            )


class Measurer(Protocol):
    """Turns schedules of one workload into trials, in the order in which they are done."""

    @property
    def pending(self) -> int:
        """Schedules submitted whose trials `ready` has not returned yet."""

    def submit(self, schedules: Sequence[Schedule]) -> None:
        """Queue schedules; the first one ever submitted becomes the run's fixed reference."""

    def ready(self, wait_s: float) -> list[Trial]:
        """Trials done since the last call; waits at most `wait_s` seconds for the first.

        One that may be the best is told once more whenever it was timed again, at another moment,
        with all its readings in one timing; nobody has to wait for that.

        Raises:
            MeasureError: workers cannot be started.
        """

    def retime(
        self,
        schedules: Sequence[Schedule],
        rounds: int,
        hopefuls: Sequence[Schedule] = (),
        places: int = 0,
        within_s: float = math.inf,
    ) -> list[Timing | Failure]:
        """The finalists again: fresh process, fresh inputs, round by round at separate moments.

        A timing holds one sample a round, each paired with a copy of the same schedule: the first
        hopeful that works, the search's best; without hopefuls the second of `schedules`, else the
        first. A copy, for a kernel beside itself finds its operands in the caches.
        Timings of two schedules are of the same rounds as far as both go: one that has clearly lost
        is left out of further rounds, the first never is.

        Args:
            schedules: take part in all rounds that count; the default first.
            rounds: that count.
            hopefuls: best first. Rounds that do not count show which of them go on.
            places: for so many hopefuls. Of the others only what they were screened by is known.
            within_s: seconds that it should take. Where they are few, a disturbed machine is waited
                for less and there are fewer rounds.

        Returns:
            What became of each of `schedules`, then of each of `hopefuls`.
        """

    def peak_flops(self) -> float:
        """Multiply-adds of one thread at their measured best, in FLOP/s."""

    def close(self) -> None:
        """End all workers; returns within two seconds."""
