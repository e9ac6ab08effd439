"""Reads JSON lines from files that may be damaged or hostile: every bad line is named, none raises.

UTF-8 whatever the locale; blank lines and lines that start with `#` are skipped; size and nesting
are bounded.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, NoReturn

from autotune.errors import StoreError

MAX_LINE_BYTES = 2**20
MAX_DEPTH = 32


@dataclass(frozen=True)
class Line:
    """One line: its JSON object, or what is wrong with it."""

    number: int
    fields: dict[str, Any]
    problem: str = ""


@dataclass(frozen=True)
class BadLine:
    """A line that was skipped, and why."""

    number: int
    message: str

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {"line": self.number, "message": self.message}


def read_lines(path: str | os.PathLike[str]) -> Iterator[Line]:
    """Every line of the file that is not blank, in order.

    Raises:
        StoreError: the file is absent, unreadable, or not a regular file.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise StoreError(
                f"{os.fspath(path)} is not a regular file; a JSON-lines file is needed"
            )
        with open(path, "rb") as file:
            yield from _lines(file)
    except OSError as error:
        raise StoreError(f"{os.fspath(path)} cannot be read: {error.strerror}") from error


def _lines(file: IO[bytes]) -> Iterator[Line]:
    number = 0
    while raw := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(raw) > MAX_LINE_BYTES:
            while not raw.endswith(b"\n") and (raw := file.readline(MAX_LINE_BYTES)):
                pass
            yield Line(number, {}, f"longer than {MAX_LINE_BYTES} bytes")
            continue
        line = _parse(number, raw)
        if line is not None:
            yield line


def _parse(number: int, raw: bytes) -> Line | None:
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        if not text or text.startswith("#"):
            return None
        loaded: object = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        return Line(number, {}, f"no JSON: {str(error)[:100] or 'nested too deeply'}")
    if not isinstance(loaded, dict):
        return Line(number, {}, f"{type(loaded).__name__} instead of an object")
    if _depth(loaded) > MAX_DEPTH:
        return Line(number, {}, f"nested more than {MAX_DEPTH} deep")
    return Line(number, loaded)


def _refuse(token: str) -> NoReturn:
    raise ValueError(f"{token} is not JSON")


def _depth(loaded: object) -> int:
    depth, level = 0, [loaded]
    while level and depth <= MAX_DEPTH:
        depth += 1
        deeper: list[object] = []
        for value in level:
            if isinstance(value, dict):
                deeper += value.values()
            elif isinstance(value, list):
                deeper += value
        level = deeper
    return depth
