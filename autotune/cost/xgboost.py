"""Gradient-boosted trees on normalised speed: the default cost model, and the only user of xgboost.

One thread, histogram trees, public API only. xgboost's OpenMP runtime hangs in a forked child of a
process that used it, so workers are spawned, and a model refuses to predict in any process but its
own; `to_bytes` carries it to another.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from autotune.cost.base import FeatureLengthError, NotFitted, check_lengths

if TYPE_CHECKING:
    import xgboost

OLDEST_XGBOOST = (2, 1)
MIN_ROWS = 8
"""Fewer measured points than this say nothing about the rest of a space."""
ROUNDS = 60
"""Source: DESIGN, "Search": depth 3 to 5 and 50 to 60 rounds suffice."""
PARAMETERS = {
    "objective": "reg:squarederror",
    "tree_method": "hist",
    "max_depth": 4,
    "eta": 0.15,
    "nthread": 1,
    "verbosity": 0,
}
SPEED_SLACK = 1e-6
"""How far above 1 a speed may lie by rounding; anything more is no speed."""
LARGEST_FEATURE = 1e30
FORMAT = 1


class BoostedTrees:
    """Regression on speed (best time over this time), failures as 0."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._booster: xgboost.Booster | None = None
        self._length = 0
        self._pid = os.getpid()

    def fit(
        self,
        features: NDArray[np.float32],
        speeds: NDArray[np.float64],
        groups: NDArray[np.int64],
    ) -> None:
        self._booster = None
        check_lengths(features, speeds, groups)
        usable = np.isfinite(speeds) & (speeds >= 0) & (speeds <= 1 + SPEED_SLACK)
        if usable.sum() < MIN_ROWS:
            raise NotFitted(f"{usable.sum()} speeds are known; {MIN_ROWS} are needed")
        labels = np.clip(speeds[usable], 0.0, 1.0)
        if np.ptp(labels) == 0:
            raise NotFitted(f"all {len(labels)} known speeds are alike")
        rows = _cleaned(features[usable])
        booster = _train(rows, labels, self._seed)
        # A tree that found no split says the same of everything: no basis for a ranking.
        if np.ptp(booster.inplace_predict(rows)) < 1e-9:
            raise NotFitted(f"{len(labels)} speeds gave a constant prediction")
        self._booster, self._length, self._pid = booster, features.shape[1], os.getpid()

    def predict_score(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        if self._booster is None:
            raise NotFitted("no model was fitted")
        if self._pid != os.getpid():
            raise NotFitted("the model was fitted in another process, where it stays", True)
        if features.ndim != 2 or features.shape[1] != self._length:
            raise FeatureLengthError(
                f"features are {features.shape}; the model was fitted on (n, {self._length})"
            )
        if not len(features):
            return np.zeros(0)
        return np.asarray(self._booster.inplace_predict(_cleaned(features)), dtype=np.float64)

    def to_bytes(self) -> bytes:
        """A header line (format, versions, digest) and the trees as UBJSON; no pickle.

        Raises:
            NotFitted: there is no fitted model.
        """
        if self._booster is None:
            raise NotFitted("no model was fitted")
        trees = bytes(self._booster.save_raw(raw_format="ubj"))
        header = {
            "format": FORMAT,
            "features": self._length,
            "xgboost": _library().__version__,
            "sha256": hashlib.sha256(trees).hexdigest(),
        }
        return json.dumps(header, sort_keys=True).encode() + b"\n" + trees

    @classmethod
    def from_bytes(cls, content: bytes, seed: int = 0) -> Self:
        """The model that `to_bytes` wrote, for this process.

        Raises:
            NotFitted: the bytes are damaged, of another format, or unreadable for this xgboost; a
                model is then fitted afresh from the log.
        """
        header, trees = _split(content)
        model = cls(seed)
        library = _library()
        try:
            booster = library.Booster({"nthread": 1})
            booster.load_model(bytearray(trees))
            is_whole = booster.num_features() == header["features"]
        except (library.core.XGBoostError, ValueError, TypeError) as error:
            wrote, reads = header.get("xgboost"), library.__version__
            raise NotFitted(
                f"xgboost {reads} cannot read the model that {wrote} wrote: {_line(error)}", True
            ) from error
        if not is_whole:
            raise NotFitted("the saved model and its header disagree on the features", True)
        model._booster, model._length = booster, header["features"]
        return model


def _split(content: bytes) -> tuple[dict[str, Any], bytes]:
    """Header and trees of a saved model, checked before xgboost's C++ sees a byte of it."""
    line, _, trees = content.partition(b"\n")
    try:
        header = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise NotFitted(f"the saved model has no readable header: {_line(error)}", True) from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise NotFitted(f"the saved model is not of format {FORMAT}", True)
    if header.get("sha256") != hashlib.sha256(trees).hexdigest():
        raise NotFitted("the saved model is damaged: its digest does not match", True)
    return header, trees


def _train(rows: NDArray[np.float32], labels: NDArray[np.float64], seed: int) -> xgboost.Booster:
    library = _library()
    try:
        known = library.DMatrix(rows, label=labels, nthread=1)
        booster: xgboost.Booster = library.train(
            {**PARAMETERS, "seed": seed}, known, num_boost_round=ROUNDS
        )
    except (library.core.XGBoostError, ValueError, MemoryError) as error:
        raise NotFitted(f"xgboost could not be fitted: {_line(error)}", True) from error
    return booster


def _library() -> Any:
    """The xgboost package, loaded on first use: it takes longer than a whole lookup."""
    try:
        import xgboost
    except Exception as error:  # a broken OpenMP runtime raises whatever it likes
        raise NotFitted(f"xgboost cannot be loaded: {_line(error)}", True) from error
    version = tuple(int(part) for part in xgboost.__version__.split(".")[:2])
    if version < OLDEST_XGBOOST:
        oldest = ".".join(map(str, OLDEST_XGBOOST))
        raise NotFitted(f"xgboost is {xgboost.__version__}; {oldest} or later is needed", True)
    return xgboost


def _cleaned(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Features without the infinities that xgboost refuses; NaN would read as "missing"."""
    clean = np.nan_to_num(features, nan=0.0, posinf=LARGEST_FEATURE, neginf=-LARGEST_FEATURE)
    return np.ascontiguousarray(clean, dtype=np.float32)


def _line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__


COST_MODEL = BoostedTrees
