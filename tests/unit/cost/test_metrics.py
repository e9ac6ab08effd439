from __future__ import annotations

import numpy as np
import pytest

from autotune.cost.metrics import rank_correlation, top_recall


def test_rank_correlation_sees_order_only():
    speeds = np.array([0.1, 0.5, 0.7, 1.0])
    assert rank_correlation(np.exp(9 * speeds), speeds) == pytest.approx(1.0)
    assert rank_correlation(-speeds, speeds) == pytest.approx(-1.0)


@pytest.mark.parametrize("scores", [[], [1.0], [2.0, 2.0, 2.0]])
def test_rank_correlation_without_an_order_is_zero(scores):
    assert rank_correlation(np.array(scores), np.arange(len(scores), dtype=float)) == 0.0
    assert rank_correlation(np.arange(len(scores), dtype=float), np.array(scores)) == 0.0


def test_top_recall_counts_the_shared_part():
    speeds = np.arange(20, dtype=float)
    assert top_recall(speeds, speeds) == 1.0
    assert top_recall(-speeds, speeds) == 0.0
    swapped = speeds.copy()
    swapped[[19, 0]] = swapped[[0, 19]]
    assert top_recall(swapped, speeds, share=0.1) == 0.5


def test_top_recall_of_nothing_is_zero():
    assert top_recall(np.zeros(0), np.zeros(0)) == 0.0
