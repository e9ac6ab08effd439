"""What to say of failures: how many of each kind, the first of each, and what may be done.

`search.Search` counts every failed trial here; the command line prints the lines as they are.
"""

from __future__ import annotations

import shlex
from collections import Counter

from autotune.errors import AutotuneError
from autotune.trial import Failure

_SHOW = "`autotune show {digest}{log}` rebuilds it"
_SLOW = "raise --timeout ({timeout_s:g} s now)"
_ADVICE = {
    "illegal": _SHOW,
    "compile_error": f"run `autotune doctor`; {_SHOW}",
    "compile_timeout": _SLOW,
    "crash": f"run `autotune doctor`; {_SHOW}",
    "timeout": _SLOW,
    "out_of_memory": "free some memory, or tune a smaller shape",
    "wrong_result": f"{_SHOW}; a larger --tolerance accepts coarser rounding",
    "invalid_time": "try again while the machine is less busy",
}
"""By kind of failure; every kind has one."""
MAX_TOLD = 200
"""Characters of a failure's message that are told."""


class NoValidScheduleError(AutotuneError):
    """Not one schedule could be built, checked and timed; the cache is as it was.

    Attributes:
        failures: count by kind.
    """

    def __init__(self, message: str, failures: dict[str, int]) -> None:
        super().__init__(message)
        self.failures = failures


class Failures:
    """The failed trials of a run."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """By kind; kinds that did not occur are absent."""
        self._first: dict[str, tuple[str, str]] = {}
        """Kind -> digest and message of the first one."""

    def add(self, digest: str, failure: Failure) -> str:
        """Count one; the line to tell where it is the first of its kind, else nothing."""
        kind = failure.kind
        self.counts[kind] += 1
        if kind in self._first:
            return ""
        self._first[kind] = digest, failure.message
        return f"first {self._told(kind)}"

    def _told(self, kind: str) -> str:
        digest, message = self._first[kind]
        return f"{kind}: {digest}: {message[:MAX_TOLD]}"

    def verdict(self, trials: int, timeout_s: float, log: str) -> NoValidScheduleError:
        """What to raise when all trials failed: counts, first messages, advice, on one line.

        Args:
            trials: how many there were.
            timeout_s: seconds that each was allowed.
            log: where they are logged; empty where that is not known.
        """
        kinds = [kind for kind, _ in sorted(self.counts.items(), key=lambda item: (-item[1], item))]
        counted = ", ".join(f"{kind} {self.counts[kind]}" for kind in kinds)
        firsts = "; ".join(f"first {self._told(kind)}" for kind in kinds)
        advice = _ADVICE[kinds[0]].format(
            digest=self._first[kinds[0]][0],
            timeout_s=timeout_s,
            log=f" --log {shlex.quote(log)}" if log else "",
        )
        return NoValidScheduleError(
            f"no valid schedule: all {trials} measured ones failed ({counted}); {firsts}; "
            f"to do: {advice}",
            dict(self.counts),
        )
