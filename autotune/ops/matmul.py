"""Matrix product: out[m, n] = sum over k of x[m, k] * weight[k, n], row-major."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autotune.ir.contraction import Access, Axis, Contraction, affine
from autotune.ops.base import Key, Sizes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Matmul:
    """`ta` and `tb` say that x is stored as [k, m] and weight as [n, k]."""

    name = "matmul"
    keys: tuple[Key, ...] = (
        Key("m"),
        Key("n"),
        Key("k"),
        Key("ta", (0,), low=0, high=1),
        Key("tb", (0,), low=0, high=1),
    )
    layouts: tuple[str, ...] = ("row",)
    prepack_default = 1
    short_form: tuple[str, ...] = ("m", "n", "k")

    def validate(self, sizes: Sizes, layout: str) -> None:
        """Any sizes make a matrix product."""

    def contraction(self, sizes: Sizes, layout: str, dtype: str) -> Contraction:
        return product(sizes, dtype, batch=None)

    def bias_axes(self, layout: str) -> tuple[int, ...]:
        return (1,)

    def reduction_length(self, sizes: Sizes) -> int:
        return sizes["k"][0]

    def reference(
        self, sizes: Sizes, layout: str, x: NDArray[np.float64], weight: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        left = x.T if sizes["ta"][0] else x
        right = weight.T if sizes["tb"][0] else weight
        product_: NDArray[np.float64] = left @ right
        return product_

    def reference_bytes(self, sizes: Sizes, layout: str) -> int:
        return 8 * sizes["m"][0] * sizes["n"][0]


def product(sizes: Sizes, dtype: str, batch: int | None) -> Contraction:
    """The contraction of a matrix product, with a leading batch axis `b` where asked."""
    m, n, k = (sizes[name][0] for name in ("m", "n", "k"))
    leading = () if batch is None else (Axis("b", batch, "parallel"),)
    axes = (
        *leading,
        Axis("m", m, "parallel"),
        Axis("n", n, "parallel"),
        Axis("k", k, "reduction"),
    )
    extents = {axis.name: axis.extent for axis in axes}

    def access(operand: str, names: tuple[str, str]) -> Access:
        full = (*(axis.name for axis in leading), *names)
        return Access(
            operand,
            tuple(extents[name] for name in full),
            tuple(affine(extents, [(name, 1)]) for name in full),
        )

    return Contraction(
        axes=axes,
        output=access("out", ("m", "n")),
        inputs=(
            access("x", ("k", "m") if sizes["ta"][0] else ("m", "k")),
            access("weight", ("n", "k") if sizes["tb"][0] else ("k", "n")),
        ),
        dtype=dtype,
        accumulate_dtype=dtype,
        output_dtype=dtype,
    )


OPERATOR = Matmul()
