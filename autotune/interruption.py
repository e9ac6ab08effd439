"""Lets Ctrl-C and its like end a run only where its work can be kept.

`tune` opens the gate while it searches and while it times the finalists; between and afterwards an
interruption waits, so that neither the log nor the cache is left half-written, however often a user
presses the keys. Nothing here decides what an interruption means.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


class Gate:
    """Holds back KeyboardInterrupt from signal handlers; a context manager, open at first.

    An open gate lets one interruption through and closes behind it, so that what it ends can end
    in peace. Handlers are called all the same, and those that raise nothing are none of its
    business. Signals reach Python's main thread only: elsewhere there is nothing to hold back.
    """

    def __init__(self) -> None:
        self._is_open = True
        self._before: dict[int, Callable[[int, FrameType | None], Any]] = {}
        self.is_knocked = False
        """An interruption is waiting."""

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for name in _SIGNALS:
                number = getattr(signal, name, None)
                handler = None if number is None else signal.getsignal(number)
                # Neither the system's own way of dying nor what is ignored raises anything.
                if number is not None and callable(handler):
                    self._before[number] = handler
                    signal.signal(number, self._take)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def close(self) -> None:
        """From here on interruptions wait."""
        self._is_open = False

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Let an interruption through while the context lasts, at once if one is waiting.

        Raises:
            KeyboardInterrupt: there was one.
        """
        self._is_open = True
        try:
            if self.is_knocked:
                self.is_knocked = False
                raise KeyboardInterrupt
            yield
        finally:
            self._is_open = False

    def _take(self, number: int, frame: FrameType | None) -> None:
        try:
            self._before[number](number, frame)
        except KeyboardInterrupt:
            if self._is_open:
                self._is_open = False
                raise
            self.is_knocked = True
