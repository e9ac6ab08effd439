"""Small kernels whose nests and IR are kept as text: one for each feature of the language."""

from __future__ import annotations

from dataclasses import dataclass

from autotune.ir.contraction import Contraction
from autotune.ir.schedule import Group, Loop, Nest, Schedule, Stage
from autotune.ops.base import contraction, parse_workload
from autotune.space.winograd_nests import build
from autotune.targets.detect import resolve
from autotune.trial import Workload

TARGET = "x86-64-v3"
"""What they are written for: 8 lanes of float32, 16 registers."""


@dataclass(frozen=True)
class Kernel:
    """A workload with a schedule of it."""

    workload: Workload
    schedule: Schedule

    @property
    def contraction(self) -> Contraction:
        return contraction(self.workload)


def _kernel(op: str, shape: str, *parts: Nest | Group, dtype: str = "float32", **rest) -> Kernel:
    return Kernel(parse_workload(op, shape, dtype), Schedule(parts, **rest))


_TURNED = (Loop("m", 8), Loop("n", 4))
_GROUP = Group(
    (Loop("m", 2),),
    (
        Nest((Loop("part", 1),), "n", 8, (("k", 1),)),
        Nest((Loop("m", 1),), "n", 8, (("part", 2),)),
    ),
)


def _winograd(shape: str) -> Kernel:
    """F(2x2, 3x3) at its plainest: six nests, constant matrices, lanes, clipped rows."""
    workload = parse_workload("conv2d", shape)
    value = {
        "outputs": 2, "rows": 1, "filters": 0, "channels": 0, "tile_rows": 1, "tile_columns": 3,
        "vectors": 1, "unroll": 1, "prefetch": 0,
    }  # fmt: skip
    return Kernel(workload, build(contraction(workload), resolve(TARGET), value, 8))


KERNELS: dict[str, Kernel] = {
    "direct": _kernel(
        "matmul", "4x16x5,prepack=0", Nest((Loop("m", 2), Loop("n", 8)), "n", 8, (("k", 2),))
    ),
    "transpose": _kernel(
        "matmul", "16x8x3,ta=1", Nest(_TURNED, "m", 8, (("k", 1),), store="transpose")
    ),
    "scatter": _kernel("matmul", "8x2x3,ta=1", Nest((), "m", 8, (("k", 1),), store="scatter")),
    "staged_output": _kernel(
        "matmul",
        "16x4x6,ta=1",
        Nest(
            (Stage("out", "axes"), Loop("k", 3), Loop("m", 8)),
            "m",
            8,
            (("k", 1),),
            store="transpose",
        ),
    ),
    "split_reduction": _kernel(
        "matmul", "2x8x7", Nest((Loop("k", 4), Loop("m", 1)), "n", 8, (("k", 1),))
    ),
    "padded": _kernel(
        "conv2d",
        "c=1,h=4,w=8,k=2,r=3,pad=1",
        Nest(
            (Loop("oc", 1), Stage("x", "dims", align=8), Loop("oh", 1)),
            "ow",
            8,
            (("kh", 1), ("kw", 3)),
        ),
    ),
    "phases": _kernel(
        "conv2d",
        "c=1,h=3,w=19,k=1,r=1,s=3,stride=2x2",
        Nest((Stage("x", "dims", phases=True), Loop("oh", 1)), "ow", 8, (("kw", 3),)),
    ),
    "once_and_prefetch": _kernel(
        "matmul",
        "2x16x4,tb=1",
        Nest(
            (Stage("weight", "axes", once=True), Loop("n", 8)),
            "n",
            8,
            (("k", 1),),
            prefetch=(("weight", 512),),
        ),
    ),
    "fused_tail": _kernel(
        "matmul", "3x8x2,bias=1,residual=1,act=relu6", Nest((Loop("m", 1),), "n", 8, (("k", 2),))
    ),
    "tasks": _kernel(
        "matmul", "5x16x2", Nest((Loop("m", 2), Loop("n", 8)), "n", 8, (("k", 2),)), parallel=2
    ),
    "masked_tail": _kernel("matmul", "1x13x2", Nest((Loop("n", 8),), "n", 8, (("k", 2),))),
    "float64": _kernel("matmul", "2x4x3", Nest((), "n", 4, (("k", 1),)), dtype="float64"),
    "fused_axes": _kernel(
        "conv2d",
        "c=2,h=4,w=4,k=1,r=1",
        Nest((Loop("oh.ow", 8),), "oh.ow", 8, (("ic", 2),), fuse=(("oh", "ow"),)),
    ),
    "two_nests": _kernel("matmul", "4x8x4", _GROUP, algorithm="partial2", parallel=1),
    "winograd": _winograd("c=8,h=6,k=8,r=3,pad=1"),
}
