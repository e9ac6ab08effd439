from __future__ import annotations

from dataclasses import replace
from statistics import median

import numpy as np
import pytest

from autotune.errors import UsageError
from autotune.sweeps.base import SweepError
from tests.recordings import KNOBS, recorded

SWEEP = recorded()
ONES = np.ones(len(SWEEP))


def test_best_known_is_the_least_median_of_the_points_read_again() -> None:
    assert SWEEP.best_ratio == min(median(readings) for readings in SWEEP.again.values())
    alone = replace(SWEEP, again={})
    assert alone.best_ratio == np.nanmin(SWEEP.first_ratios)


def test_a_lucky_first_reading_is_neither_the_best_nor_better_than_it() -> None:
    row = max(range(len(SWEEP)), key=lambda r: -1 if SWEEP.failures[r] else SWEEP.first_ratios[r])
    ratios = SWEEP.first_ratios.copy()
    ratios[row] = SWEEP.best_ratio / 2
    lucky = replace(SWEEP, first_ratios=ratios)
    assert lucky.best_ratio == SWEEP.best_ratio
    assert lucky.qualities[row] == 1.0
    assert lucky.best_row == SWEEP.best_row != row
    corrected = replace(lucky, again={**SWEEP.again, row: (2.0, 3.0, 9.0)})
    assert corrected.best_ratio == SWEEP.best_ratio
    assert corrected.qualities[row] == pytest.approx(SWEEP.best_ratio / 3.0)


def test_qualities_are_shares_of_the_best_and_failures_none() -> None:
    failed = np.array([bool(kind) for kind in SWEEP.failures])
    assert failed.any()
    assert (SWEEP.qualities[failed] == 0).all()
    assert (SWEEP.qualities[~failed] > 0).all()
    assert SWEEP.qualities.max() == 1.0
    near = sum(q >= 0.9 for q in SWEEP.qualities.tolist())
    assert SWEEP.share_within(0.9) == near / len(SWEEP)


def test_values_say_what_each_knob_is() -> None:
    row = int(np.flatnonzero(SWEEP.points[:, 0] == 1)[0])
    assert SWEEP.values(row) == {
        **dict.fromkeys(("tile.oc", "tile.ow"), 0),
        "algorithm": "winograd4", "order": "-", "unroll": 1, "winograd.rows": 1,
    }  # fmt: skip


def test_digest_is_of_knobs_and_points_alone() -> None:
    assert replace(SWEEP, first_ratios=SWEEP.first_ratios * 2).digest == SWEEP.digest
    other = {**KNOBS, "unroll": (1, 2, 8)}
    assert replace(SWEEP, knobs=other).digest != SWEEP.digest


def test_a_model_sees_the_recorded_features_or_else_the_knobs() -> None:
    assert SWEEP.model_features.shape == (len(SWEEP), len(SWEEP.features))
    plain = replace(SWEEP, features={}).model_features
    assert plain.shape == (len(SWEEP), len(KNOBS))
    assert plain[:, 1].tolist() == [KNOBS["tile.oc"][i] for i in SWEEP.points[:, 1]]
    assert plain[:, 3].tolist() == SWEEP.points[:, 3].tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"points": SWEEP.points[:, 1:]}, r"points are .*; allowed: \(1 or more, 6\)"),
        ({"points": SWEEP.points[:0]}, r"points are \(0, 6\)"),
        ({"points": SWEEP.points + 9}, "no place in its knob's table"),
        ({"points": SWEEP.points * 0}, "a point comes twice"),
        ({"knobs": {**KNOBS, "unroll": (1, 2, 2)}}, "'unroll' has no values, or one of them twice"),
        ({"first_ratios": ONES[:5]}, "first_ratios: 5 rows; allowed: "),
        ({"families": np.zeros(3, np.int64)}, "families: 3 rows"),
        ({"features": {"a": np.zeros(2, np.float32)}}, "feature 'a': 2 rows"),
        ({"plain": (-1,)}, "row -1 is none; allowed: 0 to "),
        ({"again": {10**6: (1.0,)}}, "row 1000000 is none"),
        ({"first_ratios": ONES}, "neither a ratio nor a failure, or both"),
        ({"first_ratios": ONES, "failures": ("odd",) * len(ONES)}, "failure 'odd' is not known"),
        ({"first_ratios": ONES * np.nan, "failures": ("crash",) * len(ONES)}, "points worked"),
        ({"first_ratios": -ONES, "failures": ("",) * len(ONES)}, "no positive number"),
        ({"reference_s": 0.0}, "no positive number"),
        ({"again": {0: ()}, "first_ratios": ONES, "failures": ("",) * len(ONES)}, "no reading"),
    ],
)
def test_what_does_not_belong_together_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(SweepError, match=message) as caught:
        replace(SWEEP, **change)
    assert isinstance(caught.value, UsageError)
