from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from tests.records import TARGET, WORKLOAD, made

HEAVY = ("numpy", "sqlalchemy", "llvmlite", "xgboost", "scipy", "rich", "typer")


def fresh(root: Path, code: str) -> str:
    """What a program prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def loaded(root: Path, code: str) -> set[str]:
    """Heavy libraries in memory after this code."""
    tail = f"\nimport sys, json; print(json.dumps([n for n in {HEAVY!r} if n in sys.modules]))"
    return set(json.loads(fresh(root, code + tail).splitlines()[-1]))


def test_import_loads_no_heavy_library(root: Path) -> None:
    assert loaded(root, "import autotune") == set()


def test_lookup_loads_no_heavy_library(root: Path) -> None:
    code = (
        "import warnings, autotune\n"
        "warnings.simplefilter('ignore')\n"
        "w = autotune.conv2d(c=8, h=7, w=7, k=16, r=3, s=3, pad=1)\n"
        "assert not autotune.lookup(w).is_hit"
    )
    assert loaded(root, code) == set()


def test_lookup_command_loads_nothing_but_typer(root: Path) -> None:
    code = (
        "from autotune.cli import app\n"
        "try: app(['lookup', '--op', 'matmul', '--shape', '7x8x9'])\n"
        "except SystemExit as ended: assert ended.code == 3"
    )
    assert loaded(root, code) <= {"typer", "rich"}


@pytest.mark.parametrize("first", ["load", "Hit", "tune", "reference"])
def test_public_names_are_functions_whatever_was_imported_first(root: Path, first: str) -> None:
    # A submodule of the same name must not take the function's place.
    code = (
        f"import autotune, autotune.tune, autotune.reference; autotune.{first}\n"
        "print(all(callable(getattr(autotune, n)) for n in ('lookup', 'tune', 'reference')))"
    )
    assert fresh(root, code).strip() == "True"


@pytest.mark.timing
def test_import_takes_under_100_ms(root: Path) -> None:
    code = (
        "import time; start = time.perf_counter()\n"
        "import autotune; print(time.perf_counter() - start)"
    )
    assert statistics.median(float(fresh(root, code)) for _ in range(7)) < 0.1


@pytest.mark.timing
def test_cold_lookup_takes_under_250_ms(root: Path) -> None:
    code = (
        "import warnings, time; start = time.perf_counter()\n"
        "import autotune\n"
        "warnings.simplefilter('ignore')\n"
        "autotune.lookup(autotune.parse_workload('conv2d', 'c=128,h=28,k=128,r=3,pad=1'))\n"
        "print(time.perf_counter() - start)"
    )
    assert statistics.median(float(fresh(root, code)) for _ in range(5)) < 0.25


@pytest.mark.timing
@pytest.mark.parametrize("is_hit", [True, False])
def test_warm_lookup_takes_under_20_microseconds(tmp_path: Path, is_hit: bool) -> None:
    import autotune

    path = str(tmp_path / "cache.sqlite")
    with autotune.Cache(path) as cache:
        cache.put(made())
    time.sleep(0.1)  # a file that changed this lately is read again
    workload = WORKLOAD if is_hit else autotune.matmul(7, 7, 7)
    with warnings.catch_warnings(action="ignore"):
        autotune.lookup(workload, target=TARGET, cache=path)
    samples = []
    for _ in range(500):
        start_s = time.perf_counter()
        for _ in range(20):
            autotune.lookup(workload, target=TARGET, cache=path)
        samples.append((time.perf_counter() - start_s) / 20)
    # Two system calls are most of it, 3 us each on a virtual machine.
    assert min(samples) < 20e-6
