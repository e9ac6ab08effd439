"""Tunes many workloads, worst first: those that lookups missed. One that fails stops no other.

Which workloads, in which order and with how much time each is decided here; `tune` does the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from autotune.errors import AutotuneError, UsageError
from autotune.lookup.cliff import estimate
from autotune.ops.base import flop, reparsed
from autotune.store.misses import Miss
from autotune.targets.base import Target
from autotune.targets.detect import resolve


class Kept(Protocol):
    """What is asked of the cache."""

    def missed(self) -> list[Miss]:
        """What was looked up, was not there and still is not."""

    def speedups(self, op: str) -> list[float]:
        """Default over tuned, for the records of one operator."""


@dataclass(frozen=True)
class Batch:
    """Misses to tune, and those that are left alone."""

    jobs: tuple[Miss, ...]
    """Of the target asked for, worst first by expected loss times uses."""
    elsewhere: tuple[str, ...]
    """Keys of other targets that have misses too."""


def missed(cache: Kept, target: str = "host", threads: int | None = None) -> Batch:
    """Every miss that a cache remembers of a target.

    Args:
        cache: where to look.
        target: as for `--target`.
        threads: only those of so many threads; None: whatever they ran on.

    Raises:
        UsageError: no such target.
        StoreError: the cache cannot be read.
    """
    machine = resolve(target, 1 if threads is None else threads)
    found = cache.missed()
    ours = [miss for miss in found if _is_of(miss.target_key, machine, threads)]
    speedups = {op: cache.speedups(op) for op in {miss.workload.op for miss in ours}}
    losses = {id(miss): _loss(miss, speedups[miss.workload.op]) for miss in ours}
    others = {miss.target_key for miss in found} - {miss.target_key for miss in ours}
    return Batch(
        tuple(sorted(ours, key=lambda miss: (-losses[id(miss)], miss.workload.key))),
        tuple(sorted(others)),
    )


@dataclass
class Tuned:
    """What became of a batch."""

    workloads: list[dict[str, Any]] = field(default_factory=list)
    """The JSON of each run, or of a failure: `workload`, `key`, `target`, `error`; with `uses`."""
    seconds: float = 0.0
    is_interrupted: bool = False

    @property
    def failed(self) -> int:
        """How many left no record in the cache."""
        return sum("error" in told or not told.get("kept", True) for told in self.workloads)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of a run over many workloads."""
        return {
            "workloads": self.workloads,
            "failed": self.failed,
            "seconds": self.seconds,
            "estimated_speedup": estimated_speedup(self.workloads),
        }


def tune_all(
    jobs: Iterable[Miss],
    tune_one: Callable[[Miss, float | None], Mapping[str, Any]],
    budget_s: float | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Tuned:
    """Tune one workload after the other; an interruption ends with what there is.

    Args:
        jobs: in the order in which to tune.
        tune_one: tunes a workload within so many seconds, None without a limit, and gives its JSON.
        budget_s: seconds for all; what one leaves over is shared by those after it.
        clock: seconds from any moment.

    Raises:
        UsageError: every workload was refused for the same reason, which is then no workload's.
    """
    waiting = list(jobs)
    start_s = clock()
    tuned = Tuned()
    refusals: list[UsageError] = []
    while waiting and not tuned.is_interrupted:
        left_s = None if budget_s is None else budget_s - (clock() - start_s)
        share_s = None if left_s is None else left_s / len(waiting)
        job = waiting.pop(0)
        try:
            if share_s is not None and share_s <= 0:
                raise AutotuneError("the budget was used up before its turn")
            reparsed(job.workload)
            told = tune_one(job, share_s)
            tuned.is_interrupted = told.get("stopped") == "interrupted"
            tuned.workloads.append({**told, "uses": job.count})
        except AutotuneError as error:
            refusals += [error] if isinstance(error, UsageError) else []
            tuned.workloads.append(_failure(job, error))
        except KeyboardInterrupt:
            tuned.is_interrupted = True
    if refusals and len({str(e) for e in refusals}) == 1 and len(refusals) == len(tuned.workloads):
        raise refusals[0]
    tuned.seconds = clock() - start_s
    return tuned


def estimated_speedup(workloads: Iterable[Mapping[str, Any]]) -> float | None:
    """Default over tuned for all uses together; None where nothing was compared."""
    before = after = 0.0
    for told in workloads:
        best = told.get("best")
        if best and best["speedup"] is not None:
            after += told["uses"] * best["seconds"]
            before += told["uses"] * best["seconds"] * best["speedup"]
    return before / after if after else None


def _failure(job: Miss, error: AutotuneError) -> dict[str, Any]:
    return {
        "workload": job.workload.to_dict(),
        "key": job.workload.key,
        "target": job.target_key,
        "error": " ".join(str(error).split()),
        "uses": job.count,
    }


def _is_of(target_key: str, machine: Target, threads: int | None) -> bool:
    """Whether a key is this machine's, on that number of threads where one is given."""
    if threads is not None:
        return target_key == machine.key
    return target_key.rpartition("/t")[0] == machine.key.rpartition("/t")[0]


def _loss(miss: Miss, speedups: list[float]) -> float:
    """What its uses are expected to have lost, in operations; 0 where it is no workload."""
    try:
        slowdown, _ = estimate(speedups)
        return (slowdown - 1) * flop(reparsed(miss.workload)) * miss.count
    except UsageError:
        return 0.0
