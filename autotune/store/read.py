"""Reads an SQLite cache with the standard library alone, by the SQL of docs/cache.md.

For lookups, which may run inside somebody's compiler: opened read-only, closed again at once,
nothing imported that is slow. A broken row is skipped with one warning.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import warnings
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from typing import Any, Literal
from urllib.parse import quote

from autotune.errors import StoreError
from autotune.store import schema
from autotune.store.identity import State, identify
from autotune.store.record import MAX_INTEGER, Record, from_row
from autotune.store.toolchain import current_llvm
from autotune.trial import CODEGEN_VERSION, Workload

DAMAGE = (sqlite3.Error, UnicodeDecodeError)
"""What sqlite3 raises; the latter of damaged text, its own messages among it."""

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_SMALLEST_BYTES = 512
"""An SQLite database has pages of at least this size; SQLite takes some shorter files for none."""
_NO_SIDE_FILES = (
    *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY),
    *(sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP),
)
"""What SQLite says where it cannot make the files beside a cache: no permission, no space."""


class DamagedError(StoreError):
    """The file is an SQLite database no longer."""


class Reader:
    """The queries of a lookup on one open cache file."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection
        self._llvm = current_llvm(self.meta())

    def meta(self) -> dict[str, str]:
        """The `meta` table."""
        return {row["name"]: row["value"] for row in self._rows(schema.READ_META)}

    def ranked(self, target_key: str, workload_key: str) -> list[Record]:
        """The records of one key, best first."""
        parameters = find_parameters(target_key, workload_key, self._llvm)
        return records_of(self._rows(schema.FIND, parameters), self._path, self._llvm)

    def targets(self, workload_key: str) -> list[str]:
        """Keys of the targets for which this workload has been tuned."""
        rows = self._rows(schema.FIND_TARGETS, {"workload_key": workload_key})
        return [row["target_key"] for row in rows]

    def relatives(self, target_key: str, workload: Workload) -> list[tuple[str, str]]:
        """Key and shape of each workload of the same operator tuned for a target."""
        rows = self._rows(schema.FIND_RELATIVES, relative_parameters(target_key, workload))
        return [(row["workload_key"], row["shape"]) for row in rows]

    def speedups(self, op: str) -> list[float]:
        """Default over tuned, for the records of one operator."""
        return [row["speedup"] for row in self._rows(schema.FIND_SPEEDUPS, {"op": op})]

    def variants(self, workload: Workload) -> list[tuple[str, str]]:
        """Target key and workload key of every record of one operator and shape."""
        rows = self._rows(schema.FIND_VARIANTS, workload.to_columns())
        return [(row["target_key"], row["workload_key"]) for row in rows]

    def misses(self) -> list[Mapping[str, Any]]:
        """The rows of the `misses` table."""
        return [dict(row) for row in self._rows(schema.READ_MISSES)]

    def _rows(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[sqlite3.Row]:
        try:
            return self._connection.execute(sql, dict(parameters or {})).fetchall()
        except DAMAGE as error:
            raise failure(self._path, error) from error


def find(path: str, target_key: str, workload_key: str) -> Record | None:
    """The best record of a key in the file, or None; an absent file holds none.

    Raises:
        StoreError: the file is no cache of ours.
    """
    with opened(path) as reader:
        records = reader.ranked(target_key, workload_key) if reader else []
    return records[0] if records else None


@contextmanager
def opened(path: str) -> Iterator[Reader | None]:
    """A reader on the file; None where it is absent or holds nothing yet.

    Raises:
        StoreError: the file is no cache of ours.
    """
    if _look(path, must_exist=False) != "file":
        yield None
        return
    with closing(_connect(path)) as connection:
        yield None if _identify(path, connection) == "empty" else Reader(path, connection)


def inspect(path: str, must_exist: bool = False) -> State:
    """What is at this path: nothing, something that may become a cache, or a cache.

    Raises:
        StoreError: absent though it must exist, not a database, another program's, or newer.
    """
    seen = _look(path, must_exist)
    if seen != "file":
        return seen
    with closing(_connect(path)) as connection:
        return _identify(path, connection)


def look_through(path: str) -> None:
    """Read the whole file, as SQLite checks it.

    Raises:
        DamagedError: it is damaged anywhere.
        StoreError: it cannot be read at all, or is another program's.
    """
    if inspect(path) in ("absent", "empty"):
        return
    with closing(_connect(path)) as connection:
        try:
            (said,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        except DAMAGE as error:
            raise failure(path, error) from error
    if said != "ok":
        raise DamagedError(f"cache {path} cannot be used: it is damaged ({said})")


def find_parameters(target_key: str, workload_key: str, llvm: str) -> dict[str, Any]:
    """Parameters of `schema.FIND`."""
    return {
        "target_key": target_key,
        "workload_key": workload_key,
        "codegen": CODEGEN_VERSION,
        "llvm": llvm,
    }


def relative_parameters(target_key: str, workload: Workload) -> dict[str, Any]:
    """Parameters of `schema.FIND_RELATIVES`."""
    return {**workload.to_columns(), "target_key": target_key}


def entry_parameters(
    op: str, target: str, since: str, llvm: str, limit: int | None = None, offset: int = 0
) -> dict[str, Any]:
    """Parameters of `schema.READ_RECORDS`; `target` is a part of a target's key."""
    part = target.replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return {
        "op": op,
        "target": f"%{part}%",
        "since": since,
        "codegen": CODEGEN_VERSION,
        "llvm": llvm,
        "limit": MAX_INTEGER if limit is None else limit,
        "offset": offset,
    }


def records_of(rows: list[Any], location: str, llvm: str) -> list[Record]:
    """The records in these rows; a broken one is left out, with one warning for each."""
    records: list[Record] = []
    for row in rows:
        try:
            records.append(from_row(row, llvm))
        except StoreError as error:
            _warn_once(location, str(error))
    return records


def failure(path: str, error: Exception) -> StoreError:
    """The StoreError that tells of an error of the database on this file."""
    said = str(error).partition("\n")[0]
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _DAMAGED or isinstance(error, UnicodeDecodeError):
        return DamagedError(f"cache {path} cannot be used: it is damaged ({said})")
    if code == sqlite3.SQLITE_IOERR:
        said += " (is there space left?)"
    return StoreError(f"cache {path} cannot be used: {said}")


def _look(path: str, must_exist: bool) -> Literal["absent", "empty", "file"]:
    """What can be told without opening the file.

    To open and close a database file beside SQLite drops the locks that another thread's connection
    holds on it, and with them what other processes write meanwhile.
    """
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        if must_exist:
            raise StoreError(
                f"cache {path} does not exist; tune something with `autotune run`, or name another "
                f"with --cache"
            ) from None
        return "absent"
    except OSError as error:
        raise StoreError(f"cache {path} cannot be read: {error.strerror}") from error
    if stat.S_ISLNK(status.st_mode):
        raise StoreError(f"cache {path} is a symbolic link; name the file that it leads to")
    if not stat.S_ISREG(status.st_mode):
        raise StoreError(f"cache {path} is not a regular file; name a file with --cache")
    if status.st_uid not in (0, os.geteuid()):
        _warn_of_owner(path, status.st_uid)
    if not status.st_size:
        return "empty"
    if status.st_size < _SMALLEST_BYTES:
        raise DamagedError(str(_no_database(path)))
    return "file"


def _no_database(path: str) -> StoreError:
    return StoreError(
        f"cache {path} is not an SQLite database; it is left as it is; name another file with "
        f"--cache"
    )


def _identify(path: str, connection: sqlite3.Connection) -> Literal["empty", "old", "ready"]:
    try:
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        tables = {row["name"] for row in rows}
        meta = _meta(connection) if "meta" in tables else {}
    except DAMAGE as error:
        raise failure(path, error) from error
    return identify(path, tables, meta)


def _meta(connection: sqlite3.Connection) -> dict[str, str]:
    try:
        rows = connection.execute(schema.READ_META).fetchall()
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_ERROR:
            raise
        return {}  # somebody else's table of that name, with other columns
    return {row["name"]: row["value"] for row in rows}


def connect(path: str) -> sqlite3.Connection:
    """Open read-only; where SQLite cannot make its side files, as immutable.

    Raises:
        StoreError: it cannot be opened.
    """
    last: sqlite3.Error | UnicodeDecodeError | None = None
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        uri = f"file:{quote(os.path.abspath(path))}?{mode}"
        connection: sqlite3.Connection | None = None
        try:
            connection = sqlite3.connect(uri, timeout=schema.BUSY_TIMEOUT_S, uri=True)
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return connection
        except DAMAGE as error:
            last = error
            if connection is not None:
                connection.close()
            code = getattr(error, "sqlite_errorcode", 0)
            if code & 0xFF == sqlite3.SQLITE_NOTADB:
                raise _no_database(path) from error
            if code not in _NO_SIDE_FILES and code & 0xFF not in _NO_SIDE_FILES:
                break
    if not os.access(path, os.R_OK):
        raise StoreError(f"cache {path} cannot be read: {os.strerror(errno.EACCES)}") from last
    raise failure(path, last or sqlite3.OperationalError("unknown")) from last


def _connect(path: str) -> sqlite3.Connection:
    """The same, with rows that know their columns' names."""
    connection = connect(path)
    connection.row_factory = sqlite3.Row
    return connection


@cache
def _warn_of_owner(path: str, owner: int) -> None:
    warnings.warn(
        f"cache {path} belongs to another user (uid {owner}), who decides what is found in it",
        UserWarning,
        stacklevel=2,
    )


@cache
def _warn_once(location: str, message: str) -> None:
    warnings.warn(f"cache {location}: {message}; skipped", UserWarning, stacklevel=2)
