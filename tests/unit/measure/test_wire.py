"""Frames survive any cutting of the stream, and garbage is noticed."""

from __future__ import annotations

import os
import struct

import pytest

from autotune.measure import wire
from autotune.ops.base import parse_workload
from autotune.targets.base import Target


@pytest.mark.parametrize("size", [1, 3, 17, 10**6])
def test_frames_cut_anywhere_are_read_whole(size: int) -> None:
    stream = wire.encode({"a": [1, 2.5, None]}, b"\0\xff" * 50) + wire.encode({}, b"")
    reader = wire.FrameReader()
    frames = []
    for start in range(0, len(stream), size):
        frames += reader.feed(stream[start : start + size])
    assert [frame.header for frame in frames] == [{"a": [1, 2.5, None]}, {}]
    assert [frame.blob for frame in frames] == [b"\0\xff" * 50, b""]


@pytest.mark.parametrize(
    "garbage",
    [
        b"native code prints\n",
        struct.pack("<4s8sIQ", b"atw1", wire.NO_SEAL, 2**31, 0),
        struct.pack("<4s8sIQ", b"atw1", wire.NO_SEAL, 2, 2**40),
        struct.pack("<4s8sIQ", b"atw1", wire.NO_SEAL, 2, 0) + b"[]",
        struct.pack("<4s8sIQ", b"atw1", wire.NO_SEAL, 2, 0) + b"{{",
        wire.encode({"samples_s": [1e-9]}, seal=b"not that!"[:8]),
    ],
)
def test_garbage_in_the_stream_raises_after_the_frames_before_it(garbage: bytes) -> None:
    frames = wire.FrameReader().feed(wire.encode({"event": "begun"}) + garbage)
    assert next(frames) == wire.Frame({"event": "begun"})
    with pytest.raises(wire.WireError):
        next(frames)


def test_blocking_reads_and_writes_agree_and_see_the_end() -> None:
    source, sink = os.pipe()
    wire.write_frame(sink, {"x": 1}, b"blob")
    os.close(sink)
    assert wire.read_frame(source) == wire.Frame({"x": 1}, b"blob")
    assert wire.read_frame(source) is None
    os.close(source)


def test_not_a_number_is_never_sent() -> None:
    with pytest.raises(ValueError, match="JSON"):
        wire.encode({"seconds": float("nan")})


def test_records_cross_unchanged() -> None:
    workload = parse_workload("matmul", "3x5x7,act=gelu", tolerance=8.0)
    target = Target("amd-25-17", ("avx2", "fma"), 32, 16, 32768, 1 << 20, 1 << 25, 2, 2)
    (frame,) = wire.FrameReader().feed(
        wire.encode({"workload": workload.to_dict(), "target": target.to_dict()})
    )
    assert wire.workload_from(frame.header["workload"]) == workload
    assert wire.target_from(frame.header["target"]) == target


ANSWER = {
    "samples_s": [2e-3, 3e-3],
    "reference_s": [1e-3, 1e-3],
    "disturbed": [[5e-3, 2e-3]],
    "is_steady": True,
    "error_units": 0.5,
}


def test_timing_is_read_from_an_answer() -> None:
    timing = wire.timing_from(ANSWER)
    assert timing.ratios == [2.0, 3.0]
    assert timing.disturbed == ((5e-3, 2e-3),)
    assert (timing.error_units, timing.is_steady) == (0.5, True)


@pytest.mark.parametrize(
    "changes",
    [
        {"samples_s": []},
        {"samples_s": [1e-3]},
        {"samples_s": [1e-3, -1e-3]},
        {"samples_s": [1e-3, float("inf")]},
        {"reference_s": [1e-3, 0.0]},
        {"reference_s": 5},
        {"error_units": None},
        {"disturbed": [1, 2]},
    ],
)
def test_answer_that_holds_no_timing_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        wire.timing_from(ANSWER | changes)
    with pytest.raises(KeyError):
        wire.timing_from({name: value for name, value in ANSWER.items() if name not in changes})
