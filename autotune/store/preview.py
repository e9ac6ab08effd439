"""What an import would do to a cache that may not exist, or may only be read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from autotune.store import paths, toolchain
from autotune.store.db import Cache
from autotune.store.importing import ImportReport, changes, report
from autotune.store.read import Reader, opened
from autotune.store.transfer import read_export


def preview_import(
    location: str | os.PathLike[str] | None,
    path: str | os.PathLike[str],
    key_file: str | None = None,
) -> ImportReport:
    """What `Cache.import_` would do; nothing is written, and no file is made or migrated.

    Raises: as `Cache.import_` does.
    """
    file = read_export(path, key_file)
    keys = dict.fromkeys((record.target_key, record.key) for record in file.records)
    with _existing(paths.cache_path(location)) as source:
        llvm = toolchain.current_llvm(source.meta()) if source else toolchain.UNKNOWN
        known = [record for key in keys for record in source.ranked(*key)] if source else []
    changed = changes(known, file.records, llvm)
    return report(file, sum(change.new for change in changed), llvm, changed)


@contextmanager
def _existing(location: str) -> Iterator[Reader | Cache | None]:
    """What can be read there; None where there is no cache."""
    if paths.is_file(location):
        with opened(location) as reader:
            yield reader
        return
    with Cache(location, must_exist=True) as cache:
        yield cache
