"""TVM's MetaSchedule beside the other contenders: `metaschedule.py` in a Python that has TVM.

It is tuned on operands as they come, and timed in turn like all others; only that its calls are
counted and timed in its own process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peers import Arrays, MissingPeerError, plain_sizes

import autotune
from autotune.trial import Workload

NAME = "metaschedule"
SCRIPT = Path(__file__).parent / "metaschedule.py"
LEVELS = ("x86-64-v3", "x86-64-v4")
"""Names of targets that LLVM knows as well; others are what LLVM finds here."""


class MetaSchedule:
    """A process with TVM, which tunes each workload once; started when it is first needed."""

    name = NAME

    def __init__(self, python: str | None, threads: int, target: str, budget_s: float) -> None:
        """Keep what it needs.

        Args:
            python: interpreter that has TVM; None is this one, if it has.
            threads: of its kernels.
            target: text of `--target`.
            budget_s: for tuning each workload.
        """
        self._python = python or (sys.executable if find_spec("tvm") else None)
        self._threads, self._budget_s = threads, budget_s
        self._target = target if target in LEVELS else "host"
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> MetaSchedule:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def bind(self, workload: Workload, arrays: Arrays, sets: int) -> NDArray[Any]:
        """Be ready for calls of this workload on so many sets of operands; the output of one.

        Raises:
            MissingPeerError: there is no TVM, or it cannot do this.
        """
        sizes = plain_sizes(workload)
        shape = {name: size for name, size in sizes.items() if name != "prepack"}
        with tempfile.TemporaryDirectory() as folder:
            for name in ("x", "weight"):
                np.save(f"{folder}/{name}.npy", arrays[name])
            request = {
                "folder": folder,
                "shape": {"op": workload.op, **shape},
                "out": arrays["out"].shape,
                "sets": sets,
                "target": self._target,
                "budget_s": self._budget_s,
            }
            self._answer({"bind": request})
            out: NDArray[Any] = np.load(f"{folder}/out.npy")
        return out

    def spend_s(self, count: int) -> float:
        """Seconds that `count` calls take in the other process, each on its next operands."""
        return float(self._answer({"spend": count})["seconds"])

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            print(json.dumps(request), file=process.stdin, flush=True)
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise MissingPeerError(f"{self._python} could not run TVM; exit code {process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise MissingPeerError(f"TVM: {answer['error']}")
        return answer

    def _started(self) -> subprocess.Popen[str]:
        if self._python is None:
            raise MissingPeerError("tvm is not installed")
        if self._process is None:
            package = str(Path(autotune.__file__).parents[1])
            environment = {
                **os.environ, "PYTHONPATH": package, "TVM_NUM_THREADS": str(self._threads)
            }  # fmt: skip
            try:
                self._process = subprocess.Popen(
                    [self._python, str(SCRIPT)],
                    env=environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                    # Not interrupted with this process, but ended by it.
                    process_group=0,
                )
            except OSError as error:
                raise MissingPeerError(f"{self._python} cannot be run: {error.strerror}") from error
        return self._process
