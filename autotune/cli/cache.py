"""`autotune cache`: what has been tuned, and what was missed."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autotune import registry
from autotune.cli import options, show
from autotune.errors import UsageError
from autotune.trial import DEFAULT_TOLERANCE

if TYPE_CHECKING:
    from autotune.store.importing import ImportReport
    from autotune.store.record import Record

app = typer.Typer(help="The cache of tuned schedules.", no_args_is_help=True)

MOST_MATCHES_NAMED = 10

OnlyOp = Annotated[str | None, typer.Option("--op", help="Only this operator's.")]
OnlyTarget = Annotated[
    str | None,
    typer.Option("--target", help="Only this target's: host, or a part of its key."),
]


class Form(StrEnum):
    """What `cache show` prints of a record's schedule."""

    NEST = "nest"
    IR = "ir"
    ASM = "asm"


@app.command("list")
def list_(
    op: OnlyOp = None,
    target: OnlyTarget = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="At most so many; all by default.")
    ] = None,
    offset: Annotated[
        int, typer.Option("--offset", min=0, help="Leave out so many before them.")
    ] = 0,
    cache: options.CacheFlag = None,
    as_json: options.JsonFlag = False,
) -> None:
    """List what has been tuned, the best record of each key first."""
    from autotune.store.db import open_cache

    with open_cache(cache, must_exist=True) as opened:
        records = opened.entries(_op(op), _target(target), limit=limit, offset=offset)
    entries = [record.to_entry() for record in records]
    if as_json:
        show.result_json({"entries": entries})
        return
    show.table(
        ("time", "GFLOP/s", "speedup", "state", "cpu", "key"),
        (
            (
                show.duration(entry["seconds"]),
                show.number(entry["gflops"]),
                show.number(entry["speedup"], ".2f"),
                "stale" if entry["stale"] else "fresh",
                _cpu(entry["target"]),
                entry["key"],
            )
            for entry in entries
        ),
    )


@app.command("show")
def show_(
    key: Annotated[str, typer.Argument(help="A key, or any part of one that only it has.")],
    form: Annotated[Form, typer.Option("--as", help="Loop nest, LLVM IR or assembly.")] = Form.NEST,
    target: Annotated[
        str | None, typer.Option("--target", help="Only this target's (a part of its key).")
    ] = None,
    cache: options.CacheFlag = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Show one record and its schedule in a readable form."""
    from autotune.store.db import open_cache

    with open_cache(cache, must_exist=True) as opened:
        record = opened.ranked(*_pick(opened.entries(), key, target))[0]
    entry = record.to_entry()
    text = _text(record, form)
    if as_json:
        show.result_json({**entry, "as": form.value, "text": text})
        return
    typer.echo(f"{entry['key']}")
    typer.echo(f"target    {entry['target']}")
    typer.echo(
        f"time      {show.duration(entry['seconds'])}, {show.number(entry['gflops'])} GFLOP/s, "
        f"{show.number(entry['speedup'], '.2f')}x the default"
    )
    typer.echo(f"schedule  {entry['digest']}, tuned {entry['created']}")
    typer.echo(text.rstrip())


@app.command("export")
def export_(
    file: Annotated[Path, typer.Argument(help="JSON-lines file to write; compressed as FILE.zst.")],
    op: OnlyOp = None,
    target: OnlyTarget = None,
    since: Annotated[
        str | None,
        typer.Option("--since", help="Only records made then or later, as 2026-01-31[T12:00:00Z]."),
    ] = None,
    best: Annotated[
        int | None, typer.Option("--best", min=1, help="Only so many of each key, the best.")
    ] = None,
    sign: Annotated[
        str | None, typer.Option("--sign", help="PEM file of the Ed25519 key that signs it.")
    ] = None,
    cache: options.CacheFlag = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Write records to a JSON-lines file."""
    from autotune.store.db import open_cache

    chosen = {"op": _op(op), "target": _target(target), "since": _moment(since)}
    with open_cache(cache, must_exist=True) as opened:
        count = opened.export(file, **chosen, best=best, key_file=sign)
    if as_json:
        show.result_json({"exported": count, "file": str(file)})
    else:
        typer.echo(f"{count} records written to {file}")


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="File that `cache export` wrote.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change and write nothing.")
    ] = False,
    trust: Annotated[
        str | None,
        typer.Option("--trust", help="PEM file of the public key whose owner must have signed it."),
    ] = None,
    cache: options.CacheFlag = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Add an exported file's records to the cache; nothing that is there is replaced."""
    from autotune.store.db import open_to_write
    from autotune.store.preview import preview_import

    if not file.exists():
        raise UsageError(f"file {str(file)!r} does not exist; a file that export wrote is needed")
    if dry_run:
        taken = preview_import(cache, file, trust)
    else:
        with open_to_write(cache) as opened:
            taken = opened.import_(file, trust)
    if as_json:
        show.result_json({**taken.to_dict(), "dry_run": dry_run, "file": str(file)})
    else:
        _show_import(taken)
    if not taken.is_whole:
        raise typer.Exit(1)


def _show_import(taken: ImportReport) -> None:
    if taken.changes:
        show.table(
            ("new", "answer now", "answer then", "cpu", "key"),
            (
                (
                    str(change.new),
                    show.duration(change.before_s),
                    show.duration(change.after_s) if change.is_other else "the same",
                    _cpu(change.target_key),
                    change.workload_key,
                )
                for change in taken.changes
            ),
        )
    typer.echo(str(taken))
    for target, count in taken.targets.items():
        typer.echo(f"  {count} for {target}")


@app.command("stats")
def stats(cache: options.CacheFlag = None, as_json: options.JsonFlag = False) -> None:
    """Count what the cache holds."""
    from autotune.store.db import open_cache

    with open_cache(cache, must_exist=True) as opened:
        told = opened.stats().to_dict()
    if as_json:
        show.result_json(told)
        return
    for name, value in told.items():
        if isinstance(value, dict):
            show.table((name, "records"), ((part, str(count)) for part, count in value.items()))
        else:
            typer.echo(f"{name:9} {'-' if value is None else value}")


@app.command("prune")
def prune(
    keep: Annotated[
        int | None, typer.Option("--keep", min=1, help="Leave so many records of each key.")
    ] = None,
    stale: Annotated[
        bool, typer.Option("--stale", help="Remove stale records, a key's only one too.")
    ] = False,
    imported: Annotated[
        bool, typer.Option("--imported", help="Remove imported ones that were never verified.")
    ] = False,
    broken: Annotated[
        bool, typer.Option("--broken", help="Remove those that cannot be read.")
    ] = False,
    op: OnlyOp = None,
    target: OnlyTarget = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how many and remove none.")
    ] = False,
    cache: options.CacheFlag = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Remove records that nobody needs, as the options say; the best of a key goes last."""
    from autotune.store.db import open_cache
    from autotune.store.pruning import Reasons

    reasons = Reasons(keep, stale, imported, broken)
    with open_cache(cache, must_exist=True) as opened:
        told = opened.prune(reasons, _op(op), _target(target), dry_run)
    if as_json:
        show.result_json({**told, "dry_run": dry_run})
        return
    removed = sum(told["removed"].values())
    typer.echo(f"{removed} records {'would be ' if dry_run else ''}removed, {told['left']} left")
    for reason, count in told["removed"].items():
        typer.echo(f"  {count} {reason}")


def _op(name: str | None) -> str:
    """The operator's name, '' for all of them."""
    known = registry.OPERATORS.names()
    if name is not None and name not in known:
        raise UsageError(f"op {name!r} is not known; allowed: {', '.join(known)}")
    return name or ""


def _target(text: str | None) -> str:
    """A part of target keys; of `host`, this machine's with any number of threads."""
    if text != "host":
        return text or ""
    from autotune.targets.detect import host

    return host().key.rpartition("/")[0] + "/"


def _moment(text: str | None) -> str:
    """The time, as records have it."""
    from autotune.store.record import NEVER

    if text is None:
        return NEVER
    for form in ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"):
        with suppress(ValueError):
            return datetime.strptime(text, form).isoformat() + "Z"
    raise UsageError(f"since {text!r} is not allowed; allowed: 2026-01-31 or 2026-01-31T12:00:00Z")


@app.command("misses")
def misses(
    op: Annotated[str | None, typer.Option("--op", help="Only this operator's.")] = None,
    cache: options.CacheFlag = None,
    as_json: options.JsonFlag = False,
) -> None:
    """List what was looked up, was not there and still is not, most often missed first."""
    from autotune.store.db import open_cache

    with open_cache(cache, must_exist=True) as opened:
        missed = [miss for miss in opened.misses() if op is None or miss["op"] == op]
    if as_json:
        show.result_json({"misses": missed})
        return
    show.table(
        ("count", "first seen", "last seen", "cpu", "key"),
        (
            (
                str(miss["count"]),
                miss["first_seen"],
                miss["last_seen"],
                _cpu(miss["target"]),
                miss["key"],
            )
            for miss in missed
        ),
    )


@app.command("why")
def why(
    key: Annotated[
        str | None,
        typer.Argument(help="A workload's key, as `lookup` prints it; or --op, --shape."),
    ] = None,
    op: options.OpGiven = None,
    shape: options.ShapeGiven = None,
    dtype: options.DtypeFlag = "float32",
    layout: options.LayoutFlag = None,
    tolerance: options.ToleranceFlag = f"{DEFAULT_TOLERANCE:g}",
    target: options.TargetFlag = "host",
    threads: options.ThreadsFlag = 1,
    cache: options.CachesFlag = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Explain a hit or a miss: which records exist, and why each is or is not the answer."""
    from autotune.lookup import why as explain
    from autotune.ops.base import parse_workload, workload_of

    if key is None and op is not None and shape is not None:
        workload = parse_workload(op, shape, dtype, layout, tolerance)
    elif key is not None and op is None and shape is None:
        workload = workload_of(key)
    else:
        raise UsageError("a workload's key is needed, or both of --op and --shape, and not all")
    found = explain(workload, target=target, threads=threads, cache=cache or None)
    if as_json:
        show.result_json(found.to_dict())
        return
    hit = found.hit
    typer.echo(f"{'hit' if hit.is_hit else 'miss'}: {hit.key}")
    typer.echo(f"origin    {hit.origin}")
    typer.echo(f"target    {hit.target}")
    for seen in found.records:
        record = seen.record
        where = f"{show.duration(record.seconds)}, {record.origin}, {record.created}"
        typer.echo(f"{seen.verdict:9} {seen.reason}: {record.digest} ({where})")
    if hit.cliff is not None:
        typer.echo(f"reason    {hit.cliff.reason}; expected to take {hit.cliff.price}")
        typer.echo(f"to fix    {hit.cliff.fix}")


@app.command("snapshot")
def snapshot(
    folder: Annotated[Path, typer.Argument(help="Folder for the file; made if absent.")],
    cache: options.CacheFlag = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Write every record to a file that is named by its content, for builds on several hosts."""
    from autotune.store.db import open_cache

    with open_cache(cache, must_exist=True) as opened:
        taken = opened.snapshot(folder)
    if as_json:
        show.result_json({**taken._asdict(), "cache": taken.location})
    else:
        show.note(f"{taken.records} records; look up with --cache or AUTOTUNE_CACHE set to")
        typer.echo(taken.location)


def _cpu(target_key: str) -> str:
    """A target key without its features, which all records of one machine share."""
    cpu, _, threads = target_key.split("/")
    return f"{cpu}/{threads}"


def _pick(records: list[Record], key: str, target: str | None) -> tuple[str, str]:
    """Target key and workload key of the only pair that `key` and `target` can mean."""
    pairs = dict.fromkeys(
        (r.target_key, r.key) for r in records if target is None or target in r.target_key
    )
    matches = [pair for pair in pairs if pair[1] == key] or [p for p in pairs if key in p[1]]
    if not matches:
        raise UsageError(f"no record's key contains {key!r}; `autotune cache list` shows them all")
    if len(matches) > 1:
        named = [f"{found} on {machine}" for machine, found in matches[:MOST_MATCHES_NAMED]]
        more = len(matches) - len(named)
        named += [f"and {more} more"] if more else []
        raise UsageError(f"{len(matches)} records match {key!r}: {'; '.join(named)}")
    return matches[0]


def _text(record: Record, form: Form) -> str:
    from autotune.ops.base import contraction

    computed = contraction(record.workload)
    if form is Form.NEST:
        from autotune.ir.printer import show as nest

        return nest(computed, record.schedule)
    from autotune.backends import cpu
    from autotune.targets.detect import resolve

    machine = resolve(record.target_key)
    lower = cpu.ir_text if form is Form.IR else cpu.assembly
    return lower(computed, record.schedule, machine)
