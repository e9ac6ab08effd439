"""How every command writes: JSON and results to stdout, everything else to stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import typer


def result_json(content: object) -> None:
    """One JSON object, the only thing a command with `--json` writes to stdout."""
    typer.echo(json.dumps(content, allow_nan=False))


def give_up_stdout() -> None:
    """Write nothing more there: what could not be written would be tried once more at the end."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115


def note(line: str) -> None:
    """One line for the person watching, on stderr; where nobody can read it, work goes on."""
    with suppress(OSError, ValueError):
        typer.echo(line, err=True)


def problem(kind: str, message: object) -> None:
    """`error: ...` or `warning: ...` on stderr, always a single line."""
    note(f"{kind}: {' '.join(str(message).split())}")


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Left-aligned columns on stdout; nothing is cut, so that keys can be copied."""
    lines = [tuple(headings), *map(tuple, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        typer.echo("  ".join(cells).rstrip())


def duration(seconds: float | None) -> str:
    """A kernel's time in the unit that reads best."""
    if seconds is None:
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def wait(seconds: float) -> str:
    """Time that somebody waits: whole seconds, minutes or hours."""
    if seconds < 120:
        return f"{max(seconds, 0.0):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:,.0f} h"


def number(value: Any, form: str = ".1f") -> str:
    """A number, or a dash where there is none."""
    return "-" if value is None else format(value, form)
