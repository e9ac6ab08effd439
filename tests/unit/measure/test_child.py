"""What a worker makes of exceptions, and the limits that it sets itself."""

from __future__ import annotations

import errno
import resource

import pytest

from autotune.errors import CodegenError, ScheduleError
from autotune.measure import child
from autotune.measure.child import Answer, CandidateError
from autotune.measure.wire import Frame

Limits = list[tuple[int, int]]


@pytest.mark.parametrize(
    ("error", "kind", "is_unsafe"),
    [
        (CandidateError("wrong_result", "off", True), "wrong_result", True),
        (CandidateError("invalid_time", "late"), "invalid_time", False),
        (ScheduleError("no such axis"), "illegal", False),
        (CodegenError("refused"), "compile_error", False),
        (MemoryError(), "out_of_memory", True),
        (MemoryError("Unable to allocate"), "out_of_memory", True),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "out_of_memory", True),
        (OSError(errno.ENOENT, "No such file"), "crash", True),
        (LookupError("a mistake"), "crash", False),
    ],
)
def test_each_exception_has_its_kind_and_who_ran_out_of_memory_is_replaced(
    error: Exception, kind: str, is_unsafe: bool
) -> None:
    def work(_: Frame) -> Answer:
        raise error

    header, blob = child._attempt(work, Frame({}), unexpected="crash")
    assert (header["failure"]["kind"], header["is_unsafe"], blob) == (kind, is_unsafe, b"")
    assert str(error) in header["failure"]["message"]
    assert header["failure"]["message"]


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> Limits:
    """Limits that were set, as (limit, soft), instead of setting them."""
    found: Limits = []
    monkeypatch.setattr(resource, "setrlimit", lambda limit, both: found.append((limit, both[0])))
    return found


def test_limit_on_processor_time_lies_above_that_on_wall_time(lowered: Limits) -> None:
    """F029: behind the parent's deadline, should it never come."""
    child._limit_cpu(10.0)
    ((limit, soft),) = lowered
    assert limit == resource.RLIMIT_CPU
    used = resource.getrusage(resource.RUSAGE_SELF)
    assert 20.0 <= soft - used.ru_utime - used.ru_stime < float("inf")


def unwritable(*_: object) -> None:
    """In place of what would have the system end this very process first."""
    raise OSError


@pytest.mark.parametrize(("present", "kept"), [(2**30, True), (2**60, False), (-1, False)])
def test_limit_on_memory_is_never_raised(
    lowered: Limits, monkeypatch: pytest.MonkeyPatch, present: int, kept: bool
) -> None:
    """F031: what `ulimit -Sv` says holds in the workers too."""
    assert resource.RLIM_INFINITY == -1
    monkeypatch.setattr(resource, "getrlimit", lambda _: (present, resource.RLIM_INFINITY))
    monkeypatch.setattr(child, "open", unwritable, raising=False)
    child._limit_memory()
    soft = dict(lowered)[resource.RLIMIT_AS]
    assert soft == present if kept else 2**20 < soft < 2**60
