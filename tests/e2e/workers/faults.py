"""Misbehaviour by schedule digest, for workers that tests run in place of the real ones.

AUTOTUNE_TEST_FAULTS holds a JSON object, digest -> name of a fault, or AUTOTUNE_TEST_FAULTS_FILE
names a file that does. The rest of the worker is the real one, with a toolchain whose parts are
wrapped here.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import resource
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import spoiling

from autotune.errors import CodegenError
from autotune.measure.toolchain import Bound, Toolchain, real_toolchain

FAULTS: Mapping[str, str] = json.loads(os.environ.get("AUTOTUNE_TEST_FAULTS", "{}"))
NESTED_TYPES = 50_000
FAULTS_FILE = os.environ.get("AUTOTUNE_TEST_FAULTS_FILE", "")

UNSELECTABLE = """
declare i32 @llvm.x86.sse42.crc32.32.32(i32, i32)
define i32 @f(i32 %a) {
  %r = call i32 @llvm.x86.sse42.crc32.32.32(i32 %a, i32 %a)
  ret i32 %r
}
"""


def abort_in_llvm() -> None:
    """Have LLVM meet an instruction that it cannot select: it ends the process."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu="x86-64", features="-sse4.2,-crc32", opt=2
    )
    machine.emit_object(llvm.parse_assembly(UNSELECTABLE))


def fault_of(digest: str) -> str:
    """Empty for a schedule that behaves; the file may have grown since the last one."""
    if not FAULTS_FILE:
        return FAULTS.get(digest, "")
    found: dict[str, str] = json.loads(Path(FAULTS_FILE).read_text(encoding="utf-8"))
    return found.get(digest, "")


def shrink_stack() -> None:
    """`ulimit -s 1024`: the system looks at it whenever the stack grows."""
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, hard))


def parse_deeply() -> None:
    """Have LLVM read a type within a type, and so on: a call on the stack for each."""
    import llvmlite.binding as llvm

    llvm.parse_assembly("%t = type " + "{" * NESTED_TYPES + "i8" + "}" * NESTED_TYPES)


def hang() -> None:
    """Sleep for ever in native code, where Python notices no signal."""
    ctypes.CDLL(None).pause()


Elsewhere = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


@Elsewhere
def segfault_elsewhere(operands: int, workspace: int, begin: int, end: int) -> None:
    if begin:
        ctypes.string_at(0)


@Elsewhere
def hang_elsewhere(operands: int, workspace: int, begin: int, end: int) -> None:
    if begin:
        hang()


IN_THREADS = {"segfault_in_thread": segfault_elsewhere, "hang_in_thread": hang_elsewhere}
"""Kernels that misbehave in the threads beside the caller's."""


def die(fault: str) -> None:
    """Faults that building and running have in common."""
    match fault:
        case "abort_in_llvm":
            abort_in_llvm()
        case "segfault":
            ctypes.string_at(0)
        case "hang":
            hang()
        case "memory_error":
            raise MemoryError
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "exit":
            os._exit(3)
        case "bug":
            raise LookupError("a mistake in our own code")
        case "map_too_much":
            mmap.mmap(-1, 1 << 45)
        case "shrink_stack":
            shrink_stack()
        case "overflow_stack":
            shrink_stack()
            parse_deeply()
        case "print":
            os.write(1, b"native code prints\n" * 100)
            print("so does Python", flush=True)
        case _ if fault in spoiling.SPOILS:
            spoiling.SPOILS[fault]()


def faulty_builder() -> Toolchain:
    """The real compiler, but for the digests in FAULTS."""
    real = real_toolchain()

    def build(made: Any, schedule: Any, target: Any) -> Any:
        fault = fault_of(schedule.digest)
        if fault.startswith("build_"):
            name = fault.removeprefix("build_")
            if name == "codegen_error":
                raise CodegenError("LLVM refused the module")
            die(name)
        return real.build(made, schedule, target)

    return replace(real, build=build)


@dataclass
class FaultyBound:
    """A kernel that computes the right thing and then spoils something."""

    bound: Bound
    arrays: Mapping[str, Any]
    fault: str
    calls: int = 0

    def run(self) -> None:
        self.calls += 1
        out = self.arrays["out"]
        tail = out[..., -3:].copy()
        die(self.fault)
        if self.fault == "return_early":
            return
        self.bound.run()
        end = out.ctypes.data + out.nbytes
        match self.fault:
            case "skip_tail":
                out[..., -3:] = tail
            case "wrong":
                out[...] += 1.0
            case "overrun":
                ctypes.memset(end, 0, 4)
            case "overrun_64":
                ctypes.memset(end, 0, 64)
            case "overrun_page":
                ctypes.memset(end, 0, 4096)
            case "overrun_far":
                ctypes.memset(end + (1 << 45), 0, 64)
            case "underrun":
                ctypes.memset(out.ctypes.data - 4, 0, 4)
            case "overread":
                ctypes.string_at(end, 4)
            case "write_input":
                self.arrays["x"][...] = 0.0
        self.spoil_later()

    def spoil_later(self) -> None:
        match self.fault:
            case "wrong_second_time" if self.calls > 1:
                self.arrays["out"][...] *= 2.0
            case "segfault_second_time" if self.calls > 1:
                ctypes.string_at(0)

    def repeat(self, count: int) -> None:
        self.calls += count
        match self.fault:
            case "hang_when_timed":
                hang()
            case "segfault_when_timed":
                ctypes.string_at(0)
            case "slow_when_timed":
                time.sleep(0.05)
            case "return_early_when_timed":
                return
            case "overrun_when_timed":
                out = self.arrays["out"]
                ctypes.memset(out.ctypes.data + out.nbytes, 0, 64)
        self.bound.repeat(count)
        self.spoil_later()


def faulty_runner() -> Toolchain:
    """The real runtime and clock, but for the digests in FAULTS."""
    real = real_toolchain()
    present = [""]

    def load(artifact: Any, target: Any) -> Any:
        present[0] = fault_of(artifact.digest)
        return real.load(artifact, target)

    def bind(artifact: Any, loaded: Any, arrays: Any, workspace: Any) -> Any:
        bound = real.bind(artifact, loaded, arrays, workspace)
        fault = present[0]
        if fault in IN_THREADS:
            loaded.body_address = ctypes.cast(IN_THREADS[fault], ctypes.c_void_p).value
        return FaultyBound(bound, arrays, fault) if fault else bound

    def clock_ns() -> int:
        match present[0]:
            case "clock_zero":
                return 0
            case "clock_backwards":
                return -time.perf_counter_ns()
            case _:
                return time.perf_counter_ns()

    return replace(real, load=load, bind=bind, clock_ns=clock_ns)
