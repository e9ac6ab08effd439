"""Finds plug-ins by file name and imports them on first use.

Each kind (operators, targets, explorers, cost models) is a folder; a file `name.py` in it that
defines the kind's constant is a plug-in called `name` (underscores read as hyphens). Nothing is
imported before it is asked for, so a lookup never loads an explorer.
"""

from __future__ import annotations

import importlib
import importlib.resources
from dataclasses import dataclass
from functools import cache
from typing import Any

from autotune.errors import UsageError


@dataclass(frozen=True)
class Kind:
    """One kind of plug-in: where its files are and which constant they define."""

    noun: str
    package: str
    constant: str
    not_plugins: tuple[str, ...] = ("base",)

    def names(self) -> tuple[str, ...]:
        """Names of all installed plug-ins of this kind, sorted."""
        return _names(self)

    def get(self, name: str) -> Any:
        """The plug-in called `name`.

        Raises:
            UsageError: there is none; the message lists those that exist.
        """
        if name not in self.names():
            allowed = ", ".join(self.names())
            raise UsageError(f"unknown {self.noun} {name!r}; installed: {allowed}")
        module = importlib.import_module(f"{self.package}.{name.replace('-', '_')}")
        return getattr(module, self.constant)


@cache
def _names(kind: Kind) -> tuple[str, ...]:
    folder = importlib.resources.files(kind.package)
    stems = (entry.name[:-3] for entry in folder.iterdir() if entry.name.endswith(".py"))
    return tuple(
        sorted(
            stem.replace("_", "-") if kind.noun == "target" else stem
            for stem in stems
            if not stem.startswith("_") and stem not in kind.not_plugins
        )
    )


OPERATORS = Kind("operator", "autotune.ops", "OPERATOR")
TARGETS = Kind("target", "autotune.targets", "TARGET", ("base", "detect"))
EXPLORERS = Kind("explorer", "autotune.explorers", "EXPLORER")
COST_MODELS = Kind("cost model", "autotune.cost", "COST_MODEL", ("base", "metrics"))
