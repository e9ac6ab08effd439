from __future__ import annotations

import ctypes
import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autotune import runtime
from autotune.backends.base import Artifact
from autotune.errors import UsageError
from autotune.ir.default import default_schedule
from autotune.ops.base import contraction, parse_workload
from autotune.pages import aligned_bytes
from autotune.runtime import Kernel, Packed, bind
from autotune.targets.detect import resolve
from autotune.trial import CODEGEN_VERSION

TARGET = resolve("x86-64")
WORKLOAD = parse_workload("conv2d", "c=2,h=5,k=3,r=3,bias=1,residual=1")
X = np.zeros((1, 2, 5, 5), np.float32)
WEIGHT = np.zeros((3, 2, 3, 3), np.float32)
BIAS = np.zeros(3, np.float32)
RESIDUAL = np.zeros((1, 3, 3, 3), np.float32)
PACKED_BYTES = 256


class FakeCode:
    """Stands for loaded machine code: notes its calls."""

    body_address = 4711

    def __init__(self) -> None:
        self.calls: list[tuple[int, ...]] = []

    def body(self, *arguments: int) -> None:
        self.calls.append(arguments)

    def repeat(self, *arguments: int) -> None:
        self.calls.append(arguments)

    def pack(self, operand: str, source: int, target: int) -> None:
        ctypes.memset(target, ord(operand[0]), PACKED_BYTES)


def artifact(tasks: int = 1, threads: int = 1, is_packed: bool = True) -> Artifact:
    return Artifact(
        objects=(),
        operands=("x", "weight", "bias", "residual", "out"),
        packed_bytes=(("weight", PACKED_BYTES),) if is_packed else (),
        workspace_bytes=64 * threads,
        phases=(tasks,),
        digest="",
        target="",
        ir_bytes=0,
        threads=threads,
    )


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], Kernel]:
    """A kernel without a compiler."""

    def made(is_packed: bool) -> Kernel:
        monkeypatch.setattr(runtime.cpu, "build", lambda *_: artifact(is_packed=is_packed))
        monkeypatch.setattr(runtime.cpu, "load", lambda *_: FakeCode())
        return Kernel(WORKLOAD, default_schedule(contraction(WORKLOAD), TARGET), TARGET)

    return made


@pytest.fixture
def kernel(make: Callable[[bool], Kernel]) -> Kernel:
    return make(True)


def call(kernel: Kernel, **changed: Any) -> Any:
    given = {"x": X, "weight": WEIGHT, "bias": BIAS, "residual": RESIDUAL, **changed}
    return kernel(given.pop("x"), given.pop("weight"), **given)


def test_fitting_operands_give_an_output_of_the_workloads_shape(kernel: Kernel) -> None:
    found = call(kernel)
    assert (found.shape, found.dtype) == ((1, 3, 3, 3), np.float32)
    out = np.empty_like(found)
    assert call(kernel, out=out) is out


WRONG = {
    "x": (
        (X.astype(np.float64), "x is float64[1, 2, 5, 5]; needed: float32[1, 2, 5, 5] in layout"),
        (X.astype(">f4"), "x is >f4[1, 2, 5, 5]"),
        (X[0], "x is float32[2, 5, 5]"),
        (X[:, :, :4], "x is float32[1, 2, 4, 5]"),
        (X.tolist(), "x is a list; a NumPy array is needed"),
        (None, "x is missing; workload conv2d/"),
    ),
    "weight": (
        (WEIGHT.transpose(1, 0, 2, 3), "weight is float32[2, 3, 3, 3]"),
        (WEIGHT.astype(np.int32), "weight is int32[3, 2, 3, 3]"),
        (None, "weight is missing"),
    ),
    "bias": (
        (BIAS[None], "bias is float32[1, 3]; needed: float32[3]"),
        (1.0, "bias is a float"),
        (None, "bias is missing"),
    ),
    "residual": ((RESIDUAL[:, :1], "residual is float32[1, 1, 3, 3]"), (None, "is missing")),
}


@pytest.mark.parametrize(
    ("name", "value", "message"), [(name, *case) for name in WRONG for case in WRONG[name]]
)
def test_operand_that_does_not_fit_is_refused_by_name(
    kernel: Kernel, name: str, value: object, message: str
) -> None:
    with pytest.raises(UsageError) as raised:
        call(kernel, **{name: value})
    assert message in str(raised.value)


def test_operand_that_the_workload_has_not_is_refused(kernel: Kernel) -> None:
    plain = parse_workload("conv2d", "c=2,h=5,k=3,r=3")
    bare = Kernel(plain, kernel.schedule, TARGET)
    with pytest.raises(UsageError, match=r"bias was given; workload conv2d/.* has none"):
        call(bare, residual=None)


def _read_only() -> np.ndarray[Any, Any]:
    out = np.empty((1, 3, 3, 3), np.float32)
    out.flags.writeable = False
    return out


def _unaligned() -> np.ndarray[Any, Any]:
    return np.empty(109, np.uint8)[1:].view(np.float32).reshape(1, 3, 3, 3)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.empty((1, 3, 3, 3)), "out is float64[1, 3, 3, 3]"),
        (np.empty((3, 3, 3), np.float32), "out is float32[3, 3, 3]; needed: float32[1, 3, 3, 3]"),
        (np.empty((1, 3, 3, 6), np.float32)[..., ::2], "not C-contiguous"),
        (np.empty((1, 3, 3, 3), np.float32, order="F"), "not C-contiguous"),
        (_read_only(), "writeable"),
        (_unaligned(), "aligned"),
        (RESIDUAL, "out overlaps residual"),
        (RESIDUAL.tolist(), "out is a list"),
    ],
)
def test_output_that_cannot_be_written_is_refused(kernel: Kernel, out: Any, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        call(kernel, out=out)
    assert message in str(raised.value)


@pytest.mark.parametrize("name", ["x", "residual", "bias"])
def test_output_overlapping_an_input_in_one_element_is_refused(kernel: Kernel, name: str) -> None:
    memory = np.zeros(200, np.float32)
    like = {"x": X, "residual": RESIDUAL, "bias": BIAS}[name]
    given = memory[: like.size].reshape(like.shape)
    out = memory[like.size - 1 :][:27].reshape(1, 3, 3, 3)
    with pytest.raises(UsageError, match=f"out overlaps {name}; it needs memory of its own"):
        call(kernel, **{name: given, "out": out})
    behind = memory[like.size :][:27].reshape(1, 3, 3, 3)
    assert call(kernel, **{name: given, "out": behind}) is behind


def test_output_is_refused_also_where_it_overlaps_what_would_be_copied(kernel: Kernel) -> None:
    memory = np.zeros((1, 3, 3, 3), np.float32)
    with pytest.raises(UsageError, match="out overlaps residual"):
        call(kernel, residual=memory[..., ::-1], out=memory)
    packed = kernel.pack(WEIGHT)
    inside = packed.buffer[:108].view(np.float32).reshape(1, 3, 3, 3)
    with pytest.raises(UsageError, match="out overlaps weight"):
        call(kernel, weight=packed, out=inside)


# --- packed operands -----------------------------------------------------------------------


@pytest.mark.parametrize("is_packed", [True, False])
def test_packed_operand_survives_its_file(
    make: Callable[[bool], Kernel], is_packed: bool, tmp_path: Path
) -> None:
    kernel = make(is_packed)
    packed = kernel.pack(WEIGHT)
    packed.save(tmp_path / "weights")
    loaded = Packed.load(tmp_path / "weights")
    assert loaded.buffer.tobytes() == packed.buffer.tobytes()
    assert loaded.buffer.ctypes.data % 64 == 0
    stamp = (loaded.operand, loaded.key, loaded.digest, loaded.codegen)
    assert stamp == ("weight", WORKLOAD.key, kernel.schedule.digest, CODEGEN_VERSION)
    assert call(kernel, weight=loaded).shape == (1, 3, 3, 3)


def test_packing_checks_the_weights(kernel: Kernel) -> None:
    with pytest.raises(UsageError, match="weight is float64"):
        kernel.pack(WEIGHT.astype(np.float64))


@pytest.mark.parametrize(
    "changed",
    [
        {"operand": "x"},
        {"key": "conv2d/other"},
        {"digest": "0" * 16},
        {"codegen": CODEGEN_VERSION + 1},
        {"buffer": aligned_bytes(PACKED_BYTES - 64)},
        {"key": None},
        {"digest": ["a"]},
    ],
)
def test_packed_operand_of_another_kernel_is_refused(
    kernel: Kernel, changed: dict[str, Any]
) -> None:
    packed = kernel.pack(WEIGHT)
    foreign = Packed(**{**vars(packed), **changed})
    with pytest.raises(UsageError, match="does not fit this kernel; needed: conv2d/"):
        call(kernel, weight=foreign)


HEADER = {
    "format": runtime.PACKED_FORMAT,
    "operand": "weight",
    "key": "k",
    "digest": "d",
    "codegen": 1,
    "bytes": 4,
}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        b"[]\nabcd",
        b"null\nabcd",
        b"[" * 100_000,
        b'"text"\nabcd',
        json.dumps(HEADER).encode(),
        json.dumps(HEADER).encode() + b"\nabc",
        json.dumps(HEADER).encode() + b"\nabcde",
        json.dumps({**HEADER, "format": "autotune-packed-2"}).encode() + b"\nabcd",
        json.dumps({k: v for k, v in HEADER.items() if k != "digest"}).encode() + b"\nabcd",
    ],
    ids=itertools.count(),
)
def test_file_that_is_no_packed_operand_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "weights"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"weights is no packed operand; allowed: a file that"):
        Packed.load(path)


def test_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent"):
        with pytest.raises(UsageError, match="cannot be read"):
            Packed.load(path)


def test_whole_file_cut_anywhere_is_refused(kernel: Kernel, tmp_path: Path) -> None:
    path = tmp_path / "weights"
    kernel.pack(WEIGHT).save(path)
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(UsageError):
            Packed.load(path)


# --- dispatch ------------------------------------------------------------------------------


def arrays() -> dict[str, Any]:
    names = artifact().operands
    return {name: np.zeros(4, np.float32) for name in names}


class FakeTeam:
    """Stands for the team of the process: notes what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def prepared(self, body: int, **asked: Any) -> Callable[[int], None]:
        return lambda count: self.asked.append({"body": body, **asked, "count": count})


@pytest.fixture
def team(monkeypatch: pytest.MonkeyPatch) -> FakeTeam:
    fake = FakeTeam()
    monkeypatch.setattr(runtime.cpu, "team", lambda: fake)
    return fake


@pytest.mark.parametrize("tasks", [1, 7])
def test_one_thread_is_the_callers(team: FakeTeam, tasks: int) -> None:
    code, workspace = FakeCode(), aligned_bytes(64)
    bound = bind(artifact(tasks), code, arrays(), workspace)  # type: ignore[arg-type]
    bound.run()
    bound.repeat(1)
    bound.repeat(5)
    bound.call()
    whole = (ctypes.addressof(bound.table), workspace.ctypes.data, 0, tasks)
    *called, last = code.calls
    assert called == [whole, (*whole, 1), (*whole, 5)]
    assert tuple(value.value for value in last) == whole
    assert not team.asked


@pytest.mark.parametrize(("tasks", "threads"), [(2, 2), (7, 2), (7, 3), (5, 4)])
def test_several_threads_are_the_teams(team: FakeTeam, tasks: int, threads: int) -> None:
    code, built, workspace = FakeCode(), artifact(tasks, threads), aligned_bytes(64 * threads)
    bound = bind(built, code, arrays(), workspace)  # type: ignore[arg-type]
    bound.run()
    bound.repeat(5)
    bound.call()
    whole = {
        "body": code.body_address,
        "operands": ctypes.addressof(bound.table),
        "workspace": workspace.ctypes.data,
        "share_bytes": 64,
        "phases": (tasks,),
        "threads": threads,
    }
    assert team.asked == [{**whole, "count": count} for count in (1, 5, 1)]
    assert not code.calls


def test_table_holds_the_operands_in_the_artifacts_order() -> None:
    given = arrays()
    bound = bind(artifact(), FakeCode(), given, aligned_bytes(64))  # type: ignore[arg-type]
    assert list(bound.table) == [given[name].ctypes.data for name in artifact().operands]


def test_what_threads_share_is_behind_their_shares_and_last_in_the_table(team: FakeTeam) -> None:
    built = replace(artifact(threads=3), phases=(5, 2), workspace_bytes=3 * 64 + 128,
                    shared_bytes=128)  # fmt: skip
    workspace = aligned_bytes(built.workspace_bytes)
    bound = bind(built, FakeCode(), arrays(), workspace)  # type: ignore[arg-type]
    assert len(bound.table) == len(built.operands) + 1
    assert bound.table[len(built.operands)] == workspace.ctypes.data + 3 * 64
    bound.run()
    assert (team.asked[0]["share_bytes"], team.asked[0]["phases"]) == (64, (5, 2))
    assert built.tasks == 7
