"""What schedules, features and keys need to know of a machine. Pure data, standard library only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Target:
    """A CPU as a compiler sees it.

    `features` are the instruction-set extensions that code may use, in Linux's /proc/cpuinfo
    spelling, sorted. LLVM's names for them are derived in the back end only.
    """

    cpu: str
    """Vendor, family and model (`amd-25-17`), or an architecture level (`x86-64-v3`)."""
    features: tuple[str, ...]
    vector_bytes: int
    vector_registers: int
    l1_bytes: int
    l2_bytes: int
    l3_bytes: int
    cores: int
    """Cores this process may use: the least of affinity and cgroup quota; 1 for a named level."""
    threads: int = 1
    """Threads a kernel is scheduled for."""

    @property
    def key(self) -> str:
        """The canonical key: `cpu/features/threads`."""
        return f"{self.cpu}/{'+'.join(self.features) or 'baseline'}/t{self.threads}"

    @property
    def has_fma(self) -> bool:
        return "fma" in self.features or "avx512f" in self.features

    def with_threads(self, threads: int) -> Target:
        return replace(self, threads=threads)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data, the key included."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {"key": self.key, **fields, "features": list(self.features)}
