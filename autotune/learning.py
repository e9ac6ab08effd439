"""What a search learns: tells the explorer every known speed, refits the model, asks for more.

`search.Search` owns one. It knows which schedule is which point; everything it answers is a
schedule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autotune.cost.base import CostModel, FeatureLengthError, NotFitted
from autotune.explorers.base import Explorer, Score
from autotune.ir.schedule import Schedule
from autotune.space.base import Points, Space
from autotune.trial import Failure, Timing

Features = Callable[[Any, Points], NDArray[np.float32]]


class Learner:
    """An explorer and a cost model, and the points that were ever asked for."""

    def __init__(
        self,
        space: Space,
        explorer: Explorer,
        model: CostModel,
        features: Features,
        note: Callable[[str], None],
    ) -> None:
        """`note` is told, in one line, why a batch was chosen without the model."""
        self._space, self._explorer, self._model = space, explorer, model
        self._features, self._note = features, note
        self._point_of: dict[str, NDArray[np.int64]] = {}

    @property
    def has_points(self) -> bool:
        """Whether the space was ever found to hold anything."""
        return bool(self._point_of)

    def point_of(self, digest: str) -> list[int] | None:
        """The schedule of this digest as a point of the space, where it is known as one."""
        point = self._point_of.get(digest)
        return None if point is None else [int(knob) for knob in point]

    def know(self, points: Mapping[str, Sequence[int]]) -> None:
        """Digests of schedules of an earlier run with their points, which must be the space's."""
        for digest, point in points.items():
            self._point_of[digest] = np.array(point, dtype=np.int64)

    def ask(
        self, count: int, outcomes: Mapping[str, Timing | Failure], best_ratio: float
    ) -> list[Schedule]:
        """At most `count` schedules to measure, known ones among them; none: there are no more.

        Args:
            count: schedules wanted.
            outcomes: by digest, everything measured so far.
            best_ratio: the least among them, infinity where nothing worked.
        """
        made = []
        for point in self._ask(count, self._learn(outcomes, best_ratio)):
            schedule = self._space.schedule(point)
            self._point_of[schedule.digest] = point
            made.append(schedule)
        return made

    def _ask(self, count: int, score: Score | None) -> Points:
        try:
            return self._explorer.ask(count, score)
        except (NotFitted, FeatureLengthError) as error:
            self._note(f"a batch was chosen without the cost model: {error}")
            return self._explorer.ask(count, None)

    def _learn(self, outcomes: Mapping[str, Timing | Failure], best_ratio: float) -> Score | None:
        """Tell the explorer every known speed, refit; the score, or None where there is none."""
        known = [digest for digest in self._point_of if digest in outcomes]
        if not known:
            return None
        # All speeds are told anew: each is relative to the best so far.
        points = np.stack([self._point_of[digest] for digest in known])
        speeds = speeds_of([outcomes[digest] for digest in known], best_ratio)
        self._explorer.tell(points, speeds)
        space, features, model = self._space, self._features, self._model
        try:
            model.fit(features(space, points), speeds, np.zeros(len(points), dtype=np.int64))
        except (NotFitted, FeatureLengthError) as error:
            if getattr(error, "is_fault", True):
                self._note(f"exploring without the cost model: {error}")
            return None
        return lambda candidates: model.predict_score(features(space, candidates))


def speeds_of(outcomes: Sequence[Timing | Failure], best_ratio: float) -> NDArray[np.float64]:
    """(n,) best time over this time, paired with the run's reference; 0 for a failure."""
    speeds = [best_ratio / o.ratio if isinstance(o, Timing) else 0.0 for o in outcomes]
    return np.minimum(np.array(speeds, dtype=np.float64), 1.0)
