"""Which cores measure and which build, so that a candidate is timed on a core of its own.

The pool places its workers and the tuner's own thread by it. Without support for affinity nobody is
placed anywhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass


@dataclass(frozen=True)
class Cores:
    """A division of the cores that this process may use."""

    measuring: tuple[int, ...]
    building: tuple[int, ...]

    @property
    def are_shared(self) -> bool:
        """Whether the kernel's threads leave no core: building and timing then take turns."""
        return not set(self.building) - set(self.measuring)


def divide(allowed: Iterable[int], threads: int) -> Cores:
    """The last `threads` cores measure, the others build; all build where none is left.

    The first core is the one that most systems give interrupts to, so it measures last.
    """
    ordered = tuple(sorted(allowed))
    split = max(0, len(ordered) - threads)
    return Cores(measuring=ordered[split:], building=ordered[:split] or ordered)


def allowed_cores() -> tuple[int, ...]:
    """The cores this thread may run on; numbers that mean nothing where the system has no say."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def stay_on(cores: Iterable[int]) -> None:
    """Keep the calling thread, and all it starts, on these cores, where the system lets it."""
    if hasattr(os, "sched_setaffinity"):
        with suppress(OSError):
            os.sched_setaffinity(0, cores)


@contextmanager
def staying_on(cores: Iterable[int]) -> Iterator[None]:
    """Keep the calling thread on these cores while the context lasts."""
    before = allowed_cores()
    stay_on(cores)
    try:
        yield
    finally:
        stay_on(before)
