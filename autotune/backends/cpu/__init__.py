"""The CPU back end: lowering to LLVM IR, object code, and loading it.

`build` is what workers call; it never runs a candidate. The only user of llvmlite.
"""

from __future__ import annotations

from functools import lru_cache

from autotune.backends.base import Artifact
from autotune.backends.cpu.lower import lower, lower_modules
from autotune.backends.cpu.machine import (
    Loaded,
    compile_assembly,
    compile_object,
    complete,
    llvm_version,
    target_machine,
)
from autotune.backends.cpu.peak import peak_kernel
from autotune.backends.cpu.team import team
from autotune.errors import ScheduleError
from autotune.ir.contraction import Contraction
from autotune.ir.legal import violation
from autotune.ir.program import program
from autotune.ir.schedule import Schedule
from autotune.targets.base import Target

__all__ = ["Loaded", "assembly", "build", "ir_text", "llvm_version", "load", "peak_kernel", "team"]


def build(contraction: Contraction, schedule: Schedule, target: Target) -> Artifact:
    """Object code of `schedule`.

    Raises:
        ScheduleError: it is illegal for this contraction and target.
        CodegenError: LLVM refused it.
    """
    _judge(contraction, schedule, target)
    body, *shared = lower_modules(contraction, schedule)
    made = program(contraction, schedule)
    threads = made.threads_of(target.threads)
    return Artifact(
        objects=(compile_object(body, target), *(_shared_object(ir, target) for ir in shared)),
        operands=tuple(access.operand for access in contraction.operands),
        packed_bytes=made.packed,
        workspace_bytes=made.call_bytes(threads),
        phases=tuple(phase.tasks for phase in made.phases),
        digest=schedule.digest,
        target=target.key,
        ir_bytes=len(body) + sum(map(len, shared)),
        pack_bytes=made.pack_bytes,
        threads=threads,
        shared_bytes=made.shared_bytes,
    )


def ir_text(contraction: Contraction, schedule: Schedule, target: Target) -> str:
    """The complete LLVM IR of `schedule`, triple and data layout included."""
    return complete(_lowered(contraction, schedule, target), target_machine(target))


def assembly(contraction: Contraction, schedule: Schedule, target: Target) -> str:
    """The assembly of `schedule`."""
    return compile_assembly(_lowered(contraction, schedule, target), target)


def load(artifact: Artifact, target: Target) -> Loaded:
    """The artifact's functions in this process. The code is trusted from here on."""
    return Loaded(artifact, target)


@lru_cache(maxsize=64)
def _shared_object(ir: str, target: Target) -> bytes:
    """Object code of a module that many candidates have in common, and which is therefore kept."""
    return compile_object(ir, target)


def _lowered(contraction: Contraction, schedule: Schedule, target: Target) -> str:
    _judge(contraction, schedule, target)
    return lower(contraction, schedule)


def _judge(contraction: Contraction, schedule: Schedule, target: Target) -> None:
    reason = violation(contraction, schedule, target)
    if reason:
        raise ScheduleError(reason)
