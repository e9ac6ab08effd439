"""The log of a run: JSON lines, one per trial, flushed when measured and never edited.

A header line, a line a trial, an end line; docs/cache.md lists the fields. A run may have been
killed at any byte, so the reader takes what is whole and names the rest by line number.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from autotune.errors import AutotuneError, StoreError
from autotune.ir import schedule as schedules
from autotune.store.lines import BadLine, read_lines
from autotune.trial import FAILURE_KINDS, Failure, Timing, Trial

LOG_VERSION = 1


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

    def header(self, **fields: object) -> None:
        """The first line: versions, machine, seed, workload, options."""
        self._write({"kind": "header", "log_version": LOG_VERSION, **fields})

    def trial(self, trial: Trial, **fields: object) -> None:
        """One measured schedule; further fields say what the tuner knew of it."""
        timing, failure = trial.timing, trial.failure
        self._write(
            {
                "kind": "trial",
                "index": self._count,
                "digest": trial.schedule.digest,
                "status": trial.status,
                "seconds": timing.seconds if timing else None,
                "ratio": timing.ratio if timing else None,
                "samples": list(timing.samples_s) if timing else [],
                "reference_samples": list(timing.reference_s) if timing else [],
                "error_units": timing.error_units if timing else None,
                "message": failure.message if failure else None,
                "build_s": trial.build_s,
                "run_s": trial.run_s,
                "schedule": trial.schedule.to_dict(),
                **fields,
            }
        )
        self._count += 1

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


@dataclass(frozen=True)
class Log:
    """The last run in a log file."""

    header: dict[str, Any]
    trials: tuple[Trial, ...]
    end: dict[str, Any]
    """Empty where the run was killed."""
    bad: tuple[BadLine, ...]
    """Lines of the whole file that were skipped."""
    earlier_runs: int = 0

    @property
    def summary(self) -> str:
        """One line on what was skipped; empty where nothing was."""
        if not self.bad:
            return ""
        first = self.bad[0]
        return (
            f"skipped {len(self.bad)} bad lines of the log (first at line {first.number}: "
            f"{first.message})"
        )


def read(path: str | os.PathLike[str]) -> Log:
    """The last run in the file, without the lines that make no sense.

    Raises:
        StoreError: the file cannot be read, or a newer program wrote it.
    """
    header: dict[str, Any] = {}
    end: dict[str, Any] = {}
    trials: list[Trial] = []
    bad: list[BadLine] = []
    runs = 0
    for line in read_lines(path):
        kind = line.fields.get("kind")
        if line.problem:
            bad.append(BadLine(line.number, line.problem))
        elif kind == "header":
            _check_version(path, line.fields)
            header, end, runs = line.fields, {}, runs + 1
            trials.clear()
        elif kind == "end":
            end = line.fields
        elif kind == "trial":
            try:
                trials.append(_trial(line.fields))
            except (AutotuneError, ValueError, TypeError, KeyError) as error:
                bad.append(BadLine(line.number, f"{type(error).__name__}: {error}"))
        else:
            bad.append(BadLine(line.number, f"kind {str(kind)[:40]!r} is not known"))
    return Log(header, tuple(trials), end, tuple(bad), max(0, runs - 1))


def _check_version(path: str | os.PathLike[str], header: dict[str, Any]) -> None:
    version = header.get("log_version")
    if type(version) is int and version > LOG_VERSION:
        raise StoreError(
            f"log {os.fspath(path)} has version {version}; this program reads up to {LOG_VERSION}"
        )


def _trial(fields: dict[str, Any]) -> Trial:
    schedule = schedules.from_dict(fields["schedule"])
    if fields["digest"] != schedule.digest:
        raise StoreError(f"digest {str(fields['digest'])[:40]!r} is not the schedule's")
    status = fields["status"]
    outcome: Timing | Failure
    if status == "ok":
        samples, reference = _times(fields, "samples"), _times(fields, "reference_samples")
        if len(samples) != len(reference):
            raise StoreError(f"{len(samples)} samples but {len(reference)} reference_samples")
        outcome = Timing(samples, reference, _number(fields, "error_units"))
    elif status in FAILURE_KINDS:
        outcome = Failure(status, str(fields.get("message") or ""))
    else:
        raise StoreError(f"status {str(status)[:40]!r} is not known")
    return Trial(schedule, outcome, _number(fields, "build_s"), _number(fields, "run_s"))


def _times(fields: dict[str, Any], name: str) -> tuple[float, ...]:
    values = fields[name]
    if not isinstance(values, list) or not values:
        raise StoreError(f"{name} is {repr(values)[:40]}; a list of seconds is needed")
    for value in values:
        if type(value) not in (int, float) or not isfinite(value) or value <= 0:
            raise StoreError(f"{name} holds {repr(value)[:40]}; positive seconds are needed")
    return tuple(float(value) for value in values)


def _number(fields: dict[str, Any], name: str) -> float:
    value = fields.get(name, 0.0)
    if type(value) not in (int, float) or not isfinite(value) or value < 0:
        raise StoreError(f"{name} is {repr(value)[:40]}; a number of at least 0 is needed")
    return float(value)


def _ends_in_mid_line(path: str) -> bool:
    with open(path, "rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
