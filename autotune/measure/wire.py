"""Frames between the tuner and its workers: a JSON header and raw bytes, both length-prefixed.

Both sides use it. What workers send carries a seal that they were told first. A frame without it,
or not well-formed, means that native code wrote into the pipe or the memory of the worker; the
reader raises and the worker is replaced.
"""

from __future__ import annotations

import json
import math
import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from autotune.targets.base import Target
from autotune.trial import Timing, Workload

if TYPE_CHECKING:
    from autotune.backends.base import Artifact

Header = Mapping[str, Any]

SEAL_BYTES = 8
NO_SEAL = bytes(SEAL_BYTES)
"""Of the frames to workers: nothing of theirs leads there."""

_PREFIX = struct.Struct(f"<4s{SEAL_BYTES}sIQ")
_MAGIC = b"atw1"
_MAX_HEADER_BYTES = 16 << 20
_MAX_BLOB_BYTES = 1 << 30


class WireError(Exception):
    """The bytes in a pipe are not a frame."""


@dataclass(frozen=True)
class Frame:
    """One message."""

    header: Header
    blob: bytes = b""


def encode(header: Header, blob: bytes = b"", seal: bytes = NO_SEAL) -> bytes:
    """The bytes of one frame."""
    text = json.dumps(header, allow_nan=False, separators=(",", ":")).encode()
    return _PREFIX.pack(_MAGIC, seal, len(text), len(blob)) + text + blob


class FrameReader:
    """Cuts a stream of bytes, fed in any pieces, into frames of one seal."""

    def __init__(self, seal: bytes = NO_SEAL) -> None:
        self._seal = seal
        self._unread = bytearray()

    def feed(self, piece: bytes) -> Iterator[Frame]:
        """The frames that are complete with this piece, one by one.

        Raises:
            WireError: the stream holds something else, after those that it gave.
        """
        self._unread += piece
        while (frame := self._next()) is not None:
            yield frame

    def _next(self) -> Frame | None:
        head = _MAGIC + self._seal
        # However little it is, what does not begin so will never be a frame.
        if not head.startswith(self._unread[: len(head)]):
            raise WireError(f"not a frame: {bytes(self._unread[:40])!r}")
        if len(self._unread) < _PREFIX.size:
            return None
        header_bytes, blob_bytes = _lengths(bytes(self._unread[: _PREFIX.size]), self._seal)
        middle = _PREFIX.size + header_bytes
        end = middle + blob_bytes
        if len(self._unread) < end:
            return None
        header = _header(bytes(self._unread[_PREFIX.size : middle]))
        frame = Frame(header, bytes(self._unread[middle:end]))
        del self._unread[:end]
        return frame


def read_frame(descriptor: int) -> Frame | None:
    """The next frame, waiting for it; None when the other side has gone."""
    prefix = _read_exactly(descriptor, _PREFIX.size)
    if prefix is None:
        return None
    header_bytes, blob_bytes = _lengths(prefix, NO_SEAL)
    text = _read_exactly(descriptor, header_bytes)
    blob = _read_exactly(descriptor, blob_bytes)
    return None if text is None or blob is None else Frame(_header(text), blob)


def write_frame(descriptor: int, header: Header, blob: bytes = b"", seal: bytes = NO_SEAL) -> None:
    """Write one frame whole, waiting as long as it takes."""
    unsent = memoryview(encode(header, blob, seal))
    while unsent:
        unsent = unsent[os.write(descriptor, unsent) :]


def _read_exactly(descriptor: int, count: int) -> bytes | None:
    pieces = bytearray()
    while len(pieces) < count:
        piece = os.read(descriptor, min(count - len(pieces), 1 << 20))
        if not piece:
            return None
        pieces += piece
    return bytes(pieces)


def _lengths(prefix: bytes, wanted: bytes) -> tuple[int, int]:
    magic, seal, header_bytes, blob_bytes = _PREFIX.unpack(prefix)
    if (
        (magic, seal) != (_MAGIC, wanted)
        or header_bytes > _MAX_HEADER_BYTES
        or blob_bytes > _MAX_BLOB_BYTES
    ):
        raise WireError(f"not a frame: {prefix!r}")
    return header_bytes, blob_bytes


def _header(text: bytes) -> Header:
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WireError(f"frame header is not JSON: {error}") from error
    if not isinstance(header, dict):
        raise WireError("frame header is not an object")
    return header


def workload_from(header: Header) -> Workload:
    """The workload that `Workload.to_dict` described."""
    return Workload(**header)


def target_from(header: Header) -> Target:
    """The target that `Target.to_dict` described."""
    fields = {name: header[name] for name in Target.__dataclass_fields__}
    return Target(**{**fields, "features": tuple(fields["features"])})


def timing_from(header: Header) -> Timing:
    """The timing that a runner's answer holds.

    Raises:
        KeyError, TypeError, ValueError: it holds none; somebody else wrote it.
    """
    samples, references = (_seconds(header[name]) for name in ("samples_s", "reference_s"))
    if not samples or len(samples) != len(references):
        raise ValueError("samples are not paired")
    return Timing(
        samples,
        references,
        float(header["error_units"]),
        tuple((float(a), float(b)) for a, b in header["disturbed"]),
        bool(header["is_steady"]),
    )


def _seconds(values: Any) -> tuple[float, ...]:
    seconds = tuple(float(value) for value in values)
    if not all(0 < value < math.inf for value in seconds):
        raise ValueError("not positive seconds")
    return seconds


def artifact_header(artifact: Artifact) -> dict[str, Any]:
    """Everything of an artifact but its code, as JSON data."""
    names = [name for name in artifact.__dataclass_fields__ if name != "objects"]
    sizes = [len(code) for code in artifact.objects]
    return {"object_bytes": sizes, **{name: getattr(artifact, name) for name in names}}


def artifact_blob(artifact: Artifact) -> bytes:
    """Its objects, one after the other."""
    return b"".join(artifact.objects)


def artifact_from(header: Header, blob: bytes) -> Artifact:
    """The artifact that `artifact_header` and `artifact_blob` described."""
    from autotune.backends.base import Artifact

    fields: dict[str, Any] = {name: _frozen(value) for name, value in header.items()}
    ends = list(accumulate(fields.pop("object_bytes"), initial=0))
    return Artifact(objects=tuple(blob[a:b] for a, b in pairwise(ends)), **fields)


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
