"""Sweeps as files: gzip of JSON lines. A header, a line a column, an end line with a digest of all.

A column is coded: `values` lists what occurs in it, `rows` says by point which of them; without
`rows` there is one value a point, or the same for all. What is read is checked before it is used.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from autotune.errors import StoreError
from autotune.store.lines import Line, Readable, lines_of
from autotune.sweeps.base import Sweep, SweepError, Value

VERSION = 1
SUFFIX = ".sweep.gz"
MOST_POINTS, MOST_COLUMNS = 40_000, 2048
"""So many points still make lines of less than `store.lines.MAX_LINE_BYTES`."""
DIGITS = 6
"""Significant digits of times: more than any clock has."""
END = b'{"kind":"end"'
"""What no other line begins with, for the digest is of all lines before."""


def write(sweep: Sweep, path: str | os.PathLike[str]) -> None:
    """Write the file, whole or not at all; the same sweep always gives the same bytes.

    Raises:
        SweepError: it cannot be written, or has too many points.
    """
    if len(sweep) > MOST_POINTS:
        raise SweepError(f"sweep {sweep.name} has {len(sweep)} points; allowed: {MOST_POINTS}")
    lines = [_line(fields) for fields in _lines(sweep)]
    digest = hashlib.sha256(b"".join(lines)).hexdigest()
    content = b"".join([*lines, _line({"kind": "end", "sha256": digest})])
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=target.parent, prefix=".sweep-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(gzip.compress(content, 9, mtime=0))
            Path(part).chmod(0o644)
            Path(part).replace(target)
        finally:
            with contextlib.suppress(FileNotFoundError):
                Path(part).unlink()
    except OSError as error:
        raise SweepError(f"sweep {target} cannot be written: {error.strerror}") from error


def _line(fields: Mapping[str, Any]) -> bytes:
    return json.dumps(fields, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def _lines(sweep: Sweep) -> Iterator[dict[str, Any]]:
    yield {
        "kind": "sweep",
        "sweep_version": VERSION,
        "name": sweep.name,
        "points": len(sweep),
        "reference_s": sweep.reference_s,
        "best_ratio": _rounded(sweep.best_ratio),
        "features_version": sweep.features_version,
        "plain": list(sweep.plain),
        "about": dict(sweep.about),
    }
    for column, (name, values) in enumerate(sweep.knobs.items()):
        rows = sweep.points[:, column].tolist()
        yield {"kind": "knob", "name": name, "values": list(values), "rows": rows}
    ratios = [None if np.isnan(ratio) else _rounded(ratio) for ratio in sweep.first_ratios]
    yield {"kind": "ratio", "values": ratios}
    yield {"kind": "failure", **_coded(sweep.failures)}
    again = sorted(sweep.again)
    readings = [[_rounded(ratio) for ratio in sweep.again[row]] for row in again]
    yield {"kind": "again", "rows": again, "values": readings}
    if len(sweep.families):
        yield {"kind": "family", **_coded(sweep.families.tolist())}
    if len(sweep.bounds):
        yield {"kind": "bound", **_coded([_rounded(bound) for bound in sweep.bounds])}
    for name, numbers in sweep.features.items():
        # Nine digits tell any two float32 apart.
        yield {"kind": "feature", "name": name, **_coded([float(f"{v:.9g}") for v in numbers])}


def _coded(column: Sequence[Any]) -> dict[str, Any]:
    values = sorted(set(column))
    if len(values) == 1:
        return {"values": values}
    places = {value: place for place, value in enumerate(values)}
    return {"values": values, "rows": [places[value] for value in column]}


def _rounded(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")


def read(path: str | os.PathLike[str]) -> Sweep:
    """The sweep in a file that `write` wrote.

    Raises:
        SweepError: there is none, it is cut, damaged, or of another version; one line says which.
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            if file.read(2) != b"\x1f\x8b":
                raise SweepError("it is not compressed with gzip")
            file.seek(0)
            return _Reader().read(gzip.GzipFile(fileobj=file))
    except (SweepError, StoreError) as error:
        raise SweepError(f"sweep {name}: {error}") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SweepError(f"sweep {name}: it is cut or damaged: {error}") from error
    except OSError as error:
        raise SweepError(f"sweep {name} cannot be read: {error.strerror}") from error


class _Digest:
    """Passes lines on and takes the digest of all but the last."""

    def __init__(self, file: Readable) -> None:
        self._file, self._hash = file, hashlib.sha256()

    def readline(self, limit: int, /) -> bytes:
        line = self._file.readline(limit)
        if not line.startswith(END):
            self._hash.update(line)
        return line

    @property
    def hex(self) -> str:
        return self._hash.hexdigest()


class _Reader:
    """Takes a file line by line; every complaint names the line's kind."""

    def __init__(self) -> None:
        self._count = 0
        self._knobs: dict[str, tuple[Value, ...]] = {}
        self._points: list[NDArray[np.int64]] = []
        self._features: dict[str, NDArray[np.float32]] = {}
        self._columns: dict[str, list[Any]] = {}
        self._again: dict[int, tuple[float, ...]] = {}

    def read(self, file: Readable) -> Sweep:
        digest = _Digest(file)
        lines = lines_of(digest)
        head = self._head(next(lines, Line(1, {}, "empty")))
        for line in lines:
            if line.problem:
                raise SweepError(f"line {line.number}: {line.problem}")
            if line.fields.get("kind") == "end":
                if line.fields.get("sha256") != digest.hex:
                    raise SweepError("it is damaged: its digest does not match")
                return self._made(head, next(lines, None))
            self._take(line.fields)
        raise SweepError("it is cut: it has no end line")

    def _head(self, line: Line) -> Mapping[str, Any]:
        head, version = line.fields, line.fields.get("sweep_version")
        if line.problem or head.get("kind") != "sweep":
            raise SweepError("its first line is not that of a recorded sweep")
        if version != VERSION:
            raise SweepError(f"version {_shown(version)} is not known; allowed: {VERSION}")
        wanted = {"name": str, "about": dict, "plain": list, "features_version": int, "points": int}
        for key, kind in wanted.items():
            if type(head.get(key)) is not kind:
                raise SweepError(
                    f"header: {key} is {_shown(head.get(key))}; allowed: {kind.__name__}"
                )
        if type(head.get("reference_s")) not in (int, float):
            raise SweepError(f"header: reference_s is {_shown(head.get('reference_s'))}")
        self._count = head["points"]
        if not 1 <= self._count <= MOST_POINTS:
            raise SweepError(f"header: points is {self._count}; allowed: 1 to {MOST_POINTS}")
        return head

    def _take(self, fields: Mapping[str, Any]) -> None:
        kind = fields.get("kind")
        name = fields.get("name") if kind in ("knob", "feature") else ""
        if not isinstance(kind, str) or not isinstance(name, str):
            raise SweepError(f"a line of kind {_shown(kind)} has no name")
        where = f"{kind} {name}".strip()
        values = fields.get("values")
        if not isinstance(values, list):
            raise SweepError(f"{where}: values is {_shown(values)}; allowed: a list")
        if len(self._knobs) + len(self._features) > MOST_COLUMNS:
            raise SweepError(f"more than {MOST_COLUMNS} knobs and features")
        if kind == "knob":
            if name in self._knobs or not all(_is_value(value) for value in values):
                raise SweepError(f"{where}: twice, or a value is no number and no name")
            self._knobs[name] = tuple(values)
            self._points.append(self._places(where, fields.get("rows"), len(values)))
        elif kind == "again":
            self._take_again(values, fields.get("rows"))
        elif kind == "feature":
            self._features[name] = _numbers(where, self._column(where, values, fields), np.float32)
        elif kind in ("ratio", "failure", "family", "bound"):
            self._columns[kind] = self._column(where, values, fields)
        else:
            raise SweepError(f"a line of kind {_shown(kind)} is not known")

    def _take_again(self, values: list[Any], rows: object) -> None:
        places = self._places("again", rows, self._count, len(values))
        for row, readings in zip(places.tolist(), values, strict=True):
            if not isinstance(readings, list):
                raise SweepError(f"again: {_shown(readings)} is no list of ratios")
            self._again[row] = tuple(_numbers("again", readings, np.float64).tolist())

    def _column(self, where: str, values: list[Any], fields: Mapping[str, Any]) -> list[Any]:
        """One entry a point."""
        rows = fields.get("rows")
        if rows is None:
            whole = values * self._count if len(values) == 1 else values
            if len(whole) != self._count:
                raise SweepError(
                    f"{where}: {len(values)} values; allowed: {self._count}, as points"
                )
            return whole
        return [values[place] for place in self._places(where, rows, len(values)).tolist()]

    def _places(
        self, where: str, rows: object, below: int, count: int | None = None
    ) -> NDArray[np.int64]:
        """Numbers from 0 to below the given one, one a point or as many as said."""
        wanted = self._count if count is None else count
        if not isinstance(rows, list) or len(rows) != wanted:
            raise SweepError(f"{where}: rows is no list of {wanted}")
        if not all(type(row) is int and 0 <= row < below for row in rows):
            raise SweepError(f"{where}: rows holds a number that is not from 0 to {below - 1}")
        return np.array(rows, np.int64)

    def _made(self, head: Mapping[str, Any], after: Line | None) -> Sweep:
        if after is not None:
            raise SweepError(f"line {after.number} comes after its end")
        missing = [kind for kind in ("ratio", "failure") if kind not in self._columns]
        if missing or not self._points:
            raise SweepError(f"it has no line of kind {[*missing, 'knob'][0]}")
        failures = self._columns["failure"]
        if not all(isinstance(kind, str) for kind in failures):
            raise SweepError("failure: a kind is no name")
        ratios = [np.nan if ratio is None else ratio for ratio in self._columns["ratio"]]
        optional = {
            "families": _numbers("family", self._columns.get("family", ()), np.int64),
            "bounds": _numbers("bound", self._columns.get("bound", ()), np.float64),
        }
        if not all(type(row) is int for row in head["plain"]):
            raise SweepError("header: plain holds what is no row")
        return Sweep(
            name=head["name"],
            about=head["about"],
            knobs=self._knobs,
            points=np.stack(self._points, axis=1),
            first_ratios=_numbers("ratio", ratios, np.float64),
            failures=tuple(failures),
            reference_s=float(head["reference_s"]),
            again=self._again,
            plain=tuple(head["plain"]),
            features=self._features,
            features_version=head["features_version"],
            **optional,
        )


def _is_value(value: object) -> TypeGuard[Value]:
    return isinstance(value, int | float | str)


def _numbers(where: str, values: Iterable[Any], dtype: Any) -> NDArray[Any]:
    listed = list(values)
    allowed = (int,) if dtype is np.int64 else (int, float)
    for value in listed:
        if type(value) not in allowed or abs(value) > 2**62:
            raise SweepError(f"{where}: {_shown(value)} is no number")
    return np.array(listed, dtype)


def _shown(value: object) -> str:
    return repr(value)[:40]
