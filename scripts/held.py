"""The environment in which the libraries run the instructions that our target has, and no others.

They read it once, when they are loaded, so it is made for a process to come.
"""

from __future__ import annotations

from collections.abc import Mapping

from autotune.errors import UsageError
from autotune.targets.base import Target

AVX2 = {
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "ATEN_CPU_CAPABILITY": "avx2",
    "OPENBLAS_CORETYPE": "Haswell",
}
"""What holds oneDNN, MKL, PyTorch's own kernels and NumPy's OpenBLAS to AVX2."""
_TUNED_FOR_ANOTHER = (*AVX2, "DNNL_MAX_CPU_ISA", "OPENBLAS_L2_SIZE")


def is_held(target: Target, host: Target) -> bool:
    """Whether the libraries would use wider vectors than the target has.

    Raises:
        UsageError: the target has less than the libraries can be held to.
    """
    if "avx2" not in target.features and "avx2" in host.features:
        raise UsageError(
            f"target {target.cpu} has no AVX2, and nothing holds the libraries to less; allowed: "
            f"host, x86-64-v3, x86-64-v4"
        )
    return "avx512f" in host.features and "avx512f" not in target.features


def environment(given: Mapping[str, str], must_hold: bool) -> dict[str, str]:
    """The environment given, without what makes a library run as on another processor.

    Args:
        given: usually this process's own.
        must_hold: to AVX2.
    """
    kept = {name: text for name, text in given.items() if name not in _TUNED_FOR_ANOTHER}
    return {**kept, **AVX2} if must_hold else kept
