"""`autotune replay`: explorers and cost models against a recorded sweep; nothing is measured."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any

import typer

from autotune.cli import options, show

if TYPE_CHECKING:
    from autotune.sweeps.base import Sweep
    from autotune.sweeps.report import Quartiles, Searches


def replay(
    sweep: Annotated[
        str,
        typer.Argument(help="A recorded sweep, Kernel Tuner's cache file, or T4 results."),
    ],
    explorer: Annotated[
        list[str] | None,
        typer.Option("--explorer", help="`autotune list explorers`; annealing. May come again."),
    ] = None,
    cost_model: Annotated[
        list[str] | None,
        typer.Option(
            "--cost-model", help="`autotune list models`, or none; xgboost. May come again."
        ),
    ] = None,
    trials: Annotated[int, typer.Option("--trials", min=1, help="Points to measure.")] = 200,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Searches of each kind.")] = 20,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the first search.")] = 0,
    picture: Annotated[
        str | None, typer.Option("--picture", help="Draw the curves: a name in .svg or .png.")
    ] = None,
    write: Annotated[
        str | None, typer.Option("--write", help="Write the sweep to this file; search nothing.")
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="Of --write: sweep, kernel-tuner or t4.")
    ] = "kernel-tuner",
    as_json: options.JsonFlag = False,
) -> None:
    """Replay searches on a recorded sweep: trials and regret, with quartiles over the seeds."""
    from autotune.sweeps import formats
    from autotune.sweeps import picture as pictures
    from autotune.sweeps.replay import replays
    from autotune.sweeps.report import Searches
    from autotune.sweeps.space import SweepSpace

    if picture is not None:
        pictures.check(picture)
    space = SweepSpace(formats.read(sweep))
    if write is not None:
        formats.write(space.sweep, write, form)
        if as_json:
            show.result_json({**_about(space.sweep), "written": write, "format": form})
        return
    numbers = range(seed, seed + seeds)
    found = {
        pair: Searches(space.sweep, tuple(replays(space, *pair, trials, numbers)))
        for pair in product(explorer or ["annealing"], cost_model or ["xgboost"])
    }
    if picture is not None:
        title = f"{space.sweep.name}: {len(space.sweep):,} points, {seeds} seeds"
        pictures.draw(title, {" with ".join(p): each.curves for p, each in found.items()}, picture)
    if as_json:
        searches = [
            {"explorer": explorer, "cost_model": cost_model, **each.to_dict()}
            for (explorer, cost_model), each in found.items()
        ]
        show.result_json({**_about(space.sweep), "trials": trials, "searches": searches})
        return
    _print(space.sweep, found, seeds)


def _about(sweep: Sweep) -> dict[str, Any]:
    return {
        "sweep": sweep.name,
        "points": len(sweep),
        "failed": sum(map(bool, sweep.failures)),
        "best_known": {
            "seconds": sweep.best_ratio * sweep.reference_s,
            "ratio": sweep.best_ratio,
            "values": sweep.values(sweep.best_row),
        },
        "share_within_95": sweep.share_within(0.95),
        "share_within_99": sweep.share_within(0.99),
        "features_version": sweep.features_version,
        "about": dict(sweep.about),
    }


def _print(sweep: Sweep, found: Mapping[tuple[str, str], Searches], seeds: int) -> None:
    best = sweep.best_ratio * sweep.reference_s
    typer.echo(
        f"{sweep.name}: {len(sweep):,} points, best known {show.duration(best)}; "
        f"{sweep.share_within(0.95):.2%} of them within 95% of it, {sweep.share_within(0.99):.2%} "
        f"within 99%; {seeds} seeds, quartiles"
    )
    regrets = {pair: each.regrets() for pair, each in found.items()}
    ats = max(regrets.values(), key=len)
    rows = []
    for pair, each in found.items():
        trials = [_range(quartiles, ".0f") for quartiles in each.trials().values()]
        rows.append([*pair, *trials, *(_range(q, ".3f") for q in regrets[pair].values())])
    show.table(["explorer", "model", "to 95%", "to 99%", *(f"at {at}" for at in ats)], rows)
    for note in dict.fromkeys(note for each in found.values() for note in each.notes):
        show.note(f"note: {note}")


def _range(quartiles: Quartiles, form: str) -> str:
    """`32 (24 to 51)`: the median, and between which lies half of the seeds."""
    low, middle, high = (
        "never" if value is None else format(value, form) for value in quartiles.to_dict().values()
    )
    return f"{middle} ({low} to {high})"
