"""Sweeps in whatever format a file has: ours, Kernel Tuner's cache, T4 results."""

from __future__ import annotations

import os

from autotune.errors import UsageError
from autotune.sweeps import file, foreign, kernel_tuner, t4
from autotune.sweeps.base import Sweep, SweepError

WRITERS = {"sweep": file.write, "kernel-tuner": kernel_tuner.write, "t4": t4.write}
"""By the name that `--format` takes."""


def read(path: str | os.PathLike[str]) -> Sweep:
    """The sweep in a file of any of the formats, told by what it holds.

    Raises:
        SweepError: it is in none of them, or damaged; one line says how.
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as opened:
            start = opened.read(64).lstrip()
    except OSError as error:
        raise SweepError(f"sweep {name} cannot be read: {error.strerror}") from error
    if not start.startswith(b"{"):
        return file.read(path)
    try:
        fields = foreign.load(path)
    except SweepError:
        # A cache file that nobody closed is no JSON yet.
        return kernel_tuner.read(path)
    if t4.is_t4(fields):
        return t4.of_fields(fields, path)
    if kernel_tuner.is_cache(fields):
        return kernel_tuner.of_fields(fields, path)
    raise SweepError(
        f"sweep {name} is no recorded sweep, no cache file of Kernel Tuner and no T4 results"
    )


def write(sweep: Sweep, path: str | os.PathLike[str], form: str) -> None:
    """Write the file in a format of WRITERS.

    Raises:
        UsageError: there is no such format, or it cannot be written.
    """
    if form not in WRITERS:
        raise UsageError(f"unknown format {form!r}; known: {', '.join(WRITERS)}")
    WRITERS[form](sweep, path)
