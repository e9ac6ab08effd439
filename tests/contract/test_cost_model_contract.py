"""What every cost model promises: it ranks, and what it cannot rank never ends a run."""

from __future__ import annotations

import numpy as np
import pytest

from autotune.cost.base import FeatureLengthError, NotFitted
from autotune.registry import COST_MODELS
from tests import spaces

BIG = spaces.SyntheticSpace()


def measured(count, seed=0):
    points = BIG.sample(np.random.default_rng(seed), count)
    seconds = BIG.seconds(points)
    return spaces.features(BIG, points), seconds.min() / seconds, np.zeros(count, dtype=np.int64)


@pytest.fixture(params=COST_MODELS.names())
def model(request):
    return COST_MODELS.get(request.param)(seed=1)


def test_registry_finds_xgboost():
    assert "xgboost" in COST_MODELS.names()


def test_scores_are_one_finite_number_a_row(model):
    model.fit(*measured(64))
    scores = model.predict_score(measured(500, seed=9)[0])
    assert scores.shape == (500,)
    assert scores.dtype == np.float64
    assert np.isfinite(scores).all()
    assert model.predict_score(np.zeros((0, 9), dtype=np.float32)).shape == (0,)


def test_faster_points_score_higher(model):
    features, speeds, groups = measured(256)
    model.fit(features, speeds, groups)
    others, true_speeds, _ = measured(1000, seed=9)
    scores = model.predict_score(others)
    assert np.corrcoef(scores, true_speeds)[0, 1] > 0.6


def test_same_seed_gives_same_scores(model):
    features = measured(100, seed=9)[0]
    model.fit(*measured(64))
    again = type(model)(seed=1)
    again.fit(*measured(64))
    assert np.array_equal(model.predict_score(features), again.predict_score(features))


def test_before_a_fit_it_says_so(model):
    with pytest.raises(NotFitted):
        model.predict_score(measured(4)[0])


@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_too_few_points_are_refused(model, count):
    with pytest.raises(NotFitted):
        model.fit(*measured(count or 1, seed=2) if count else measured(1))


@pytest.mark.parametrize("count", [8, 16, 32])
def test_few_points_either_differ_or_are_refused(model, count):
    """F054: a model that says the same of everything is no model."""
    features, speeds, groups = measured(count)
    try:
        model.fit(features, speeds, groups)
    except NotFitted:
        return
    assert np.ptp(model.predict_score(features)) > 0


@pytest.mark.parametrize("speed", [0.0, 0.5, 1.0])
def test_speeds_all_alike_are_refused(model, speed):
    features, speeds, groups = measured(64)
    with pytest.raises(NotFitted):
        model.fit(features, np.full_like(speeds, speed), groups)


def test_features_that_say_nothing_are_refused(model):
    features, speeds, groups = measured(64)
    with pytest.raises(NotFitted):
        model.fit(np.ones_like(features), speeds, groups)


@pytest.mark.parametrize("label", [np.nan, np.inf, -np.inf, 1e300, -1.0])
def test_a_label_that_is_no_speed_is_left_out(model, label):
    """F053."""
    features, speeds, groups = measured(64)
    poisoned = speeds.copy()
    poisoned[[3, 10]] = label
    model.fit(features, poisoned, groups)
    kept = np.delete(np.arange(64), [3, 10])
    clean = type(model)(seed=1)
    clean.fit(features[kept], speeds[kept], groups[kept])
    assert np.array_equal(model.predict_score(features), clean.predict_score(features))


def test_only_labels_that_are_no_speeds_are_refused(model):
    features, _, groups = measured(64)
    with pytest.raises(NotFitted):
        model.fit(features, np.full(64, np.nan), groups)


def test_a_failed_refit_forgets_the_old_model(model):
    features, speeds, groups = measured(64)
    model.fit(features, speeds, groups)
    with pytest.raises(NotFitted):
        model.fit(features, np.zeros(64), groups)
    with pytest.raises(NotFitted):
        model.predict_score(features)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3e38])
def test_features_out_of_range_are_survived(model, value):
    features, speeds, groups = measured(64)
    features[::7, 2] = value
    model.fit(features, speeds, groups)
    assert np.isfinite(model.predict_score(features)).all()


def test_features_of_another_length_are_refused_by_name(model):
    """F051, F052."""
    model.fit(*measured(64))
    with pytest.raises(FeatureLengthError, match=r"9"):
        model.predict_score(np.zeros((5, 11), dtype=np.float32))
    with pytest.raises(ValueError, match=r"9"):
        model.predict_score(np.zeros(9, dtype=np.float32))


def test_a_fit_on_another_length_starts_afresh(model):
    """F052: one model object, two workloads."""
    features, speeds, groups = measured(64)
    model.fit(features, speeds, groups)
    wider = np.concatenate([features, features[:, :3]], axis=1)
    model.fit(wider, speeds, groups)
    assert model.predict_score(wider).shape == (64,)


def test_arrays_that_do_not_belong_together_are_refused(model):
    features, speeds, groups = measured(64)
    with pytest.raises(FeatureLengthError):
        model.fit(features[:-1], speeds, groups)
    with pytest.raises(FeatureLengthError):
        model.fit(features, speeds, groups[:-1])
    with pytest.raises(FeatureLengthError):
        model.fit(features[:, 0], speeds, groups)


def test_failures_pull_scores_down(model):
    features, speeds, groups = measured(128)
    broken = features[:, 0] > 7
    speeds = np.where(broken, 0.0, speeds)
    model.fit(features, speeds, groups)
    scores = model.predict_score(features)
    assert scores[broken].mean() < scores[~broken].mean()
