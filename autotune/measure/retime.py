"""Times finalists again, round by round, in a fresh process on fresh inputs.

Quick scores of the best of many are too good; these are what is reported and kept. All are paired
with a copy of the search's best: the most alike and the cheapest. A schedule that crashes here
fails alone: the others are loaded into another fresh process and timed on.
"""

from __future__ import annotations

import selectors
import tempfile
import time
from collections.abc import Sequence
from math import inf
from statistics import median

from autotune.ir.schedule import Schedule
from autotune.measure.base import MeasureOptions
from autotune.measure.slot import Lost, Role, Slot, call
from autotune.measure.wire import Frame
from autotune.targets.base import Target
from autotune.trial import Failure, Timing, Workload

SCREENING_ROUNDS = 2
LEAST_ROUNDS = 6
"""So many are needed for an interval; where time is up, they are all."""
LEAST_PATIENCE_S, PATIENCE_S = 0.05, 0.2
"""Longest that one finalist is timed in one round: where time is short, and where it is not."""
LEFT_OUT_ROUNDS, LEFT_OUT_RATIO = 4, 1.03
"""A finalist slower than another one in each of so many rounds, and by so much in the median, has
lost: timing it further would only take longer."""
_COPY = -1
"""Place of a copy of the reference, beside which all are timed."""


def builder_first(workload: Workload, target: Target, options: MeasureOptions) -> Frame:
    """What a builder is told first."""
    return Frame(
        {
            "workload": workload.to_dict(),
            "target": target.to_dict(),
            "cores": options.cores.building,
        }
    )


def runner_first(
    workload: Workload,
    target: Target,
    options: MeasureOptions,
    kept: int | None,
    reference: Frame | Failure | None,
    pace_s: float | None = None,
) -> Frame:
    """What a runner is told first.

    `kept` is the descriptor of the nameless file that keeps the right result between runners.
    `reference` is the built reference kernel; a Failure: use the small matmul; None: a copy
    of the first candidate becomes it. `pace_s` is what the runner before knew of its best.
    """
    header = {
        "workload": workload.to_dict(),
        "target": target.to_dict(),
        "seed": options.seed,
        "min_slice_s": options.min_slice_s,
        "patience_s": options.patience_s,
        "cache_policy": options.cache_policy,
        "cores": options.cores.measuring,
        "strict": options.strict,
        "kept": kept,
        "pace_s": pace_s,
    }
    if isinstance(reference, Frame):
        given = {"reference": "given", "artifact": reference.header["artifact"]}
        return Frame({**header, **given}, reference.blob)
    return Frame({**header, "reference": "first" if reference is None else "fallback"})


def retime(
    workload: Workload,
    target: Target,
    options: MeasureOptions,
    schedules: Sequence[Schedule],
    rounds: int,
    hopefuls: Sequence[Schedule] = (),
    places: int = 0,
    within_s: float = inf,
) -> list[Timing | Failure]:
    """Each schedule's samples, paired by rounds with those of one of them, see `Measurer.retime`.

    Raises:
        MeasureError: workers cannot be started.
    """
    fresh = MeasureOptions(**{**vars(options), "seed": options.seed + 1})
    with (
        tempfile.TemporaryFile(prefix="autotune-") as kept,
        selectors.DefaultSelector() as of_builder,
        selectors.DefaultSelector() as of_runner,
    ):
        until_s = time.monotonic() + within_s
        finals = _Finals(workload, target, fresh, kept.fileno(), of_builder, of_runner, until_s)
        try:
            finals.build(schedules, hopefuls)
            if places < len(hopefuls):
                finals.advance_to(SCREENING_ROUNDS, rounds * (len(schedules) + places))
                finals.screen(places)
            finals.advance_to(rounds)
        finally:
            finals.stop()
    return [finals.result(key) for key in range(len(schedules) + len(hopefuls))]


class _Finals:
    """Finalists by position: built, held in one runner, timed round by round."""

    def __init__(
        self,
        workload: Workload,
        target: Target,
        options: MeasureOptions,
        kept: int,
        of_builder: selectors.BaseSelector,
        of_runner: selectors.BaseSelector,
        until_s: float,
    ) -> None:
        self._options, self._until_s = options, until_s
        self._failures: dict[int, Failure] = {}
        self._built: dict[int, Frame] = {}
        self._held: set[int] = set()
        """Those that the present runner holds, and _COPY."""
        self._error_units: dict[int, float] = {}
        self._reference: int | None = None
        self._hopefuls: Sequence[int] = ()
        self._screened_out: set[int] = set()
        self._left_out: set[int] = set()
        self._rounds: list[dict[int, tuple[float, float]]] = []
        """Seconds of one call by position, with the reference's beside it."""
        self._screening: list[dict[int, tuple[float, float]]] = []
        """Rounds that do not count."""
        self._runner = Slot(
            Role(options.runner_module, "timeout", (kept,)),
            lambda: runner_first(workload, target, options, kept, None),
            of_runner,
        )
        self._builder = Slot(
            Role(options.builder_module, "compile_timeout"),
            lambda: builder_first(workload, target, options),
            of_builder,
        )

    @property
    def alive(self) -> list[int]:
        """Finalists that have not failed."""
        return [key for key in self._built if key not in self._failures]

    @property
    def _timed(self) -> list[int]:
        """Those of them that take part in the next round."""
        return [key for key in self.alive if key not in self._left_out]

    def stop(self) -> None:
        """End both workers."""
        self._builder.stop()
        self._runner.stop()

    def build(self, schedules: Sequence[Schedule], hopefuls: Sequence[Schedule]) -> None:
        """Build all; the runner starts meanwhile."""
        self._runner.start()
        self._hopefuls = range(len(schedules), len(schedules) + len(hopefuls))
        for key, schedule in enumerate([*schedules, *hopefuls]):
            header = {"schedule": schedule.to_dict()}
            end = call(self._builder, header, b"", self._options.timeout_s)
            while isinstance(end, Lost):
                end = call(self._builder, header, b"", self._options.timeout_s)
            if isinstance(end, Failure):
                self._fail(key, end)
            else:
                self._built[key] = end
        self._builder.stop()

    def advance_to(self, rounds: int, later: int = 0) -> None:
        """Time all until there are so many rounds, time is up or nothing works.

        `later` are readings to follow.
        """
        while self._timed and len(self._rounds) < rounds:
            left_s = self._until_s - time.monotonic()
            if left_s < 0 and len(self._rounds) >= LEAST_ROUNDS:
                return
            readings = len(self._timed) * (rounds - len(self._rounds)) + later
            self._advance(min(max(left_s / readings, LEAST_PATIENCE_S), PATIENCE_S))

    def screen(self, places: int) -> None:
        """Only the best so many hopefuls go on, and the reference; all rounds begin anew.

        Else who is there because of lucky rounds would keep them.
        """
        working = [key for key in self.alive if key in self._hopefuls]
        working.sort(key=lambda key: median(self._ratios(key)))
        self._screened_out = {key for key in working[places:] if key != self._reference}
        self._left_out = set(self._screened_out)
        self._screening, self._rounds = self._rounds, []

    def _advance(self, patience_s: float) -> None:
        """Load what is not loaded, then one round; either may end with a finalist's failure."""
        if not self._runner.has_worker:
            self._held.clear()
        keys = self._timed
        if not all(self._hold(key, key) for key in keys):
            return
        if self._reference is None:
            # The first is the default, which may be far slower than all others.
            hopefuls = [key for key in keys if key in self._hopefuls]
            self._reference = (hopefuls or keys[1:] or keys)[0]
        if self._hold(_COPY, self._reference):
            self._round(patience_s)

    def _hold(self, place: int, key: int) -> bool:
        """Have one loaded and checked; False where it failed and the runner may be another one."""
        if place in self._held:
            return True
        built = self._built[key]
        header = {"do": "hold", "key": place, "artifact": built.header["artifact"]}
        end = call(self._runner, header, built.blob, self._options.timeout_s)
        if isinstance(end, Failure):
            if not isinstance(end, Lost):
                self._fail(key, end)
            return False
        self._held.add(place)
        self._error_units[key] = float(end.header["error_units"])
        return True

    def _round(self, patience_s: float) -> None:
        keys = self._timed
        turn = len(self._rounds) % len(keys)
        header = {
            "do": "round",
            "order": keys[turn:] + keys[:turn],
            "reference": _COPY,
            "patience_s": patience_s,
        }
        limit_s = self._options.timeout_s * (len(keys) + 1)
        end = call(self._runner, header, b"", limit_s)
        if isinstance(end, Lost):
            return
        if isinstance(end, Failure):
            # The runner says which kernel comes next, so its death has a culprit.
            culprits = keys if self._runner.note is None else [int(self._runner.note)]
            for key in culprits:
                self._fail(key, end)
            return
        for key, message in end.header["invalid"]:
            self._fail(int(key), Failure("invalid_time", message))
        if self._reference is not None:
            timed = end.header["timed"]
            self._rounds.append({int(key): (float(a), float(b)) for key, a, b in timed})
            self._leave_out()

    def _leave_out(self) -> None:
        """Time no further who has clearly lost; the first, and the reference, stay."""
        if len(self._rounds) < LEFT_OUT_ROUNDS or not self._options.drops_slow:
            return
        best = min(self._timed, key=lambda key: median(self._ratios(key)), default=None)
        if best is None:
            return
        for key in self._timed:
            pairs = zip(self._ratios(key), self._ratios(best), strict=True)
            slower = [ratio / least for ratio, least in pairs]
            has_lost = min(slower) > 1 and median(slower) > LEFT_OUT_RATIO
            if has_lost and key not in (0, self._reference):
                self._left_out.add(key)

    def _ratios(self, key: int) -> list[float]:
        return [seconds / reference for seconds, reference in self._pairs(key)]

    def _pairs(self, key: int) -> list[tuple[float, float]]:
        return [timed[key] for timed in self._rounds if key in timed]

    def _fail(self, key: int, failure: Failure) -> None:
        self._failures[key] = failure
        if key == self._reference:
            # Pairs with it are worth nothing now: begin again beside another one.
            self._reference = None
            self._rounds.clear()
            self._left_out = set(self._screened_out)
            self._runner.stop()

    def result(self, key: int) -> Timing | Failure:
        """What became of one finalist."""
        if key in self._failures:
            return self._failures[key]
        pairs = self._pairs(key) or [timed[key] for timed in self._screening if key in timed]
        if not pairs:
            return Failure("timeout", "no round of the finalists was completed")
        samples, references = zip(*pairs, strict=True)
        return Timing(samples, references, self._error_units[key])
