"""LLVM's side of the CPU back end: names, target machines, object code, loading.

Compiling and running untrusted candidates happens in worker processes; nothing here guards against
LLVM aborting, so everything that could make it abort (CPU names, feature names) is derived from a
validated Target and never from user text.
"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable, Sequence
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
        raise CodegenError(f"LLVM refused the module: {_first_line(error)}") from error
    return module


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]


class Linked:
    """Objects linked into this process, until `close`."""

    def __init__(self, objects: Sequence[bytes], names: Sequence[str], target: Target) -> None:
        """Link; `names` are the functions to be found in it.

        Raises:
            CodegenError: they cannot run on this machine, or lack a function.
        """
        if platform.machine() not in ("x86_64", "AMD64"):
            raise CodegenError(f"this machine is {platform.machine()}; x86_64 code cannot run here")
        # A linker of its own: one for all would keep the names of every library it ever had.
        self._linker = llvm.create_lljit_compiler(target_machine(target), use_jit_link=True)
        builder = llvm.JITLibraryBuilder().add_current_process()
        for code in objects:
            builder.add_object_img(code)
        for name in names:
            builder.export_symbol(name)
        try:
            self._library = builder.link(self._linker, "kernel")
        except RuntimeError as error:
            self._linker.close()
            raise CodegenError(f"the object code cannot be linked: {_first_line(error)}") from error

    def address(self, name: str) -> int:
        """Where a function begins."""
        if self._library.closed:
            raise CodegenError("this kernel's code was unloaded")
        return int(self._library[name])

    def function(self, name: str, *kinds: type) -> Callable[..., None]:
        """A function without a result; calling it releases the GIL."""
        return ctypes.CFUNCTYPE(None, *kinds)(self.address(name))

    def keep(self) -> None:
        """Never unload it, not even when the interpreter ends."""
        self._library.detach()
        self._linker.detach()

    def close(self) -> None:
        """Free the code, which nobody may call afterwards."""
        self._library.close()
        self._linker.close()


class Loaded:
    """Machine code in this process. Functions take raw addresses and release the GIL.

    The linked library must outlive every call; `close` frees it.
    """

    def __init__(self, artifact: Artifact, target: Target) -> None:
        """Link the artifact's objects.

        Raises:
            CodegenError: they cannot run on this machine, or lack a function.
        """
        packers = {name: f"pack_{name}" for name, _ in artifact.packed_bytes}
        names = ["body", "repeat", *packers.values()]
        self._linked = Linked(artifact.objects, names, target)
        self._pack_bytes = artifact.pack_bytes
        pointer, integer = ctypes.c_void_p, ctypes.c_int64
        kernel = (pointer, pointer, integer, integer)
        self.body: Callable[..., None] = self._linked.function("body", *kernel)
        self.body_address = self._linked.address("body")
        self.repeat: Callable[..., None] = self._linked.function("repeat", *kernel, integer)
        self._packers = {
            operand: self._linked.function(name, pointer, pointer, pointer)
            for operand, name in packers.items()
        }

    def pack(self, operand: str, source: int, target: int) -> None:
        """Pack an operand from `source` into the buffer at `target` (addresses)."""
        scratch = ctypes.create_string_buffer(self._pack_bytes + ALIGN_BYTES)
        start = ctypes.addressof(scratch)
        self._packers[operand](source, target, start + -start % ALIGN_BYTES)

    def close(self) -> None:
        """Free the code; calling it afterwards would crash, so the functions are taken away."""
        if hasattr(self, "body"):
            del self.body, self.body_address, self.repeat
            self._packers.clear()
            self._linked.close()
