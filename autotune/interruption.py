"""Lets Ctrl-C and its like end a run only where its work can be kept.

`listening` turns SIGTERM and SIGHUP into interruptions too. `tune` opens the gate while it searches
and while it times the finalists; between and afterwards an interruption waits, so that neither the
log nor the cache is left half-written, however often a user presses the keys.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self

AGAIN_S = 1.0
"""Signals this soon after one that was let through belong to it: its work is being kept."""
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


class Interrupted(KeyboardInterrupt):
    """A signal said stop.

    Python ends a process by SIGINT itself, whatever exit code is asked for, once it has seen a
    plain KeyboardInterrupt leave a piece of text that was executed: named tuples are made so.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def exit_code(error: KeyboardInterrupt) -> int:
    """What a shell says of a process that the signal ended."""
    return 128 + int(getattr(error, "number", signal.SIGINT))


@contextmanager
def listening() -> Iterator[list[int]]:
    """Has SIGTERM and SIGHUP interrupt as Ctrl-C does; yields the signals received so far.

    Raises:
        Interrupted: anywhere inside, when there was one.
    """
    received: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        received.append(number)
        raise Interrupted(number)

    wanted = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    # What the parent set to be ignored (nohup) stays ignored.
    heard = [number for number in wanted if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in heard}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Gate:
    """Holds back KeyboardInterrupt from signal handlers; a context manager, open at first.

    An open gate lets one interruption through and holds back those that follow at once, so that
    what it ends can end in peace. Handlers are called all the same, and those that raise nothing
    are none of its business. Signals reach Python's main thread only: elsewhere there is nothing to
    hold back.
    """

    def __init__(self) -> None:
        self._is_open = True
        self._let_through_s = -AGAIN_S
        self._before: dict[int, Callable[[int, FrameType | None], Any]] = {}
        self._waiting: KeyboardInterrupt | None = None

    @property
    def is_knocked(self) -> bool:
        """Whether an interruption is waiting."""
        return self._waiting is not None

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
            waiting, self._waiting = self._waiting, None
            if waiting is not None:
                raise waiting
            yield
        finally:
            self._is_open = False

    def _take(self, number: int, frame: FrameType | None) -> None:
        try:
            self._before[number](number, frame)
        except KeyboardInterrupt as error:
            now_s = time.monotonic()
            # One that came to nothing, since what it met swallows exceptions, can be repeated.
            if self._is_open and now_s - self._let_through_s >= AGAIN_S:
                self._let_through_s = now_s
                raise
            self._waiting = error
