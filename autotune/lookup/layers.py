"""Several caches that answer as one, the user's own above shipped ones."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import chain
from typing import Protocol

from autotune.errors import StoreError
from autotune.store import paths, read, snapshot
from autotune.store.record import Record
from autotune.trial import Workload

Stamp = tuple[int, ...]
_NOTHING = (0, 0, 0)


class Source(Protocol):
    """What a lookup asks of a cache, whichever way it is read."""

    def ranked(self, target_key: str, workload_key: str) -> list[Record]: ...
    def targets(self, workload_key: str) -> list[str]: ...
    def relatives(self, target_key: str, workload: Workload) -> list[tuple[str, str]]: ...
    def variants(self, workload: Workload) -> list[tuple[str, str]]: ...
    def speedups(self, op: str) -> list[float]: ...


class Layers:
    """A source over several: an upper one's records come first, nothing hides a lower one's."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources

    def ranked(self, target_key: str, workload_key: str) -> list[Record]:
        return [*chain(*(s.ranked(target_key, workload_key) for s in self._sources))]

    def targets(self, workload_key: str) -> list[str]:
        return [*dict.fromkeys(chain(*(s.targets(workload_key) for s in self._sources)))]

    def relatives(self, target_key: str, workload: Workload) -> list[tuple[str, str]]:
        found = chain(*(s.relatives(target_key, workload) for s in self._sources))
        return [*dict.fromkeys(found)]

    def variants(self, workload: Workload) -> list[tuple[str, str]]:
        return [*dict.fromkeys(chain(*(s.variants(workload) for s in self._sources)))]

    def speedups(self, op: str) -> list[float]:
        return [*chain(*(s.speedups(op) for s in self._sources))]


@contextmanager
def opened(locations: Sequence[str], is_named: bool) -> Iterator[Layers]:
    """The caches at these places as one; an absent file holds nothing.

    Args:
        locations: results of `paths.locations`; '' is skipped.
        is_named: the caller chose them. Of others one that cannot be read is told once and skipped.

    Raises:
        StoreError: a named one cannot be read as a cache, or any is not the snapshot asked for.
    """
    with ExitStack() as stack:
        sources = []
        for location in filter(None, locations):
            try:
                source = _open(location, stack)
            except StoreError as error:
                if is_named or paths.PIN in location:
                    raise
                warn_of(str(error))
                continue
            if source is not None:
                sources.append(source)
        yield Layers(sources)


def stamp(locations: Sequence[str]) -> Stamp:
    """What changes when a file or its write-ahead log does; empty where one is a server's URL."""
    found: list[int] = []
    for location in locations:
        if "://" in location:
            return ()
        path, _ = paths.unpinned(location) if paths.PIN in location else (location, "")
        for name in (path, path + "-wal"):
            try:
                status = os.stat(name)
            except OSError:
                found += _NOTHING
                continue
            # SQLite leaves an empty log behind after reading; it says as little as none.
            size = status.st_size
            found += (status.st_mtime_ns, size, status.st_ino) if size else _NOTHING
    return tuple(found)


@cache
def warn_of(problem: str) -> None:
    """Tell once why a cache that nobody named answers nothing: no compiler is to fail for that."""
    warnings.warn(f"{problem}; nothing is found in the cache", UserWarning, stacklevel=4)


def _open(location: str, stack: ExitStack) -> Source | None:
    if not paths.is_file(location):
        from autotune.store.db import Cache

        return stack.enter_context(Cache(location))
    path, digest = paths.unpinned(location)
    if digest:
        snapshot.verify(path, digest)
    return stack.enter_context(read.opened(path))
