"""The space of Winograd schedules: few knobs, since the six nests leave little to choose.

What matters is how many rows of tiles go through all nests at once (their bands must stay in the L2
cache), how many filters the products take at a time, and the products' register tile.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autotune.errors import ScheduleError
from autotune.ir.algorithm import WINOGRAD, statements
from autotune.ir.contraction import ITEM_BYTES, Contraction
from autotune.ir.default import LATENCY, LOAD_WORK
from autotune.ir.legal import MAX_PREFETCH_BYTES, violation
from autotune.ir.schedule import Schedule
from autotune.ir.winograd import rounding_units
from autotune.space.base import Choice, Narrowing, Points
from autotune.space.bound import CLOCK_HZ, L3_BYTES_PER_CYCLE
from autotune.space.draw import grid, legal_neighbours, legal_points
from autotune.space.winograd_nests import build
from autotune.targets.base import Target

ROWS = (1, 2, 3, 4, 6, 8, 12, 16)
FILTERS = (1, 2, 4, 8)
"""Filters that the inverse transform takes at a time, in register tiles."""
CHANNELS = (1, 2, 4, 8)
"""Channels that the forward transform takes at a time, in vectors."""
TILE_ROWS = (1, 2, 3, 4, 5, 6, 7, 8)
TILE_COLUMNS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 20, 28)
UNROLLS = (1, 2, 4, 8)
PREFETCH = (0, 512, 2048)
MAX_HANDED_BYTES = 2**28
EXPECTED_MARGIN = 1.6
"""Largest errors measured over those expected."""
RAW_LIMIT = 20_000
ESTIMATE_POINTS = 20_000
KNOBS = ("outputs", "rows", "filters", "channels", "tile_rows", "tile_columns", "vectors",
         "unroll", "prefetch")  # fmt: skip
"""Columns of a point; what each says stands in `WinogradSpace.tables`."""


class WinogradSpace:
    """Schedules of the winogradM algorithms; empty where none is legal."""

    def __init__(
        self,
        contraction: Contraction,
        target: Target,
        narrowing: Narrowing,
        algorithms: Sequence[str] = tuple(WINOGRAD),
    ) -> None:
        self.contraction, self.target = contraction, target
        self.lanes = target.vector_bytes // ITEM_BYTES[contraction.dtype]
        wanted = [name for name in WINOGRAD if name in algorithms]
        names = [n for n in wanted if _fits(contraction, target, n, self.lanes)]
        self.outputs = tuple(WINOGRAD[name] for name in names)
        self.knobs: dict[str, tuple[Choice, ...]] = {}
        self.ranges: dict[str, tuple[int, int]] = {}
        """Least and greatest number that each knob takes, for any M."""
        self._narrowing = narrowing
        self.tables = [self._table(m) for m in self.outputs]
        text = f"{contraction} {target.key} {narrowing.digest} {self.tables}"
        self.digest = hashlib.sha256(text.encode()).hexdigest()[:16]

    def _table(self, outputs: int) -> list[tuple[int, ...]]:
        """Values of every column but the first, for one M."""
        made = statements(self.contraction, f"winograd{outputs}")
        products, rows = made[3], made[1]
        tall, wide = (a.extent for a in products.axes if a.name.endswith("_tile"))
        filters = products.parallel[-1].extent
        channels = rows.parallel[-1].extent
        most = -(-filters // self.lanes)
        blocks = -(-channels // self.lanes)
        values: dict[str, Iterable[int]] = {
            "rows": _even({r for r in ROWS if r <= tall} | {tall}, tall),
            "filters": {f for f in FILTERS if f < most} | {0},
            "channels": {c for c in CHANNELS if c < blocks} | {0},
            "tile_rows": {r for r in TILE_ROWS if r <= tall},
            "tile_columns": {c for c in TILE_COLUMNS if c <= wide} | {min(wide, 28)},
            "vectors": {v for v in (1, 2) if v <= most},
            "unroll": {u for u in UNROLLS if u <= channels},
            "prefetch": PREFETCH if self.contraction.constant else (0,),
        }
        ranges = {
            "rows": (1, tall), "filters": (0, most), "channels": (0, blocks),
            "tile_rows": (1, tall), "tile_columns": (1, wide), "vectors": (1, min(4, most)),
            "unroll": (1, min(64, channels)), "prefetch": (0, MAX_PREFETCH_BYTES),
        }  # fmt: skip
        return [self._allowed(name, values[name], ranges[name]) for name in KNOBS[1:]]

    def _allowed(
        self, name: str, values: Iterable[int], limits: tuple[int, int]
    ) -> tuple[int, ...]:
        """The knob's values after narrowing, within its range for this M."""
        knob, (low, high) = f"winograd.{name}", limits
        only, never = self._narrowing.only.get(knob), self._narrowing.never.get(knob, ())
        generated = set(values)
        known = self.ranges.get(knob, (low, high))
        self.ranges[knob] = (min(known[0], low), max(known[1], high))
        self.knobs[knob] = tuple(sorted({*self.knobs.get(knob, ()), *generated}))
        kept = generated if only is None else {v for v in only if isinstance(v, int)}
        return tuple(sorted(v for v in kept if v not in never and low <= v <= high))

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        return np.array(
            [[len(self.outputs), *(len(values) for values in table)] for table in self.tables],
            np.int64,
        ).reshape(-1, len(KNOBS))

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be chosen at all."""
        return not self.outputs or bool((self._counts == 0).any())

    @cached_property
    def _listed(self) -> Points | None:
        """Every point, where there are few."""
        if self.is_empty:
            return np.zeros((0, len(KNOBS)), np.int64)
        if self._counts[:, 1:].prod(axis=1).sum() > RAW_LIMIT:
            return None
        rows = [self.among([[m], *map(range, row[1:])]) for m, row in enumerate(self._counts)]
        return np.concatenate(rows)

    def among(self, values: Sequence[Sequence[int]]) -> Points:
        """Every point that takes one of the given indices in each column."""
        return np.concatenate([self._kept(raw) for raw in grid(values)])

    @cached_property
    def size(self) -> int:
        """Number of points: counted where they can be listed, else estimated from a sample."""
        if self._listed is not None:
            return len(self._listed)
        counts = self._counts[:, 1:].prod(axis=1)
        rows = self._draw(np.random.default_rng(0), ESTIMATE_POINTS)
        return max(1, round(float(counts.sum() * self._is_legal(rows).mean())))

    @property
    def is_exact(self) -> bool:
        return self._listed is not None

    def all_points(self) -> Points | None:
        return None if self._listed is None else self._listed.copy()

    def sample(self, rng: np.random.Generator, count: int) -> Points:
        if self._listed is not None:
            if not len(self._listed):
                return self._listed.copy()
            return self._listed[rng.integers(len(self._listed), size=count)]
        return legal_points(lambda raw: self._kept(self._draw(rng, raw)), count)

    def _kept(self, rows: Points) -> Points:
        return rows[self._is_legal(rows)]

    def _draw(self, rng: np.random.Generator, count: int) -> Points:
        first = rng.integers(len(self.outputs), size=count)
        rows = rng.integers(0, self._counts[first])
        rows[:, 0] = first
        return np.asarray(rows, np.int64)

    def plain(self, count: int) -> Points:
        """None: the default is never of this algorithm."""
        return np.zeros((0, len(KNOBS)), np.int64)

    def neighbours(self, points: Points, rng: np.random.Generator) -> Points:
        """One knob a step further, or anywhere; the point itself where none was legal."""
        return legal_neighbours(points, lambda own: self._changed(own, rng), self._is_legal)

    def _changed(self, points: Points, rng: np.random.Generator) -> Points:
        counts = self._counts[points[:, 0]]
        column = np.argmax((counts > 1) * rng.random(counts.shape), axis=1)
        rows = np.arange(len(points))
        now, count = points[rows, column], counts[rows, column]
        near = np.clip(now + rng.choice([-1, 1], size=len(rows)), 0, count - 1)
        changed = points.copy()
        far = rng.integers(0, count)
        changed[rows, column] = np.where(rng.random(len(rows)) < 0.5, near, far)
        return self._clipped(changed)

    def mix(self, a: Points, b: Points, rng: np.random.Generator) -> Points:
        mixed = self._clipped(np.where(rng.random(a.shape) < 0.5, a, b))
        return np.where(self._is_legal(mixed)[:, None], mixed, a)

    def _clipped(self, points: Points) -> Points:
        return np.minimum(points, self._counts[points[:, 0]] - 1)

    def family(self, points: Points) -> NDArray[np.int64]:
        return np.asarray(points[:, 0])

    @cached_property
    def _padded(self) -> list[NDArray[np.int64]]:
        """By column but the first: (M, values) what an index means."""
        found = []
        for i in range(len(KNOBS) - 1):
            widest = max(len(table[i]) for table in self.tables)
            padded = np.zeros((len(self.tables), widest), np.int64)
            for m, table in enumerate(self.tables):
                padded[m, : len(table[i])] = table[i]
            found.append(padded)
        return found

    def values(self, points: Points) -> dict[str, NDArray[np.int64]]:
        """What every knob says, by name; `outputs` is M."""
        found = {"outputs": np.array(self.outputs, np.int64)[points[:, 0]]}
        for i, name in enumerate(KNOBS[1:]):
            found[name] = self._padded[i][points[:, 0], points[:, i + 1]]
        return found

    @cached_property
    def _sizes(self) -> dict[str, NDArray[np.int64]]:
        """By M, as `sizes` gives them by point."""
        columns: dict[str, list[int]] = {}
        for m in self.outputs:
            products = statements(self.contraction, f"winograd{m}")[3]
            tall, wide = (a.extent for a in products.axes if a.name.endswith("_tile"))
            channels = int(np.prod([a.extent for a in products.reduction]))
            filters = products.multiply_adds // ((m + 2) ** 2 * tall * wide * channels)
            for name, value in (
                ("tall", tall), ("wide", wide), ("points", (m + 2) ** 2),
                ("channels", channels), ("filters", filters),
                ("panel_filters", products.parallel[-1].extent),
            ):  # fmt: skip
                columns.setdefault(name, []).append(value)
        return {name: np.array(values, np.int64) for name, values in columns.items()}

    def sizes(self, points: Points) -> dict[str, NDArray[np.int64]]:
        """Extents that depend on M: tiles down and across, points of a tile, channels, filters."""
        return {name: values[points[:, 0]] for name, values in self._sizes.items()}

    def handed_bytes(self, points: Points) -> NDArray[np.int64]:
        """(n,) bytes of the bands that one round hands from the transform to the products."""
        value, size = self.values(points), self.sizes(points)
        item = ITEM_BYTES[self.contraction.dtype]
        rows = np.minimum(value["rows"], size["tall"])
        return np.asarray(size["points"] * rows * size["wide"] * size["channels"] * item)

    def _is_legal(self, points: Points) -> NDArray[np.bool_]:
        value, size = self.values(points), self.sizes(points)
        rows = np.minimum(value["rows"], size["tall"])
        accumulators = value["tile_rows"] * value["tile_columns"] * value["vectors"]
        registers = self.target.vector_registers
        rows_of_tile = value["tile_rows"] * value["tile_columns"]
        live = accumulators + np.minimum(value["vectors"], rows_of_tile) + 1
        good = (live <= registers) & (accumulators * value["unroll"] <= 256)
        good &= size["points"] * value["vectors"] <= 4 * registers
        # A block of rows is whole tiles, unless it is all of them.
        good &= (value["tile_rows"] <= rows) & (
            (rows == size["tall"]) | (rows % value["tile_rows"] == 0)
        )
        whole = -(-size["panel_filters"] // (self.lanes * value["vectors"]))
        good &= (value["filters"] == 0) | (value["filters"] < whole)
        good &= self.handed_bytes(points) <= MAX_HANDED_BYTES
        return np.asarray(good)

    def bound(self, points: Points) -> NDArray[np.float64]:
        """Products, transforms, stores, and what bands cost once they leave the L2 cache."""
        value, size = self.values(points), self.sizes(points)
        tiles = size["tall"] * size["wide"]
        lanes = self.lanes
        covered = -(-size["tall"] // value["tile_rows"]) * -(-size["wide"] // value["tile_columns"])
        accumulators = value["tile_rows"] * value["tile_columns"] * value["vectors"]
        loads = value["tile_rows"] * value["tile_columns"] + value["vectors"]
        body = np.maximum(np.maximum(accumulators, loads * LOAD_WORK), LATENCY)
        panels = -(-size["filters"] // (lanes * value["vectors"]))
        cycles = size["points"] * panels * covered * (size["channels"] * body + 20.0)
        cycles += 6.0 * size["points"] * tiles * -(-size["channels"] // lanes)
        cycles += 5.0 * size["points"] * tiles * -(-size["filters"] // lanes)
        handed = self.handed_bytes(points)
        overflow = handed > self.target.l2_bytes * 0.7
        rounds = -(-size["tall"] // np.maximum(value["rows"], 1))
        again = np.where(overflow, handed * rounds * 2.0, 0.0)
        weights = size["points"] * size["channels"] * size["filters"] * rounds
        streamed = weights * ITEM_BYTES[self.contraction.dtype] / L3_BYTES_PER_CYCLE
        return np.asarray((cycles + again / L3_BYTES_PER_CYCLE + 0.3 * streamed) / CLOCK_HZ)

    def why_empty(self) -> str:
        return "no winograd schedule fits the registers and the cache"

    def schedule(self, point: NDArray[np.int64]) -> Schedule:
        value = {name: int(v[0]) for name, v in self.values(point[None]).items()}
        return build(self.contraction, self.target, value, self.lanes)


def _even(rows: set[int], tall: int) -> set[int]:
    """The blocks of rows without a remainder, which would write all six nests twice.

    All of them where there is none of a useful size.
    """
    even = {r for r in rows if tall % r == 0}
    return even if any(1 < r <= ROWS[-1] for r in even) else rows


def _fits(contraction: Contraction, target: Target, algorithm: str, lanes: int) -> bool:
    """Whether its error may be expected to do, and its plainest schedule is legal."""
    value = {
        "outputs": WINOGRAD[algorithm], "rows": 1, "filters": 0, "channels": 0, "tile_rows": 1,
        "tile_columns": 1, "vectors": 1, "unroll": 1, "prefetch": 0,
    }  # fmt: skip
    if (
        EXPECTED_MARGIN * rounding_units(contraction, WINOGRAD[algorithm])
        > contraction.rounding_units
    ):
        return False
    try:
        schedule = build(contraction, target, value, lanes)
    except ScheduleError:
        return False
    return violation(contraction, schedule, target) is None
