"""What every back end hands over: an artifact, plain data that crosses process borders."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Artifact:
    """Machine code of one kernel, with what a caller must provide.

    The code has three kinds of symbols to call: `body(operands, workspace, task_begin, task_end)`,
    `repeat(operands, workspace, task_begin, task_end, count)` and
    `pack_NAME(source, target, workspace)`. Tasks are numbered through all phases; those of one
    phase may be done in any order and at once, after all of the phase before. One call of the body
    over all tasks does everything.
    """

    objects: tuple[bytes, ...]
    """Relocatable objects, to be linked together: the body's first, then those of what it calls and
    of what packs its operands."""
    operands: tuple[str, ...]
    """Order of the pointer table; the output is last, or followed by what threads share."""
    packed_bytes: tuple[tuple[str, int], ...]
    """Operands that must be packed beforehand, with the size of the packed buffer."""
    workspace_bytes: int
    """For all threads: each has an equal share, whole cache lines; then what all share."""
    phases: tuple[int, ...]
    """Tasks of each phase."""
    digest: str
    """Of the schedule."""
    target: str
    """Key of the target that the code may run on."""
    ir_bytes: int
    pack_bytes: int = 0
    """Workspace that packing needs."""
    threads: int = 1
    """Threads that one call spreads its tasks over."""
    shared_bytes: int = 0
    """Of the workspace: its last bytes, which one phase leaves to another in whatever thread. Where
    there are any, their address is the last of the pointer table."""

    @property
    def tasks(self) -> int:
        """Tasks of one call."""
        return sum(self.phases)

    @property
    def share_bytes(self) -> int:
        """Workspace of each thread alone."""
        return (self.workspace_bytes - self.shared_bytes) // self.threads
