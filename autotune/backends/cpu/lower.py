"""The one lowering: walks a nest's steps and writes the instructions they denote.

    body(operands, workspace, task_begin, task_end)   the kernel: no allocation, no threads
    nest_DIGEST(workspace, ...)                       one nest of several, called by the body
    repeat(..., count)                                calls body count times, for timing
    pack_OPERAND(source, target, workspace)           what is done once, beforehand

All extents are known, so a remainder is one more instance of the same code on a smaller region.
A nest beside others is a function in a module of its own: schedules that differ in one nest share
the compiled others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from autotune.backends.cpu.copy import copy_stage
from autotune.backends.cpu.emit import LLVM_TYPE, Emitter, Index
from autotune.backends.cpu.loops import for_index, for_region, split_task
from autotune.backends.cpu.nest import NestBody
from autotune.backends.cpu.state import State
from autotune.ir.contraction import Contraction
from autotune.ir.homes import Home, NestPlan, storage_home
from autotune.ir.program import (
    Path,
    Phase,
    Program,
    count_nests,
    program,
)
from autotune.ir.schedule import Group, Loop, Nest, Part, Schedule

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


@dataclass(frozen=True)
class _Module:
    """Functions, and what else their module must hold."""

    declarations: frozenset[str]
    functions: tuple[str, ...]
    calls: frozenset[str] = frozenset()
    """Declarations of what other modules define."""

    def text(self) -> str:
        return "\n\n".join([*sorted(self.declarations | self.calls), *self.functions]) + "\n"


def lower(contraction: Contraction, schedule: Schedule) -> str:
    """All LLVM IR of a legal schedule, without triple and data layout, in one module to read.

    Raises:
        ScheduleError: the schedule denotes nothing for this contraction.
    """
    modules = _modules(contraction, schedule)
    declarations = frozenset[str]().union(*(module.declarations for module in modules))
    return _Module(declarations, tuple(f for module in modules for f in module.functions)).text()


def lower_modules(contraction: Contraction, schedule: Schedule) -> tuple[str, ...]:
    """The same as modules to compile: the body, then those that other schedules may share."""
    return tuple(module.text() for module in _modules(contraction, schedule))


def _modules(contraction: Contraction, schedule: Schedule) -> list[_Module]:
    """The body, each nest that it calls, what packs the operands, and the loop for timing."""
    made = program(contraction, schedule)
    body = _Body(made, _emitter(made.nests[0]))
    module = body.module()
    return [module, *body.called.values(), *_packing(made), _REPEATED]


_REPEATED = _Module(frozenset(), (REPEAT,), frozenset({"declare void @body(ptr, ptr, i64, i64)"}))


def _packing(made: Program) -> list[_Module]:
    """The module of what is done beforehand, if anything is."""
    declarations: set[str] = set()
    functions = []
    for operand, _ in made.packed:
        emitter = _emitter(made.nests[0])
        functions.append(_pack(emitter, made, operand))
        declarations |= emitter.declarations
    return [_Module(frozenset(declarations), tuple(functions))] if functions else []


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
    called: dict[str, _Module] = field(default_factory=dict)
    """The nests that are functions of their own, by the declaration of each."""

    def module(self) -> _Module:
        """The body without the nests that it calls."""
        function = self._function()
        return _Module(frozenset(self.emitter.declarations), (function,), frozenset(self.called))

    def _function(self) -> str:
        emitter = self.emitter
        some = emitter.op("icmp slt i64 %begin, %end")
        emitter.do(f"br i1 {some}, label %start, label %none")
        emitter.block("none")
        emitter.do("ret void")
        emitter.block("start")
        states = self._scoped((), self._initial())
        if len(self.program.phases) == 1:
            self._phase(self.program.phases[0], states, ("%begin", "%end"))
        else:
            self._phases(states)
        emitter.do("ret void")
        return f"{BODY} {{\nentry:\n" + "\n".join(emitter.lines) + "\n}"

    def _phases(self, states: list[State]) -> None:
        """Of each phase the tasks that are asked for, if any."""
        emitter, before = self.emitter, 0
        for phase in self.program.phases:
            begin = self._clamped("%begin", before, phase.tasks)
            end = self._clamped("%end", before, phase.tasks)
            with emitter.when(emitter.op(f"icmp slt i64 {begin}, {end}")):
                self._phase(phase, states, (begin, end))
            before += phase.tasks

    def _clamped(self, task: str, before: int, tasks: int) -> str:
        """A task's number counted from the first of a phase, within it."""
        emitter = self.emitter
        for name in ("smax", "smin"):
            emitter.declare(f"declare i64 @llvm.{name}.i64(i64, i64)")
        inside = emitter.add(task, -before)
        low = emitter.op(f"call i64 @llvm.smax.i64(i64 {inside}, i64 0)")
        return emitter.op(f"call i64 @llvm.smin.i64(i64 {low}, i64 {tasks})")

    def _phase(self, phase: Phase, states: list[State], run: tuple[str, str]) -> None:
        """A run of one phase's tasks, which is not empty."""
        emitter, loops = self.emitter, phase.loops
        for position in phase.parts:
            part, first = self.program.schedule.parts[position], self._first_nest((position,))
            if isinstance(part, Nest):
                self._nest(first, states[first], loops, run)
                continue
            if not loops:
                self._group(part, part.loops, (position,), states, ())
                continue
            extents = [states[first].region[loop.axis] for loop in loops]
            with emitter.loop(run[1], 1, start=run[0]) as task:
                indices = split_task(emitter, task, loops, extents)
                self._group(part, part.loops, (position,), states, indices)

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
            block = self._shared() if name in self.program.shared else "%workspace"
            place = self.emitter.op(f"getelementptr i8, ptr {block}, i64 {offset}")
            for index, plan in enumerate(self.program.nests):
                if name in {access.operand for access in plan.contraction.operands}:
                    states[index] = states[index].housed(name, temporary.home, place)
        return states

    def _shared(self) -> str:
        """The address of what threads share, the last of the pointer table."""
        slot = 8 * len(self.program.contraction.operands)
        place = self.emitter.op(f"getelementptr i8, ptr %operands, i64 {slot}")
        return self.emitter.op(f"load ptr, ptr {place}, align 8")

    def _parts(self, parts: tuple[Part, ...], scope: Path, states: list[State]) -> None:
        first = self._first_nest(scope)
        for position, part in enumerate(parts):
            if isinstance(part, Group):
                self._group(part, part.loops, (*scope, position), states, ())
            else:
                self._nest(first, states[first], (), ("", ""))
            first += count_nests(part)

    @property
    def _repeated(self) -> list[NestPlan]:
        """The nests of the body, without those that are done once and beforehand."""
        return [plan for plan in self.program.nests if not plan.contraction.is_once]

    def _nest(
        self, index: int, state: State, tasks: tuple[Loop, ...], run: tuple[str, str]
    ) -> None:
        """One nest, over a run of its tasks: in place if it is the only one, else by a call."""
        if len(self._repeated) == 1:
            NestBody(self.emitter, self.program, index, tasks).write(state)
            return
        pointers = {operand: f"%at_{operand}" for operand in state.pointers}
        moving = {
            a: f"%from_{a}" for a, offset in state.absolute.items() if isinstance(offset, str)
        }
        inside = replace(state, pointers=pointers, absolute={**state.absolute, **moving})
        emitter = Emitter(self.emitter.scalar, self.emitter.lanes)
        NestBody(emitter, self.program, index, tasks).write(inside)
        given = [("ptr", "%workspace", "%workspace")]
        if tasks:
            given += [("i64", "%begin", run[0]), ("i64", "%end", run[1])]
        given += [("ptr", name, state.pointers[a]) for a, name in pointers.items()]
        given += [("i64", name, str(state.absolute[a])) for a, name in moving.items()]
        parameters = ", ".join(f"{kind} {name}" for kind, name, _ in given)
        lines = "\n".join(emitter.lines)
        rest = f"({parameters}) align 64 {{\nentry:\n{lines}\n  ret void\n}}"
        name = "nest_" + hashlib.sha256(rest.encode()).hexdigest()[:16]
        kinds = ", ".join(kind for kind, _, _ in given)
        self.called[f"declare void @{name}({kinds})"] = _Module(
            frozenset(emitter.declarations), (f"define void @{name}{rest}",)
        )
        arguments = ", ".join(f"{kind} {value}" for kind, _, value in given)
        self.emitter.do(f"call void @{name}({arguments})")

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
            self._parts(group.parts, scope, self._scoped(scope, list(states)))
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
