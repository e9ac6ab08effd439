"""A picture of replays: how near the best known each search is, trial by trial. Uses matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autotune.errors import UsageError

KINDS = (".svg", ".png")
COLOURS = ("#4477aa", "#ee7733", "#228833", "#aa3377", "#66ccee", "#bbbb44", "#777777")
"""Told apart by the colour-blind too."""
GOALS = (0.95, 0.99)


def check(path: str) -> None:
    """Better before the replays than after them.

    Raises:
        UsageError: another kind of file, or matplotlib is not installed.
    """
    if Path(path).suffix not in KINDS:
        raise UsageError(f"--picture {path} is not allowed; allowed: a name in {', '.join(KINDS)}")
    _pyplot()


def draw(title: str, found: Mapping[str, NDArray[np.float64]], path: str) -> None:
    """Write a picture of (seeds, trials) curves by name: medians, and quartiles as a band.

    Raises:
        UsageError: it cannot be written.
    """
    pyplot = _pyplot()
    figure, panel = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for index, (name, curves) in enumerate(found.items()):
        colour = COLOURS[index % len(COLOURS)]
        low, middle, high = np.quantile(curves, (0.25, 0.5, 0.75), axis=0)
        trials = np.arange(1, len(middle) + 1)
        panel.fill_between(trials, low, high, step="post", color=colour, alpha=0.2, linewidth=0)
        panel.step(trials, middle, where="post", color=colour, label=name)
    for goal in GOALS:
        panel.axhline(goal, color="#999999", linewidth=0.6, linestyle="--")
    panel.set_xlabel("trials")
    panel.set_ylabel("speed, best so far / best known")
    panel.set_ylim(0, 1.02)
    panel.set_xlim(left=1)
    panel.set_title(title, fontsize=10, loc="left")
    panel.legend(loc="lower right", frameon=False, fontsize=9)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    try:
        figure.savefig(path, dpi=100)
    except OSError as error:
        raise UsageError(f"--picture {path} cannot be written: {error.strerror}") from error
    finally:
        pyplot.close(figure)


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError as error:
        raise UsageError(
            "matplotlib is not installed, and --picture needs it: pip install '.[bench]'"
        ) from error
    # Pictures are written, never shown.
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot
