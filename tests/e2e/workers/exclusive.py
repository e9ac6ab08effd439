"""A runner that notes whether another one times a kernel at the same moment.

AUTOTUNE_TEST_TIMING names a file that exists while somebody times, AUTOTUNE_TEST_OVERLAPS one that
gets a byte for every slice, `!` where two overlapped.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

from autotune.measure.run import main
from autotune.measure.toolchain import Bound, Toolchain, real_toolchain

TIMING, OVERLAPS = os.environ["AUTOTUNE_TEST_TIMING"], os.environ["AUTOTUNE_TEST_OVERLAPS"]


@dataclass
class Watched:
    """A kernel whose slices are noted."""

    bound: Bound

    def run(self) -> None:
        self.bound.run()

    def repeat(self, count: int) -> None:
        if count == 1:
            # A check or a warm-up: not timed.
            self.bound.repeat(1)
            return
        try:
            mine = os.open(TIMING, os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            note(b"!")
            return
        self.bound.repeat(count)
        os.close(mine)
        os.unlink(TIMING)
        note(b".")


def note(mark: bytes) -> None:
    with open(OVERLAPS, "ab") as file:
        file.write(mark)


def watching() -> Toolchain:
    real = real_toolchain()

    def bind(*given: Any) -> Any:
        return Watched(real.bind(*given))

    return replace(real, bind=bind)


if __name__ == "__main__":
    main(watching)
