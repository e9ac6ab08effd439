"""Whose database this is and of which version, from its tables and its `meta` rows."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Literal

from autotune.errors import StoreError
from autotune.store import schema

State = Literal["absent", "empty", "old", "ready"]
"""`old`: a cache whose tables are of an earlier version; it can be read as it is."""


def identify(
    shown: str, tables: Set[str], meta: Mapping[str, str]
) -> Literal["empty", "old", "ready"]:
    """What a database with these tables is to us.

    Args:
        shown: its place, for messages.
        tables: names of all tables; on a server only those that have a name of ours.
        meta: the rows of a table of that name, none where it is another's.

    Raises:
        StoreError: another program's, or a newer version's.
    """
    if not tables:
        return "empty"
    if meta.get("application") != schema.APPLICATION or not {"records", "misses"} <= tables:
        some = ", ".join(sorted(tables)[:5])
        raise StoreError(
            f"cache {shown} is a database of another program (tables {some}); it is left as it "
            f"is; name another with --cache"
        )
    version = str(meta.get("schema", ""))
    if not (version.isascii() and version.isdigit()) or not 1 <= int(version) <= schema.VERSION:
        raise StoreError(
            f"cache {shown} has schema version {version[:20]}; this program reads up to "
            f"{schema.VERSION}; update autotune, or name another with --cache"
        )
    return "ready" if int(version) == schema.VERSION else "old"
