"""Moves a damaged cache out of the way of whoever has to write, where it is known to be ours.

Ours is what bears `schema.APPLICATION_ID` in its first hundred bytes and belongs to this user;
everything else is left as it is. Readers never come here.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
import warnings
from contextlib import suppress

from autotune.errors import StoreError
from autotune.store import schema
from autotune.store.paths import writing_problem
from autotune.store.read import DamagedError, look_through

_HEADER_BYTES = 100
_ID_AT = 68
_SIDE_FILES = ("-wal", "-shm", "-journal")


def move_aside(path: str) -> bool:
    """Rename a damaged cache to `FILE.corrupt-TIME` and say so; whether the place is free now.

    Several processes may do so at once: one moves it, and what is made then stays.
    """
    try:
        folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        if not _is_damaged(path):
            return True  # another process has moved it meanwhile
        if not _is_ours(path):
            return False
        aside = f"{path}.corrupt-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
        os.rename(path, aside)
        for suffix in _SIDE_FILES:
            if os.path.exists(path + suffix):
                os.rename(path + suffix, aside + suffix)
        with suppress(sqlite3.Error):  # told when it is written to
            schema.create(path)
    except OSError:
        return False
    finally:
        os.close(folder)
    warnings.warn(
        f"cache {path} is damaged: it has been moved to {aside}, and a new one begun; what was "
        f"tuned is still in the logs of the runs",
        UserWarning,
        stacklevel=4,
    )
    return True


def _is_damaged(path: str) -> bool:
    try:
        look_through(path)
    except DamagedError:
        return True
    except StoreError:
        return False
    return False


def _is_ours(path: str) -> bool:
    with open(path, "rb") as file:
        header = file.read(_HEADER_BYTES)
    stamped = int.from_bytes(header[_ID_AT : _ID_AT + 4], "big") == schema.APPLICATION_ID
    return stamped and not writing_problem(path, is_named=True)
