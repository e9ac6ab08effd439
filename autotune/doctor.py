"""Checks the whole path on this machine in seconds: packages, target, one kernel, folders.

`diagnose` yields one step at a time so that the command can print each as it ends. A step that
fails never stops the others; it says what is missing and how to fix it.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autotune.errors import AutotuneError, MeasureError

if TYPE_CHECKING:
    from autotune.measure.base import Measurer
    from autotune.targets.base import Target

PACKAGES = ("numpy", "scipy", "xgboost", "llvmlite", "sqlalchemy", "typer", "rich")
PYTHON = (3, 11)
PROBE = ("matmul", "m=64,n=64,k=64")
"""The workload that proves build, check and timing."""
PROBE_WAIT_S = 8.0
REINSTALL = "pip install --force-reinstall {}"


@dataclass(frozen=True)
class Step:
    """One check: what was looked at, how it ended, and what to do where it failed."""

    name: str
    is_ok: bool
    detail: str
    fix: str = ""

    def to_dict(self) -> dict[str, Any]:
        """JSON of `doctor --json`."""
        fields = asdict(self)
        return {"name": self.name, "ok": fields.pop("is_ok"), **fields}


def diagnose(cache: str | None = None) -> Iterator[Step]:
    """Every check in order; each is yielded as soon as it is known."""
    yield _python()
    yield from map(_package, PACKAGES)
    target = find_target()
    yield _step("target", lambda: _known(target).key, "use --target x86-64 or another level")
    yield _step("cores", lambda: _cores(_known(target)), "free cores for this process (taskset)")
    yield _step("caches", lambda: _caches(_known(target)), "pass --target FILE with cache sizes")
    yield from _kernel(target)
    yield _step("cache", lambda: _cache_folder(cache), "set AUTOTUNE_CACHE to a writable file")
    yield _step("logs", _log_folder, "pass --log FILE, or set XDG_DATA_HOME to a writable folder")


def find_target() -> Target | None:
    """This machine, or None where it cannot be told."""
    try:
        from autotune.targets.detect import host

        return host()
    except (AutotuneError, ImportError, OSError, ValueError):
        return None


def _step(name: str, check: Callable[[], str], fix: str) -> Step:
    # Whatever goes wrong is the finding: this is the one place that turns it into a line.
    try:
        return Step(name, True, check())
    except Exception as error:
        return Step(name, False, " ".join(f"{type(error).__name__}: {error}".split()), fix)


def _python() -> Step:
    found = ".".join(map(str, sys.version_info[:3]))
    fix = "install Python {}.{} or newer".format(*PYTHON)
    return Step(
        "python", sys.version_info >= PYTHON, found, fix if sys.version_info < PYTHON else ""
    )


def _package(name: str) -> Step:
    def check() -> str:
        importlib.import_module(name)
        return importlib.metadata.version(name)

    return _step(f"package {name}", check, REINSTALL.format(name))


def _known(target: Target | None) -> Target:
    if target is None:
        raise MeasureError("this machine's processor was not recognised")
    return target


def _cores(target: Target) -> str:
    if target.cores < 1:
        raise MeasureError("no usable core")
    return f"{target.cores} usable"


def _caches(target: Target) -> str:
    sizes = {"L1": target.l1_bytes, "L2": target.l2_bytes, "L3": target.l3_bytes}
    if target.l1_bytes <= 0 or target.l2_bytes <= 0:
        raise MeasureError(f"cache sizes are unknown: {sizes}")
    return ", ".join(f"{name} {size // 1024} KiB" for name, size in sizes.items())


def _kernel(target: Target | None) -> Iterator[Step]:
    """Build, check and time one small kernel in workers; then the peak those workers measure."""
    fix = "see the message; a broken llvmlite is the usual cause: " + REINSTALL.format("llvmlite")
    try:
        measurer = _measurer(_known(target))
    except Exception as error:
        message = " ".join(f"{type(error).__name__}: {error}".split())
        yield Step("kernel", False, message, fix)
        yield Step("peak", False, "no worker to measure it in", fix)
        return
    with closing(measurer):
        yield _step("kernel", lambda: _run_probe(measurer, _known(target)), fix)
        yield _step("peak", lambda: f"{measurer.peak_flops() / 1e9:.1f} GFLOP/s a core", fix)


def _measurer(target: Target) -> Measurer:
    from autotune.measure.base import MeasureOptions
    from autotune.measure.pool import PoolMeasurer
    from autotune.ops.base import parse_workload

    return PoolMeasurer(parse_workload(*PROBE), target, MeasureOptions())


def _run_probe(measurer: Measurer, target: Target) -> str:
    from autotune.ir.default import default_schedule
    from autotune.ops.base import contraction, flop, parse_workload

    workload = parse_workload(*PROBE)
    measurer.submit([default_schedule(contraction(workload), target)])
    deadline_s = time.monotonic() + PROBE_WAIT_S
    trials = measurer.ready(PROBE_WAIT_S)
    while not trials and time.monotonic() < deadline_s:
        trials = measurer.ready(deadline_s - time.monotonic())
    if not trials:
        raise MeasureError(f"no answer from the workers within {PROBE_WAIT_S:g} s")
    if trials[0].failure is not None:
        raise MeasureError(f"{trials[0].failure.kind}: {trials[0].failure.message}")
    timing = trials[0].timing
    gflops = flop(workload) / timing.seconds / 1e9 if timing else 0.0
    return f"{PROBE[0]} {PROBE[1]} built, checked and timed: {gflops:.1f} GFLOP/s"


def _cache_folder(cache: str | None) -> str:
    from autotune.store.db import open_cache
    from autotune.store.paths import cache_path, is_file, make_folder, shown
    from autotune.store.read import inspect

    location = cache_path(cache)
    if is_file(location):
        make_folder(location)
        _writable(Path(location).absolute().parent)
        if inspect(location) == "absent":
            return f"{location}, to be made on first use"
    with open_cache(location) as opened:
        opened.check_writable()
        return shown(location)


def _log_folder() -> str:
    from autotune.store.paths import log_folder

    return _writable(Path(log_folder()))


def _writable(folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        return str(folder)
