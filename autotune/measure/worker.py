"""One worker process as the tuner sees it: pipes that never block, its death, its last words.

`Slot` decides what to do with it; this file only moves bytes and reaps.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

from autotune.errors import MeasureError
from autotune.measure.wire import SEAL_BYTES, Frame, FrameReader, Header, WireError, encode

_TAIL_BYTES = 4096
_READ_BYTES = 1 << 20
_SINGLE_THREADED = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


class Worker:
    """A process running `module`, with its own session so that Ctrl-C does not reach it."""

    def __init__(self, module: str, first: Frame, inherited: tuple[int, ...] = ()) -> None:
        if not sys.executable:
            raise MeasureError("sys.executable is empty: no Python to start workers with")
        command = [sys.executable, "-P", "-m", module, str(os.getpid())]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                pass_fds=inherited,
                bufsize=0,
                env=_environment(),
            )
        except OSError as error:
            raise MeasureError(f"worker {module} cannot be started: {error}") from error
        for pipe in self.pipes:
            os.set_blocking(pipe.fileno(), False)
        self.is_gone = False
        """The process closed its output or wrote garbage; it is to be buried."""
        seal = os.urandom(SEAL_BYTES)
        self._reader = FrameReader(seal)
        self._unsent = bytearray()
        self._tail = b""
        self.send({**first.header, "seal": seal.hex()}, first.blob)

    @property
    def pipes(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        """Standard input, output and error."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        return process.stdin, process.stdout, process.stderr

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def has_unsent(self) -> bool:
        return bool(self._unsent)

    def send(self, header: Header, blob: bytes = b"") -> None:
        """Queue a frame and send as much of it as the pipe takes now."""
        self._unsent += encode(header, blob)
        self._flush()

    def exchange(self) -> list[Frame]:
        """Move what can be moved without waiting; the frames that have come in."""
        self._flush()
        self._drain_stderr()
        frames: list[Frame] = []
        piece = _read(self.pipes[1])
        while piece:
            try:
                for frame in self._reader.feed(piece):
                    frames.append(frame)
            except WireError as error:
                self._tail = str(error).encode()
                self.is_gone = True
                return frames
            piece = _read(self.pipes[1])
        self.is_gone = self.is_gone or piece == b""
        return frames

    def _flush(self) -> None:
        # A closed pipe shows as end of file on the other one, where it is dealt with.
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            while self._unsent:
                sent = os.write(self.pipes[0].fileno(), self._unsent[:_READ_BYTES])
                del self._unsent[:sent]

    def _drain_stderr(self) -> None:
        # Bounded, so that a worker that floods its stderr cannot hold the loop.
        for _ in range(16):
            piece = _read(self.pipes[2])
            if piece == b"":
                # It closed what it never should: a candidate's doing, or its end.
                self.is_gone = True
            if not piece:
                return
            self._tail = (self._tail + piece)[-_TAIL_BYTES:]

    def kill(self) -> int | None:
        """End the whole process group, reap it and close the pipes.

        A process that has already closed its output gets a moment to end by itself, so that the
        status tells why.

        Returns:
            Its exit status; None where it did not end by itself.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=0.5 if self.is_gone else 0.0)
        status = self._process.returncode
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        # Bounded: a process stuck in the kernel must not hold up the tuner.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1.5)
        self._drain_stderr()
        for pipe in self.pipes:
            with contextlib.suppress(OSError):
                pipe.close()
        return status

    @property
    def last_words(self) -> str:
        """The last line that it wrote to standard error."""
        lines = self._tail.decode(errors="replace").split("\n")
        return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")


def _read(pipe: IO[bytes]) -> bytes | None:
    """What is there; b"" at the end of the stream, None when there is nothing now."""
    try:
        return os.read(pipe.fileno(), _READ_BYTES)
    except BlockingIOError:
        return None


def _environment() -> dict[str, str]:
    """This process's environment, importing from the same places, one thread per library."""
    root = str(Path(__file__).resolve().parents[2])
    places = [place for place in sys.path if place and os.path.isdir(place)]
    if root not in places:
        places.append(root)
    single = dict.fromkeys(_SINGLE_THREADED, "1")
    return {**os.environ, **single, "PYTHONPATH": os.pathsep.join(places)}
