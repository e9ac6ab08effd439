"""Holds the table of layers: who may import whom, and which file may use which library."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "autotune").rglob("*.py"))

LAYERS: dict[str, str] = {
    "errors": "",
    "registry": "errors",
    "pages": "",
    "targets": "errors registry",
    # Legality asks what a target's registers hold, so the schedule language knows Target.
    "ir": "errors targets.base",
    "trial": "errors ir",
    "ops": "errors registry ir trial",
    "reference": "errors registry ir trial ops.base",
    "space": "errors ir trial ops.base targets.base",
    "backends": "errors ir trial targets",
    "runtime": "errors pages ir trial ops.base targets.base backends",
    # Features are computed from what the generated space decodes its points to.
    "features": "errors ir space targets.base",
    "cost": "errors",
    "explorers": "errors space.base",
    "measure": "errors pages registry ir trial ops.base targets reference backends runtime",
    # An import parses each workload anew before it is believed.
    "store": "errors ir trial ops.base",
    "progress": "ir trial",
    "finalists": "ir trial progress",
    # Only `load` needs the runtime, and imports it when it is called.
    "lookup": "errors registry ir trial ops.base targets store runtime",
    "interruption": "",
    "keeping": "errors trial targets.base store",
    "limits": "errors ir space.base",
    "learning": "ir trial space.base cost.base explorers.base",
    "diagnosis": "errors trial",
    # A log's header describes a target as a target file does.
    "resume": "errors ir trial ops.base targets space.base store finalists",
    "search": "errors ir trial space.base cost.base explorers.base measure.base progress finalists "
    "limits learning diagnosis resume",
    "sweeps": "errors registry ir trial space.base cost.base explorers.base measure.base "
    "store.lines limits search",
    "final_round": "errors ir trial finalists diagnosis interruption keeping progress search",
    "tune": "errors registry ir trial ops.base targets space backends features cost explorers "
    "measure store progress interruption keeping limits diagnosis resume search final_round",
    "batch": "errors ops.base targets store lookup",
    "doctor": "errors ir trial ops.base targets measure store",
    "cli": "errors registry ir trial ops.base targets space backends measure store progress lookup "
    "interruption resume sweeps tune batch doctor",
    "__main__": "interruption cli",
}
"""Unit -> what it may import, lowest first: every name on the right stands further up."""

LIBRARIES: dict[str, tuple[str, ...]] = {
    "llvmlite": ("backends",),
    "sqlalchemy": ("store.db", "store.engine"),
    "zstandard": ("store.compression",),
    "cryptography": ("store.signature",),
    "xgboost": ("cost.xgboost",),
    "scipy": ("cost.metrics",),
    "typer": ("cli",),
    "matplotlib": ("sweeps.picture",),
    "rich": ("cli",),
    "numpy": (
        *(
            "pages",
            "ops",
            "reference",
            "space",
            "backends",
            "runtime",
            "features",
            "cost",
            "explorers",
        ),
        *("measure", "learning", "resume", "tune", "sweeps"),
    ),
}
"""Library -> the only units and files that may import it."""


def module_of(path: Path) -> str:
    """Dotted name below `autotune`, '' for the package itself."""
    parts = path.relative_to(ROOT / "autotune").with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


MODULES = {module_of(path) for path in FILES}


def imports(path: Path) -> Iterator[str]:
    """Absolute names of all modules that a file imports, wherever it does so."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            for alias in node.names:
                below = f"{node.module}.{alias.name}"
                is_module = below.removeprefix("autotune.") in MODULES
                yield below if is_module else node.module


def within(module: str, units: tuple[str, ...] | list[str]) -> bool:
    """Whether a module is one of the units or lies in one of them."""
    return any(module == unit or module.startswith(f"{unit}.") for unit in units)


def own(module: str) -> str:
    """The unit that a module belongs to."""
    return module.partition(".")[0]


def test_table_points_upwards_only() -> None:
    seen: list[str] = []
    for unit, allowed in LAYERS.items():
        assert all(own(name) in seen for name in allowed.split()), unit
        seen.append(unit)


def test_every_file_stands_in_the_table() -> None:
    assert {own(module) for module in MODULES if module} <= LAYERS.keys()


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_imports_keep_to_the_table(path: Path) -> None:
    module = module_of(path)
    for name in imports(path):
        if name == "autotune" or not name.startswith("autotune."):
            continue
        imported = name.removeprefix("autotune.")
        if module and own(imported) != own(module):
            allowed = LAYERS[own(module)].split()
            assert within(imported, allowed), f"{module} may not import {imported}"


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_libraries_stay_in_their_folders(path: Path) -> None:
    module = module_of(path)
    for name in imports(path):
        library = name.partition(".")[0]
        if library == "autotune" or library in sys.stdlib_module_names:
            continue
        assert library in LIBRARIES, f"{module} imports {library}, which stands in no table"
        assert within(module, LIBRARIES[library]), f"{module} may not import {library}"
