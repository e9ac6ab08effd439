"""The log of a run: JSON lines, one per trial, flushed when measured and never edited.

A header line, a line a trial, an end line; where a run was gone on with, a resume line and more
trials follow. docs/cache.md lists the fields. A run may have been killed at any byte, so the reader
takes what is whole and names the rest by line number.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autotune.errors import AutotuneError, StoreError, UsageError
from autotune.store import paths
from autotune.store.entry import Entry, corrected, entry_from
from autotune.store.lines import BadLine, BadLines, Line, read_lines
from autotune.trial import Trial

LOG_VERSION = 1
MIN_PREFIX = 6
"""Digits of a digest that name a trial."""


class LogWriter:
    """Appends a run to a log file. One thread at a time; use as a context manager."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._count = 0
        try:
            Path(self.path).parent.mkdir(parents=True, exist_ok=True)
            # Unbuffered: a line is one write, whole or (when killed or out of space) cut.
            self._file = open(self.path, "ab", buffering=0)  # noqa: SIM115
            self._ends_in_mid_line = _ends_in_mid_line(self.path)
        except OSError as error:
            raise StoreError(f"log {self.path} cannot be written: {error.strerror}") from error
        if not _claim(self._file.fileno()):
            self._file.close()
            raise StoreError(f"log {self.path} is being written by another run")

    def header(self, **fields: object) -> None:
        """The first line: versions, machine, seed, workload, options."""
        self._write({"kind": "header", "log_version": LOG_VERSION, **fields})

    def resume(self, count: int, **fields: object) -> None:
        """The run goes on behind its first `count` trials; the fields are those of a header."""
        self._count = count
        self._write({"kind": "resume", "log_version": LOG_VERSION, **fields})

    def trial(self, trial: Trial, **fields: object) -> None:
        """One measured schedule; further fields say what the tuner knew of it."""
        self._write(
            {
                "kind": "trial",
                "index": self._count,
                **_outcome(trial),
                "schedule": trial.schedule.to_dict(),
                **fields,
            }
        )
        self._count += 1

    def reading(self, trial: Trial) -> None:
        """A trial of this log after one more reading: what counts from now on."""
        self._write({"kind": "reading", "readings": trial.readings, **_outcome(trial)})

    def end(self, **fields: object) -> None:
        """The last line: how the run ended and what it chose."""
        self._write({"kind": "end", "trials": self._count, **fields})

    def close(self) -> None:
        """Close the file; what was written stays."""
        self._file.close()

    def __enter__(self) -> LogWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, fields: dict[str, Any]) -> None:
        try:
            text = json.dumps(fields, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
            before = b"\n" if self._ends_in_mid_line else b""
            whole = before + text.encode("utf-8", "backslashreplace") + b"\n"
            # Until the write is known to be whole, the next line starts on a new one.
            self._ends_in_mid_line = True
            if self._file.write(whole) != len(whole):
                raise StoreError(f"log {self.path} cannot be written: no space left")
            self._ends_in_mid_line = False
        except (OSError, ValueError, TypeError) as error:
            raise StoreError(f"log {self.path} cannot be written: {error}") from error


def _outcome(trial: Trial) -> dict[str, object]:
    """What became of a trial, field by field."""
    timing, failure = trial.timing, trial.failure
    disturbed = timing.disturbed if timing else ()
    return {
        "digest": trial.schedule.digest,
        "status": trial.status,
        "seconds": timing.seconds if timing else None,
        "ratio": timing.ratio if timing else None,
        "samples": list(timing.samples_s) if timing else [],
        "reference_samples": list(timing.reference_s) if timing else [],
        "disturbed_samples": [sample for sample, _ in disturbed],
        "disturbed_reference_samples": [reference for _, reference in disturbed],
        "steady": timing.is_steady if timing else None,
        "error_units": timing.error_units if timing else None,
        "message": failure.message if failure else None,
        "build_s": trial.build_s,
        "run_s": trial.run_s,
    }


@dataclass(frozen=True)
class Log:
    """The last run in a log file."""

    path: str
    heads: tuple[Mapping[str, Any], ...]
    """The header, then a resume line for each time the run was gone on with."""
    entries: tuple[Entry, ...]
    end: Mapping[str, Any]
    """Empty where the run was killed."""
    bad: tuple[BadLine, ...]
    """The first of the whole file's lines that were skipped."""
    bad_count: int
    line_count: int
    """Lines of the whole file that are neither blank nor a comment."""
    earlier_runs: int = 0

    @property
    def header(self) -> Mapping[str, Any]:
        """What the run says of itself; empty where that line is lost."""
        return self.heads[0] if self.heads else {}

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial in the order of the log."""
        return tuple(entry.trial for entry in self.entries)

    @property
    def next_index(self) -> int:
        """The index of the next trial of this run."""
        return max((entry.index for entry in self.entries), default=-1) + 1

    @property
    def summary(self) -> str:
        """One line on what was skipped; empty where nothing was."""
        if not self.bad:
            return ""
        first = self.bad[0]
        return (
            f"log {self.path}: skipped {self.bad_count:,} of {self.line_count:,} "
            f"(first at line {first.number}): {first.message}"
        )

    def fields_of(self, entry: Entry) -> dict[str, Any]:
        """The line of one trial, read again.

        Raises:
            StoreError: the file has changed since.
        """
        line = next(read_lines(self.path, first=entry.line), None)
        if line is None or line.fields.get("digest") != entry.digest:
            raise StoreError(f"log {self.path} changed while it was read")
        return line.fields

    def find(self, name: str) -> Entry:
        """The last trial of this index, or whose digest begins so.

        Raises:
            UsageError: none, or several.
        """
        text = name.strip().lower()
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else -1
        is_prefix = len(text) >= MIN_PREFIX
        found = {
            entry.digest: entry
            for entry in self.entries
            if entry.index == number or (is_prefix and entry.digest.startswith(text))
        }
        if len(found) == 1:
            return next(iter(found.values()))
        many = f"{len(found)} trials" if found else "no trial"
        raise UsageError(
            f"{name[:40]!r} names {many} of log {self.path}; allowed: an index from 0 to "
            f"{self.next_index - 1}, or at least {MIN_PREFIX} digits of one digest"
        )


def newest() -> str:
    """The log in the user's log folder that was written to last.

    Raises:
        UsageError: there is none.
    """
    folder = paths.log_folder()
    found = sorted(Path(folder).glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    if not found:
        raise UsageError(f"there is no log in {folder}; name one with --log")
    return str(found[-1])


def read(path: str | os.PathLike[str]) -> Log:
    """The last run in the file, without the lines that make no sense.

    Raises:
        StoreError: the file cannot be read, or a newer program wrote it.
    """
    run = _Run(os.fspath(path))
    for line in read_lines(path):
        run.take(line)
    return run.log()


class _Run:
    """What the lines so far say of the last run among them."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._heads: list[Mapping[str, Any]] = []
        self._head: Mapping[str, Any] = {}
        self._entries: list[Entry] = []
        self._row_of: dict[str, int] = {}
        """By digest, its last entry."""
        self._end: Mapping[str, Any] = {}
        self._bad = BadLines()
        self._line_count = self._runs = 0

    def take(self, line: Line) -> None:
        self._line_count += 1
        kind = line.fields.get("kind")
        if line.problem:
            self._bad.add(line.number, line.problem)
        elif kind == "header" or kind == "resume":
            _check_version(self._path, line.fields)
            if kind == "header":
                self._runs += 1
                self._heads.clear()
                self._entries.clear()
                self._row_of.clear()
            self._head = line.fields
            self._heads.append(line.fields)
            self._end = {}
        elif kind == "end":
            self._end = line.fields
        elif kind == "trial" or kind == "reading":
            try:
                self._take_outcome(line)
            except (AutotuneError, ValueError, TypeError, KeyError, OverflowError) as error:
                self._bad.add(line.number, f"{type(error).__name__}: {error}")
        else:
            self._bad.add(line.number, f"kind {repr(kind)[:40]} is not known")

    def _take_outcome(self, line: Line) -> None:
        """A trial, or what one of those before was found to be later."""
        if line.fields["kind"] == "trial":
            entry = entry_from(line, len(self._entries), self._head)
            self._row_of[entry.digest] = len(self._entries)
            self._entries.append(entry)
        else:
            digest = line.fields.get("digest")
            if not isinstance(digest, str) or digest not in self._row_of:
                raise StoreError(f"digest {repr(digest)[:40]} is of no trial before it")
            row = self._row_of[digest]
            self._entries[row] = corrected(self._entries[row], line)

    def log(self) -> Log:
        return Log(
            path=self._path,
            heads=tuple(self._heads),
            entries=tuple(self._entries),
            end=self._end,
            bad=tuple(self._bad.first),
            bad_count=self._bad.count,
            line_count=self._line_count,
            earlier_runs=max(0, self._runs - 1),
        )


def _check_version(path: str, head: Mapping[str, Any]) -> None:
    version = head.get("log_version")
    if type(version) is int and version > LOG_VERSION:
        raise StoreError(
            f"log {path} has version {version}; this program reads up to {LOG_VERSION}"
        )


def _claim(descriptor: int) -> bool:
    """Have the file to ourselves until it is closed; False where another run has it."""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        return True
    # Some file systems have no locks: then nothing keeps two runs apart but their user.
    with suppress(OSError):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _ends_in_mid_line(path: str) -> bool:
    with open(path, "rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
