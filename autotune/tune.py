"""Tunes one workload: puts the parts together, searches, re-times the finalists, keeps the best.

The search itself is `search.Search`, the verdict `finalists.judge`. The cache is written once, at
the end, and only with a schedule that was checked and timed; whatever goes wrong before leaves it
as it was, and an interruption keeps the best so far.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

import numpy as np

from autotune import finalists
from autotune.errors import MeasureError, StoreError, UsageError
from autotune.interruption import Gate
from autotune.ir.schedule import Schedule
from autotune.measure.base import MeasureOptions, Measurer
from autotune.progress import Outcome, Progress, Result
from autotune.registry import COST_MODELS, EXPLORERS
from autotune.search import Limits, NoValidScheduleError, Parts, Search
from autotune.store.record import MAX_INTEGER, Record, utc_now
from autotune.targets.base import Target
from autotune.trial import CODEGEN_VERSION, Failure, Timing, Workload

if TYPE_CHECKING:
    from autotune.store.db import Cache

__all__ = ["NoValidScheduleError", "Progress", "Result", "tune"]

MeasurerFactory = Callable[[Workload, Target, MeasureOptions], Measurer]

EXPLORER_STREAM = 1
"""Second half of the explorer's seed, so that no two parts share a stream of random numbers."""
INTERRUPTED_FINALISTS = 2


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
    log_name: str

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


def tune(
    workload: Workload,
    trials: int | None = 64,
    budget_s: float | None = None,
    target: str = "host",
    threads: int = 1,
    cache: str | None = None,
    log: str | None = None,
    seed: int = 0,
    explorer: str = "annealing",
    cost_model: str = "xgboost",
    space: str | None = None,
    timeout_s: float = 10.0,
    progress: Callable[[Progress], None] | None = None,
    measurer_factory: MeasurerFactory | None = None,
) -> Result:
    """Tune one workload and keep the winner in the cache if it beats the default schedule.

    Args:
        workload: what to tune.
        trials: schedules to measure, the default included. None: until the budget, the end of the
            space, or convergence (96 trials in a row that gained less than 1%).
        budget_s: seconds for everything, the final round included.
        target: `host`, a level, a key or a file.
        threads: that a kernel runs on.
        cache: path or URL; None is the user's.
        log: file to append to; None is a new one in the user's data directory.
        seed: of every random choice.
        explorer: a name of `registry.EXPLORERS`.
        cost_model: a name of `registry.COST_MODELS`.
        space: TOML file that narrows the space.
        timeout_s: seconds that one candidate may take to build, and again to run.
        progress: called with the state of the run, a few times a second.
        measurer_factory: makes the measurer from workload, target and options; tests and replays
            bring their own. None is this machine's `measure.pool.PoolMeasurer`.

    Raises:
        UsageError: an argument that makes no sense, or a target this machine cannot run.
        SpaceError: the space holds no legal schedule.
        NoValidScheduleError: nothing measured worked; the cache is as it was.
        MeasureError: workers cannot be started.
        StoreError: cache or log cannot be opened or written to.
        KeyboardInterrupt: interrupted before anything was measured.
    """
    start_s = time.monotonic()
    # The compiler, the cache and the features are loaded here, so that `run` works without them.
    from autotune import features
    from autotune.ir.default import default_schedule
    from autotune.ir.program import executed_multiply_adds
    from autotune.ops.base import contraction, flop
    from autotune.space import generate, narrowing
    from autotune.store.db import open_cache
    from autotune.store.log import LogWriter
    from autotune.targets import detect

    limits = Limits(trials, budget_s)
    if not 0 <= seed <= MAX_INTEGER:
        raise UsageError(f"seed={seed} is not allowed; allowed: an integer from 0 to {MAX_INTEGER}")
    machine = detect.resolve(target, threads)
    if why := detect.runnable(machine):
        raise UsageError(f"target {target!r} cannot be tuned on this machine: {why}")
    computed = contraction(workload)
    narrowed = narrowing.load(space, workload.op)
    searched = generate(computed, machine, narrowed)
    explores, ranks = EXPLORERS.get(explorer), COST_MODELS.get(cost_model)
    builders = max(1, detect.host().cores - 1)
    options = MeasureOptions(builders=builders, timeout_s=timeout_s, seed=seed)
    with Gate() as gate, ExitStack() as stack:
        opened = stack.enter_context(open_cache(cache))
        opened.check_writable()
        written = stack.enter_context(LogWriter(log or _log_path(workload)))
        measurer = (measurer_factory or _pool)(workload, machine, options)
        stack.callback(measurer.close)
        parts = Parts(
            space=searched,
            default=default_schedule(computed, machine),
            explorer=explores(searched, np.random.default_rng([seed, EXPLORER_STREAM])),
            model=ranks(seed=seed),
            features=features.compute,
            measurer=measurer,
            log=written,
            flop=flop(workload),
            executed=lambda schedule: 2 * executed_multiply_adds(computed, schedule),
            threads=machine.threads,
            report=progress,
            space_source=narrowed.source,
        )
        keeping = _keeping(opened, workload, machine, seed, written.path)
        written.header(
            **keeping.header(),
            limits=vars(limits),
            measure=vars(options),
            explorer=explorer,
            cost_model=cost_model,
            space=searched.digest,
            narrowed_by=narrowed.source,
            narrowing=narrowed.digest,
        )
        return run(parts, limits, keeping, start_s, gate)


def _keeping(cache: Cache, workload: Workload, target: Target, seed: int, log: str) -> Keeping:
    from autotune import __version__
    from autotune.backends.cpu import llvm_version
    from autotune.store.paths import shown
    from autotune.targets import detect

    return Keeping(
        cache=cache,
        workload=workload,
        target=target,
        seed=seed,
        machine=detect.host().cpu,
        llvm=llvm_version(),
        version=__version__,
        cache_name=shown(cache.location),
        log_name=log,
    )


def run(
    parts: Parts, limits: Limits, keeping: Keeping, start_s: float, gate: Gate | None = None
) -> Result:
    """Search, judge the finalists, keep the winner: `tune` for parts that exist already.

    Args:
        parts: what to search with.
        limits: when to stop.
        keeping: where the winner goes.
        start_s: when the run began, on the clock of `parts`.
        gate: holds interruptions back; None where nobody listens to signals.
    """
    search = Search(parts, limits, start_s)
    gate = Gate() if gate is None else gate
    try:
        gate.close()
        stopped = _search(search, gate)
        search_s = search.elapsed_s()
        stopped, outcome, finals = _final(search, stopped, keeping, gate)
        is_kept = _keep(search, outcome, keeping)
    except BaseException as error:
        ended = "interrupted" if isinstance(error, KeyboardInterrupt) else "error"
        _end_log(search, stopped=ended, error=f"{type(error).__name__}: {error}")
        raise
    result = Result(
        workload=keeping.workload,
        target_key=keeping.target.key,
        trials=len(search.trials),
        failures=dict(search.failures),
        seconds=search.elapsed_s(),
        search_seconds=search_s,
        stopped="interrupted" if gate.is_knocked else stopped,
        outcome=outcome,
        is_kept=is_kept,
        flop=parts.flop,
        executed_flop=parts.executed(outcome.schedule),
        peak_flops=search.peak_flops,
        cache=keeping.cache_name,
        log=keeping.log_name,
        notes=tuple(search.notes),
    )
    _end_log(search, stopped=result.stopped, finalists=finals, result=result.to_dict())
    search.tell_progress("done")
    return result


def _search(search: Search, gate: Gate) -> str:
    """Why the search stopped; an interruption is a reason once something has worked."""
    try:
        with gate.opened():
            return search.run()
    except KeyboardInterrupt:
        if search.best is None:
            raise
        return "interrupted"


def _final(
    search: Search, stopped: str, keeping: Keeping, gate: Gate
) -> tuple[str, Outcome, list[dict[str, object]]]:
    """Why the run stopped, the outcome of the final round, and its timings for the log."""
    default, usual = search.parts.default, search.default_timing()
    found = [t.schedule for t in search.fastest(_finalist_count(search, stopped))]
    known = [s for s in _incumbent(search, keeping) if s not in (default, *found)]
    schedules = [*found, *known] if usual is None else [default, *found, *known]
    try:
        search.tell_progress("finalists")
        with gate.opened():
            outcomes = search.parts.measurer.retime(schedules, finalists.ROUNDS)
    except KeyboardInterrupt:
        return "interrupted", _unpaired(search, usual), []
    except MeasureError as error:
        search.note(f"the finalists were not timed again: {error}")
        return stopped, _unpaired(search, usual), []
    finals = [_logged(s, o) for s, o in zip(schedules, outcomes, strict=True)]
    has_default = usual is not None
    if has_default and isinstance(outcomes[0], Failure):
        search.note(f"no baseline: the default schedule failed in the end ({outcomes[0].message})")
        schedules, outcomes, has_default = schedules[1:], outcomes[1:], False
    outcome = finalists.judge(schedules, outcomes, has_default)
    if outcome is None:
        raise NoValidScheduleError(
            f"no valid schedule: none of {len(finals)} finalists worked when checked again",
            dict(search.failures),
        )
    if outcome.schedule in known:
        search.note("the winner was in the cache before; nothing measured in this run beats it")
    return stopped, outcome, finals


def _unpaired(search: Search, usual: Timing | None) -> Outcome:
    """What the search's own timings say, for a run without a final round."""
    best = search.best
    assert best is not None
    assert best.timing is not None
    baseline = None if usual is None else (search.parts.default, usual)
    return finalists.judge_unpaired(baseline, (best.schedule, best.timing))


def _finalist_count(search: Search, stopped: str) -> int:
    """As many as the rest of the budget allows, at least one; few when someone waits to leave."""
    if stopped == "interrupted":
        return INTERRUPTED_FINALISTS
    budget_s = search.limits.budget_s
    if budget_s is None:
        return finalists.FINALISTS
    left_s = budget_s - search.elapsed_s()
    counts = range(finalists.FINALISTS, 1, -1)
    return next((count for count in counts if search.final_s(count) <= left_s), 1)


def _incumbent(search: Search, keeping: Keeping) -> list[Schedule]:
    """What the cache would have answered: a new winner must also be faster than that."""
    try:
        record = keeping.cache.get(keeping.target.key, keeping.workload.key)
    except StoreError as error:
        search.note(f"the cache could not be read: {error}")
        return []
    return [] if record is None else [record.schedule]


def _keep(search: Search, outcome: Outcome, keeping: Keeping) -> bool:
    """Write the winner to the cache; if that fails, the result and the log still have it."""
    seconds = outcome.timing.seconds
    baseline = outcome.baseline or outcome.timing
    record = Record(
        target_key=keeping.target.key,
        workload=keeping.workload,
        schedule=outcome.schedule,
        seconds=seconds,
        samples_s=outcome.timing.samples_s,
        # Without a default to compare with, no gain is claimed.
        baseline_seconds=baseline.seconds,
        speedup=outcome.speedup or 1.0,
        speedup_interval=outcome.speedup_interval or (1.0, 1.0),
        gflops=search.parts.flop / seconds / 1e9,
        error_units=outcome.timing.error_units,
        trials=len(search.trials),
        seed=keeping.seed,
        llvm=keeping.llvm,
        codegen=CODEGEN_VERSION,
        version=keeping.version,
        machine=keeping.machine,
        created=utc_now(),
        verified=outcome.is_retimed,
    )
    try:
        keeping.cache.put(record)
    except StoreError as error:
        search.note(f"the result is not in the cache, only in the log: {error}")
        return False
    return True


def _end_log(search: Search, **fields: object) -> None:
    try:
        search.parts.log.end(seconds=search.elapsed_s(), notes=search.notes, **fields)
    except StoreError as error:
        search.note_incomplete_log(error)


def _logged(schedule: Schedule, outcome: Timing | Failure) -> dict[str, object]:
    """A finalist's line in the log's end record."""
    if isinstance(outcome, Failure):
        return {"digest": schedule.digest, "status": outcome.kind, "message": outcome.message}
    return {
        "digest": schedule.digest,
        "status": "ok",
        "samples": list(outcome.samples_s),
        "reference_samples": list(outcome.reference_s),
    }


def _log_path(workload: Workload) -> str:
    """A new file in the user's data directory, named by time, operator and process."""
    from autotune.store.paths import log_folder

    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    return os.path.join(log_folder(), f"{stamp}-{workload.op}-{os.getpid()}.jsonl")


def _pool(workload: Workload, target: Target, options: MeasureOptions) -> Measurer:
    from autotune.measure.pool import PoolMeasurer

    return PoolMeasurer(workload, target, options)
