"""Random schedules from outside the generated space: deep nests, odd tiles, stages anywhere.

Everything that `legal.violation` accepts must compile and be right, not only what the space makes:
a schedule may come from a log, an import or a lookup.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod

import numpy as np

from autotune.errors import ScheduleError
from autotune.ir.algorithm import PARTIAL_SUMS, statements
from autotune.ir.contraction import ITEM_BYTES, Contraction, fuse
from autotune.ir.legal import instances, violation
from autotune.ir.program import program
from autotune.ir.schedule import Group, Loop, Nest, Part, Schedule, Stage, Step
from autotune.targets.base import Target

TRIES = 400
MOST_CODE = 768
"""Multiply-adds in all instances of the body: legality allows more, but it builds slowly."""
MOST_SCATTERED = 512
"""Scalar stores in all instances."""
CUT_SHARE = 0.35
"""Share of schedules with several nests, where the reduction can be cut."""


def wild_schedules(
    contraction: Contraction, target: Target, rng: np.random.Generator, count: int
) -> list[Schedule]:
    """At most `count` random legal schedules."""
    found: list[Schedule] = []
    for _ in range(count):
        is_cut = bool(rng.random() < CUT_SHARE)
        schedule = _legal(contraction, target, rng, is_cut)
        if schedule is None and is_cut:
            schedule = _legal(contraction, target, rng, False)
        if schedule is not None:
            found.append(schedule)
    return found


def _legal(
    contraction: Contraction, target: Target, rng: np.random.Generator, is_cut: bool
) -> Schedule | None:
    """The first legal draw; none where a bounded number of draws gave none."""
    for _ in range(TRIES):
        schedule = _draw(contraction, target, rng, is_cut)
        if schedule and is_cheap_and_legal(contraction, target, schedule):
            return schedule
    return None


def is_cheap_and_legal(contraction: Contraction, target: Target, schedule: Schedule) -> bool:
    """Whether it is legal, and builds in a fraction of a second."""
    if violation(contraction, schedule, target) is not None:
        return False
    body = scattered = 0
    for plan in program(contraction, schedule).nests:
        copies = instances(plan)
        body += copies * plan.accumulators * prod(unroll for _, unroll in plan.nest.inner)
        if plan.nest.store != "direct":
            scattered += copies * plan.accumulators * plan.nest.lanes
    return body <= MOST_CODE and scattered <= MOST_SCATTERED


def _draw(
    contraction: Contraction, target: Target, rng: np.random.Generator, is_cut: bool
) -> Schedule | None:
    """One random schedule, of one nest or with the reduction cut; none where it cannot be."""
    most = target.vector_bytes // ITEM_BYTES[contraction.dtype]
    lanes = most if rng.random() < 0.5 else int(2 ** rng.integers(0, most.bit_length()))
    parallel = int(rng.integers(0, 3)) if rng.random() < 0.4 else 0
    if not is_cut:
        return Schedule((_Drawer(contraction, lanes, rng).nest(),), parallel=parallel)
    longest = max((axis.extent for axis in contraction.reduction), default=1)
    cuts = [n for n in range(2, min(longest, 12) + 1) if longest % n == 0]
    if not cuts:
        return None
    algorithm = f"partial{rng.choice(cuts)}"
    parts = _grouped(contraction, algorithm, lanes, rng)
    before = [int(rng.integers(0, 3)) if parallel else 0 for _ in parts[1:]]
    return Schedule(parts, algorithm).spread_over([*before, parallel])


def _grouped(
    contraction: Contraction, algorithm: str, lanes: int, rng: np.random.Generator
) -> tuple[Part, ...]:
    """The algorithm's nests under some loops that all share, and some that one has to itself."""
    axes = [axis for axis in contraction.parallel if rng.random() < 0.4]
    around = {axis.name: int(rng.integers(1, axis.extent)) for axis in axes}
    others = [axis for axis in contraction.parallel if axis.name not in around]
    parts: list[Part] = []
    for made in statements(contraction, algorithm):
        own = {}
        if others and rng.random() < 0.3:
            axis = others[int(rng.integers(len(others)))]
            own = {axis.name: int(rng.integers(1, axis.extent))}
        parts += _around(own, [_Drawer(made, lanes, rng, {**around, **own}).nest()])
    if len(around) > 1 and rng.random() < 0.5:
        last = around.popitem()
        parts = _around(dict([last]), parts)
    return tuple(_around(around, parts))


def _around(shared: Mapping[str, int], parts: list[Part]) -> list[Part]:
    if not shared:
        return parts
    return [Group(tuple(Loop(axis, step) for axis, step in shared.items()), tuple(parts))]


@dataclass
class _Drawer:
    """Draws one nest; `shared` is what loops around it leave of some axes."""

    whole: Contraction
    lanes: int
    rng: np.random.Generator
    shared: Mapping[str, int] = field(default_factory=dict)

    def nest(self) -> Nest:
        rng = self.rng
        self.made, groups = self._fused()
        self.region = {**self.made.extents, **self.shared}
        live = [a.name for a in self.made.parallel]
        self.vector = str(rng.choice(live or [next(iter(self.made.by_name))]))
        loops = self._loops()
        tile = dict(self.region)
        for loop in loops:
            tile[loop.axis] = loop.step
        inner = [a.name for a in self.made.reduction if tile[a.name] > 1]
        rng.shuffle(inner)
        names = [a.operand for a in self.made.inputs]
        ahead = int(rng.integers(1, 4096))
        return Nest(
            tuple(self._with_stages(loops)),
            self.vector,
            self.lanes,
            tuple((axis, self._unroll(tile[axis])) for axis in inner),
            store=str(rng.choice(["direct", "transpose", "scatter"])),
            fuse=groups,
            prefetch=((str(rng.choice(names)), ahead),) if rng.random() < 0.2 else (),
        )

    def _unroll(self, size: int) -> int:
        return size if self.rng.random() < 0.3 else int(self.rng.integers(1, min(size, 6) + 1))

    def _fused(self) -> tuple[Contraction, tuple[tuple[str, ...], ...]]:
        """The contraction, half the time with one run of neighbouring axes merged."""
        names = [a.name for a in self.whole.axes if a.kind == "parallel"]
        names = [name for name in names if name not in self.shared]
        if len(names) < 2 or self.rng.random() < 0.5:
            return self.whole, ()
        first = int(self.rng.integers(0, len(names) - 1))
        group = tuple(names[first : int(self.rng.integers(first + 2, len(names) + 1))])
        try:
            return fuse(self.whole, group), (group,)
        except ScheduleError:
            return self.whole, ()

    def _loops(self) -> list[Loop]:
        """Chains of up to three loops an axis, each outer step a multiple, shuffled together."""
        chains = [self._chain(axis.name, axis.kind) for axis in self.made.axes]
        loops = []
        while chains := [chain for chain in chains if chain]:
            loops.append(chains[int(self.rng.integers(len(chains)))].pop())
        return loops

    def _chain(self, axis: str, kind: str) -> list[Loop]:
        """Loops over one axis, innermost first."""
        rng, extent = self.rng, self.region[axis]
        if kind == "reduction":
            size = extent if rng.random() < 0.6 else int(rng.integers(1, extent + 1))
        elif axis != self.vector:
            size = int(rng.integers(1, 6))
        elif rng.random() < 0.3:
            size = int(rng.integers(1, 3 * self.lanes + 1))
        else:
            size = int(rng.integers(1, 4)) * self.lanes
        chain: list[Loop] = []
        if axis in self.shared:
            # The step of the loop around must be a multiple.
            size = max(n for n in range(1, min(size, extent) + 1) if extent % n == 0)
        while size < extent and len(chain) < 3:
            chain.append(Loop(axis, size))
            if rng.random() < 0.6:
                break
            size *= int(rng.integers(2, 5))
        return chain

    def _with_stages(self, loops: list[Loop]) -> list[Step]:
        rng, steps = self.rng, list[Step](loops)

        def put(stage: Stage, least: int = 0) -> int:
            place = 0 if stage.once else int(rng.integers(least, len(steps) + 1))
            steps.insert(place, stage)
            return place

        for access in self.made.inputs:
            name, kind = access.operand, rng.random()
            if name == self.made.constant and kind < 0.5:
                put(Stage(name, "axes", once=True))
                continue
            phases = access.index[-1].coefficient(self.vector) > 1 and bool(rng.random() < 0.7)
            align = int(rng.choice([1, 1, self.lanes, 3, 16]))
            place = -1
            is_handed = name == PARTIAL_SUMS
            if self.made.is_padded(access) or phases or (kind < 0.25 and not is_handed):
                place = put(Stage(name, "dims", align=align, phases=phases))
            elif 0.25 < kind < 0.4:
                place = put(Stage(name, "lanes"))
            if 0.1 < kind < 0.5:
                put(Stage(name, "axes"), place + 1)
        if rng.random() < 0.3:
            put(Stage(self.made.output.operand, str(rng.choice(["lanes", "axes"]))))
        return steps
