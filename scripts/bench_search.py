"""Compares searches on recorded sweeps: ours, Optuna's TPE and Kernel Tuner's strategies.

    python scripts/bench_search.py                      # every sweep of tuning_logs, 20 seeds
    python scripts/bench_search.py C12 --seeds 40 --json > bench.json

For each sweep and search the trials to 95% and 99% of the best known: median and quartiles over
the seeds. Nothing is measured; TPE alone thinks for hours. What is not installed (`pip install
'.[bench]'`) is left out, with a line that says so.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

import numpy as np

from autotune.errors import UsageError
from autotune.sweeps import formats, kernel_tuner
from autotune.sweeps.base import Sweep
from autotune.sweeps.file import SUFFIX
from autotune.sweeps.replay import NO_MODEL, replays
from autotune.sweeps.report import GOALS, Replayed, Searches
from autotune.sweeps.space import SweepSpace

FOLDER = ROOT / "tuning_logs"
OURS = {
    "annealing+xgboost": ("annealing", "xgboost"),
    "annealing": ("annealing", NO_MODEL),
    "genetic": ("genetic", NO_MODEL),
    "random": ("random", NO_MODEL),
}
STRATEGIES = ("genetic_algorithm", "simulated_annealing", "greedy_ils", "mls", "pso",
              "firefly_algorithm", "hybrid_vndx", "adaptive_tabu_greywolf")  # fmt: skip
"""Of Kernel Tuner: those that need nothing else installed and do the same again for a seed, which
diff_evo of 1.5.0 does not."""
QUICK_S, QUICK_SEEDS, QUICK_TRIALS = 100.0, 5, 100
"""What `--quick` takes at most but for the search in hand, and how much it does in it."""

Search = Callable[[int], Replayed]
"""From a seed."""


def contenders(
    space: SweepSpace, trials: int, folder: str, tell: Callable[[str], None]
) -> dict[str, Search]:
    """Every search that is installed, by name; `folder` takes what they need of files."""
    found: dict[str, Search] = {
        name: partial(_ours, space, *kind, trials) for name, kind in OURS.items()
    }
    if find_spec("optuna") is None:
        tell("optuna is not installed: no TPE")
    else:
        found["optuna-tpe"] = partial(_tpe, space.sweep, trials)
    if find_spec("kernel_tuner") is None:
        tell("kernel-tuner is not installed: none of its strategies")
    else:
        simulation = Simulation(space.sweep, folder)
        for strategy in STRATEGIES:
            found[f"kernel-tuner-{strategy}"] = partial(simulation.search, strategy, trials)
    return found


def _ours(space: SweepSpace, explorer: str, model: str, trials: int, seed: int) -> Replayed:
    (found,) = replays(space, explorer, model, trials, [seed])
    return found


def _tpe(sweep: Sweep, trials: int, seed: int) -> Replayed:
    """Optuna's TPE; what it proposes is led to a point of the sweep, which it then learns of.

    It knows no rules between knobs: knob by knob, a value that no point has beside those before is
    replaced by the next one that some point has.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    kinds: dict[str, Any] = {}
    for knob, values in sweep.knobs.items():
        places = len(values)
        if any(isinstance(value, str) for value in values):
            kinds[knob] = optuna.distributions.CategoricalDistribution(tuple(range(places)))
        else:
            kinds[knob] = optuna.distributions.IntDistribution(0, places - 1)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    rows: dict[int, None] = {}
    # It may propose what is known; a trial is what is measured.
    for _ in range(4 * trials):
        if len(rows) == min(trials, len(sweep)):
            break
        asked = study.ask(kinds)
        proposed = asked.params
        row = _led(sweep, [proposed[knob] for knob in kinds])
        study.tell(asked, state=optuna.trial.TrialState.FAIL)
        rows.setdefault(row)
        measured = dict(zip(kinds, sweep.points[row].tolist(), strict=True))
        quality = float(sweep.qualities[row])
        study.add_trial(
            optuna.trial.create_trial(params=measured, distributions=kinds, value=1 - quality)
        )
    return Replayed(seed, tuple(rows))


def _led(sweep: Sweep, wanted: Sequence[int]) -> int:
    """The row of the point that a proposal is led to."""
    rows = np.arange(len(sweep))
    for column, place in enumerate(wanted):
        possible = sweep.points[rows, column]
        rows = rows[possible == possible[np.argmin(np.abs(possible - place))]]
    return int(rows[0])


class Simulation:
    """Kernel Tuner's strategies in its simulation mode, on one sweep."""

    def __init__(self, sweep: Sweep, folder: str) -> None:
        """Write the cache file; what knobs say is left out, for some strategies want numbers."""
        places = {f"k{i}": tuple(range(len(v))) for i, v in enumerate(sweep.knobs.values())}
        self._row_of = {tuple(point): row for row, point in enumerate(sweep.points.tolist())}
        numbered = replace(sweep, name="sweep", knobs=places, features={}, about={})
        self._cache = f"{folder}/cache.json"
        self._fields = kernel_tuner.fields_of(numbered)
        kernel_tuner.write(numbered, self._cache)

    def search(self, strategy: str, trials: int, seed: int) -> Replayed:
        """One search; it draws from the global random states."""
        from kernel_tuner import interface

        random.seed(seed)
        np.random.seed(seed)
        tables = {knob: list(values) for knob, values in self._fields["tune_params"].items()}
        with self._listed(), warnings.catch_warnings(), redirect_stdout(StringIO()):
            # It misses thread blocks, which a kernel for the CPU has not.
            warnings.simplefilter("ignore")
            found, _ = interface.tune_kernel(
                "sweep", "", (1,), [], tables, strategy=strategy, cache=self._cache,
                strategy_options={"max_fevals": min(trials, len(self._row_of))},
                simulation_mode=True, quiet=True,
            )  # fmt: skip
        rows = dict.fromkeys(self._row_of[tuple(each[knob] for knob in tables)] for each in found)
        return Replayed(seed, tuple(rows)[:trials])

    @contextmanager
    def _listed(self) -> Iterator[None]:
        """Have it take its space from the points: the product of all knobs is far too large."""
        from kernel_tuner import interface

        usual = interface.Searchspace

        def of_points(*_: object, **options: object) -> object:
            return usual(None, None, None, from_cache=self._fields)

        interface.Searchspace = of_points
        try:
            yield
        finally:
            interface.Searchspace = usual


def compare(
    sweep: Sweep,
    trials: int,
    seeds: Sequence[int],
    until_s: float | None,
    tell: Callable[[str], None],
) -> dict[str, dict[str, Any]]:
    """By search, quartiles of the trials to each goal, and how many seeds they are of.

    Args:
        sweep: that all search.
        trials: points to measure.
        seeds: one search each.
        until_s: on the monotonic clock; each search gets an even share of the time that is left.
        tell: called with a line for each search.
    """
    result: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        found = contenders(SweepSpace(sweep), trials, folder, tell)
        for left, (name, search) in zip(range(len(found), 0, -1), found.items(), strict=True):
            now_s = time.monotonic()
            share_s = None if until_s is None else max(until_s - now_s, 0.0) / left
            try:
                done = _run(search, seeds, None if share_s is None else now_s + share_s)
            except Exception as error:  # whatever a library raises ends its own search alone
                tell(f"{sweep.name}: {name} failed: {type(error).__name__}: {str(error)[:200]}")
                continue
            quartiles = Searches(sweep, done).trials()
            result[name] = {goal: quartiles[goal].to_dict() for goal in GOALS}
            result[name]["seeds"] = len(done)
            medians = ", ".join(f"{goal} {_shown(quartiles[goal].median)}" for goal in GOALS)
            tell(f"{sweep.name}: {name}: {medians} ({time.monotonic() - now_s:.1f} s)")
    return result


def _run(search: Search, seeds: Sequence[int], until_s: float | None) -> tuple[Replayed, ...]:
    """As many seeds as there is time for, at least one."""
    done = []
    for seed in seeds:
        done.append(search(seed))
        if until_s is not None and time.monotonic() >= until_s:
            break
    return tuple(done)


def _shown(value: float | None) -> str:
    return "never" if value is None or np.isinf(value) else f"{value:.0f}"


def _sweeps(names: Sequence[str]) -> list[Sweep]:
    """Those named, by file or by name; all of the folder where none is."""
    if not names:
        paths = sorted(FOLDER.glob(f"*{SUFFIX}"))
        if not paths:
            raise UsageError(f"there is no sweep in {FOLDER}; record one, or name a file")
    else:
        paths = [p if (p := Path(n)).exists() else FOLDER / f"{n}{SUFFIX}" for n in names]
    return [formats.read(path) for path in paths]


def _chosen(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sweeps", nargs="*", help="names or files; all recorded ones by default")
    parser.add_argument("--seeds", type=int, default=20, help="searches of each kind")
    parser.add_argument("--trials", type=int, default=400, help="points to measure in each")
    parser.add_argument("--quick", action="store_true", help="two sweeps, in two minutes")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    chosen = parser.parse_args(arguments)
    if min(chosen.seeds, chosen.trials) < 1:
        parser.error("--seeds and --trials are at least 1")
    return chosen


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and print."""
    chosen = _chosen(arguments)
    start_s = time.monotonic()
    try:
        sweeps = _sweeps(chosen.sweeps)
    except UsageError as error:
        _tell(f"error: {error}")
        return 2
    seeds, trials = range(chosen.seeds), chosen.trials
    if chosen.quick:
        sweeps = sweeps[:2]
        seeds, trials = range(min(QUICK_SEEDS, chosen.seeds)), min(QUICK_TRIALS, trials)
    found = {}
    for i, sweep in enumerate(sweeps, 1):
        until_s = start_s + QUICK_S * i / len(sweeps) if chosen.quick else None
        found[sweep.name] = compare(sweep, trials, seeds, until_s, _tell)
    if chosen.json:
        print(json.dumps({"sweeps": found}, allow_nan=False))
    else:
        show(found)
    return 0


def show(found: dict[str, dict[str, dict[str, Any]]]) -> None:
    """A table a sweep: median, and between which lies half of the seeds."""
    for sweep, searches in found.items():
        print(f"\n{sweep:40} {'to 95%':>22} {'to 99%':>22}  seeds")
        for name, numbers in searches.items():
            cells = [
                "{1} ({0} to {2})".format(*map(_shown, numbers[goal].values())) for goal in GOALS
            ]
            print(f"{name:40} {cells[0]:>22} {cells[1]:>22}  {numbers['seeds']:5}")


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
