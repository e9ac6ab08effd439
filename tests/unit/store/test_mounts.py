from __future__ import annotations

import os
import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from autotune.errors import StoreError
from autotune.store import db, engine, mounts, schema
from autotune.store.misses import Miss, note
from autotune.store.record import utc_now
from tests.records import TARGET, WORKLOAD, made

LINES = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
30 22 0:27 / /home rw shared:5 master:2 - nfs4 server:/home rw,vers=4.2
31 22 0:28 / /home/me/local rw - xfs /dev/vdb rw
32 22 0:29 / /mnt/with\\040space rw - cifs //server/share rw
33 22 0:30 / /covered rw - nfs server:/old rw
34 22 0:31 / /covered rw - tmpfs tmpfs rw
35 22 0:32 / /homestead rw - btrfs /dev/vdc rw
36 22 0:33 / /mnt/p rw - 9p host rw
37 22 0:34 / /mnt/sshfs rw - fuse.sshfs me@server: rw
38 22 0:35 / /mnt/stick rw - fuseblk /dev/sdb1 rw
39 22 0:36 / /mnt/layers rw - fuse.fuse-overlayfs fuse-overlayfs rw
a line that says nothing
40 22 0:37 / /mnt/odd rw -
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/etc/x", "ext4"),
        ("/home/me/.cache/autotune/cache.sqlite", "nfs4"),
        ("/home", "nfs4"),
        ("/home/me/local/c.db", "xfs"),
        ("/homestead/c.db", "btrfs"),
        ("/mnt/with space/c.db", "cifs"),
        ("/mnt/with/c.db", "ext4"),
        ("/covered/c.db", "tmpfs"),
        ("/mnt/odd/c.db", "ext4"),
    ],
)
def test_filesystem_is_that_of_the_deepest_and_last_mount(path: str, kind: str) -> None:
    assert mounts.filesystem_of(path, LINES.encode()) == kind


def test_filesystem_of_a_text_that_says_nothing_is_empty() -> None:
    for text in (b"", b"\n\n", b"\xff\xfe - \n", b"1 2 3 / /only"):
        assert mounts.filesystem_of("/x", text) == ""


def test_filesystem_follows_links_and_relative_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tmp_path.resolve()
    (real / "target").mkdir()
    (real / "link").symlink_to(real / "target")
    text = os.fsencode(f"1 1 0:1 / / rw - ext4 d rw\n2 1 0:2 / {real}/target rw - nfs d rw\n")
    assert mounts.filesystem_of(str(real / "link" / "absent" / "c.db"), text) == "nfs"
    assert mounts.filesystem_of(str(real / "c.db"), text) == "ext4"
    monkeypatch.chdir(real / "target")
    assert mounts.filesystem_of("c.db", text) == "nfs"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/c.db", "nfs4"),
        ("/mnt/with space/c.db", "cifs"),
        ("/mnt/p/c.db", "9p"),
        ("/mnt/sshfs/c.db", "fuse.sshfs"),
        ("/mnt/stick/c.db", ""),
        ("/mnt/layers/c.db", ""),
        ("/etc/c.db", ""),
        ("/covered/c.db", ""),
    ],
)
def test_networked_names_what_machines_may_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, kind: str
) -> None:
    planted = tmp_path / "mountinfo"
    planted.write_text(LINES, encoding="utf-8")
    monkeypatch.setattr(mounts, "MOUNTS", planted)
    assert mounts.networked(path) == kind


def test_networked_where_mounts_are_not_told_is_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mounts, "MOUNTS", tmp_path / "absent")
    assert mounts.networked("/home/c.db") == ""


# --- a cache on such a file system: F077 -------------------------------------------------------


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that the mounts call NFS."""
    folder = tmp_path.resolve() / "shared"
    folder.mkdir()
    planted = tmp_path / "mountinfo"
    planted.write_text(f"1 1 0:1 / {folder} rw - nfs4 server:/x rw\n", encoding="utf-8")
    monkeypatch.setattr(mounts, "MOUNTS", planted)
    yield folder
    engine._warn_of_network.cache_clear()


def journal(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


def test_cache_on_a_network_has_no_wal_and_warns_once(shared: Path) -> None:
    path = shared / "new" / "cache.sqlite"
    with pytest.warns(UserWarning, match=r"network file system \(nfs4\).*--cache"):
        cache = db.open_for_results(str(path))
    for seconds in (1e-3, 2e-3):
        cache.put(made(seconds=seconds))
        assert {file.name for file in path.parent.iterdir()} == {"cache.sqlite"}
    assert journal(path) == "delete"
    with db.open_cache(str(path), must_exist=True) as cache:
        assert len(cache.entries()) == 2


def test_cache_that_was_moved_to_a_network_drops_its_wal(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = shared / "cache.sqlite"
    with monkeypatch.context() as patch:
        patch.setattr(mounts, "MOUNTS", shared / "absent")
        with db.open_cache(str(path)) as cache:
            cache.put(made())
    assert journal(path) == "wal"
    with db.open_cache(str(path)) as cache:
        assert len(cache.entries()) == 1
    assert journal(path) == "wal", "reading changes nothing"
    with pytest.warns(UserWarning, match="network"):
        cache.put(made(seconds=2e-3))
    assert len(cache.entries()) == 2
    assert journal(path) == "delete"


def test_cache_that_cannot_do_without_its_wal_is_a_plain_error(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = shared / "cache.sqlite"
    db.open_cache(str(path)).close()
    monkeypatch.setattr(schema, "NO_WAL", "no such statement")
    with pytest.warns(UserWarning, match="network"), pytest.raises(StoreError, match="cannot be"):
        db.open_for_results(str(path))


def test_miss_on_a_network_is_noted_without_wal_or_a_word(shared: Path) -> None:
    path = shared / "cache.sqlite"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert note(str(path), [Miss(TARGET.key, WORKLOAD, 1, utc_now(), utc_now())])
    assert journal(path) == "delete"
