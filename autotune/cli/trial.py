"""`autotune show`: one trial of a log, rebuilt in a process that may die."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from autotune.cli import options, show
from autotune.errors import ScheduleError

if TYPE_CHECKING:
    from autotune.measure.rebuild import Rebuilt
    from autotune.resume import Unfinished
    from autotune.store.entry import Entry


def trial(
    name: Annotated[
        str, typer.Argument(metavar="TRIAL", help="Index in the log, or digits of its digest.")
    ],
    log: Annotated[
        str | None, typer.Option("--log", help="Log of the run; your newest one by default.")
    ] = None,
    ir: Annotated[bool, typer.Option("--ir", help="Print its LLVM IR in full.")] = False,
    asm: Annotated[bool, typer.Option("--asm", help="Print its assembly in full.")] = False,
    as_json: options.JsonFlag = False,
) -> None:
    """Show one trial of a log: its loop nest, what became of it, and what does when rebuilt."""
    from autotune.resume import load
    from autotune.store.log import newest

    run = load(newest() if log is None else log)
    if run.log.summary:
        show.problem("note", run.log.summary)
    entry = run.log.find(name)
    nest, rebuilt = _nest(run, entry), _rebuilt(run, entry)
    if as_json:
        failure = rebuilt.failure
        error = failure and {"kind": failure.kind, "message": failure.message}
        content = {"trial": run.log.fields_of(entry), "nest": nest, "ir": rebuilt.ir}
        show.result_json({**content, "asm": rebuilt.asm, "error": error})
        return
    _print(run, entry, nest, rebuilt)
    for wanted, text in ((ir, rebuilt.ir), (asm, rebuilt.asm)):
        if wanted:
            typer.echo(text.rstrip())


def _nest(run: Unfinished, entry: Entry) -> str:
    from autotune.ir.printer import show as nest
    from autotune.ops.base import contraction

    try:
        return nest(contraction(run.workload), entry.trial.schedule)
    except ScheduleError:
        # Of a schedule that makes no loops the rebuilding says why.
        return ""


def _rebuilt(run: Unfinished, entry: Entry) -> Rebuilt:
    """Failures are sought in running too, where this machine can run the target's code."""
    from autotune.measure.base import MeasureOptions
    from autotune.measure.rebuild import rebuild
    from autotune.targets.detect import runnable

    chosen = run.options
    measuring = MeasureOptions(
        timeout_s=chosen["timeout_s"], seed=chosen["seed"], cache_policy=chosen["cache_policy"]
    )
    failed = entry.trial.failure is not None
    runs = failed and runnable(run.target) is None
    return rebuild(run.workload, run.target, entry.trial.schedule, measuring, runs)


def _print(run: Unfinished, entry: Entry, nest: str, rebuilt: Rebuilt) -> None:
    typer.echo(f"trial     {entry.index} of {run.log.path}: {entry.digest}")
    typer.echo(f"workload  {run.workload.key}")
    typer.echo(f"target    {run.target.key}")
    typer.echo(f"outcome   {_outcome(entry)}")
    typer.echo(f"now       {_now(rebuilt)}")
    typer.echo(f"IR        {_size(rebuilt.ir, '--ir')}")
    typer.echo(f"assembly  {_size(rebuilt.asm, '--asm')}")
    typer.echo(nest.rstrip() or "(no loop nest)")


def _outcome(entry: Entry) -> str:
    trial = entry.trial
    if trial.failure is not None:
        return f"{trial.failure.kind}: {trial.failure.message}"
    assert trial.timing is not None
    low, high = min(trial.timing.samples_s), max(trial.timing.samples_s)
    return (
        f"ok: {show.duration(trial.timing.seconds)}, {trial.timing.ratio:.3f} of the reference's "
        f"time; {len(trial.timing.samples_s)} samples from {show.duration(low)} to "
        f"{show.duration(high)}"
    )


def _now(rebuilt: Rebuilt) -> str:
    if rebuilt.failure is not None:
        return f"{rebuilt.failure.kind}: {rebuilt.failure.message}"
    return (
        "built, checked and timed without an error" if rebuilt.is_run else "built without an error"
    )


def _size(text: str, flag: str) -> str:
    if not text:
        return "none"
    return f"{len(text.splitlines()):,} lines, {len(text.encode()):,} bytes ({flag} prints them)"
