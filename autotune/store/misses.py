"""Remembers missed lookups, so that tuning can close the gap later. Standard library only.

They are kept in the cache; where that cannot be written, in a file of the same tables beside it;
where that cannot be either, in one in the user's data directory. A note is worth nothing if it
disturbs a compiler: it waits a second at most and fails in silence.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from autotune.errors import StoreError
from autotune.store import paths, read, schema
from autotune.store.read import DAMAGE
from autotune.store.record import TIME_FORMAT
from autotune.trial import STRICT, Workload

PATIENCE_S = 1.0
SAME_BUILD_S = 60.0
"""Misses of a key this close together are those of workers of one build."""

Execute = Callable[[str, Mapping[str, Any]], Sequence[Mapping[str, Any]]]
"""Runs a statement of `schema` inside a transaction and gives the rows."""


@dataclass(frozen=True)
class Miss:
    """A workload that was looked up for a target `count` times, and was not there."""

    target_key: str
    workload: Workload
    count: int
    first_seen: str
    """UTC, as `utc_now` writes it."""
    last_seen: str

    def to_dict(self) -> dict[str, Any]:
        """One entry of `cache misses --json`."""
        return {
            "key": self.workload.key,
            "target": self.target_key,
            **self.workload.to_dict(),
            "count": self.count,
            "first_seen": self.first_seen,
            "last_seen": self.last_seen,
        }

    def to_row(self) -> dict[str, Any]:
        """The columns of the `misses` table."""
        return {
            **self.workload.to_columns(),
            "target_key": self.target_key,
            "workload_key": self.workload.key,
            "count": self.count,
            "first_seen": self.first_seen,
            "last_seen": self.last_seen,
        }


Key = tuple[str, str]
"""Target key and workload key."""


class Noted(NamedTuple):
    """What was there when misses were written."""

    fresh: frozenset[Key]
    """Those that no other process of this build had noted."""
    is_first: bool
    """No process had noted anything within SAME_BUILD_S."""


def from_rows(rows: Iterable[Mapping[str, Any]]) -> list[Miss]:
    """The misses in rows of the `misses` table; a broken one is left out."""
    found = []
    for row in rows:
        with suppress(*_ODD_ROWS):
            found.append(_from_row(row))
    return found


def _from_row(row: Mapping[str, Any]) -> Miss:
    for name in schema.MISS_COLUMNS:
        if not isinstance(row[name], int if name == "count" else float if name == _UNITS else str):
            raise TypeError(name)
    units = STRICT if row["workload_key"].endswith(f"/tol={STRICT}") else row[_UNITS]
    workload = Workload(row["op"], row["shape"], row["dtype"], row["layout"], units)
    if workload.key != row["workload_key"]:
        raise ValueError(workload.key)
    for name in ("first_seen", "last_seen"):
        if at(_seconds(row[name])) != row[name]:
            raise ValueError(name)
    return Miss(row["target_key"], workload, row["count"], row["first_seen"], row["last_seen"])


def at(seconds: float) -> str:
    """A time since the epoch as records and misses store it."""
    return datetime.fromtimestamp(seconds, UTC).strftime(TIME_FORMAT)


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def note(location: str, misses: Collection[Miss]) -> Noted | None:
    """Write misses where they can be written; None where that is nowhere.

    Args:
        location: a result of `paths.cache_path`. An absent file is created.
        misses: of different keys.
    """
    with suppress(StoreError):
        for write_to in _places(location):
            noted = write_to(misses)
            if noted is not None:
                return noted
    return None


def write(execute: Execute, misses: Collection[Miss]) -> Noted:
    """Add misses to the table, inside a transaction that nobody else's writes fall into."""
    rows = [miss.to_row() for miss in misses]
    recent = at(_seconds(min(miss.first_seen for miss in misses)) - SAME_BUILD_S)
    before = execute(schema.LAST_MISS, {})
    fresh = set()
    for row in rows:
        seen = execute(schema.FIND_MISS, {name: row[name] for name in _KEY})
        if not seen or seen[0]["last_seen"] < recent:
            fresh.add((row["target_key"], row["workload_key"]))
        execute(schema.WRITE_MISS, row)
    return Noted(frozenset(fresh), (before[0]["last_seen"] or "") < recent)


def read_all(location: str) -> list[Miss]:
    """Every miss noted of a cache, settled or not; none where it cannot be read."""
    with suppress(StoreError):
        if not paths.is_file(location):
            from autotune.store.db import Cache

            with Cache(location) as cache:
                return cache.missed()
        path, _ = paths.unpinned(location)
        with read.opened(path) as reader:
            noted = from_rows(reader.misses() if reader else [])
        return union([*noted, *read_beside(location)])
    return []


def read_beside(location: str) -> list[Miss]:
    """The misses noted outside of the cache, since it could not be written."""
    found: list[Miss] = []
    for path in _files_beside(location):
        with suppress(StoreError), read.opened(path) as reader:
            found += from_rows(reader.misses() if reader else [])
    return found


def forget_beside(location: str, keys: Iterable[Key]) -> None:
    """Remove misses that are settled from where they were noted outside of the cache."""
    for path in filter(os.path.exists, _files_beside(location)):
        with suppress(StoreError, sqlite3.Error), closing(_connect(path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            for key in keys:
                connection.execute(schema.FORGET_MISS, dict(zip(_KEY, key, strict=True)))
            connection.execute("COMMIT")


def union(misses: Iterable[Miss]) -> list[Miss]:
    """One miss a key: counts added up, from the first to the last time it was seen."""
    found: dict[Key, Miss] = {}
    for miss in misses:
        key = (miss.target_key, miss.workload.key)
        other = found.get(key, miss)
        found[key] = Miss(
            miss.target_key,
            miss.workload,
            miss.count + (other.count if key in found else 0),
            min(miss.first_seen, other.first_seen),
            max(miss.last_seen, other.last_seen),
        )
    return list(found.values())


_KEY = ("target_key", "workload_key")
_UNITS = "tolerance"
_ODD_ROWS = (ValueError, TypeError, OverflowError, LookupError)
"""What rows of a damaged table cause: values of another type, columns that are gone."""


def _places(location: str) -> list[Callable[[Collection[Miss]], Noted | None]]:
    """What writes misses where, the best place first."""
    beside: list[Callable[[Collection[Miss]], Noted | None]]
    beside = [partial(_write_file, path) for path in _files_beside(location)]
    if not paths.is_file(location):
        return [partial(_write_server, location), *beside]
    path, pinned = paths.unpinned(location)
    # Where the cache is damaged or somebody else's, nothing is written beside it either.
    state = read.inspect(path)
    is_frozen = bool(pinned) or (state != "absent" and not os.stat(path).st_mode & 0o222)
    return beside if is_frozen else [partial(_write_file, path), *beside]


def _files_beside(location: str) -> list[str]:
    """The file beside the cache, and the one in the user's data directory."""
    files = []
    name = paths.shown(location)
    if paths.is_file(location):
        path, _ = paths.unpinned(location)
        name = os.path.abspath(path)
        files.append(f"{path}.misses")
    with suppress(StoreError):
        digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        files.append(os.path.join(paths.log_folder(), f"misses-{digest}.sqlite"))
    return files


def _write_file(path: str, misses: Collection[Miss]) -> Noted | None:
    try:
        if paths.writing_problem(path, is_named=True):
            return None
        if read.inspect(path) not in ("ready", "old"):
            paths.make_folder(path)
            schema.create(path, PATIENCE_S)
        with closing(_connect(path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            noted = write(lambda sql, row: connection.execute(sql, row).fetchall(), misses)
            connection.execute("COMMIT")
            return noted
    except (*DAMAGE, *_ODD_ROWS, OSError, StoreError):
        return None


def _connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
    connection.row_factory = sqlite3.Row
    # A note need not survive a power cut, and is not to wait for the disk.
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def _write_server(location: str, misses: Collection[Miss]) -> Noted | None:
    from autotune.store.db import Cache

    with suppress(StoreError), Cache(location) as opened:
        return opened.note_misses(misses)
    return None
