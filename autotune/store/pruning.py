"""Which records go when a cache is pruned, as a pure function over records in their ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from autotune.errors import UsageError
from autotune.store.record import IMPORTED, Record


@dataclass(frozen=True)
class Reasons:
    """Why a record may go; at least one is needed.

    Raises:
        UsageError: none was given.
    """

    keep: int | None = None
    """All but so many of each key, the best; None keeps all."""
    stale: bool = False
    """Made by another code generator or LLVM."""
    imported: bool = False
    """Imported and not verified here."""
    broken: bool = False
    """Rows that no record can be read from."""

    def __post_init__(self) -> None:
        if self.keep is None and not (self.stale or self.imported or self.broken):
            raise UsageError(
                "prune removes nothing unless told what; allowed: --keep K, --stale, --imported, "
                "--broken"
            )


def doomed(records: Mapping[str, Record], reasons: Reasons) -> dict[str, str]:
    """Digest of each record that goes, and the option that says so.

    Args:
        records: by digest, of all keys, those of each in the order of `schema.RANK`.
        reasons: why one may go.
    """
    going: dict[str, str] = {}
    staying: Counter[tuple[str, str]] = Counter()
    for digest, record in records.items():
        key = record.target_key, record.key
        if reasons.stale and record.is_stale:
            going[digest] = "stale"
        elif reasons.imported and record.origin == IMPORTED and not record.verified:
            going[digest] = "imported"
        elif reasons.keep is not None and staying[key] >= reasons.keep:
            going[digest] = "keep"
        else:
            staying[key] += 1
    return going
