"""Tells of misses: the first of a process at once, the others in one report when it ends.

What another process of the same build has noted already is left to that process to tell; what
children forked by multiprocessing miss is told by their parent, which reads it from the store.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from autotune.errors import AutotuneError, PerformanceCliffWarning
from autotune.lookup.cliff import Cliff
from autotune.lookup.noting import MAX_KEYS, Notes, Site, is_worker
from autotune.store import misses, paths
from autotune.store.misses import Miss
from autotune.trial import Workload

MOST_LISTED = 10
MOST_ASKED = 256
"""Misses of children that are looked into: each costs a lookup."""


@dataclass(frozen=True)
class Told:
    """A miss as a report tells it."""

    workload: Workload
    target_key: str
    cliff: Cliff
    fix_all: str
    """The command that tunes it and every other miss of its target and cache."""


class Teller:
    """What this process has looked up, and what it still has to say of it."""

    def __init__(self, look: Callable[[str, Miss], Told | None]) -> None:
        """`look` finds out about a miss that a forked child noted; None: it is settled."""
        self.notes = Notes(self.at_exit)
        self._look = look
        self._lock = threading.Lock()
        self._forking = 0
        self.clear()
        os.register_at_fork(before=self._before_fork, after_in_child=self._after_fork)

    def clear(self) -> None:
        """Forget everything."""
        self.notes.clear()
        self._hits: set[Site] = set()
        self._misses: dict[Site, Told] = {}
        self._said: set[Site] = set()
        self._is_first = True
        self._forked_at = ""
        """When this process first forked; empty where it has not."""
        self._inherited: frozenset[str] = frozenset()
        """Caches whose misses the parent tells of, as long as it lives."""
        self._parent = 0

    def hit(self, site: Site) -> None:
        """Count a shape that is tuned."""
        if len(self._hits) < MAX_KEYS:
            self._hits.add(site)

    def missed(self, site: Site, told: Told) -> bool:
        """Remember a miss, which is in the notes; whether to warn of it at once."""
        with self._lock:
            if site not in self._misses and len(self._misses) < MAX_KEYS:
                self._misses[site] = told
            if not self._is_first:
                return False
            self._is_first = False
        if is_worker():
            self.notes.flush()
            if not self.notes.is_build_silent:
                return False
        self._said.add(site)
        return True

    def report(self) -> str:
        """What has not been said yet, as text; empty where all has. It is said once."""
        self.notes.flush()
        if self._forked_at and not self._inherited:
            self._ask_children()
        with self._lock:
            due = [site for site in self._misses if self._is_due(site)]
            self._said.update(due)
        return self._text(sorted(due, key=self._loss, reverse=True)) if due else ""

    def at_exit(self) -> None:
        """Write what was missed, and warn of what has not been said yet."""
        text = self.report()
        if not text:
            return
        try:
            # Of no line of code: the calls are over.
            warnings.warn_explicit(text, PerformanceCliffWarning, "autotune", 1, "autotune")
        except PerformanceCliffWarning:  # warnings are errors, and nobody is left to catch one
            sys.stderr.write(f"{text}\n")

    def _is_due(self, site: Site) -> bool:
        if site in self._said:
            return False
        if os.getppid() == self._parent and site.location in self._inherited:
            return False
        return site in self.notes.fresh or bool(self._forked_at)

    def _ask_children(self) -> None:
        """Learn what forked children noted in the caches that they leave to this process."""
        for location in self._locations():
            noted = [m for m in misses.read_all(location) if m.last_seen >= self._forked_at]
            for miss in sorted(noted, key=lambda m: -m.count)[:MOST_ASKED]:
                site = Site(location, miss.target_key, miss.workload.key)
                told = None if site in self._misses else self._look(location, miss)
                if told is not None:
                    self._misses[site] = told
                    self.notes.uses.setdefault(site, miss.count)

    def _locations(self) -> set[str]:
        """The caches that were asked, and the default one."""
        found = {site.location for site in (*self._hits, *self._misses)}
        with suppress(AutotuneError):
            found.add(paths.absolute(paths.cache_path()))
        return found - {""}

    def _before_fork(self) -> None:
        self._forked_at = self._forked_at or misses.at(time.time())
        self._forking = os.getpid()

    def _after_fork(self) -> None:
        inherited, is_first = frozenset(self._locations()), self._is_first
        self._lock = threading.Lock()
        self.clear()
        self._inherited, self._is_first, self._parent = inherited, is_first, self._forking

    def _loss(self, site: Site) -> float:
        told = self._misses[site]
        return told.cliff.loss(told.workload, self.notes.uses.get(site, 1))

    def _text(self, due: list[Site]) -> str:
        listed = [self._line(site) for site in due[:MOST_LISTED]]
        if len(due) > MOST_LISTED:
            listed.append(f"and {len(due) - MOST_LISTED} more: `autotune cache misses`")
        fixes = dict.fromkeys(self._misses[site].fix_all for site in due)
        asked = len(self._hits | self._misses.keys())
        rest = len(self._misses) - len(due)
        told = f" ({rest} told before)" if rest else ""
        return "\n  ".join(
            [
                f"performance cliff: {len(self._misses)} of {asked} shapes that were looked up are "
                f"not tuned{told}; worst first, by expected loss times uses:",
                *listed,
                f"to tune them all: {'; '.join(fixes)}",
            ]
        )

    def _line(self, site: Site) -> str:
        told = self._misses[site]
        uses = self.notes.uses.get(site, 1)
        return (
            f"{told.workload.op} {told.workload.shape} for {told.target_key}, {uses} "
            f"{'use' if uses == 1 else 'uses'}, {told.cliff.reason}: expected to take "
            f"{told.cliff.price}{told.cliff.apart}: {told.cliff.fix}"
        )
