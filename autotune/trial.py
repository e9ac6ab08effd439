"""The records that cross borders: workloads, targets' answers to them, and what became of trials.

Everything here is frozen, made of plain data and importable without NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Literal, get_args

from autotune.ir.schedule import Schedule

CODEGEN_VERSION = 6
"""Raised whenever the same schedule lowers to other instructions; older records become stale."""

DEFAULT_TOLERANCE = 16.0
"""Largest error accepted, in units of eps * sqrt(reduction length) * RMS of the sum."""

Tolerance = float | Literal["strict"]
"""So many units, or `strict`: the default's, reached by sums alone, in any order."""
STRICT: Literal["strict"] = "strict"

FAILURE_KINDS = (
    "illegal",
    "compile_error",
    "compile_timeout",
    "crash",
    "timeout",
    "out_of_memory",
    "wrong_result",
    "invalid_time",
)


CachePolicy = Literal["warm", "rotating"]
"""Where a kernel's operands are when it is timed: in the caches from the call before, as in a loop
over one layer; or the next of many copies, together larger than the last-level cache, as in a
network whose other layers ran in between."""
CACHE_POLICIES: tuple[CachePolicy, ...] = get_args(CachePolicy)


@dataclass(frozen=True)
class Workload:
    """One operator on one shape: what is computed, not how.

    `shape` is the canonical text of every size and flag, in the operator's own order, as
    `ops.base.parse_workload` writes it. Two workloads are the same if and only if their keys are.
    """

    op: str
    shape: str
    dtype: str = "float32"
    layout: str = ""
    tolerance: Tolerance = DEFAULT_TOLERANCE

    @property
    def tolerance_text(self) -> str:
        """As `--tolerance` takes it."""
        return STRICT if self.tolerance == STRICT else f"{self.tolerance:g}"

    @property
    def limit_units(self) -> float:
        """The largest error accepted, in units."""
        return DEFAULT_TOLERANCE if self.tolerance == STRICT else self.tolerance

    @property
    def key(self) -> str:
        """The canonical key: `op/shape/dtype/layout/tol=units`."""
        return f"{self.op}/{self.shape}/{self.dtype}/{self.layout}/tol={self.tolerance_text}"

    def to_dict(self) -> dict[str, object]:
        """Plain JSON data."""
        return {
            "op": self.op,
            "shape": self.shape,
            "dtype": self.dtype,
            "layout": self.layout,
            "tolerance": self.tolerance,
        }

    def to_columns(self) -> dict[str, object]:
        """As a database keeps it: the limit is a number, and the key says whether it is strict."""
        return {**self.to_dict(), "tolerance": self.limit_units}


@dataclass(frozen=True)
class Timing:
    """A checked, timed candidate. Seconds are of one call; the reference ran before and after it.

    `ratio` is candidate over reference: the lower quartile of the paired quotients, for what
    disturbs a slice between two undisturbed ones of the reference can only make it slower; on a
    machine that was never at rest, where that holds no longer, their median.
    """

    samples_s: tuple[float, ...]
    reference_s: tuple[float, ...]
    """One for each sample: the mean of the reference's slices beside it."""
    error_units: float
    """Largest error against the float64 reference, in the units of `DEFAULT_TOLERANCE`."""
    disturbed: tuple[tuple[float, float], ...] = ()
    """Further pairs (sample, reference) that do not count: the machine was slow meanwhile."""
    is_steady: bool = True
    """False where it was slow nearly all the time, so that every pair counts."""

    @property
    def seconds(self) -> float:
        return median(self.samples_s)

    @property
    def ratios(self) -> list[float]:
        """Candidate over reference, pair by pair."""
        pairs = zip(self.samples_s, self.reference_s, strict=True)
        return [sample / reference for sample, reference in pairs]

    @cached_property
    def ratio(self) -> float:
        return lower_quartile(self.ratios) if self.is_steady else median(self.ratios)


def lower_quartile(values: Sequence[float]) -> float:
    """A quarter of the values lie below it; between two of them it is interpolated."""
    ordered = sorted(values)
    place = (len(ordered) - 1) / 4
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


@dataclass(frozen=True)
class Failure:
    """Why a candidate has no timing. `kind` is one of FAILURE_KINDS; the message is one line."""

    kind: str
    message: str


@dataclass(frozen=True)
class Trial:
    """One measured schedule: its outcome, and where its time went."""

    schedule: Schedule
    outcome: Timing | Failure
    build_s: float = 0.0
    run_s: float = 0.0
    readings: int = 1
    """At how many separate moments it was timed: what was told of it before is out of date."""

    @property
    def timing(self) -> Timing | None:
        return self.outcome if isinstance(self.outcome, Timing) else None

    @property
    def failure(self) -> Failure | None:
        return self.outcome if isinstance(self.outcome, Failure) else None

    @property
    def status(self) -> str:
        """`ok` or the failure's kind."""
        return self.outcome.kind if isinstance(self.outcome, Failure) else "ok"
