"""Tunes shapes from an empty cache, then times ours against the libraries, interleaved.

    python scripts/bench_kernels.py --shapes C2,C6,C9,G1,G3,D3 --budget 60s

Two tables: weights packed beforehand on both sides, and both operands as they come on both sides;
each side of ours has its own tuning. A ratio is a speed, ours over theirs: above 1 ours is faster.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_TUNED_FOR_ANOTHER = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
if __name__ == "__main__" and any(name in os.environ for name in _TUNED_FOR_ANOTHER):
    # OpenBLAS reads these once, when NumPy loads it: with them set it runs another CPU's kernels.
    kept = {name: text for name, text in os.environ.items() if name not in _TUNED_FOR_ANOTHER}
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], kept)

import numpy as np
from ours import bind_tuned, checked_units, inputs, tune_fresh
from peers import Contender, MissingPeerError, peers

from autotune.cli.options import budget_seconds
from autotune.errors import AutotuneError
from autotune.ops.base import flop, parse_workload
from autotune.trial import Workload

SHAPES = Path(__file__).resolve().parent.parent / "tests" / "data" / "shapes"
SLICE_S = 0.010
WARM_S = 0.2
NOT_SIZES = ("name", "op", "dtype", "layout")


@dataclass(frozen=True)
class Row:
    """One shape in one table: medians of each contender and the paired ratios ours/peer."""

    name: str
    key: str
    seconds: dict[str, float]
    gflops: dict[str, float]
    ratio: dict[str, tuple[float, float, float]]
    """Peer -> lower quartile, median and upper quartile of its time over ours, round by round."""
    missing: dict[str, str]

    @property
    def best_peer(self) -> str | None:
        return min(self.ratio, key=lambda peer: self.ratio[peer][1], default=None)


def named_shapes() -> dict[str, dict[str, Any]]:
    """Every shape with a name in the data files."""
    entries = (e for path in sorted(SHAPES.glob("*.json")) for e in json.loads(path.read_text()))
    return {entry["name"]: entry for entry in entries if "name" in entry}


def workload_of(entry: dict[str, Any], is_packed: bool) -> Workload:
    """The workload of a data file's entry, with or without constant weights."""
    parts = {key: entry[key] for key in entry if key not in NOT_SIZES}
    text = ",".join(
        f"{key}={'x'.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in parts.items()
    )
    shape = f"{text},prepack={int(is_packed)}"
    return parse_workload(entry["op"], shape, entry["dtype"], entry.get("layout"))


def interleave(
    contenders: list[Contender], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, list[float]]:
    """Seconds a call of each contender in each round; who goes first changes every round."""
    counts = {contender.name: _calls_a_slice(contender, clock) for contender in contenders}
    samples: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    for turn in range(rounds):
        shift = turn % len(contenders)
        for contender in contenders[shift:] + contenders[:shift]:
            call, count = contender.call, counts[contender.name]
            # What ran before has put its own data into the caches.
            _repeat(call, max(1, count // 10))
            start_s = clock()
            _repeat(call, count)
            samples[contender.name].append((clock() - start_s) / count)
    return samples


def _repeat(call: Callable[[], object], count: int) -> None:
    for _ in range(count):
        call()


def _calls_a_slice(contender: Contender, clock: Callable[[], float]) -> int:
    """Calls that take at least SLICE_S, found on a warm contender."""
    start_s, calls = clock(), 0
    while (spent_s := clock() - start_s) < WARM_S:
        contender.call()
        calls += 1
    # A fifth more, so that a fast phase of the machine does not undercut the slice.
    return max(1, int(1.2 * SLICE_S * calls / spent_s) + 1)


def compare(
    name: str, workload: Workload, cache: str, is_packed: bool, threads: int, rounds: int
) -> Row:
    """Check every contender against the float64 reference, then time them interleaved."""
    arrays, right = inputs(workload)
    contenders, missing = [bind_tuned(workload, arrays, cache, threads)], {}
    for peer, bind in peers(is_packed).items():
        try:
            contenders.append(bind(workload, arrays, threads))
        except MissingPeerError as reason:
            missing[peer] = str(reason)
    for contender in contenders:
        contender.call()
        units = checked_units(workload, contender.result(), right)
        if not units <= workload.tolerance:
            raise AutotuneError(f"{contender.name} is wrong on {name}: {units:.3g} units off")
    samples = interleave(contenders, rounds)
    ours_s = samples[contenders[0].name]
    medians = {key: statistics.median(times) for key, times in samples.items()}
    return Row(
        name,
        workload.key,
        medians,
        {key: flop(workload) / seconds / 1e9 for key, seconds in medians.items()},
        {c.name: _quartiles(samples[c.name], ours_s) for c in contenders[1:]},
        missing,
    )


def _quartiles(theirs_s: list[float], ours_s: list[float]) -> tuple[float, float, float]:
    ratios = [theirs / ours for theirs, ours in zip(theirs_s, ours_s, strict=True)]
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    return float(low), float(middle), float(high)


def lines(title: str, rows: list[Row]) -> Iterator[str]:
    """The table of one side, and the geometric mean over the best peers."""
    yield f"\n{title} (speed ours / theirs: median [quartiles]; above 1 ours is faster)"
    names = list(dict.fromkeys(peer for row in rows for peer in (*row.ratio, *row.missing)))
    heads = ["shape", "GFLOP/s", *names, "best peer", "ours/best"]
    cells = [heads]
    for row in rows:
        cell = [row.name, f"{row.gflops['ours']:.1f}"]
        for peer in names:
            low, middle, high = row.ratio.get(peer, (0.0, 0.0, 0.0))
            cell.append(f"{middle:.2f} [{low:.2f} {high:.2f}]" if peer in row.ratio else "-")
        best = row.best_peer
        cells.append([*cell, best or "-", f"{row.ratio[best][1]:.2f}" if best else "-"])
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for cell in cells:
        yield "  ".join(
            text.ljust(width) for text, width in zip(cell, widths, strict=True)
        ).rstrip()
    against_best = [row.ratio[row.best_peer][1] for row in rows if row.best_peer]
    if against_best:
        yield f"geometric mean against the best peer: {statistics.geometric_mean(against_best):.2f}"
    reasons = sorted({(peer, why) for row in rows for peer, why in row.missing.items()})
    yield from (f"missing: {peer}: {why}" for peer, why in reasons)


def main() -> int:
    """Parse, tune, compare, print."""
    options = _options()
    known = named_shapes()
    wanted = [name.strip() for name in options.shapes.split(",")]
    if unknown := [name for name in wanted if name not in known]:
        print(
            f"error: unknown shapes {', '.join(unknown)}; known: {', '.join(known)}",
            file=sys.stderr,
        )
        return 2
    if options.skip_tune and not options.cache:
        print("error: --skip-tune needs --cache FILE with the tuned schedules", file=sys.stderr)
        return 2
    if options.cache and not options.skip_tune and Path(options.cache).exists():
        print(f"error: {options.cache} exists; tuning starts from an empty cache", file=sys.stderr)
        return 2
    tables: dict[str, list[Row]] = {"prepacked": [], "plain": []}
    with tempfile.TemporaryDirectory() as folder:
        cache = options.cache or str(Path(folder) / "cache.db")
        for side in tables:
            for name in wanted:
                workload = workload_of(known[name], side == "prepacked")
                if not options.skip_tune:
                    budget_s = budget_seconds(options.budget)
                    tune_fresh(workload, cache, budget_s, options.threads, options.seed)
                tables[side].append(
                    compare(
                        name, workload, cache, side == "prepacked", options.threads, options.rounds
                    )
                )
    for side, rows in tables.items():
        print("\n".join(lines(f"{side} against {side}", rows)))
    if options.json:
        content = {
            side: [{**vars(row), "best_peer": row.best_peer} for row in rows]
            for side, rows in tables.items()
        }
        Path(options.json).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--shapes", default="C2,C6,C9,G1,G3,D3", help="names, joined by commas")
    parser.add_argument("--budget", default="60s", help="tuning time of each shape in each table")
    parser.add_argument("--threads", type=int, default=1, help="threads of every contender")
    parser.add_argument("--rounds", type=int, default=15, help="interleaved rounds, at least 9")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", help="file for all figures")
    parser.add_argument("--cache", help="keep the tuned schedules here")
    parser.add_argument("--skip-tune", action="store_true", help="time what --cache holds already")
    options = parser.parse_args()
    if options.rounds < 9:
        parser.error(f"--rounds {options.rounds} is too few; at least 9 are needed")
    return options


if __name__ == "__main__":
    sys.exit(main())
