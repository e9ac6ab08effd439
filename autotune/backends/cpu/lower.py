"""The one lowering: walks a nest's steps and writes the instructions they denote.

    body(operands, workspace, task_begin, task_end)   the kernel: no allocation, no threads
    repeat(..., count)                                calls body count times, for timing
    pack_OPERAND(source, target, workspace)           what is done once, beforehand

All extents are known, so a remainder is one more instance of the same code on a smaller region.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autotune.backends.cpu.copy import copy_stage
from autotune.backends.cpu.emit import LLVM_TYPE, Emitter, Index
from autotune.backends.cpu.loops import for_index, for_region, split_task
from autotune.backends.cpu.nest import NestBody
from autotune.backends.cpu.state import State
from autotune.ir.contraction import Contraction
from autotune.ir.homes import Home, NestPlan, storage_home
from autotune.ir.program import (
    Path,
    Program,
    body_parts,
    count_nests,
    program,
    task_loops,
)
from autotune.ir.schedule import Group, Loop, Part, Schedule

BODY = "define void @body(ptr %operands, ptr %workspace, i64 %begin, i64 %end) align 64"
PACK = "define void @pack_{}(ptr %source, ptr %target, ptr %workspace)"
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
    """All LLVM IR of a legal schedule, without triple and data layout, in one module to read.

    Raises:
        ScheduleError: the schedule denotes nothing for this contraction.
    """
    made = program(contraction, schedule)
    body, packing = _body(made), _packing(made)
    declarations = sorted({*body[0], *packing[0]})
    return _module(declarations, [*body[1], *packing[1], REPEAT])


def lower_modules(contraction: Contraction, schedule: Schedule) -> tuple[str, str]:
    """The same as two modules to compile: the kernel, and what packs its operands (or nothing).

    Many schedules share the second one.
    """
    made = program(contraction, schedule)
    body, packing = _body(made), _packing(made)
    packs = _module(sorted(packing[0]), packing[1]) if packing[1] else ""
    return _module(sorted(body[0]), [*body[1], REPEAT]), packs


def _module(declarations: list[str], functions: list[str]) -> str:
    return "\n\n".join([*declarations, *functions]) + "\n"


def _body(made: Program) -> tuple[set[str], list[str]]:
    """Declarations and functions of the kernel."""
    body = _Body(made, _emitter(made.nests[0]))
    functions = [body.function()]
    return body.emitter.declarations, functions


def _packing(made: Program) -> tuple[set[str], list[str]]:
    """Declarations and functions of what is done beforehand."""
    declarations: set[str] = set()
    functions = []
    for operand, _ in made.packed:
        emitter = _emitter(made.nests[0])
        functions.append(_pack(emitter, made, operand))
        declarations |= emitter.declarations
    return declarations, functions


def _emitter(plan: NestPlan) -> Emitter:
    return Emitter(LLVM_TYPE[plan.contraction.dtype], plan.nest.lanes)


def _pack(emitter: Emitter, made: Program, operand: str) -> str:
    """The function that packs an operand: a stage's copy, or the nest that computes from it."""
    found = made.consumer(operand)
    if found:
        plan, stage = found
        axes = plan.contraction.extents
        state = State(axes, dict.fromkeys(axes, 0), {operand: stage.source}, {operand: "%source"})
        copy_stage(emitter, plan, stage, state, "%target")
    else:
        _compute_once(emitter, made, operand)
    lines = "\n".join(emitter.lines)
    return f"{PACK.format(operand)} {{\nentry:\n{lines}\n  ret void\n}}"


def _compute_once(emitter: Emitter, made: Program, operand: str) -> None:
    for index, plan in enumerate(made.nests):
        if not plan.contraction.is_once or plan.contraction.constant != operand:
            continue
        output = plan.contraction.output.operand
        axes = plan.contraction.extents
        homes = {
            operand: storage_home(plan.contraction, plan.contraction.inputs[0]),
            output: _reader_home(made, output),
        }
        state = State(axes, dict.fromkeys(axes, 0), homes, {operand: "%source", output: "%target"})
        NestBody(emitter, made, index, ()).write(state)


def _reader_home(made: Program, operand: str) -> Home:
    """Where the reader of a packed operand expects it."""
    found = made.consumer(operand)
    if found is None:
        raise AssertionError(f"{operand} is computed once and read by no stage")
    return found[1].home


@dataclass
class _Body:
    """Writes the whole body: the tree of parts, with a state for every nest below."""

    program: Program
    emitter: Emitter

    def function(self) -> str:
        emitter, schedule = self.emitter, self.program.schedule
        some = emitter.op("icmp slt i64 %begin, %end")
        emitter.do(f"br i1 {some}, label %start, label %none")
        emitter.block("none")
        emitter.do("ret void")
        emitter.block("start")
        states = self._scoped((), self._initial())
        parts = body_parts(schedule, self.program.nests)
        first = parts[0]
        called = [plan for plan in self.program.nests if not plan.contraction.is_once]
        tasks = task_loops(schedule, parts, called)
        if tasks and isinstance(first, Group):
            scope = (schedule.parts.index(first),)
            extents = [states[self._first_nest(scope)].region[loop.axis] for loop in tasks]
            with emitter.loop("%end", 1, start="%begin") as task:
                indices = split_task(emitter, task, tasks, extents)
                self._group(first, first.loops, scope, states, indices)
        else:
            self._parts(schedule.parts, (), states, tasks)
        emitter.do("ret void")
        return f"{BODY} {{\nentry:\n" + "\n".join(emitter.lines) + "\n}"

    def _initial(self) -> list[State]:
        """Every nest before any loop: its operands where the caller put them."""
        emitter, bases = self.emitter, {}
        for slot, access in enumerate(self.program.contraction.operands):
            place = emitter.op(f"getelementptr i8, ptr %operands, i64 {8 * slot}")
            bases[access.operand] = emitter.op(f"load ptr, ptr {place}, align 8")
        states = []
        for plan in self.program.nests:
            homes, pointers = {}, {}
            packed = {p.stage.operand: p.home for p in plan.stages.values() if p.stage.once}
            for access in plan.contraction.operands:
                name = access.operand
                if name in packed:
                    homes[name] = packed[name]
                    pointers[name] = bases[self.program.caller_operand(name)]
                elif name in bases:
                    homes[name] = storage_home(plan.contraction, access)
                    pointers[name] = emitter.move(bases[name], homes[name].offset)
            axes = plan.contraction.extents
            states.append(State(axes, dict.fromkeys(axes, 0), homes, pointers))
        return states

    def _scoped(self, scope: Path, states: list[State]) -> list[State]:
        """The states with the temporaries of one group at their buffers."""
        for name, temporary in self.program.temporaries.items():
            if temporary.scope != scope:
                continue
            offset = self.program.offsets[name]
            place = self.emitter.op(f"getelementptr i8, ptr %workspace, i64 {offset}")
            for index, plan in enumerate(self.program.nests):
                if name in {access.operand for access in plan.contraction.operands}:
                    states[index] = states[index].housed(name, temporary.home, place)
        return states

    def _parts(
        self, parts: tuple[Part, ...], scope: Path, states: list[State], tasks: tuple[Loop, ...]
    ) -> None:
        first = self._first_nest(scope)
        for position, part in enumerate(parts):
            if isinstance(part, Group):
                self._group(part, part.loops, (*scope, position), states, ())
            elif not self.program.nests[first].contraction.is_once:
                NestBody(self.emitter, self.program, first, tasks).write(states[first])
            first += count_nests(part)

    def _first_nest(self, scope: Path) -> int:
        """Number of the first nest of a group."""
        first, parts = 0, self.program.schedule.parts
        for position in scope:
            first += sum(count_nests(part) for part in parts[:position])
            group = parts[position]
            parts = group.parts if isinstance(group, Group) else ()
        return first

    def _group(
        self,
        group: Group,
        loops: tuple[Loop, ...],
        scope: Path,
        states: list[State],
        indices: Sequence[Index],
    ) -> None:
        """What is left of a group's loops around its parts; tasks gave the leading `indices`."""
        if not loops:
            self._parts(group.parts, scope, self._scoped(scope, list(states)), ())
            return
        loop, first = loops[0], self._first_nest(scope)
        nests = range(first, first + count_nests(group))

        def body(offset: Index, size: int) -> None:
            moved = self._moved(states, nests, loop.axis, offset, size)
            self._group(group, loops[1:], scope, moved, indices[1:])

        region = states[first].region[loop.axis]
        if indices:
            for_index(self.emitter, indices[0], loop, region, body)
        else:
            for_region(self.emitter, region, loop.step, body)

    def _moved(
        self, states: list[State], nests: range, axis: str, offset: Index, size: int
    ) -> list[State]:
        moved = list(states)
        for index in nests:
            moved[index] = states[index].moved(self.emitter, axis, offset).narrowed(axis, size)
        return moved
