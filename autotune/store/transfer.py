"""Export to JSON lines and import from them; docs/cache.md gives the format.

An import is somebody else's file: every line is checked field by field, the workload is parsed
anew and must have the key the line claims, and the line's digest must be that of its fields. What
is wrong is named by line number and left out.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import IO, Any

from autotune.errors import AutotuneError, StoreError
from autotune.ir import schedule as schedules
from autotune.ops.base import parse_workload
from autotune.store import compression, signature
from autotune.store.header import HEAD_BYTES, Header, read_header
from autotune.store.lines import BadLine, BadLines, lines_of
from autotune.store.paths import spare_path
from autotune.store.record import IMPORTED, Record, check, utc_now
from autotune.trial import STRICT, Tolerance, Workload

MAX_CONTENT_BYTES = 2**34
"""A compressed file may claim to hold anything."""

_FIELDS = frozenset(
    (
        *("target", "key", "workload", "schedule", "seconds", "samples", "baseline_seconds"),
        *("speedup", "speedup_interval", "gflops", "error_units", "trials", "seed", "llvm"),
        *("codegen", "version", "machine", "created"),
    )
)
_ADDED = frozenset(("cache_policy", "ties", "cliff", "cliff_interval", "record"))
"""Fields that a file of an earlier version lacks."""
_WORKLOAD_FIELDS = frozenset(("op", "shape", "dtype", "layout", "tolerance"))
_COPIED = ("trials", "seed", "llvm", "codegen", "version", "machine", "created")
_REALS = ("seconds", "baseline_seconds", "speedup", "gflops", "error_units")


@dataclass(frozen=True)
class ExportFile:
    """What was read of an exported file."""

    header: Header
    records: list[Record]
    """The good ones, in the file's order."""
    bad: tuple[BadLine, ...]
    """The first of the lines that were skipped."""
    bad_count: int
    is_intact: bool
    """Its content is what the header's checksum says; true where it says none."""

    @property
    def missing(self) -> int:
        """Records that the header promises and the file lacks: it was cut short."""
        return max(0, self.header.records - len(self.records) - self.bad_count)

    @property
    def is_whole(self) -> bool:
        """Whether everything that was written is there, unchanged."""
        return self.is_intact and not self.bad_count and not self.missing


def write_export(
    path: str | os.PathLike[str], records: Iterable[Record], key_file: str | None = None
) -> int:
    """Write the records; how many. The file is replaced whole or not at all.

    Args:
        path: a name that ends in `.zst` is compressed.
        records: in any order, which the file keeps.
        key_file: of the private key that signs it; None is no signature.

    Raises:
        StoreError: it cannot be written.
        UsageError: no such key, or a package that is needed is not installed.
    """
    lines: list[bytes] = []
    targets: Counter[str] = Counter()
    for record in records:
        lines.append(_dump({"record": record.digest, **record.to_dict()}))
        targets[record.target_key] += 1
    body = b"".join(lines)
    sha256 = hashlib.sha256(body).hexdigest()
    header = Header(len(lines), utc_now(), dict(sorted(targets.items())), sha256)
    if key_file is not None:
        header = replace(header, signature=signature.sign(key_file, header.message))
    name = os.fspath(path)
    _replace(name, compression.compressed(name, _dump(header.to_dict()) + body))
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


def read_export(path: str | os.PathLike[str], key_file: str | None = None) -> ExportFile:
    """Everything that is good in an exported file, and what is not.

    Args:
        path: of the file.
        key_file: of the public key whose owner must have signed it, whole; None is anybody.

    Raises:
        StoreError: unreadable, its first line is not the header of a version that is known, or it
            is not signed as it must be.
        UsageError: no such key, or a package that is needed is not installed.
    """
    name = os.fspath(path)
    with compression.opened(path) as head:
        start = head.read(HEAD_BYTES)
    with compression.opened(path) as content:
        file = _Content(name, content)
        lines = lines_of(file)
        first = next(lines, None)
        if first is None:
            raise StoreError(f"import {name} is empty; a file that export wrote is needed")
        header = read_header(name, first, start)
        if key_file is not None:
            _check_signature(name, header, key_file)
        file.sha256 = hashlib.sha256()
        records: list[Record] = []
        bad = BadLines()
        for line in lines:
            try:
                if line.problem:
                    raise StoreError(line.problem)
                records.append(_read_record(line.fields))
            except (AutotuneError, ValueError, TypeError) as error:
                bad.add(line.number, str(error))
    is_intact = header.sha256 in ("", file.sha256.hexdigest())
    read = ExportFile(header, records, tuple(bad.first), bad.count, is_intact)
    if key_file is not None and not read.is_whole:
        raise StoreError(f"import {name} is not what was signed; nothing was imported")
    return read


class _Content:
    """A file's content, of which a checksum is kept, and which may not be endless."""

    def __init__(self, name: str, file: IO[bytes]) -> None:
        self.sha256 = hashlib.sha256()
        self._name, self._file, self._left = name, file, MAX_CONTENT_BYTES

    def readline(self, limit: int, /) -> bytes:
        raw = self._file.readline(limit)
        self.sha256.update(raw)
        self._left -= len(raw)
        if self._left < 0:
            raise StoreError(
                f"import {self._name} holds more than {MAX_CONTENT_BYTES} bytes; nothing was "
                f"imported"
            )
        return raw


def _check_signature(name: str, header: Header, key_file: str) -> None:
    if not header.signature:
        raise StoreError(f"import {name} is not signed; nothing was imported")
    if not signature.is_signed(key_file, header.message, header.signature):
        raise StoreError(
            f"import {name} is not signed by the owner of {key_file}; nothing was imported"
        )


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
    workload = _workload(**told)
    if workload.key != fields["key"]:
        raise StoreError(f"key {repr(fields['key'])[:80]} is not its workload's: {workload.key}")
    samples, ties = fields["samples"], fields.get("ties", [])
    for name, value in (("samples", samples), ("ties", ties)):
        if not isinstance(value, list):
            raise StoreError(f"{name} is {repr(value)[:40]}; a list is needed")
    cliff = fields.get("cliff_interval")
    record = Record(
        target_key=fields["target"],
        workload=workload,
        schedule=schedules.from_dict(fields["schedule"]),
        samples_s=tuple(map(_real, samples)),
        speedup_interval=_interval(fields, "speedup_interval"),
        cache_policy=fields.get("cache_policy", "warm"),
        cliff=_real(fields.get("cliff")),
        cliff_interval=None if cliff is None else _interval(fields, "cliff_interval"),
        ties=tuple(ties),
        origin=IMPORTED,
        verified=False,
        **{name: _real(fields[name]) for name in _REALS},
        **{name: fields[name] for name in _COPIED},
    )
    check(record)
    told_digest = fields.get("record", record.digest)
    if told_digest != record.digest:
        raise StoreError(f"the line was changed: its fields are not those of {told_digest!r:.40}")
    return record


@lru_cache(maxsize=4096)
def _workload(op: str, shape: str, dtype: str, layout: str, tolerance: Tolerance) -> Workload:
    """Parsed once for all records of it, which follow one another."""
    return parse_workload(op, shape, dtype, layout, tolerance)


def _interval(fields: dict[str, Any], name: str) -> tuple[Any, Any]:
    value = fields[name]
    if not isinstance(value, list) or len(value) != 2:
        raise StoreError(f"{name} is {repr(value)[:40]}; two numbers are needed")
    return _real(value[0]), _real(value[1])


def _real(value: Any) -> Any:
    """A whole number as the database keeps it, so that a record's digest stays; else the value."""
    return float(value) if type(value) is int and abs(value) < 2**53 else value


def _dump(fields: dict[str, Any]) -> bytes:
    text = json.dumps(fields, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return f"{text}\n".encode()


def _replace(path: str, content: bytes) -> None:
    """Temporary file beside it, flushed to the disk, then renamed: readers see old or new."""
    folder = os.path.dirname(os.path.abspath(path))
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=".export-", dir=folder)
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        raise StoreError(f"export {path} cannot be written: {error.strerror}") from error
