"""Reads JSON lines from files that may be damaged or hostile: every bad line is named, none raises.

UTF-8 whatever the locale; blank lines and lines that start with `#` are skipped; size and nesting
are bounded.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import isinf
from typing import IO, Any, NoReturn, Protocol

from autotune.errors import StoreError

MAX_LINE_BYTES = 2**20
MAX_DEPTH = 32
MOST_BAD_KEPT = 100
"""Bad lines that are told apart; a file of nothing else must not fill the memory."""


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


class BadLines:
    """The lines of a file that were skipped: the first few, and how many of how many."""

    def __init__(self) -> None:
        self.first: list[BadLine] = []
        self.count = 0

    def add(self, number: int, message: str) -> None:
        """Count one; `message` says what is wrong with it."""
        self.count += 1
        if len(self.first) < MOST_BAD_KEPT:
            self.first.append(BadLine(number, message))


class Readable(Protocol):
    """What lines are read from."""

    def readline(self, limit: int, /) -> bytes:
        """The next line, at most so many bytes of it; nothing at the end."""


def read_lines(path: str | os.PathLike[str], first: int = 1) -> Iterator[Line]:
    """Every line of the file from number `first` that is not blank, in order.

    Raises:
        StoreError: the file is absent, unreadable, or not a regular file.
    """
    with open_regular(path) as file:
        yield from lines_of(file, first)


@contextmanager
def open_regular(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to be read; errors of reading it, too, are told in plain words.

    Raises:
        StoreError: it is absent, unreadable, or not a regular file.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise StoreError(
                f"{os.fspath(path)} is not a regular file; a JSON-lines file is needed"
            )
        with open(path, "rb") as file:
            yield file
    except OSError as error:
        raise StoreError(f"{os.fspath(path)} cannot be read: {error.strerror}") from error


def lines_of(file: Readable, first: int = 1) -> Iterator[Line]:
    """Every line from number `first` that is not blank, in order."""
    number = 0
    while raw := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        is_long = len(raw) > MAX_LINE_BYTES
        while is_long and not raw.endswith(b"\n") and (raw := file.readline(MAX_LINE_BYTES)):
            pass
        if number < first:
            continue
        if is_long:
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
        loaded: object = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        return Line(number, {}, f"no JSON: {str(error)[:100] or 'nested too deeply'}")
    if not isinstance(loaded, dict):
        return Line(number, {}, f"{type(loaded).__name__} instead of an object")
    # Nothing is nested deeper than it has brackets: most lines need no closer look.
    if raw.count(b"{") + raw.count(b"[") > MAX_DEPTH and _depth(loaded) > MAX_DEPTH:
        return Line(number, {}, f"nested more than {MAX_DEPTH} deep")
    return Line(number, loaded)


def _refuse(token: str) -> NoReturn:
    raise ValueError(f"{token} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise ValueError(f"{text[:20]} is too large")
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
"""One for all lines: making a decoder costs as much as reading a short line."""


def _depth(loaded: dict[str, Any]) -> int:
    """How many objects and lists enclose one another, counted up to just above MAX_DEPTH."""
    depth = 0
    level: list[dict[str, Any] | list[Any]] = [loaded]
    while level and depth <= MAX_DEPTH:
        depth += 1
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
    return depth
