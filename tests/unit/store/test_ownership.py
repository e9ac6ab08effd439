"""Whose files a cache reads and writes: F093."""

from __future__ import annotations

import ast
import os
import sqlite3
import warnings
from contextlib import closing
from pathlib import Path

import pytest

from autotune.errors import StoreError
from autotune.lookup import lookup
from autotune.ops.base import parse_workload
from autotune.store import read
from autotune.store.db import Cache, open_cache, open_for_results
from autotune.store.misses import Miss, note
from autotune.store.record import utc_now
from tests.records import TARGET, WORKLOAD, made


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A cache of this user with one record."""
    path = str(tmp_path / "cache.sqlite")
    with Cache(path) as cache:
        cache.put(made())
    return path


@pytest.fixture
def foreign(path: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same, and this process is somebody else's, though its rights are the same."""
    owner = os.stat(path).st_uid or 1000
    if os.geteuid() == 0:
        os.chown(path, owner, -1)
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    read._warn_of_owner.cache_clear()
    return path


def test_link_in_place_of_a_cache_is_refused(path: str, tmp_path: Path) -> None:
    link = tmp_path / "link.sqlite"
    link.symlink_to(path)
    for use in (
        lambda: open_cache(link),
        lambda: open_for_results(str(link)),
        lambda: read.find(str(link), TARGET.key, WORKLOAD.key),
        lambda: lookup(WORKLOAD, target=TARGET, cache=link),
    ):
        with pytest.raises(StoreError, match="is a symbolic link; name the file"):
            use()


def test_link_that_leads_nowhere_is_not_followed_to_make_a_cache(tmp_path: Path) -> None:
    link = tmp_path / "link.sqlite"
    link.symlink_to(tmp_path / "elsewhere.sqlite")
    with pytest.raises(StoreError, match="is a symbolic link"):
        open_cache(link)
    assert not (tmp_path / "elsewhere.sqlite").exists()


def test_folder_that_is_a_link_is_fine(path: str, tmp_path: Path) -> None:
    (tmp_path / "folder").symlink_to(tmp_path)
    with Cache(tmp_path / "folder" / "cache.sqlite") as cache:
        assert cache.put(made(seconds=2e-3))


def test_cache_of_another_user_is_read_with_one_warning_and_never_written(foreign: str) -> None:
    with pytest.warns(UserWarning, match="belongs to another user") as told:
        cache = open_cache(foreign)
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache.get(TARGET.key, WORKLOAD.key) == made()
        assert read.find(foreign, TARGET.key, WORKLOAD.key) == made()
        for write in (cache.check_writable, lambda: cache.put(made(seconds=2e-3))):
            with pytest.raises(StoreError, match=r"belongs to another user .* nothing is written"):
                write()
        with pytest.raises(StoreError, match="nothing is written there"):
            open_for_results(foreign)
    assert len(cache.entries()) == 1


def test_miss_is_not_noted_in_a_cache_of_another_user(foreign: str) -> None:
    other = parse_workload("matmul", "m=5,n=6,k=7")
    now = utc_now()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        note(foreign, [Miss(TARGET.key, other, 1, now, now)])
    with closing(sqlite3.connect(foreign)) as connection:
        assert connection.execute("SELECT count(*) FROM misses").fetchone() == (0,)


def test_cache_of_the_superuser_is_read_without_a_word(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that an administrator installed for everybody."""
    status = os.lstat(path)
    shown = os.stat_result([*status[:4], 0, *status[5:10]])
    monkeypatch.setattr(os, "lstat", lambda _: shown)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read.find(path, TARGET.key, WORKLOAD.key) == made()


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722])
def test_default_folder_into_which_others_can_write_gets_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    monkeypatch.delenv("AUTOTUNE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "autotune"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(StoreError, match=f"others can write; `chmod 700 {folder}` ends that"):
        open_cache()
    assert list(folder.iterdir()) == []
    folder.chmod(0o755)
    with open_cache() as cache:
        assert cache.put(made())
    folder.chmod(mode)
    with open_cache() as cache, pytest.raises(StoreError, match="others can write"):
        cache.put(made(seconds=2e-3))
    with open_cache(folder / "cache.sqlite") as cache:
        assert cache.put(made(seconds=2e-3)), "whoever names a place has chosen it"


def test_default_folder_is_made_for_this_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AUTOTUNE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    open_cache().close()
    assert (tmp_path / "autotune").stat().st_mode & 0o777 == 0o700


def test_place_that_cannot_be_looked_at_is_a_plain_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError):
        open_cache(tmp_path / "file" / "cache.sqlite")


LOADERS = {"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve", "yaml"}


def test_nothing_that_is_read_can_be_executed(root: Path) -> None:
    """F092, F094: no module that makes objects or code of what it reads, and no call that does."""
    for path in (root / "autotune").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: set[str] = set()
            if isinstance(node, ast.Import):
                names = {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names = {str(node.module).partition(".")[0]}
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                names = {node.func.id} & {"eval", "exec", "compile", "__import__"}
                assert not names, f"{path.name}:{node.lineno} calls {names}"
            assert not names & LOADERS, f"{path.name} imports {names & LOADERS}"
