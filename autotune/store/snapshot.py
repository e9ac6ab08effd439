"""Snapshots: every record of a cache in a file that never changes, named by its content.

Hosts of one build that look up in `FILE#sha256=HEX` use the same records or none: another content
is refused. Standard library only, since lookups verify.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import Any, NamedTuple

from autotune.errors import StoreError
from autotune.store import paths, schema
from autotune.store.read import failure


class Snapshot(NamedTuple):
    """A file that `write` made."""

    path: str
    sha256: str
    records: int

    @property
    def location(self) -> str:
        """What a lookup takes as its cache, to have these records and no others."""
        return f"{self.path}{paths.PIN}{self.sha256}"


def write(
    folder: str, rows: Iterable[Mapping[str, Any]], notes: Iterable[tuple[str, str]]
) -> Snapshot:
    """Write records to `autotune-HEX.sqlite` in a folder, which is made if absent.

    The same rows, in the same order, make the same file with the same SQLite.

    Args:
        folder: where the file goes; one of the same content is left as it is.
        rows: of the `records` table.
        notes: names and values for the `meta` table.

    Raises:
        StoreError: it cannot be written.
    """
    import tempfile  # slow, and a lookup never comes here

    paths.make_folder(os.path.join(folder, "file"))
    try:
        with tempfile.TemporaryDirectory(prefix=".snapshot-", dir=folder) as beside:
            temporary = os.path.join(beside, "file")
            count = _fill(temporary, rows, notes)
            digest = _sha256(temporary)
            path = os.path.join(folder, f"autotune-{digest}.sqlite")
            os.chmod(temporary, 0o444)
            os.replace(temporary, path)
    except sqlite3.Error as error:
        raise failure(folder, error) from error
    except OSError as error:
        raise StoreError(f"snapshot in {folder} cannot be written: {error.strerror}") from error
    return Snapshot(path, digest, count)


def verify(path: str, sha256: str) -> None:
    """Refuse a file whose content is not the one asked for; read once as long as it is the same.

    Raises:
        StoreError: it is absent or another; both digests are named.
    """
    try:
        status = os.stat(path)
        identity = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if _verified.get(path) == (sha256, identity):
            return
        found = _sha256(path)
    except OSError as error:
        raise StoreError(f"snapshot {path} cannot be read: {error.strerror}") from error
    if found != sha256:
        raise StoreError(
            f"cache {path} is not the snapshot asked for: its sha256 is {found}, not {sha256}"
        )
    _verified[path] = (sha256, identity)


_verified: dict[str, tuple[str, tuple[int, ...]]] = {}
"""Of each snapshot, its digest and the file that had it; a process uses few of them."""


def _fill(path: str, rows: Iterable[Mapping[str, Any]], notes: Iterable[tuple[str, str]]) -> int:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        # One file and nothing beside it, so that it can be copied and mounted read-only.
        connection.execute(schema.NO_WAL)
        connection.execute("BEGIN")
        for statement, parameters in schema.CREATE:
            connection.execute(statement, parameters)
        for name, value in notes:
            connection.execute(schema.WRITE_META, {"name": name, "value": value})
        connection.executemany(schema.WRITE_RECORD, rows)
        (count,) = connection.execute("SELECT count(*) FROM records").fetchone()
        connection.execute("COMMIT")
    return int(count)


def _sha256(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
