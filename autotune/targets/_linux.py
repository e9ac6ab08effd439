"""What Linux tells of processor and memory: pure functions over the text and folders it shows.

Callers give the text or the root folder, so that every oddity can be tested without the machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_VENDORS = {"AuthenticAMD": "amd", "GenuineIntel": "intel"}
_SIZE = re.compile(r"([0-9]{1,9})([KMG]?)\Z")
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


@dataclass(frozen=True)
class Processor:
    """The first processor of /proc/cpuinfo."""

    cpu: str
    """`vendor-family-model`, vendors other than AMD and Intel as `other`."""
    flags: frozenset[str]


@dataclass(frozen=True)
class Caches:
    """Data cache sizes of one core; the last level counts whole."""

    l1_bytes: int
    l2_bytes: int
    l3_bytes: int


def parse_cpuinfo(text: str) -> Processor | str:
    """The first processor in the text of /proc/cpuinfo, or why there is none to be had."""
    fields: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if not colon:
            if fields:
                break
            continue
        fields.setdefault(name.strip(), value.strip())
    if not fields:
        return "/proc/cpuinfo is missing or empty"
    family, model = fields.get("cpu family", ""), fields.get("model", "")
    for name, value in (("cpu family", family), ("model", model)):
        if not re.fullmatch(r"[0-9]{1,5}", value):
            return f"/proc/cpuinfo has {name}={value[:40]!r}, not a number"
    flags = {"sse3" if flag == "pni" else flag for flag in fields.get("flags", "").split()}
    if not flags:
        return "/proc/cpuinfo lists no flags"
    vendor_id = fields.get("vendor_id", "")
    if not vendor_id:
        return "/proc/cpuinfo names no vendor"
    vendor = _VENDORS.get(vendor_id, "other")
    return Processor(f"{vendor}-{int(family)}-{int(model)}", frozenset(flags))


def read_caches(folder: Path, fallback: Caches) -> Caches:
    """Cache sizes from sysfs (`cpuN/cache`); unreadable or absurd ones fall back."""
    found: dict[int, int] = {}
    for index in sorted(folder.glob("index[0-9]*")):
        kind, level, size = (_text(index / name) for name in ("type", "level", "size"))
        match = _SIZE.match(size)
        if kind in ("Data", "Unified") and level.isdigit() and match:
            size_bytes = int(match[1]) * _UNITS[match[2]]
            found[int(level)] = max(found.get(int(level), 0), size_bytes)
    l1 = _within(found.get(1), 2**12, 2**20, fallback.l1_bytes)
    l2 = _within(found.get(2), max(l1, 2**16), 2**27, max(l1, fallback.l2_bytes))
    l3 = _within(found.get(3), l2, 2**33, max(l2, fallback.l3_bytes))
    return Caches(l1, l2, l3)


def _within(size: int | None, low: int, high: int, fallback: int) -> int:
    return size if size is not None and low <= size <= high else fallback


def cores_of(
    proc: Path = Path("/proc"), cgroups: Path = Path("/sys/fs/cgroup"), affinity: int | None = None
) -> int:
    """Cores this process may keep busy: the least of affinity and cgroup quota, at least 1."""
    if affinity is None:
        affinity = (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    quota = cpu_quota(_text(proc / "self" / "cgroup"), cgroups)
    return max(1, affinity if quota is None else min(affinity, int(quota)))


def cpu_quota(membership: str, root: Path) -> float | None:
    """The tightest CPU quota, in cores, over the process's cgroups and their parents.

    Args:
        membership: text of /proc/self/cgroup.
        root: where the cgroup file systems are mounted.
    """
    quotas = [_quota_v2(folder) for folder in _unified(membership, root)]
    quotas += [_quota_v1(folder) for folder in _controlled(membership, root, "cpu")]
    finite = [quota for quota in quotas if quota > 0]
    return min(finite) if finite else None


def memory_left(proc: Path = Path("/proc"), cgroups: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Bytes that can still be had without swapping: free ones, within every cgroup's limit.

    None where the system does not say. Pages of files that nobody has used lately count as free.
    """
    left: list[int] = []
    available = re.search(r"^MemAvailable: +([0-9]+) kB$", _text(proc / "meminfo"), re.MULTILINE)
    if available:
        left.append(int(available[1]) * 1024)
    membership = _text(proc / "self" / "cgroup")
    for folder in _unified(membership, cgroups):
        left += _below_limit(folder, "memory.max", "memory.current", "inactive_file")
    for folder in _controlled(membership, cgroups, "memory"):
        names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        left += _below_limit(folder, *names)
    return min(left) if left else None


def _below_limit(folder: Path, limit: str, used: str, unused_files: str) -> list[int]:
    """What a cgroup may still take, in a list; an empty one where it has no limit."""
    allowed, taken = _text(folder / limit), _text(folder / used)
    if not (allowed.isdigit() and taken.isdigit()):
        return []
    stat = _text(folder / "memory.stat")
    idle = re.search(rf"^{unused_files} ([0-9]+)$", stat, re.MULTILINE)
    return [max(0, int(allowed) - int(taken) + (int(idle[1]) if idle else 0))]


def _unified(membership: str, root: Path) -> Iterator[Path]:
    """Folders of the process's cgroup of version 2 and of its parents."""
    for line in membership.splitlines():
        hierarchy, controllers, path = _membership(line)
        if hierarchy == "0" and not controllers:
            for mount in (root, root / "unified"):
                yield from _upwards(mount, path)


def _controlled(membership: str, root: Path, controller: str) -> Iterator[Path]:
    """Folders of the process's cgroup of version 1 that has this controller, and of its parents."""
    for line in membership.splitlines():
        _, controllers, path = _membership(line)
        if controller in controllers.split(","):
            for mount in (root / controllers, root / controller):
                yield from _upwards(mount, path)


def _membership(line: str) -> tuple[str, str, str]:
    hierarchy, _, rest = line.partition(":")
    controllers, _, path = rest.partition(":")
    return hierarchy, controllers, path


def _upwards(mount: Path, path: str) -> list[Path]:
    """The cgroup's folder and all its parents up to the mount.

    In a container the path may be the host's and missing here; the mount is then our own group.
    """
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    return [mount.joinpath(*parts[:depth]) for depth in range(len(parts), -1, -1)]


def _quota_v2(folder: Path) -> float:
    quota, _, period = _text(folder / "cpu.max").partition(" ")
    return _cores(quota, period)


def _quota_v1(folder: Path) -> float:
    return _cores(_text(folder / "cpu.cfs_quota_us"), _text(folder / "cpu.cfs_period_us"))


def _cores(quota: str, period: str) -> float:
    """Cores, or 0 where there is no limit (`max`, -1) or no sense in the text."""
    if not (quota.isdigit() and period.isdigit() and int(period) > 0):
        return 0.0
    return int(quota) / int(period)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
