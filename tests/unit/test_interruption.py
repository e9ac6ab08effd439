from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from autotune import interruption
from autotune.interruption import Gate, Interrupted, exit_code, listening


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


def test_interruption_that_came_to_nothing_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a library swallows it, the keys are not dead for the rest of the run."""
    now = [1.0e6]
    monkeypatch.setattr(interruption.time, "monotonic", lambda: now[0])
    with Gate() as gate:
        with contextlib.suppress(KeyboardInterrupt):
            press()
        now[0] += interruption.AGAIN_S / 2
        press()
        now[0] += interruption.AGAIN_S
        with pytest.raises(KeyboardInterrupt):
            press()
        gate.close()
        now[0] += 60.0
        press()


def test_waiting_interruption_comes_with_its_signal() -> None:
    with listening(), Gate() as gate:
        gate.close()
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(Interrupted) as caught, gate.opened():
            pass
    assert exit_code(caught.value) == 143


def test_gate_within_a_gate_lets_one_through_in_all() -> None:
    with Gate() as outer:
        with Gate() as inner:
            inner.close()
            with pytest.raises(KeyboardInterrupt), inner.opened():
                press()
            press()
            press()
        assert outer.is_knocked
        outer.close()
        press()


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_listening_has_every_signal_interrupt(number: int, code: int) -> None:
    before = signal.getsignal(number)
    with listening() as received, pytest.raises(Interrupted) as caught:
        signal.raise_signal(number)
    assert (received, exit_code(caught.value)) == ([number], code)
    assert signal.getsignal(number) is before


def test_listening_leaves_what_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with listening() as received:
            signal.raise_signal(signal.SIGHUP)
            assert received == []
    finally:
        signal.signal(signal.SIGHUP, before)


def test_interruption_of_unknown_origin_is_ctrl_c() -> None:
    assert exit_code(KeyboardInterrupt()) == 130


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
