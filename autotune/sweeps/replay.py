"""Searches on recorded sweeps: the very loop of a run, measured by looking up. No device, no clock.

The same sweep, explorer, model and seed give the same trials in any process. The default schedule,
which a run measures first, stands beside the space: it is no trial here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from autotune.cost.base import CostModel, NotFitted
from autotune.errors import UsageError
from autotune.explorers.base import Explorer, explorer_rng
from autotune.ir.schedule import Loop, Nest, Schedule
from autotune.limits import Limits
from autotune.registry import COST_MODELS, EXPLORERS
from autotune.search import Parts, Search
from autotune.sweeps.report import Replayed
from autotune.sweeps.space import SweepSpace, features
from autotune.trial import Failure, Timing, Trial

NO_MODEL = "none"
"""Instead of a cost model's name: the explorer is never given a score."""
DEFAULT = Schedule((Nest((Loop("default", 1),), "default", 1, ()),))
"""Stands for the default schedule, which is as fast as the reference: it is the reference."""
MOST_TRIALS, MOST_SEEDS = 100_000, 10_000


def replays(
    space: SweepSpace, explorer: str, cost_model: str, trials: int, seeds: Sequence[int]
) -> Iterator[Replayed]:
    """One search a seed, each made when it is asked for.

    Args:
        space: that of a sweep; what it finds out about neighbours is kept for all seeds.
        explorer: a name of `registry.EXPLORERS`.
        cost_model: a name of `registry.COST_MODELS`, or NO_MODEL.
        trials: points to measure.
        seeds: of every random choice.

    Raises:
        UsageError: a name or number that is not allowed.
    """
    explores = EXPLORERS.get(explorer)
    ranks = NoModel if cost_model == NO_MODEL else COST_MODELS.get(cost_model)
    if not 1 <= trials <= MOST_TRIALS:
        raise UsageError(f"trials={trials} is not allowed; allowed: 1 to {MOST_TRIALS}")
    if not 1 <= len(seeds) <= MOST_SEEDS:
        raise UsageError(f"{len(seeds)} seeds are not allowed; allowed: 1 to {MOST_SEEDS}")
    for seed in seeds:
        yield _replay(space, explores(space, explorer_rng(seed)), ranks(seed=seed), trials, seed)


def _replay(
    space: SweepSpace, explorer: Explorer, model: CostModel, trials: int, seed: int
) -> Replayed:
    log = _Rows(space)
    parts = Parts(
        space=space,
        default=DEFAULT,
        explorer=explorer,
        model=model,
        features=features,
        measurer=SweepMeasurer(space),
        log=log,
        flop=1,
        executed=lambda schedule: 1,
        clock=lambda: 0.0,
    )
    search = Search(parts, Limits(trials + 1), 0.0)
    search.run()
    return Replayed(seed, tuple(log.rows), tuple(search.notes))


class NoModel:
    """The cost model that there is none."""

    def __init__(self, seed: int) -> None:
        """As any model; nothing depends on the seed."""

    def fit(
        self,
        features: NDArray[np.float32],
        speeds: NDArray[np.float64],
        groups: NDArray[np.int64],
    ) -> None:
        raise NotFitted("no cost model is wanted")

    def predict_score(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        raise NotFitted("no cost model is wanted")


class SweepMeasurer:
    """Answers with what was recorded, one trial at a time: as many wait as in a run."""

    def __init__(self, space: SweepSpace) -> None:
        self._space = space
        self._queue: deque[Schedule] = deque()

    @property
    def pending(self) -> int:
        return len(self._queue)

    def submit(self, schedules: Sequence[Schedule]) -> None:
        self._queue.extend(schedules)

    def ready(self, wait_s: float) -> list[Trial]:
        if not self._queue:
            return []
        schedule = self._queue.popleft()
        return [Trial(schedule, self._outcome(schedule))]

    def _outcome(self, schedule: Schedule) -> Timing | Failure:
        sweep = self._space.sweep
        if schedule == DEFAULT:
            return Timing((sweep.reference_s,), (sweep.reference_s,), 0.0)
        row = self._space.row_of(schedule)
        if sweep.failures[row]:
            return Failure(sweep.failures[row], "as recorded")
        return Timing((float(sweep.ratios[row]) * sweep.reference_s,), (sweep.reference_s,), 0.0)

    def retime(
        self,
        schedules: Sequence[Schedule],
        rounds: int,
        hopefuls: Sequence[Schedule] = (),
        places: int = 0,
        within_s: float = inf,
    ) -> list[Timing | Failure]:
        return [self._outcome(schedule) for schedule in (*schedules, *hopefuls)]

    def peak_flops(self) -> float:
        return 0.0

    def close(self) -> None:
        self._queue.clear()


class _Rows:
    """The log of a replay: rows in the order in which they were measured."""

    def __init__(self, space: SweepSpace) -> None:
        self._space = space
        self.rows: list[int] = []

    def trial(self, trial: Trial, **fields: object) -> None:
        if trial.schedule != DEFAULT:
            self.rows.append(self._space.row_of(trial.schedule))

    def reading(self, trial: Trial) -> None:
        """Nothing is read twice."""

    def end(self, **fields: object) -> None:
        """Nothing to say."""
