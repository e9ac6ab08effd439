"""What a run would tune, for `autotune run --dry-run`: nothing is built, measured or written."""

from __future__ import annotations

from typing import Any

from autotune.trial import Workload


def plan(workload: Workload, target: str, threads: int, space_file: str | None) -> dict[str, Any]:
    """Workload, key, target, size of the space, and the default schedule with its nest."""
    from autotune.ir.default import default_schedule
    from autotune.ir.printer import show
    from autotune.ops.base import contraction
    from autotune.space import generate, narrowing
    from autotune.targets.detect import resolve

    machine = resolve(target, threads)
    computed = contraction(workload)
    space = generate(computed, machine, narrowing.load(space_file, workload.op))
    schedule = default_schedule(computed, machine)
    return {
        "workload": workload.to_dict(),
        "key": workload.key,
        "target": machine.key,
        "space": {"size": int(space.size), "exact": bool(space.is_exact), "knobs": space.knobs},
        "schedule": schedule.to_dict(),
        "digest": schedule.digest,
        "nest": show(computed, schedule),
    }
