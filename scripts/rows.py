"""What the benchmark found out: a row for each shape, side, number of threads and cache state.

Rows are kept in one JSON file, which is replaced as a whole whenever there is a new one, so that an
interrupted run loses nothing. A ratio is a speed, ours over theirs: above 1 ours is faster.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import median
from typing import Any

from autotune.errors import UsageError
from autotune.finalists import Ratio, interval_of

FORMAT = "autotune-bench-1"
OURS, PEAK = "ours", "fma peak"
"""Names among the samples that are no peer's."""


@dataclass(frozen=True)
class Row:
    """One shape, once: what every contender took in every round."""

    shape: str
    suite: str
    side: str
    """`prepacked`: weights packed beforehand by everybody; `plain`: both operands as they come."""
    threads: int
    caches: str
    """`warm`: operands just used; `rotating`: operands in no cache."""
    settings: dict[str, Any]
    """Whatever else decides the figures."""
    key: str
    algorithm: str
    origin: str
    """Of our schedule, as a lookup says it: `tuned` or not."""
    is_eligible: bool
    """Whether minimal filtering (Winograd) fits the shape."""
    flop: int
    executed_flop: int
    """Of our schedule."""
    peak_flop: int
    """Of one call of the kernel of nothing but multiply-adds, on one thread."""
    operand_sets: int
    samples_s: dict[str, list[float]]
    """Contender -> seconds a call, round by round; ours and the peak's among them."""
    missing: dict[str, str]
    """Peer -> why it took no part."""

    @property
    def identity(self) -> tuple[object, ...]:
        """What tells rows of the same settings apart."""
        return self.side, self.threads, self.caches, self.shape

    @property
    def ratios(self) -> dict[str, Ratio]:
        """Peer -> its time over ours: median of the rounds and its 95% interval."""
        return {
            name: interval_of(quotients(times, self.samples_s[OURS]))
            for name, times in self.samples_s.items()
            if name not in (OURS, PEAK)
        }

    @property
    def best_peer(self) -> str | None:
        ratios = self.ratios
        return min(ratios, key=lambda name: ratios[name].median, default=None)

    @property
    def against_best(self) -> Ratio | None:
        return None if self.best_peer is None else self.ratios[self.best_peer]

    @property
    def gflops(self) -> float:
        """Of ours, counted on the direct algorithm."""
        return self.flop / median(self.samples_s[OURS]) / 1e9

    @property
    def peak_fraction(self) -> float:
        """What ours executes, as a share of the multiply-adds possible on these threads."""
        paces = quotients(self.samples_s[PEAK], self.samples_s[OURS])
        return median(paces) * self.executed_flop / (self.peak_flop * self.threads)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data: the fields, and what follows from them for other readers."""
        derived = {
            "ratios": {name: vars(ratio) for name, ratio in self.ratios.items()},
            "best_peer": self.best_peer,
            "gflops": self.gflops,
            "peak_fraction": self.peak_fraction,
        }
        return {**asdict(self), "derived": derived}


def quotients(theirs_s: Sequence[float], ours_s: Sequence[float]) -> list[float]:
    """Their time over ours, round by round."""
    return [theirs / ours for theirs, ours in zip(theirs_s, ours_s, strict=True)]


def load(path: str) -> list[Row]:
    """The rows of a file; none where there is no such file.

    Raises:
        UsageError: it is something else, or cannot be read.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    names = [field.name for field in fields(Row)]
    try:
        content = json.loads(text)
        if content["format"] != FORMAT:
            raise KeyError(content["format"])
        return [Row(**{name: row[name] for name in names}) for row in content["rows"]]
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} holds no rows of this benchmark; name another file") from error


def save(path: str, rows: Sequence[Row]) -> None:
    """Replace the file by one with these rows; whatever happens, one of the two is whole.

    Raises:
        UsageError: it cannot be written.
    """
    content = {"format": FORMAT, "rows": [row.to_dict() for row in rows]}
    beside = Path(f"{path}.new")
    try:
        beside.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        os.replace(beside, path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
