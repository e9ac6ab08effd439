"""Times contenders in turn, slice by slice, so that all of them meet the same machine.

Every contender goes round its own sets of operands and keeps what each set gave last; with one set
its operands are warm, with many none of them is in a cache. The same loop calls all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from typing import Protocol

from peers import Call

SLICE_S = 0.010
WARM_S = 0.2
REST_LOOK_S, REST_LIMIT_S, REST_SHARE = 0.005, 0.5, 0.2
MOST_CALLS = 1 << 24
"""Of one slice: what takes no time at all is not called for ever."""

Clock = Callable[[], float]


class Contender(Protocol):
    """Somebody who can be timed."""

    @property
    def name(self) -> str:
        """What tables call it."""

    def spend_s(self, count: int) -> float:
        """Seconds that `count` calls take, each on the next set of operands."""


class InProcess:
    """A contender whose calls are made here."""

    def __init__(self, name: str, calls: Sequence[Call], clock: Clock = time.perf_counter) -> None:
        self.name = name
        # What they were bound to must live as long.
        self._calls = calls
        self._turns = cycle(enumerate(call.run for call in calls))
        self._kept: list[object] = [None] * len(calls)
        self._clock = clock

    def spend_s(self, count: int) -> float:
        """Seconds that `count` calls take, each on the next set of operands."""
        kept = self._kept
        start_s = self._clock()
        for place, run in islice(self._turns, count):
            # Given back first, so that the next output may take its place in the caches.
            kept[place] = None
            kept[place] = run()
        return self._clock() - start_s


def interleave(
    contenders: Sequence[Contender], rounds: int, rest: Callable[[], None]
) -> dict[str, list[float]]:
    """Seconds a call of each contender in each round; who goes first changes every round.

    Args:
        contenders: who takes part.
        rounds: slices of each.
        rest: called before each slice.
    """
    counts = {}
    for contender in contenders:
        rest()
        counts[contender.name] = calls_a_slice(contender)
    samples: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    for turn in range(rounds):
        shift = turn % len(contenders)
        for contender in [*contenders[shift:], *contenders[:shift]]:
            count = counts[contender.name]
            rest()
            # What ran before has put its own data into the caches.
            contender.spend_s(max(1, count // 10))
            samples[contender.name].append(contender.spend_s(count) / count)
    return samples


def calls_a_slice(contender: Contender) -> int:
    """Calls that take at least SLICE_S, found on a warm contender."""
    count, spent_s, total_s = 1, contender.spend_s(1), 0.0
    while total_s < WARM_S and count < MOST_CALLS:
        count = 1 if spent_s >= SLICE_S else 2 * count
        spent_s = contender.spend_s(count)
        total_s += spent_s
    # A fifth more, so that a fast phase of the machine does not undercut the slice.
    return max(1, int(1.2 * SLICE_S * count / max(spent_s, 1e-9)) + 1)


def wait_for_rest() -> None:
    """Return once no thread of this process computes any more, or after REST_LIMIT_S.

    The libraries' threads wait for more work by spinning, up to 0.1 s: on the cores that the next
    contender is timed on.
    """
    until_s, share = time.perf_counter() + REST_LIMIT_S, 1.0
    while share > REST_SHARE and time.perf_counter() < until_s:
        start_s, busy_s = time.perf_counter(), time.process_time()
        time.sleep(REST_LOOK_S)
        share = (time.process_time() - busy_s) / (time.perf_counter() - start_s)


def no_rest() -> None:
    """For contenders of one thread, which leave none behind."""
