"""The one lowering: walks a nest's steps and writes the instructions they denote.

    body(operands, workspace, task_begin, task_end)   the kernel: no allocation, no threads
    repeat(..., count)                                calls body count times, for timing
    pack_OPERAND(source, target)                      a stage that is done once, beforehand

All extents are known, so a remainder is one more instance of the same code on a smaller region.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from autotune.backends.cpu.copy import copy_stage
from autotune.backends.cpu.emit import LLVM_TYPE, Emitter, Index
from autotune.backends.cpu.state import ACCUMULATOR, State, tile_offset
from autotune.backends.cpu.store import (
    Coordinates,
    chunks,
    copy_out,
    load_accumulators,
    points,
    store_accumulators,
    store_tile,
)
from autotune.ir.contraction import Contraction
from autotune.ir.program import NestPlan, program, storage_home, task_loops
from autotune.ir.schedule import Loop, Schedule, Stage

BODY = "define void @body(ptr %operands, ptr %workspace, i64 %begin, i64 %end)"
REPEAT = """define void @repeat(ptr %operands, ptr %workspace, i64 %begin, i64 %end, i64 %count) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @body(ptr %operands, ptr %workspace, i64 %begin, i64 %end)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}"""


def lower(contraction: Contraction, schedule: Schedule) -> str:
    """LLVM IR of a legal schedule, without triple and data layout.

    Raises:
        ScheduleError: the schedule denotes nothing for this contraction.
    """
    plan = program(contraction, schedule).nests[0]
    body = _Body(plan, schedule.parallel)
    functions, declarations = [body.function()], set(body.emitter.declarations)
    for position, stage in plan.stages.items():
        if stage.stage.once:
            emitter = _emitter(plan)
            functions.append(_pack(emitter, plan, position))
            declarations |= emitter.declarations
    return "\n\n".join([*sorted(declarations), *functions, REPEAT]) + "\n"


def _emitter(plan: NestPlan) -> Emitter:
    return Emitter(LLVM_TYPE[plan.contraction.dtype], plan.nest.lanes)


def _pack(emitter: Emitter, plan: NestPlan, position: int) -> str:
    stage = plan.stages[position]
    operand = stage.stage.operand
    axes = plan.contraction.extents
    state = State(axes, dict.fromkeys(axes, 0), {operand: stage.source}, {operand: "%source"})
    copy_stage(emitter, plan, stage, state, "%target")
    lines = "\n".join(emitter.lines)
    return (
        f"define void @pack_{operand}(ptr %source, ptr %target) {{\nentry:\n{lines}\n  ret void\n}}"
    )


@dataclass
class _Body:
    plan: NestPlan
    parallel: int

    def __post_init__(self) -> None:
        self.emitter = _emitter(self.plan)
        self.nest, self.contraction = self.plan.nest, self.plan.contraction
        self.buffers: dict[int, int] = {}
        used = 0
        for position, size in self.plan.workspace:
            self.buffers[position] = used
            used += size

    def function(self) -> str:
        emitter = self.emitter
        loops = task_loops(self.plan, self.parallel)
        some = emitter.op("icmp slt i64 %begin, %end")
        emitter.do(f"br i1 {some}, label %start, label %none")
        emitter.block("none")
        emitter.do("ret void")
        emitter.block("start")
        self._steps(0, self._initial(), loops)
        emitter.do("ret void")
        return f"{BODY} {{\nentry:\n" + "\n".join(emitter.lines) + "\n}"

    def _initial(self) -> State:
        homes, pointers = {}, {}
        once = {p.stage.operand for p in self.plan.stages.values() if p.stage.once}
        for slot, access in enumerate(self.contraction.operands):
            place = self.emitter.op(f"getelementptr i8, ptr %operands, i64 {8 * slot}")
            base = self.emitter.op(f"load ptr, ptr {place}, align 8")
            home = storage_home(self.contraction, access)
            homes[access.operand] = home
            moved = 0 if access.operand in once else home.offset
            pointers[access.operand] = self.emitter.move(base, moved)
        axes = self.contraction.extents
        return State(axes, dict.fromkeys(axes, 0), homes, pointers)

    def _steps(self, position: int, state: State, tasks: tuple[Loop, ...]) -> None:
        """Everything from step `position` on; `tasks` are the parallel loops still to come."""
        if position == len(self.nest.steps):
            self._tile(state)
            return
        step = self.nest.steps[position]
        if isinstance(step, Stage):
            self._stage(position, step, state, tasks)
        elif tasks:
            self._tasks(position, state, tasks)
        else:
            self._loop(position, step, state)

    def _tasks(self, position: int, state: State, tasks: tuple[Loop, ...]) -> None:
        """One loop over the task numbers; each splits into the indices of the parallel loops."""
        emitter = self.emitter
        with emitter.loop("%end", 1, start="%begin") as task:
            rest: Index = task
            indices: list[Index] = []
            for loop in reversed(tasks):
                count = -(-self.contraction.extents[loop.axis] // loop.step)
                indices.append(emitter.op(f"urem i64 {rest}, {count}"))
                rest = emitter.op(f"udiv i64 {rest}, {count}")
            self._task_index(position, state, list(zip(tasks, reversed(indices), strict=True)))

    def _task_index(self, position: int, state: State, tasks: list[tuple[Loop, Index]]) -> None:
        if not tasks:
            self._steps(position, state, ())
            return
        (loop, index), rest = tasks[0], tasks[1:]
        emitter, region = self.emitter, state.region[loop.axis]
        whole, left = region // loop.step, region % loop.step
        if not left:
            moved = state.moved(emitter, loop.axis, emitter.mul(index, loop.step))
            self._task_index(position + 1, moved.narrowed(loop.axis, loop.step), rest)
            return
        is_whole = emitter.op(f"icmp ult i64 {index}, {whole}")
        with emitter.when(is_whole):
            moved = state.moved(emitter, loop.axis, emitter.mul(index, loop.step))
            self._task_index(position + 1, moved.narrowed(loop.axis, loop.step), rest)
        with emitter.when(emitter.op(f"xor i1 {is_whole}, true")):
            moved = state.moved(emitter, loop.axis, whole * loop.step)
            self._task_index(position + 1, moved.narrowed(loop.axis, left), rest)

    def _loop(self, position: int, loop: Loop, state: State) -> None:
        emitter, region = self.emitter, state.region[loop.axis]
        if region <= loop.step:
            self._steps(position + 1, state, ())
            return
        whole, left = region // loop.step * loop.step, region % loop.step
        is_split = self.contraction.by_name[loop.axis].kind == "reduction"
        main = state.narrowed(loop.axis, loop.step)
        if whole == loop.step:
            here = replace(main, is_last=False) if is_split and left else main
            self._steps(position + 1, here, ())
        else:
            with emitter.loop(whole, loop.step) as i:
                here = main.moved(emitter, loop.axis, i)
                if is_split:
                    here = self._split(here, i, None if left else whole - loop.step)
                self._steps(position + 1, here, ())
        if left:
            here = state.moved(emitter, loop.axis, whole).narrowed(loop.axis, left)
            if is_split:
                here = replace(here, is_first=False)
            self._steps(position + 1, here, ())

    def _split(self, state: State, index: str, last: int | None) -> State:
        """The state inside a split reduction: it is first at 0, last at `last` (None: never)."""
        emitter = self.emitter
        first = emitter.both(state.is_first, emitter.op(f"icmp eq i64 {index}, 0"))
        end: bool | str = False
        if last is not None:
            end = emitter.both(state.is_last, emitter.op(f"icmp eq i64 {index}, {last}"))
        return replace(state, is_first=first, is_last=end)

    def _stage(self, position: int, stage: Stage, state: State, tasks: tuple[Loop, ...]) -> None:
        emitter, plan = self.emitter, self.plan.stages[position]
        if stage.once:
            pointer = state.pointers[stage.operand]
            self._steps(position + 1, state.housed(stage.operand, plan.home, pointer), tasks)
            return
        offset = self.buffers[position]
        target = emitter.op(f"getelementptr i8, ptr %workspace, i64 {offset}")
        if stage.operand == self.contraction.output.operand:
            self._steps(position + 1, state.housed(ACCUMULATOR, plan.home, target), tasks)
            copy_out(emitter, self.plan, state.housed(ACCUMULATOR, plan.home, target))
            return
        copy_stage(emitter, self.plan, plan, state, target)
        self._steps(position + 1, state.housed(stage.operand, plan.home, target), tasks)

    # The register tile.

    def _tile(self, state: State) -> None:
        emitter, vector = self.emitter, self.nest.vector
        names = [a.name for a in self.contraction.parallel if a.name != vector]
        rows = {name: state.region[name] for name in names if state.region[name] > 1}
        places = [
            (row, j, count)
            for row in points(rows)
            for j, count in chunks(state.region[vector], emitter.lanes)
        ]
        accumulators = self._initial_sums(state, places)
        inner = [(axis, unroll) for axis, unroll in self.nest.inner if state.region[axis] > 1]
        sums = self._reduce(inner, state, {}, places, accumulators)
        by_place = {
            (tuple(row.items()), j): value for (row, j, _), value in zip(places, sums, strict=True)
        }

        def read(coordinates: Coordinates, j: int) -> str:
            return by_place[tuple((axis, coordinates[axis]) for axis in rows), j]

        if ACCUMULATOR in state.homes:
            store_accumulators(emitter, self.plan, state, rows, read)
            return
        if state.is_last is not True:
            unfinished: bool | str = True
            if isinstance(state.is_last, str):
                unfinished = emitter.op(f"xor i1 {state.is_last}, true")
            with emitter.when(unfinished):
                store_accumulators(emitter, self.plan, state, rows, read)
            if state.is_last is False:
                return
        with emitter.when(state.is_last):
            store_tile(emitter, self.plan, state, rows, read)

    def _initial_sums(
        self, state: State, places: list[tuple[dict[str, int], int, int]]
    ) -> list[str]:
        """Zero at the first block of the split reductions, the sums so far at later ones."""
        emitter = self.emitter
        zeros = ["zeroinitializer"] * len(places)
        if state.is_first is True:
            return zeros

        def load() -> list[str]:
            return [load_accumulators(emitter, self.plan, state, *place) for place in places]

        if state.is_first is False:
            return load()
        before = emitter.label
        later = emitter.op(f"xor i1 {state.is_first}, true")
        with emitter.when(later):
            loaded = load()
            inside = emitter.label
        return [
            emitter.op(
                f"phi {emitter.vector} [ zeroinitializer, %{before} ], [ {value}, %{inside} ]"
            )
            for value in loaded
        ]

    def _reduce(
        self,
        inner: list[tuple[str, int]],
        state: State,
        known: dict[str, int],
        places: list[tuple[dict[str, int], int, int]],
        sums: list[str],
    ) -> list[str]:
        """Add the products over the inner reduction axes; `known` are unrolled positions."""
        if not inner:
            return self._multiply_add(state, known, places, sums)
        (axis, unroll), rest = inner[0], inner[1:]
        emitter, region = self.emitter, state.region[axis]
        unroll = min(unroll, region)
        whole = region // unroll * unroll
        if whole > unroll:
            kinds = [emitter.vector] * len(sums)
            with emitter.carried_loop(whole, unroll, sums, kinds) as (i, carried, following):
                here = state.moved(emitter, axis, i)
                values = carried
                for x in range(unroll):
                    values = self._reduce(rest, here, {**known, axis: x}, places, values)
                following.extend(values)
            sums = following
        else:
            for x in range(unroll):
                sums = self._reduce(rest, state, {**known, axis: x}, places, sums)
        for x in range(whole, region):
            sums = self._reduce(rest, state, {**known, axis: x}, places, sums)
        return sums

    def _multiply_add(
        self,
        state: State,
        known: dict[str, int],
        places: list[tuple[dict[str, int], int, int]],
        sums: list[str],
    ) -> list[str]:
        """One point of the reduction for the whole register tile; each operand is loaded once."""
        loaded: dict[tuple[str, int], str] = {}
        following = []
        for (row, j, count), total in zip(places, sums, strict=True):
            at = {**known, **row, self.nest.vector: j * self.emitter.lanes}
            factors = [
                self._load(loaded, state, access.operand, at, count)
                for access in self.contraction.inputs
            ]
            product = factors[0]
            for factor in factors[1:-1]:
                product = self.emitter.arithmetic("fmul", product, factor)
            last = factors[-1] if len(factors) > 1 else self.emitter.constant(1.0)
            following.append(self.emitter.multiply_add(product, last, total))
        return following

    def _load(
        self,
        loaded: dict[tuple[str, int], str],
        state: State,
        operand: str,
        at: dict[str, int],
        count: int,
    ) -> str:
        """A vector of the operand along the vector axis, or one element in every lane."""
        emitter, home = self.emitter, state.homes[operand]
        step = home.step(self.nest.vector)
        offset = tile_offset(home, at)
        is_spread = step == 1 and emitter.lanes > 1
        key = (operand, offset)
        if key not in loaded:
            place = emitter.move(state.pointers[operand], offset)
            if is_spread:
                valid = count if home.kind == "storage" else emitter.lanes
                loaded[key] = emitter.load(place, valid)
                ahead = dict(self.nest.prefetch).get(operand)
                if ahead:
                    emitter.prefetch(emitter.op(f"getelementptr i8, ptr {place}, i64 {ahead}"))
            else:
                loaded[key] = emitter.splat(emitter.load_scalar(place))
        return loaded[key]
