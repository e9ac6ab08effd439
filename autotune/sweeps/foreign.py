"""What the formats of other programs share: JSON that may be hostile, knobs from configurations.

A configuration gives every parameter a value; those that occur, in order, are the table of a knob.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from autotune.sweeps.base import Sweep, SweepError, Value

MOST_BYTES = 2**30
MOST_NAME = 200
FAILED = {"illegal": "constraints", "compile_error": "compile", "compile_timeout": "compile",
          "timeout": "timeout", "wrong_result": "correctness"}  # fmt: skip
"""Our kinds of failure in the words that such formats have; any other happened at `runtime`."""
KINDS = {"constraints": "illegal", "compile": "compile_error", "timeout": "timeout",
         "correctness": "wrong_result", "runtime": "crash"}  # fmt: skip
"""And back, where nothing says more."""


@dataclass(frozen=True)
class Configuration:
    """One configuration of a foreign file."""

    values: Mapping[str, Value]
    seconds: float | None
    """None where it failed."""
    failure: str = ""


def load(path: str | os.PathLike[str], text: str | None = None) -> dict[str, Any]:
    """The JSON object in a file, or in the text that was made of it.

    Raises:
        SweepError: it cannot be read, or is none.
    """
    try:
        if text is None:
            text = content(path)
        loaded = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SweepError(f"{os.fspath(path)} is no JSON: {str(error)[:80]}") from error
    if not isinstance(loaded, dict):
        raise SweepError(f"{os.fspath(path)} holds a {type(loaded).__name__}, no JSON object")
    return loaded


def content(path: str | os.PathLike[str]) -> str:
    """The text of a file that is not too large.

    Raises:
        SweepError: it cannot be read.
    """
    name = os.fspath(path)
    try:
        if os.path.getsize(name) > MOST_BYTES:
            raise SweepError(f"{name} has more than {MOST_BYTES} bytes")
        return Path(name).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SweepError(f"{name} is no text in UTF-8") from error
    except OSError as error:
        raise SweepError(f"{name} cannot be read: {error.strerror}") from error


def dump(path: str | os.PathLike[str], text: str) -> None:
    """Write a file.

    Raises:
        SweepError: it cannot be written.
    """
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise SweepError(f"{os.fspath(path)} cannot be written: {error.strerror}") from error


def sweep_of(
    name: str,
    about: Mapping[str, Any],
    found: Sequence[Configuration],
    tables: Mapping[str, Sequence[Value]] | None = None,
) -> Sweep:
    """The sweep of all configurations; the first of several alike counts.

    Ratios are to the slowest that worked, for such files name no reference.

    Args:
        name: of the sweep.
        about: where it comes from.
        found: at least one that worked.
        tables: values by parameter in their order; None: those that occur, sorted.

    Raises:
        SweepError: configurations that do not belong together.
    """
    if not found:
        raise SweepError("it holds no configuration")
    names = list(tables or found[0].values)
    rows: dict[tuple[Value, ...], Configuration] = {}
    for each in found:
        if each.values.keys() != set(names):
            odd = sorted(each.values.keys() ^ set(names))
            raise SweepError(f"a configuration lacks or adds parameter {odd[0][:MOST_NAME]!r}")
        rows.setdefault(tuple(each.values[knob] for knob in names), each)
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    given = tables or {}
    knobs = {knob: _table(given.get(knob, ()), column) for knob, column in columns.items()}
    places = {knob: {_key(v): i for i, v in enumerate(table)} for knob, table in knobs.items()}
    points = [[places[knob][_key(v)] for v in column] for knob, column in columns.items()]
    seconds = np.array([np.nan if c.seconds is None else c.seconds for c in rows.values()])
    if np.isnan(seconds).all():
        raise SweepError("no configuration worked")
    slowest = float(np.nanmax(seconds))
    return Sweep(
        name=name,
        about=about,
        knobs=knobs,
        points=np.array(points, np.int64).T,
        first_ratios=seconds / slowest,
        failures=tuple(each.failure for each in rows.values()),
        reference_s=slowest,
        families=_families(knobs, np.array(points, np.int64)),
    )


def _key(value: Value) -> tuple[bool, Value]:
    """True is not 1 here."""
    return isinstance(value, bool), value


def _table(given: Sequence[Value], column: Sequence[Value]) -> tuple[Value, ...]:
    """The given values that occur, then those that are not among them, in order."""
    occurring = {_key(value) for value in column}
    kept = dict.fromkeys(key for key in map(_key, given) if key in occurring)
    rest = sorted(occurring - kept.keys(), key=lambda key: (isinstance(key[1], str), key))
    return tuple(value for _, value in (*kept, *rest))


def _families(knobs: Mapping[str, tuple[Value, ...]], columns: Any) -> Any:
    """Points that agree in every knob that holds names are of one family."""
    named = [i for i, table in enumerate(knobs.values()) if any(isinstance(v, str) for v in table)]
    if not named:
        return np.zeros(0, np.int64)
    _, family = np.unique(columns[named].T, axis=0, return_inverse=True)
    return np.asarray(family, np.int64)


def is_time(value: object) -> TypeGuard[float]:
    """Whether it is a positive number of something."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isfinite(value) and value > 0


def checked(where: str, values: object) -> dict[str, Value]:
    """Parameters with their values.

    Raises:
        SweepError: it is something else; `where` begins the message.
    """
    if not isinstance(values, dict) or not values:
        raise SweepError(f"{where}: {repr(values)[:40]}; allowed: an object of parameters")
    for name, value in values.items():
        if not isinstance(value, int | float | str) or value != value:
            raise SweepError(f"{where}: {name[:MOST_NAME]} is {repr(value)[:40]}; "
                             f"allowed: a number or a name")  # fmt: skip
    return values
