"""What an import did, or would do: counts, what the file is, and which answers change."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from autotune.store import schema
from autotune.store.header import FORMAT_VERSION
from autotune.store.lines import BadLine
from autotune.store.merge import imported, union
from autotune.store.read import find_parameters
from autotune.store.record import Record, is_stale
from autotune.store.transfer import ExportFile


@dataclass(frozen=True)
class Change:
    """What an import would do to one key."""

    target_key: str
    workload_key: str
    new: int
    """Records that would be added."""
    before_s: float | None
    """Seconds of the record that a lookup finds first; None where there is none."""
    after_s: float
    """The same after the import."""
    is_other: bool
    """Whether that would be another record."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "target": self.target_key,
            "key": self.workload_key,
            "new": self.new,
            "before": self.before_s,
            "after": self.after_s,
            "answer_changes": self.is_other,
        }


@dataclass(frozen=True)
class ImportReport:
    """What an import did; with `changes`, what it would do."""

    added: int
    known: int
    """Records that were there before, or twice in the file."""
    bad: tuple[BadLine, ...]
    """The first of the lines that were skipped."""
    bad_count: int
    missing: int
    """Records that the header promises and the file lacks: it was cut short."""
    is_intact: bool
    """The file is what its checksum says; what it still holds has been taken."""
    is_signed: bool
    format_version: int
    schema_version: int
    created: str
    """When the file was written."""
    targets: Mapping[str, int]
    """How many of its good records there are for each target's key."""
    stale: int
    """How many of them another code generator or LLVM made."""
    changes: tuple[Change, ...] | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the file lost nothing on its way."""
        return self.is_intact and not self.bad_count and not self.missing

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        told = {
            "added": self.added,
            "known": self.known,
            "missing": self.missing,
            "skipped": self.bad_count,
            "bad": [line.to_dict() for line in self.bad],
            "intact": self.is_intact,
            "signed": self.is_signed,
            "format_version": self.format_version,
            "schema": self.schema_version,
            "created": self.created,
            "targets": dict(self.targets),
            "stale": self.stale,
        }
        if self.changes is not None:
            told["changes"] = [change.to_dict() for change in self.changes]
        return told

    def __str__(self) -> str:
        would = "would be " if self.changes is not None else ""
        text = f"{self.added} records {would}added, {self.known} already there"
        if self.bad_count:
            first = self.bad[0]
            text += f"; {self.bad_count} bad lines skipped (line {first.number}: {first.message})"
        if self.missing:
            text += f"; the file is cut short: {self.missing} records are missing"
        elif not self.is_intact:
            text += "; the file is not what its checksum says, only its good lines count"
        if self.format_version < FORMAT_VERSION:
            text += f"; a file of format {self.format_version}, written {self.created}, without "
            text += "checksums"
        if self.stale:
            text += f"; {self.stale} are stale here"
        return text


def report(
    file: ExportFile, added: int, llvm: str, changes: tuple[Change, ...] | None = None
) -> ImportReport:
    """The report on a file of whose records so many were, or would be, added.

    Args:
        file: what was read.
        added: of its records.
        llvm: this installation's, '' where it is not known.
        changes: where nothing was written.
    """
    return ImportReport(
        added=added,
        known=len(file.records) - added,
        bad=file.bad,
        bad_count=file.bad_count,
        missing=file.missing,
        is_intact=file.is_intact,
        is_signed=bool(file.header.signature),
        format_version=file.header.format_version,
        schema_version=file.header.schema_version,
        created=file.header.created,
        targets=dict(sorted(Counter(record.target_key for record in file.records).items())),
        stale=sum(is_stale(record, llvm) for record in file.records),
        changes=changes,
    )


def changes(known: Iterable[Record], incoming: Iterable[Record], llvm: str) -> tuple[Change, ...]:
    """What adding records would do to each of their keys that it does anything to.

    Args:
        known: all records of these keys that there are.
        incoming: those of a file.
        llvm: this installation's, '' where it is not known.
    """
    ours = {record.digest: record for record in known}
    merged = union(ours, imported(incoming))
    new = Counter((r.target_key, r.key) for digest, r in merged.items() if digest not in ours)
    before, after = (_Ranking(records.values(), llvm) for records in (ours, merged))
    with closing(before), closing(after):
        found = [(key, count, before.best(*key), after.best(*key)) for key, count in new.items()]
    return tuple(
        Change(*key, count, first["seconds"] if first else None, last["seconds"], first != last)
        for key, count, first, last in sorted(found, key=lambda change: change[0])
        if last is not None
    )


class _Ranking:
    """Ranks records as a cache does, by having one in memory: ranking has one place, `schema`."""

    def __init__(self, records: Iterable[Record], llvm: str) -> None:
        self._llvm = llvm
        self._connection = sqlite3.connect(":memory:")
        self._connection.row_factory = sqlite3.Row
        for statement in schema.TABLES:
            self._connection.execute(statement)
        rows = (record.to_row() for record in records)
        self._connection.executemany(schema.WRITE_RECORD, rows)

    def best(self, target_key: str, workload_key: str) -> dict[str, Any] | None:
        """The row that a lookup finds first."""
        sought = find_parameters(target_key, workload_key, self._llvm)
        row = self._connection.execute(schema.FIND, sought).fetchone()
        return None if row is None else dict(row)

    def close(self) -> None:
        self._connection.close()
