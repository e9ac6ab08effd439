"""What a candidate may do to the process that it runs in, by name; `faults` plants them.

Some end the process or its pipes, others leave something behind for the candidates after them.
"""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import signal
import stat
import struct
import tempfile
from collections.abc import Callable, Mapping

import numpy as np

from autotune.measure.wire import encode

FLOOD_BYTES = 8 << 20
PIECE_BYTES = 1 << 28
UPWARDS = 0x800
"""FE_UPWARD of x86, in <fenv.h>."""
FLUSH_AND_TREAT_AS_ZERO = 0x8040
"""FTZ and DAZ in the control and status register of SSE."""
LOAD_MXCSR = bytes.fromhex("0fae17c3")
"""ldmxcsr [rdi]; ret"""
STORE_MXCSR = bytes.fromhex("0fae1fc3")
"""stmxcsr [rdi]; ret"""
KEPT: list[object] = []
"""Memory that nobody gives back."""


def allocate(held: list[object]) -> None:
    """Ask for memory until there is none; pages stay untouched, so that the machine does not mind.

    Raises:
        MemoryError: under any limit on the address space; there must be one.
    """
    left = 4 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    piece = PIECE_BYTES
    while left > 0:
        try:
            held.append(np.empty(piece, np.uint8))
            left -= piece
        except MemoryError:
            # What little is left would do for a small kernel.
            piece //= 2
            if piece < mmap.PAGESIZE:
                raise
    held.clear()
    raise LookupError("this worker may have any amount of memory")


def flood() -> None:
    for descriptor in (1, 2):
        unsent = memoryview(b"x" * FLOOD_BYTES)
        while unsent:
            unsent = unsent[os.write(descriptor, unsent) :]


def close_files() -> None:
    os.closerange(0, 21)


def close_files_and_hang() -> None:
    close_files()
    ctypes.CDLL(None).pause()


def close_other_files() -> None:
    """All but standard streams and pipes: a lock, a device, a file of results."""
    for descriptor in range(3, 21):
        try:
            if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                os.close(descriptor)
        except OSError:
            continue


def lose_folder() -> None:
    """Go where there is nothing any more."""
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    os.rmdir(folder)


def forbid_files() -> None:
    os.umask(0o777)


def ignore_signals() -> None:
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


def round_up() -> None:
    assert ctypes.CDLL("libm.so.6").fesetround(UPWARDS) == 0


def flush_to_zero() -> None:
    state = ctypes.c_uint32(0)
    with Native(STORE_MXCSR) as store:
        store(ctypes.byref(state))
    state.value |= FLUSH_AND_TREAT_AS_ZERO
    with Native(LOAD_MXCSR) as load:
        load(ctypes.byref(state))


class Native:
    """A few bytes of machine code as a function of one pointer."""

    def __init__(self, code: bytes) -> None:
        kinds = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
        self._map = mmap.mmap(-1, mmap.PAGESIZE, prot=kinds)
        self._map.write(code)

    def __enter__(self) -> Callable[[object], None]:
        start = ctypes.c_char.from_buffer(self._map)
        address = ctypes.addressof(start)
        del start
        return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)

    def __exit__(self, *_: object) -> None:
        self._map.close()


def leave_child() -> None:
    """One that has all of this process's files, and no end."""
    if os.fork() == 0:
        while True:
            ctypes.CDLL(None).pause()


def answer(content: bytes) -> Callable[[], None]:
    """Writes into the pipe that leads to the tuner."""

    def write() -> None:
        said = os.stat(2)
        for name in os.listdir("/proc/self/fd"):
            descriptor = int(name)
            try:
                status = os.fstat(descriptor)
            except OSError:
                continue
            mode = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE
            is_pipe = stat.S_ISFIFO(status.st_mode) and mode == os.O_WRONLY
            if is_pipe and not os.path.samestat(status, said):
                os.write(descriptor, content)

    return write


SPOILS: Mapping[str, Callable[[], None]] = {
    "stopped": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "memory_loop": lambda: allocate([]),
    "memory_kept": lambda: allocate(KEPT),
    "flood": flood,
    "close_files": close_files,
    "close_files_and_hang": close_files_and_hang,
    "close_other_files": close_other_files,
    "lose_folder": lose_folder,
    "forbid_files": forbid_files,
    "ignore_signals": ignore_signals,
    "round_up": round_up,
    "flush_to_zero": flush_to_zero,
    "leave_child": leave_child,
    "garbage": answer(b"\x00\xff" * 500),
    "half_a_frame": answer(struct.pack("<4sIQ", b"atw1", 1 << 20, 0)),
    "frame_too_long": answer(struct.pack("<4sIQ", b"atw1", 1 << 31, 1 << 60)),
    "frame_of_nothing": answer(encode({})),
    "frame_of_nonsense": answer(encode({"samples_s": "x", "reference_s": None})),
    "event_of_nothing": answer(encode({"event": "note"})),
    "failure_of_nothing": answer(encode({"failure": {"kind": 7}})),
}
