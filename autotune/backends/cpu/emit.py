"""Writes LLVM IR as text: values, index arithmetic, loops and vectors, with constants folded.

Text rather than llvmlite's builder objects: a candidate has thousands of instructions, and building
objects only to print them costs more than compiling. The lowering calls this and knows no syntax.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

Index = int | str
"""An i64: a Python integer where the value is known, else the name of an SSA value."""

LLVM_TYPE = {"float32": "float", "float64": "double"}
ITEM = {"float": 4, "double": 8}


@dataclass
class _OpenLoop:
    """A loop being written, whose header still takes pointers that move along with it."""

    index: str
    start: Index
    step: int
    pointers: dict[tuple[str, int], tuple[str, str]] = field(default_factory=dict)
    """By pointer at index 0 and bytes a round: the one carried, and the one to use."""


@dataclass
class Emitter:
    """One function being written. `scalar` is LLVM's name of the element type."""

    scalar: str
    lanes: int
    lines: list[str] = field(default_factory=list)
    declarations: set[str] = field(default_factory=set)
    """Whole functions count too: what the module must hold beside this one."""
    _count: int = 0
    _loops: list[_OpenLoop] = field(default_factory=list)
    label: str = "entry"

    def __post_init__(self) -> None:
        self.item = ITEM[self.scalar]
        """Bytes of one element."""
        self.vector = f"<{self.lanes} x {self.scalar}>"
        self.suffix = f"v{self.lanes}f{8 * self.item}"
        """How intrinsics name the vector type."""
        self.registers = 32 if self.lanes * self.item == 64 else 16
        """Vector registers that there are at least."""

    def fresh(self, prefix: str = "v") -> str:
        self._count += 1
        return f"%{prefix}{self._count}"

    def op(self, text: str) -> str:
        """Write `name = text`; returns the name."""
        name = self.fresh()
        self.lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        """Write an instruction without a value."""
        self.lines.append(f"  {text}")

    def block(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.label = label

    def declare(self, text: str) -> None:
        self.declarations.add(text)

    def define(self, name: str, write: Callable[[Emitter, str, str], str]) -> None:
        """A function of the module from one vector to another, written once by `write`."""
        inner = Emitter(self.scalar, self.lanes)
        result = write(inner, name, "%x")
        lines = "\n".join(inner.lines)
        self.declarations |= inner.declarations
        self.declare(
            f"define internal {self.vector} @{name}({self.vector} %x) noinline {{\n{lines}\n"
            f"  ret {self.vector} {result}\n}}"
        )

    # Index arithmetic.

    def add(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        if a == 0:
            return b
        if b == 0:
            return a
        return self.op(f"add i64 {a}, {b}")

    def mul(self, a: Index, factor: int) -> Index:
        if isinstance(a, int):
            return a * factor
        if factor == 1:
            return a
        return 0 if factor == 0 else self.op(f"mul i64 {a}, {factor}")

    def divide(self, a: Index, divisor: int) -> Index:
        """Exact quotient of a non-negative index."""
        if isinstance(a, int):
            return a // divisor
        return a if divisor == 1 else self.op(f"udiv exact i64 {a}, {divisor}")

    def along(self, pointer: str, index: Index, stride: int, block: int = 1) -> str:
        """The pointer `index // block * stride` elements further on; `block` divides the index.

        By the index of the innermost loop a pointer from outside it moves as the loop goes round.
        """
        loop = self._loops[-1] if self._loops else None
        is_own = loop is not None and index == loop.index and isinstance(loop.start, int)
        if loop and is_own and loop.start % block == loop.step % block == 0:
            size = loop.step // block * stride * self.item
            names = loop.pointers.setdefault((pointer, size), (self.fresh("p"), self.fresh("q")))
            return names[1]
        if stride % block == 0:
            return self.move(pointer, self.mul(index, stride // block))
        return self.move(pointer, self.mul(self.divide(index, block), stride))

    def both(self, a: bool | str, b: bool | str) -> bool | str:
        """Logical and of two conditions, each known now or at run time."""
        if a is False or b is False:
            return False
        if a is True:
            return b
        return a if b is True else self.op(f"and i1 {a}, {b}")

    def move(self, pointer: str, elements: Index) -> str:
        """The pointer `elements` further on."""
        size = self.mul(elements, self.item)
        return pointer if size == 0 else self.op(f"getelementptr i8, ptr {pointer}, i64 {size}")

    # Control flow. Loops run at least once, so what they define dominates what follows.

    @contextmanager
    def loop(self, end: Index, step: int, start: Index = 0) -> Iterator[str]:
        """`for i in range(start, end, step)`, which must not be empty."""
        with self.carried_loop(end, step, (), (), start) as (index, _, next_values):
            yield index
            next_values.extend(())

    @contextmanager
    def carried_loop(
        self,
        end: Index,
        step: int,
        values: Sequence[str],
        types: Sequence[str],
        start: Index = 0,
    ) -> Iterator[tuple[str, list[str], list[str]]]:
        """A loop that carries values; the body appends their next ones to the third item.

        After the loop the third item still holds the values of the last iteration. Pointers that
        move with it (see `along`) pass an empty assembly: LLVM's loop strength reduction, which
        would look at every address in the body and took a third of a build, finds nothing to do.
        """
        before, label, entry = self.label, self.fresh("loop")[1:], len(self.lines)
        self.do(f"br label %{label}")
        self.block(label)
        index, carried = self.fresh("i"), [self.fresh("c") for _ in values]
        loop = _OpenLoop(index, start, step)
        place = len(self.lines)
        next_values: list[str] = []
        self._loops.append(loop)
        yield index, carried, next_values
        self._loops.pop()
        following = self.op(f"add i64 {index}, {step}")
        phis = [(index, "i64", str(start), following)]
        phis += zip(carried, types, values, next_values, strict=True)
        hidden, ahead = [], []
        for (pointer, size), (phi, used) in loop.pointers.items():
            further = self.op(f"getelementptr i8, ptr {used}, i64 {size}")
            if loop.start != 0:
                first, moved = self.fresh(), int(loop.start) // step * size
                ahead.append(f"  {first} = getelementptr i8, ptr {pointer}, i64 {moved}")
                pointer = first
            phis.append((phi, "ptr", pointer, further))
            hidden.append(f'  {used} = call ptr asm "", "=r,0"(ptr {phi})')
        self.lines[place:place] = [
            f"  {name} = phi {kind} [ {initial}, %{before} ], [ {after}, %{self.label} ]"
            for name, kind, initial, after in phis
        ] + hidden
        self.lines[entry:entry] = ahead
        done = self.op(f"icmp slt i64 {following}, {end}")
        after_label = self.fresh("after")[1:]
        self.do(f"br i1 {done}, label %{label}, label %{after_label}")
        self.block(after_label)

    @contextmanager
    def when(self, condition: bool | str) -> Iterator[None]:
        """What is written inside runs only if the condition holds."""
        if condition is True:
            yield
            return
        yes, join = self.fresh("yes")[1:], self.fresh("join")[1:]
        shown = "false" if condition is False else condition
        self.do(f"br i1 {shown}, label %{yes}, label %{join}")
        self.block(yes)
        yield
        self.do(f"br label %{join}")
        self.block(join)

    # Vectors.

    def mask(self, count: int) -> str:
        """A constant mask with the first `count` lanes set."""
        return self._mask([lane < count for lane in range(self.lanes)])

    def _mask(self, valid: Sequence[bool]) -> str:
        return "<" + ", ".join(f"i1 {int(one)}" for one in valid) + ">"

    def load(self, pointer: str, count: int | None = None) -> str:
        """A vector from memory of natural alignment; lanes from `count` on are zero, not read."""
        if count is None or count >= self.lanes:
            return self.op(f"load {self.vector}, ptr {pointer}, align {self.item}")
        return self.masked_load(pointer, self.mask(count))

    def load_lanes(self, pointer: str, valid: Sequence[bool]) -> str:
        """A vector from memory of natural alignment; lanes not valid are zero and not read."""
        if all(valid):
            return self.load(pointer)
        return self.masked_load(pointer, self._mask(valid)) if any(valid) else "zeroinitializer"

    def masked_load(self, pointer: str, mask: str) -> str:
        name = f"@llvm.masked.load.{self.suffix}.p0"
        bits = f"<{self.lanes} x i1>"
        self.declare(f"declare {self.vector} {name}(ptr, i32, {bits}, {self.vector})")
        return self.op(
            f"call {self.vector} {name}(ptr {pointer}, i32 {self.item}, {bits} {mask}, "
            f"{self.vector} zeroinitializer)"
        )

    def store(self, value: str, pointer: str, count: int | None = None) -> None:
        """A vector to memory of natural alignment; only its first `count` lanes."""
        if count is None or count >= self.lanes:
            self.do(f"store {self.vector} {value}, ptr {pointer}, align {self.item}")
            return
        if self.lanes * self.item > 32:
            self._masked_store(value, pointer, self.mask(count))
            return
        # Piece by piece: AMD's processors take a dozen cycles over a masked store of AVX.
        first = 0
        for size in (1 << bit for bit in reversed(range(self.lanes.bit_length() - 1))):
            if count & size:
                piece = self.shuffle(value, "poison", range(first, first + size))
                kind, place = f"<{size} x {self.scalar}>", self.move(pointer, first)
                self.do(f"store {kind} {piece}, ptr {place}, align {self.item}")
                first += size

    def _masked_store(self, value: str, pointer: str, mask: str) -> None:
        name = f"@llvm.masked.store.{self.suffix}.p0"
        bits = f"<{self.lanes} x i1>"
        self.declare(f"declare void {name}({self.vector}, ptr, i32, {bits})")
        self.do(
            f"call void {name}({self.vector} {value}, ptr {pointer}, i32 {self.item}, "
            f"{bits} {mask})"
        )

    def load_scalar(self, pointer: str) -> str:
        return self.op(f"load {self.scalar}, ptr {pointer}, align {self.item}")

    def store_scalar(self, value: str, pointer: str) -> None:
        self.do(f"store {self.scalar} {value}, ptr {pointer}, align {self.item}")

    def splat(self, value: str) -> str:
        """A vector with `value` in every lane."""
        one = self.insert("poison", value, 0)
        return self.op(
            f"shufflevector {self.vector} {one}, {self.vector} poison, "
            f"<{self.lanes} x i32> zeroinitializer"
        )

    def insert(self, vector: str, value: str, lane: int) -> str:
        return self.op(f"insertelement {self.vector} {vector}, {self.scalar} {value}, i64 {lane}")

    def extract(self, vector: str, lane: int) -> str:
        return self.op(f"extractelement {self.vector} {vector}, i64 {lane}")

    def shuffle(self, a: str, b: str, lanes: Sequence[int], width: int | None = None) -> str:
        """Lanes picked from `a` then `b`, each of `width` lanes (this vector's unless given)."""
        kind = f"<{width or self.lanes} x {self.scalar}>"
        picked = ", ".join(f"i32 {lane}" for lane in lanes)
        return self.op(f"shufflevector {kind} {a}, {kind} {b}, <{len(lanes)} x i32> <{picked}>")

    def call(self, name: str, *values: str) -> str:
        """An LLVM intrinsic over vectors of this type."""
        kind, full = self.vector, f"@llvm.{name}.{self.suffix}"
        self.declare(f"declare {kind} {full}({', '.join([kind] * len(values))})")
        arguments = f", {kind} ".join(values)
        return self.op(f"call {kind} {full}({kind} {arguments})")

    def multiply_add(self, a: str, b: str, c: str) -> str:
        """The sum a * b + c; fused where the target can, never a library call."""
        return self.call("fmuladd", a, b, c)

    def arithmetic(self, name: str, a: str, b: str) -> str:
        """fadd, fsub, fmul or fdiv."""
        return self.op(f"{name} {self.vector} {a}, {b}")

    def constant(self, value: float) -> str:
        """A vector constant."""
        return f"splat ({self.scalar} {number(value, self.scalar)})"

    def fence(self) -> None:
        """No instruction: what touches memory stays on its side of it when LLVM schedules."""
        self.do('call void asm sideeffect "", "~{memory}"()')

    def prefetch(self, pointer: str) -> None:
        self.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        self.do(f"call void @llvm.prefetch.p0(ptr {pointer}, i32 0, i32 3, i32 1)")

    def transpose(self, rows: Sequence[str]) -> list[str]:
        """The transpose of a square of `lanes` vectors, by log2(lanes) rounds of shuffles.

        In the round of width b, rows i and i+b exchange their off-diagonal blocks of b lanes.
        """
        current, width = list(rows), self.lanes // 2
        while width:
            for i in range(self.lanes):
                if i & width:
                    continue
                a, b = current[i], current[i + width]
                low = [
                    lane if not lane & width else self.lanes + lane - width
                    for lane in range(self.lanes)
                ]
                high = [
                    lane + width if not lane & width else self.lanes + lane
                    for lane in range(self.lanes)
                ]
                current[i], current[i + width] = self.shuffle(a, b, low), self.shuffle(a, b, high)
            width //= 2
        return current


def number(value: float, scalar: str) -> str:
    """A floating-point literal in the hexadecimal form that LLVM reads exactly."""
    if scalar == "float":
        value = struct.unpack("f", struct.pack("f", value))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
