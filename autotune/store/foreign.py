"""Says what a file is that was taken for an export and is none; it is only looked at."""

from __future__ import annotations

import json
from collections.abc import Mapping

_MAGICS = (
    (b"SQLite format 3\0", "an SQLite database; name it with --cache, or export from it"),
    (b"\x1f\x8b", "compressed with gzip; unpack it first"),
    (b"\xfd7zXZ", "compressed with xz; unpack it first"),
    (b"BZh", "compressed with bzip2; unpack it first"),
    (b"PK\x03\x04", "a zip archive; unpack it first"),
    (b"\x7fELF", "object code"),
    *((bytes((0x80, protocol)), "a Python pickle, which is never loaded") for protocol in range(6)),
)
_OBJECTS = (
    ({"log_version", "kind"}, "the log of a run; `autotune run --resume` goes on with it"),
    ({"input", "config", "result"}, "a log of TVM's AutoTVM, whose schedules mean nothing here"),
    ({"i", "r", "v"}, "a log of TVM's auto-scheduler, whose schedules mean nothing here"),
    ({"device_name", "kernel_name"}, "a cache of Kernel Tuner, whose kernels mean nothing here"),
)


def described(head: bytes) -> str:
    """What a file is that begins like this, in words that follow `is`; empty where unknown."""
    for magic, text in _MAGICS:
        if head.startswith(magic):
            return text
    if b"\0" in head:
        return "no text"
    first = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    try:
        loaded = json.loads(first.decode("utf-8"))
    except (ValueError, RecursionError):
        return ""
    if isinstance(loaded, list):
        return "a list, as in a database of TVM's MetaSchedule, whose schedules mean nothing here"
    return _described_object(loaded) if isinstance(loaded, dict) else ""


def _described_object(fields: Mapping[str, object]) -> str:
    return next((text for names, text in _OBJECTS if names <= fields.keys()), "")
