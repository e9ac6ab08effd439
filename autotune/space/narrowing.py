"""Reads search-space files: TOML that pins, narrows, widens or forbids knobs.

    op = "conv2d"                  # optional: refused for another operator
    [only]                         # the only values a knob may take; may widen it
    vector = ["oc"]
    "tile.ow" = [7, 14]
    [never]                        # values a knob must not take
    store = ["scatter"]

`search_spaces/<op>.<family>.toml` is read for every run of that operator; `--space FILE` replaces
it. Which knobs exist depends on the workload: `autotune run --dry-run` lists them.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from autotune.errors import SpaceError
from autotune.space.base import Choice, Narrowing

MAX_FILE_BYTES = 1_000_000
FAMILY = "x86_64"


def load(path: str | None, op: str) -> Narrowing:
    """The narrowing of a file, or the shipped one of the operator where `path` is None.

    Raises:
        SpaceError: the file cannot be read, is not TOML, or says something else than allowed.
    """
    if path is None:
        text = _shipped(f"{op}.{FAMILY}.toml")
        return parse(text, f"search_spaces/{op}.{FAMILY}.toml", op) if text else Narrowing()
    try:
        with Path(path).open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
        if len(raw) > MAX_FILE_BYTES:
            raise SpaceError(f"space file {path} has more than {MAX_FILE_BYTES} bytes")
        text = raw.decode()
    except (OSError, ValueError) as error:
        raise SpaceError(f"space file {path} cannot be read: {error}") from error
    return parse(text, path, op)


def _shipped(name: str) -> str | None:
    """A file of the package, or of the checkout it runs from."""
    inside = resources.files("autotune") / "search_spaces" / name
    beside = Path(__file__).parents[2] / "search_spaces" / name
    for place in (inside, beside):
        if place.is_file():
            return place.read_text(encoding="utf-8")
    return None


def parse(text: str, source: str, op: str) -> Narrowing:
    """The narrowing that TOML text describes."""
    try:
        loaded = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # tomllib lets integers of thousands of digits and deep nesting through to Python.
        raise SpaceError(f"{source} is not TOML: {error}") from error
    unknown = set(loaded) - {"op", "only", "never"}
    if unknown:
        raise SpaceError(f"{source}: {sorted(unknown)[0]}: unknown key; allowed: op, only, never")
    if loaded.get("op", op) != op:
        raise SpaceError(f"{source}: op: {loaded['op']!r} is not this workload's; allowed: {op!r}")
    only, never = _knobs(loaded, "only", source), _knobs(loaded, "never", source)
    for knob, values in only.items():
        if not values:
            raise SpaceError(f"{source}: only.{knob}: an empty list leaves nothing of the space")
    meaning = json.dumps([sorted(only.items()), sorted(never.items())])
    digest = hashlib.sha256(meaning.encode()).hexdigest()[:16] if only or never else ""
    return Narrowing(source, digest, only, never)


def _knobs(loaded: dict[str, Any], section: str, source: str) -> dict[str, tuple[Choice, ...]]:
    table = loaded.get(section, {})
    if not isinstance(table, dict):
        raise SpaceError(f"{source}: {section}: {table!r} is no table of knobs")
    try:
        flat = _flat(table)
    except RecursionError as error:
        raise SpaceError(f"{source}: {section}: tables are nested too deep") from error
    knobs: dict[str, tuple[Choice, ...]] = {}
    for name, value in flat:
        values = value if isinstance(value, list) else [value]
        for i, entry in enumerate(values):
            if not isinstance(entry, int | str):
                raise SpaceError(
                    f"{source}: {section}.{name}[{i}]: {entry!r} is not allowed; allowed: an "
                    f"integer or a name"
                )
        knobs[name] = tuple(values)
    return knobs


def _flat(table: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Nested tables as dotted names, so that `tile.ow` needs no quotes."""
    flat: list[tuple[str, Any]] = []
    for name, value in table.items():
        if isinstance(value, dict):
            flat += _flat(value, f"{prefix}{name}.")
        else:
            flat.append((prefix + name, value))
    return flat
