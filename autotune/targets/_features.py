"""The instruction-set extensions that code generation can use, and what follows from them.

Names are /proc/cpuinfo's, except `sse3`, which Linux calls `pni`. The back end alone knows LLVM's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

REQUIRES: Mapping[str, tuple[str, ...]] = {
    "sse3": (),
    "ssse3": ("sse3",),
    "sse4_1": ("ssse3",),
    "sse4_2": ("sse4_1",),
    "avx": ("sse4_2",),
    "avx2": ("avx",),
    "fma": ("avx",),
    "f16c": ("avx",),
    "bmi1": (),
    "bmi2": (),
    "avx512f": ("avx2", "fma", "f16c"),
    "avx512bw": ("avx512f",),
    "avx512cd": ("avx512f",),
    "avx512dq": ("avx512f",),
    "avx512vl": ("avx512f",),
    "avx512_vnni": ("avx512f",),
    "avx512_bf16": ("avx512bw",),
    "avx512_fp16": ("avx512bw", "avx512dq", "avx512vl"),
    "amx_tile": (),
    "amx_bf16": ("amx_tile",),
    "amx_int8": ("amx_tile",),
}
"""Each feature with those it cannot be without. Source: LLVM's X86.td, where each implies them."""

FEATURES = tuple(REQUIRES)

_WIDE = ("avx512f", "avx512bw", "avx512dq", "avx512vl")
"""All four, or 512-bit code would fall back to narrower instructions for masks and tails."""


def normalise(flags: Collection[str]) -> tuple[str, ...]:
    """The usable features among `flags`, sorted; one whose requirements are missing is dropped.

    A hypervisor may hide AVX and still show AVX2; code for the latter would use the former.
    """
    usable: set[str] = set()
    for feature, needed in REQUIRES.items():
        if feature in flags and usable.issuperset(needed):
            usable.add(feature)
    return tuple(sorted(usable))


def vector_bytes_of(features: Collection[str]) -> int:
    """Bytes of the widest vector that is worth using."""
    if all(feature in features for feature in _WIDE):
        return 64
    return 32 if "avx" in features else 16


def registers_of(features: Collection[str]) -> int:
    """Vector registers that code of that width can name."""
    return 32 if vector_bytes_of(features) == 64 else 16
