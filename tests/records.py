"""Records for tests of the store and the lookup, complete and valid unless told otherwise."""

from __future__ import annotations

from functools import cache
from typing import Any

from autotune.ir.default import default_schedule
from autotune.ir.schedule import Schedule
from autotune.ops.base import contraction, parse_workload
from autotune.store.misses import Miss
from autotune.store.record import Record
from autotune.targets.detect import resolve
from autotune.trial import CODEGEN_VERSION, Workload

TARGET = resolve("x86-64-v3")
WORKLOAD = parse_workload("matmul", "m=32,n=48,k=16")


@cache
def _schedule(workload: Workload) -> Schedule:
    return default_schedule(contraction(workload), TARGET)


def made(workload: Workload = WORKLOAD, seconds: float = 1e-3, **changes: Any) -> Record:
    """A record of the default schedule."""
    fields: dict[str, Any] = {
        "target_key": TARGET.key,
        "workload": workload,
        "schedule": _schedule(workload),
        "seconds": seconds,
        "samples_s": (seconds, seconds * 1.5),
        "baseline_seconds": 2e-3,
        "speedup": 2.0,
        "speedup_interval": (1.8, 2.2),
        "gflops": 10.0,
        "error_units": 1.0,
        "trials": 8,
        "seed": 0,
        "llvm": "22.1.0",
        "codegen": CODEGEN_VERSION,
        "version": "0.1.0",
        "machine": "amd-25-17",
        "created": "2026-01-31T12:00:00Z",
    }
    return Record(**(fields | changes))


def missed(workload: Workload = WORKLOAD, count: int = 1) -> Miss:
    """A miss that was last seen just after `made` records were made."""
    return Miss(TARGET.key, workload, count, "2026-01-31T12:00:00Z", "2026-01-31T12:00:01Z")
