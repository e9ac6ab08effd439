"""Which LLVM this installation has, found without loading it.

A lookup must not pay for llvmlite. The cache notes, whenever a tuned record is stored, which LLVM
the llvmlite of that installation brings; the installed llvmlite's version is a folder's name.
"""

from __future__ import annotations

import importlib.machinery
import os
from collections.abc import Mapping
from functools import cache

NOTE = "llvm of llvmlite "
"""Prefix of the names in the `meta` table; the value is LLVM's version."""
UNKNOWN = ""
"""No statement on LLVM: records are then judged by the code generator's version alone."""
OTHER = "other"
"""An llvmlite with which nothing in this cache was measured."""


def current_llvm(meta: Mapping[str, str]) -> str:
    """LLVM's version in this installation, as far as this cache's `meta` rows tell."""
    installed = installed_llvmlite()
    noted = {name: value for name, value in meta.items() if name.startswith(NOTE)}
    if not installed or not noted:
        return UNKNOWN
    return noted.get(NOTE + installed, OTHER)


@cache
def installed_llvmlite() -> str:
    """The installed llvmlite's version, or '' where it cannot be told."""
    spec = importlib.machinery.PathFinder.find_spec("llvmlite")
    for location in (spec.submodule_search_locations or []) if spec else []:
        try:
            names = os.listdir(os.path.dirname(location))
        except OSError:
            continue
        for name in names:
            if name.startswith("llvmlite-") and name.endswith(".dist-info"):
                return name.removeprefix("llvmlite-").removesuffix(".dist-info")
    return ""
