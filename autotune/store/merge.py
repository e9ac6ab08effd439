"""Merging as a set union by record digest, as pure functions.

Nothing is ever replaced or removed, so a better record cannot be lost, the order of imports does
not matter and importing twice is importing once. Which record of a key answers is no matter of
merging but of `schema.RANK`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from autotune.store.record import IMPORTED, Record


def imported(records: Iterable[Record]) -> dict[str, Record]:
    """Records of somebody else by digest, marked as imported and not verified here."""
    return {record.digest: _marked(record) for record in records}


def union(ours: Mapping[str, Record], theirs: Mapping[str, Record]) -> dict[str, Record]:
    """All records of both by digest; of one that both have, the one of which more is known here.

    That is what `schema.WRITE_RECORD` does to a database, where what comes in is `imported`.
    """
    merged = dict(theirs)
    for digest, record in ours.items():
        other = theirs.get(digest, record)
        merged[digest] = max(record, other, key=_standing)
    return merged


def _standing(record: Record) -> tuple[bool, bool, str]:
    return record.origin != IMPORTED, record.verified, record.verified_at or ""


def _marked(record: Record) -> Record:
    if record.origin == IMPORTED and not record.verified and record.verified_at is None:
        return record
    return replace(record, origin=IMPORTED, verified=False, verified_at=None)
