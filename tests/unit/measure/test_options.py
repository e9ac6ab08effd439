"""Options that make no sense are refused at the door."""

from __future__ import annotations

import pytest

from autotune.errors import UsageError
from autotune.measure.base import MeasureOptions


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("timeout_s", 0.0),
        ("timeout_s", float("nan")),
        ("timeout_s", float("inf")),
        ("min_slice_s", -1.0),
        ("builders", 0),
        ("patience_s", 0.0),
        ("cache_policy", "cold"),
        ("recycle_after", 0),
    ],
)
def test_impossible_option_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(UsageError, match=name):
        MeasureOptions(**{name: value})  # type: ignore[arg-type]
