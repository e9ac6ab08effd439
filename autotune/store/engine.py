"""Connections through SQLAlchemy, to an SQLite file or to a PostgreSQL server.

None is pooled: one lives as long as its transaction, so that it crosses no fork and no spawn, and
holds no write-ahead log open.
"""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, make_url, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from autotune.errors import StoreError
from autotune.store import paths, schema
from autotune.store.identity import State, identify
from autotune.store.mounts import networked
from autotune.store.read import connect

CONNECT_TIMEOUT_S = 10
_CREATION_LOCK = 0x6175746F74756E65
"""Of the server; whoever makes or migrates the tables holds it until it has done so."""

_LIST_TABLES = """SELECT DISTINCT table_name AS name FROM information_schema.tables
WHERE table_schema = current_schema() AND table_name IN ('meta', 'records', 'misses')"""


def writing_engine(location: str) -> Engine:
    """Connections to a path or URL.

    Raises:
        StoreError: no URL, or the driver that it asks for is not installed.
    """
    if paths.is_file(location):
        return create_engine("sqlite://", creator=lambda: _writing(location), poolclass=NullPool)
    try:
        url = make_url(location)
        if url.drivername in ("postgres", "postgresql"):
            url = url.set(drivername="postgresql+psycopg")
        limits = {"connect_timeout": CONNECT_TIMEOUT_S}
        return create_engine(url, connect_args=limits, poolclass=NullPool)
    except ImportError as error:
        raise StoreError(
            f"cache {paths.shown(location)} needs the package psycopg, which cannot be imported "
            f"({error}); pip install 'autotune-kernels[postgres]' brings it"
        ) from error
    except (SQLAlchemyError, ValueError) as error:
        raise StoreError(f"cache {paths.shown(location)} cannot be used: no valid URL") from error


def reading_engine(location: str) -> Engine | None:
    """Connections for reading alone; None where those for writing do as well."""
    if not paths.is_file(location):
        return None
    return create_engine("sqlite://", creator=lambda: connect(location), poolclass=NullPool)


def rows(
    connection: Connection, sql: str, parameters: Mapping[str, Any] | None = None
) -> list[Mapping[str, Any]]:
    """What a statement finds; nothing where it only writes."""
    done = connection.execute(text(sql), dict(parameters or {}))
    return [*done.mappings()] if done.returns_rows else []


def meta(connection: Connection) -> dict[str, str]:
    """The `meta` table."""
    return {row["name"]: row["value"] for row in rows(connection, schema.READ_META)}


def inspect_server(connection: Connection, location: str) -> State:
    """What a server's database holds for us.

    Raises:
        StoreError: tables of another program under our names, or those of a newer version.
    """
    tables = {row["name"] for row in rows(connection, _LIST_TABLES)}
    try:
        with connection.begin_nested():
            found = meta(connection) if "meta" in tables else {}
    except DBAPIError:
        found = {}  # somebody else's table of that name, with other columns
    return identify(paths.shown(location), tables, found)


def prepare_server(connection: Connection, location: str) -> None:
    """Make the tables, or bring them to the present version, while others wait their turn."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _CREATION_LOCK})
    if inspect_server(connection, location) == "ready":
        return  # another process has done so meanwhile
    for statement, parameters in schema.CREATE:
        connection.execute(text(statement), parameters)
    for statement, parameters in schema.migrations_from(int(meta(connection)["schema"])):
        connection.execute(text(statement), parameters)


def _writing(path: str) -> sqlite3.Connection:
    """A connection to the file that leaves out what its file system cannot do."""
    with ExitStack() as stack:
        connection = sqlite3.connect(path, timeout=schema.BUSY_TIMEOUT_S)
        stack.callback(connection.close)
        if kind := networked(path):
            _warn_of_network(path, kind)
            connection.execute(schema.NO_WAL)
        stack.pop_all()
    return connection


@cache
def _warn_of_network(path: str, kind: str) -> None:
    warnings.warn(
        f"cache {path} lies on a network file system ({kind}): safe for one process at a time "
        f"only; better name a file on a local disk with --cache or AUTOTUNE_CACHE",
        UserWarning,
        stacklevel=2,
    )
