"""Tuners on one machine take turns at timing, through one lock file for all users.

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
_FOLDERS = (Path("/run/lock"), Path("/tmp"))
"""Everybody may write there, and only owners may remove."""


class DeviceLock:
    """An advisory lock that the kernel drops when its holder dies."""

    def __init__(self, path: Path | None = None) -> None:
        self._descriptor = _open(lock_path() if path is None else path)
        self._gave_up = False

    @contextlib.contextmanager
    def turn(
        self, waiting: Callable[[], None], resumed: Callable[[], None], wait_s: float = WAIT_S
    ) -> Iterator[None]:
        """Hold the lock; `waiting` and `resumed` are called only where someone else has it.

        A holder that did not let go within `wait_s` seconds is not waited for again.
        """
        is_held = self._try()
        if not is_held:
            waiting()
            give_up = time.monotonic() + (0.0 if self._gave_up else wait_s)
            while not (is_held := self._try()) and time.monotonic() < give_up:
                time.sleep(_POLL_S)
            resumed()
        self._gave_up = not is_held
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
    """Where every tuner of this machine looks, whatever its user and its TMPDIR."""
    folder = next((place for place in _FOLDERS if place.is_dir()), Path(tempfile.gettempdir()))
    return folder / "autotune-device.lock"


def _open(path: Path) -> int | None:
    """The lock file, made if need be; None where it is no plain file or cannot be read.

    Reading is all that locking needs, so the file may be another user's.
    """
    for flags in (os.O_RDONLY, os.O_RDONLY | os.O_CREAT | os.O_EXCL, os.O_RDONLY):
        try:
            descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)
        except OSError:
            continue
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
        return None
    return None
