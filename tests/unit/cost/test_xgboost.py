from __future__ import annotations

import ast
import json
import multiprocessing
import os
import signal
from pathlib import Path

import numpy as np
import pytest
import xgboost

import autotune
import autotune.cost.xgboost as trees
from autotune.cost.base import NotFitted
from autotune.cost.xgboost import BoostedTrees
from tests import spaces

BIG = spaces.SyntheticSpace()


def measured(count, seed=0):
    points = BIG.sample(np.random.default_rng(seed), count)
    seconds = BIG.seconds(points)
    return spaces.features(BIG, points), seconds.min() / seconds, np.zeros(count, dtype=np.int64)


@pytest.fixture(scope="module")
def fitted():
    model = BoostedTrees(seed=1)
    model.fit(*measured(128))
    return model


def test_saved_model_is_read_back_to_the_bit(fitted):
    features = measured(200, seed=5)[0]
    restored = BoostedTrees.from_bytes(fitted.to_bytes())
    assert np.array_equal(restored.predict_score(features), fitted.predict_score(features))


def test_saved_model_states_its_versions_and_is_no_pickle(fitted):
    content = fitted.to_bytes()
    header = json.loads(content.partition(b"\n")[0])
    assert header["xgboost"] == xgboost.__version__
    assert header["features"] == 9
    assert b"pickle" not in content


def test_model_that_was_never_fitted_cannot_be_saved():
    with pytest.raises(NotFitted):
        BoostedTrees(seed=0).to_bytes()


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: b"binf\x00\x01",
        lambda content: b"null\n",
        lambda content: b"[]\n" + content,
        lambda content: b"[" * 100_000 + b"\n",
        lambda content: content[:-1],
        lambda content: content[: len(content) // 2],
        lambda content: content[:-40] + b"\x00" * 40,
        lambda content: content.replace(b'"format": 1', b'"format": 2'),
    ],
)
def test_damaged_model_is_told_apart_without_reaching_xgboost(fitted, damage, monkeypatch):
    """F056."""
    content = damage(fitted.to_bytes())
    monkeypatch.setattr(xgboost, "Booster", None)
    with pytest.raises(NotFitted) as caught:
        BoostedTrees.from_bytes(content)
    assert caught.value.is_fault


@pytest.mark.parametrize("body", [b"not trees", b"{}", b'{"version": [9, 0, 0]}'])
def test_trees_that_xgboost_cannot_read_are_a_reason(body):
    import hashlib

    header = {"format": 1, "features": 9, "xgboost": "9.0", "sha256": None}
    header["sha256"] = hashlib.sha256(body).hexdigest()
    with pytest.raises(NotFitted, match=r"9\.0"):
        BoostedTrees.from_bytes(json.dumps(header).encode() + b"\n" + body)


def test_failing_training_is_a_reason_with_its_message(monkeypatch):
    def refuse(*arguments, **options):
        raise xgboost.core.XGBoostError("[12:00:00] data.cc:1: Check failed\nStack trace")

    monkeypatch.setattr(xgboost, "train", refuse)
    with pytest.raises(NotFitted, match="Check failed") as caught:
        BoostedTrees(seed=0).fit(*measured(64))
    assert caught.value.is_fault


def test_too_old_xgboost_is_named(monkeypatch):
    """F057."""
    monkeypatch.setattr(xgboost, "__version__", "1.7.6")
    with pytest.raises(NotFitted, match=r"1\.7\.6; 2\.1 or later"):
        BoostedTrees(seed=0).fit(*measured(64))


def test_only_public_names_of_xgboost_are_used():
    """F057."""
    tree = ast.parse(Path(trees.__file__).read_text(encoding="utf-8"))
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("library", "xgboost")
    }
    assert used <= {"Booster", "DMatrix", "train", "core", "__version__"}
    assert {"Booster", "DMatrix", "train"} <= set(xgboost.__all__)


def test_only_this_file_imports_xgboost_and_only_metrics_scipy():
    package = Path(autotune.__file__).parent if autotune.__file__ else Path(*autotune.__path__)
    users = {"xgboost": set(), "scipy": set()}
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for name in names:
                top = name.split(".")[0]
                if top in users:
                    users[top].add(path.relative_to(package).as_posix())
    assert users == {"xgboost": {"cost/xgboost.py"}, "scipy": {"cost/metrics.py"}}


def _predict_in_child(content, features, pipe):
    pipe.send_bytes(BoostedTrees.from_bytes(content).predict_score(features).tobytes())


def test_spawned_child_predicts_what_the_parent_does(fitted):
    """F055: the model travels as bytes to a spawned process."""
    features = measured(50, seed=5)[0]
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(
        target=_predict_in_child, args=(fitted.to_bytes(), features, theirs), daemon=True
    )
    child.start()
    try:
        assert ours.poll(30)
        scores = np.frombuffer(ours.recv_bytes())
    finally:
        child.join(10)
        child.close()
    assert np.array_equal(scores, fitted.predict_score(features))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_child_is_refused_rather_than_hung(fitted):
    """F055: OpenMP's runtime does not survive a fork."""
    features = measured(4, seed=5)[0]
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            fitted.predict_score(features)
        except NotFitted:
            os._exit(7)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7
