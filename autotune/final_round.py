"""The last part of a run: the best few, the default and the incumbent are timed side by side.

`tune` calls it once the search has ended; `finalists.judge` has the verdict. A run that nobody lets
finish ends with what the search's own timings say.
"""

from __future__ import annotations

from math import inf

from autotune import finalists
from autotune.diagnosis import NoValidScheduleError
from autotune.errors import MeasureError, StoreError
from autotune.interruption import Gate
from autotune.ir.schedule import Schedule
from autotune.keeping import Keeping
from autotune.progress import Outcome
from autotune.search import Search
from autotune.trial import Failure, Timing


def final_round(
    search: Search, stopped: str, keeping: Keeping, gate: Gate
) -> tuple[str, Outcome, list[dict[str, object]]]:
    """Why the run stopped, the outcome of the final round, and its timings for the log."""
    default, usual = search.parts.default, search.default_timing()
    if stopped == "interrupted":
        # Somebody waits to leave: workers for a final round alone take most of a second to start.
        return stopped, _unpaired(search, usual), []
    found = [t.schedule for t in search.fastest(_hopeful_count(search))]
    before = _incumbent(search, keeping)
    known = [s for s in before if s != default]
    certain = known if usual is None else [default, *known]
    hopefuls = [s for s in found if s not in known]
    schedules = [*certain, *hopefuls]
    try:
        search.tell_progress("finalists")
        with gate.opened():
            outcomes = search.parts.measurer.retime(
                certain, finalists.ROUNDS, hopefuls, finalists.FINALISTS, _left_s(search)
            )
    except KeyboardInterrupt:
        return "interrupted", _unpaired(search, usual), []
    except MeasureError as error:
        search.note(f"the finalists were not timed again: {error}")
        return stopped, _unpaired(search, usual), []
    finals = [_logged(s, o) for s, o in zip(schedules, outcomes, strict=True)]
    has_default = usual is not None
    if has_default and isinstance(outcomes[0], Failure):
        search.note(f"no baseline: the default schedule failed in the end ({outcomes[0].message})")
        schedules, outcomes, has_default = schedules[1:], outcomes[1:], False
    outcome = finalists.judge(schedules, outcomes, has_default, next(iter(before), None))
    if outcome is None:
        raise NoValidScheduleError(
            f"no valid schedule: none of {len(finals)} finalists worked when checked again",
            dict(search.failures),
        )
    if outcome.schedule in known and outcome.schedule not in found:
        search.note("the winner was in the cache before; nothing measured in this run beats it")
    return stopped, outcome, finals


def _unpaired(search: Search, usual: Timing | None) -> Outcome:
    """What the search's own timings say, for a run without a final round."""
    best = search.best
    assert best is not None
    assert best.timing is not None
    baseline = None if usual is None else (search.parts.default, usual)
    return finalists.judge_unpaired(baseline, (best.schedule, best.timing))


def _hopeful_count(search: Search) -> int:
    """As many as the rest of the budget allows, at least one."""
    left_s, counts = _left_s(search), range(finalists.SCREENED, 1, -1)
    return next((count for count in counts if search.final_s(count) <= left_s), 1)


def _left_s(search: Search) -> float:
    """Seconds of the budget that are left."""
    budget_s = search.limits.budget_s
    return inf if budget_s is None else budget_s - search.elapsed_s()


def _incumbent(search: Search, keeping: Keeping) -> list[Schedule]:
    """What the cache would have answered: a new winner must also be faster than that."""
    try:
        record = keeping.cache.get(keeping.target.key, keeping.workload.key)
    except StoreError as error:
        search.note(f"the cache could not be read: {error}")
        return []
    return [] if record is None else [record.schedule]


def _logged(schedule: Schedule, outcome: Timing | Failure) -> dict[str, object]:
    """A finalist's line in the log's end record."""
    if isinstance(outcome, Failure):
        return {"digest": schedule.digest, "status": outcome.kind, "message": outcome.message}
    return {
        "digest": schedule.digest,
        "status": "ok",
        "samples": list(outcome.samples_s),
        "reference_samples": list(outcome.reference_s),
    }
