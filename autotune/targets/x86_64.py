"""Any x86-64 processor: SSE2, no FMA."""

from autotune.targets.base import Target

TARGET = Target(
    cpu="x86-64",
    features=(),
    vector_bytes=16,
    vector_registers=16,
    l1_bytes=32 * 1024,
    l2_bytes=256 * 1024,
    l3_bytes=4 * 1024 * 1024,
    cores=1,
)
