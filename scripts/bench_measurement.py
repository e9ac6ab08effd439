"""Can measurements be believed: how far they wander, and do tunes of one shape agree.

    python scripts/bench_measurement.py --shapes C2,C3,D3,G1 --tune-shapes C6,G3

Two tables. Noise: the same schedules measured again and again, raw and paired, on a quiet machine
and beside a busy neighbour. Repeatability: several tunes of a shape, their winners timed together.
Targets are printed, never asserted. For figures that mean something nothing else may run.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import noise
import repeatability
from ours import UNLIMITED_TRIALS
from suite import named_shapes, workload_of

from autotune.cli.options import budget_seconds
from autotune.errors import AutotuneError, UsageError
from autotune.targets.detect import resolve

Figures = dict[str, list[dict[str, Any]]]
Part = TypeVar("Part", noise.Noise, repeatability.Repeated)

LEAST_ROUNDS = 6
"""Fewer hold no interval."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse, measure, tune; print and write each shape's figures as soon as they are known."""
    options = _options(arguments)
    figures: Figures = {"noise": [], "repeatability": []}
    try:
        shapes, tune_shapes = _known(options.shapes), _known(options.tune_shapes)
        budget_s = budget_seconds(options.tune_budget)
        # Better now than after an hour.
        _write(options.json, figures)
        if options.seconds:
            for line in noise.lines(_kept(_noises(options, shapes), "noise", figures, options)):
                print(line, flush=True)
        if options.tunes:
            tuned = _repeated(options, tune_shapes, budget_s)
            for line in repeatability.lines(_kept(tuned, "repeatability", figures, options)):
                print(line, flush=True)
    except AutotuneError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    return 0


def _kept(
    found: Iterator[Part], part: str, figures: Figures, options: argparse.Namespace
) -> Iterator[Part]:
    """Hand on what is found, and write all that was found so far."""
    for one in found:
        figures[part].append(one.to_dict())
        _write(options.json, figures)
        yield one


def _write(path: str | None, figures: Figures) -> None:
    if path is None:
        return
    text = json.dumps(figures, indent=1, allow_nan=False)
    try:
        Path(path).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--json {path} cannot be written: {error.strerror}") from error


def _noises(options: argparse.Namespace, names: Sequence[str]) -> Iterator[noise.Noise]:
    known, target = named_shapes(), resolve("host", 1)
    modes = [mode for mode in ("quiet", "busy") if getattr(options, mode)] or ["quiet", "busy"]
    for name in names:
        workload = workload_of(known[name], True)
        seconds, seed = options.seconds, options.seed
        yield from noise.noise_of(name, workload, target, modes, seconds, seed)


def _repeated(
    options: argparse.Namespace, names: Sequence[str], budget_s: float
) -> Iterator[repeatability.Repeated]:
    known, target = named_shapes(), resolve("host", 1)
    seeds = range(options.seed, options.seed + options.tunes)
    for name in names:
        workload = workload_of(known[name], True)
        yield repeatability.repeated(
            name, workload, target, seeds, options.tune_trials, budget_s, options.rounds
        )


def _known(text: str) -> list[str]:
    """The names in a list, all of them known."""
    wanted, known = [name.strip() for name in text.split(",")], named_shapes()
    if unknown := [name for name in wanted if name not in known]:
        raise UsageError(f"unknown shapes {', '.join(unknown)}; known: {', '.join(known)}")
    return wanted


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--shapes", default="C2,C3,D3,G1", help="whose noise is measured")
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="of measuring, each shape and mode; 0: none"
    )
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--quiet", action="store_true", help="only without a neighbour")
    modes.add_argument("--busy", action="store_true", help="only beside a busy neighbour")
    parser.add_argument("--tunes", type=int, default=5, help="of each shape; 0: none")
    parser.add_argument("--tune-shapes", default="C6,G3", help="which shapes are tuned")
    parser.add_argument("--tune-trials", type=int, default=UNLIMITED_TRIALS, help="of each tune")
    parser.add_argument("--tune-budget", default="60s", help="of each tune: 30s, 10m or 1h")
    parser.add_argument("--rounds", type=int, default=40, help="in which winners are timed")
    parser.add_argument("--seed", type=int, default=0, help="of the schedules; the first tune's")
    parser.add_argument("--json", help="file for all figures, one object")
    options = parser.parse_args(arguments)
    if not (math.isfinite(options.seconds) and options.seconds >= 0):
        parser.error(f"--seconds {options.seconds} is not allowed; allowed: from 0")
    if options.rounds < LEAST_ROUNDS:
        parser.error(f"--rounds {options.rounds} is too few; at least {LEAST_ROUNDS} are needed")
    for name, least in (("tunes", 0), ("tune_trials", 1), ("seed", 0)):
        if getattr(options, name) < least:
            flag = f"--{name.replace('_', '-')}"
            parser.error(f"{flag} {getattr(options, name)} is not allowed; allowed: from {least}")
    return options


if __name__ == "__main__":
    sys.exit(main())
