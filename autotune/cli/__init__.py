"""The `autotune` command: parses, calls one function, prints; no logic.

Heavy libraries are imported inside the commands, so that a lookup stays cheap. Exit codes: 0 done,
1 failed, 2 bad usage or bad input, 3 cache miss, 129/130/143 ended by a signal.
"""

from __future__ import annotations

import errno
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

import autotune
from autotune.cli import cache, doctor, listing, lookup, replay, run, show, trial
from autotune.errors import AutotuneError, CacheMissError, UsageError
from autotune.interruption import exit_code


def _one_line(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    show.problem("warning", message)


@contextmanager
def _told() -> Iterator[None]:
    """Turns what went wrong into one line on stderr and the exit code it stands for."""
    try:
        yield
    except UsageError as error:
        show.problem("error", error)
        raise typer.Exit(2) from error
    except CacheMissError as error:
        show.problem("error", error)
        raise typer.Exit(3) from error
    except AutotuneError as error:
        show.problem("error", error)
        raise typer.Exit(1) from error
    except TyperException as error:
        show.problem("error", _usage(error))
        raise typer.Exit(error.exit_code) from error
    except KeyboardInterrupt as error:
        show.problem("error", "interrupted")
        raise typer.Exit(exit_code(error)) from error
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise  # the reader has what it wanted; Typer ends in silence
        show.problem("error", error)
        show.give_up_stdout()
        raise typer.Exit(1) from error


def _usage(error: TyperException) -> str:
    """The message, with the value that Typer leaves out and the way to help.

    Raises:
        TyperException: nothing was asked for: its message is the help itself.
    """
    message = error.format_message().rstrip(".")
    if "\n" in message:
        raise error
    refused: list[Any] = getattr(error.__cause__, "errors", list)()
    value = repr(refused[0].get("input")) if refused else ""
    if value not in message:
        message += f", not {value}"
    context = getattr(error, "ctx", None)
    return message + (f"; see `{context.command_path} --help`" if context else "")


class _Group(TyperGroup):
    """Ends every command through `_told`, where its options are read as well."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with _told():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        with _told(), warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = _one_line
            return super().invoke(ctx)


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
app.command("show")(trial.trial)
app.command("replay")(replay.replay)
app.command("doctor")(doctor.doctor)
app.add_typer(cache.app, name="cache")
app.add_typer(listing.app, name="list")
