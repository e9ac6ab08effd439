"""Tunes matmul and conv2d kernels for the CPU at hand and keeps the answers for compilers.

Everything public is imported on first use, so that `import autotune` costs next to nothing and a
lookup loads neither NumPy nor LLVM. `conv2d`, `matmul` and every other operator's name are
functions that make its workload.
"""

from __future__ import annotations

import importlib
import operator
import sys
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autotune.trial import Workload

__version__ = "0.1.0"

_HOMES = {
    "AutotuneError": "autotune.errors",
    "Cache": "autotune.store.db",
    "CacheMissError": "autotune.errors",
    "CodegenError": "autotune.errors",
    "Hit": "autotune.lookup.answer",
    "MeasureError": "autotune.errors",
    "PerformanceCliffWarning": "autotune.errors",
    "ScheduleError": "autotune.errors",
    "SpaceError": "autotune.errors",
    "StoreError": "autotune.errors",
    "UsageError": "autotune.errors",
    "Workload": "autotune.trial",
    "load": "autotune.lookup",
    "lookup": "autotune.lookup",
    "parse_workload": "autotune.ops.base",
    "reference": "autotune.reference",
    "report_cliffs": "autotune.lookup",
    "tune": "autotune.tune",
}
"""Where each public name is defined."""


class _Package(ModuleType):
    """This package. Importing a submodule binds its name here: `lookup` stays the function."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in _HOMES and isinstance(value, ModuleType):
            value = getattr(value, name, value)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        found = getattr(importlib.import_module(_HOMES[name]), name)
    elif not name.startswith("_") and name in _operators():
        found = _maker(name)
    else:
        raise AttributeError(f"module 'autotune' has no attribute {name!r}")
    setattr(sys.modules[__name__], name, found)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *_operators()})


def _operators() -> tuple[str, ...]:
    from autotune.registry import OPERATORS

    return OPERATORS.names()


def _maker(op: str) -> Callable[..., Workload]:
    """The function that makes workloads of one operator from its shape keys."""
    from autotune.ops.base import Operator, parse_workload
    from autotune.registry import OPERATORS

    found: Operator = OPERATORS.get(op)

    def make(
        *sizes: Any, dtype: str = "float32", layout: str | None = None, **named: Any
    ) -> Workload:
        from autotune.trial import DEFAULT_TOLERANCE

        tolerance = named.pop("tolerance", DEFAULT_TOLERANCE)
        names = [key.name for key in found.keys]
        if len(sizes) > len(names):
            raise TypeError(f"{op}() takes at most {len(names)} sizes but {len(sizes)} were given")
        for name, value in zip(names, sizes, strict=False):
            if name in named:
                raise TypeError(f"{op}() got {name} twice")
            named[name] = value
        shape = ",".join(f"{name}={_text(value)}" for name, value in named.items())
        return parse_workload(op, shape, dtype, layout, tolerance)

    make.__name__ = make.__qualname__ = op
    make.__doc__ = f"The workload of one {op}: {', '.join(key.name for key in found.keys)}."
    return make


def _text(value: Any) -> str:
    """A size as the shape grammar writes it; a pair becomes `2x1`."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple | list):
        return "x".join(_text(part) for part in value)
    try:
        return str(operator.index(value))
    except TypeError:
        return repr(value)
