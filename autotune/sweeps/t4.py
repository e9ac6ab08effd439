"""The T4 format of tuning results: configurations, each with its validity, times and objective.

Source: results-schema.json of T4 1.0.0, as Kernel Tuner 1.5 carries and writes it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from autotune.sweeps import foreign
from autotune.sweeps.base import Sweep, SweepError
from autotune.sweeps.foreign import FAILED, KINDS, Configuration, checked, is_time

VERSION = "1.0.0"
OBJECTIVE = "time"
FAILURE = "autotune_failure"
"""Name of the measurement that keeps our own kind of failure."""
UNITS_S = {"seconds": 1.0, "s": 1.0, "milliseconds": 1e-3, "ms": 1e-3, "microseconds": 1e-6,
           "us": 1e-6, "nanoseconds": 1e-9, "ns": 1e-9}  # fmt: skip
USUAL_UNIT = "milliseconds"


def is_t4(fields: dict[str, Any]) -> bool:
    """Whether a JSON object looks like such a file."""
    return isinstance(fields.get("results"), list)


def of_fields(fields: dict[str, Any], path: str | os.PathLike[str]) -> Sweep:
    """The sweep in the contents of a results file.

    Raises:
        SweepError: they make no sense; the message begins with the file's name.
    """
    try:
        return _sweep(fields, Path(path).name.removesuffix(".json"))
    except SweepError as error:
        raise SweepError(f"{os.fspath(path)}: {error}") from error


def _sweep(fields: dict[str, Any], name: str) -> Sweep:
    version = fields.get("schema_version")
    if not isinstance(version, str) or version.partition(".")[0] != VERSION.partition(".")[0]:
        raise SweepError(f"schema_version is {repr(version)[:40]}; allowed: 1.x.x")
    metadata = fields.get("metadata")
    about = metadata if isinstance(metadata, dict) else {}
    unit = about.get("timeunit", USUAL_UNIT)
    found = [
        _configuration(f"result {i}", result, unit) for i, result in enumerate(fields["results"])
    ]
    return foreign.sweep_of(name, {"metadata": about}, found)


def _configuration(where: str, result: object, unit: object) -> Configuration:
    if not isinstance(result, dict):
        raise SweepError(f"{where} is no object")
    values = checked(f"{where}: configuration", result.get("configuration"))
    measured = {m.get("name"): m for m in result.get("measurements") or () if isinstance(m, dict)}
    validity = result.get("invalidity")
    if validity != "correct":
        if validity not in KINDS:
            allowed = ", ".join(("correct", *KINDS))
            raise SweepError(f"{where}: invalidity is {repr(validity)[:40]}; allowed: {allowed}")
        own = measured.get(FAILURE, {}).get("value")
        return Configuration(values, None, own if isinstance(own, str) else KINDS[validity])
    objectives = result.get("objectives") or [OBJECTIVE]
    wanted = objectives[0] if isinstance(objectives, list) else objectives
    told = measured.get(wanted, {})
    scale = UNITS_S.get(str(told.get("unit") or unit))
    if scale is None or not is_time(told.get("value")):
        seen = f"{repr(told.get('value'))[:40]} in {repr(told.get('unit') or unit)[:20]}"
        raise SweepError(
            f"{where}: {str(wanted)[:40]} is {seen}; allowed: above 0 in {', '.join(UNITS_S)}"
        )
    return Configuration(values, float(told["value"]) * scale)


def fields_of(sweep: Sweep) -> dict[str, Any]:
    """What `write` writes."""
    return {
        "schema_version": VERSION,
        "results": [_result(sweep, row) for row in range(len(sweep))],
        "metadata": {"timeunit": USUAL_UNIT, "name": sweep.name, "about": dict(sweep.about)},
    }


def _result(sweep: Sweep, row: int) -> dict[str, Any]:
    kind = sweep.failures[row]
    measured: dict[str, Any]
    times: list[float] = []
    if kind:
        measured = {"name": FAILURE, "value": kind, "unit": ""}
    else:
        times = [float(sweep.ratios[row]) * sweep.reference_s * 1e3]
        measured = {"name": OBJECTIVE, "value": times[0], "unit": "ms"}
    return {
        "configuration": sweep.values(row),
        "objectives": [OBJECTIVE],
        "times": {"runtimes": times},
        "invalidity": FAILED.get(kind, "runtime") if kind else "correct",
        "correctness": 0 if kind == "wrong_result" else 1,
        "measurements": [measured],
    }


def write(sweep: Sweep, path: str | os.PathLike[str]) -> None:
    """Write a results file.

    Raises:
        SweepError: it cannot be written.
    """
    foreign.dump(path, json.dumps(fields_of(sweep), allow_nan=False))
