"""The space that is generated from a contraction and a target.

A point is a row of knob indices (see `tables.Columns`). Sampling, neighbours and mixing draw rows,
bring them to canonical form and keep the legal ones; nothing is ever enumerated, but for spaces so
small that all their points can be listed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autotune.ir.assemble import Choice as NestChoice
from autotune.ir.assemble import assemble
from autotune.ir.contraction import ITEM_BYTES, Contraction
from autotune.ir.default import plain_choices
from autotune.ir.schedule import Schedule, Stage
from autotune.space.base import Narrowing, Points
from autotune.space.bound import lower_bound
from autotune.space.decode import Decoded, canonical, decode
from autotune.space.draw import grid, legal_neighbours, legal_points
from autotune.space.encode import encoded
from autotune.space.rules import broken, legal
from autotune.space.tables import Ints, tables
from autotune.space.variants import NONE, ONCE, variants
from autotune.targets.base import Target

LIST_LIMIT = 4096
"""Spaces up to this size are listed."""
RAW_LIMIT = 200_000
"""Raw index combinations that are worth walking to find out."""
ESTIMATE_POINTS = 20_000
EXPLAINED_POINTS = 1024


class GeneratedSpace:
    """All schedules of one contraction on one target that the generator knows.

    Attributes:
        knobs: name of each knob that a space file may set, with the values it takes here.
    """

    def __init__(self, contraction: Contraction, target: Target, narrowing: Narrowing) -> None:
        self.contraction, self.target = contraction, target
        found, self.knobs = variants(contraction, target, narrowing)
        self.tables = tables(found)
        self._item = ITEM_BYTES[contraction.dtype]
        shape = json.dumps(
            [str(contraction), target.key, narrowing.digest, str(self.tables.variants)]
        )
        self.digest = hashlib.sha256(shape.encode()).hexdigest()[:16]

    @cached_property
    def _listed(self) -> Points | None:
        counts = self.tables.counts[:, 1:]
        if np.prod(counts.astype(np.float64), axis=1).sum() > RAW_LIMIT:
            return None
        rows = [self.among([[v], *map(range, counts[v])]) for v in range(len(counts))]
        found = np.concatenate(rows)
        return found if len(found) <= LIST_LIMIT else None

    def among(self, values: Sequence[Sequence[int]]) -> Points:
        """Every point that takes one of the given indices in each column."""
        found = [np.zeros((0, self.tables.columns.count), np.int64)]
        for raw in grid(values):
            own = raw[np.all(canonical(self.tables, raw) == raw, axis=1)]
            found.append(own[self._is_legal(own)])
        return np.concatenate(found)

    @cached_property
    def size(self) -> int:
        """Number of points: counted where they can be listed, else estimated from a fixed sample.

        The estimate is the share of random index rows that are legal and already canonical.
        """
        if self._listed is not None:
            return len(self._listed)
        weights = np.prod(self.tables.counts[:, 1:].astype(np.float64), axis=1)
        rows = self._draw(np.random.default_rng(0), ESTIMATE_POINTS, weights / weights.sum())
        made = canonical(self.tables, rows)
        kept = np.all(made == rows, axis=1) & self._is_legal(made)
        return round(float(weights.sum()) * int(kept.sum()) / len(rows))

    @property
    def is_exact(self) -> bool:
        return self._listed is not None

    def all_points(self) -> Points | None:
        return None if self._listed is None else self._listed.copy()

    def sample(self, rng: np.random.Generator, count: int) -> Points:
        """At most `count` random legal points, every variant equally likely; possibly repeated."""
        if self._listed is not None:
            if not len(self._listed):
                return self._listed.copy()
            return self._listed[rng.integers(len(self._listed), size=count)]
        return legal_points(lambda raw: self._kept(self._plainer(self._draw(rng, raw), rng)), count)

    def plain(self, count: int) -> Points:
        """The choices that the default is taken from, no more than a third of one form."""
        rows, taken = [], dict.fromkeys(range(len(self.tables.variants)), 0)
        for form, choice in plain_choices(self.contraction, self.target):
            variant = next((v for v in taken if self.tables.variants[v].form == form), None)
            if variant is None or taken[variant] * 3 >= max(count, 3):
                continue
            row = encoded(self.tables, variant, choice)
            if row is not None and len(kept := self._kept(row[None])):
                rows.append(kept[0])
                taken[variant] += 1
            if len(rows) == count:
                break
        if not rows:
            return np.zeros((0, self.tables.columns.count), np.int64)
        found = np.stack(rows)
        return found[np.sort(np.unique(found, axis=0, return_index=True)[1])]

    def neighbours(self, points: Points, rng: np.random.Generator) -> Points:
        """One or two knobs changed: a step along an ordered one, or a new value."""
        return legal_neighbours(
            points, lambda own: canonical(self.tables, self._changed(own, rng)), self._is_legal
        )

    def _changed(self, points: Points, rng: np.random.Generator) -> Points:
        changed = points.copy()
        rows = np.arange(len(points))
        counts = self.tables.counts[points[:, 0]]
        for round_ in range(2):
            free = counts > 1
            weights = free * rng.random(counts.shape)
            column = np.argmax(weights, axis=1)
            count = counts[rows, column]
            now = changed[rows, column]
            near = np.clip(now + rng.choice([-1, 1], size=len(rows)), 0, count - 1)
            value = np.where(rng.random(len(rows)) < 0.5, near, rng.integers(0, count))
            apply = free.any(axis=1) & (rng.random(len(rows)) < (1.0 if round_ == 0 else 0.4))
            changed[rows, column] = np.where(apply, value, now)
            # A new variant has tables of its own: its indices are clipped when made canonical.
            counts = self.tables.counts[changed[:, 0]]
        return changed

    def mix(self, a: Points, b: Points, rng: np.random.Generator) -> Points:
        """Each knob from either parent; parents of different variants do not mix."""
        take = rng.random(a.shape) < 0.5
        take &= (a[:, 0] == b[:, 0])[:, None]
        mixed = canonical(self.tables, np.where(take, b, a))
        return np.where(self._is_legal(mixed)[:, None], mixed, a)

    def family(self, points: Points) -> NDArray[np.int64]:
        """Variant's vector axis, fusion and edges, how each input is packed, and the store."""
        made = self.decode(points)
        forms = [(v.form.vector, v.form.fuse, v.form.in_place) for v in self.tables.variants]
        code = np.array([forms.index(form) for form in forms], np.int64)[made.variant]
        columns = self.tables.columns
        for i in range(columns.inputs):
            at = made.value(columns.axes.start + i)
            code = code * 3 + np.where(at == NONE, 0, np.where(at == ONCE, 1, 2))
        return np.asarray(code * 3 + made.stores)

    def bound(self, points: Points) -> NDArray[np.float64]:
        return lower_bound(self.decode(points), self.target, self._item)

    def decode(self, points: Points) -> Decoded:
        """The decisions of canonical points, for features and bounds."""
        return decode(self.tables, points)

    def schedule(self, point: NDArray[np.int64]) -> Schedule:
        """The schedule that one canonical point denotes."""
        made = self.decode(point[None])
        variant = self.tables.variants[int(point[0])]
        columns = self.tables.columns
        names = [*variant.parallel, *[""] * (columns.parallel - len(variant.parallel))]
        split = variant.reduction[variant.split_axis] if variant.split_axis >= 0 else ""
        loop_names = [*names, split]

        def ordered(slots: Ints) -> tuple[str, ...]:
            return tuple(loop_names[s] for s in slots if loop_names[s])

        outer = self.tables.outer.slots[point[0], point[columns.outer]]
        order = self.tables.order.slots[point[0], point[columns.order]]
        inner = self.tables.inner.slots[point[0], point[columns.inner]]
        unroll = made.unroll[0]
        parallel = dict(zip(names, made.tile[0].tolist(), strict=True))
        blocks = dict(zip(names, made.block[0].tolist(), strict=True))
        tile = {axis: size for axis, size in parallel.items() if axis}
        splits = {split: int(made.split[0])} if split else {}
        inside = variant.is_split_inside
        choice = NestChoice(
            vector=variant.form.vector,
            lanes=variant.form.lanes,
            tile=tile | splits if inside else tile,
            block={axis: size for axis, size in blocks.items() if axis},
            split={} if inside else splits,
            outer=ordered(outer),
            order=(*ordered(order), split) if inside else ordered(order),
            inner=tuple(
                (variant.reduction[s], int(unroll[s])) for s in inner if s < len(variant.reduction)
            ),
            stages=self._stages(point, made),
            store=variant.store[int(point[columns.store])],
            fuse=variant.form.fuse,
            prefetch=self._prefetch(made),
            parallel=int(made.value(columns.spread)[0]),
        )
        return assemble(variant.form.contraction, choice)

    def _stages(self, point: NDArray[np.int64], made: Decoded) -> tuple[tuple[Stage, int], ...]:
        columns, variant = self.tables.columns, self.tables.variants[int(point[0])]
        align = int(made.value(columns.align)[0])
        stages: list[tuple[Stage, int]] = []
        out = int(made.value(columns.out)[0])
        if out != NONE:
            stages.append((Stage(variant.form.contraction.output.operand, "axes"), out))
        for i, access in enumerate(variant.form.contraction.inputs):
            name = access.operand
            dims = int(made.value(columns.dims.start + i)[0])
            if dims != NONE:
                phases = variant.needs[i] == "phases"
                stages.append((Stage(name, "dims", align=align, phases=phases), dims))
            axes = int(made.value(columns.axes.start + i)[0])
            if axes == ONCE:
                stages.insert(0, (Stage(name, "axes", once=True), 0))
            elif axes != NONE:
                stages.append((Stage(name, "axes"), axes))
        return tuple(stages)

    def _prefetch(self, made: Decoded) -> tuple[tuple[str, int], ...]:
        ahead = int(made.value(self.tables.columns.prefetch)[0])
        if not ahead:
            return ()
        inputs = self.contraction.inputs
        columns = self.tables.columns
        fed = [
            i
            for i in range(columns.inputs)
            if made.value(columns.axes.start + i)[0] != NONE
            and self.tables.depends[made.variant[0], i, 0]
        ]
        return ((inputs[fed[-1]].operand, ahead),) if fed else ()

    def _draw(
        self, rng: np.random.Generator, count: int, weights: NDArray[np.float64] | None = None
    ) -> Points:
        variant = rng.choice(len(self.tables.variants), size=count, p=weights)
        rows = rng.integers(0, self.tables.counts[variant])
        rows[:, 0] = variant
        return np.asarray(rows, np.int64)

    def _plainer(self, rows: Points, rng: np.random.Generator) -> Points:
        """A third of the rows as they are, a third with half of the extras, a third with none.

        Blocks, splits, a staged output and prefetching are knobs whose first value is to do
        without; left to chance, hardly a row does without all of them, as the fastest often do.
        """
        columns = self.tables.columns
        extras = [*range(columns.block.start, columns.split + 1)]
        extras += [columns.align, columns.out, columns.prefetch]
        share = rng.choice((0.0, 0.5, 1.0), size=(len(rows), 1))
        without = rng.random((len(rows), len(extras))) < share
        rows[:, extras] = np.where(without, 0, rows[:, extras])
        return rows

    def _kept(self, rows: Points) -> Points:
        points = canonical(self.tables, rows)
        return points[self._is_legal(points)]

    def why_empty(self) -> str:
        """Which rules a sample of raw points breaks, most frequent first."""
        rows = self._draw(np.random.default_rng(0), EXPLAINED_POINTS)
        made = self.decode(canonical(self.tables, rows))
        rules = broken(self.tables, made, self.target.vector_registers, self._item)
        shares = sorted(((mask.mean(), rule) for rule, mask in rules.items()), reverse=True)
        return "; ".join(f"{rule}: {share:.0%}" for share, rule in shares if share > 0)

    def _is_legal(self, points: Points) -> NDArray[np.bool_]:
        return legal(self.tables, self.decode(points), self.target.vector_registers, self._item)
