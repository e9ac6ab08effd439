"""The disk fills while a run goes on: what was written before is whole, and with room it goes on.

A file system of 1 MiB is mounted for it, which only root may do.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from autotune.store.db import open_cache
from autotune.store.log import read
from tests.records import made
from tests.survival import Site, surviving_cache, surviving_log

ENDS_S = 120.0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 1 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if (
        sys.platform != "linux"
        or subprocess.run(mount, capture_output=True, check=False).returncode
    ):
        pytest.skip("no file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(file: Path) -> None:
    """Leave no byte free."""
    with open(file, "wb", buffering=0) as filler:
        for piece in (b"x" * 4096, b"x"):
            try:
                while filler.write(piece) == len(piece):
                    pass
            except OSError:
                continue


def wait_for_trials(site: Site, count: int) -> None:
    deadline = time.monotonic() + ENDS_S
    while site.logged().count(b'"kind":"trial"') < count and time.monotonic() < deadline:
        time.sleep(0.005)


def test_disk_that_fills_in_mid_run_costs_only_what_comes_after(
    small_disk: Path, tmp_path: Path
) -> None:
    site = Site(tmp_path / "site")
    site.cache, site.log = small_disk / "cache.db", small_disk / "run.jsonl"
    known = made()
    with open_cache(site.cache) as cache:
        cache.put(known)
    run = site.start(*site.command(8))
    try:
        wait_for_trials(site, 4)
        fill(small_disk / "filler")
        before = site.logged()
        ended = run.wait(ENDS_S)
    finally:
        run.kill()
        run.wait()
    assert before.count(b"\n") >= 5
    assert ended in (0, 1), site.errors()
    assert "Traceback" not in site.errors()
    assert site.left() == {}
    surviving_log(site, before.count(b"\n") - 1, before)
    full = site.logged()

    (small_disk / "filler").unlink()
    surviving_cache(site, [known])
    assert site.start(*site.command(2)).wait(ENDS_S) == 0, site.errors()
    assert site.logged().startswith(full)
    log = read(site.log)
    assert len(log.trials) == log.end["trials"] == 2
    assert len(log.bad) == (0 if full.endswith(b"\n") else 1)
    assert surviving_cache(site, [known])
