"""`autotune lookup`: what a compiler would get for a workload. Loads the standard library only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from autotune.cli import options, show
from autotune.trial import DEFAULT_TOLERANCE

if TYPE_CHECKING:
    from autotune.lookup.answer import Hit

EXIT_MISS = 3


def lookup(
    op: options.OpFlag,
    shape: options.ShapeFlag,
    dtype: options.DtypeFlag = "float32",
    layout: options.LayoutFlag = None,
    tolerance: options.ToleranceFlag = f"{DEFAULT_TOLERANCE:g}",
    target: options.TargetFlag = "host",
    threads: options.ThreadsFlag = 1,
    cache: options.CachesFlag = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="A miss is an error, and no schedule is given.")
    ] = False,
    as_json: options.JsonFlag = False,
) -> None:
    """Show what a compiler would get: exit 0 on a hit, 3 with a fallback schedule on a miss."""
    from autotune.ir.printer import show as nest
    from autotune.lookup import lookup as find
    from autotune.ops.base import contraction, parse_workload

    workload = parse_workload(op, shape, dtype, layout, tolerance)
    hit = find(workload, target=target, threads=threads, cache=cache or None, strict=strict)
    if as_json:
        show.result_json(hit.to_dict())
    else:
        _print(hit, nest(contraction(workload), hit.schedule))
    if not hit.is_hit:
        raise typer.Exit(EXIT_MISS)


def _print(hit: Hit, nest: str) -> None:
    state = "hit" if hit.is_hit else "miss"
    marks = "".join([", stale" if hit.stale else "", ", verified" if hit.verified else ""])
    typer.echo(f"{state}: {hit.key}")
    typer.echo(f"origin    {hit.origin}{marks}")
    typer.echo(f"target    {hit.target}")
    typer.echo(f"time      {show.duration(hit.seconds)}, {show.number(hit.gflops)} GFLOP/s")
    typer.echo(f"schedule  {hit.schedule.digest}")
    typer.echo(nest.rstrip())
