"""What an import adds: a set union by record digest, as a pure function.

Nothing is ever replaced or removed, so a better record cannot be lost, the order of imports does
not matter and importing twice is importing once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from autotune.store.record import IMPORTED, Record


def union(known: Collection[str], incoming: Iterable[Record]) -> dict[str, Record]:
    """The incoming records, by digest, that are not among the known digests.

    They are marked as imported and not verified: nobody has measured them here.
    """
    added: dict[str, Record] = {}
    for record in incoming:
        digest = record.digest
        if digest not in known and digest not in added:
            added[digest] = replace(record, origin=IMPORTED, verified=False)
    return added
