"""`autotune run`: tune one workload, or what was missed; a signal ends it with the best kept."""

from __future__ import annotations

import signal
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from autotune.cli import options, progress, show
from autotune.cli.missed import refuse, run_misses
from autotune.cli.plan import plan
from autotune.errors import UsageError
from autotune.interruption import Gate, exit_code, listening
from autotune.trial import DEFAULT_TOLERANCE, Workload

if TYPE_CHECKING:
    from autotune.resume import Unfinished

DEFAULT_TRIALS = 64
RUN = "autotune run"


def run(
    op: options.OpGiven = None,
    shape: options.ShapeGiven = None,
    dtype: options.DtypeGiven = None,
    layout: options.LayoutFlag = None,
    tolerance: options.ToleranceGiven = None,
    target: options.TargetGiven = None,
    threads: options.ThreadsGiven = None,
    trials: Annotated[
        int | None,
        typer.Option("--trials", min=1, help="Schedules to measure; 64 without a budget."),
    ] = None,
    budget: Annotated[
        str | None, typer.Option("--budget", help="Time for everything: 30s, 10m or 1h.")
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume", help="Go on with the run of this log: its trials count, its options hold."
        ),
    ] = None,
    misses: Annotated[
        bool, typer.Option("--misses", help="Tune what lookups for the target missed, worst first.")
    ] = False,
    explorer: Annotated[
        str | None, typer.Option("--explorer", help="`autotune list explorers`; annealing.")
    ] = None,
    cost_model: Annotated[
        str | None, typer.Option("--cost-model", help="`autotune list models`; xgboost.")
    ] = None,
    space: Annotated[
        str | None, typer.Option("--space", help="TOML file that pins, narrows or forbids knobs.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Seed of every random choice; 0.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", help="Seconds that one candidate may take; 10.")
    ] = None,
    cache_policy: Annotated[
        str | None,
        typer.Option(
            "--cache-policy",
            help="Operands when timed: warm, or rotating, which are in no cache; warm.",
        ),
    ] = None,
    cache: options.CacheFlag = None,
    log: Annotated[
        str | None, typer.Option("--log", help="Log file; one in the user's data by default.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be tuned; measure nothing.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no summary.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also say what is about to be tuned.")
    ] = False,
    as_json: options.JsonFlag = False,
) -> None:
    """Tune one workload, or those missed, and keep what beats the default schedule."""
    budget_s = None if budget is None else options.budget_seconds(budget)
    given = {
        "seed": seed,
        "explorer": explorer,
        "cost_model": cost_model,
        "space": space,
        "timeout_s": timeout,
        "cache_policy": cache_policy,
    }
    wanted = {name: value for name, value in given.items() if value is not None}
    if misses:
        named = {"--op": op, "--shape": shape, "--dtype": dtype, "--layout": layout}
        refuse({**named, "--tolerance": tolerance, "--resume": resume})
        run_misses(
            "host" if target is None else target,
            threads,
            partial(_trials, trials),
            budget_s,
            wanted,
            cache,
            log,
            dry_run,
            quiet,
            as_json,
        )
        return
    going_on = None if resume is None else _unfinished(resume)
    workload = _workload(going_on, op, shape, dtype, layout, tolerance)
    target, threads = _target(going_on, target, threads)
    logged = {} if going_on is None else going_on.options
    chosen = {**logged, **wanted}
    if dry_run:
        _dry_run(workload, target, threads, chosen.get("space"), as_json)
        return
    if verbose and not quiet:
        show.note(f"tuning {workload.key} for {target}, seed {chosen.get('seed', 0)}")
    with listening() as received, Gate() as gate:
        try:
            with progress.watch(quiet) as report:
                # Imported after the input is known to be good: it brings every heavy library.
                from autotune.tune import tune

                result = tune(
                    workload,
                    trials=_trials(trials, budget_s),
                    budget_s=budget_s,
                    target=target,
                    threads=threads,
                    cache=cache,
                    log=log,
                    resume=going_on,
                    progress=report,
                    **chosen,
                )
            gate.close()
        except KeyboardInterrupt as error:
            show.problem("error", "interrupted before anything was measured")
            raise typer.Exit(exit_code(error)) from error
        _report(result.to_dict(), received, quiet, as_json)


def _unfinished(log: str) -> Unfinished:
    from autotune.resume import load

    return load(log)


def _workload(
    going_on: Unfinished | None,
    op: str | None,
    shape: str | None,
    dtype: str | None,
    layout: str | None,
    tolerance: str | None,
) -> Workload:
    """What is named, and of what is not, the log's or else the usual."""
    from autotune.ops.base import parse_workload

    if going_on is None:
        for flag, value in (("--op", op), ("--shape", shape)):
            if value is None:
                raise UsageError(
                    f"Missing option {flag!r} (or '--resume', '--misses'); see `{RUN} --help`"
                )
        return parse_workload(
            op or "",
            shape or "",
            "float32" if dtype is None else dtype,
            layout,
            DEFAULT_TOLERANCE if tolerance is None else tolerance,
        )
    logged = going_on.workload
    _agree(going_on, "--op", op, logged.op)
    return parse_workload(
        logged.op,
        logged.shape if shape is None else shape,
        logged.dtype if dtype is None else dtype,
        logged.layout if layout is None else layout,
        logged.tolerance if tolerance is None else tolerance,
    )


def _target(
    going_on: Unfinished | None, target: str | None, threads: int | None
) -> tuple[str, int]:
    """Target and threads as named; else the log's or the usual."""
    if going_on is None:
        return "host" if target is None else target, 1 if threads is None else threads
    logged = going_on.target
    _agree(going_on, "--threads", threads, logged.threads)
    return logged.key if target is None else target, logged.threads


def _agree(going_on: Unfinished, flag: str, given: object, logged: object) -> None:
    if given is not None and given != logged:
        raise UsageError(
            f"{flag} {given} is not the one of log {going_on.log.path}; allowed: {logged}"
        )


def _trials(trials: int | None, budget_s: float | None) -> int | None:
    """With a budget alone there is no limit on trials: time, the space or convergence ends it."""
    return DEFAULT_TRIALS if trials is None and budget_s is None else trials


def _report(content: dict[str, Any], received: list[int], quiet: bool, as_json: bool) -> None:
    try:
        if as_json:
            show.result_json(content)
        elif not quiet:
            _summary(content)
    except OSError:
        if not received:
            raise
        # A terminal that closes says so by a signal, which decides the exit code.
        show.give_up_stdout()
    is_kept = content.get("kept", True)
    if not is_kept and quiet:
        for line in content.get("notes", ()):
            show.problem("error", line)
    if received or content["stopped"] == "interrupted":
        raise typer.Exit(128 + (received[0] if received else signal.SIGINT))
    if not is_kept:
        raise typer.Exit(1)


def _summary(content: dict[str, Any]) -> None:
    failed = ", ".join(f"{kind} {count}" for kind, count in sorted(content["failures"].items()))
    typer.echo(
        f"{content['trials']} trials in {content['seconds']:.1f} s "
        f"({content['trials_per_second']:.1f}/s), {content['failed']} failed"
        f"{f' ({failed})' if failed else ''}; stopped: {_reason(content)}"
    )
    best, baseline = content["best"], content["baseline"]
    if content["selected"] == "tuned":
        typer.echo(
            f"tuned     {_speed(best)}, {show.number(best['peak_fraction'], '.0%')} of peak"
            f"{_gain(best)}"
        )
        typer.echo(f"default   {_speed(baseline) if baseline else 'failed'}")
    else:
        typer.echo(f"default   {_speed(best)}; nothing measured beats it by more than the noise")
    for line in content.get("notes", ()):
        typer.echo(f"note      {line}")
    typer.echo(f"cache     {content['cache']}")
    typer.echo(f"log       {content['log']}")


def _reason(content: dict[str, Any]) -> str:
    if content["stopped"] != "exhausted":
        return str(content["stopped"])
    return f"space exhausted, {content['trials']} of {content['trials']} schedules measured"


def _gain(best: dict[str, Any]) -> str:
    if best["speedup"] is None:
        return ""
    low, high = best["speedup_interval"]
    return f", {best['speedup']:.2f}x the default (interval {low:.2f} to {high:.2f})"


def _speed(entry: dict[str, Any]) -> str:
    return f"{show.duration(entry['seconds'])}, {show.number(entry['gflops'])} GFLOP/s"


def _dry_run(
    workload: Workload, target: str, threads: int, space_file: str | None, as_json: bool
) -> None:
    planned = plan(workload, target, threads, space_file)
    if as_json:
        show.result_json(planned)
        return
    size = planned["space"]["size"]
    about = "" if planned["space"]["exact"] else "about "
    typer.echo(f"workload  {planned['key']}")
    typer.echo(f"target    {planned['target']}")
    typer.echo(f"space     {about}{size:,} schedules")
    for knob, values in planned["space"]["knobs"].items():
        typer.echo(f"  {knob}: {', '.join(map(str, values))}")
    typer.echo(f"default   {planned['digest']}")
    typer.echo(planned["nest"].rstrip())
