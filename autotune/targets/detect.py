"""Which machine code is made for: the host as Linux describes it, or one that was named.

`host` reads /proc/cpuinfo, sysfs and cgroups, never LLVM; whatever is missing or odd ends at the
x86-64 baseline with one notice. `resolve` turns the text of `--target` into a Target or refuses it.
"""

from __future__ import annotations

import os
import re
import warnings
from functools import cache
from pathlib import Path

from autotune.errors import UsageError
from autotune.registry import TARGETS
from autotune.targets._features import FEATURES, normalise, registers_of, vector_bytes_of
from autotune.targets._linux import Caches, Processor, cores_of, parse_cpuinfo, read_caches
from autotune.targets._read import read_target_file
from autotune.targets.base import Target

MAX_THREADS = 1024
CONSERVATIVE = Caches(l1_bytes=32 * 1024, l2_bytes=256 * 1024, l3_bytes=4 * 1024 * 1024)
"""Caches assumed where nothing is known: no x86-64 server or desktop core since 2008 has less."""

_KEY = re.compile(
    r"(?P<cpu>[a-z0-9-]{1,40})/(?P<features>[a-z0-9_+]{1,400})/t(?P<threads>[0-9]{1,5})\Z"
)
_FOREIGN_CPU = re.compile(r"(amd|intel|other)-[0-9]{1,5}-[0-9]{1,5}\Z")


def host(threads: int = 1) -> Target:
    """This machine, as far as this process may use it, for kernels of `threads` threads.

    Raises:
        UsageError: more threads than usable cores.
    """
    target, notice = _detected()
    if notice:
        _tell(notice)
    if not 1 <= threads <= target.cores:
        raise UsageError(_too_many(threads, target.cores))
    return target.with_threads(threads)


def host_from(
    cpuinfo: str | None, caches: Caches, cores: int, machine: str = "x86_64"
) -> tuple[Target, str | None]:
    """The target that these readings describe, and a notice where they are not enough.

    Args:
        cpuinfo: text of /proc/cpuinfo, or None where there is no such file.
        caches: of one core.
        cores: usable ones.
        machine: the kernel's name of the architecture.
    """
    if machine.lower() not in ("x86_64", "amd64"):
        return _baseline(caches, cores), f"the processor is {machine}, not x86-64"
    processor = parse_cpuinfo(cpuinfo or "")
    if isinstance(processor, str):
        return _baseline(caches, cores), processor
    return _target_of(processor, caches, cores), None


def resolve(text: str, threads: int = 1) -> Target:
    """The target that `--target text --threads threads` names.

    A printed key keeps its own thread count where `threads` is 1.

    Raises:
        UsageError: not `host`, a level, a key, or a file with one target.
    """
    if not 1 <= threads <= MAX_THREADS:
        raise UsageError(f"threads={threads} is not allowed; allowed: 1 to {MAX_THREADS}")
    if text == "host":
        return host(threads)
    if text in TARGETS.names():
        named: Target = TARGETS.get(text)
        return named.with_threads(threads)
    match = _KEY.match(text)
    if match:
        return _from_key(text, match, threads)
    if _is_file(text):
        read = read_target_file(text)
        return read.with_threads(_agreed(text, read.threads, threads))
    raise _unknown(text)


def features_of(key: str) -> tuple[tuple[str, ...], int] | None:
    """The features and threads that a target key names, or None where it is no key."""
    match = _KEY.match(key)
    if match is None:
        return None
    named = match["features"]
    return () if named == "baseline" else tuple(named.split("+")), int(match["threads"])


def runnable(target: Target) -> str | None:
    """Why kernels for `target` are not run on this host, as one line; None: they are.

    They need its features, and a core for each of their threads.
    """
    found, notice = _detected()
    if notice and _machine().lower() not in ("x86_64", "amd64"):
        return f"{notice}; code for {target.cpu} cannot run here"
    missing = [feature for feature in target.features if feature not in found.features]
    if missing:
        return f"this host ({found.cpu}) lacks {', '.join(missing)}, which {target.cpu} code uses"
    return None if target.threads <= found.cores else _too_many(target.threads, found.cores)


def _too_many(threads: int, cores: int) -> str:
    return (
        f"threads={threads} is not allowed on this host; allowed: 1 to {cores} "
        f"(the cores that affinity and cgroup quota leave)"
    )


def _from_key(text: str, match: re.Match[str], threads: int) -> Target:
    cpu = match["cpu"]
    features, own = features_of(text) or ((), 0)
    if not 1 <= own <= MAX_THREADS:
        raise UsageError(f"target {text!r} has t{own}; allowed: t1 to t{MAX_THREADS}")
    agreed = _agreed(text, own, threads)
    known = [_detected()[0], *(TARGETS.get(name) for name in TARGETS.names())]
    for target in known:
        if target.cpu == cpu and target.features == features:
            is_host = target is known[0] and cpu not in TARGETS.names()
            return host(agreed) if is_host else target.with_threads(agreed)
    if not _FOREIGN_CPU.match(cpu):
        raise _unknown(text)
    unknown = [feature for feature in features if feature not in FEATURES]
    if unknown:
        raise UsageError(
            f"target {text!r} has unknown feature {unknown[0]!r}; allowed: {', '.join(FEATURES)}"
        )
    if features != normalise(features):
        raise UsageError(
            f"target {text!r} has features that are not sorted or lack one they need; "
            f"allowed: {'+'.join(normalise(features)) or 'baseline'}"
        )
    return _build(cpu, features, CONSERVATIVE, cores=1).with_threads(agreed)


def _agreed(text: str, own: int, threads: int) -> int:
    if threads not in (1, own) and own != 1:
        raise UsageError(f"threads={threads} contradicts target {text!r}; allowed: {own}")
    return max(own, threads)


def _unknown(text: str) -> UsageError:
    shown = repr(text if len(text) <= 80 else text[:77] + "...")
    levels = ", ".join(TARGETS.names())
    return UsageError(
        f"target {shown} is not known; allowed: host, {levels}, a target key as printed by "
        f"`autotune list targets`, or a JSON file with one target"
    )


def _is_file(text: str) -> bool:
    try:
        return os.path.exists(text)
    except ValueError:  # a NUL character in the text
        return False


def _build(cpu: str, features: tuple[str, ...], caches: Caches, cores: int) -> Target:
    return Target(
        cpu=cpu,
        features=features,
        vector_bytes=vector_bytes_of(features),
        vector_registers=registers_of(features),
        l1_bytes=caches.l1_bytes,
        l2_bytes=caches.l2_bytes,
        l3_bytes=caches.l3_bytes,
        cores=cores,
    )


def _target_of(processor: Processor, caches: Caches, cores: int) -> Target:
    return _build(processor.cpu, normalise(processor.flags), caches, cores)


def _baseline(caches: Caches, cores: int) -> Target:
    return _build("x86-64", (), caches, cores)


@cache
def _detected() -> tuple[Target, str | None]:
    try:
        # The first processor's entry is enough; a large machine's whole file takes milliseconds.
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            text: str | None = file.read(16384)
    except OSError:
        text = None
    caches = read_caches(Path("/sys/devices/system/cpu/cpu0/cache"), CONSERVATIVE)
    return host_from(text, caches, cores_of(), _machine())


def _machine() -> str:
    return os.uname().machine if hasattr(os, "uname") else "x86_64"


@cache
def _tell(notice: str) -> None:
    warnings.warn(
        f"{notice}; code is made for the x86-64 baseline, which runs everywhere but slowly",
        UserWarning,
        stacklevel=3,
    )
