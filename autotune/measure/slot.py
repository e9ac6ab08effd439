"""A place for one worker: started when needed, watched by a deadline, replaced when it dies.

The pool and the re-timing of finalists both drive slots; whatever ends a job in a slot comes back
as a frame or as a `Failure`, never as an exception. Only a worker that cannot start raises.
"""

from __future__ import annotations

import selectors
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autotune.errors import MeasureError
from autotune.measure.wire import Frame, Header
from autotune.measure.worker import Worker
from autotune.trial import Failure

START_ATTEMPTS = 3
START_LIMIT_S = 300.0
"""Imports, inputs and the float64 reference of a large workload."""
TURN_LIMIT_S = 60.0
"""Longest that a runner may wait for another tuner's turn; the runner gives up sooner."""


@dataclass(frozen=True)
class Role:
    """What a slot's workers are."""

    module: str
    timeout_kind: str
    """Failure kind of a job that runs past its deadline."""
    inherited: tuple[int, ...] = ()


@dataclass(frozen=True)
class Lost(Failure):
    """The worker died before it began this job, of what it did before: the job is to be redone."""


class Slot:
    """One worker at a time, at most one job in it."""

    def __init__(
        self, role: Role, first: Callable[[], Frame], selector: selectors.BaseSelector
    ) -> None:
        self._role = role
        self._first = first
        self.selector = selector
        self._worker: Worker | None = None
        self._is_ready = False
        self._is_busy = False
        self._has_begun = False
        self._deadline = 0.0
        self._limit_s = 0.0
        self._left_s = 0.0
        self._failed_starts = 0
        self._last_words = ""
        self.done_count = 0
        """Jobs answered by the present worker."""
        self.note: Any = None
        """What the worker last announced to be doing within the present job."""

    @property
    def is_idle(self) -> bool:
        """Whether a job can be sent now."""
        return self._is_ready and not self._is_busy and not self._is_gone

    @property
    def _is_gone(self) -> bool:
        return self._worker is None or self._worker.is_gone

    @property
    def has_worker(self) -> bool:
        return self._worker is not None

    @property
    def deadline(self) -> float | None:
        """When to look at this slot at the latest, on `time.monotonic`."""
        return None if self._worker is None or self.is_idle else self._deadline

    def start(self) -> None:
        """Have a worker, if there is none.

        Raises:
            MeasureError: workers have died or hung before their first job too many times in a row.
        """
        if self._worker is not None:
            return
        if self._failed_starts >= START_ATTEMPTS:
            said = self._last_words or "nothing on stderr"
            raise MeasureError(
                f"worker {self._role.module} failed to start {START_ATTEMPTS} times: {said}"
            )
        worker = Worker(self._role.module, self._first(), self._role.inherited)
        self._worker = worker
        self._deadline = time.monotonic() + START_LIMIT_S
        self.done_count = 0
        stdin, stdout, stderr = worker.pipes
        self.selector.register(stdout, selectors.EVENT_READ, self)
        self.selector.register(stderr, selectors.EVENT_READ, self)
        if worker.has_unsent:
            self.selector.register(stdin, selectors.EVENT_WRITE, self)

    def send(self, header: Header, blob: bytes, limit_s: float) -> None:
        """Give the idle worker a job that it must answer within `limit_s` seconds."""
        assert self._worker is not None
        assert self.is_idle
        self._is_busy = True
        self.note = None
        self._limit_s = limit_s
        self._deadline = time.monotonic() + limit_s
        self._has_begun = False
        self._worker.send({**header, "limit_s": limit_s}, blob)
        self._watch_writes()

    def poll(self) -> Frame | Failure | None:
        """Move bytes, obey the deadline; how the job in this slot ended, if it has."""
        if self._worker is None:
            return None
        answer: Frame | None = None
        for frame in self._worker.exchange():
            if "event" in frame.header:
                self._take_event(frame.header)
            elif self._is_busy:
                answer = frame
        if answer is not None:
            return self._answered(answer)
        if self._worker.is_gone:
            return self._died()
        if not self.is_idle and time.monotonic() > self._deadline:
            return self._overdue()
        self._watch_writes()
        return None

    def stop(self) -> None:
        """End the worker, if there is one."""
        if self._worker is not None:
            self._bury(self._worker)

    def _take_event(self, header: Header) -> None:
        match header["event"]:
            case "ready":
                self._is_ready = True
            case "begun":
                self._has_begun = True
                self._failed_starts = 0
            case "waiting":
                self._left_s = max(self._deadline - time.monotonic(), 0.0)
                self._deadline += TURN_LIMIT_S
            case "resumed":
                self._deadline = time.monotonic() + self._left_s
            case "note":
                self.note = header["note"]

    def _answered(self, frame: Frame) -> Frame:
        self._is_busy = False
        self.done_count += 1
        if frame.header.get("is_unsafe"):
            self.stop()
        return frame

    def _died(self) -> Failure | None:
        assert self._worker is not None
        was_busy, was_idle = self._is_busy, self._is_ready and not self._is_busy
        status = self._bury(self._worker)
        found = _post_mortem(status, self._last_words)
        if was_busy and self._has_begun:
            return found
        # One that was ready and had nothing to do has started well.
        self._failed_starts += not was_idle
        return Lost(found.kind, found.message) if was_busy else None

    def _overdue(self) -> Failure | None:
        assert self._worker is not None
        was_busy = self._is_busy
        self._bury(self._worker)
        if not was_busy:
            self._failed_starts += 1
            self._last_words = f"not ready within {START_LIMIT_S:g} s"
            return None
        return Failure(self._role.timeout_kind, f"no answer within {self._limit_s:g} s; killed")

    def _bury(self, worker: Worker) -> int | None:
        for pipe in worker.pipes:
            if pipe.fileno() in self.selector.get_map():
                self.selector.unregister(pipe)
        status = worker.kill()
        self._last_words = worker.last_words
        self._worker = None
        self._is_ready = self._is_busy = False
        return status

    def _watch_writes(self) -> None:
        if self._worker is None:
            return
        stdin = self._worker.pipes[0]
        is_watched = stdin.fileno() in self.selector.get_map()
        if self._worker.has_unsent and not is_watched:
            self.selector.register(stdin, selectors.EVENT_WRITE, self)
        elif is_watched and not self._worker.has_unsent:
            self.selector.unregister(stdin)


def _post_mortem(status: int | None, last_words: str) -> Failure:
    said = f": {last_words}" if last_words else ""
    if status is None:
        return Failure("crash", f"worker closed its pipe or wrote something else into it{said}")
    if status == -signal.SIGKILL:
        return Failure("out_of_memory", f"worker killed by the system with SIGKILL{said}")
    if status < 0:
        return Failure("crash", f"worker ended by {_signal_name(-status)}{said}")
    return Failure("crash", f"worker ended with exit status {status}{said}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def outcome_of(end: Frame | Failure) -> Frame | Failure:
    """A failure that the worker reported as one; anything else as it is."""
    if isinstance(end, Frame) and "failure" in end.header:
        return Failure(**end.header["failure"])
    return end


def call(slot: Slot, header: Header, blob: bytes, limit_s: float) -> Frame | Failure:
    """Do one job in a slot whose selector nobody else uses, and wait for its end.

    May return `Lost`; doing it again ends, since workers that keep dying raise at last.

    Raises:
        MeasureError: workers cannot be started.
    """
    while not slot.is_idle:
        slot.start()
        _wait(slot)
        slot.poll()
    slot.send(header, blob, limit_s)
    while (end := slot.poll()) is None:
        _wait(slot)
    return outcome_of(end)


def _wait(slot: Slot) -> None:
    deadline = slot.deadline
    slot.selector.select(
        None if deadline is None else max(deadline - time.monotonic(), 0.0) + 0.001
    )
