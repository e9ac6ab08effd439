"""What Linux tells of the processor: pure functions over the text and folders it shows.

Callers give the text or the root folder, so that every oddity can be tested without the machine.
"""

from __future__ import annotations

import os
import re
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
    quotas: list[float] = []
    for line in membership.splitlines():
        hierarchy, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if hierarchy == "0" and not controllers:
            for mount in (root, root / "unified"):
                quotas += [_quota_v2(folder) for folder in _upwards(mount, path)]
        elif "cpu" in controllers.split(","):
            for mount in (root / controllers, root / "cpu"):
                quotas += [_quota_v1(folder) for folder in _upwards(mount, path)]
    finite = [quota for quota in quotas if quota > 0]
    return min(finite) if finite else None


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
