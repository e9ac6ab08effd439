"""Where a run leaves what it found: its record in the cache, its log, and what takes their place.

`tune` calls it. What cannot lie where it was meant to goes where it can, and a line says so: hours
of tuning are not lost for a full disk.
"""

from __future__ import annotations

import os
import shlex
import warnings
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from autotune.errors import StoreError
from autotune.store import paths
from autotune.store.record import Record, utc_now
from autotune.targets.base import Target
from autotune.trial import CODEGEN_VERSION, CachePolicy, Workload

if TYPE_CHECKING:
    from autotune.store.log import LogWriter


class Kept(Protocol):
    """What a run needs of the cache."""

    def get(self, target_key: str, workload_key: str) -> Record | None:
        """The best record of a key."""

    def put(self, record: Record) -> bool:
        """Add a record."""


@dataclass(frozen=True)
class Keeping:
    """Where a run's winner goes, and what its record says of its making."""

    cache: Kept
    workload: Workload
    target: Target
    seed: int
    machine: str
    llvm: str
    version: str
    cache_name: str
    cache_policy: CachePolicy = "warm"
    log_name: str = ""

    def header(self) -> dict[str, object]:
        """What the first line of a log says of all this."""
        return {
            "workload": self.workload.to_dict(),
            "key": self.workload.key,
            "target": self.target.to_dict(),
            "machine": self.machine,
            "version": self.version,
            "codegen": CODEGEN_VERSION,
            "llvm": self.llvm,
            "created": utc_now(),
            "seed": self.seed,
        }


def keep(record: Record, keeping: Keeping) -> str:
    """Put the winner into the cache; where that fails, what to tell of the place it went to."""
    try:
        keeping.cache.put(record)
    except StoreError as error:
        return _kept_elsewhere(record, keeping, error)
    return ""


def _kept_elsewhere(record: Record, keeping: Keeping, error: StoreError) -> str:
    from autotune.store.transfer import write_aside

    try:
        file = shlex.quote(write_aside(keeping.log_name, record))
    except StoreError:
        return f"the result is not in the cache, only in the log: {error}"
    command = f"autotune cache import {file} --cache {shlex.quote(keeping.cache_name)}"
    return f"the result is not in the cache but in {file} ({error}); later: {command}"


def open_log(
    path: str | None, workload: Workload, resumed_at: int | None, said: dict[str, object]
) -> LogWriter:
    """The log that was named, else a new one, named by time, operator and process; it is begun.

    Args:
        path: None is a new one, where the user's lie or else among temporary files.
        workload: what is tuned.
        resumed_at: index of the next trial of a run that goes on; None is a new run.
        said: what the first line says.

    Raises:
        StoreError: it cannot be written.
    """
    if path is not None:
        return _begun(path, resumed_at, said)
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    name = f"{stamp}-{workload.op}-{os.getpid()}.jsonl"
    try:
        return _begun(os.path.join(paths.log_folder(), name), resumed_at, said)
    except StoreError as error:
        log = _begun(paths.spare_path(name), resumed_at, said)
        warnings.warn(f"{error}; the log of this run is {log.path}", UserWarning, stacklevel=3)
        return log


def _begun(path: str, resumed_at: int | None, said: dict[str, object]) -> LogWriter:
    from autotune.store.log import LogWriter

    with ExitStack() as stack:
        log = stack.enter_context(LogWriter(path))
        if resumed_at is None:
            log.header(**said)
        else:
            log.resume(resumed_at, **said)
        stack.pop_all()
    return log
