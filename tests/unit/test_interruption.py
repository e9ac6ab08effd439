from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from autotune.interruption import Gate


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    """Python's own handler for Ctrl-C, whatever the test runner has."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def test_open_gate_lets_one_through_and_closes_behind_it() -> None:
    with Gate() as gate:
        with pytest.raises(KeyboardInterrupt):
            press()
        press()
        press()
        assert gate.is_knocked
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_closed_gate_keeps_the_interruption_for_the_next_opening() -> None:
    with Gate() as gate:
        gate.close()
        press()
        reached = False
        with pytest.raises(KeyboardInterrupt), gate.opened():
            reached = True
        assert not reached
        assert not gate.is_knocked
        with gate.opened():
            pass
        press()
        assert gate.is_knocked


def test_opened_gate_interrupts_what_is_inside_once() -> None:
    with Gate() as gate:
        gate.close()
        with pytest.raises(KeyboardInterrupt), gate.opened():
            press()
        press()


def test_handler_that_raises_nothing_is_called_and_leaves_the_gate_as_it_was() -> None:
    heard: list[Any] = []
    signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    with Gate() as gate:
        press()
        gate.close()
        press()
        assert (len(heard), gate.is_knocked) == (2, False)


def test_ignored_signals_stay_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with Gate() as gate:
        press()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert not gate.is_knocked


def test_gate_in_another_thread_touches_no_handler() -> None:
    seen: list[Any] = []

    def enter() -> None:
        with Gate():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
