"""The first line of an export: what the file is, what it should hold, and who vouches for it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from autotune.errors import StoreError
from autotune.store import schema
from autotune.store.foreign import described
from autotune.store.lines import Line

FORMAT = "autotune-cache"
FORMAT_VERSION = 3
HEAD_BYTES = 4096
"""As much of a file as is looked at to say what it is."""
MAX_TARGETS = 10_000

_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True)
class Header:
    """What the first line of an export says."""

    records: int
    created: str
    targets: Mapping[str, int] = field(default_factory=dict)
    """How many records there are for each target's key."""
    sha256: str = ""
    """Of all bytes after the first line; empty before version 3."""
    signature: str = ""
    format_version: int = FORMAT_VERSION
    schema_version: int = schema.VERSION

    @property
    def message(self) -> bytes:
        """What a signature is made of: everything but itself."""
        return json.dumps(self._unsigned(), sort_keys=True, separators=(",", ":")).encode()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data: the line."""
        return {**self._unsigned(), **({"signature": self.signature} if self.signature else {})}

    def _unsigned(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "format_version": self.format_version,
            "schema": self.schema_version,
            "records": self.records,
            "targets": dict(self.targets),
            "created": self.created,
            "sha256": self.sha256,
        }


def read_header(path: str, line: Line, head: bytes) -> Header:
    """What the first line says.

    Args:
        path: of the file, for messages.
        line: its first line.
        head: how its content begins.

    Raises:
        StoreError: it is no export, or one of a version that is not known.
    """
    fields = line.fields
    if line.problem or fields.get("format") != FORMAT:
        known = described(head)
        why = f"it is {known}" if known else line.problem or f"no format {FORMAT}"
        raise StoreError(
            f"import {path}: line {line.number} is not the header of an export ({why}); nothing "
            f"was imported"
        )
    for name, newest in (("format_version", FORMAT_VERSION), ("schema", schema.VERSION)):
        version = fields.get(name)
        if type(version) is not int or not 1 <= version <= newest:
            raise StoreError(
                f"import {path} has {name} {repr(version)[:20]}; this program reads up to "
                f"{newest}; nothing was imported"
            )
    count = fields.get("records")
    if type(count) is not int or count < 0:
        raise _refused(path, "records", count)
    created = fields.get("created", "")
    if not isinstance(created, str) or len(created) > 40 or not created.isprintable():
        raise _refused(path, "created", created)
    plain = Header(count, created, {}, "", "", fields["format_version"], fields["schema"])
    return plain if plain.format_version < 3 else _vouched(path, fields, plain)


def _vouched(path: str, fields: Mapping[str, Any], plain: Header) -> Header:
    """The header with what version 3 added."""
    targets, sha256 = fields.get("targets"), fields.get("sha256")
    signature = fields.get("signature", "")
    if (
        not isinstance(targets, dict)
        or len(targets) > MAX_TARGETS
        or not all(type(count) is int and count > 0 for count in targets.values())
    ):
        raise _refused(path, "targets", targets)
    if not isinstance(sha256, str) or not _SHA256.match(sha256):
        raise _refused(path, "sha256", sha256)
    if not isinstance(signature, str):
        raise _refused(path, "signature", signature)
    return replace(plain, targets=targets, sha256=sha256, signature=signature)


def _refused(path: str, name: str, value: object) -> StoreError:
    return StoreError(f"import {path} has {name}={repr(value)[:20]}; nothing was imported")
