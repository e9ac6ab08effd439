"""Reads one target from a JSON file that `list targets --json` or `doctor --json` wrote."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autotune.errors import UsageError
from autotune.targets._features import FEATURES, normalise, registers_of, vector_bytes_of
from autotune.targets.base import Target

MAX_FILE_BYTES = 2**20
_NUMBERS = {
    "vector_bytes": (16, 64),
    "vector_registers": (16, 32),
    "l1_bytes": (2**12, 2**20),
    "l2_bytes": (2**16, 2**27),
    "l3_bytes": (2**16, 2**33),
    "cores": (1, 4096),
    "threads": (1, 1024),
}
"""Fields of a target that are integers, with their least and largest value."""


def read_target_file(path: str) -> Target:
    """The one target in a file.

    Accepted are a target itself, `{"target": ...}`, `{"host": ...}`, and `{"targets": [...]}` with
    one entry or with an entry named `host`.

    Raises:
        UsageError: unreadable, not JSON, no or several targets, or a field that makes no sense.
    """
    return target_from(_choose(path, _load(path)), f"target file {path!r}")


def _load(path: str) -> object:
    try:
        status = Path(path).stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
            raise UsageError(
                f"target {path!r} is no regular file of at most {MAX_FILE_BYTES} bytes; "
                f"a JSON file with one target is allowed"
            )
        loaded: object = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"target file {path!r} cannot be read as JSON: {error}") from error
    return loaded


def _choose(path: str, loaded: object) -> Mapping[str, Any]:
    if isinstance(loaded, Mapping):
        for name in ("target", "host"):
            if isinstance(loaded.get(name), Mapping):
                return dict(loaded[name])
        entries = loaded.get("targets")
        if isinstance(entries, list):
            objects = [entry for entry in entries if isinstance(entry, Mapping)]
            hosts = [entry for entry in objects if entry.get("name") == "host"]
            chosen = hosts if len(hosts) == 1 else objects
            if len(chosen) == 1:
                return dict(chosen[0])
            raise UsageError(
                f"target file {path!r} has {len(objects)} targets; allowed: one, or one named host"
            )
        if "cpu" in loaded:
            return dict(loaded)
    raise UsageError(f"target file {path!r} holds no target; an object with cpu is needed")


def target_from(fields: Mapping[str, Any], source: str) -> Target:
    """The target that `Target.to_dict` described; `source` begins every message.

    Raises:
        UsageError: a field that makes no sense.
    """

    def wrong(name: str, allowed: str) -> UsageError:
        shown = repr(fields.get(name))[:60]
        return UsageError(f"{source}: {name}={shown} is not allowed; allowed: {allowed}")

    cpu, listed = fields.get("cpu"), fields.get("features")
    if not isinstance(cpu, str) or not re.fullmatch(r"[a-z0-9-]{1,40}", cpu):
        raise wrong("cpu", "lower-case letters, digits and hyphens")
    if not isinstance(listed, list) or any(feature not in FEATURES for feature in listed):
        raise wrong("features", f"a list of {', '.join(FEATURES)}")
    features = tuple(listed)
    if features != normalise(features):
        raise wrong("features", "+".join(normalise(features)) or "an empty list")
    numbers: dict[str, int] = {}
    for name, (low, high) in _NUMBERS.items():
        value = fields.get(name, 1 if name in ("cores", "threads") else None)
        if type(value) is not int or not low <= value <= high:
            raise wrong(name, f"an integer from {low} to {high}")
        numbers[name] = value
    if numbers["vector_bytes"] not in (16, 32, vector_bytes_of(features)):
        raise wrong("vector_bytes", str(vector_bytes_of(features)))
    if numbers["vector_registers"] > registers_of(features):
        raise wrong("vector_registers", str(registers_of(features)))
    target = Target(cpu=cpu, features=features, **numbers)
    if fields.get("key", target.key) != target.key:
        raise wrong("key", target.key)
    return target
