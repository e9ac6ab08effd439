"""A busy neighbour: one process that multiplies matrices and copies memory on one core, for ever.

`busy` runs it for the length of a `with` block and kills it at the end, whatever happened inside;
should its parent be killed, it ends by itself.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autotune.errors import AutotuneError

SIDE = 384
COPY_BYTES = 32 << 20
"""More than a core's own caches, so that what is shared, memory included, is busy too."""
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@contextmanager
def busy(core: int | None) -> Iterator[int]:
    """The process id of a neighbour that is at work; None: on whatever core it is given.

    Raises:
        AutotuneError: it did not start, or was gone before the block ended.
    """
    place = [] if core is None else [str(core)]
    command = [sys.executable, str(Path(__file__).resolve()), str(os.getpid()), *place]
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env={**os.environ, **ONE_THREAD},
    ) as process:
        try:
            assert process.stdout is not None
            if process.stdout.readline() != b"busy\n":
                raise AutotuneError(f"the busy neighbour did not start: {' '.join(command[1:])}")
            yield process.pid
            if process.poll() is not None:
                raise AutotuneError(f"the busy neighbour ended early, status {process.returncode}")
        finally:
            process.kill()


def main() -> None:
    """Be busy until the parent is gone: `neighbour.py PARENT [CORE]`."""
    parent = int(sys.argv[1])
    # Ctrl-C reaches the parent too, which ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if len(sys.argv) > 2:
        os.sched_setaffinity(0, {int(sys.argv[2])})
    import numpy as np

    left, right, product = (np.ones((SIDE, SIDE), np.float32) for _ in range(3))
    source, copy = (np.ones(COPY_BYTES, np.uint8) for _ in range(2))
    print("busy", flush=True)
    while os.getppid() == parent:
        np.matmul(left, right, out=product)
        np.copyto(copy, source)


if __name__ == "__main__":
    main()
