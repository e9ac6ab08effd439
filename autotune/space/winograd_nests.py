"""The schedules of the winogradM algorithms: six nests under the loops they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from autotune.errors import ScheduleError
from autotune.ir.algorithm import statements
from autotune.ir.assemble import leading_loops
from autotune.ir.contraction import Contraction
from autotune.ir.program import count_nests
from autotune.ir.schedule import Group, Loop, Nest, Part, Schedule, Stage, Step
from autotune.targets.base import Target


def build(
    contraction: Contraction, target: Target, value: Mapping[str, int], lanes: int
) -> Schedule:
    """The schedule that the knobs' values describe (see `space.winograd.KNOBS`).

    Raises:
        ScheduleError: the contraction has no such algorithm, or nothing to put in vectors.
    """
    return _Builder(contraction, target, value, lanes).schedule()


class _Builder:
    """Puts the six nests under the loops they share."""

    def __init__(
        self, contraction: Contraction, target: Target, value: Mapping[str, int], lanes: int
    ) -> None:
        self.target, self.value, self.lanes = target, value, lanes
        self.algorithm = f"winograd{value['outputs']}"
        made = statements(contraction, self.algorithm)
        self.filters, self.rows, self.bands, self.products, self.sums, self.out = made
        self.is_constant = bool(contraction.constant)
        self.down, self.across = (a.name for a in self.products.axes if a.name.endswith("_tile"))
        inner = {self.down, self.across}
        spatial = {a for a in self.products.by_name if a.endswith("_freq")}
        free = [a.name for a in self.products.parallel if a.name not in inner | spatial]
        read = {a.name for a in self.rows.parallel}
        self.batch = [name for name in free if name in read]
        self.outer_filters = [name for name in free if name not in read]
        if not self.outer_filters:
            raise ScheduleError("winograd needs more than one filter to put in vectors")
        self.filter = self.outer_filters.pop()
        channels = [a.name for a in self.rows.parallel if a.name not in self.batch]
        self.channels = [n for n in channels if n not in inner and not n.startswith(self._stems())]
        if not self.channels:
            raise ScheduleError("winograd needs more than one channel to put in vectors")
        self.channel = self.channels.pop()
        self.panel = lanes * value["vectors"]

    def _stems(self) -> tuple[str, ...]:
        return tuple(f"{name.removesuffix('_tile')}_" for name in (self.down, self.across))

    def schedule(self) -> Schedule:
        value = self.value
        outer = self._loops(
            self.products, {}, [*((name, 1) for name in self.batch), (self.down, value["rows"])]
        )
        shared = {loop.axis: loop.step for loop in outer}
        forward = self._group(
            self.rows,
            shared,
            [
                *((name, 1) for name in self.channels),
                (self.channel, value["channels"] * self.lanes),
            ],
            lambda inside: (self._rows(inside), self._bands(inside)),
        )
        inverse = self._group(
            self.products,
            shared,
            [
                *((name, 1) for name in self.outer_filters),
                (self.filter, value["filters"] * self.panel),
            ],
            lambda inside: (self._products(inside), self._sums(inside), self._out(inside)),
        )
        body: tuple[Part, ...] = (*forward, *inverse)
        parts = (self._filters(), *((Group(outer, body),) if outer else body))
        plain = Schedule(parts, self.algorithm)
        return plain.spread_over(self._spread(parts)) if self.target.threads > 1 else plain

    def _spread(self, parts: tuple[Part, ...]) -> list[int]:
        """Loops of each part that tasks range over: none of what is done beforehand."""
        made = (self.filters, self.rows, self.bands, self.products, self.sums, self.out)
        counts, first = [], 0
        for part in parts:
            is_ahead = part is parts[0] and self.is_constant
            steps = part.loops if isinstance(part, Group) else part.steps
            counts.append(0 if is_ahead else leading_loops(made[first], steps))
            first += count_nests(part)
        return counts

    def _group(
        self,
        made: Contraction,
        shared: Mapping[str, int],
        wanted: list[tuple[str, int]],
        parts: Callable[[Mapping[str, int]], tuple[Part, ...]],
    ) -> tuple[Part, ...]:
        loops = self._loops(made, shared, wanted)
        inside = {**shared, **{loop.axis: loop.step for loop in loops}}
        return (Group(loops, parts(inside)),) if loops else parts(inside)

    def _loops(
        self, made: Contraction, shared: Mapping[str, int], wanted: list[tuple[str, int]]
    ) -> tuple[Loop, ...]:
        """The wanted loops that do something; a step of 0 is none."""
        found = []
        for axis, step in wanted:
            region = shared.get(axis, made.extents.get(axis, 1))
            if 0 < step < region:
                found.append(Loop(axis, step))
        return tuple(found)

    def _nest(
        self,
        made: Contraction,
        vector: str,
        steps: list[Step],
        inner: tuple[tuple[str, int], ...],
        store: str = "direct",
        prefetch: tuple[tuple[str, int], ...] = (),
    ) -> Nest:
        return Nest(tuple(steps), vector, self.lanes, inner, store, (), prefetch)

    def _whole(self, made: Contraction) -> tuple[tuple[str, int], ...]:
        """All reductions of a transform, unrolled."""
        return tuple((axis.name, axis.extent) for axis in made.reduction)

    def _filters(self) -> Nest:
        made, source = self.filters, self.filters.inputs[0]
        steps: list[Step] = list(self._loops(made, {}, [(self.filter, self.panel)]))
        if source.coefficient(self.filter) != 1:
            steps.append(Stage(source.operand, "axes"))
        spatial = {a for a in made.by_name if a.endswith("_freq")}
        rest = [a.name for a in made.parallel if a.name not in spatial and a.name != self.filter]
        steps += self._loops(made, {}, [(name, 1) for name in rest])
        return self._nest(made, self.filter, steps, self._whole(made))

    def _rows(self, shared: Mapping[str, int]) -> Nest:
        made = self.rows
        x = made.inputs[0]
        is_last = x.index[-1].coefficient(self.channel) == 1
        stage = Stage(x.operand, "dims" if is_last else "lanes")
        columns = next(a.name for a in made.parallel if a.name.endswith("_in"))
        wanted = [(n, 1) for n in (*self.batch, *self.channels)]
        wanted += [(self.channel, self.lanes), (self.down, 1), (self.across, 1), (columns, 1)]
        steps: list[Step] = [stage, *self._loops(made, shared, wanted)]
        return self._nest(made, self.channel, steps, self._whole(made))

    def _bands(self, shared: Mapping[str, int]) -> Nest:
        made = self.bands
        first = made.parallel[0].name
        wanted = [(n, 1) for n in (*self.batch, *self.channels)]
        wanted += [(self.channel, self.lanes), (self.down, 1), (self.across, 1), (first, 1)]
        steps: list[Step] = list(self._loops(made, shared, wanted))
        return self._nest(made, self.channel, steps, self._whole(made))

    def _products(self, shared: Mapping[str, int]) -> Nest:
        made, value = self.products, self.value
        packed = made.inputs[1].operand
        steps: list[Step] = [Stage(packed, "axes", once=True)] if self.is_constant else []
        points = [a.name for a in made.parallel if a.name.endswith("_freq")]
        wanted = [(n, 1) for n in (*self.batch, *self.outer_filters, *points)]
        wanted += [
            (self.filter, self.panel),
            (self.down, value["tile_rows"]),
            (self.across, value["tile_columns"]),
        ]
        steps += self._loops(made, shared, wanted)
        inner = tuple(
            (a.name, min(value["unroll"], a.extent) if a.name == self.channel else 1)
            for a in made.reduction
        )
        ahead = ((packed, value["prefetch"]),) if value["prefetch"] else ()
        return self._nest(made, self.filter, steps, inner, prefetch=ahead)

    def _sums(self, shared: Mapping[str, int]) -> Nest:
        made = self.sums
        columns = next(a.name for a in made.parallel if a.name.endswith("_freq"))
        wanted = [(n, 1) for n in (*self.batch, *self.outer_filters)]
        wanted += [(self.filter, self.lanes), (columns, 1), (self.down, 1), (self.across, 1)]
        steps: list[Step] = list(self._loops(made, shared, wanted))
        return self._nest(made, self.filter, steps, self._whole(made))

    def _out(self, shared: Mapping[str, int]) -> Nest:
        made = self.out
        rows = made.parallel[0].name
        wanted = [(n, 1) for n in (*self.batch, *self.outer_filters)]
        wanted += [(self.filter, self.lanes), (self.down, 1), (rows, 1), (self.across, 1)]
        steps: list[Step] = [
            Stage(made.output.operand, "lanes"),
            *self._loops(made, shared, wanted),
        ]
        is_last = made.output.coefficient(self.filter) == 1
        return self._nest(
            made, self.filter, steps, self._whole(made), "direct" if is_last else "transpose"
        )
