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

OpFlag = Annotated[str, typer.Option("--op", help="Operator; `autotune list ops` names them.")]
ShapeFlag = Annotated[
    str, typer.Option("--shape", help="key=value pairs joined by commas, or 512x512x512.")
]
DtypeFlag = Annotated[str, typer.Option("--dtype", help="float32 or float64.")]
LayoutFlag = Annotated[
    str | None, typer.Option("--layout", help="Data layout; the operator's first by default.")
]
ToleranceFlag = Annotated[
    float,
    typer.Option("--tolerance", help="Largest error accepted, in eps * sqrt(length) * RMS."),
]
TargetFlag = Annotated[
    str, typer.Option("--target", help="host, a level (x86-64-v3), a target key or a file.")
]
ThreadsFlag = Annotated[
    int, typer.Option("--threads", min=1, max=4096, help="Threads the kernel runs on.")
]
CacheFlag = Annotated[
    str | None,
    typer.Option("--cache", help="Cache file or URL; $AUTOTUNE_CACHE or the user's by default."),
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
