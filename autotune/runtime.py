"""Runs kernels on NumPy arrays: checks and packs operands, hands out workspaces, spreads tasks.

A compiled body allocates nothing and starts no thread; this file does both for it, serially or over
the team of `backends/cpu`. Kernels release the GIL and may be called from several threads at once.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autotune.backends import cpu
from autotune.backends.base import Artifact
from autotune.errors import UsageError
from autotune.ir.contraction import Access, Contraction
from autotune.ir.schedule import Schedule
from autotune.ops.base import contraction
from autotune.pages import aligned_bytes
from autotune.targets.base import Target
from autotune.trial import CODEGEN_VERSION, Workload

PACKED_FORMAT = "autotune-packed-1"

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Packed:
    """A constant operand in the layout of one schedule; any other kernel refuses it."""

    operand: str
    key: str
    digest: str
    codegen: int
    buffer: NDArray[np.uint8]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as one JSON line and the raw bytes."""
        raw = self.buffer.tobytes()
        header = {
            "format": PACKED_FORMAT,
            "operand": self.operand,
            "key": self.key,
            "digest": self.digest,
            "codegen": self.codegen,
            "bytes": len(raw),
            "sha256": hashlib.sha256(raw).hexdigest(),
        }
        Path(path).write_bytes(json.dumps(header).encode() + b"\n" + raw)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Packed:
        """Read what `save` wrote.

        Raises:
            UsageError: the file is something else, or damaged.
        """
        try:
            first, _, raw = Path(path).read_bytes().partition(b"\n")
            header = json.loads(first)
            stamp = {name: header[name] for name in ("operand", "key", "digest", "codegen")}
            known = header["format"] == PACKED_FORMAT and header["bytes"] == len(raw)
            known = known and header["sha256"] == hashlib.sha256(raw).hexdigest()
        except OSError as error:
            raise UsageError(f"packed operand {path} cannot be read: {error}") from error
        except (ValueError, KeyError, TypeError, RecursionError):
            known = False
        if not known:
            raise UsageError(f"{path} is no packed operand; allowed: a file that Packed.save wrote")
        buffer = aligned_bytes(len(raw))
        buffer[:] = np.frombuffer(raw, np.uint8)
        return Packed(**stamp, buffer=buffer)


@dataclass(frozen=True)
class Bound:
    """A kernel with its operands fixed: nothing is checked or allocated when it runs."""

    artifact: Artifact
    loaded: cpu.Loaded
    table: ctypes.Array[ctypes.c_void_p]
    workspace: NDArray[np.uint8]
    kept: tuple[object, ...]
    """Arrays that must stay alive."""

    @cached_property
    def call(self) -> Callable[[], object]:
        """`run` with all that can be looked up beforehand looked up; valid while this object is."""
        if self.artifact.threads > 1:
            return partial(_spread(self.artifact, self.loaded, self.table, self.workspace), 1)
        place = ctypes.c_void_p(ctypes.addressof(self.table))
        start = ctypes.c_void_p(self.workspace.ctypes.data)
        tasks = ctypes.c_int64(0), ctypes.c_int64(self.artifact.tasks)
        return partial(self.loaded.body, place, start, *tasks)

    def run(self) -> None:
        """One call over all tasks."""
        dispatch(self.artifact, self.loaded, self.table, self.workspace)

    def repeat(self, count: int) -> None:
        """`count` calls, counted in machine code."""
        if self.artifact.threads > 1:
            _spread(self.artifact, self.loaded, self.table, self.workspace)(count)
            return
        place, tasks = ctypes.addressof(self.table), self.artifact.tasks
        self.loaded.repeat(place, self.workspace.ctypes.data, 0, tasks, count)


def bind(
    artifact: Artifact,
    loaded: cpu.Loaded,
    arrays: Mapping[str, NDArray[np.generic]],
    workspace: NDArray[np.uint8],
) -> Bound:
    """Fix the operands of a loaded artifact.

    Args:
        artifact: what was built.
        loaded: its code in this process.
        arrays: every operand by name, in the storage the kernel expects (packed ones packed).
        workspace: at least `artifact.workspace_bytes`, on a cache line.
    """
    table = _pointer_table(artifact, arrays, workspace)
    return Bound(artifact, loaded, table, workspace, (dict(arrays), workspace))


def dispatch(
    artifact: Artifact,
    loaded: cpu.Loaded,
    table: ctypes.Array[ctypes.c_void_p],
    workspace: NDArray[np.uint8],
) -> None:
    """One call: all tasks in this thread, or in equal runs over the artifact's threads."""
    if artifact.threads > 1:
        _spread(artifact, loaded, table, workspace)(1)
    else:
        loaded.body(ctypes.addressof(table), workspace.ctypes.data, 0, artifact.tasks)


def _spread(
    artifact: Artifact,
    loaded: cpu.Loaded,
    table: ctypes.Array[ctypes.c_void_p],
    workspace: NDArray[np.uint8],
) -> Callable[[int], None]:
    """So many calls over threads, each of which has its share of the workspace."""
    return cpu.team().prepared(
        loaded.body_address,
        operands=ctypes.addressof(table),
        workspace=workspace.ctypes.data,
        share_bytes=artifact.share_bytes,
        phases=artifact.phases,
        threads=artifact.threads,
    )


def _pointer_table(
    artifact: Artifact,
    arrays: Mapping[str, NDArray[np.generic]],
    workspace: NDArray[np.uint8],
) -> ctypes.Array[ctypes.c_void_p]:
    addresses = [arrays[name].ctypes.data for name in artifact.operands]
    if artifact.shared_bytes:
        first = artifact.workspace_bytes - artifact.shared_bytes
        addresses.append(workspace.ctypes.data + first)
    return (ctypes.c_void_p * len(addresses))(*addresses)


class Kernel:
    """A schedule compiled for this process: call it with NumPy arrays.

    Raises:
        ScheduleError: the schedule is illegal here.
        CodegenError: it could not be compiled.
    """

    def __init__(self, workload: Workload, schedule: Schedule, target: Target) -> None:
        self.workload, self.schedule, self.target = workload, schedule, target
        self._contraction: Contraction = contraction(workload)
        self._artifact = cpu.build(self._contraction, schedule, target)
        self._loaded = cpu.load(self._artifact, target)
        self._packed_bytes = dict(self._artifact.packed_bytes)
        self._local = threading.local()

    def __call__(
        self,
        x: Array,
        weight: Array | Packed,
        *,
        bias: Array | None = None,
        residual: Array | None = None,
        out: Array | None = None,
    ) -> Array:
        """Compute the workload.

        Args:
            x: first operand, in the workload's shape, dtype and layout, of any alignment.
            weight: second operand, plain or as `pack` returned it; plain weights of a kernel
                that wants packed ones are packed on this call.
            bias: where the workload has one: one value per output channel.
            residual: where the workload has one: the output's shape.
            out: receives the result; C-contiguous, overlapping no operand. Made when None.

        Returns:
            The output, `out` where given.

        Raises:
            UsageError: an operand does not fit; the message names it, its shape and the one needed.
        """
        given: dict[str, Array | Packed | None] = {
            "x": x, "weight": weight, "bias": bias, "residual": residual
        }  # fmt: skip
        arrays = self._inputs(given)
        result = self._output(out)
        if out is not None:
            for name, value in given.items():
                seen = value.buffer if isinstance(value, Packed) else value
                if seen is not None and np.may_share_memory(seen, result):
                    raise UsageError(f"out overlaps {name}; it needs memory of its own")
        arrays["out"] = result
        workspace = self._workspace()
        table = _pointer_table(self._artifact, arrays, workspace)
        dispatch(self._artifact, self._loaded, table, workspace)
        return result

    def pack(self, weight: Array) -> Packed:
        """The constant operand in this kernel's own layout, for calls to come.

        A kernel that reads plain weights gets them back unchanged inside.
        """
        access = self._contraction.access("weight")
        plain = self._fit(access, weight)
        size = self._packed_bytes.get("weight")
        if size is None:
            buffer = aligned_bytes(plain.nbytes)
            buffer[:] = plain.reshape(-1).view(np.uint8)
        else:
            buffer = aligned_bytes(size)
            buffer[:] = 0
            self._loaded.pack("weight", plain.ctypes.data, buffer.ctypes.data)
        return Packed("weight", self.workload.key, self.schedule.digest, CODEGEN_VERSION, buffer)

    def _inputs(self, given: Mapping[str, Array | Packed | None]) -> dict[str, NDArray[np.generic]]:
        arrays: dict[str, NDArray[np.generic]] = {}
        wanted = {access.operand: access for access in self._contraction.operands[:-1]}
        for name, value in given.items():
            if name not in wanted:
                if value is not None:
                    raise UsageError(f"{name} was given; workload {self.workload.key} has none")
                continue
            if value is None:
                raise UsageError(f"{name} is missing; workload {self.workload.key} needs it")
            if isinstance(value, Packed):
                arrays[name] = self._packed(name, value)
            elif name in self._packed_bytes:
                arrays[name] = self.pack(value).buffer
            else:
                arrays[name] = self._fit(wanted[name], value)
        return arrays

    def _packed(self, name: str, packed: Packed) -> NDArray[np.uint8]:
        mine = (name, self.workload.key, self.schedule.digest, CODEGEN_VERSION)
        theirs = (packed.operand, packed.key, packed.digest, packed.codegen)
        size = self._packed_bytes.get(name, self._storage_bytes(name))
        if theirs != mine or packed.buffer.size != size:
            raise UsageError(
                f"packed {packed.operand} of {packed.key} with schedule {packed.digest} does not "
                f"fit this kernel; needed: {self.workload.key} with schedule {self.schedule.digest}"
            )
        return packed.buffer

    def _storage_bytes(self, name: str) -> int:
        access = self._contraction.access(name)
        return int(np.prod(access.shape)) * np.dtype(self.workload.dtype).itemsize

    def _shape(self, access: Access) -> tuple[int, ...]:
        """The shape a caller gives: a bias is always one value per channel."""
        if access.operand == "bias":
            return (int(np.prod(access.shape)),)
        return access.shape

    def _fit(self, access: Access, value: object) -> Array:
        """The operand as C-contiguous aligned memory, copied only where it is not that already."""
        if not isinstance(value, np.ndarray):
            raise UsageError(
                f"{access.operand} is a {type(value).__name__}; a NumPy array is needed"
            )
        shape = self._shape(access)
        if value.dtype != np.dtype(self.workload.dtype) or value.shape != shape:
            raise UsageError(
                f"{access.operand} is {value.dtype}{list(value.shape)}; needed: "
                f"{self.workload.dtype}{list(shape)} in layout {self.workload.layout}"
            )
        return np.require(value, requirements=["C", "A"])

    def _output(self, out: Array | None) -> Array:
        access = self._contraction.output
        shape = self._shape(access)
        if out is None:
            return np.empty(shape, self.workload.dtype)
        self._fit(access, out)
        if not (out.flags.c_contiguous and out.flags.aligned and out.flags.writeable):
            raise UsageError("out is not C-contiguous, aligned and writeable; all three are needed")
        return out

    def _workspace(self) -> NDArray[np.uint8]:
        """The workspace of calls from this thread."""
        buffer: NDArray[np.uint8] | None = getattr(self._local, "workspace", None)
        if buffer is None:
            buffer = self._local.workspace = aligned_bytes(self._artifact.workspace_bytes)
        return buffer
