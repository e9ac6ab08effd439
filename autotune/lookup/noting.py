"""Collects this process's misses and writes them once a second, and when the process ends.

A missed lookup only appends to a queue. Every write opens the cache and closes it again, so that
nothing is shared over a fork; a forked child starts with an empty queue, since what its parent
collected is its parent's to write.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from autotune.store import misses
from autotune.store.misses import Miss
from autotune.trial import Workload

FLUSH_S = 1.0
FIRST_S = 0.02
"""Seconds until a process's first miss is written: workers that start now are to see it."""
MAX_QUEUED = 4096
"""Misses that are queued before whoever adds one adds them up: a queue is no place for millions."""
MAX_KEYS = 16_384
"""Keys of which a process remembers how often they were missed, and what it said of them."""


class Site(NamedTuple):
    """One key in one cache."""

    location: str
    target_key: str
    workload_key: str


class Notes:
    """Misses on their way into the store. Any thread may add one."""

    def __init__(self, at_exit: Callable[[], None]) -> None:
        """`at_exit` is called when this process, or a child forked from it, ends."""
        self.uses: dict[Site, int] = {}
        """How often each key was missed, as far as it has been written."""
        self.fresh: set[Site] = set()
        """Those that no other process of this build had noted before."""
        self.is_build_silent = True
        """Nobody had noted anything lately when this process first did."""
        self._at_exit = at_exit
        self._ends_in: int | None = None
        atexit.register(at_exit)
        self._lock = threading.RLock()
        # No fork while a thread writes: the child would believe SQLite's locks to be its own.
        os.register_at_fork(
            before=lambda: self._lock.acquire(),
            after_in_parent=lambda: self._lock.release(),
            after_in_child=self._after_fork,
        )
        self.clear()

    def clear(self) -> None:
        """Forget everything, what is not written yet too."""
        self._queue: deque[tuple[float, str, str, Workload]] = deque()
        self._tallies: dict[tuple[str, str, Workload], list[float]] = {}
        self._timer: threading.Timer | None = None
        self.uses.clear()
        self.fresh.clear()
        self.is_build_silent = True

    def add(self, location: str, target_key: str, workload: Workload) -> None:
        """Count a miss."""
        self._queue.append((time.time(), location, target_key, workload))
        if self._timer is None:
            self._start()
        elif len(self._queue) > MAX_QUEUED:
            with self._lock:
                self._add_up()

    def flush(self) -> None:
        """Write what was added so far."""
        with self._lock:
            self._add_up()
            found: dict[str, list[Miss]] = {}
            for (location, target_key, workload), (count, first, last) in self._tallies.items():
                miss = Miss(target_key, workload, int(count), misses.at(first), misses.at(last))
                found.setdefault(location, []).append(miss)
            self._tallies.clear()
            for location in found:
                self._write(location, found[location])

    def _after_fork(self) -> None:
        self._lock = threading.RLock()
        self.clear()

    def _start(self) -> None:
        """Have the queue written in a second; where there can be no thread, at once."""
        self._end_with_child()
        timer = threading.Timer(FLUSH_S if self.uses else FIRST_S, self._flush_later)
        timer.daemon = True
        self._timer = timer
        try:
            timer.start()
        except RuntimeError:
            self._flush_later()

    def _flush_later(self) -> None:
        # In this order: what is added meanwhile is written now or starts another timer.
        self._timer = None
        self.flush()

    def _end_with_child(self) -> None:
        """Be told when a process that multiprocessing forked ends: it skips `atexit`."""
        if is_worker() and self._ends_in != os.getpid():
            self._ends_in = os.getpid()
            sys.modules["multiprocessing.util"].Finalize(None, self._at_exit, exitpriority=0)

    def _add_up(self) -> None:
        for _ in range(len(self._queue)):
            seconds, location, target_key, workload = self._queue.popleft()
            key = (location, target_key, workload)
            tally = self._tallies.setdefault(key, [0, seconds, seconds])
            tally[0] += 1
            tally[2] = seconds

    def _write(self, location: str, found: list[Miss]) -> None:
        noted = misses.note(location, found) if location else None
        if not self.uses:
            self.is_build_silent = noted is None or noted.is_first
        for miss in found:
            key = (miss.target_key, miss.workload.key)
            site = Site(location, *key)
            if site not in self.uses and len(self.uses) >= MAX_KEYS:
                continue
            if site not in self.uses and (noted is None or key in noted.fresh):
                self.fresh.add(site)
            self.uses[site] = self.uses.get(site, 0) + miss.count


def is_worker() -> bool:
    """Whether multiprocessing started this process for another one."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None
