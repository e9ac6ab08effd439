"""What a cost model is: it ranks candidates by their features and never invents a speed.

The loop fits it as results come and hands its scores to the explorer. Every end but a useful model
is NotFitted, upon which exploration goes on without one.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from autotune.errors import AutotuneError


class NotFitted(AutotuneError):  # noqa: N818 (a state the loop expects, not an error)
    """The model has nothing useful to say.

    Attributes:
        is_fault: something went wrong, rather than too little being known as yet; worth telling.
    """

    def __init__(self, reason: str, is_fault: bool = False) -> None:
        super().__init__(reason)
        self.is_fault = is_fault


class FeatureLengthError(AutotuneError, ValueError):
    """Features have another shape or length than those the model was fitted on."""


class CostModel(Protocol):
    """Ranks feature rows. Made from `seed`."""

    def fit(
        self,
        features: NDArray[np.float32],
        speeds: NDArray[np.float64],
        groups: NDArray[np.int64],
    ) -> None:
        """Learns from scratch; what was learnt before is forgotten.

        Args:
            features: (n, f) float32.
            speeds: (n,) in [0, 1], 0 for a failure; rows that hold no speed are left out.
            groups: (n,) rows are comparable within a group (one workload).

        Raises:
            NotFitted: too few speeds, all alike, or the library failed.
            FeatureLengthError: the arrays do not belong together.
        """

    def predict_score(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        """(n,) scores, higher is better; call it with thousands of rows at once.

        Raises:
            NotFitted: there is no fitted model.
            FeatureLengthError: another number of features than it was fitted on.
        """


def check_lengths(
    features: NDArray[np.float32], speeds: NDArray[np.float64], groups: NDArray[np.int64]
) -> None:
    """Refuses arrays of a fit that do not belong together.

    Raises:
        FeatureLengthError: the message names the shapes.
    """
    if features.ndim != 2 or not len(features) == len(speeds) == len(groups):
        raise FeatureLengthError(
            f"features {features.shape}, speeds {speeds.shape} and groups {groups.shape} do not "
            "belong together; (n, f), (n,) and (n,) are needed"
        )
