"""Where code generation stands inside a nest: regions, offsets and pointers, copied on write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from autotune.backends.cpu.emit import Emitter, Index
from autotune.ir.homes import Home

ACCUMULATOR = "@accumulator"
"""Name under which a staged output's buffer is kept beside the output itself."""


@dataclass(frozen=True)
class State:
    """The instance being written.

    `pointers` have every offset known so far folded in; `absolute` counts from the start of each
    axis, `region` is how much of it this instance covers. `is_first` and `is_last` tell whether
    all split reductions are at their first or last block, now or at run time.
    """

    region: Mapping[str, int]
    absolute: Mapping[str, Index]
    homes: Mapping[str, Home]
    pointers: Mapping[str, str]
    is_first: bool | str = True
    is_last: bool | str = True

    def moved(self, emitter: Emitter, axis: str, offset: Index) -> State:
        """The state `offset` further along `axis`; a multiple of every block that holds it."""
        if offset == 0:
            return self
        pointers = dict(self.pointers)
        for operand, home in self.homes.items():
            stride = home.strides.get(axis)
            if stride is None or stride.outer == 0:
                continue
            pointers[operand] = emitter.along(pointers[operand], offset, stride.outer, stride.block)
        absolute = {**self.absolute, axis: emitter.add(self.absolute[axis], offset)}
        return replace(self, pointers=pointers, absolute=absolute)

    def narrowed(self, axis: str, size: int) -> State:
        return replace(self, region={**self.region, axis: size})

    def housed(self, operand: str, home: Home, pointer: str) -> State:
        """The state in which `operand` lives in a buffer."""
        return replace(
            self,
            homes={**self.homes, operand: home},
            pointers={**self.pointers, operand: pointer},
        )


def tile_offset(home: Home, coordinates: Mapping[str, int]) -> int:
    """Elements from the state's pointer to a point given by known coordinates."""
    total = 0
    for axis, value in coordinates.items():
        stride = home.strides.get(axis)
        if stride is None:
            continue
        total += (value // stride.block) * stride.outer + (value % stride.block) * stride.inner
    if home.phases:
        phases = home.phases
        position = sum(c * coordinates.get(axis, 0) for axis, c in phases.odd)
        total += (position % phases.count) * phases.pitch + position // phases.count
    return total
