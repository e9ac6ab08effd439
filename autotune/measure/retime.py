"""Times finalists again, interleaved with the default, in a fresh process on fresh inputs.

Quick scores of the best of many are too good; these are what is reported and kept. A schedule that
crashes here fails alone: the others are loaded into another fresh process and timed on.
"""

from __future__ import annotations

import selectors
import tempfile
from collections.abc import Sequence

from autotune.ir.schedule import Schedule
from autotune.measure.base import MeasureOptions
from autotune.measure.slot import Lost, Role, Slot, call
from autotune.measure.wire import Frame
from autotune.targets.base import Target
from autotune.trial import Failure, Timing, Workload


def builder_first(workload: Workload, target: Target) -> Frame:
    """What a builder is told first."""
    return Frame({"workload": workload.to_dict(), "target": target.to_dict()})


def runner_first(
    workload: Workload,
    target: Target,
    options: MeasureOptions,
    kept: int | None,
    reference: Frame | Failure | None,
) -> Frame:
    """What a runner is told first.

    `kept` is the descriptor of the nameless file that keeps the right result between runners.
    `reference` is the built reference kernel; a Failure: use the small matmul; None: the first
    candidate becomes the reference.
    """
    header = {
        "workload": workload.to_dict(),
        "target": target.to_dict(),
        "seed": options.seed,
        "min_slice_s": options.min_slice_s,
        "slices": options.slices,
        "strict": options.strict,
        "kept": kept,
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
) -> list[Timing | Failure]:
    """Each schedule's samples, paired by rounds with those of `schedules[0]`.

    Raises:
        MeasureError: workers cannot be started.
    """
    fresh = MeasureOptions(**{**vars(options), "seed": options.seed + 1})
    with tempfile.TemporaryFile(prefix="autotune-") as kept, selectors.DefaultSelector() as watched:
        finals = _Finals(workload, target, fresh, kept.fileno(), watched)
        try:
            finals.build(schedules)
            while len(finals.rounds) < rounds and finals.alive:
                finals.advance()
        finally:
            finals.stop()
    return [finals.result(key) for key in range(len(schedules))]


class _Finals:
    """Finalists by position: built, held in one runner, sliced round by round."""

    def __init__(
        self,
        workload: Workload,
        target: Target,
        options: MeasureOptions,
        kept: int,
        watched: selectors.BaseSelector,
    ) -> None:
        self._options = options
        self._failures: dict[int, Failure] = {}
        self._built: dict[int, Frame] = {}
        self._held: set[int] = set()
        self._error_units: dict[int, float] = {}
        self._stand_in: Failure | None = None
        """Why the default cannot be the reference, once it cannot."""
        self.rounds: list[dict[int, float]] = []
        """Seconds of one call by position; the reference kernel's under -1."""

        def first() -> Frame:
            # Held kernels are their own references; only a failed default needs the small matmul.
            return runner_first(workload, target, options, kept, self._stand_in)

        self._runner = Slot(Role(options.runner_module, "timeout", (kept,)), first, watched)
        self._builder = Slot(
            Role(options.builder_module, "compile_timeout"),
            lambda: builder_first(workload, target),
            watched,
        )

    @property
    def alive(self) -> list[int]:
        """Finalists that have not failed."""
        return [key for key in self._built if key not in self._failures]

    def stop(self) -> None:
        """End both workers."""
        self._builder.stop()
        self._runner.stop()

    def build(self, schedules: Sequence[Schedule]) -> None:
        """Build all; the runner starts meanwhile."""
        self._runner.start()
        for key, schedule in enumerate(schedules):
            header = {"schedule": schedule.to_dict()}
            end = call(self._builder, header, b"", self._options.timeout_s)
            while isinstance(end, Lost):
                end = call(self._builder, header, b"", self._options.timeout_s)
            if isinstance(end, Failure):
                self._fail(key, end)
            else:
                self._built[key] = end
        self._builder.stop()

    def advance(self) -> None:
        """Load what is not loaded, then one round; either may end with a finalist's failure."""
        if not self._runner.has_worker:
            self._held.clear()
        for key in self.alive:
            if key not in self._held and not self._hold(key):
                return
        if self.alive:
            self._round()

    def _hold(self, key: int) -> bool:
        """Load and check one; False where it failed and the runner may be another one."""
        built = self._built[key]
        header = {"do": "hold", "key": key, "artifact": built.header["artifact"]}
        end = call(self._runner, header, built.blob, self._options.timeout_s)
        if isinstance(end, Failure):
            if not isinstance(end, Lost):
                self._fail(key, end)
            return False
        self._held.add(key)
        self._error_units[key] = float(end.header["error_units"])
        return True

    def _round(self) -> None:
        keys = self.alive
        turn = len(self.rounds) % len(keys)
        order = keys[turn:] + keys[:turn]
        limit_s = self._options.timeout_s * (len(keys) + 1)
        end = call(self._runner, {"do": "round", "order": order}, b"", limit_s)
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
        seconds = {int(key): float(value) for key, value in end.header["seconds"]}
        if end.header["reference_s"] is not None:
            seconds[-1] = float(end.header["reference_s"])
        self.rounds.append(seconds)

    def _fail(self, key: int, failure: Failure) -> None:
        self._failures[key] = failure
        if key == 0:
            # Pairs with it are worth nothing now: begin again beside the small matmul.
            self._stand_in = failure
            self.rounds.clear()
            self._runner.stop()

    def result(self, key: int) -> Timing | Failure:
        """What became of one finalist."""
        if key in self._failures:
            return self._failures[key]
        reference = 0 if self._stand_in is None else -1
        pairs = [(r[key], r[reference]) for r in self.rounds if key in r and reference in r]
        if not pairs:
            return Failure("timeout", "no round of the finalists was completed")
        samples, references = zip(*pairs, strict=True)
        return Timing(samples, references, self._error_units[key])
