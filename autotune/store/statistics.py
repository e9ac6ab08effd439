"""What a cache holds, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from autotune.store import schema
from autotune.store.record import LOCAL


@dataclass(frozen=True)
class Statistics:
    """Counts of records, and of what was looked up in vain."""

    cache: str
    """Its place, without a password."""
    schema: int
    bytes: int | None
    """Of the file and its write-ahead log; None on a server."""
    records: int
    keys: int
    """Pairs of target and workload."""
    local: int
    imported: int
    verified: int
    stale: int
    misses: int
    oldest: str | None
    newest: str | None
    ops: Mapping[str, int]
    targets: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `cache stats`."""
        return asdict(self)


def counted(
    groups: Iterable[Mapping[str, Any]], keys: int, misses: int, shown: str, size: int | None
) -> Statistics:
    """The sums over groups of records.

    Args:
        groups: rows of `schema.COUNT_RECORDS`.
        keys: how many pairs of target and workload there are.
        misses: of keys that still are not tuned.
        shown: the cache's place.
        size: bytes of the file; None on a server.
    """
    sums: Counter[str] = Counter()
    ops: Counter[str] = Counter()
    targets: Counter[str] = Counter()
    times: list[str] = []
    for group in groups:
        count = group["records"]
        ops[group["op"]] += count
        targets[group["target_key"]] += count
        sums["local" if group["origin"] == LOCAL else "imported"] += count
        sums["verified"] += count * bool(group["verified"])
        sums["stale"] += count * group["stale"]
        times += [group["oldest"], group["newest"]]
    return Statistics(
        cache=shown,
        schema=schema.VERSION,
        bytes=size,
        records=ops.total(),
        keys=keys,
        local=sums["local"],
        imported=sums["imported"],
        verified=sums["verified"],
        stale=sums["stale"],
        misses=misses,
        oldest=min(times, default=None),
        newest=max(times, default=None),
        ops=dict(sorted(ops.items())),
        targets=dict(sorted(targets.items())),
    )
