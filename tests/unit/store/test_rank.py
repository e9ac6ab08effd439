"""What a lookup answers is a ranking over all records of a key, the same wherever they are read."""

from __future__ import annotations

import itertools
from dataclasses import replace

from autotune.store import paths, read
from autotune.store.db import Cache
from autotune.store.record import Record
from autotune.trial import CODEGEN_VERSION
from tests.records import TARGET, WORKLOAD, made

MARKS = [
    {
        "origin": origin,
        "verified": verified,
        "codegen": CODEGEN_VERSION + age,
        "speedup_interval": i,
    }
    for origin, verified, age, i in itertools.product(
        ("local", "imported"), (True, False), (0, 1), ((1.0, 2.5), (0.9, 2.5))
    )
]
"""Every standing that a record can have, best first."""


def test_rank_is_local_then_verified_then_current_then_certain_then_faster(location: str) -> None:
    """Nothing foreign takes the place of what was measured here, however fast it claims to be."""
    ranked = [
        made(seconds=seconds * 1e-6, **mark)
        for place, mark in enumerate(MARKS)
        for seconds in (200 - 2 * place, 201 - 2 * place)
    ]
    with Cache(location) as cache:
        for record in reversed(ranked):
            cache.put(record)
        assert _plain(cache.ranked(TARGET.key, WORKLOAD.key)) == ranked
        assert _plain(cache.entries()) == ranked
        best = cache.get(TARGET.key, WORKLOAD.key)
        assert best is not None
        assert best.digest == ranked[0].digest
    if paths.is_file(location):
        with read.opened(location) as reader:
            assert reader is not None
            assert _plain(reader.ranked(TARGET.key, WORKLOAD.key)) == ranked


def _plain(records: list[Record]) -> list[Record]:
    return [replace(record, is_stale=False) for record in records]
