"""A recorded sweep in code: two algorithms with knobs of their own and an analytic speed."""

from __future__ import annotations

from itertools import product

import numpy as np

from autotune.sweeps.base import Sweep, Value

NONE = "-"
KNOBS: dict[str, tuple[Value, ...]] = {
    "algorithm": ("direct", "winograd4"),
    "tile.oc": (0, 16, 32, 48, 64),
    "tile.ow": (0, 1, 2, 3, 4, 6, 7, 8, 12, 14),
    "order": (NONE, "oc oh", "oh oc"),
    "unroll": (1, 2, 4),
    "winograd.rows": (0, 1, 2, 4, 7),
}
REFERENCE_S = 2e-4
AGAIN = 5


def recorded(seed: int = 0, name: str = "made", failing: float = 0.05) -> Sweep:
    """Some two hundred points; `failing` is the share that fails."""
    rng = np.random.default_rng(seed)
    points = np.array(_points(), np.int64)
    seconds = np.array([_seconds(dict(zip(KNOBS, row, strict=True))) for row in points])
    ratios = seconds / REFERENCE_S * rng.uniform(0.99, 1.01, len(points))
    failures = np.where(rng.random(len(points)) < failing, "timeout", "").tolist()
    failures[int(np.argmin(ratios))] = ""
    ratios[[bool(kind) for kind in failures]] = np.nan
    count = max(1, len(points) // 20)
    best = np.argsort(np.where(np.isnan(ratios), np.inf, ratios), kind="stable")[:count]
    again = {int(r): tuple(ratios[r] * rng.uniform(1.0, 1.02, AGAIN)) for r in sorted(best)}
    families = points[:, 0] * 2 + (points[:, 3] == 2)
    lanes = points[:, 1] + points[:, 5]
    return Sweep(
        name=name,
        about={"workload": {"op": "conv2d"}, "machine": "none", "version": "0"},
        knobs=KNOBS,
        points=points,
        first_ratios=ratios,
        failures=tuple(failures),
        reference_s=REFERENCE_S,
        again=again,
        families=families.astype(np.int64),
        bounds=1e-4 / (1.0 + lanes),
        plain=(3, 7),
        features={
            "lanes": lanes.astype(np.float32),
            "tile": np.sqrt(points[:, 2]).astype(np.float32),
            "unroll": points[:, 4].astype(np.float32),
            "algorithm": points[:, 0].astype(np.float32),
        },
        features_version=2,
    )


def _points() -> list[tuple[int, ...]]:
    direct = [
        (0, oc, ow, order, unroll, 0)
        for oc, ow, order, unroll in product(range(1, 5), range(1, 10), (1, 2), range(3))
        if oc * ow <= 20
    ]
    return direct + [(1, 0, 0, 0, unroll, rows) for unroll, rows in product(range(3), range(1, 5))]


def _seconds(point: dict[str, int]) -> float:
    if point["algorithm"]:
        return 1e-4 * (1.1 + 0.1 * abs(point["winograd.rows"] - 2) + 0.03 * point["unroll"])
    used = point["tile.oc"] * point["tile.ow"]
    slow = 1.0 + abs(used - 15) / 50 + 0.2 * (point["order"] == 2) + 0.01 * (2 - point["unroll"])
    return 1e-4 * slow
