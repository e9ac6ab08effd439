"""Live progress of a run on stderr: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import time
from contextlib import AbstractContextManager, nullcontext, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self

from autotune.cli import show

if TYPE_CHECKING:
    from collections.abc import Callable

    from autotune.progress import Progress

PLAIN_INTERVAL_S = 5.0
"""Seconds between two lines where stderr is no terminal."""


def watch(quiet: bool) -> AbstractContextManager[Callable[[Progress], None] | None]:
    """What `tune` reports its progress to while the context is open; None where nobody looks."""
    if quiet:
        return nullcontext(None)
    return _Bar() if _can_redraw() else _Lines()


def _can_redraw() -> bool:
    """Whether stderr is a terminal that moves its cursor; it may be closed altogether."""
    if sys.stderr is None or os.environ.get("TERM", "").lower() in ("dumb", "unknown"):
        return False
    return sys.stderr.isatty()


def _count(progress: Progress) -> str:
    wanted = "" if progress.wanted is None else f"/{progress.wanted}"
    return f"{progress.trials}{wanted} trials"


def describe(progress: Progress) -> str:
    """Best so far, speed of the search, failures by kind and the time left, on one line."""
    parts = ["re-timing the finalists"] if progress.phase == "finalists" else []
    parts.append(f"best {show.number(progress.best_gflops)} GFLOP/s")
    if progress.peak_fraction is not None:
        parts.append(f"{progress.peak_fraction:.0%} of peak")
    parts.append(f"{progress.trials_per_second:.1f} trials/s")
    failures = sorted(progress.failures.items())
    if failures:
        parts.append("failed " + ", ".join(f"{kind} {count}" for kind, count in failures))
    if progress.seconds_left is not None:
        parts.append(f"{show.wait(progress.seconds_left)} left")
    return ", ".join(parts)


class _Lines:
    """At most one plain line every few seconds."""

    def __init__(self) -> None:
        self._next_s = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        return None

    def __call__(self, progress: Progress) -> None:
        if progress.note:
            show.problem("note", progress.note)
        now_s = time.monotonic()
        if now_s < self._next_s:
            return
        self._next_s = now_s + PLAIN_INTERVAL_S
        show.note(f"{_count(progress)}, {describe(progress)}")


class _Bar:
    """A Rich progress bar that vanishes when the run ends."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as RichProgress

        # On a narrow terminal the bar gives way, not the figures.
        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("starting", total=None)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        with suppress(OSError):
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        # A terminal may close; the run goes on, or a signal ends it.
        with suppress(OSError):
            if progress.note:
                self._bar.console.print(f"note: {progress.note}", markup=False, highlight=False)
            self._bar.update(
                self._task,
                completed=progress.trials,
                total=progress.wanted,
                description=f"{_count(progress)}, {describe(progress)}",
            )
