"""Records a sweep: measures every point of a part of a workload's space, the best ones again.

    python scripts/record_sweep.py C12 --points 6000 --folder tuning_logs
    python scripts/record_sweep.py --refresh tuning_logs/C12.sweep.gz

Each round is a tuning log of its own below FOLDER/NAME.rounds: first every point in random order,
then five times the best 5%, each time in fresh processes. Interrupted at any moment, the same
command goes on. `--refresh` computes features, families and bounds anew, as long as the space still
has the same points.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

import numpy as np
from suite import named_shapes, workload_of

from autotune import __version__, features
from autotune.backends.cpu import llvm_version
from autotune.errors import AutotuneError, MeasureError, UsageError
from autotune.interruption import exit_code, listening
from autotune.ir.default import default_schedule
from autotune.ir.schedule import Schedule
from autotune.measure.base import Measurer
from autotune.measure.pool import PoolMeasurer
from autotune.ops.base import contraction, parse_workload
from autotune.space import Space, generate, narrowing
from autotune.space.base import Points
from autotune.space.excerpt import excerpt
from autotune.space.naming import Named, named
from autotune.store.log import LogWriter, read
from autotune.store.record import utc_now
from autotune.sweeps import file
from autotune.sweeps.base import Sweep, Value
from autotune.targets._read import target_from
from autotune.targets.base import Target
from autotune.targets.detect import host
from autotune.trial import CODEGEN_VERSION, Failure, Timing, Workload
from autotune.tune import measure_options

LEAST_POINTS, MOST_POINTS = 20, 20_000
AGAIN_SHARE, AGAIN_ROUNDS = 0.05, 5
PENDING, BATCH = 48, 16
"""Candidates under way at most: builders and runner never idle, little is lost."""
TRIAL_LIMIT_S = 120.0
"""Without a single candidate for so long, something hangs."""
PLAIN_COUNTS = (12, 64)
"""Plain points asked for: as many as explorers ask for, then more, which may be of other forms."""

Outcomes = dict[str, Timing | Failure]
"""By digest."""
Tell = Callable[[str], None]
MeasurerFactory = Callable[[], Measurer]


def record(
    workload: Workload,
    target: Target,
    name: str,
    count: int,
    seed: int,
    folder: Path,
    tell: Tell,
    factory: MeasurerFactory | None = None,
) -> Sweep:
    """Measure what is not measured yet, and write the sweep.

    Args:
        workload: whose space a part is taken of.
        target: this machine.
        name: of the sweep and its file.
        count: points wanted.
        seed: of the choice of points, and of their order.
        folder: where the file goes, and the logs of its rounds.
        tell: called with a line from time to time.
        factory: makes a measurer; None: one that measures on this machine.

    Raises:
        UsageError: the logs that are there are of another recording.
        AutotuneError: nothing can be measured, or not be written.
    """
    computed = contraction(workload)
    space = generate(computed, target, narrowing.load(None, workload.op))
    points = excerpt(space, count, seed)
    schedules = [space.schedule(point) for point in points]
    default = default_schedule(computed, target)
    if factory is None:
        options = measure_options(workload, target, space, default, "warm", 10.0, seed)

        def factory() -> Measurer:
            return PoolMeasurer(workload, target, options)

    about = {
        "workload": workload.to_dict(),
        "target": target.to_dict(),
        "machine": host().cpu,
        "version": __version__,
        "codegen": CODEGEN_VERSION,
        "llvm": llvm_version(),
        "excerpt": {"points": count, "seed": seed},
        "space": space.digest,
        "reference": default.digest,
    }
    rounds = folder / f"{name}.rounds"
    order = np.random.default_rng(seed).permutation(len(schedules))
    shuffled = [schedules[i] for i in order]
    tell(f"{name}: {len(points)} points of {workload.key}")
    first = _round(rounds / "0.jsonl", default, shuffled, about, factory, tell)
    best = _best(first, schedules)
    later = []
    for number in range(1, AGAIN_ROUNDS + 1):
        order = np.random.default_rng([seed, number]).permutation(len(best))
        again = [best[i] for i in order]
        later.append(_round(rounds / f"{number}.jsonl", default, again, about, factory, tell))
    sweep = _sweep(name, {**about, "recorded": utc_now()}, space, points, schedules, first, later)
    file.write(sweep, folder / f"{name}{file.SUFFIX}")
    return sweep


def _round(
    path: Path,
    default: Schedule,
    schedules: Sequence[Schedule],
    about: Mapping[str, Any],
    factory: MeasurerFactory,
    tell: Tell,
) -> Outcomes:
    """What became of all schedules, those measured that the log lacks."""
    known = _known(path, about)
    missing = [schedule for schedule in schedules if schedule.digest not in known]
    if not missing:
        return known
    with LogWriter(path) as log:
        if not known:
            log.header(**about)
        measurer = factory()
        try:
            _measure(measurer, default, missing, known, log, len(schedules), tell)
        finally:
            measurer.close()
        log.end(stopped="exhausted")
    return known


def _known(path: Path, about: Mapping[str, Any]) -> Outcomes:
    """What the log of a round has; it must be of this recording."""
    if not path.exists():
        return {}
    log = read(path)
    if not log.heads:
        return {}
    for key, value in about.items():
        if log.header.get(key) != value:
            raise UsageError(
                f"log {path} is of another recording: {key} is {log.header.get(key)}, now {value}; "
                f"allowed: the same, or another folder"
            )
    return {entry.digest: entry.outcome for entry in log.entries}


def _measure(
    measurer: Measurer,
    default: Schedule,
    missing: Sequence[Schedule],
    known: Outcomes,
    log: LogWriter,
    total: int,
    tell: Tell,
) -> None:
    """Adds to `known` and to the log, trial by trial."""
    left = [default, *(schedule for schedule in missing if schedule != default)]
    wanted = {schedule.digest for schedule in missing}
    while left or measurer.pending:
        while left and measurer.pending <= PENDING - BATCH:
            measurer.submit(left[:BATCH])
            del left[:BATCH]
        trials = measurer.ready(TRIAL_LIMIT_S)
        if not trials:
            raise MeasureError(f"no candidate was done in {TRIAL_LIMIT_S:.0f} s")
        for trial in trials:
            digest = trial.schedule.digest
            # Further readings of contenders belong to a search, not to a sweep.
            if trial.readings > 1:
                continue
            if digest == default.digest and trial.failure:
                raise MeasureError(f"the default schedule failed: {trial.failure.message}")
            if digest in wanted and digest not in known:
                known[digest] = trial.outcome
                log.trial(trial)
                if len(known) % 500 == 0:
                    tell(f"{len(known)} of {total} measured")


def _best(found: Outcomes, schedules: Sequence[Schedule]) -> list[Schedule]:
    """The fastest 5%, at least one."""
    timed = [(o.ratio, s) for s in schedules if isinstance(o := found[s.digest], Timing)]
    if not timed:
        raise MeasureError(f"none of {len(schedules)} points worked")
    timed.sort(key=lambda pair: pair[0])
    return [schedule for _, schedule in timed[: max(1, round(AGAIN_SHARE * len(schedules)))]]


def _sweep(
    name: str,
    about: Mapping[str, Any],
    space: Space,
    points: Points,
    schedules: Sequence[Schedule],
    first: Outcomes,
    later: Sequence[Outcomes],
) -> Sweep:
    """Everything measured, as a sweep."""
    outcomes = [first[schedule.digest] for schedule in schedules]
    timed = [outcome for outcome in outcomes if isinstance(outcome, Timing)]
    again: dict[int, tuple[float, ...]] = {}
    for row, schedule in enumerate(schedules):
        read_again = [found[schedule.digest] for found in later if schedule.digest in found]
        ratios = tuple(outcome.ratio for outcome in read_again if isinstance(outcome, Timing))
        if ratios:
            again[row] = ratios
    table, fixed = _table(named(space, points))
    return Sweep(
        name=name,
        about={**about, "fixed": fixed},
        knobs={knob: values for knob, (values, _) in table.items()},
        points=np.array([rows for _, rows in table.values()], np.int64).T,
        first_ratios=np.array([o.ratio if isinstance(o, Timing) else np.nan for o in outcomes]),
        failures=tuple(o.kind if isinstance(o, Failure) else "" for o in outcomes),
        reference_s=median(min(timing.reference_s) for timing in timed),
        again=again,
        **_seen(space, points),
    )


def _table(told: Named) -> tuple[dict[str, tuple[tuple[Value, ...], list[int]]], dict[str, Value]]:
    """Knobs with their values in order and each point's place; and those that never vary."""
    table: dict[str, tuple[tuple[Value, ...], list[int]]] = {}
    fixed: dict[str, Value] = {}
    for knob, column in told.items():
        values = sorted(set(column))  # type: ignore[type-var]  # all numbers or all names
        if len(values) == 1:
            fixed[knob] = values[0]
        else:
            place = {value: i for i, value in enumerate(values)}
            table[knob] = (tuple(values), [place[value] for value in column])
    return table, fixed


def _seen(space: Space, points: Points) -> dict[str, Any]:
    """What the program makes of the points: families, bounds, plain ones and features."""
    rows = {tuple(point): row for row, point in enumerate(points.tolist())}
    asked = np.concatenate([space.plain(many) for many in PLAIN_COUNTS])
    plain = dict.fromkeys(rows[key] for key in map(tuple, asked.tolist()) if key in rows)
    computed = features.compute(space, points)
    varying = np.ptp(computed, axis=0) > 0
    names = zip(features.NAMES, computed.T, varying, strict=True)
    return {
        "families": space.family(points),
        "bounds": space.bound(points),
        "plain": tuple(plain),
        "features": {name: column for name, column, varies in names if varies},
        "features_version": features.VERSION,
    }


def refresh(path: str) -> Sweep:
    """Compute anew what the program makes of a sweep's points, and write the file.

    Raises:
        UsageError: it was not recorded by this script, or the space has other points now.
    """
    sweep = file.read(path)
    about = sweep.about
    try:
        told, part = about["workload"], about["excerpt"]
        parts = [told[key] for key in ("op", "shape", "dtype", "layout", "tolerance")]
        count, seed = int(part["points"]), int(part["seed"])
        target = target_from(about["target"], f"target of sweep {path}")
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"sweep {path} does not say what it is a part of: {error}") from error
    workload = parse_workload(*parts)
    space = generate(contraction(workload), target, narrowing.load(None, workload.op))
    points = excerpt(space, count, seed)
    table, fixed = _table(named(space, points))
    knobs = {knob: values for knob, (values, _) in table.items()}
    rows = np.array([places for _, places in table.values()], np.int64).T
    if knobs != dict(sweep.knobs) or fixed != about.get("fixed") or len(rows) != len(sweep):
        raise UsageError(
            f"sweep {path}: the space has other points now; it stays as it was recorded"
        )
    of_row = {tuple(row): i for i, row in enumerate(rows.tolist())}
    try:
        order = [of_row[tuple(row)] for row in sweep.points.tolist()]
    except KeyError as error:
        raise UsageError(
            f"sweep {path}: the space has other points now; it stays as it was recorded"
        ) from error
    fresh = replace(sweep, **_seen(space, points[order]))
    file.write(fresh, path)
    return fresh


def _chosen(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("shapes", nargs="*", help="names such as C12, or sweeps with --refresh")
    parser.add_argument("--points", type=int, default=6000, help="about so many")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of points")
    parser.add_argument("--folder", default="tuning_logs", help="where the sweep goes")
    parser.add_argument("--refresh", action="store_true", help="compute features anew")
    chosen = parser.parse_args(arguments)
    if not LEAST_POINTS <= chosen.points <= MOST_POINTS or chosen.seed < 0:
        parser.error(f"--points is {LEAST_POINTS} to {MOST_POINTS}, --seed at least 0")
    if not chosen.shapes:
        parser.error("name at least one shape, or one sweep to --refresh")
    return chosen


def main(arguments: Sequence[str] | None = None) -> int:
    """Record or refresh, and say how hard each sweep is."""
    chosen = _chosen(arguments)
    known = named_shapes()
    try:
        unknown = [] if chosen.refresh else [s for s in chosen.shapes if s not in known]
        if unknown:
            raise UsageError(f"unknown shape {unknown[0]!r}; known: {', '.join(known)}")
        with listening():
            for shape in chosen.shapes:
                if chosen.refresh:
                    show(refresh(shape))
                    continue
                workload = workload_of(known[shape], is_packed=True)
                folder = Path(chosen.folder)
                show(record(workload, host(), shape, chosen.points, chosen.seed, folder, _tell))
    except AutotuneError as error:
        _tell(f"error: {error}")
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt as error:
        _tell("interrupted; what was measured is kept, the same command goes on")
        return exit_code(error)
    return 0


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def show(sweep: Sweep) -> None:
    """One line: how large it is, and how hard."""
    near = round(sweep.share_within(0.95) * len(sweep))
    # The first of `near` good points among all, drawn without return.
    expected = (len(sweep) + 1) / (near + 1)
    print(
        f"{sweep.name}: {len(sweep)} points, {sum(map(bool, sweep.failures))} failed, best known "
        f"{sweep.best_ratio:.3f} of the default's time, {near} points within 95% of it: random "
        f"search needs about {expected:.0f} trials"
    )


if __name__ == "__main__":
    sys.exit(main())
