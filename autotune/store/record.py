"""One tuned schedule with everything that is known of its measurement. Standard library only.

A record is checked where it enters (`check`); its digest covers what was measured, not where the
record came from, so that the same measurement is one record however often it is imported.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from autotune.errors import AutotuneError, StoreError
from autotune.ir import schedule as schedules
from autotune.ir.schedule import Schedule
from autotune.trial import CACHE_POLICIES, CODEGEN_VERSION, STRICT, Workload

LOCAL, IMPORTED = "local", "imported"
SHORTEST_S, LONGEST_S = 1e-12, 1e9
MAX_SAMPLES = 10_000
MAX_INTEGER = 2**63 - 1
MAX_TIES = 100
NEVER = "0001-01-01T00:00:00Z"
"""Earlier than any record."""
TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"

_TARGET_KEY = re.compile(r"[a-z0-9-]{1,40}/[a-z0-9_+]{1,400}/t[0-9]{1,5}\Z")
_DIGEST = re.compile(r"[0-9a-f]{4,64}\Z")
_CREATED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\Z")


@dataclass(frozen=True)
class Record:
    """A schedule that was measured to be good for a workload on a target."""

    target_key: str
    workload: Workload
    schedule: Schedule
    seconds: float
    samples_s: tuple[float, ...]
    baseline_seconds: float
    """Seconds of the default schedule in the same session."""
    speedup: float
    """Median of the paired ratios default over this."""
    speedup_interval: tuple[float, float]
    gflops: float
    error_units: float
    trials: int
    seed: int
    llvm: str
    codegen: int
    version: str
    """Of this program."""
    machine: str
    """The device it was measured on."""
    created: str
    """UTC, as `utc_now` writes it."""
    cache_policy: str = "warm"
    """Of `trial.CACHE_POLICIES`: where the operands were when it was timed."""
    ties: tuple[str, ...] = ()
    """Digests of the schedules that the final round could not tell from it."""
    cliff: float | None = None
    """What a lookup would have answered before this record, in times of this one's seconds; None
    where that was not timed."""
    cliff_interval: tuple[float, float] | None = None
    origin: str = LOCAL
    verified: bool = True
    """Measured and checked here; an imported record is not until it has been measured again."""
    verified_at: str | None = None
    """When it was last measured again here, as `created`; None where it never was."""
    is_stale: bool = False
    """Made by another code generator or LLVM than this installation's; set by the store."""

    @property
    def key(self) -> str:
        """The workload's key."""
        return self.workload.key

    @cached_property
    def digest(self) -> str:
        """32 hexadecimal digits that identify the measurement."""
        told = {k: v for k, v in self.to_dict().items() if k not in _ADDED or v != _ADDED[k]}
        text = json.dumps(told, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def to_dict(self) -> dict[str, Any]:
        """What was measured, as the plain JSON of a line in an export."""
        return {
            "target": self.target_key,
            "key": self.key,
            "workload": self.workload.to_dict(),
            "schedule": self.schedule.to_dict(),
            "seconds": self.seconds,
            "samples": list(self.samples_s),
            "baseline_seconds": self.baseline_seconds,
            "speedup": self.speedup,
            "speedup_interval": list(self.speedup_interval),
            "gflops": self.gflops,
            "error_units": self.error_units,
            "trials": self.trials,
            "seed": self.seed,
            "llvm": self.llvm,
            "codegen": self.codegen,
            "version": self.version,
            "machine": self.machine,
            "cache_policy": self.cache_policy,
            "ties": list(self.ties),
            "cliff": self.cliff,
            "cliff_interval": list(self.cliff_interval) if self.cliff_interval else None,
            "created": self.created,
        }

    def to_entry(self) -> dict[str, Any]:
        """One entry of `cache list --json`."""
        return {
            **self.to_dict(),
            "op": self.workload.op,
            "shape": self.workload.shape,
            "digest": self.schedule.digest,
            "record": self.digest,
            "origin": self.origin,
            "verified": self.verified,
            "verified_at": self.verified_at,
            "stale": self.is_stale,
        }

    def to_row(self) -> dict[str, Any]:
        """The columns of the `records` table."""
        cliff_low, cliff_high = self.cliff_interval or (None, None)
        return {
            **{name: getattr(self, name) for name in (*_PLAIN, *_PLAIN_ADDED)},
            **self.workload.to_columns(),
            "digest": self.digest,
            "workload_key": self.key,
            "schedule": self.schedule.to_json(),
            "schedule_digest": self.schedule.digest,
            "samples": json.dumps(list(self.samples_s)),
            "ties": json.dumps(list(self.ties)),
            "speedup_low": self.speedup_interval[0],
            "speedup_high": self.speedup_interval[1],
            "cliff_low": cliff_low,
            "cliff_high": cliff_high,
            "verified": int(self.verified),
        }


_PLAIN = (
    *("target_key", "seconds", "baseline_seconds", "speedup", "gflops", "error_units", "trials"),
    *("seed", "llvm", "codegen", "version", "machine", "created", "origin"),
)
"""Fields whose column has their name and value."""
_PLAIN_ADDED = ("cache_policy", "cliff", "verified_at")
_ADDED: dict[str, object] = {
    "cache_policy": "warm",
    "ties": [],
    "cliff": None,
    "cliff_interval": None,
}
"""What records of earlier versions do not say; left out of the digest, so that theirs stay."""


def utc_now() -> str:
    """The present second, as records and misses store it."""
    return datetime.now(UTC).strftime(TIME_FORMAT)


def from_row(row: Mapping[str, Any], llvm: str) -> Record:
    """The record in a row of the `records` table.

    Args:
        row: column names and values.
        llvm: this installation's LLVM, '' where unknown; decides whether the record is stale.

    Raises:
        StoreError: the row is broken; the message says how.
    """
    try:
        is_strict = row["workload_key"].endswith(f"/tol={STRICT}")
        tolerance = STRICT if is_strict else float(row["tolerance"])
        workload = Workload(row["op"], row["shape"], row["dtype"], row["layout"], tolerance)
        samples = json.loads(row["samples"])
        record = Record(
            workload=workload,
            schedule=schedules.from_json(row["schedule"]),
            samples_s=tuple(float(sample) for sample in samples),
            speedup_interval=(row["speedup_low"], row["speedup_high"]),
            verified=bool(row["verified"]),
            **_added(row),
            **{name: row[name] for name in _PLAIN},
        )
        check(record)
    except (AutotuneError, ValueError, TypeError, LookupError, RecursionError) as error:
        raise StoreError(f"record {digest_of(row)} is broken: {error}") from error
    if record.key != row["workload_key"]:
        raise StoreError(f"record {digest_of(row)} is broken: its key is not its workload's")
    return replace(record, is_stale=is_stale(record, llvm))


def digest_of(row: Mapping[str, Any]) -> str:
    """What a row says that its digest is, be it broken."""
    return str(row["digest"])[:32] if "digest" in set(row.keys()) else "without a digest"


def is_stale(record: Record, llvm: str) -> bool:
    """Whether another code generator or LLVM made it; `llvm` is '' where it is not known."""
    return record.codegen != CODEGEN_VERSION or llvm not in ("", record.llvm)


def _added(row: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that earlier tables lack, which may lie where nothing can be written."""
    columns = set(row.keys())
    added: dict[str, Any] = {name: row[name] for name in _PLAIN_ADDED if name in columns}
    if "ties" in columns:
        ties = json.loads(row["ties"])
        if not isinstance(ties, list):
            raise StoreError(f"ties is {repr(ties)[:40]}; a list is needed")
        added["ties"] = tuple(ties)
    if "cliff_low" in columns and row["cliff"] is not None:
        added["cliff_interval"] = (row["cliff_low"], row["cliff_high"])
    return added


def check(record: Record) -> None:
    """Refuse a record with a field that no measurement can have.

    Raises:
        StoreError: names the field, the value and what is allowed.
    """
    low, high = record.speedup_interval
    for name, value, least, most in (
        ("seconds", record.seconds, SHORTEST_S, LONGEST_S),
        ("baseline_seconds", record.baseline_seconds, SHORTEST_S, LONGEST_S),
        ("gflops", record.gflops, 1e-12, 1e11),
        ("speedup", record.speedup, 1e-6, 1e6),
        ("speedup_interval", low, 0.0, 1e6),
        ("speedup_interval", high, low, 1e6),
        ("error_units", record.error_units, 0.0, 1e12),
        ("tolerance", record.workload.limit_units, 1e-12, 1e12),
        *(("samples", sample, SHORTEST_S, LONGEST_S) for sample in record.samples_s),
        *_cliff_bounds(record),
    ):
        is_number = isinstance(value, float) or type(value) is int
        if not is_number or not least <= value <= most:
            raise _refused(name, value, f"a number from {least:g} to {most:g}")
    if not 1 <= len(record.samples_s) <= MAX_SAMPLES:
        raise _refused("samples", len(record.samples_s), f"1 to {MAX_SAMPLES} of them")
    for name in ("trials", "seed", "codegen"):
        value = getattr(record, name)
        if type(value) is not int or not 0 <= value <= MAX_INTEGER:
            raise _refused(name, value, f"an integer from 0 to {MAX_INTEGER}")
    _check_texts(record)


def _cliff_bounds(record: Record) -> list[tuple[str, Any, float, float]]:
    """Name, value, least and most of what the record says of its cliff."""
    if record.cliff is None and record.cliff_interval is None:
        return []
    low, high = record.cliff_interval or (None, None)
    return [
        ("cliff", record.cliff, 1e-6, 1e6),
        ("cliff_interval", low, 0.0, 1e6),
        ("cliff_interval", high, low or 0.0, 1e6),
    ]


def _check_texts(record: Record) -> None:
    for name in ("llvm", "version", "machine"):
        value = getattr(record, name)
        if not isinstance(value, str) or len(value) > 200 or not value.isprintable():
            raise _refused(name, value, "printable text of at most 200 characters")
    if not isinstance(record.target_key, str) or not _TARGET_KEY.match(record.target_key):
        raise _refused("target", record.target_key, "a key as `cpu/features/t1`")
    for name, moment in (("created", record.created), ("verified_at", record.verified_at or NEVER)):
        if not isinstance(moment, str) or not _CREATED.match(moment):
            raise _refused(name, moment, "UTC as 2026-01-31T12:00:00Z")
    if record.cache_policy not in CACHE_POLICIES:
        raise _refused("cache_policy", record.cache_policy, ", ".join(CACHE_POLICIES))
    if len(record.ties) > MAX_TIES:
        raise _refused("ties", len(record.ties), f"at most {MAX_TIES} of them")
    for digest in record.ties:
        if not isinstance(digest, str) or not _DIGEST.match(digest):
            raise _refused("ties", digest, "digests of schedules")
    if record.origin not in (LOCAL, IMPORTED):
        raise _refused("origin", record.origin, f"{LOCAL} or {IMPORTED}")


def _refused(name: str, value: object, allowed: str) -> StoreError:
    return StoreError(f"record field {name} is {repr(value)[:60]}; allowed: {allowed}")
