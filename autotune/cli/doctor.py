"""`autotune doctor`: proves the whole path on this machine and names what is missing."""

from __future__ import annotations

import typer

from autotune.cli import options, show


def doctor(cache: options.CacheFlag = None, as_json: options.JsonFlag = False) -> None:
    """Check packages, processor, one kernel and the folders; exit 0 if all is well, else 1."""
    from autotune.doctor import diagnose, find_target

    steps = []
    for step in diagnose(cache):
        steps.append(step)
        if not as_json:
            fix = f" (to fix: {step.fix})" if step.fix else ""
            typer.echo(f"{'ok' if step.is_ok else 'FAILED':<7} {step.name}: {step.detail}{fix}")
    is_ok = all(step.is_ok for step in steps)
    if as_json:
        target = find_target()
        show.result_json(
            {
                "ok": is_ok,
                "steps": [step.to_dict() for step in steps],
                "target": None if target is None else target.to_dict(),
            }
        )
    if not is_ok:
        raise typer.Exit(1)
