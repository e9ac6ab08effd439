"""Checks random legal schedules over odd shapes against the float64 reference.

    python scripts/sweep.py --schedules 2000 --seed 0

Prints counts and the worst error by operator, layout, dtype and target, then each failure with its
schedule; exit status 1 if there is any. Guard zones lie around every buffer.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from tests.sweep import Outcome, cases, run, workloads


def main(arguments: list[str] | None = None) -> int:
    """Sweep, then print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--schedules", type=int, default=2000, help="how many to check")
    parser.add_argument("--seed", type=int, default=0, help="of shapes, schedules and operands")
    parser.add_argument("--children", type=int, default=2, help="processes that check")
    chosen = parser.parse_args(arguments)
    if min(chosen.schedules, chosen.children) < 1 or chosen.seed < 0:
        parser.error("--schedules and --children are at least 1, --seed at least 0")
    todo = cases(chosen.schedules, chosen.seed)
    outcome = run(todo, chosen.children)
    show(outcome, sum(case.is_wild for case in todo))
    return 1 if outcome.failures or outcome.count != len(todo) else 0


def show(outcome: Outcome, wild_count: int) -> None:
    """The table, then the failures."""
    print(f"{'op, layout, dtype, target':48} schedules  worst error (units)")
    for group in sorted(outcome.counts):
        worst = outcome.worst.get(group, float("nan"))
        print(f"{group:48} {outcome.counts[group]:9} {worst:8.3f}")
    for case, message in outcome.failures:
        print(f"\nFAILED {case.workload.key}: {message}\n  {case.to_json()}")
    print(
        f"\n{outcome.count} schedules ({wild_count} from outside the space) over "
        f"{len(workloads())} shapes, {len(outcome.failures)} failures, {outcome.seconds:.0f} s"
    )


if __name__ == "__main__":
    sys.exit(main())
