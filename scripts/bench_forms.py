"""What other forms of a shape cost beside the plain one: fused tails, and layouts of the data.

    python scripts/bench_forms.py --shapes C3,C6,C9,G3 --budget 20s

Tails: the schedule of the plain form with each tail fused into its stores, beside the plain kernel
alone and followed by NumPy's passes over its output. Layouts: each tuned on its own. All of a shape
are timed in turn, with one thread and weights packed beforehand; a ratio is of times, with the
interval of its median.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import ours
from numpy.typing import NDArray
from peers import Call
from rows import quotients
from suite import chosen, named_shapes, workload_of
from versus import InProcess, interleave, no_rest

from autotune.cli.options import budget_seconds
from autotune.errors import AutotuneError
from autotune.finalists import interval_of
from autotune.ir.schedule import Schedule
from autotune.ops.base import contraction, parse_workload
from autotune.reference import expected
from autotune.targets.detect import resolve
from autotune.trial import Workload

TAILS = ("bias=1", "act=relu", "bias=1,act=relu", "residual=1", "act=gelu")
LAYOUTS = ("NCHW", "NHWC", "NCHW16c")
Arrays = Mapping[str, NDArray[Any]]


def with_tail(workload: Workload, tail: str) -> Workload:
    """The workload with other flags of its fused tail."""
    parts = dict(part.split("=") for part in workload.shape.split(","))
    parts |= dict(part.split("=") for part in tail.split(","))
    text = ",".join(f"{name}={value}" for name, value in parts.items())
    return parse_workload(workload.op, text, workload.dtype, workload.layout)


def passes(tail: str, arrays: Arrays) -> Callable[[NDArray[Any]], None]:
    """The tail as NumPy does it, in place, one pass after the other."""
    parts = dict(part.split("=") for part in tail.split(","))
    bias, residual = arrays.get("bias"), arrays.get("residual")

    def run(out: NDArray[Any]) -> None:
        if bias is not None:
            np.add(out, bias.reshape(-1, 1, 1) if out.ndim == 4 else bias, out=out)
        if residual is not None:
            np.add(out, residual, out=out)
        if parts.get("act") == "relu":
            np.maximum(out, 0.0, out=out)

    return run


def contender(
    name: str,
    workload: Workload,
    schedule: Schedule,
    arrays: Arrays,
    after: Callable[[NDArray[Any]], None] | None = None,
) -> InProcess:
    """A checked kernel, and what comes after it."""
    target = resolve("host", 1)
    call = ours.ours(workload, arrays, schedule, target)()
    right = expected(workload, {key: arrays[key] for key in arrays if key != "out"})
    units = ours.checked_units(workload, call.array(call.run()), right)
    if not units <= workload.limit_units:
        raise AutotuneError(f"{name} of {workload.key} is wrong: {units:.3g} units off")
    if after is None:
        return InProcess(name, [call])
    out = call.array(None)

    def both() -> None:
        call.run()
        after(out)

    return InProcess(name, [Call(both, call.array)])


def tuned(workload: Workload, cache: str, budget_s: float) -> Schedule:
    """The schedule that a tune of so many seconds finds."""
    ours.tune_fresh(workload, cache, budget_s, 1, 0)
    return ours.found(workload, cache, resolve("host", 1)).schedule


def tails(name: str, workload: Workload, schedule: Schedule, rounds: int) -> Iterator[str]:
    """Lines of each tail: fused over plain, unfused over fused."""
    arrays, _ = ours.inputs(with_tail(workload, "bias=1,residual=1"))
    extra = {key: arrays.pop(key) for key in ("bias", "residual")}
    contenders = [contender("plain", workload, schedule, arrays)]
    for tail in TAILS:
        own = with_tail(workload, tail)
        added = {key: value for key, value in extra.items() if f"{key}=1" in tail}
        contenders.append(contender(tail, own, schedule, {**arrays, **added}))
        if "gelu" not in tail:
            after = passes(tail, added)
            contenders.append(contender(f"plain, {tail}", workload, schedule, arrays, after))
    samples = interleave(contenders, rounds, no_rest)
    for tail in TAILS:
        line = f"{name:5} {tail:16} fused/plain {ratio(samples[tail], samples['plain'])}"
        apart = samples.get(f"plain, {tail}")
        yield line + (f", unfused/fused {ratio(apart, samples[tail])}" if apart else "")


def layouts(name: str, workload: Workload, cache: str, budget_s: float, rounds: int) -> str:
    """One line: how fast each layout is beside the first."""
    contenders = []
    for layout in LAYOUTS:
        try:
            own = parse_workload(workload.op, workload.shape, workload.dtype, layout)
        except AutotuneError:
            continue
        schedule = tuned(own, cache, budget_s)
        contenders.append(contender(layout, own, schedule, ours.inputs(own)[0]))
    samples = interleave(contenders, rounds, no_rest)
    first = samples[LAYOUTS[0]]
    told = [f"{own} {ratio(times, first)}" for own, times in samples.items() if times is not first]
    return f"{name:5} time over {LAYOUTS[0]}'s: {', '.join(told)}"


def ratio(times: list[float], others: list[float]) -> str:
    """Median of the paired quotients, with its interval."""
    found = interval_of(quotients(times, others))
    return f"{found.median:.3f} [{found.low:.3f} {found.high:.3f}]"


def main() -> int:
    """Parse, tune, time, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--shapes", default="C3,C6,C9,G3", help="names of shapes and suites")
    parser.add_argument("--budget", default="20s", help="of each tune")
    parser.add_argument("--rounds", type=int, default=21)
    options = parser.parse_args()
    try:
        names, budget_s = chosen(options.shapes), budget_seconds(options.budget)
    except AutotuneError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        cache = str(Path(folder) / "cache.db")
        for name in names:
            workload = workload_of(named_shapes()[name], is_packed=True)
            schedule = tuned(workload, cache, budget_s)
            reduction = contraction(workload).multiply_adds // int(
                np.prod(contraction(workload).output.shape)
            )
            print(f"{name}: {schedule.algorithm}, reduction of {reduction}", flush=True)
            for line in tails(name, workload, schedule, options.rounds):
                print(line, flush=True)
            if workload.op == "conv2d":
                print(layouts(name, workload, cache, budget_s, options.rounds), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
