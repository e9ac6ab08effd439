"""The judgement of results: scale, tail, NaN, and what is kept between runners."""

from __future__ import annotations

import tempfile

import numpy as np
import pytest

from autotune.measure.check import error_units, load_expected, make_inputs
from autotune.measure.child import CandidateError
from autotune.ops.base import parse_workload
from autotune.reference import expected
from autotune.trial import Workload

PLAIN = parse_workload("matmul", "5x7x64")
TAILED = parse_workload("matmul", "5x7x64,bias=1,residual=1,act=gelu")


def test_same_seed_gives_the_same_inputs_and_another_others() -> None:
    a, b, c = make_inputs(TAILED, 3), make_inputs(TAILED, 3), make_inputs(TAILED, 4)
    assert list(a) == ["x", "weight", "bias", "residual"]
    for name, array in a.items():
        assert array.dtype == np.float32
        assert np.array_equal(array, b[name])
        assert not np.array_equal(array, c[name])


@pytest.mark.parametrize("workload", [PLAIN, TAILED])
def test_rounded_reference_is_accepted(workload: Workload) -> None:
    right = expected(workload, make_inputs(workload, 0))
    assert error_units(workload, right.out.astype(np.float32), right) <= 0.5


def test_error_is_counted_in_units_and_limited() -> None:
    right = expected(PLAIN, make_inputs(PLAIN, 0))
    unit = 2.0**-23 * 8.0 * right.rms
    off = right.out.copy()
    off[4, 6] += 10 * unit
    assert error_units(PLAIN, off, right) == pytest.approx(10.0)
    off[4, 6] += 7 * unit
    with pytest.raises(CandidateError, match=r"output \(4, 6\) .* off by 17 units") as caught:
        error_units(PLAIN, off, right)
    assert caught.value.kind == "wrong_result"


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_single_not_finite_output_is_refused(bad: float) -> None:
    right = expected(PLAIN, make_inputs(PLAIN, 0))
    off = right.out.astype(np.float32)
    off[0, 0] = bad
    with pytest.raises(CandidateError):
        error_units(PLAIN, off, right)


@pytest.mark.parametrize("workload", [PLAIN, TAILED])
def test_kept_result_is_read_back_and_a_torn_one_recomputed(workload: Workload) -> None:
    inputs = make_inputs(workload, 0)
    with tempfile.TemporaryFile() as kept:
        first = load_expected(kept, workload, inputs)
        again = load_expected(kept, workload, {})
        assert np.array_equal(first.out, again.out)
        assert first.rms == again.rms
        assert (first.magnitude is None) == (again.magnitude is None)
        kept.truncate(200)
        repaired = load_expected(kept, workload, inputs)
        assert np.array_equal(first.out, repaired.out)
