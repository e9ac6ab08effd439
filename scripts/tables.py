"""The benchmark's rows as tables, plain or Markdown, and what they come to. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from statistics import geometric_mean

from rows import Row

from autotune.finalists import Ratio

WANTED_PEAK = 0.9
LEGEND = (
    "Speed of ours over theirs, median of the rounds and its 95% interval: above 1 ours is faster."
)


def grouped(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Title -> the rows that one table shows."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        threads = "1 thread" if row.threads == 1 else f"{row.threads} threads"
        title = f"{row.side} against {row.side}, {threads}, {row.caches} caches"
        groups.setdefault(title, []).append(row)
    return groups


def lines(title: str, rows: Sequence[Row]) -> Iterator[str]:
    """A table for a terminal and its summary."""
    cells = _cells(rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    yield f"\n{title}"
    for cell in cells:
        padded = (text.ljust(width) for text, width in zip(cell, widths, strict=True))
        yield "  ".join(padded).rstrip()
    yield from summary(rows)


def markdown(title: str, rows: Sequence[Row]) -> Iterator[str]:
    """The same for a document."""
    heads, *cells = _cells(rows)
    yield f"### {title[:1].upper()}{title[1:]}"
    yield ""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    yield from (f"| {' | '.join(cell)} |" for cell in cells)
    yield ""
    yield from (f"- {line}" for line in summary(rows))
    yield ""


def _cells(rows: Sequence[Row]) -> list[list[str]]:
    peers = list(dict.fromkeys(peer for row in rows for peer in row.ratios))
    cells = [["shape", "algorithm", "GFLOP/s", "of peak", *peers, "best peer", "ours/best"]]
    for row in rows:
        algorithm = row.algorithm if row.origin == "tuned" else f"{row.algorithm} ({row.origin})"
        own = [row.shape, algorithm, f"{row.gflops:.1f}", f"{row.peak_fraction:.2f}"]
        against = [shown(row.ratios.get(peer)) for peer in peers]
        best = row.against_best
        last = f"{best.median:.2f}" if best else "-"
        cells.append([*own, *against, row.best_peer or "-", last])
    return cells


def shown(ratio: Ratio | None) -> str:
    """`1.23 [1.20 1.25]`."""
    if ratio is None:
        return "-"
    high = f"{ratio.high:.2f}" if isfinite(ratio.high) else "?"
    return f"{ratio.median:.2f} [{ratio.low:.2f} {high}]"


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """Against the best peer, where ours is behind, how near to the peak, and who was missing."""
    compared = {row.shape: ratio for row in rows if (ratio := row.against_best)}
    if compared:
        yield f"geometric mean against the best peer: {_mean(list(compared.values()))}"
        eligible = {row.shape: compared[row.shape] for row in rows if _fits(row, compared)}
        if eligible and len(eligible) < len(compared):
            names = ", ".join(eligible)
            yield f"where Winograd fits ({names}): {_mean(list(eligible.values()))}"
        ahead = [shape for shape, ratio in compared.items() if ratio.low > 1]
        behind = [shape for shape, ratio in compared.items() if ratio.high < 1]
        said = f": {', '.join(behind)}" if behind else ""
        yield (
            f"whole interval above 1: {len(ahead)} of {len(compared)} shapes; "
            f"below 1: {len(behind)}{said}"
        )
    near = [row for row in rows if row.peak_fraction >= WANTED_PEAK]
    least = min(rows, key=lambda row: row.peak_fraction)
    yield (
        f"{WANTED_PEAK} of the measured multiply-add peak and more: {len(near)} of {len(rows)} "
        f"shapes; least {least.peak_fraction:.2f} ({least.shape})"
    )
    reasons = sorted({(peer, why) for row in rows for peer, why in row.missing.items()})
    yield from (f"missing: {peer}: {why}" for peer, why in reasons)


def _fits(row: Row, compared: dict[str, Ratio]) -> bool:
    return row.is_eligible and row.shape in compared


def _mean(ratios: Sequence[Ratio]) -> str:
    return f"{geometric_mean(ratio.median for ratio in ratios):.2f}"
