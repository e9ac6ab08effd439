"""The command-line options that several commands share, each declared once.

The flag's name is the parameter's name everywhere below. `budget_seconds` reads durations.
"""

from __future__ import annotations

import re
from typing import Annotated

import typer

from autotune.errors import UsageError

_BUDGET = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(s|m|h)\Z")
_UNIT_S = {"s": 1.0, "m": 60.0, "h": 3600.0}

_OP = typer.Option("--op", help="Operator; `autotune list ops` names them.")
_SHAPE = typer.Option("--shape", help="key=value pairs joined by commas, or 512x512x512.")
_DTYPE = typer.Option("--dtype", help="float32 or float64; float32 by default.")
_TOLERANCE = typer.Option(
    "--tolerance",
    metavar="UNITS|strict",
    help="Largest error accepted, in eps * sqrt(length) * RMS, 16 by default; "
    "strict: no algorithm that rounds more than the sum.",
)
_TARGET = typer.Option(
    "--target", help="host (the default), a level (x86-64-v3), a target key or a file."
)
_THREADS = typer.Option(
    "--threads", min=1, max=4096, help="Threads the kernel runs on; 1 by default."
)
OpFlag = Annotated[str, _OP]
OpGiven = Annotated[str | None, _OP]
"""As `OpFlag`, where something else may name the workload; so the others below."""
ShapeFlag = Annotated[str, _SHAPE]
ShapeGiven = Annotated[str | None, _SHAPE]
DtypeFlag = Annotated[str, _DTYPE]
DtypeGiven = Annotated[str | None, _DTYPE]
LayoutFlag = Annotated[
    str | None, typer.Option("--layout", help="Data layout; the operator's first by default.")
]
ToleranceFlag = Annotated[str, _TOLERANCE]
ToleranceGiven = Annotated[str | None, _TOLERANCE]
TargetFlag = Annotated[str, _TARGET]
TargetGiven = Annotated[str | None, _TARGET]
ThreadsFlag = Annotated[int, _THREADS]
ThreadsGiven = Annotated[int | None, _THREADS]
CacheFlag = Annotated[
    str | None,
    typer.Option("--cache", help="Cache file or URL; $AUTOTUNE_CACHE or the user's by default."),
]
CachesFlag = Annotated[
    list[str] | None,
    typer.Option(
        "--cache",
        help="Cache file or URL, or FILE#sha256=HEX; several times for layers, the upper first; "
        "$AUTOTUNE_CACHE above $AUTOTUNE_CACHE_LAYERS by default.",
    ),
]
JsonFlag = Annotated[
    bool, typer.Option("--json", help="One JSON object on stdout and nothing else there.")
]


def budget_seconds(text: str) -> float:
    """Seconds in `30s`, `10m` or `1h`.

    Raises:
        UsageError: anything else, or no time at all.
    """
    match = _BUDGET.match(text.strip().lower())
    seconds = float(match[1]) * _UNIT_S[match[2]] if match else 0.0
    if seconds <= 0:
        raise UsageError(f"budget {text!r} is not allowed; allowed: a positive 30s, 10m or 1h")
    return seconds
