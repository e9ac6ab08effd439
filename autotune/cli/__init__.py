"""The `autotune` command: parses, calls one function, prints; no logic.

Heavy libraries are imported inside the commands, so that a lookup stays cheap. Exit codes: 0 done,
1 failed, 2 bad usage or bad input, 3 cache miss, 129/130/143 ended by a signal.
"""

from __future__ import annotations

import warnings
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperGroup

import autotune
from autotune.cli import cache, doctor, listing, lookup, run, show
from autotune.errors import AutotuneError, UsageError


def _one_line(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    show.problem("warning", message)


class _Group(TyperGroup):
    """Turns this package's errors into one line on stderr and the exit code they stand for."""

    def invoke(self, ctx: Any) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", UserWarning)
                warnings.showwarning = _one_line
                return super().invoke(ctx)
        except UsageError as error:
            show.problem("error", error)
            raise typer.Exit(2) from error
        except AutotuneError as error:
            show.problem("error", error)
            raise typer.Exit(1) from error
        except KeyboardInterrupt as error:
            show.problem("error", "interrupted")
            raise typer.Exit(130) from error


app = typer.Typer(
    name="autotune",
    cls=_Group,
    help="Tunes matrix products and convolutions for this CPU and keeps the answers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"autotune {autotune.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Tunes matrix products and convolutions for this CPU and keeps the answers."""


app.command("run")(run.run)
app.command("lookup")(lookup.lookup)
app.command("doctor")(doctor.doctor)
app.add_typer(cache.app, name="cache")
app.add_typer(listing.app, name="list")


def main() -> None:
    """Entry point of the installed command."""
    app()
