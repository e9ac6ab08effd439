from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import prod

import numpy as np
import pytest
from numpy.typing import NDArray

from autotune.errors import UsageError
from autotune.ir.contraction import ACTIVATIONS, Access, Contraction
from autotune.ops.base import (
    MAX_ELEMENTS,
    Operator,
    command,
    contraction,
    flop,
    parse_workload,
    reduction_length,
    sizes_of,
)
from autotune.registry import OPERATORS
from autotune.trial import Workload

Array = NDArray[np.float64]

TINY_CONV = [
    "c=1,h=1,k=1,r=1",
    "n=2,c=3,h=5,w=4,k=2,r=3,s=2",
    "c=2,h=5,k=3,r=3,pad=1",
    "c=2,h=4,w=5,k=3,r=2,s=3,pad=0x1x2x1",
    "c=2,h=7,w=6,k=2,r=3,stride=2x1,pad=1x0",
    "c=1,h=7,k=2,r=3,dilation=2x3,pad=3",
    "c=2,h=8,w=9,k=2,r=2,s=3,stride=3x2,dilation=2,pad=1x2x0x1",
    "c=4,h=4,k=6,r=3,groups=2,pad=1",
    "c=4,h=4,k=4,r=3,groups=4,pad=1",
    "c=3,h=4,k=6,r=2,groups=3",
    "c=2,h=1,w=3,k=2,r=1,s=3",
    "c=1,h=2,k=1,r=5,pad=2",
]
TINY_BLOCKED = [
    "c=16,h=3,k=16,r=2,pad=1",
    "n=2,c=32,h=3,w=2,k=48,r=1",
    "c=32,h=3,k=32,r=3,pad=1x0x0x1,groups=2",
    "c=64,h=2,k=32,r=1,groups=2",
    "c=16,h=4,k=16,r=3,groups=16,stride=2,pad=1",
    "c=48,h=3,k=48,r=2,groups=48",
    "c=32,h=2,k=32,r=1,groups=8",
    "c=16,h=2,k=16,r=1,groups=4",
    "c=32,h=2,k=32,r=2,groups=4,dilation=1",
    "c=16,h=2,k=64,r=1,groups=2",
    "c=64,h=2,k=16,r=1,groups=4",
    "c=16,h=1,k=256,r=1,groups=16",
]
TINY_MATMUL = [
    *("m=1,n=1,k=1", "m=3,n=4,k=5", "m=3,n=4,k=5,ta=1", "m=3,n=4,k=5,tb=1"),
    *("m=2,n=5,k=3,ta=1,tb=1", "m=1,n=7,k=2", "m=7,n=1,k=3,tb=1"),
]
TINY: list[tuple[str, str, str]] = [
    *(("conv2d", shape, "NCHW") for shape in TINY_CONV),
    *(("conv2d", shape, "NHWC") for shape in TINY_CONV),
    *(("conv2d", shape, "NCHW16c") for shape in TINY_BLOCKED),
    *(("matmul", shape, "row") for shape in TINY_MATMUL),
    *(("batch_matmul", f"b=2,{shape}", "row") for shape in TINY_MATMUL),
]


def arrays(made: Contraction, seed: int = 3) -> dict[str, Array]:
    """Small whole numbers, so that every sum is exact."""
    rng = np.random.default_rng(seed)
    return {a.operand: rng.integers(-4, 5, a.shape).astype(np.float64) for a in made.inputs}


def element(access: Access, array: Array, place: dict[str, int]) -> float:
    """What an access reads at a point of the iteration space; zero outside the storage."""
    index = []
    for size, affine in zip(access.shape, access.index, strict=True):
        at = sum(c * place[axis] for axis, c in affine.terms) + affine.offset
        if not 0 <= at < size:
            return 0.0
        index.append(at)
    return float(array[tuple(index)])


def evaluated(made: Contraction, inputs: dict[str, Array]) -> tuple[Array, int]:
    """The contraction's own loops, in Python; and how many multiply-adds they made."""
    out = np.zeros(made.output.shape)
    count = 0
    for values in itertools.product(*(range(axis.extent) for axis in made.axes)):
        place = dict(zip((axis.name for axis in made.axes), values, strict=True))
        target = tuple(
            sum(c * place[axis] for axis, c in affine.terms) + affine.offset
            for affine in made.output.index
        )
        out[target] += prod(element(a, inputs[a.operand], place) for a in made.inputs)
        count += 1
    return out, count


def places(*extents: int) -> Iterator[tuple[int, ...]]:
    return itertools.product(*map(range, extents))


def convolved(workload: Workload, x: Array, weight: Array) -> Array:
    """The textbook convolution, written without the package's contraction."""
    s = {
        name: values if len(values) > 1 else values[0]
        for name, values in sizes_of(workload).items()
    }
    if workload.layout == "NHWC":
        x, weight = x.transpose(0, 3, 1, 2), weight.transpose(3, 2, 0, 1)
    if workload.layout == "NCHW16c":
        x = np.concatenate(list(x.transpose(1, 0, 4, 2, 3)), axis=1)
    (sh, sw), (dh, dw), (top, left, bottom, right) = s["stride"], s["dilation"], s["pad"]
    per_in, per_out = s["c"] // s["groups"], s["k"] // s["groups"]
    padded = np.zeros((s["n"], s["c"], s["h"] + top + bottom, s["w"] + left + right))
    padded[:, :, top : top + s["h"], left : left + s["w"]] = x
    out_h = len(range(0, padded.shape[2] - (s["r"] - 1) * dh, sh))
    out_w = len(range(0, padded.shape[3] - (s["s"] - 1) * dw, sw))
    out = np.zeros((s["n"], s["k"], out_h, out_w))
    for n, k, y, z in places(*out.shape):
        for c, i, j in places(per_in, s["r"], s["s"]):
            channel = (k // per_out) * per_in + c
            value = padded[n, channel, y * sh + i * dh, z * sw + j * dw]
            out[n, k, y, z] += value * weight[k, c, i, j]
    if workload.layout == "NHWC":
        return out.transpose(0, 2, 3, 1)
    if workload.layout == "NCHW16c":
        return np.stack(np.split(out, s["k"] // 16, axis=1), axis=1).transpose(0, 1, 3, 4, 2)
    return out


def multiplied(workload: Workload, x: Array, weight: Array) -> Array:
    s = {name: values[0] for name, values in sizes_of(workload).items()}
    batch = s.get("b", 1)
    left, right = (a.reshape(batch, *a.shape[-2:]) for a in (x, weight))
    out = np.zeros((batch, s["m"], s["n"]))
    for b, m, n, k in places(batch, s["m"], s["n"], s["k"]):
        a = left[b, k, m] if s["ta"] else left[b, m, k]
        out[b, m, n] += a * (right[b, n, k] if s["tb"] else right[b, k, n])
    return out if "b" in s else out[0]


@pytest.mark.parametrize(("op", "shape", "layout"), TINY)
def test_reference_contraction_and_brute_force_agree(op: str, shape: str, layout: str) -> None:
    workload = parse_workload(op, shape, layout=layout)
    made = contraction(workload)
    inputs = arrays(made)
    operator: Operator = OPERATORS.get(op)
    reference = operator.reference(sizes_of(workload), layout, inputs["x"], inputs["weight"])
    brute = (convolved if op == "conv2d" else multiplied)(workload, inputs["x"], inputs["weight"])
    looped, multiply_adds = evaluated(made, inputs)
    np.testing.assert_array_equal(reference, brute)
    np.testing.assert_array_equal(looped, brute)
    assert reference.flags.c_contiguous
    assert flop(workload) == 2 * multiply_adds


@pytest.mark.parametrize(("op", "shape", "layout"), TINY)
def test_output_is_written_once_for_each_parallel_place(op: str, shape: str, layout: str) -> None:
    made = contraction(parse_workload(op, shape, layout=layout))
    parallel = [axis for axis in made.axes if axis.kind == "parallel"]
    assert prod(axis.extent for axis in parallel) == prod(made.output.shape)
    seen = set()
    for values in places(*(axis.extent for axis in parallel)):
        place = dict(zip((axis.name for axis in parallel), values, strict=True))
        seen.add(sum(made.output.coefficient(axis) * at for axis, at in place.items()))
    assert seen == set(range(prod(made.output.shape)))


@pytest.mark.parametrize(
    ("op", "layout", "shape"),
    [
        ("conv2d", "NCHW", (8,)),
        ("conv2d", "NHWC", (8,)),
        ("conv2d", "NCHW16c", (3, 16)),
        ("matmul", "row", (6,)),
        ("batch_matmul", "row", (6,)),
    ],
)
def test_tail_adds_operands_along_the_output_channels(
    op: str, layout: str, shape: tuple[int, ...]
) -> None:
    text = {
        "conv2d": "c=16,h=3,k=48,r=1" if layout == "NCHW16c" else "c=2,h=3,k=8,r=1",
        "matmul": "4x6x5",
        "batch_matmul": "2x4x6x5",
    }[op]
    made = contraction(parse_workload(op, f"{text},bias=1,residual=1,act=silu", layout=layout))
    assert made.bias is not None
    assert made.residual is not None
    assert made.bias.shape == shape
    assert (made.residual.shape, made.residual.index) == (made.output.shape, made.output.index)
    assert made.activation == "silu"
    assert [a.operand for a in made.operands] == ["x", "weight", "bias", "residual", "out"]


BAD: list[tuple[str, str, str]] = [
    ("matmul", "", "''"),
    ("matmul", "m=1,n=1", "k is missing"),
    ("matmul", "m=1,n=1,k=1,z=1", "'z=1'"),
    ("matmul", "m=1,n=1,k=1,", "''"),
    ("matmul", "m=1,n=1,k", "'k'"),
    ("matmul", "m=1,n=1,k=1,k=2", "k=2 is given twice"),
    ("matmul", "m=1,n=1,k=1,K=1", "k=1 is given twice"),
    ("matmul", "m=0,n=1,k=1", "m=0 is out of range"),
    ("matmul", "m=-3,n=1,k=1", "m=-3 is out of range"),
    ("matmul", "m=1.5,n=1,k=1", "m='1.5' is not an integer"),
    ("matmul", "m=,n=1,k=1", "m='' is not an integer"),
    ("matmul", "m=1e3,n=1,k=1", "m='1e3' is not an integer"),
    ("matmul", "m=0x10,n=1,k=1", "is out of range"),
    ("matmul", "m=1_0,n=1,k=1", "m='1_0' is not an integer"),
    ("matmul", "m=\u0661,n=1,k=1", "is not an integer"),
    ("matmul", "m=2x2,n=1,k=1", "m=2x2 has 2 parts"),
    ("matmul", "m=2147483648,n=1,k=1", "m=2147483648 is out of range"),
    ("matmul", f"m={'9' * 30},n=1,k=1", "is not an integer"),
    ("matmul", "m=1,n=1,k=1,ta=2", "ta=2 is out of range"),
    ("matmul", "m=1,n=1,k=1,ta=-1", "ta=-1 is out of range"),
    ("matmul", "m=1,n=1,k=1,prepack=2", "prepack=2 is out of range"),
    ("matmul", "m=1,n=1,k=1,bias=yes", "bias='yes' is not an integer"),
    ("matmul", "m=1,n=1,k=1,act=tanh", "act='tanh'"),
    ("matmul", "m=1,n=1,k=1,act=", "act=''"),
    ("matmul", "1x2", "'1x2' has 2 sizes"),
    ("matmul", "1x2x3x4", "has 4 sizes"),
    ("matmul", "1x2xk", "k='k' is not an integer"),
    ("matmul", "1x2x3,m=1", "m=1 is given twice"),
    ("matmul", "512", "'512'"),
    ("matmul", "m=1,n=1,k=1;drop", "k='1;drop'"),
    ("matmul", "x" * 1001, "1001 characters"),
    ("batch_matmul", "m=1,n=1,k=1", "b is missing"),
    ("batch_matmul", "1x2x3", "has 3 sizes"),
    ("conv2d", "c=1,h=1,k=1", "r is missing"),
    ("conv2d", "1x2x3", "'1x2x3'"),
    ("conv2d", "c=3,h=2,k=4,r=3", "r=3 reaches over 3 elements"),
    ("conv2d", "c=3,h=8,w=2,k=4,r=3", "s=3 reaches over 3 elements"),
    ("conv2d", "c=3,h=8,k=4,r=3,dilation=5", "r=3 reaches over 11 elements"),
    ("conv2d", "c=3,h=8,k=4,r=3,dilation=1x4", "s=3 reaches over 9 elements"),
    ("conv2d", "c=3,h=8,k=4,r=3,stride=0", "stride=0 is out of range"),
    ("conv2d", "c=3,h=8,k=4,r=3,stride=1x0", "stride=1x0 is out of range"),
    ("conv2d", "c=3,h=8,k=4,r=3,stride=1x2x3", "stride=1x2x3 has 3 parts"),
    ("conv2d", "c=3,h=8,k=4,r=3,dilation=0", "dilation=0 is out of range"),
    ("conv2d", "c=3,h=8,k=4,r=3,pad=-1", "pad=-1 is out of range"),
    ("conv2d", "c=3,h=8,k=4,r=3,pad=1x2x3", "pad=1x2x3 has 3 parts"),
    ("conv2d", "c=3,h=8,k=4,r=3,pad=1x1x1x-1", "pad=1x1x1x-1 is out of range"),
    ("conv2d", "c=3,h=8,k=4,r=3,pad=same", "is not an integer"),
    ("conv2d", "n=0,c=3,h=8,k=4,r=3", "n=0 is out of range"),
    ("conv2d", "c=-3,h=8,k=4,r=3", "c=-3 is out of range"),
    ("conv2d", "c=3,h=8,k=4,r=3,groups=0", "groups=0 is out of range"),
    ("conv2d", "c=3,h=8,k=4,r=3,groups=2", "groups=2 does not divide c=3"),
    ("conv2d", "c=4,h=8,k=3,r=3,groups=2", "groups=2 does not divide k=3"),
    ("conv2d/NCHW16c", "c=3,h=8,k=16,r=3", "c=3 does not fit"),
    ("conv2d/NCHW16c", "c=16,h=8,k=20,r=3", "k=20 does not fit"),
    ("conv2d/NCHW16c", "c=48,h=8,k=48,r=3,groups=2", "c/groups=24"),
    ("conv2d/NCHW16c", "c=16,h=8,k=32,r=3,groups=4", "c/groups=4 and k/groups=8"),
]


@pytest.mark.parametrize(("op", "shape", "told"), BAD)
def test_shape_that_makes_no_sense_is_refused_in_one_line(op: str, shape: str, told: str) -> None:
    """F008, and every other path of the grammar."""
    name, _, layout = op.partition("/")
    with pytest.raises(UsageError) as caught:
        parse_workload(name, shape, layout=layout or None)
    message = str(caught.value)
    assert told in message
    assert "\n" not in message
    assert len(message) < 400
    assert any(word in message for word in ("allowed", "takes", "needs"))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"op": "conv3d"}, "unknown operator 'conv3d'; installed: batch_matmul, conv2d, matmul"),
        ({"op": "base"}, "unknown operator 'base'"),
        ({"op": "../matmul"}, "unknown operator"),
        ({"dtype": "float16"}, "dtype 'float16' is not supported; allowed: float32, float64"),
        ({"dtype": ""}, "dtype ''"),
        ({"layout": "NCHW"}, "layout 'NCHW' is not one of matmul's; allowed: row"),
        ({"layout": ""}, "layout ''"),
        *(
            ({"tolerance": t}, f"tolerance {t!r} is not allowed; allowed: a positive number, or")
            for t in (0.0, -1.0, float("inf"), float("nan"), "", "exact", "-3", "nan", None)
        ),
    ],
)
def test_option_that_does_not_exist_is_refused(options: dict[str, object], told: str) -> None:
    call: dict[str, object] = {"op": "matmul", "shape": "1x1x1", **options}
    with pytest.raises(UsageError) as caught:
        parse_workload(**call)  # type: ignore[arg-type]
    assert told in str(caught.value)


def test_keys_come_in_any_order_and_case() -> None:
    same = [
        *("m=3,n=4,k=5", "k=5,M=3,n=4", " m = 3 , n=4,k=5", "3x4x5", "3X4X5", "3x4x5,TA=0"),
        *("m=+3,n=04,k=5", "m=3,n=4,k=5,act=NONE,prepack=1,bias=0,residual=0"),
    ]
    assert len({parse_workload("matmul", shape) for shape in same}) == 1


def test_short_values_stand_for_long_ones() -> None:
    def shape(text: str) -> str:
        return parse_workload("conv2d", f"c=2,h=9,k=2,r=3,{text}").shape

    assert shape("w=9,s=3,n=1") == shape("groups=1")
    assert shape("stride=2") == shape("stride=2x2")
    assert shape("pad=1x2") == shape("pad=1x2x1x2")
    assert shape("pad=1") == shape("pad=1x1x1x1")


@pytest.mark.parametrize(
    ("workload", "key"),
    [
        (
            parse_workload("conv2d", "c=64,h=56,k=64,r=3,pad=1"),
            "conv2d/n=1,c=64,h=56,w=56,k=64,r=3,s=3,stride=1x1,pad=1x1x1x1,dilation=1x1,groups=1,"
            "prepack=1,bias=0,residual=0,act=none/float32/NCHW/tol=16",
        ),
        (
            parse_workload("matmul", "512x256x128,tb=1,bias=1,act=gelu", "float64"),
            "matmul/m=512,n=256,k=128,ta=0,tb=1,prepack=1,bias=1,residual=0,act=gelu/float64/row/"
            "tol=16",
        ),
        (
            parse_workload("batch_matmul", "8x16x16x32", tolerance=2.5),
            "batch_matmul/b=8,m=16,n=16,k=32,ta=0,tb=0,prepack=0,bias=0,residual=0,act=none/"
            "float32/row/tol=2.5",
        ),
    ],
    ids=["conv2d", "matmul", "batch_matmul"],
)
def test_key_is_the_documented_one(workload: Workload, key: str) -> None:
    """Golden: a change here makes every cache in the world miss."""
    assert workload.key == key


BASES = {
    "conv2d": "n=2,c=32,h=8,w=9,k=32,r=3,s=2,stride=2x1,pad=1x2x3x4,dilation=1x2,groups=2",
    "matmul": "m=32,n=48,k=16",
    "batch_matmul": "b=2,m=32,n=48,k=16",
}


def variants(op: str) -> Iterator[tuple[str, Workload]]:
    """The base and workloads that differ from it in one attribute each, over all attributes."""
    base = dict(part.split("=") for part in BASES[op].split(","))

    def made(changes: dict[str, str], **options: object) -> Workload:
        shape = ",".join(f"{name}={value}" for name, value in (base | changes).items())
        return parse_workload(op, shape, **options)  # type: ignore[arg-type]

    yield "base", made({})
    yield "dtype", made({}, dtype="float64")
    yield "tolerance", made({}, tolerance=17.0)
    yield "strict", made({}, tolerance="strict")
    operator: Operator = OPERATORS.get(op)
    for layout in operator.layouts[1:]:
        yield f"layout {layout}", made({}, layout=layout)
    for act in ACTIVATIONS[1:]:
        yield f"act {act}", made({"act": act})
    flags = {"prepack": str(1 - operator.prepack_default), "bias": "1", "residual": "1"}
    flags |= {name: "1" for name in ("ta", "tb") if name in {key.name for key in operator.keys}}
    for name, value in flags.items():
        yield name, made({name: value})
    for key in operator.keys:
        if key.name in flags:
            continue
        parts = base[key.name].split("x")
        for place in range(len(parts)):
            changed = list(parts)
            step = 2 if key.name in ("c", "k", "groups") else 1
            changed[place] = str(int(parts[place]) + step)
            if key.name == "groups":
                changed = ["4"]
            yield f"{key.name} part {place}", made({key.name: "x".join(changed)})


@pytest.mark.parametrize("op", OPERATORS.names())
def test_workloads_that_differ_in_one_attribute_have_different_keys(op: str) -> None:
    keys = {name: workload.key for name, workload in variants(op)}
    assert len(set(keys.values())) == len(keys)
    operator: Operator = OPERATORS.get(op)
    assert len(keys) >= len(operator.keys) + 9


@pytest.mark.parametrize("op", OPERATORS.names())
def test_command_parses_back_to_the_same_workload(op: str) -> None:
    for name, workload in variants(op):
        words = command(workload).split()
        options = dict(zip(words[2::2], words[3::2], strict=True))
        again = parse_workload(
            options["--op"],
            options["--shape"],
            options.get("--dtype", "float32"),
            options.get("--layout"),
            options.get("--tolerance", 16),
        )
        assert again == workload, name


@pytest.mark.parametrize("op", OPERATORS.names())
def test_canonical_shape_parses_to_itself(op: str) -> None:
    for _, w in variants(op):
        assert parse_workload(w.op, w.shape, w.dtype, w.layout, w.tolerance) == w


@pytest.mark.parametrize(
    ("op", "shape"),
    [
        ("matmul", "65536x65536x16"),
        ("matmul", "8192x14336x8192"),
        ("conv2d", "c=64,h=32768,k=1,r=1"),
        ("matmul", "m=1048576,n=1048576,k=1048576"),
    ],
)
def test_sizes_above_32_bits_are_exact_python_integers(op: str, shape: str) -> None:
    """F109."""
    workload = parse_workload(op, shape)
    made = contraction(workload)
    assert flop(workload) == 2 * prod(axis.extent for axis in made.axes)
    assert flop(workload) > 2**31
    assert all(type(stride) is int for access in made.operands for stride in access.strides)


@pytest.mark.parametrize(
    ("op", "shape"),
    [
        ("matmul", "2147483647x2147483647x1"),
        ("matmul", "m=2147483647,n=1,k=2147483647"),
        ("matmul", "m=2097152,n=2097152,k=2097152"),
        ("batch_matmul", "2147483647x2147483647x1x1"),
        ("conv2d", "n=2147483647,c=2147483647,h=1,k=1,r=1"),
        ("conv2d", "c=1,h=1,k=1,r=1,pad=2147483647"),
        ("conv2d", "c=1,h=1,k=1,r=2147483647,pad=1073741823"),
    ],
)
def test_products_near_2_to_the_63_are_refused(op: str, shape: str) -> None:
    """F109: address maths is 64-bit and must not overflow."""
    with pytest.raises(UsageError, match=f"at most {MAX_ELEMENTS} are allowed"):
        parse_workload(op, shape)


def test_reduction_length_is_channels_of_a_group_or_k() -> None:
    assert reduction_length(parse_workload("conv2d", "c=12,h=3,k=6,r=3,groups=3")) == 4
    assert reduction_length(parse_workload("matmul", "3x4x5")) == 5
    assert reduction_length(parse_workload("batch_matmul", "2x3x4x5")) == 5


def test_constant_operand_follows_prepack() -> None:
    assert contraction(parse_workload("matmul", "3x4x5")).constant == "weight"
    assert contraction(parse_workload("matmul", "3x4x5,prepack=0")).constant == ""
    assert contraction(parse_workload("batch_matmul", "2x3x4x5")).constant == ""
