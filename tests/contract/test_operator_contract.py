"""What every operator promises, whatever it computes: one suite over all that the registry finds.

Shapes are drawn from the operator's own keys, so that a new file is judged without a line here.
"""

from __future__ import annotations

import functools
import re
import shlex
import tracemalloc

import numpy as np
import pytest

from autotune.errors import UsageError
from autotune.ir.default import default_schedule
from autotune.ir.legal import violation
from autotune.ops.base import (
    command,
    contraction,
    flop,
    parse_workload,
    reduction_length,
    sizes_of,
)
from autotune.registry import OPERATORS, TARGETS
from autotune.space import generate, narrowing
from autotune.targets.detect import resolve

PAIRS = [(op, layout) for op in OPERATORS.names() for layout in OPERATORS.get(op).layouts]
SIZES = (1, 1, 2, 3, 4, 5, 16, 16)
COUNT, TRIES = 10, 20_000
MOST_POINTS = 60_000


@functools.cache
def workloads(op, layout):
    """Up to COUNT small workloads of random sizes and flags, in a fixed order."""
    operator, rng = OPERATORS.get(op), np.random.default_rng(0)
    found = {}
    for _ in range(TRIES):
        if len(found) == COUNT:
            break
        parts = [f"{key.name}={_draw(key, rng)}" for key in operator.keys]
        parts += [f"{name}={rng.integers(2)}" for name in ("prepack", "bias", "residual")]
        try:
            workload = parse_workload(op, ",".join(parts), "float32", layout)
        except UsageError:
            continue
        if contraction(workload).multiply_adds <= MOST_POINTS:
            found[workload.key] = workload
    return tuple(found.values())


def _draw(key, rng):
    if key.default is not None and rng.random() < 0.5:
        width = key.width
        default = key.default if isinstance(key.default, tuple) else (int(rng.choice(SIZES)),)
        return "x".join(map(str, default * (width if len(default) == 1 else 1)))
    low, high = key.low, min(key.high, 3 if key.low == 0 else 16)
    values = [v for v in SIZES if low <= v <= high] if key.low else range(low, high + 1)
    return "x".join(str(rng.choice(values)) for _ in range(key.width))


@pytest.fixture(params=PAIRS, ids=lambda pair: f"{pair[0]}-{pair[1]}")
def cases(request):
    found = workloads(*request.param)
    assert len(found) >= 5, "too few random shapes are valid"
    return [(workload, contraction(workload)) for workload in found]


@pytest.fixture(params=OPERATORS.names())
def operator(request):
    return OPERATORS.get(request.param)


def test_registry_finds_the_three():
    assert set(OPERATORS.names()) >= {"matmul", "batch_matmul", "conv2d"}


# --- what it declares --------------------------------------------------------------------------


def test_operator_is_called_as_its_file(operator):
    assert OPERATORS.get(operator.name) is operator


def test_keys_and_layouts_are_distinct_and_well_formed(operator):
    names = [key.name for key in operator.keys]
    assert len(set(names)) == len(names)
    assert not set(names) & {"act", "bias", "residual", "prepack"}
    assert all(name.isidentifier() and name == name.lower() for name in names)
    assert len(set(operator.layouts)) == len(operator.layouts) >= 1
    assert operator.prepack_default in (0, 1)
    assert set(operator.short_form) <= set(names)
    for position, key in enumerate(operator.keys):
        assert 0 <= key.low <= key.high
        assert key.width in (1, 2, 4)
        if isinstance(key.default, tuple):
            assert len(key.default) == key.width
            assert all(key.low <= value <= key.high for value in key.default)
        elif key.default is not None:
            assert key.default in names[:position]


def test_missing_key_is_named_with_those_needed(operator):
    needed = [key.name for key in operator.keys if key.default is None]
    for missing in needed:
        shape = ",".join(f"{name}=1" for name in needed if name != missing) or "bias=0"
        with pytest.raises(UsageError, match=f"shape key {missing} is missing"):
            parse_workload(operator.name, shape)


# --- workloads ---------------------------------------------------------------------------------


def test_canonical_shape_and_command_lead_back_to_the_workload(cases):
    for workload, _ in cases:
        again = parse_workload(workload.op, workload.shape, workload.dtype, workload.layout)
        assert again == workload
        words = shlex.split(command(workload))
        assert words[:2] == ["autotune", "run"]
        options = dict(zip(words[2::2], words[3::2], strict=True))
        parsed = parse_workload(options["--op"], options["--shape"], layout=options.get("--layout"))
        assert parsed == workload


# --- the contraction ---------------------------------------------------------------------------


def test_contraction_is_well_formed(cases):
    for workload, made in cases:
        names = [axis.name for axis in made.axes]
        assert len(set(names)) == len(names)
        assert all(axis.extent >= 1 for axis in made.axes)
        assert [a.operand for a in made.inputs] == ["x", "weight"]
        assert made.output.operand == "out"
        assert made.constant == ("weight" if sizes_of(workload)["prepack"][0] else "")
        assert (made.dtype, made.output_dtype) == (workload.dtype, workload.dtype)
        for access in made.operands:
            assert len(access.shape) == len(access.index)
            for name, coefficient in (term for affine in access.index for term in affine.terms):
                assert coefficient > 0
                assert made.extents[name] > 1
        kinds = made.by_name
        for access in (made.output, made.bias, made.residual):
            assert access is None or {kinds[a].kind for a in access.axes} <= {"parallel"}
        assert not made.is_padded(made.output)
        assert made.residual is None or made.residual.shape == made.output.shape


def test_work_is_counted_as_the_contraction_says(cases):
    for workload, made in cases:
        assert flop(workload) == 2 * made.multiply_adds
        assert isinstance(flop(workload), int)
        assert reduction_length(workload) >= 1


def places(made, access):
    """Flat storage index of every point of all axes, and which of them are inside."""
    grid = np.indices([axis.extent for axis in made.axes]).reshape(len(made.axes), -1)
    at = dict(zip((axis.name for axis in made.axes), grid, strict=True))
    flat, inside = np.zeros(grid.shape[1], np.int64), np.ones(grid.shape[1], np.bool_)
    for size, stride, affine in zip(access.shape, access.strides, access.index, strict=True):
        index = sum((c * at[name] for name, c in affine.terms), np.full_like(flat, affine.offset))
        inside &= (index >= 0) & (index < size)
        flat += stride * index
    return flat, inside


def test_every_output_is_written_by_one_point_of_the_parallel_axes(cases):
    for _, made in cases:
        flat, inside = places(made, made.output)
        assert inside.all()
        written, counts = np.unique(flat, return_counts=True)
        reductions = [a.extent for a in made.axes if a.kind == "reduction"]
        assert len(written) == np.prod(made.output.shape)
        assert set(counts.tolist()) == {int(np.prod(reductions))}


def test_reference_is_the_sum_that_the_contraction_writes(cases):
    rng = np.random.default_rng(1)
    for workload, made in cases:
        arrays = {a.operand: rng.standard_normal(a.shape) for a in made.inputs}
        term = np.ones(made.multiply_adds)
        for access in made.inputs:
            flat, inside = places(made, access)
            values = arrays[access.operand].ravel()[np.where(inside, flat, 0)]
            term *= np.where(inside, values, 0.0)
        total = np.zeros(int(np.prod(made.output.shape)))
        np.add.at(total, places(made, made.output)[0], term)
        operator = OPERATORS.get(workload.op)
        found = operator.reference(
            sizes_of(workload), workload.layout, arrays["x"], arrays["weight"]
        )
        assert found.dtype == np.float64
        np.testing.assert_allclose(
            found, total.reshape(made.output.shape), rtol=1e-11, atol=1e-11, err_msg=workload.key
        )


def test_reference_holds_the_memory_that_it_says(cases):
    for workload, _ in cases:
        operator = OPERATORS.get(workload.op)
        # Large along its first key, beside which Python's own objects are small.
        shape = re.sub(r"^(\w+)=\d+", r"\1=1000", workload.shape)
        large = parse_workload(workload.op, shape, "float64", workload.layout)
        x, weight = (np.ones(access.shape) for access in contraction(large).inputs)
        tracemalloc.start()
        try:
            operator.reference(sizes_of(large), large.layout, x, weight)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        told = operator.reference_bytes(sizes_of(large), large.layout)
        assert 0.9 * peak - 20_000 <= told <= 1.5 * peak + 20_000, large.key


# --- what follows from it ----------------------------------------------------------------------


def test_every_target_has_a_default_and_a_space_with_the_shipped_file(cases):
    for position, (workload, made) in enumerate(cases[::4]):
        name = TARGETS.names()[position % len(TARGETS.names())]
        target = resolve(name).with_threads(1 + position % 2)
        assert violation(made, default_schedule(made, target), target) is None
        space = generate(made, target, narrowing.load(None, workload.op))
        points = space.sample(np.random.default_rng(0), 3)
        assert len(points) == 3
        for point in points:
            assert violation(made, space.schedule(point), target) is None
