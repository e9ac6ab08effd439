"""Processors with AVX2 and FMA: Intel since Haswell (2013), AMD since Excavator and Zen."""

from autotune.targets.base import Target

TARGET = Target(
    cpu="x86-64-v3",
    features=(
        "avx",
        "avx2",
        "bmi1",
        "bmi2",
        "f16c",
        "fma",
        "sse3",
        "sse4_1",
        "sse4_2",
        "ssse3",
    ),
    vector_bytes=32,
    vector_registers=16,
    l1_bytes=32 * 1024,
    l2_bytes=512 * 1024,
    l3_bytes=8 * 1024 * 1024,
    cores=1,
)
