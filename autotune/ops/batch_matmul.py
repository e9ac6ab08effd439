"""Batched matrix product: out[b, m, n] = sum over k of x[b, m, k] * weight[b, k, n]."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autotune.ir.contraction import Contraction
from autotune.ops.base import Key, Sizes
from autotune.ops.matmul import Matmul, product

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class BatchMatmul(Matmul):
    """A matmul for each b; both operands usually change with every call, so prepack is 0."""

    name = "batch_matmul"
    keys = (Key("b"), *Matmul.keys)
    prepack_default = 0
    short_form = ("b", "m", "n", "k")

    def contraction(self, sizes: Sizes, layout: str, dtype: str) -> Contraction:
        return product(sizes, dtype, batch=sizes["b"][0])

    def bias_axes(self, layout: str) -> tuple[int, ...]:
        return (2,)

    def reference(
        self, sizes: Sizes, layout: str, x: NDArray[np.float64], weight: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        left = x.swapaxes(1, 2) if sizes["ta"][0] else x
        right = weight.swapaxes(1, 2) if sizes["tb"][0] else weight
        product_: NDArray[np.float64] = left @ right
        return product_

    def reference_bytes(self, sizes: Sizes, layout: str) -> int:
        return sizes["b"][0] * super().reference_bytes(sizes, layout)


OPERATOR = BatchMatmul()
