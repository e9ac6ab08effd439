"""LLVM's side of the CPU back end: names, target machines, object code, loading.

Compiling and running untrusted candidates happens in worker processes; nothing here guards against
LLVM aborting, so everything that could make it abort (CPU names, feature names) is derived from a
validated Target and never from user text.
"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable
from functools import cache

import llvmlite.binding as llvm

from autotune.backends.base import Artifact
from autotune.errors import CodegenError
from autotune.ir.homes import ALIGN_BYTES
from autotune.targets.base import Target

TRIPLE = "x86_64-unknown-linux-gnu"
CODE_GENERATION_LEVEL = 2
"""Source: our measurements: level 3 runs no faster and compiles longer, 0 runs 2 to 5x slower."""

FEATURES = {
    "sse3": "sse3",
    "ssse3": "ssse3",
    "sse4_1": "sse4.1",
    "sse4_2": "sse4.2",
    "avx": "avx",
    "avx2": "avx2",
    "fma": "fma",
    "f16c": "f16c",
    "bmi1": "bmi",
    "bmi2": "bmi2",
    "avx512f": "avx512f",
    "avx512bw": "avx512bw",
    "avx512cd": "avx512cd",
    "avx512dq": "avx512dq",
    "avx512vl": "avx512vl",
    "avx512_vnni": "avx512vnni",
    "avx512_bf16": "avx512bf16",
    "avx512_fp16": "avx512fp16",
    "amx_tile": "amx-tile",
    "amx_int8": "amx-int8",
    "amx_bf16": "amx-bf16",
}
"""Linux's names of the features that code may use, and LLVM's."""

LEVELS = {"x86-64": "x86-64", "x86-64-v3": "x86-64-v3", "x86-64-v4": "x86-64-v4"}


def llvm_version() -> str:
    """Version of the LLVM that makes the code, as `22.1.8`."""
    return ".".join(str(part) for part in llvm.llvm_version_info)


@cache
def _start() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def feature_text(target: Target) -> str:
    """Every known feature with its sign: what the target lacks is switched off by name."""
    have = set(target.features)
    signs = [f"{'+' if linux in have else '-'}{name}" for linux, name in FEATURES.items()]
    return ",".join(signs)


def cpu_name(target: Target) -> str:
    """LLVM's CPU name: a level's own, else the level that the features reach.

    Only names from this module reach LLVM: a wrong one makes it abort.
    """
    if target.cpu in LEVELS:
        return LEVELS[target.cpu]
    have = set(target.features)
    if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= have:
        return "x86-64-v4"
    return "x86-64-v3" if {"avx2", "fma", "bmi2"} <= have else "x86-64"


def target_machine(target: Target) -> llvm.TargetMachine:
    """A fresh LLVM target machine; sharing one between engines crashes LLVM."""
    _start()
    return llvm.Target.from_triple(TRIPLE).create_target_machine(
        cpu=cpu_name(target),
        features=feature_text(target),
        opt=CODE_GENERATION_LEVEL,
        reloc="pic",
        codemodel="jitdefault",
        jit=True,
    )


def complete(ir: str, machine: llvm.TargetMachine) -> str:
    """The IR with the triple and the machine's data layout; without them code is wrong at times."""
    layout = str(machine.target_data)
    return f'target datalayout = "{layout}"\ntarget triple = "{TRIPLE}"\n\n{ir}'


def compile_object(ir: str, target: Target) -> bytes:
    """Object code of a module.

    Raises:
        CodegenError: LLVM refused the module.
    """
    machine = target_machine(target)
    return bytes(machine.emit_object(_module(complete(ir, machine))))


def compile_assembly(ir: str, target: Target) -> str:
    """Assembly text of a module."""
    machine = target_machine(target)
    return str(machine.emit_assembly(_module(complete(ir, machine))))


def _module(ir: str) -> llvm.ModuleRef:
    try:
        module = llvm.parse_assembly(ir)
        module.verify()
    except RuntimeError as error:
        first = str(error).strip().splitlines()[0]
        raise CodegenError(f"LLVM refused the module: {first}") from error
    return module


class Loaded:
    """Machine code in this process. Functions take raw addresses and release the GIL.

    The engine must outlive every call; `close` frees it.
    """

    def __init__(self, artifact: Artifact, target: Target) -> None:
        if platform.machine() not in ("x86_64", "AMD64"):
            raise CodegenError(f"this machine is {platform.machine()}; x86_64 code cannot run here")
        _start()
        self._engines = [_engine(artifact.object_code, target)]
        if artifact.pack_code:
            # An engine of its own: two objects in one share a table of offsets, wrongly.
            self._engines.append(_engine(artifact.pack_code, target))
        self._pack_bytes = artifact.pack_bytes
        pointer, integer = ctypes.c_void_p, ctypes.c_int64
        kernel = (pointer, pointer, integer, integer)
        self.body: Callable[..., None] = self._function("body", *kernel)
        self.repeat: Callable[..., None] = self._function("repeat", *kernel, integer)
        self._packers = {
            name: self._function(f"pack_{name}", pointer, pointer, pointer)
            for name, _ in artifact.packed_bytes
        }

    def _function(self, name: str, *kinds: type) -> Callable[..., None]:
        if not self._engines:
            raise CodegenError("this kernel's code was unloaded")
        addresses = (engine.get_function_address(name) for engine in self._engines)
        address = next((found for found in addresses if found), 0)
        if not address:
            raise CodegenError(f"object code has no function {name}")
        return ctypes.CFUNCTYPE(None, *kinds)(address)

    def pack(self, operand: str, source: int, target: int) -> None:
        """Pack an operand from `source` into the buffer at `target` (addresses)."""
        scratch = ctypes.create_string_buffer(self._pack_bytes + ALIGN_BYTES)
        start = ctypes.addressof(scratch)
        self._packers[operand](source, target, start + -start % ALIGN_BYTES)

    def close(self) -> None:
        """Free the code; calling it afterwards would crash, so the functions are taken away."""
        if self._engines:
            del self.body, self.repeat
            self._packers.clear()
            for engine in self._engines:
                engine.close()
            self._engines.clear()


def _engine(code: bytes, target: Target) -> llvm.ExecutionEngine:
    """An engine that holds one object file, ready to call."""
    empty = llvm.parse_assembly(f'target triple = "{TRIPLE}"\n')
    engine = llvm.create_mcjit_compiler(empty, target_machine(target))
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine
