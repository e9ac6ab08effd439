"""`autotune cache`: list, show, export and import what has been tuned."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autotune.cli import options, show
from autotune.errors import UsageError

if TYPE_CHECKING:
    from autotune.store.record import Record

app = typer.Typer(help="The cache of tuned schedules.", no_args_is_help=True)

MOST_MATCHES_NAMED = 10


class Form(StrEnum):
    """What `cache show` prints of a record's schedule."""

    NEST = "nest"
    IR = "ir"
    ASM = "asm"


@app.command("list")
def list_(
    op: Annotated[str | None, typer.Option("--op", help="Only this operator's.")] = None,
    cache: options.CacheFlag = None,
    as_json: options.JsonFlag = False,
) -> None:
    """List what has been tuned."""
    from autotune.store.db import open_cache

    with open_cache(cache, must_exist=True) as opened:
        records = opened.entries()
    entries = [r.to_entry() for r in records if op is None or r.workload.op == op]
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
    file: Annotated[Path, typer.Argument(help="JSON-lines file to write.")],
    cache: options.CacheFlag = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Write every record to a JSON-lines file."""
    from autotune.store.db import open_cache

    with open_cache(cache, must_exist=True) as opened:
        count = opened.export(file)
    if as_json:
        show.result_json({"exported": count, "file": str(file)})
    else:
        typer.echo(f"{count} records written to {file}")


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="File that `cache export` wrote.")],
    cache: options.CacheFlag = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Merge an exported file into the cache; a better record is never replaced."""
    from autotune.store.db import open_cache

    if not file.exists():
        raise UsageError(f"file {str(file)!r} does not exist; a file that export wrote is needed")
    with open_cache(cache) as opened:
        taken = opened.import_(file)
    if as_json:
        show.result_json({**taken.to_dict(), "file": str(file)})
    else:
        typer.echo(str(taken))
    if taken.bad or taken.missing:
        raise typer.Exit(1)


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
