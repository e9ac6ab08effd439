"""What every worker does before and around its work: shields, the channel, the loop of jobs.

A worker is `python -P -m MODULE PARENT_PID`. Frames arrive on its standard input and leave through
a private copy of its standard output, so that whatever native code prints cannot corrupt them.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import gc
import os
import resource
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from autotune.errors import CodegenError, ScheduleError
from autotune.measure.wire import NO_SEAL, Frame, Header, read_frame, write_frame

Answer = tuple[dict[str, Any], bytes]
"""Header and blob of a reply."""

_PR_SET_PDEATHSIG = 1
_CPU_GRACE_S = 30
_DEFAULT_ARITHMETIC = ctypes.c_void_p(-1)
"""FE_DFL_ENV of <fenv.h>."""


class CandidateError(Exception):
    """A candidate ends here; `kind` is one of FAILURE_KINDS.

    `is_unsafe` says that memory outside the candidate's own may have been written, so that this
    process must be replaced.
    """

    def __init__(self, kind: str, message: str, is_unsafe: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.is_unsafe = is_unsafe


@dataclass(frozen=True)
class Channel:
    """The pipes to the tuner."""

    source: int
    sink: int
    seal: bytes = NO_SEAL

    def read(self) -> Frame | None:
        return read_frame(self.source)

    def write(self, header: Header, blob: bytes = b"") -> None:
        write_frame(self.sink, header, blob, self.seal)


Worker = Callable[[Frame], Answer]
"""Does one job."""


def serve(start: Callable[[Frame, Channel], Worker], unexpected: str) -> None:
    """Run a worker until the tuner closes the pipe, then end the process at once.

    Args:
        start: prepares from the first frame (imports, inputs) and returns what does the jobs.
        unexpected: failure kind of an exception that nobody foresaw.
    """
    channel = _enter()
    first = channel.read()
    if first is None:
        os._exit(0)
    channel = replace(channel, seal=bytes.fromhex(first.header["seal"]))
    work = start(first, channel)
    gc.collect()
    gc.freeze()
    channel.write({"event": "ready"})
    while (frame := channel.read()) is not None:
        channel.write({"event": "begun"})
        _restore_arithmetic()
        _limit_cpu(float(frame.header.get("limit_s", 0.0)))
        channel.write(*_attempt(work, frame, unexpected))
    # Not sys.exit: finalisers of loaded machine code have nothing left to do and may crash.
    os._exit(0)


def _attempt(work: Worker, frame: Frame, unexpected: str) -> Answer:
    """The one place where a candidate's exceptions become a failure."""
    try:
        return work(frame)
    except CandidateError as error:
        return _failed(error.kind, str(error), error.is_unsafe)
    except ScheduleError as error:
        return _failed("illegal", str(error))
    except CodegenError as error:
        return _failed("compile_error", str(error))
    except Exception as error:
        # Mapping memory fails with an OSError. Who filled the process may have left it full, and
        # who closed a file has closed it for the next job too.
        is_full = isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM
        message = f"{type(error).__name__}: {error}".removesuffix(": ")
        is_unsafe = is_full or isinstance(error, OSError)
        return _failed("out_of_memory" if is_full else unexpected, message, is_unsafe)


def _failed(kind: str, message: str, is_unsafe: bool = False) -> Answer:
    line = " ".join(message.split())[:500]
    return {"failure": {"kind": kind, "message": line}, "is_unsafe": is_unsafe}, b""


def _enter() -> Channel:
    _die_with_parent(int(sys.argv[1]))
    _limit_memory()
    source, sink = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    os.dup2(2, 1)
    return Channel(source, sink)


def _die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when the thread that started it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, ValueError):
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        present, _ = resource.getrlimit(resource.RLIMIT_AS)
        unlimited = present == resource.RLIM_INFINITY
        _lower(resource.RLIMIT_AS, physical if unlimited else min(present, physical))
    # Where memory runs out all the same, the kernel should take a worker and not the tuner.
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        score.write("800")


def _restore_arithmetic() -> None:
    """Undo what an earlier job did to rounding, traps and subnormal numbers."""
    ctypes.CDLL(None).fesetenv(_DEFAULT_ARITHMETIC)


def _limit_cpu(limit_s: float) -> None:
    """A second line of defence behind the parent's deadline: SIGXCPU long after it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    threads = os.cpu_count() or 1
    allowed = used.ru_utime + used.ru_stime + 2 * limit_s * threads + _CPU_GRACE_S
    with contextlib.suppress(OSError, ValueError):
        _lower(resource.RLIMIT_CPU, int(allowed))


def _lower(limit: int, soft: int) -> None:
    """Set a soft limit, within the hard one, which stays."""
    _, hard = resource.getrlimit(limit)
    resource.setrlimit(limit, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
