"""What was tuned is what runs later: from an empty cache, a full one, and in another process."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import autotune
from autotune.backends import cpu
from autotune.ir.schedule import Schedule
from autotune.measure.check import error_units, make_inputs
from autotune.ops.base import contraction
from autotune.reference import expected
from autotune.targets.detect import host
from autotune.trial import Workload
from autotune.tune import tune

SHAPES = {
    "matmul": ("matmul", "17x31x13,tb=1,bias=1,act=gelu", "float64", 1),
    "strided": ("conv2d", "c=5,h=13,w=16,k=9,r=3,pad=1x2x0x3,stride=2,bias=1", "float32", 1),
    "3x3 on two threads": ("conv2d", "c=16,h=9,w=11,k=17,r=3,pad=1,act=relu", "float32", 2),
}

OTHER_PROCESS = """
import hashlib, json, sys
import autotune
from autotune.backends import cpu
from autotune.measure.check import make_inputs
from autotune.ops.base import contraction
from autotune.targets.detect import host

fields, cache, threads = json.loads(sys.stdin.read())
workload = autotune.Workload(**fields)
kernel = autotune.load(workload, threads=threads, cache=cache)
given = make_inputs(workload, 0)
out = kernel(given.pop("x"), given.pop("weight"), **given)
hit = autotune.lookup(workload, threads=threads, cache=cache, strict=True)
artifact = cpu.build(contraction(workload), hit.schedule, host().with_threads(threads))
print(hit.schedule.digest)
print(hashlib.sha256(b"".join(artifact.objects)).hexdigest())
print(hashlib.sha256(out.tobytes()).hexdigest())
"""


@dataclass(frozen=True)
class Tuned:
    """One workload tuned into a cache that was empty."""

    workload: Workload
    threads: int
    cache: str
    schedule: Schedule

    def run(self) -> Any:
        """The output of the kernel that `load` gives, for the operands of seed 0."""
        kernel = autotune.load(self.workload, threads=self.threads, cache=self.cache)
        given = make_inputs(self.workload, 0)
        return kernel(given.pop("x"), given.pop("weight"), **given)

    def code(self) -> bytes:
        """Object code of the row in the cache."""
        hit = autotune.lookup(self.workload, threads=self.threads, cache=self.cache, strict=True)
        target = host().with_threads(self.threads)
        return b"".join(cpu.build(contraction(self.workload), hit.schedule, target).objects)

    def elsewhere(self, root: Path) -> list[str]:
        """Digest of the schedule, of its code and of its output in a fresh process."""
        ended = subprocess.run(
            [sys.executable, "-W", "error", "-c", OTHER_PROCESS],
            input=json.dumps([self.workload.to_dict(), self.cache, self.threads]),
            env={**os.environ, "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.split()


@pytest.fixture(scope="module", params=SHAPES.values(), ids=SHAPES.keys())
def tuned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Tuned:
    op, shape, dtype, threads = request.param
    folder = tmp_path_factory.mktemp("tuned")
    workload, cache = autotune.parse_workload(op, shape, dtype), str(folder / "cache.db")
    result = tune(
        workload, trials=8, threads=threads, cache=cache, log=str(folder / "run.jsonl"), seed=1
    )
    return Tuned(workload, threads, cache, result.schedule)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_tuned_schedule_is_what_the_cache_answers_and_right(tuned: Tuned) -> None:
    hit = autotune.lookup(tuned.workload, threads=tuned.threads, cache=tuned.cache, strict=True)
    assert (hit.origin, hit.stale, hit.verified) == ("tuned", False, True)
    assert hit.schedule == tuned.schedule
    right = expected(tuned.workload, make_inputs(tuned.workload, 0))
    assert error_units(tuned.workload, tuned.run(), right) <= tuned.workload.tolerance


def test_warm_cache_gives_the_same_bits_here_and_in_another_process(
    tuned: Tuned, root: Path
) -> None:
    # Reported as IBM/triton-dejavu#1: right when tuned, wrong when restored.
    first = tuned.run()
    assert tuned.run().tobytes() == first.tobytes()
    schedule, _, out = tuned.elsewhere(root)
    assert schedule == tuned.schedule.digest
    assert out == sha256(first.tobytes())


def test_one_row_builds_the_same_code_everywhere(tuned: Tuned, root: Path) -> None:
    # Reported as NVIDIA/TensorRT#4798: part of the decisions was not in the cache.
    codes = {sha256(tuned.code()) for _ in range(3)}
    assert codes == {tuned.elsewhere(root)[1]}


def test_tuning_again_into_a_warm_cache_keeps_it_right(tmp_path: Path) -> None:
    workload = autotune.parse_workload("matmul", "13x33x7,residual=1")
    cache, log = str(tmp_path / "cache.db"), str(tmp_path / "run.jsonl")
    tried = [tune(workload, trials=4, cache=cache, log=log, seed=seed).schedule for seed in (1, 2)]
    assert autotune.lookup(workload, cache=cache, strict=True).schedule in tried
    right = expected(workload, make_inputs(workload, 0))
    out = Tuned(workload, 1, cache, tried[-1]).run()
    assert error_units(workload, out, right) <= workload.tolerance
