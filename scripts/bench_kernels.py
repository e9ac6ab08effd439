"""Tunes shapes from an empty cache, then times ours against the libraries, interleaved.

    python scripts/bench_kernels.py --shapes C2,C6,C9,G1,G3,D3 --budget 60s
    python scripts/bench_kernels.py --shapes all --threads 1,2 --caches warm,rotating \
        --json all.json --cache all.db --table all.md --picture all.svg
    python scripts/bench_kernels.py --shapes resnet18 --space scripts/direct.toml
    python scripts/bench_kernels.py --shapes all --target x86-64-v3
    python scripts/bench_kernels.py --tvm-python tvm-venv/bin/python

A table for each side (weights packed beforehand by everybody, or both operands as they come), each
number of threads and each state of the caches (operands just used, or in no cache); a side and a
number of threads have their own tuning. Results are checked first; all contenders' calls are bound.
With --json the same command goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import contest
import held
import picture
import tables
from contest import CACHES, INTERRUPTED, SIDES, Contest
from rows import Row, load, save
from suite import chosen, named_shapes, workload_of

from autotune.cli.options import budget_seconds
from autotune.errors import AutotuneError, UsageError
from autotune.space import narrowing
from autotune.targets.detect import host, resolve, runnable
from autotune.trial import CACHE_POLICIES, CODEGEN_VERSION

LEAST_ROUNDS = 9
LIBRARIES = ("llvmlite", "numpy", "onnxruntime", "torch")
GRACE_S = 1.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse, have everything tuned and timed, print and write what there is."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory() as folder:
        try:
            plan = _plan(options, Path(folder))
            is_held = held.is_held(resolve(options.target), host())
            environment = held.environment(os.environ, is_held)
            codes = _codes([replace(plan, threads=n) for n in options.threads], environment)
            code = INTERRUPTED if INTERRUPTED in codes else max(codes)
            _report(plan, options)
        except AutotuneError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2 if isinstance(error, UsageError) else 1
    return code


def _codes(contests: Sequence[Contest], environment: dict[str, str]) -> list[int]:
    """How each contest ended, up to one that was interrupted."""
    codes = []
    for one in contests:
        codes.append(_ended(one, environment))
        if codes[-1] == INTERRUPTED:
            break
    return codes


def _ended(one: Contest, environment: dict[str, str]) -> int:
    """The exit code of a contest in a process of its own."""
    command = [sys.executable, contest.__file__, one.to_json()]
    is_interrupted = False
    with subprocess.Popen(command, env=environment) as child:
        while child.returncode is None:
            try:
                child.wait()
            except KeyboardInterrupt:
                is_interrupted = True
                # A terminal interrupts both of us; `kill` only this process.
                if _is_running(child):
                    child.send_signal(signal.SIGINT)
            except BaseException:
                child.terminate()
                raise
    return INTERRUPTED if is_interrupted else min(abs(child.returncode), INTERRUPTED)


def _is_running(child: subprocess.Popen[bytes]) -> bool:
    try:
        child.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        return True
    return False


def _report(plan: Contest, options: argparse.Namespace) -> None:
    """Tables of what was asked for; the files have all that the JSON holds with these settings."""
    wanted = [
        (side, threads, caches, shape)
        for side in plan.sides
        for threads in options.threads
        for caches in plan.caches
        for shape in plan.shapes
    ]
    known = {row.identity: row for row in load(plan.json) if row.settings == plan.settings}
    rows = [known[identity] for identity in wanted if identity in known]
    if len(rows) < len(wanted):
        print(f"{len(wanted) - len(rows)} of {len(wanted)} rows are missing", file=sys.stderr)
    if not rows:
        return
    print(tables.LEGEND)
    for title, members in tables.grouped(rows).items():
        print("\n".join(tables.lines(title, members)))
    if options.table:
        _write("--table", options.table, "\n".join(_document([*known.values()])))
    if options.picture:
        picture.draw([*known.values()], options.picture)


def _document(rows: Sequence[Row]) -> Iterator[str]:
    settings = rows[0].settings
    versions = ", ".join(f"{name} {number}" for name, number in settings["versions"].items())
    yield f"{tables.LEGEND} Target {settings['target']} on {settings['host']}; {versions}."
    yield ""
    for title, members in tables.grouped(rows).items():
        yield from tables.markdown(title, members)


def _write(option: str, path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{option}: {path} cannot be written: {error.strerror}") from error


def _plan(options: argparse.Namespace, folder: Path) -> Contest:
    """What is to be done, on one thread; everything that can be refused is refused here.

    Raises:
        UsageError: an option that makes no sense.
        SpaceError: the space file is none.
    """
    shapes, budget_s = chosen(options.shapes), budget_seconds(options.budget)
    tvm_budget_s = budget_seconds(options.tvm_budget)
    if options.picture:
        picture.check(options.picture)
    for threads in options.threads:
        target = resolve(options.target, threads)
        host(threads)
    if why := runnable(target):
        raise UsageError(f"--target {options.target}: {why}")
    is_held = held.is_held(target, host())
    entries = [named_shapes()[shape] for shape in shapes]
    digests = {narrowing.load(options.space, workload_of(e, True).op).digest for e in entries}
    tuning = {
        "host": host().cpu,
        "target": options.target,
        "budget_s": budget_s,
        "seed": options.seed,
        "cache_policy": options.cache_policy,
        "space": digests.pop() if options.space else None,
        "codegen": CODEGEN_VERSION,
    }
    if options.skip_tune:
        tuning = {"host": host().cpu, "target": options.target, "cache": options.cache}
    settings = {
        **tuning,
        "rounds": options.rounds,
        "held": is_held,
        "tvm_budget_s": tvm_budget_s if options.tvm_python else None,
        "versions": _versions(),
    }
    rows = str(folder / "rows.json") if options.json is None else options.json
    save(rows, load(rows))
    return Contest(
        shapes=shapes,
        sides=options.sides,
        threads=1,
        caches=options.caches,
        target=options.target,
        budget_s=budget_s,
        is_tuning=not options.skip_tune,
        seed=options.seed,
        space=options.space,
        cache_policy=options.cache_policy,
        rounds=options.rounds,
        cache=_cache(options, folder, tuning),
        json=rows,
        left_out={"onnxruntime": "nothing holds it to AVX2"} if is_held else {},
        settings=settings,
        tvm_python=options.tvm_python,
        tvm_budget_s=tvm_budget_s,
    )


def _cache(options: argparse.Namespace, folder: Path, tuning: dict[str, Any]) -> str:
    """The cache to tune into: empty, or of an earlier run with the same settings."""
    if options.skip_tune and not options.cache:
        raise UsageError("--skip-tune needs --cache FILE with the tuned schedules")
    if options.skip_tune or not options.cache:
        return options.cache or str(folder / "cache.db")
    stamp, said = Path(f"{options.cache}.settings"), json.dumps(tuning)
    if Path(options.cache).exists() and not (stamp.exists() and stamp.read_text() == said):
        raise UsageError(
            f"{options.cache} exists and was not tuned by this benchmark with these settings; "
            f"name another file, or --skip-tune to time what it holds"
        )
    _write("--cache", str(stamp), said)
    return str(options.cache)


def _versions() -> dict[str, str]:
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--shapes",
        default="C2,C6,C9,G1,G3,D3",
        help="names of shapes and suites (resnet18, mobilenet-depthwise, pointwise, gemm), or all",
    )
    parser.add_argument("--sides", type=_listed(SIDES), default=SIDES, help="prepacked,plain")
    parser.add_argument(
        "--threads", type=_thread_counts, default=[1], help="of every contender, such as 1,2"
    )
    parser.add_argument(
        "--caches",
        type=_listed(CACHES),
        default=["warm"],
        help="warm: operands just used; rotating: many sets in turn, so that none is in a cache",
    )
    parser.add_argument("--budget", default="60s", help="tuning time of each shape in each table")
    parser.add_argument("--seed", type=int, default=0, help="of the tuning")
    parser.add_argument(
        "--cache-policy", choices=CACHE_POLICIES, default="warm", help="by which ours is tuned"
    )
    parser.add_argument(
        "--target",
        default="host",
        help="what ours is built for; the libraries are held to AVX2 where it has no more",
    )
    parser.add_argument(
        "--space", help="TOML file for the tuning; scripts/direct.toml switches Winograd off"
    )
    parser.add_argument("--rounds", type=int, default=15, help="interleaved rounds, at least 9")
    parser.add_argument("--json", help="file for all rows; those it has are not made again")
    parser.add_argument(
        "--table", help="file for the tables in Markdown, earlier rows of --json among them"
    )
    parser.add_argument(
        "--picture", help="file for the bars of the same, .svg or .png; needs matplotlib"
    )
    parser.add_argument(
        "--tvm-python",
        help="interpreter with TVM: MetaSchedule takes part, on both sides with plain operands",
    )
    parser.add_argument("--tvm-budget", default="5m", help="its tuning time, each shape once")
    parser.add_argument("--cache", help="keep the tuned schedules here")
    parser.add_argument("--skip-tune", action="store_true", help="time what --cache holds already")
    options = parser.parse_args(arguments)
    if options.rounds < LEAST_ROUNDS:
        parser.error(f"--rounds {options.rounds} is too few; at least {LEAST_ROUNDS} are needed")
    return options


def _listed(allowed: Sequence[str]) -> Any:
    def parse(text: str) -> list[str]:
        named = [name.strip() for name in text.split(",")]
        if unknown := [name for name in named if name not in allowed]:
            raise argparse.ArgumentTypeError(
                f"{', '.join(unknown)} is not allowed; allowed: {', '.join(allowed)}"
            )
        return list(dict.fromkeys(named))

    return parse


def _thread_counts(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed; allowed: such as 1 or 1,2")
    return list(dict.fromkeys(map(int, parts)))


if __name__ == "__main__":
    # So that what was started is ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
