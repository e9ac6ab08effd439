"""`autotune list`: what is installed, plug-ins included."""

from __future__ import annotations

import ast
import importlib.resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import typer

from autotune import registry
from autotune.cli import options, show

app = typer.Typer(help="What is installed.", no_args_is_help=True)


@app.command("ops")
def ops(as_json: options.JsonFlag = False) -> None:
    """Operators, their shape keys and layouts."""
    from autotune.ops.base import Operator

    entries: list[dict[str, Any]] = []
    for name in registry.OPERATORS.names():
        operator: Operator = registry.OPERATORS.get(name)
        keys = [key.name for key in operator.keys]
        entries.append(
            {
                "name": name,
                "about": _about(registry.OPERATORS, name),
                "keys": keys,
                "required": [key.name for key in operator.keys if key.default is None],
                "layouts": list(operator.layouts),
            }
        )
    if as_json:
        show.result_json({"ops": entries})
        return
    show.table(
        ("operator", "layouts", "keys"),
        ((e["name"], ",".join(e["layouts"]), ",".join(e["keys"])) for e in entries),
    )


@app.command("targets")
def targets(as_json: options.JsonFlag = False) -> None:
    """This machine and the named targets; the JSON is a file that `--target` takes."""
    from autotune.targets.base import Target
    from autotune.targets.detect import host

    found: dict[str, Target] = {"host": host()}
    found.update((name, registry.TARGETS.get(name)) for name in registry.TARGETS.names())
    if as_json:
        entries = [{"name": name, **target.to_dict()} for name, target in found.items()]
        show.result_json({"targets": entries})
        return
    show.table(
        ("target", "vector bytes", "cores", "key"),
        ((n, str(t.vector_bytes), str(t.cores), t.key) for n, t in found.items()),
    )


@app.command("spaces")
def spaces(as_json: options.JsonFlag = False) -> None:
    """Search-space files that come with the program."""
    entries = [{"name": place.name, "about": _comment(place)} for place in _space_files()]
    if as_json:
        show.result_json({"spaces": entries})
        return
    show.table(("space", "about"), ((entry["name"], entry["about"]) for entry in entries))


@app.command("explorers")
def explorers(as_json: options.JsonFlag = False) -> None:
    """Explorers for `--explorer`."""
    _plugins("explorers", registry.EXPLORERS, as_json)


@app.command("models")
def models(as_json: options.JsonFlag = False) -> None:
    """Cost models for `--cost-model`."""
    _plugins("models", registry.COST_MODELS, as_json)


def _plugins(noun: str, kind: registry.Kind, as_json: bool) -> None:
    entries = [{"name": name, "about": _about(kind, name)} for name in kind.names()]
    if as_json:
        show.result_json({noun: entries})
        return
    show.table(("name", "about"), ((entry["name"], entry["about"]) for entry in entries))


def _space_files() -> list[Traversable]:
    """The package's search-space files, or those of the checkout it runs from."""
    inside = importlib.resources.files("autotune") / "search_spaces"
    beside = Path(__file__).parents[2] / "search_spaces"
    folder: Traversable = inside if inside.is_dir() else beside
    files = folder.iterdir() if folder.is_dir() else ()
    return sorted((f for f in files if f.name.endswith(".toml")), key=lambda place: place.name)


def _comment(place: Traversable) -> str:
    """The comment that a file begins with."""
    first = place.read_text(encoding="utf-8").partition("\n")[0]
    return first.removeprefix("#").strip() if first.startswith("#") else ""


def _about(kind: registry.Kind, name: str) -> str:
    """First line of the plug-in's docstring, read without importing what it imports."""
    path = importlib.resources.files(kind.package) / f"{name.replace('-', '_')}.py"
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]
