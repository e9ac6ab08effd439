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
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import numpy as np

from autotune.diagnosis import NoValidScheduleError
from autotune.errors import StoreError, UsageError
from autotune.explorers.base import explorer_rng
from autotune.final_round import final_round
from autotune.interruption import Gate
from autotune.ir.schedule import Schedule
from autotune.keeping import Keeping, keep, open_log
from autotune.limits import Limits
from autotune.measure.base import MeasureOptions, Measurer
from autotune.measure.cores import allowed_cores, divide, staying_on
from autotune.measure.memory import affordable_builders
from autotune.progress import Outcome, Progress, Result
from autotune.registry import COST_MODELS, EXPLORERS
from autotune.resume import Conditions, Earlier, Unfinished, load
from autotune.search import Parts, Search
from autotune.space.base import Space
from autotune.store.record import MAX_INTEGER, Record, utc_now
from autotune.targets.base import Target
from autotune.trial import CODEGEN_VERSION, CachePolicy, Workload

if TYPE_CHECKING:
    from autotune.store.db import Cache

__all__ = ["NoValidScheduleError", "Progress", "Result", "tune"]

MeasurerFactory = Callable[[Workload, Target, MeasureOptions], Measurer]

ABOVE_PEAK = 1.05
"""Share of the measured peak from which on a rate is doubted, counted on what is executed."""
MEMORY_POINTS = 64
"""Points of the space that tell how much memory its kernels take."""


def tune(
    workload: Workload,
    trials: int | None = 64,
    budget_s: float | None = None,
    target: str = "host",
    threads: int = 1,
    cache: str | None = None,
    log: str | None = None,
    resume: str | Unfinished | None = None,
    seed: int = 0,
    explorer: str = "annealing",
    cost_model: str = "xgboost",
    space: str | None = None,
    timeout_s: float = 10.0,
    cache_policy: CachePolicy = "warm",
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
        resume: log of a run to go on with, which must be of this workload, target and machine. Its
            trials count among `trials`, are not measured again, and new ones are appended to it.
        seed: of every random choice.
        explorer: a name of `registry.EXPLORERS`.
        cost_model: a name of `registry.COST_MODELS`.
        space: TOML file that narrows the space.
        timeout_s: seconds that one candidate may take to build, and again to run.
        cache_policy: `warm` times a kernel on operands it has just used, `rotating` on ones that
            are in no cache.
        progress: called with the state of the run, a few times a second.
        measurer_factory: makes the measurer from workload, target and options; tests and replays
            bring their own. None is this machine's `measure.pool.PoolMeasurer`.

    Raises:
        UsageError: an argument that makes no sense; a target or size that this machine cannot run.
        SpaceError: the space holds no legal schedule.
        NoValidScheduleError: nothing measured worked; the cache is as it was.
        MeasureError: workers cannot be started.
        StoreError: cache or log cannot be opened or written to.
        KeyboardInterrupt: interrupted before anything was measured.
    """
    start_s = time.monotonic()
    # The compiler, the cache and the features are loaded here, so that `run` works without them.
    from autotune import features
    from autotune.backends.cpu import llvm_version
    from autotune.ir.default import default_schedule
    from autotune.ir.program import executed_multiply_adds
    from autotune.ops.base import contraction, flop
    from autotune.space import generate, narrowing
    from autotune.store.db import open_for_results
    from autotune.targets import detect

    limits = Limits(trials, budget_s)
    if not 0 <= seed <= MAX_INTEGER:
        raise UsageError(f"seed={seed} is not allowed; allowed: an integer from 0 to {MAX_INTEGER}")
    machine = detect.resolve(target, threads)
    if why := detect.runnable(machine):
        raise UsageError(f"target {target!r} cannot be tuned on this machine: {why}")
    going_on = None if resume is None else _unfinished(resume, log)
    if going_on is not None:
        going_on.agree(workload, machine, detect.host().cpu)
        machine, log = going_on.target, going_on.log.path
    computed = contraction(workload)
    narrowed = narrowing.load(space, workload.op)
    searched = generate(computed, machine, narrowed)
    explores, ranks = EXPLORERS.get(explorer), COST_MODELS.get(cost_model)
    default = default_schedule(computed, machine)
    options = measure_options(workload, machine, searched, default, cache_policy, timeout_s, seed)
    now = Conditions(CODEGEN_VERSION, llvm_version(), default.digest, cache_policy)
    earlier = Earlier()
    if going_on is not None:
        earlier = going_on.earlier(computed, searched, now, timeout_s)
    with Gate() as gate, ExitStack() as stack:
        opened = stack.enter_context(open_for_results(cache))
        keeping = _keeping(opened, workload, machine, seed, cache_policy)
        said = {
            **keeping.header(),
            "cores": detect.host().cores,
            "reference": default.digest,
            "limits": vars(limits),
            "measure": asdict(options),
            "explorer": explorer,
            "cost_model": cost_model,
            "space": searched.digest,
            "space_file": space,
            "narrowed_by": narrowed.source,
            "narrowing": narrowed.digest,
        }
        next_index = None if going_on is None else going_on.log.next_index
        written = stack.enter_context(open_log(log, workload, next_index, said))
        measurer = (measurer_factory or _pool)(workload, machine, options)
        stack.callback(measurer.close)
        # This thread thinks while candidates are timed.
        stack.enter_context(staying_on(options.cores.building))
        parts = Parts(
            space=searched,
            default=default,
            explorer=explores(searched, explorer_rng(seed, len(earlier.outcomes))),
            model=ranks(seed=seed),
            features=features.compute,
            measurer=measurer,
            log=written,
            flop=flop(workload),
            executed=lambda schedule: 2 * executed_multiply_adds(computed, schedule),
            threads=machine.threads,
            report=progress,
            space_source=narrowed.source,
            timeout_s=timeout_s,
            log_name=written.path,
        )
        keeping = replace(keeping, log_name=written.path)
        return run(parts, limits, keeping, start_s, gate, earlier)


def measure_options(
    workload: Workload,
    machine: Target,
    space: Space,
    default: Schedule,
    cache_policy: CachePolicy,
    timeout_s: float,
    seed: int,
) -> MeasureOptions:
    """How to measure: on which cores, and with as many builders as these and the memory allow."""
    from autotune.targets import detect

    cores = divide(allowed_cores(), machine.threads)
    cores_left = min(len(cores.building), detect.host().cores - machine.threads)
    drawn = space.sample(np.random.default_rng(seed), MEMORY_POINTS)
    likely = [default, *map(space.schedule, drawn)]
    return MeasureOptions(
        builders=affordable_builders(workload, machine, likely, cache_policy, cores_left),
        timeout_s=timeout_s,
        seed=seed,
        cache_policy=cache_policy,
        cores=cores,
    )


def _unfinished(resume: str | Unfinished, log: str | None) -> Unfinished:
    """The run to go on with, whose log is the one to append to."""
    found = resume if isinstance(resume, Unfinished) else load(resume)
    if log is not None and os.path.realpath(log) != os.path.realpath(found.log.path):
        raise UsageError(
            f"log {log!r} is not the one to go on with; allowed: none, or {found.log.path!r}"
        )
    return found


def _keeping(
    cache: Cache, workload: Workload, target: Target, seed: int, policy: CachePolicy
) -> Keeping:
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
        cache_policy=policy,
    )


def run(
    parts: Parts,
    limits: Limits,
    keeping: Keeping,
    start_s: float,
    gate: Gate | None = None,
    earlier: Earlier | None = None,
) -> Result:
    """Search, judge the finalists, keep the winner: `tune` for parts that exist already.

    Args:
        parts: what to search with.
        limits: when to stop.
        keeping: where the winner goes.
        start_s: when the run began, on the clock of `parts`.
        gate: holds interruptions back; None where nobody listens to signals.
        earlier: what was measured before, of a run that is gone on with.
    """
    search = Search(parts, limits, start_s, earlier or Earlier())
    gate = Gate() if gate is None else gate
    try:
        gate.close()
        stopped = _search(search, gate)
        search_s = search.elapsed_s()
        stopped, outcome, finals = final_round(search, stopped, keeping, gate)
        _doubt(search, outcome)
        is_kept = _keep(search, outcome, keeping)
    except BaseException as error:
        ended = "interrupted" if isinstance(error, KeyboardInterrupt) else "error"
        _end_log(search, stopped=ended, error=f"{type(error).__name__}: {error}")
        raise
    result = Result(
        workload=keeping.workload,
        target_key=keeping.target.key,
        trials=search.trial_count,
        resumed=len(search.earlier.outcomes),
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


def _doubt(search: Search, outcome: Outcome) -> None:
    """Say so where the winner executes more than the machine was seen to be able to."""
    flops = search.parts.executed(outcome.schedule) / outcome.timing.seconds
    if search.peak_flops and flops > ABOVE_PEAK * search.peak_flops:
        search.note(
            f"the winner executes {flops / 1e9:.1f} GFLOP/s, above the measured peak of "
            f"{search.peak_flops / 1e9:.1f}: one of the two was measured in another phase of the "
            f"machine"
        )


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
        trials=search.trial_count,
        seed=keeping.seed,
        llvm=keeping.llvm,
        codegen=CODEGEN_VERSION,
        version=keeping.version,
        machine=keeping.machine,
        cache_policy=keeping.cache_policy,
        ties=outcome.ties,
        created=utc_now(),
        verified=outcome.is_retimed,
    )
    problem = keep(record, keeping)
    if problem:
        search.note(problem)
    return not problem


def _end_log(search: Search, **fields: object) -> None:
    try:
        search.parts.log.end(seconds=search.elapsed_s(), notes=search.notes, **fields)
    except StoreError as error:
        search.note_incomplete_log(error)


def _pool(workload: Workload, target: Target, options: MeasureOptions) -> Measurer:
    from autotune.measure.pool import PoolMeasurer

    return PoolMeasurer(workload, target, options)
