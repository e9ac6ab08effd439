"""A picture of the benchmark's rows: a bar a shape, ours over the best peer, a panel a table.

Only this file uses matplotlib, and only when a picture is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rows import Row
from tables import grouped

from autotune.errors import UsageError

KINDS = (".svg", ".png")
WIDTH_IN, PANEL_IN, MARGIN_IN, DOTS_PER_IN = 12.0, 2.9, 1.0, 100
SUITE_GAP = 0.8
"""Between the suites, in bars."""
LEAST_BARS = 12
"""There is room for so many, so that a few are no walls."""
COLOURS = ("#4477aa", "#ee7733", "#228833", "#aa3377", "#66ccee", "#bbbb44", "#777777")
"""Of the best peer; told apart by the colour-blind too."""
HATCH = "////"
TICKS = (0.1, 0.2, 0.25, 0.33, 0.5, 0.7, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 32)
LEAST_SPAN = (0.8, 1.25)


def check(path: str) -> None:
    """Better before the run than after it.

    Raises:
        UsageError: another kind of file, or matplotlib is not installed.
    """
    if Path(path).suffix not in KINDS:
        raise UsageError(f"--picture {path} is not allowed; allowed: a name in {', '.join(KINDS)}")
    _pyplot()


def draw(rows: Sequence[Row], path: str) -> None:
    """Write the picture.

    Raises:
        UsageError: it cannot be written, or there is nothing to show.
    """
    groups = grouped([row for row in rows if row.against_best])
    if not groups:
        raise UsageError(f"--picture {path}: no shape was compared with a peer")
    pyplot = _pyplot()
    height = PANEL_IN * len(groups) + MARGIN_IN
    figure, panels = pyplot.subplots(
        len(groups), figsize=(WIDTH_IN, height), squeeze=False, layout="constrained"
    )
    peers = sorted({str(row.best_peer) for row in rows if row.against_best})
    colours = dict(zip(peers, COLOURS * len(peers), strict=False))
    for panel, (title, members) in zip(panels[:, 0], groups.items(), strict=True):
        _panel(panel, title, members, colours)
    handles = [_patch(peer, facecolor=colour) for peer, colour in colours.items()]
    if any(row.algorithm.startswith("winograd") for row in rows):
        handles.append(
            _patch("ours by Winograd", facecolor="white", edgecolor="#333333", hatch=HATCH)
        )
    figure.legend(
        handles=handles, title="best peer", loc="outside lower center", ncols=len(handles),
        fontsize=9, frameon=False,
    )  # fmt: skip
    figure.suptitle(_title(rows), fontsize=12)
    try:
        figure.savefig(path, dpi=DOTS_PER_IN)
    except OSError as error:
        raise UsageError(f"--picture {path} cannot be written: {error.strerror}") from error
    finally:
        pyplot.close(figure)


def _panel(panel: Any, title: str, rows: Sequence[Row], colours: dict[str, str]) -> None:
    places = _places(rows)
    panel.set_yscale("log")
    lowest, highest = LEAST_SPAN
    for row, place in zip(rows, places, strict=True):
        ratio = row.against_best
        assert ratio is not None
        low, high = max(ratio.low, ratio.median / 4), min(ratio.high, ratio.median * 4)
        lowest, highest = min(lowest, low), max(highest, high)
        hatch = HATCH if row.algorithm.startswith("winograd") else None
        panel.bar(
            place, ratio.median - 1, bottom=1, width=0.8, color=colours[str(row.best_peer)],
            hatch=hatch, edgecolor="white", linewidth=0, zorder=2,
        )  # fmt: skip
        panel.errorbar(
            place, ratio.median, [[ratio.median - low], [high - ratio.median]], color="#222222",
            linewidth=1, capsize=2, zorder=3,
        )  # fmt: skip
        is_up = ratio.median >= 1
        panel.annotate(
            f"{ratio.median:.2f}", (place, high if is_up else low), xytext=(0, 3 if is_up else -3),
            textcoords="offset points", ha="center", va="bottom" if is_up else "top", fontsize=7,
        )  # fmt: skip
    panel.axhline(1, color="#222222", linewidth=1, zorder=4)
    panel.set_ylim(lowest / 1.15, highest * 1.15)
    panel.set_yticks([tick for tick in TICKS if lowest / 1.15 <= tick <= highest * 1.15])
    panel.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    panel.yaxis.set_minor_locator(_no_ticks())
    panel.grid(axis="y", color="#dddddd", linewidth=0.6, zorder=0)
    panel.set_xlim(-0.8, max(places[-1] + 0.8, LEAST_BARS))
    panel.set_xticks(places, [row.shape for row in rows], fontsize=8)
    panel.tick_params(axis="x", length=0)
    panel.set_ylabel("speed, ours / best peer", fontsize=9)
    panel.set_title(title, fontsize=10, loc="left")
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    _name_suites(panel, rows, places)


def _places(rows: Sequence[Row]) -> list[float]:
    """Where on the axis each bar stands: suites apart from each other."""
    places: list[float] = []
    for i, row in enumerate(rows):
        gap = SUITE_GAP if i and row.suite != rows[i - 1].suite else 0.0
        places.append(places[-1] + 1 + gap if places else 0.0)
    return places


def _name_suites(panel: Any, rows: Sequence[Row], places: Sequence[float]) -> None:
    for suite in dict.fromkeys(row.suite for row in rows):
        own = [place for row, place in zip(rows, places, strict=True) if row.suite == suite]
        panel.annotate(
            suite, ((own[0] + own[-1]) / 2, 0), xycoords=("data", "axes fraction"),
            xytext=(0, -18), textcoords="offset points", ha="center", va="top", fontsize=9,
            color="#555555",
        )  # fmt: skip


def _title(rows: Sequence[Row]) -> str:
    settings = rows[0].settings
    return (
        f"Ours against the best library, shape by shape: {settings['target']} on {settings['host']}"
    )


def _patch(label: str, **look: Any) -> Any:
    from matplotlib.patches import Patch

    return Patch(label=label, **look)


def _no_ticks() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()


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
