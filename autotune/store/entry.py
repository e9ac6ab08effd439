"""One trial of a log, read from its line: every field is checked, the schedule by its digest.

`log.read` makes one of each line. A log may hold 200,000, so a schedule stays text until somebody
asks for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from autotune.errors import StoreError
from autotune.ir import schedule as schedules
from autotune.store.lines import Line
from autotune.trial import FAILURE_KINDS, Failure, Timing, Trial

MAX_MESSAGE = 500
MAX_POINT = 4096


@dataclass(frozen=True, slots=True)
class Entry:
    """One trial as logged."""

    line: int
    """Its number in the file."""
    index: int
    digest: str
    outcome: Timing | Failure
    build_s: float
    run_s: float
    point: tuple[int, ...]
    """The schedule as a point of the space; empty where it is none or was not known as one."""
    head: Mapping[str, Any]
    """The header or resume line that it stands below; empty where there is none."""
    text: str
    """The schedule's JSON."""

    @property
    def trial(self) -> Trial:
        """The trial as it was when it was measured.

        Raises:
            ScheduleError: another program wrote it, and a schedule that this one cannot read.
        """
        schedule = schedules.from_json(self.text)
        return Trial(schedule, self.outcome, self.build_s, self.run_s)


def entry_from(line: Line, index: int, head: Mapping[str, Any]) -> Entry:
    """The trial on a line that `LogWriter.trial` wrote.

    Args:
        line: of kind `trial`.
        index: its index where the line does not say.
        head: the header or resume line above it.

    Raises:
        AutotuneError, ValueError, TypeError, KeyError, OverflowError: what a line may hold that is
            no trial.
    """
    fields = line.fields
    said = fields.get("index", index)
    if type(said) is not int or said < 0:
        raise StoreError(f"index is {repr(said)[:40]}; an integer from 0 is needed")
    digest, text = _schedule_text(fields["digest"], fields["schedule"])
    return Entry(
        line=line.number,
        index=said,
        digest=digest,
        outcome=_outcome(fields),
        build_s=_number(fields, "build_s"),
        run_s=_number(fields, "run_s"),
        point=_point(fields.get("point")),
        head=head,
        text=text,
    )


def corrected(entry: Entry, line: Line) -> Entry:
    """The entry with the outcome that a later reading gave it; `line` says which.

    Raises: as `entry_from` does.
    """
    return replace(entry, outcome=_outcome(line.fields))


_canonical: Callable[[object], str] = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
"""As `Schedule.to_json` writes it."""


def _schedule_text(digest: object, loaded: object) -> tuple[str, str]:
    """The digest and the schedule's JSON, which the digest proves to be whole.

    Only what is not written as this program writes it is read field by field.
    """
    text = _canonical(loaded)
    if hashlib.sha256(text.encode()).hexdigest()[:16] != digest:
        schedule = schedules.from_dict(loaded)
        if digest != schedule.digest:
            raise StoreError(f"digest {repr(digest)[:40]} is not the schedule's")
        text = schedule.to_json()
    return str(digest), text


def _outcome(fields: Mapping[str, Any]) -> Timing | Failure:
    status = fields["status"]
    if isinstance(status, str) and status in FAILURE_KINDS:
        return Failure(status, _one_line(str(fields.get("message") or "")))
    if status != "ok":
        raise StoreError(f"status {repr(status)[:40]} is not known")
    samples, reference = _pairs(fields, "samples", "reference_samples")
    if not samples:
        raise StoreError("samples is []; a list of seconds is needed")
    disturbed = _pairs(fields, "disturbed_samples", "disturbed_reference_samples")
    is_steady = fields.get("steady", True)
    if not isinstance(is_steady, bool):
        raise StoreError(f"steady is {repr(is_steady)[:40]}; true or false is needed")
    return Timing(
        samples_s=samples,
        reference_s=reference,
        error_units=_number(fields, "error_units"),
        disturbed=tuple(zip(*disturbed, strict=True)),
        is_steady=is_steady,
    )


def _one_line(text: str) -> str:
    """What any terminal can show, whatever a damaged log holds."""
    line = " ".join(text[: 2 * MAX_MESSAGE].split())
    if not line.isprintable():
        line = "".join(char if char.isprintable() else repr(char)[1:-1] for char in line)
    return line[:MAX_MESSAGE]


def _pairs(
    fields: Mapping[str, Any], name: str, other: str
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Two lists of seconds that belong together; what is absent is empty."""
    ours, theirs = _times(fields, name), _times(fields, other)
    if len(ours) != len(theirs):
        raise StoreError(f"{len(ours)} {name} but {len(theirs)} {other}")
    return ours, theirs


def _times(fields: Mapping[str, Any], name: str) -> tuple[float, ...]:
    values = fields.get(name, [])
    if not isinstance(values, list):
        raise StoreError(f"{name} is {repr(values)[:40]}; a list of seconds is needed")
    for value in values:
        if type(value) not in (int, float) or not isfinite(value) or value <= 0:
            raise StoreError(f"{name} holds {repr(value)[:40]}; positive seconds are needed")
    return tuple(float(value) for value in values)


def _number(fields: Mapping[str, Any], name: str) -> float:
    value = fields.get(name, 0.0)
    if type(value) not in (int, float) or not isfinite(value) or value < 0:
        raise StoreError(f"{name} is {repr(value)[:40]}; a number of at least 0 is needed")
    return float(value)


def _point(loaded: object) -> tuple[int, ...]:
    if loaded is None:
        return ()
    if not isinstance(loaded, list) or len(loaded) > MAX_POINT:
        raise StoreError(f"point is {repr(loaded)[:40]}; a list of integers is needed")
    if any(type(knob) is not int or not -(2**63) <= knob < 2**63 for knob in loaded):
        raise StoreError(f"point holds {repr(loaded)[:40]}; integers of 64 bits are needed")
    return tuple(loaded)
