"""Processors with AVX-512: Intel servers since Skylake-SP (2017), AMD since Zen 4."""

from autotune.targets.base import Target

TARGET = Target(
    cpu="x86-64-v4",
    features=(
        "avx",
        "avx2",
        "avx512bw",
        "avx512cd",
        "avx512dq",
        "avx512f",
        "avx512vl",
        "bmi1",
        "bmi2",
        "f16c",
        "fma",
        "sse3",
        "sse4_1",
        "sse4_2",
        "ssse3",
    ),
    vector_bytes=64,
    vector_registers=32,
    l1_bytes=32 * 1024,
    l2_bytes=1024 * 1024,
    l3_bytes=16 * 1024 * 1024,
    cores=1,
)
