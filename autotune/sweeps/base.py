"""A recorded sweep: every point of a space, measured. Frozen data, checked when it is made.

It is a space of its own: a point is a row of numbers, each the place of a value in the sweep's own
table of knobs, so that nothing that changes in this program changes what was recorded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autotune.errors import UsageError
from autotune.space.base import Points
from autotune.trial import FAILURE_KINDS

Value = int | float | str | bool
"""What a knob may say."""


class SweepError(UsageError):
    """A sweep, or a file that should hold one, is damaged, foreign or of another version."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """Every point of a space with what became of it. Rows of all arrays belong together.

    Raises:
        SweepError: arrays do not belong together, a point comes twice, a time is no time, or
            nothing worked.
    """

    name: str
    about: Mapping[str, Any]
    """Plain JSON data that says where it comes from: workload, target, machine, versions."""
    knobs: Mapping[str, tuple[Value, ...]]
    """Every value that a knob takes, in the order that makes two of them neighbours."""
    points: Points
    """(n, knobs) places in the tables of `knobs`; no row comes twice."""
    first_ratios: NDArray[np.float64]
    """(n,) time over the reference's, at the first reading; NaN where the point failed."""
    failures: tuple[str, ...]
    """(n,) kind of failure, or empty."""
    reference_s: float
    """Seconds that a ratio of 1 stands for."""
    again: Mapping[int, tuple[float, ...]] = field(default_factory=dict)
    """Row -> ratios read at other moments, of the points that looked best."""
    families: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """(n,) structural family; empty: all of one."""
    bounds: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """(n,) analytic lower bounds in seconds; empty: none are known."""
    plain: tuple[int, ...] = ()
    """Rows of points such as the default schedule is, the most promising first."""
    features: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    """Name -> (n,) what a cost model saw of each point; empty: knobs stand for themselves."""
    features_version: int = 0
    """`autotune.features.VERSION` when they were computed."""

    def __post_init__(self) -> None:
        count, width = len(self.points), len(self.knobs)
        if self.points.ndim != 2 or self.points.shape[1] != width or count == 0 or width == 0:
            raise SweepError(f"points are {self.points.shape}; allowed: (1 or more, {width})")
        for name, values in self.knobs.items():
            if not values or len({(type(v), v) for v in values}) < len(values):
                raise SweepError(f"knob {name!r} has no values, or one of them twice")
        counts = [len(values) for values in self.knobs.values()]
        if (self.points < 0).any() or (self.points >= counts).any():
            raise SweepError("a point holds a number that is no place in its knob's table")
        if len(np.unique(self.points, axis=0)) < count:
            raise SweepError("a point comes twice")
        self._check_rows(count)
        self._check_times(count)

    def _check_rows(self, count: int) -> None:
        arrays: dict[str, Any] = {"first_ratios": self.first_ratios, "failures": self.failures}
        arrays |= {f"feature {name!r}": values for name, values in self.features.items()}
        optional = {"families": self.families, "bounds": self.bounds}
        arrays |= {name: values for name, values in optional.items() if len(values)}
        for name, values in arrays.items():
            if len(values) != count:
                raise SweepError(f"{name}: {len(values)} rows; allowed: {count}, as points")
        for row in (*self.plain, *self.again):
            if not 0 <= row < count:
                raise SweepError(f"row {row} is none; allowed: 0 to {count - 1}")

    def _check_times(self, count: int) -> None:
        failed = np.array([bool(kind) for kind in self.failures])
        for kind in set(self.failures) - {"", *FAILURE_KINDS}:
            raise SweepError(f"failure {kind!r} is not known; allowed: {', '.join(FAILURE_KINDS)}")
        if (np.isnan(self.first_ratios) != failed).any():
            raise SweepError("a point has neither a ratio nor a failure, or both")
        if failed.all():
            raise SweepError(f"none of {count} points worked")
        later = [ratio for readings in self.again.values() for ratio in readings]
        times = np.array([*self.first_ratios[~failed], *later, self.reference_s])
        if not (np.isfinite(times) & (times > 0)).all():
            raise SweepError("a ratio, or the reference's time, is no positive number")
        for row, readings in self.again.items():
            if failed[row] or not readings:
                raise SweepError(f"row {row} was read again but failed, or has no reading")

    def __len__(self) -> int:
        return len(self.points)

    @cached_property
    def ratios(self) -> NDArray[np.float64]:
        """(n,) time over the reference's; NaN where a point failed.

        Of points read at several moments it is the median of those later readings: the first one
        got them chosen, so it flatters.
        """
        found = self.first_ratios.copy()
        for row, readings in self.again.items():
            found[row] = median(readings)
        return found

    @cached_property
    def best_row(self) -> int:
        """The best known: the fastest of the points read again, where there are any."""
        rows = sorted(self.again) or list(range(len(self)))
        return rows[int(np.nanargmin(self.ratios[rows]))]

    @property
    def best_ratio(self) -> float:
        """Its time over the reference's."""
        return float(self.ratios[self.best_row])

    @cached_property
    def qualities(self) -> NDArray[np.float64]:
        """(n,) time of the best known over a point's, in [0, 1]; 0 for a failure."""
        return np.minimum(np.nan_to_num(self.best_ratio / self.ratios, nan=0.0), 1.0)

    def share_within(self, quality: float) -> float:
        """Share of the points that reach this quality: how easy the space is."""
        return float((self.qualities >= quality).mean())

    @cached_property
    def digest(self) -> str:
        """Identifies knobs and points: what makes it this space."""
        text = repr([(name, values) for name, values in self.knobs.items()]).encode()
        rows = np.ascontiguousarray(self.points, "<i8").tobytes()
        return hashlib.sha256(text + rows).hexdigest()[:16]

    def values(self, row: int) -> dict[str, Value]:
        """What each knob says at one point."""
        places = self.points[row].tolist()
        return {
            name: table[place]
            for (name, table), place in zip(self.knobs.items(), places, strict=True)
        }

    @cached_property
    def model_features(self) -> NDArray[np.float32]:
        """(n, f) what a cost model sees: features where they were recorded, else the knobs.

        A knob of numbers gives its value, one of names its place.
        """
        if self.features:
            return np.stack([*self.features.values()], axis=1).astype(np.float32)
        columns = []
        for column, values in enumerate(self.knobs.values()):
            is_number = not any(isinstance(value, str) for value in values)
            table = np.array(values if is_number else range(len(values)), np.float32)
            columns.append(table[self.points[:, column]])
        return np.stack(columns, axis=1)
