"""Live progress of a run on stderr: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager, nullcontext
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
    return _Bar() if sys.stderr.isatty() else _Lines()


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
        parts.append(f"{max(progress.seconds_left, 0.0):.0f} s left")
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
        wanted = "" if progress.wanted is None else f"/{progress.wanted}"
        show.note(f"{progress.trials}{wanted} trials, {describe(progress)}")


class _Bar:
    """A Rich progress bar that vanishes when the run ends."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.description}"),
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
        self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        if progress.note:
            self._bar.console.print(f"note: {progress.note}", markup=False, highlight=False)
        self._bar.update(
            self._task,
            completed=progress.trials,
            total=progress.wanted,
            description=describe(progress),
        )
