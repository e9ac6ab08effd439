"""Tunes and times shapes on one number of threads; `bench_kernels.py` starts it.

    python scripts/contest.py '{"threads": 1, ...}'

A process for each number of threads, since some libraries have one set of threads for good. Rows go
into the JSON file one by one; a row that is there already is not made again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import ours
from numpy.typing import NDArray
from peers import Binder, MissingPeerError, peers
from rows import OURS, PEAK, Row, load, save
from suite import named_shapes, workload_of
from tvm_peer import MetaSchedule
from versus import Contender, InProcess, interleave, no_rest, wait_for_rest

from autotune.errors import AutotuneError, ScheduleError
from autotune.ir.algorithm import statements
from autotune.ir.program import executed_multiply_adds
from autotune.lookup import Hit
from autotune.measure.rotation import copies_of
from autotune.ops.base import contraction, flop
from autotune.reference import Expected
from autotune.targets.base import Target
from autotune.targets.detect import host, resolve
from autotune.trial import CachePolicy, Workload

SIDES = ("prepacked", "plain")
CACHES = ("warm", "rotating")
CACHE_TIMES = 2
"""Rotating sets are so many times the last-level cache, which keeps some of what is oldest."""
MOST_BYTES = 1 << 30
"""Of one contender's sets together, where two of them are not larger."""
INTERRUPTED = 130


class WrongError(AutotuneError):
    """A contender's result is not what it must be."""


@dataclass(frozen=True)
class Contest:
    """What one process is to do."""

    shapes: Sequence[str]
    sides: Sequence[str]
    threads: int
    caches: Sequence[str]
    target: str
    budget_s: float
    is_tuning: bool
    seed: int
    space: str | None
    cache_policy: CachePolicy
    rounds: int
    cache: str
    json: str
    left_out: Mapping[str, str]
    """Peer -> why it may not take part."""
    settings: Mapping[str, Any]
    """What rows keep of all this, to be told from others."""
    tvm_python: str | None
    """Interpreter that has TVM, where this one has not."""
    tvm_budget_s: float

    def to_json(self) -> str:
        """For the command line."""
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class Problem:
    """A shape of one side with its operands, the right answer, and our schedule."""

    shape: str
    suite: str
    side: str
    workload: Workload
    arrays: Mapping[str, NDArray[Any]]
    right: Expected
    hit: Hit
    target: Target


def run(contest: Contest) -> int:
    """Make every row that is missing; how many shapes ended in an error."""
    with MetaSchedule(
        contest.tvm_python, contest.threads, contest.target, contest.tvm_budget_s
    ) as metaschedule:
        return _run(contest, metaschedule)


def _run(contest: Contest, metaschedule: MetaSchedule) -> int:
    rows, failed = load(contest.json), 0
    wanted = [(side, shape) for side in contest.sides for shape in contest.shapes]
    for place, (side, shape) in enumerate(wanted, 1):
        known = {row.identity for row in rows if row.settings == contest.settings}
        caches = [c for c in contest.caches if (side, contest.threads, c, shape) not in known]
        if not caches:
            continue
        told = f"[{place}/{len(wanted)}] {shape} {side}, threads: {contest.threads}"
        print(told, file=sys.stderr, flush=True)
        try:
            problem = _problem(contest, side, shape)
            for state in caches:
                rows.append(compare(problem, contest, state, metaschedule))
                save(contest.json, rows)
        except (AutotuneError, MissingPeerError) as error:
            print(f"error: {shape} {side}: {error}", file=sys.stderr)
            failed += 1
    return failed


def _problem(contest: Contest, side: str, shape: str) -> Problem:
    """Tune, unless the cache has a schedule that a whole tune has found."""
    entry = named_shapes()[shape]
    workload = workload_of(entry, side == "prepacked")
    target = resolve(contest.target, contest.threads)
    hit = ours.found(workload, contest.cache, target)
    if contest.is_tuning and not (hit.is_hit and hit.verified):
        ours.tune_fresh(
            workload,
            contest.cache,
            contest.budget_s,
            contest.threads,
            contest.seed,
            contest.target,
            contest.space,
            contest.cache_policy,
        )
        hit = ours.found(workload, contest.cache, target)
    if not hit.is_hit:
        print(f"not tuned, so the default is timed: {workload.key}", file=sys.stderr)
    arrays, right = ours.inputs(workload)
    return Problem(shape, entry["suite"], side, workload, arrays, right, hit, target)


def compare(problem: Problem, contest: Contest, caches: str, metaschedule: MetaSchedule) -> Row:
    """Check every contender against the float64 reference, then time them interleaved."""
    workload, arrays, threads = problem.workload, problem.arrays, contest.threads
    once_bytes = sum(array.nbytes for array in arrays.values())
    sets = operand_sets(once_bytes, host().l3_bytes) if caches == "rotating" else 1
    schedule = problem.hit.schedule
    binder = ours.ours(workload, arrays, schedule, problem.target)
    contenders: list[Contender] = [_checked(OURS, problem, binder, sets)]
    missing = dict(contest.left_out)
    for name, peer in peers(problem.side == "prepacked").items():
        if name in missing:
            continue
        try:
            binder = peer(workload, arrays, threads)
            contenders.append(_checked(name, problem, binder, sets))
        except (MissingPeerError, WrongError) as reason:
            missing[name] = str(reason)
        except (AttributeError, RuntimeError) as error:
            # A private call of another version of the library.
            missing[name] = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
    try:
        _check(problem, metaschedule.name, metaschedule.bind(workload, arrays, sets))
        contenders.append(metaschedule)
    except (MissingPeerError, WrongError) as reason:
        missing[metaschedule.name] = str(reason)
    peak, peak_flop = ours.multiply_adds(problem.target, workload.dtype)
    contenders.append(InProcess(PEAK, [peak]))
    computed = contraction(workload)
    return Row(
        shape=problem.shape,
        suite=problem.suite,
        side=problem.side,
        threads=threads,
        caches=caches,
        settings=dict(contest.settings),
        key=workload.key,
        algorithm=schedule.algorithm,
        origin=problem.hit.origin,
        is_eligible=_is_eligible(workload),
        flop=flop(workload),
        executed_flop=2 * executed_multiply_adds(computed, schedule),
        peak_flop=peak_flop,
        operand_sets=sets,
        samples_s=interleave(
            contenders, contest.rounds, no_rest if threads == 1 else wait_for_rest
        ),
        missing=missing,
    )


def operand_sets(once_bytes: int, cache_bytes: int) -> int:
    """How many sets of operands everybody goes round, so that no call finds its own in a cache."""
    return min(copies_of(once_bytes, CACHE_TIMES * cache_bytes), max(2, MOST_BYTES // once_bytes))


def _checked(name: str, problem: Problem, binder: Binder, sets: int) -> InProcess:
    """A contender that gave the right answer once on each of its sets of operands."""
    calls = [binder() for _ in range(sets)]
    for call in calls:
        _check(problem, name, call.array(call.run()))
    return InProcess(name, calls)


def _check(problem: Problem, name: str, out: NDArray[Any]) -> None:
    units = ours.checked_units(problem.workload, out, problem.right)
    if not units <= problem.workload.limit_units:
        raise WrongError(f"{name} is wrong on {problem.shape}: {units:.3g} units off")


def _is_eligible(workload: Workload) -> bool:
    try:
        statements(contraction(workload), "winograd2")
    except ScheduleError:
        return False
    return True


def main(arguments: Sequence[str]) -> int:
    """Exit code 0, 1 where a shape failed, or INTERRUPTED."""
    try:
        return min(1, run(Contest(**json.loads(arguments[0]))))
    except AutotuneError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
