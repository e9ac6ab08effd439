"""Decides whether a kernel computes the right thing and touches nothing else, before it is timed.

The output and the workspace are filled with NaN before each of two runs, every buffer lies between
guard zones, inputs are compared afterwards, and the result is judged against float64 NumPy.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Mapping, Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from autotune.backends.base import Artifact
from autotune.ir.schedule import Schedule
from autotune.measure.buffers import GuardedBuffer, same_bytes
from autotune.measure.child import CandidateError
from autotune.measure.rotation import Rotation, copies_in_a_row, copies_of
from autotune.measure.toolchain import Toolchain, real_toolchain
from autotune.ops.base import contraction, reduction_length
from autotune.reference import Expected, expected
from autotune.targets.base import Target
from autotune.trial import Workload

_CHUNK = 1 << 16
_TAIL_SLACK = 8.0
"""Roundings of the fused tail, in eps of the magnitude of its addends."""


def make_inputs(workload: Workload, seed: int) -> dict[str, NDArray[Any]]:
    """Every input of a workload, drawn from the standard normal distribution."""
    made = contraction(workload)
    rng = np.random.default_rng(seed)
    drawn: dict[str, NDArray[Any]] = {}
    for access in made.operands[:-1]:
        if made.dtype == "float32":
            drawn[access.operand] = rng.standard_normal(access.shape, dtype=np.float32)
        else:
            drawn[access.operand] = rng.standard_normal(access.shape)
    return drawn


def load_expected(
    kept: IO[bytes] | None, workload: Workload, inputs: Mapping[str, Any]
) -> Expected:
    """The right result: read back from `kept` where an earlier worker left it, else computed.

    The file has no name, so that nothing is left behind however the tuner ends.
    """
    if kept is None:
        return expected(workload, inputs)
    with contextlib.suppress(OSError, ValueError, EOFError):
        kept.seek(0)
        out, magnitude, rms = (np.load(kept, allow_pickle=False) for _ in range(3))
        return Expected(out, float(rms[0]), magnitude if magnitude.size else None)
    fresh = expected(workload, inputs)
    kept.seek(0)
    kept.truncate()
    magnitude = np.empty(0) if fresh.magnitude is None else fresh.magnitude
    for array in (fresh.out, magnitude, np.array([fresh.rms])):
        np.save(kept, array, allow_pickle=False)
    kept.flush()
    os.lseek(kept.fileno(), 0, os.SEEK_SET)
    return fresh


class Operands:
    """Inputs and output of one workload in guarded memory, shared by the candidates."""

    def __init__(
        self, workload: Workload, inputs: Mapping[str, NDArray[Any]], is_strict: bool = False
    ) -> None:
        self.contraction = contraction(workload)
        self.dtype = np.dtype(self.contraction.dtype)
        self.is_strict = is_strict
        self._pristine = {
            name: np.ascontiguousarray(array).reshape(-1).view(np.uint8).copy()
            for name, array in inputs.items()
        }
        self._copies: dict[str, Sequence[NDArray[Any]]] = {}
        self.buffers: dict[str, GuardedBuffer] = {}
        self.arrays: dict[str, NDArray[Any]] = {}
        for access in self.contraction.operands:
            size_bytes = math.prod(access.shape) * self.dtype.itemsize
            buffer = self.buffer(size_bytes, self.dtype.itemsize if is_strict else 64)
            self.buffers[access.operand] = buffer
            self.arrays[access.operand] = buffer.array(self.dtype, access.shape)
        for name, pristine in self._pristine.items():
            self.buffers[name].bytes[:] = pristine

    def buffer(self, size_bytes: int, alignment: int = 64) -> GuardedBuffer:
        """More memory placed like the operands."""
        return GuardedBuffer(size_bytes, alignment, self.is_strict)

    @property
    def output(self) -> str:
        return self.contraction.output.operand

    def copies(self, name: str, array: NDArray[Any], cache_bytes: int) -> Sequence[NDArray[Any]]:
        """Copies of an operand that exceed a cache together with those of all others.

        Those of plain operands are shared by all candidates; what a candidate packed is its own.
        """
        once = sum(plain.nbytes for plain in self.arrays.values())
        count = copies_of(once, cache_bytes)
        if array is not self.arrays[name]:
            return copies_in_a_row(array, count)
        if name not in self._copies:
            self._copies[name] = copies_in_a_row(array, count)
        return self._copies[name]

    def changed_input(self) -> str | None:
        """The first input that no longer holds what it was given."""
        for name, pristine in self._pristine.items():
            if not same_bytes(self.buffers[name].bytes, pristine):
                return name
        return None


class Candidate:
    """One loaded artifact, bound to the operands, with packed weights and workspace of its own."""

    def __init__(
        self,
        tools: Toolchain,
        artifact: Artifact,
        operands: Operands,
        target: Target,
        rotating_bytes: int = 0,
    ) -> None:
        """Load and bind.

        Args:
            tools: the back end.
            artifact: what was built.
            operands: what it works on while it is checked.
            target: what it was built for.
            rotating_bytes: where above 0, `repeat` goes round copies of the operands that exceed
                so many bytes together.
        """
        self._operands = operands
        self._loaded = tools.load(artifact, target)
        arrays = dict(operands.arrays)
        self._own: dict[str, GuardedBuffer] = {}
        for name, size_bytes in artifact.packed_bytes:
            packed = operands.buffer(size_bytes)
            packed.poison()
            self._loaded.pack(name, operands.buffers[name].address, packed.address)
            arrays[name] = packed.array(operands.dtype, (size_bytes // operands.dtype.itemsize,))
            self._own[f"packed {name}"] = packed
        self._workspace = operands.buffer(artifact.workspace_bytes)
        self._own["workspace"] = self._workspace
        self._bound = tools.bind(artifact, self._loaded, arrays, self._workspace.bytes)
        self.run = self._bound.run
        self.loop = self._bound.repeat
        """Calls it a number of times on the operands that are checked."""
        self.repeat = self.loop
        """The same on whatever it is timed with."""
        if rotating_bytes:
            copies = {
                name: operands.copies(name, array, rotating_bytes) for name, array in arrays.items()
            }
            place = self._workspace.bytes
            self.repeat = Rotation(tools, artifact, self._loaded, copies, place).repeat

    def close(self) -> None:
        """Unload the machine code."""
        self._loaded.close()

    def poison(self) -> None:
        """Fill the output and the workspace with NaN."""
        self._operands.buffers[self._operands.output].poison()
        self._workspace.poison()

    def verify_memory(self) -> None:
        """Raise CandidateError where the kernel wrote what it may not write."""
        for name, buffer in {**self._operands.buffers, **self._own}.items():
            if not buffer.is_intact():
                raise CandidateError("wrong_result", f"wrote outside of its {name} buffer", True)
        changed = self._operands.changed_input()
        if changed is not None:
            raise CandidateError("wrong_result", f"wrote to its input {changed}", True)


def error_units(workload: Workload, out: NDArray[Any], right: Expected) -> float:
    """The largest error, in units of eps * sqrt(reduction length) * RMS of the sum.

    Raises:
        CandidateError: it is above the workload's tolerance, or not a number.
    """
    eps = float(np.finfo(workload.dtype).eps)
    unit = eps * math.sqrt(reduction_length(workload)) * right.rms
    flat, true = out.reshape(-1), right.out.reshape(-1)
    magnitude = None if right.magnitude is None else right.magnitude.reshape(-1)
    worst = 0.0
    for start in range(0, flat.size, _CHUNK):
        piece = slice(start, start + _CHUNK)
        error = np.abs(flat[piece] - true[piece])
        if magnitude is not None:
            error -= _TAIL_SLACK * eps * magnitude[piece]
        largest = float(error.max())
        if not largest <= workload.limit_units * unit:
            raise CandidateError(
                "wrong_result", _wrong(flat, right, start + int(error.argmax()), unit)
            )
        worst = max(worst, largest)
    return worst / unit if unit > 0 else 0.0


def _wrong(flat: NDArray[Any], right: Expected, position: int, unit: float) -> str:
    index = tuple(int(i) for i in np.unravel_index(position, right.out.shape))
    got, true = float(flat[position]), float(right.out.reshape(-1)[position])
    missing = int(np.isnan(flat).sum())
    if missing:
        return f"{missing} of {flat.size} outputs are NaN, the first met at {index}"
    units = abs(got - true) / unit if unit > 0 else float("inf")
    return f"output {index} is {got:.9g}, must be {true:.9g}: off by {units:.3g} units"


def judge(workload: Workload, candidate: Candidate, operands: Operands, right: Expected) -> float:
    """Judge what a candidate has just done; its error in units.

    Raises:
        CandidateError: the result is wrong, or something else was written to.
    """
    candidate.verify_memory()
    return error_units(workload, operands.arrays[operands.output], right)


def check(workload: Workload, candidate: Candidate, operands: Operands, right: Expected) -> float:
    """Run a candidate once onto poisoned memory and judge it; its error in units."""
    candidate.poison()
    candidate.run()
    return judge(workload, candidate, operands, right)


def check_candidate(
    workload: Workload,
    schedule: Schedule,
    target: Target,
    seed: int = 0,
    strict: bool = False,
    tools: Toolchain | None = None,
) -> float:
    """Build, run twice and judge one schedule in this very process; its error in units.

    For sweeps over schedules, in a process that may die: nothing protects the caller from a
    kernel that crashes. `strict` adds a run with every buffer right before an inaccessible page.

    Raises:
        CandidateError: the result is wrong, or something else was written to.
        ScheduleError: the schedule is illegal.
        CodegenError: it cannot be compiled.
    """
    chosen = real_toolchain() if tools is None else tools
    artifact = chosen.build(contraction(workload), schedule, target)
    inputs = make_inputs(workload, seed)
    right = expected(workload, inputs)
    errors = []
    for is_strict in (False, True) if strict else (False,):
        operands = Operands(workload, inputs, is_strict)
        candidate = Candidate(chosen, artifact, operands, target)
        try:
            errors += [check(workload, candidate, operands, right) for _ in range(2)]
        finally:
            candidate.close()
    return max(errors)
