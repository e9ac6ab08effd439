"""What one nest denotes: which region each step works on, and where each operand lives.

`resolve` walks a nest once and returns everything that legality, lowering, features and printing
need to know about it; it raises on whatever has no meaning. Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from autotune.errors import ScheduleError
from autotune.ir.contraction import Access, Affine, Contraction, fuse
from autotune.ir.homes import Home, NestPlan, Phases, StagePlan, Stride, round_up, storage_home
from autotune.ir.schedule import Loop, Nest, Stage


def resolve(
    contraction: Contraction,
    nest: Nest,
    shared: Mapping[str, int] | None = None,
    temporaries: Mapping[str, Home] | None = None,
) -> NestPlan:
    """Every region and home of one nest.

    Args:
        contraction: what the nest computes.
        nest: how.
        shared: what loops around several nests leave of an axis, by axis.
        temporaries: homes of the operands that other nests write or read.

    Raises:
        ScheduleError: a name is unknown, a step does nothing, or an operand cannot be read so.
    """
    handed = {a for home in (temporaries or {}).values() for a in home.strides}
    for axes in nest.fuse:
        if set(axes) & (set(shared or ()) | handed):
            raise ScheduleError(f"cannot fuse {axes}: other nests run over one of them too")
        contraction = fuse(contraction, axes)
    return _Resolver(contraction, nest, shared or {}, temporaries or {}).run()


class _Resolver:
    def __init__(
        self,
        contraction: Contraction,
        nest: Nest,
        shared: Mapping[str, int],
        temporaries: Mapping[str, Home],
    ) -> None:
        self.contraction, self.nest, self.shared = contraction, nest, shared
        self.region: dict[str, int] = {**contraction.extents, **shared}
        self.homes = {
            access.operand: temporaries.get(access.operand) or storage_home(contraction, access)
            for access in contraction.operands
        }
        self.last_step: dict[str, int] = {a: n for a, n in shared.items() if a in self.region}
        self.region = {axis: self.region[axis] for axis in contraction.extents}
        self.stages: dict[int, StagePlan] = {}

    def run(self) -> NestPlan:
        self._check_names()
        tile = dict(self.region)
        for loop in self.nest.loops:
            if loop.axis in tile:
                tile[loop.axis] = loop.step
        regions = []
        for position, step in enumerate(self.nest.steps):
            regions.append(dict(self.region))
            if isinstance(step, Loop):
                self._loop(step)
            else:
                self._stage(position, step, tile)
        self._check_inner(tile)
        self._check_packed_output(tile)
        return NestPlan(
            self.contraction,
            self.nest,
            tuple(regions),
            tile,
            self.stages,
            dict(self.homes),
            self.shared,
        )

    def _check_names(self) -> None:
        vector = self.contraction.by_name.get(self.nest.vector)
        if vector is None or vector.kind != "parallel":
            allowed = ", ".join(a.name for a in self.contraction.axes if a.kind == "parallel")
            raise ScheduleError(f"vector axis {self.nest.vector!r} is not one of {allowed}")
        for operand, _ in self.nest.prefetch:
            self.contraction.access(operand)

    def _loop(self, loop: Loop) -> None:
        if loop.axis not in self.region:
            known = ", ".join(self.region)
            raise ScheduleError(f"loop over unknown axis {loop.axis!r}; axes: {known}")
        if not 1 <= loop.step < self.region[loop.axis]:
            raise ScheduleError(
                f"loop over {loop.axis} has step {loop.step}; allowed: 1 to "
                f"{self.region[loop.axis] - 1}, less than the region it is in"
            )
        outer = self.last_step.get(loop.axis)
        if outer is not None and outer % loop.step:
            raise ScheduleError(
                f"loop over {loop.axis} has step {loop.step}, which does not divide the "
                f"step {outer} around it"
            )
        for home in self.homes.values():
            stride = home.strides.get(loop.axis)
            if stride and loop.step % stride.block:
                raise ScheduleError(
                    f"loop over {loop.axis} has step {loop.step}, which cuts the blocks of "
                    f"{stride.block} that {home.operand} is stored in"
                )
        self.region[loop.axis] = self.last_step[loop.axis] = loop.step

    def _check_packed_output(self, tile: Mapping[str, int]) -> None:
        """A nest that packs writes whole vectors: they may not reach over its reader's blocks."""
        home, vector = self.homes[self.contraction.output.operand], self.nest.vector
        stride = home.strides.get(vector)
        if home.kind != "axes" or not self.contraction.is_once or stride is None:
            return
        if tile[vector] > stride.block and stride.block % self.nest.lanes:
            raise ScheduleError(
                f"{home.operand} is packed in blocks of {stride.block} along {vector}, which "
                f"vectors of {self.nest.lanes} reach over"
            )

    def _check_inner(self, tile: Mapping[str, int]) -> None:
        needed = {a.name for a in self.contraction.reduction if tile[a.name] > 1}
        given = [name for name, _ in self.nest.inner]
        if set(given) != needed or len(given) != len(set(given)):
            raise ScheduleError(
                f"inner loops are {given}; needed, each once: {', '.join(sorted(needed)) or 'none'}"
            )
        for name, unroll in self.nest.inner:
            if not 1 <= unroll <= tile[name]:
                raise ScheduleError(
                    f"inner loop {name} has unroll {unroll}; allowed: 1 to {tile[name]}"
                )
        self._check_factors(tile)

    def _check_factors(self, tile: Mapping[str, int]) -> None:
        """The axes of constant matrices are all in the register tile or unrolled in full."""
        unrolls = dict(self.nest.inner)
        for axis in (axis for factor in self.contraction.factors for axis in factor.axes):
            known = self.contraction.by_name[axis]
            whole = tile[axis] if known.kind == "parallel" else unrolls.get(axis, 1)
            if whole != known.extent or axis == self.nest.vector:
                raise ScheduleError(
                    f"{axis} picks an entry of a constant matrix; needed: all {known.extent} of it "
                    f"in the register tile, or unrolled"
                )

    def _stage(self, position: int, stage: Stage, tile: Mapping[str, int]) -> None:
        source = self.homes.get(stage.operand)
        staged = [a.operand for a in (*self.contraction.inputs, self.contraction.output)]
        if source is None or stage.operand not in staged:
            raise ScheduleError(f"stage of {stage.operand!r}; allowed: {', '.join(staged)}")
        around = self.nest.loops_before(stage) or source.kind not in ("storage", "handed")
        if stage.once and (around or stage.operand != self.contraction.constant):
            raise ScheduleError(
                f"stage of {stage.operand} cannot be done once: only a constant operand, outside "
                f"all loops, can"
            )
        if stage.once and stage.layout != "axes":
            raise ScheduleError(f"stage of {stage.operand} once has layout dims; allowed: axes")
        if stage.layout == "lanes":
            plan = self._stage_lanes(stage, source)
        elif stage.operand == self.contraction.output.operand:
            plan = self._stage_output(stage, source, tile)
        elif stage.layout == "dims":
            plan = self._stage_dims(stage, source)
        else:
            plan = self._stage_axes(stage, source, tile)
        self.stages[position] = plan
        self.homes[stage.operand] = plan.home

    def _stage_dims(self, stage: Stage, source: Home) -> StagePlan:
        if source.kind != "storage":
            raise ScheduleError(
                f"stage of {stage.operand} as dims reads a buffer; only the caller's storage can be"
            )
        access = self.contraction.access(stage.operand)
        spans = [
            sum(c * (self.region[a] - 1) for a, c in affine.terms) + 1 for affine in access.index
        ]
        phases, count = None, 1
        if stage.phases:
            count = self._phase_count(access)
        pitch = round_up(-(-spans[-1] // count), stage.align)
        shape = [*spans[:-1], pitch * count]
        if stage.phases:
            odd = tuple((a, c) for a, c in access.index[-1].terms if c % count)
            phases = Phases(count, pitch, odd)
        strides: dict[str, Stride] = {}
        for axis in access.axes:
            total = 0
            for d, affine in enumerate(access.index):
                coefficient = affine.coefficient(axis)
                if d == len(spans) - 1 and phases:
                    coefficient = 0 if coefficient % count else coefficient // count
                total += coefficient * prod(shape[d + 1 :])
            strides[axis] = Stride(total)
        home = Home(stage.operand, "dims", strides, 0, phases)
        elements = prod(shape) + self.nest.lanes
        return StagePlan(
            stage, dict(self.region), source, home, elements, tuple(shape), tuple(spans)
        )

    def _stage_lanes(self, stage: Stage, source: Home) -> StagePlan:
        access, vector, lanes = (
            self.contraction.access(stage.operand),
            self.nest.vector,
            self.nest.lanes,
        )
        alone = [d for d, affine in enumerate(access.index) if affine == Affine(((vector, 1),))]
        is_turned = alone and (self._is_output(stage) or alone[0] < len(access.index) - 1)
        if not is_turned or source.kind != "storage":
            raise ScheduleError(
                f"stage of {stage.operand} as lanes; needed: {vector} as a dimension of its own, "
                f"not the innermost of an input, in the caller's storage"
            )
        if self._is_output(stage) and self._splits_reduction():
            raise ScheduleError("the output is staged inside a reduction loop")
        if self._is_output(stage):
            self._check_dense(access)
        spans = [
            sum(c * (self.region[a] - 1) for a, c in affine.terms) + 1 for affine in access.index
        ]
        pitches, size = [0] * len(spans), lanes
        for d in reversed(range(len(spans))):
            if d != alone[0]:
                pitches[d], size = size, size * spans[d]
        pitches[alone[0]] = size
        strides = {
            axis: Stride(
                sum(p * a.coefficient(axis) for p, a in zip(pitches, access.index, strict=True))
            )
            for axis in access.axes
        }
        strides[vector] = Stride(size, lanes, 1)
        home = Home(stage.operand, "lanes", strides)
        elements = size * -(-spans[alone[0]] // lanes) + lanes
        return StagePlan(
            stage, dict(self.region), source, home, elements, tuple(pitches), tuple(spans)
        )

    def _check_dense(self, access: Access) -> None:
        """What is copied out by dimensions has no gaps: every element of the region is computed."""
        for affine in access.index:
            covered = 1
            for axis, coefficient in sorted(affine.terms, key=lambda term: term[1]):
                if self.region[axis] > 1 and coefficient != covered:
                    raise ScheduleError(
                        f"the output is staged as lanes where {axis} leaves gaps of "
                        f"{coefficient - covered}"
                    )
                covered += coefficient * (self.region[axis] - 1)

    def _is_output(self, stage: Stage) -> bool:
        return stage.operand == self.contraction.output.operand

    def _splits_reduction(self) -> bool:
        kinds = self.contraction.by_name
        return any(kinds[axis].kind == "reduction" for axis in self.last_step)

    def _phase_count(self, access: Access) -> int:
        coefficient = access.index[-1].coefficient(self.nest.vector)
        if coefficient < 2:
            raise ScheduleError(
                f"stage of {access.operand} by phases: its rows have step {coefficient} along "
                f"{self.nest.vector}; needed: 2 or more"
            )
        return coefficient

    def _stage_axes(self, stage: Stage, source: Home, tile: Mapping[str, int]) -> StagePlan:
        if source.is_padded:
            raise ScheduleError(f"stage of {stage.operand} as axes reads padding; stage dims first")
        if source.phases:
            raise ScheduleError(f"stage of {stage.operand} as axes cannot follow phases")
        if source.kind == "axes":
            raise ScheduleError(f"stage of {stage.operand} as axes comes twice")
        if source.kind == "lanes":
            raise ScheduleError(f"stage of {stage.operand} as axes cannot follow lanes")
        # What is packed beforehand is packed whole, whatever loops there are around the nest.
        region = dict(self.contraction.extents) if stage.once else dict(self.region)
        used = [a for a in self.contraction.axes if a.name in source.strides]
        inner = [name for name, _ in self.nest.inner]
        reductions = [a.name for a in used if a.kind == "reduction" and region[a.name] > 1]
        order = sorted(reductions, key=lambda name: inner.index(name) if name in inner else -1)
        vector, lanes = self.nest.vector, self.nest.lanes
        rows = [a.name for a in used if a.kind == "parallel" and a.name != vector]
        blocked = [*rows, vector] if vector in source.strides else rows
        strides: dict[str, Stride] = {}
        inner_steps, size = {}, 1
        for axis in reversed(blocked):
            inner_steps[axis] = size
            size *= round_up(tile[axis], lanes) if axis == vector else tile[axis]
        for axis in reversed(order):
            strides[axis] = Stride(size)
            size *= region[axis]
        for axis in reversed(blocked):
            strides[axis] = Stride(size, tile[axis], inner_steps[axis])
            size *= -(-region[axis] // tile[axis])
        home = Home(stage.operand, "axes", strides)
        return StagePlan(stage, region, source, home, size + lanes, order=tuple(order))

    def _stage_output(self, stage: Stage, source: Home, tile: Mapping[str, int]) -> StagePlan:
        if stage.layout != "axes" or source.kind not in ("storage", "handed"):
            raise ScheduleError("the output is staged once, with layout axes")
        if self._splits_reduction():
            raise ScheduleError("the output is staged inside a reduction loop")
        vector = self.nest.vector
        rows = [a.name for a in self.contraction.parallel if a.name != vector]
        size = round_up(tile[vector], self.nest.lanes)
        strides: dict[str, Stride] = {}
        for axis in reversed(rows):
            strides[axis] = Stride(size)
            size *= self.region[axis]
        strides[vector] = Stride(size, tile[vector], 1)
        size *= -(-self.region[vector] // tile[vector])
        home = Home(stage.operand, "axes", strides)
        return StagePlan(stage, dict(self.region), source, home, size + self.nest.lanes)
