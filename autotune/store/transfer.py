"""Export to JSON lines and import from them; docs/cache.md gives the format.

An import is somebody else's file: every line is checked field by field, the workload is parsed
anew and must have the key the line claims. What is wrong is named by line number and left out.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from autotune.errors import AutotuneError, StoreError
from autotune.ir import schedule as schedules
from autotune.ops.base import parse_workload
from autotune.store import schema
from autotune.store.lines import BadLine, Line, read_lines
from autotune.store.paths import spare_path
from autotune.store.record import IMPORTED, Record, check, utc_now
from autotune.trial import STRICT

FORMAT = "autotune-cache"
FORMAT_VERSION = 2

_FIELDS = frozenset(
    (
        *("target", "key", "workload", "schedule", "seconds", "samples", "baseline_seconds"),
        *("speedup", "speedup_interval", "gflops", "error_units", "trials", "seed", "llvm"),
        *("codegen", "version", "machine", "created"),
    )
)
_ADDED = frozenset(("cache_policy", "ties", "cliff", "cliff_interval"))
"""Fields that a file of an earlier version lacks."""
_WORKLOAD_FIELDS = frozenset(("op", "shape", "dtype", "layout", "tolerance"))
_COPIED = (
    *("seconds", "baseline_seconds", "speedup", "gflops", "error_units", "trials", "seed"),
    *("llvm", "codegen", "version", "machine", "created"),
)


@dataclass(frozen=True)
class ImportReport:
    """What an import did."""

    added: int
    known: int
    """Records that were there before, or twice in the file."""
    bad: tuple[BadLine, ...]
    missing: int
    """Records that the header promises and the file lacks: it was cut short."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "added": self.added,
            "known": self.known,
            "missing": self.missing,
            "bad": [line.to_dict() for line in self.bad],
        }

    def __str__(self) -> str:
        text = f"{self.added} records added, {self.known} already there"
        if self.bad:
            first = self.bad[0]
            text += f"; {len(self.bad)} bad lines skipped (line {first.number}: {first.message})"
        if self.missing:
            text += f"; the file is cut short: {self.missing} records are missing"
        return text


def write_export(path: str | os.PathLike[str], records: Iterable[Record]) -> int:
    """Write the records; how many. The file is replaced whole or not at all.

    Raises:
        StoreError: it cannot be written.
    """
    lines = [_dump(record.to_dict()) for record in records]
    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "schema": schema.VERSION,
        "records": len(lines),
        "created": utc_now(),
    }
    _replace(os.fspath(path), "".join([_dump(header), *lines]))
    return len(lines)


def write_aside(beside: str, record: Record) -> str:
    """Export a record that its cache does not take, beside a file or else among temporary ones.

    Raises:
        StoreError: neither place takes it.
    """
    name = f"{os.path.splitext(os.path.basename(beside))[0]}-{record.digest[:8]}.export.jsonl"
    try:
        file = os.path.join(os.path.dirname(os.path.abspath(beside)), name)
        write_export(file, [record])
    except StoreError:
        file = spare_path(name)
        write_export(file, [record])
    return file


def read_export(path: str | os.PathLike[str]) -> tuple[list[Record], list[BadLine], int]:
    """The good records of an exported file, its bad lines, and how many records are missing.

    Raises:
        StoreError: unreadable, or its first line is not the header of a version that is known.
    """
    records: list[Record] = []
    bad: list[BadLine] = []
    promised: int | None = None
    for line in read_lines(path):
        if promised is None:
            promised = _read_header(os.fspath(path), line)
        elif line.problem:
            bad.append(BadLine(line.number, line.problem))
        else:
            try:
                records.append(_read_record(line.fields))
            except (AutotuneError, ValueError, TypeError) as error:
                bad.append(BadLine(line.number, str(error)))
    if promised is None:
        raise StoreError(f"import {os.fspath(path)} is empty; a file that export wrote is needed")
    return records, bad, max(0, promised - len(records) - len(bad))


def _read_header(path: str, line: Line) -> int:
    """How many records the header promises."""
    fields = line.fields
    if line.problem or fields.get("format") != FORMAT:
        raise StoreError(
            f"import {path}: line {line.number} is not the header of an export "
            f"({line.problem or 'no format ' + FORMAT}); nothing was imported"
        )
    for name, known in (("format_version", FORMAT_VERSION), ("schema", schema.VERSION)):
        version = fields.get(name)
        if type(version) is not int or not 1 <= version <= known:
            raise StoreError(
                f"import {path} has {name} {repr(version)[:20]}; this program reads up to {known}; "
                f"nothing was imported"
            )
    count = fields.get("records")
    if type(count) is not int or count < 0:
        raise StoreError(f"import {path} has records={repr(count)[:20]}; nothing was imported")
    return count


def _read_record(fields: dict[str, Any]) -> Record:
    if fields.keys() - _ADDED != _FIELDS:
        odd = sorted((fields.keys() - _ADDED) ^ _FIELDS)
        raise StoreError(f"fields missing or unknown: {', '.join(map(str, odd))[:100]}")
    told = fields["workload"]
    if not isinstance(told, dict) or told.keys() != _WORKLOAD_FIELDS:
        raise StoreError(f"workload is {repr(told)[:60]}; {', '.join(sorted(_WORKLOAD_FIELDS))}")
    for name in ("op", "shape", "dtype", "layout"):
        if not isinstance(told[name], str):
            raise StoreError(f"workload.{name} is {repr(told[name])[:40]}; text is needed")
    if type(told["tolerance"]) not in (int, float) and told["tolerance"] != STRICT:
        raise StoreError(
            f"tolerance is {repr(told['tolerance'])[:40]}; a number or {STRICT} is needed"
        )
    workload = parse_workload(**told)
    if workload.key != fields["key"]:
        raise StoreError(f"key {repr(fields['key'])[:80]} is not its workload's: {workload.key}")
    interval, samples = fields["speedup_interval"], fields["samples"]
    if not isinstance(interval, list) or len(interval) != 2:
        raise StoreError(f"speedup_interval is {repr(interval)[:40]}; two numbers are needed")
    ties = fields.get("ties", [])
    for name, value in (("samples", samples), ("ties", ties)):
        if not isinstance(value, list):
            raise StoreError(f"{name} is {repr(value)[:40]}; a list is needed")
    record = Record(
        target_key=fields["target"],
        workload=workload,
        schedule=schedules.from_dict(fields["schedule"]),
        samples_s=tuple(samples),
        speedup_interval=(interval[0], interval[1]),
        cache_policy=fields.get("cache_policy", "warm"),
        ties=tuple(ties),
        origin=IMPORTED,
        verified=False,
        **{name: fields[name] for name in _COPIED},
    )
    check(record)
    return record


def _dump(fields: dict[str, Any]) -> str:
    return json.dumps(fields, allow_nan=False, ensure_ascii=False, separators=(",", ":")) + "\n"


def _replace(path: str, text: str) -> None:
    """Temporary file beside it, flushed to the disk, then renamed: readers see old or new."""
    folder = os.path.dirname(os.path.abspath(path))
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=".export-", dir=folder)
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        raise StoreError(f"export {path} cannot be written: {error.strerror}") from error
