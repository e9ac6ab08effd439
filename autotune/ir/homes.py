"""Where operands live and what a nest's steps cover, as plain numbers.

`resolve` fills these in; legality, lowering, features and printing read them. Standard library
only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from autotune.ir.contraction import ITEM_BYTES, Access, Contraction
from autotune.ir.schedule import Nest, Stage

ALIGN_BYTES = 64
"""Alignment of every staged buffer: one cache line, one AVX-512 vector."""


@dataclass(frozen=True)
class Stride:
    """How far an axis moves in memory: `(v // block) * outer + (v % block) * inner` elements.

    A plain axis has block 1. `v` counts from the start of the region that the buffer holds.
    """

    outer: int
    block: int = 1
    inner: int = 0

    @property
    def step(self) -> int:
        """Elements between neighbours within a register tile."""
        return self.inner if self.block > 1 else self.outer


@dataclass(frozen=True)
class Phases:
    """A row read with stride `count`, stored as `count` rows `pitch` elements apart.

    `odd` are the axes, with their coefficients in the row, that pick the phase; their values must
    be known when code is generated.
    """

    count: int
    pitch: int
    odd: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Home:
    """Where an operand is read from (or the output written to) from some step on."""

    operand: str
    kind: str
    """`storage` (the caller's), `handed` (another nest's); `dims`, `lanes`, `axes` (staged)."""
    strides: Mapping[str, Stride] = field(hash=False)
    offset: int = 0
    phases: Phases | None = None
    is_padded: bool = False
    """Some reads fall outside: only a `dims` stage may read it."""

    def step(self, axis: str) -> int:
        stride = self.strides.get(axis)
        return stride.step if stride else 0


@dataclass(frozen=True)
class StagePlan:
    """A stage with its numbers: source and target homes, and the region it covers."""

    stage: Stage
    region: Mapping[str, int] = field(hash=False)
    source: Home
    home: Home
    elements: int
    """Size of the buffer, slack for whole vectors included."""
    shape: tuple[int, ...] = ()
    """dims: extent of the buffer in each dimension of the operand (the row pitch last)."""
    spans: tuple[int, ...] = ()
    """dims: how many of them the region really needs."""
    order: tuple[str, ...] = ()
    """axes: reduction axes from outermost to innermost in the buffer."""


@dataclass(frozen=True)
class NestPlan:
    """A nest with every region and home worked out."""

    contraction: Contraction
    nest: Nest
    regions: tuple[Mapping[str, int], ...]
    """Region of every axis in front of each step."""
    tile: Mapping[str, int]
    """What the loops leave of every axis: parallel ones make the register tile."""
    stages: Mapping[int, StagePlan]
    """By position in `nest.steps`."""
    homes: Mapping[str, Home]
    """Where the register tile finds each operand."""
    shared: Mapping[str, int]
    """What loops around several nests leave of an axis, by axis."""

    @property
    def vectors(self) -> int:
        """Vectors of accumulators along the vector axis."""
        return -(-self.tile[self.nest.vector] // self.nest.lanes)

    @property
    def rows(self) -> Mapping[str, int]:
        """Parallel axes of the register tile other than the vector axis, with their sizes."""
        axes = (a.name for a in self.contraction.parallel if a.name != self.nest.vector)
        return {name: self.tile[name] for name in axes if self.tile[name] > 1}

    @property
    def accumulators(self) -> int:
        """Vector registers that hold the register tile."""
        return prod(self.rows.values()) * self.vectors

    @cached_property
    def output_stage(self) -> int | None:
        """Position of the step that stages the output, if there is one."""
        out = self.contraction.output.operand
        return next((i for i, p in self.stages.items() if p.stage.operand == out), None)

    @property
    def split_reductions(self) -> tuple[str, ...]:
        """Reduction axes that some loop outside the register tile splits."""
        kinds = self.contraction.by_name
        return tuple(
            dict.fromkeys(s.axis for s in self.nest.loops if kinds[s.axis].kind == "reduction")
        )

    def bytes_of(self, position: int) -> int:
        """Size of the buffer of the stage at a step, whole cache lines."""
        size = ITEM_BYTES[self.contraction.dtype]
        return round_up(self.stages[position].elements * size, ALIGN_BYTES)


def round_up(value: int, multiple: int) -> int:
    """The least multiple that is at least `value`."""
    return -(-value // multiple) * multiple


def storage_home(contraction: Contraction, access: Access) -> Home:
    """The operand as the caller stores it."""
    strides = {axis: Stride(access.coefficient(axis)) for axis in access.axes}
    return Home(
        access.operand,
        "storage",
        strides,
        access.offset,
        is_padded=contraction.is_padded(access),
    )
