"""Notes a missed lookup in an SQLite cache, so that tuning can close the gap later.

A note is worth nothing if it disturbs a compiler: it waits a moment at most and fails in silence.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from autotune.errors import StoreError
from autotune.store import schema
from autotune.store.paths import make_folder
from autotune.store.read import DAMAGE, inspect
from autotune.store.record import utc_now
from autotune.trial import Workload

PATIENCE_S = 0.25


def note_miss(path: str, target_key: str, workload: Workload) -> bool:
    """Count a miss of this key; whether it could be written. The cache is created if absent."""
    try:
        if inspect(path) not in ("ready", "old"):
            make_folder(path)
            schema.create(path, PATIENCE_S)
        connection = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
        try:
            connection.execute(schema.WRITE_MISS, miss_parameters(target_key, workload))
        finally:
            connection.close()
    except (*DAMAGE, OSError, StoreError):
        return False
    return True


def miss_parameters(target_key: str, workload: Workload) -> dict[str, Any]:
    """Parameters of `schema.WRITE_MISS`."""
    return {
        **workload.to_columns(),
        "target_key": target_key,
        "workload_key": workload.key,
        "now": utc_now(),
    }
