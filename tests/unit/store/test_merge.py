"""Merging is a union of sets, in pure functions and in the database alike."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from autotune.ops.base import parse_workload
from autotune.store.db import Cache
from autotune.store.merge import imported, union
from autotune.store.record import Record
from tests.records import WORKLOAD, made

OTHER = parse_workload("matmul", "m=8,n=16,k=4")

measured = st.builds(
    made,
    workload=st.sampled_from([WORKLOAD, OTHER]),
    seconds=st.sampled_from([1e-3, 2e-3]),
    seed=st.integers(0, 2),
)
marks = st.sampled_from(
    [
        {"origin": "local", "verified": True},
        {"origin": "local", "verified": False},
        {"origin": "imported", "verified": False},
        {"origin": "imported", "verified": True, "verified_at": "2026-02-01T00:00:00Z"},
    ]
)
kept = st.builds(lambda record, mark: replace(record, **mark), measured, marks)
sets = st.lists(kept, max_size=6).map(lambda found: {r.digest: r for r in found})


@given(sets)
def test_union_with_itself_or_nothing_changes_nothing(a: dict[str, Record]) -> None:
    assert union(a, a) == union(a, {}) == union({}, a) == a


@given(sets, sets)
def test_union_does_not_depend_on_who_is_first(a: dict[str, Record], b: dict[str, Record]) -> None:
    assert union(a, b) == union(b, a)
    assert union(a, b).keys() == a.keys() | b.keys()


@given(sets, sets, sets)
def test_union_does_not_depend_on_what_is_merged_first(
    a: dict[str, Record], b: dict[str, Record], c: dict[str, Record]
) -> None:
    assert union(union(a, b), c) == union(a, union(b, c))


@given(sets, sets)
def test_union_with_a_foreign_set_leaves_ours_as_they_are(
    ours: dict[str, Record], theirs: dict[str, Record]
) -> None:
    merged = union(ours, imported(theirs.values()))
    assert merged.items() >= ours.items()
    new = [record for digest, record in merged.items() if digest not in ours]
    assert {(r.origin, r.verified, r.verified_at) for r in new} <= {("imported", False, None)}


def test_standing_of_a_record_that_both_have_is_the_better_known() -> None:
    local, foreign = made(), replace(made(), origin="imported", verified=False)
    assert union({"d": foreign}, {"d": local}) == {"d": local}


@settings(max_examples=15, deadline=None)
@given(st.lists(kept, max_size=4), st.lists(st.lists(kept, max_size=4), min_size=2, max_size=2))
def test_imports_in_any_order_leave_the_union(
    tmp_path_factory: object, ours: list[Record], files: list[list[Record]]
) -> None:
    """The database does to the sets what the pure function says."""
    folder = Path(tmp_path_factory.mktemp("merge"))  # type: ignore[attr-defined]
    exports = []
    for number, records in enumerate(files):
        with Cache(folder / f"{number}.sqlite") as source:
            for record in records:
                source.put(record)
            exports.append(folder / f"{number}.jsonl")
            source.export(exports[-1])
    first = {r.digest: r for r in reversed(ours)}
    wanted = union(first, imported(itertools.chain(*files)))
    for number, order in enumerate([exports, exports[::-1], [*exports, *exports]]):
        with Cache(folder / f"to{number}.sqlite") as cache:
            for record in ours:
                cache.put(record)
            for export in order:
                cache.import_(export)
            found = {r.digest: replace(r, is_stale=False) for r in cache.entries()}
        assert found == wanted
