"""How well scores rank speeds: rank correlation, and recall of the fastest share.

The only user of scipy. Reports, replays and tests call it; the loop does not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def rank_correlation(scores: NDArray[np.float64], speeds: NDArray[np.float64]) -> float:
    """Spearman's rank correlation in [-1, 1]; 0 where either side is constant or too short."""
    # Imported on use: scipy.stats takes as long to load as all the rest together.
    from scipy import stats

    if len(scores) < 2 or np.ptp(scores) == 0 or np.ptp(speeds) == 0:
        return 0.0
    return float(stats.spearmanr(scores, speeds).statistic)


def top_recall(
    scores: NDArray[np.float64], speeds: NDArray[np.float64], share: float = 0.1
) -> float:
    """Part of the fastest `share` that is also among the `share` of highest scores, in [0, 1]."""
    count = max(1, round(share * len(speeds)))
    if len(speeds) == 0:
        return 0.0
    fastest = set(np.argsort(-speeds, kind="stable")[:count].tolist())
    promised = set(np.argsort(-scores, kind="stable")[:count].tolist())
    return len(fastest & promised) / count
