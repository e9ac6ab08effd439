from __future__ import annotations

import re

import pytest

from autotune.errors import ScheduleError
from autotune.ir.contraction import Access, Affine, Axis, Contraction, affine, fuse
from autotune.ops.base import contraction, parse_workload


def made(op, shape, layout=None):
    return contraction(parse_workload(op, shape, "float32", layout))


MATMUL = made("matmul", "m=6,n=8,k=5,bias=1,residual=1")
CONV = made("conv2d", "n=2,c=3,h=5,w=7,k=4,r=3,pad=1x2x0x1,bias=1")


def elements(access, extents):
    """Storage offset and whether it is inside, for every point of the access's axes."""
    points = [{}]
    for axis in access.axes:
        points = [{**point, axis: value} for point in points for value in range(extents[axis])]
    for point in points:
        index = [a.offset + sum(c * point[n] for n, c in a.terms) for a in access.index]
        is_inside = all(0 <= i < size for i, size in zip(index, access.shape, strict=True))
        yield sum(i * s for i, s in zip(index, access.strides, strict=True)), is_inside


def test_access_moves_by_its_strides():
    x = CONV.access("x")
    assert x.strides == (105, 35, 7, 1)
    assert (x.coefficient("ic"), x.coefficient("oh"), x.coefficient("kw")) == (35, 7, 1)
    assert x.coefficient("oc") == 0
    assert x.offset == -7 - 2
    assert set(x.axes) == {"n", "ic", "oh", "kh", "ow", "kw"}


def test_access_counts_an_axis_that_two_dimensions_share():
    diagonal = Access("x", (4, 4), (Affine((("i", 1),)), Affine((("i", 1), ("j", 2)))))
    assert diagonal.coefficient("i") == 5
    assert diagonal.axes == ("i", "j")


def test_affine_leaves_out_single_iterations_and_zeros():
    assert affine({"a": 1, "b": 3, "c": 4}, [("a", 5), ("b", 2), ("c", 0)], -1) == Affine(
        (("b", 2),), -1
    )


def test_operands_come_in_order_with_the_output_last():
    assert [a.operand for a in MATMUL.operands] == ["x", "weight", "bias", "residual", "out"]
    assert [a.operand for a in CONV.operands] == ["x", "weight", "bias", "out"]


def test_unknown_operand_is_refused_with_those_that_exist():
    with pytest.raises(ScheduleError, match="no operand 'y'; this contraction has x, weight"):
        MATMUL.access("y")


def test_axes_of_one_iteration_are_neither_parallel_nor_reduction():
    single = made("matmul", "m=1,n=1,k=1")
    assert (single.parallel, single.reduction, single.multiply_adds) == ((), (), 1)
    assert [a.name for a in made("conv2d", "c=3,h=5,k=4,r=1").parallel] == ["oc", "oh", "ow"]


@pytest.mark.parametrize(
    ("shape", "is_padded"),
    [
        ("c=1,h=5,k=1,r=3", False),
        ("c=1,h=5,k=1,r=3,pad=1", True),
        ("c=1,h=5,k=1,r=3,pad=0x0x0x1", True),
        ("c=1,h=5,k=1,r=3,pad=0x0x1x0", True),
        # The last column of padding is never read with this stride.
        ("c=1,h=6,k=1,r=3,stride=2,pad=0x0x1x1", True),
        ("c=1,h=5,k=1,r=3,stride=2,pad=0x0x1x1", False),
        ("c=1,h=5,k=1,r=1,pad=1,stride=7", True),
    ],
)
def test_padding_is_seen_where_some_iteration_leaves_the_storage(shape, is_padded):
    conv = made("conv2d", shape)
    x = conv.access("x")
    assert conv.is_padded(x) == is_padded
    assert is_padded == any(not inside for _, inside in elements(x, conv.extents))


# --- fusing ------------------------------------------------------------------------------------

BATCH = made("batch_matmul", "b=2,m=3,n=4,k=5,residual=1")
POINTWISE = made("conv2d", "n=2,c=3,h=4,w=5,k=6,r=1,residual=1")
LEGAL = {
    "batch and rows of a pointwise convolution": (POINTWISE, ("oh", "ow")),
    "two axes of one iteration": (made("conv2d", "c=2,h=3,k=2,r=1"), ("n", "g")),
    "one live axis": (made("conv2d", "c=2,h=3,k=2,r=1"), ("g", "oc")),
    "rows of a matmul with one column": (made("matmul", "m=6,n=1,k=5"), ("m", "n")),
    "kernel axes": (made("conv2d", "c=2,h=3,w=4,k=2,r=3,s=4"), ("kh", "kw")),
    "reduction of a kernel as wide as the image": (
        made("conv2d", "c=2,h=3,k=2,r=3"),
        ("ic", "kh", "kw"),
    ),
    "rows of a depthwise convolution": (made("conv2d", "c=4,h=3,k=4,r=1,groups=4"), ("oh", "ow")),
}


@pytest.mark.parametrize("case", LEGAL)
def test_fused_contraction_reads_and_writes_the_same_elements_in_the_same_order(case):
    whole, axes = LEGAL[case]
    fused = fuse(whole, axes)
    name = ".".join(axes)
    assert name in fused.by_name
    assert not set(axes) & set(fused.by_name)
    assert fused.multiply_adds == whole.multiply_adds
    assert fused.by_name[name].kind == whole.by_name[axes[0]].kind
    for before, after in zip(whole.operands, fused.operands, strict=True):
        # Row by row: the fused axis, if read, runs over the old ones with the last one fastest.
        order = [a for a in axes if a in before.axes]
        assert sorted(elements(before, whole.extents)) == sorted(elements(after, fused.extents))
        if not order:
            continue
        alone = [
            list(elements(_only(access, names), made_.extents))
            for access, made_, names in (
                (before, whole, order),
                (after, fused, [name]),
            )
        ]
        assert alone[0] == alone[1]


def _only(access, names):
    """The access with only these axes, in this order of nesting."""
    index = tuple(
        Affine(tuple((n, c) for n in names for a, c in dim.terms if a == n), 0)
        for dim in access.index
    )
    return Access(access.operand, access.shape, index)


def test_fused_axis_takes_the_place_of_the_first():
    fused = fuse(POINTWISE, ("oh", "ow"))
    assert [a.name for a in fused.axes] == ["n", "g", "oc", "oh.ow", "ic", "kh", "kw"]
    assert fused.by_name["oh.ow"] == Axis("oh.ow", 20, "parallel")
    assert fused.residual is not None
    assert fused.residual.shape == (2, 6, 20)


REFUSED = {
    "unknown axis": (MATMUL, ("m", "q"), "cannot fuse unknown axis 'q'; axes: m, n, k"),
    "one axis": (MATMUL, ("m",), "two or more distinct axes of one kind are needed"),
    "none": (MATMUL, (), "two or more distinct axes"),
    "an axis twice": (MATMUL, ("m", "m"), "two or more distinct axes"),
    "two kinds": (MATMUL, ("n", "k"), "two or more distinct axes of one kind"),
    "an axis one operand lacks": (MATMUL, ("m", "n"), "x has no plain dimension n"),
    "an axis with a window": (CONV, ("oh", "ow"), "x has no plain dimension oh"),
    "an axis with a step": (
        made("conv2d", "c=2,h=9,k=2,r=1,stride=2"),
        ("oh", "ow"),
        "x has no plain dimension oh",
    ),
    "a shared dimension": (
        made("conv2d", "c=4,h=3,k=4,r=1,groups=2"),
        ("g", "oc"),
        "out has no plain dimension g",
    ),
    "axes apart": (
        made("conv2d", "n=2,c=3,h=4,k=6,r=1"),
        ("n", "oh"),
        "not neighbouring dimensions of out",
    ),
    "axes that an operand has in part": (
        made("conv2d", "c=4,h=3,k=4,r=1,groups=4"),
        ("g", "oh", "ow"),
        "weight has no plain dimension oh",
    ),
    "neighbours in the wrong order": (BATCH, ("m", "b"), "not neighbouring dimensions of out"),
    "a dimension not covered": (
        made("conv2d", "n=2,c=3,h=4,w=5,k=6,r=1,pad=0x0x2x0,stride=1"),
        ("oh", "ow"),
        "oh skips part of x",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_fusing_is_refused(case):
    whole, axes, message = REFUSED[case]
    with pytest.raises(ScheduleError, match=re.escape(message)):
        fuse(whole, axes)


def test_fusing_leaves_operands_without_the_axes_alone():
    fused = fuse(POINTWISE, ("oh", "ow"))
    assert fused.access("weight") == POINTWISE.access("weight")


def test_contraction_of_plain_values_is_hashable_and_equal():
    axis = Axis("m", 4, "parallel")
    out = Access("out", (4,), (Affine((("m", 1),)),))
    first = Contraction((axis,), out, (out,), "float32", "float32", "float32")
    second = Contraction((axis,), out, (out,), "float32", "float32", "float32")
    assert first == second
    assert hash(first) == hash(second)
