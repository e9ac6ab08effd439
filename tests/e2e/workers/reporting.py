"""Tunes a matmul and tells what is finished: `python reporting.py SHAPE OPTIONS`, in JSON.

Lines on standard output, each one write: `trials N` once N of them are done and in the log, `phase
NAME`, and at the end `result JSON`.
"""

import json
import os
import sys

from autotune.ops.base import parse_workload
from autotune.progress import Progress
from autotune.tune import tune


def tell(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def report(progress: Progress) -> None:
    tell(f"trials {progress.trials}")
    tell(f"phase {progress.phase}")


if __name__ == "__main__":
    tell("phase start")
    workload = parse_workload("matmul", sys.argv[1])
    result = tune(workload, progress=report, **json.loads(sys.argv[2]))
    tell(f"result {json.dumps(result.to_dict())}")
