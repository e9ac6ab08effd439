"""What a run tells: `Progress` while it goes on, `Result` at its end. Plain data for any front end.

`tune` makes both; the command line prints them. Nothing here measures or decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from autotune.ir.schedule import Schedule
from autotune.trial import Timing, Workload

Phase = Literal["search", "finalists", "done"]


@dataclass(frozen=True)
class Progress:
    """Where a run stands. Failures count among the trials."""

    phase: Phase
    trials: int
    wanted: int | None
    """How many trials there will be at most: those asked for, or all of a smaller space; None
    where only time or convergence ends the run."""
    best_gflops: float | None
    peak_fraction: float | None
    """Of the measured peak of all threads."""
    trials_per_second: float
    failures: Mapping[str, int]
    """Count by kind; kinds that did not occur are absent."""
    seconds: float
    seconds_left: float | None
    note: str = ""
    """One line worth telling, the first time it is true; else empty."""


@dataclass(frozen=True)
class Outcome:
    """The schedule a run ended with, re-timed beside the default."""

    schedule: Schedule
    timing: Timing
    is_tuned: bool
    """It beats the default by more than the noise, or the default failed."""
    baseline: Timing | None
    """The default's own timing; None where it failed."""
    speedup: float | None
    """Median of the paired ratios default over this; None where the default failed."""
    speedup_interval: tuple[float, float] | None
    ties: tuple[str, ...] = ()
    """Digests of the finalists that the final round could not tell from the fastest."""
    is_retimed: bool = True
    """Checked and timed a second time; False where that was interrupted or impossible."""


@dataclass(frozen=True)
class Result:
    """A finished run."""

    workload: Workload
    target_key: str
    trials: int
    """Those of the run that was gone on with included."""
    failures: Mapping[str, int]
    seconds: float
    search_seconds: float
    """The part of `seconds` in which trials were measured; their rate refers to it."""
    stopped: str
    """trials, budget, exhausted, converged or interrupted."""
    outcome: Outcome
    is_kept: bool
    """The cache has it; else only the log does."""
    flop: int
    """Of the direct algorithm."""
    executed_flop: int
    """Of the chosen schedule: fewer than `flop` where its algorithm saves some."""
    peak_flops: float
    """Measured, of all threads, in FLOP/s; 0 where it could not be."""
    cache: str
    log: str
    notes: tuple[str, ...] = ()
    """What the caller should know, one line each."""
    resumed: int = 0
    """How many of the trials the run that was gone on with had measured."""

    @property
    def schedule(self) -> Schedule:
        return self.outcome.schedule

    @property
    def gflops(self) -> float:
        """GFLOP/s of the chosen schedule, counted on the direct algorithm."""
        return self.flop / self.outcome.timing.seconds / 1e9

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `autotune run --json`."""
        failed = sum(self.failures.values())
        return {
            "workload": self.workload.to_dict(),
            "key": self.workload.key,
            "target": self.target_key,
            "trials": self.trials,
            "resumed": self.resumed,
            "failed": failed,
            "failures": dict(self.failures),
            "seconds": self.seconds,
            "trials_per_second": rate(self.trials - self.resumed, self.search_seconds),
            "stopped": self.stopped,
            "selected": "tuned" if self.outcome.is_tuned else "baseline",
            "baseline": self._baseline(),
            "best": self._best(),
            "cache": self.cache,
            "kept": self.is_kept,
            "log": self.log,
            "notes": list(self.notes),
        }

    def _baseline(self) -> dict[str, float] | None:
        baseline = self.outcome.baseline
        if baseline is None:
            return None
        return {"seconds": baseline.seconds, "gflops": self.flop / baseline.seconds / 1e9}

    def _best(self) -> dict[str, Any]:
        chosen = self.outcome
        interval = chosen.speedup_interval
        flops = self.executed_flop / chosen.timing.seconds
        return {
            "seconds": chosen.timing.seconds,
            "gflops": self.gflops,
            "speedup": chosen.speedup,
            "speedup_interval": None if interval is None else list(interval),
            "peak_fraction": flops / self.peak_flops if self.peak_flops else None,
            "error_units": chosen.timing.error_units,
            "ties": list(chosen.ties),
            "schedule": chosen.schedule.to_dict(),
        }


def rate(count: int, seconds: float) -> float:
    """Events per second; 0 before any time has passed."""
    return count / seconds if seconds > 0 else 0.0
