"""Kernel Tuner's cache files: every configuration of a search space with its time in milliseconds.

Its simulation mode runs on what `write` writes. A file that was not closed, as of a run that still
goes on or was killed, is read as far as it goes. Source: `process_cache` and `read_cache` of
Kernel Tuner 1.5.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from autotune.sweeps import foreign
from autotune.sweeps.base import Sweep, SweepError
from autotune.sweeps.foreign import FAILED, KINDS, Configuration, checked, is_time

ERRORS = {
    "InvalidConfig": "constraints",
    "CompilationFailedConfig": "compile",
    "RuntimeFailedConfig": "runtime",
    "ErrorConfig": "runtime",
}
"""What stands in the place of a time, and what it means."""
NAMES = {"constraints": "InvalidConfig", "compile": "CompilationFailedConfig"}
"""And back; all else is a RuntimeFailedConfig."""
OBJECTIVE = "time"
FAILURE = "autotune_failure"
"""Field of an entry that keeps our own kind of failure."""


def is_cache(fields: dict[str, Any]) -> bool:
    """Whether a JSON object looks like such a file."""
    return "tune_params_keys" in fields and "cache" in fields


def read(path: str | os.PathLike[str]) -> Sweep:
    """The sweep in a cache file.

    Raises:
        SweepError: it is something else.
    """
    text = foreign.content(path).strip()
    if not text.endswith("}\n}") and not text.endswith("}}}"):
        # As Kernel Tuner leaves it while it runs: a comma after the last entry, nothing closed.
        text = text.removesuffix(",") + "}\n}"
    return of_fields(foreign.load(path, text), path)


def of_fields(fields: dict[str, Any], path: str | os.PathLike[str]) -> Sweep:
    """The sweep in the contents of a cache file.

    Raises:
        SweepError: they make no sense; the message begins with the file's name.
    """
    try:
        return _sweep(fields, Path(path).name.removesuffix(".json"))
    except SweepError as error:
        raise SweepError(f"{os.fspath(path)}: {error}") from error


def _sweep(fields: dict[str, Any], name: str) -> Sweep:
    keys, cache = fields.get("tune_params_keys"), fields.get("cache")
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys) or not keys:
        raise SweepError("tune_params_keys is no list of names")
    if not isinstance(cache, dict):
        raise SweepError("cache is no object")
    tables = fields.get("tune_params") or {}
    if not isinstance(tables, dict) or not all(isinstance(tables.get(k, []), list) for k in keys):
        raise SweepError("tune_params is no object of lists")
    found = [
        _configuration(f"cache entry {key[:60]!r}", entry, keys) for key, entry in cache.items()
    ]
    about = {key: fields[key] for key in ("device_name", "kernel_name", "problem_size")
             if isinstance(fields.get(key), str | int | list)}  # fmt: skip
    return foreign.sweep_of(name, about, found, {key: tables.get(key, []) for key in keys})


def _configuration(where: str, entry: object, keys: list[str]) -> Configuration:
    if not isinstance(entry, dict) or not all(key in entry for key in keys):
        raise SweepError(f"{where} does not give every parameter of {', '.join(keys)[:100]}")
    values = checked(where, {key: entry[key] for key in keys})
    told = entry.get("__error__", entry.get(OBJECTIVE))
    if isinstance(told, str) and told in ERRORS:
        kind = entry.get(FAILURE)
        own = kind if isinstance(kind, str) else KINDS[ERRORS[told]]
        return Configuration(values, None, own)
    if not is_time(told):
        raise SweepError(
            f"{where}: {OBJECTIVE} is {repr(told)[:40]}; allowed: milliseconds above 0"
        )
    return Configuration(values, float(told) / 1e3)


def fields_of(sweep: Sweep) -> dict[str, Any]:
    """What `write` writes."""
    cache: dict[str, dict[str, Any]] = {}
    for row in range(len(sweep)):
        values = sweep.values(row)
        entry: dict[str, Any] = {**values}
        kind = sweep.failures[row]
        if kind:
            entry[OBJECTIVE] = NAMES.get(FAILED.get(kind, ""), "RuntimeFailedConfig")
            entry[FAILURE] = kind
        else:
            milliseconds = float(sweep.ratios[row]) * sweep.reference_s * 1e3
            entry |= {OBJECTIVE: milliseconds, "times": [milliseconds]}
        cache[",".join(map(str, values.values()))] = entry
    return {
        "device_name": str(sweep.about.get("machine") or sweep.about.get("device_name") or "cpu"),
        "kernel_name": str(sweep.about.get("kernel_name") or sweep.name),
        "problem_size": sweep.about.get("problem_size", [1]),
        "tune_params_keys": list(sweep.knobs),
        "tune_params": {knob: list(values) for knob, values in sweep.knobs.items()},
        "objective": OBJECTIVE,
        "cache": cache,
    }


def write(sweep: Sweep, path: str | os.PathLike[str]) -> None:
    """Write a cache file.

    Raises:
        SweepError: it cannot be written, or two points have the same key there.
    """
    fields = fields_of(sweep)
    if len(fields["cache"]) < len(sweep):
        raise SweepError(
            "values of knobs hold commas, so that Kernel Tuner could not tell points apart"
        )
    # Closed as Kernel Tuner closes it, which looks at the last three characters.
    foreign.dump(path, json.dumps(fields, allow_nan=False, indent=0))
