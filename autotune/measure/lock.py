"""Tuners on one machine take turns at timing, through one lock file per user.

The runner holds it around the timing of each candidate. A lock that cannot be had, for whatever
reason, never stops a run: timing goes on without it, paired with the reference as always.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

_POLL_S = 0.002
WAIT_S = 30.0


class DeviceLock:
    """An advisory lock that the kernel drops when its holder dies."""

    def __init__(self, path: Path | None = None) -> None:
        self._descriptor = _open(lock_path() if path is None else path)

    @contextlib.contextmanager
    def turn(
        self, waiting: Callable[[], None], resumed: Callable[[], None], wait_s: float = WAIT_S
    ) -> Iterator[None]:
        """Hold the lock; `waiting` and `resumed` are called only where someone else has it."""
        if not self._try():
            waiting()
            give_up = time.monotonic() + wait_s
            while not self._try() and time.monotonic() < give_up:
                time.sleep(_POLL_S)
            resumed()
        try:
            yield
        finally:
            if self._descriptor is not None:
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def _try(self) -> bool:
        if self._descriptor is None:
            return True
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def lock_path() -> Path:
    """In the user's runtime directory where there is one, else among temporary files."""
    runtime = Path(f"/run/user/{os.getuid()}")
    folder = runtime if runtime.is_dir() else Path(tempfile.gettempdir())
    return folder / f"autotune-{os.getuid()}.lock"


def _open(path: Path) -> int | None:
    """The lock file, made if need be; None where it is not plainly ours."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, 0o600)
    except OSError:
        return None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid():
        os.close(descriptor)
        return None
    return descriptor
