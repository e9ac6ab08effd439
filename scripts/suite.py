"""The shapes that the benchmarks know by name, and the suites they come in.

A data file of `tests/data/shapes` whose shapes have names is a suite. Pure data, nothing is run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from autotune.errors import UsageError
from autotune.ops.base import parse_workload
from autotune.trial import Workload

SHAPES = Path(__file__).resolve().parent.parent / "tests" / "data" / "shapes"
SUITES = ("resnet18", "mobilenet-depthwise", "pointwise", "gemm")
"""In the order in which tables and pictures show them."""
ALL = "all"
NOT_SIZES = ("name", "suite", "op", "dtype", "layout")


def named_shapes() -> dict[str, dict[str, Any]]:
    """Every shape of every suite by its name, in order; an entry says which suite it is of."""
    return {
        entry["name"]: {"suite": suite, **entry}
        for suite in SUITES
        for entry in json.loads((SHAPES / f"{suite}.json").read_text(encoding="utf-8"))
    }


def chosen(text: str) -> list[str]:
    """The shapes that names of shapes and suites, joined by commas, come to; each once.

    Raises:
        UsageError: a name is neither.
    """
    known = named_shapes()
    found: list[str] = []
    unknown = []
    for name in (part.strip() for part in text.split(",")):
        members = [n for n, entry in known.items() if name in (ALL, entry["suite"], n)]
        found += members
        unknown += [] if members else [name]
    if unknown:
        raise UsageError(
            f"unknown shapes {', '.join(unknown)}; known: {ALL}, {', '.join((*SUITES, *known))}"
        )
    return list(dict.fromkeys(found))


def workload_of(entry: dict[str, Any], is_packed: bool) -> Workload:
    """The workload of a data file's entry, with or without constant weights."""
    parts = {key: entry[key] for key in entry if key not in NOT_SIZES}
    text = ",".join(
        f"{key}={'x'.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in parts.items()
    )
    shape = f"{text},prepack={int(is_packed)}"
    return parse_workload(entry["op"], shape, entry["dtype"], entry.get("layout"))
