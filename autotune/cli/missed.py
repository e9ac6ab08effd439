"""`autotune run --misses`: tunes what lookups missed, one workload after the other."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import typer

from autotune.cli import progress, show
from autotune.cli.plan import plan
from autotune.errors import UsageError
from autotune.interruption import Gate, listening

if TYPE_CHECKING:
    from autotune.batch import Batch
    from autotune.store.misses import Miss


def run_misses(
    target: str,
    threads: int | None,
    trials: Callable[[float | None], int | None],
    budget_s: float | None,
    chosen: Mapping[str, Any],
    cache: str | None,
    log: str | None,
    dry_run: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Tune every miss that the cache remembers of a target; exit 1 if one of them failed.

    Args:
        target: as for `--target`.
        threads: None is any number of them.
        trials: how many for each, by the seconds it has.
        budget_s: seconds for all of them.
        chosen: further arguments of `tune.tune`.
        cache: path or URL.
        log: file for the logs of all.
        dry_run: show what would be tuned.
        quiet: no progress, no summary.
        as_json: one JSON object.
    """
    from autotune.batch import missed, tune_all
    from autotune.store.db import open_cache

    with open_cache(cache) as opened:
        found = missed(opened, target, threads)
    if not quiet:
        _tell_of_others(found)
    if dry_run:
        _dry_run(found, chosen.get("space"), as_json)
        return
    count = len(found.jobs)
    with listening() as received, Gate() as gate:

        def tune_one(job: Miss, share_s: float | None) -> Mapping[str, Any]:
            # Imported once the input is known to be good: it brings every heavy library.
            from autotune.tune import tune

            if not quiet:
                place = found.jobs.index(job) + 1
                show.note(f"{place} of {count}: {job.workload.key}, missed {job.count} times")
            with progress.watch(quiet) as report:
                return tune(
                    job.workload,
                    trials=trials(share_s),
                    budget_s=share_s,
                    target=job.target_key,
                    cache=cache,
                    log=log,
                    progress=report,
                    **chosen,
                ).to_dict()

        tuned = tune_all(found.jobs, tune_one, budget_s)
        gate.close()
        for told in tuned.workloads:
            if "error" in told:
                show.problem("error", f"{told['key']} for {told['target']}: {told['error']}")
        if as_json:
            show.result_json(tuned.to_dict())
        elif not quiet:
            _summary(tuned.to_dict())
        if received or tuned.is_interrupted:
            raise typer.Exit(128 + (received[0] if received else signal.SIGINT))
        if tuned.failed:
            raise typer.Exit(1)


def refuse(given: Mapping[str, object]) -> None:
    """Refuse options that name a workload, since the misses do.

    Raises:
        UsageError: names the first that is given.
    """
    for flag, value in given.items():
        if value is not None:
            raise UsageError(
                f"{flag} {value} is not allowed with --misses, which names the workloads; allowed: "
                f"--target, --threads, and how to tune"
            )


def _tell_of_others(found: Batch) -> None:
    if not found.jobs:
        show.note("no lookup for this target missed anything that is not tuned by now")
    for key in found.elsewhere:
        show.note(f"misses are left for another target: --target {key}")


def _dry_run(found: Batch, space: str | None, as_json: bool) -> None:
    plans = [plan(job.workload, job.target_key, 1, space) for job in found.jobs]
    if as_json:
        show.result_json({"workloads": plans})
        return
    show.table(
        ("uses", "schedules", "key"),
        (
            (str(job.count), f"{planned['space']['size']:,}", planned["key"])
            for job, planned in zip(found.jobs, plans, strict=True)
        ),
    )


def _summary(content: dict[str, Any]) -> None:
    done = [told for told in content["workloads"] if "error" not in told]
    show.table(
        ("uses", "time", "GFLOP/s", "speedup", "key"),
        (
            (
                str(told["uses"]),
                show.duration(told["best"]["seconds"]),
                show.number(told["best"]["gflops"]),
                show.number(told["best"]["speedup"], ".2f"),
                told["key"],
            )
            for told in done
        ),
    )
    gain = show.number(content["estimated_speedup"], ".2f")
    typer.echo(
        f"{len(done)} tuned in {show.wait(content['seconds'])}, {content['failed']} failed; all "
        f"uses together {gain}x the default"
    )
