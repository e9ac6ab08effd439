"""`autotune run`: tune one workload, with live progress; a signal ends it with the best kept."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Annotated, Any

import typer

from autotune.cli import options, progress, show
from autotune.cli.plan import plan
from autotune.trial import DEFAULT_TOLERANCE, Workload

DEFAULT_TRIALS = 64


def run(
    op: options.OpFlag,
    shape: options.ShapeFlag,
    dtype: options.DtypeFlag = "float32",
    layout: options.LayoutFlag = None,
    tolerance: options.ToleranceFlag = DEFAULT_TOLERANCE,
    target: options.TargetFlag = "host",
    threads: options.ThreadsFlag = 1,
    trials: Annotated[
        int | None,
        typer.Option("--trials", min=1, help="Schedules to measure; 64 without a budget."),
    ] = None,
    budget: Annotated[
        str | None, typer.Option("--budget", help="Time for everything: 30s, 10m or 1h.")
    ] = None,
    explorer: Annotated[
        str, typer.Option("--explorer", help="`autotune list explorers` names them.")
    ] = "annealing",
    cost_model: Annotated[
        str, typer.Option("--cost-model", help="`autotune list models` names them.")
    ] = "xgboost",
    space: Annotated[
        str | None, typer.Option("--space", help="TOML file that pins, narrows or forbids knobs.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of every random choice.")] = 0,
    timeout: Annotated[
        float, typer.Option("--timeout", help="Seconds that one candidate may take.")
    ] = 10.0,
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
    """Tune one workload and keep the winner in the cache if it beats the default schedule."""
    from autotune.ops.base import parse_workload

    workload = parse_workload(op, shape, dtype, layout, tolerance)
    budget_s = None if budget is None else options.budget_seconds(budget)
    if dry_run:
        _dry_run(workload, target, threads, space, as_json)
        return
    if verbose and not quiet:
        show.note(f"tuning {workload.key} for {target}, seed {seed}")
    with _signals() as received, progress.watch(quiet) as report:
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
            seed=seed,
            explorer=explorer,
            cost_model=cost_model,
            space=space,
            timeout_s=timeout,
            progress=report,
        )
    _report(result.to_dict(), received, quiet, as_json)


def _trials(trials: int | None, budget_s: float | None) -> int | None:
    """With a budget alone there is no limit on trials: time, the space or convergence ends it."""
    return DEFAULT_TRIALS if trials is None and budget_s is None else trials


def _report(content: dict[str, Any], received: list[int], quiet: bool, as_json: bool) -> None:
    if as_json:
        show.result_json(content)
    elif not quiet:
        _summary(content)
    if content["stopped"] == "interrupted":
        raise typer.Exit(128 + (received[0] if received else signal.SIGINT))
    if not content.get("kept", True):
        raise typer.Exit(1)


class Interrupted(KeyboardInterrupt):
    """A signal said stop.

    Python ends a process by SIGINT itself, whatever exit code is asked for, once it has seen a
    plain KeyboardInterrupt leave a piece of text that was executed: named tuples are made so.
    """


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Lets SIGTERM and SIGHUP end a run as Ctrl-C does; yields the signals received so far."""
    received: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        received.append(number)
        raise Interrupted

    wanted = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    # What the parent set to be ignored (nohup) stays ignored.
    heard = [number for number in wanted if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in heard}
    try:
        yield received
    except KeyboardInterrupt as error:
        show.problem("error", "interrupted before anything was measured")
        raise typer.Exit(128 + (received[0] if received else signal.SIGINT)) from error
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


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
