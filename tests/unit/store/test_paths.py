from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from autotune.errors import StoreError, UsageError
from autotune.store import paths


def _environment(patch: pytest.MonkeyPatch, **values: str) -> None:
    for name in ("AUTOTUNE_CACHE", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        patch.delenv(name, raising=False)
    for name, value in values.items():
        patch.setenv(name, value)


def test_default_is_autotune_cache_then_xdg_then_home(monkeypatch: pytest.MonkeyPatch) -> None:
    _environment(monkeypatch, HOME="/home/me")
    assert paths.cache_path() == "/home/me/.cache/autotune/cache.sqlite"
    _environment(monkeypatch, HOME="/home/me", XDG_CACHE_HOME="/c d/é")
    assert paths.cache_path() == "/c d/é/autotune/cache.sqlite"
    _environment(monkeypatch, HOME="/home/me", XDG_CACHE_HOME="relative")
    assert paths.cache_path() == "/home/me/.cache/autotune/cache.sqlite"
    _environment(monkeypatch, XDG_CACHE_HOME="/c", AUTOTUNE_CACHE="/mine.sqlite")
    assert paths.cache_path() == "/mine.sqlite"
    assert paths.cache_path("other") == "other"


def test_logs_go_to_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    _environment(monkeypatch, HOME="/home/me")
    assert paths.log_folder() == "/home/me/.local/share/autotune"
    _environment(monkeypatch, XDG_DATA_HOME="/d")
    assert paths.log_folder() == "/d/autotune"


def test_no_home_folder_is_a_plain_error(monkeypatch: pytest.MonkeyPatch) -> None:
    _environment(monkeypatch)
    monkeypatch.setattr("os.path.expanduser", lambda text: text)
    with pytest.raises(StoreError, match=r"HOME is not set.*--cache FILE"):
        paths.cache_path()


def test_empty_home_is_no_home_and_the_remedy_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    _environment(monkeypatch, HOME="")
    with pytest.raises(StoreError, match=r"no home folder.*--cache FILE"):
        paths.cache_path()
    with pytest.raises(StoreError, match=r"no home folder.*--log FILE"):
        paths.log_folder()


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("sqlite:///rel.db", "rel.db"),
        ("sqlite:////abs.db", "/abs.db"),
        ("sqlite+pysqlite:////abs.db", "/abs.db"),
        (Path("a/b"), "a/b"),
        ("postgresql://h/n", "postgresql://h/n"),
    ],
)
def test_location_becomes_a_path_or_stays_a_url(location: str | Path, path: str) -> None:
    assert paths.cache_path(location) == path


@pytest.mark.parametrize(
    "location", ["", "a\0b", "sqlite://", "sqlite:///", "mysql://h/n", "http://x"]
)
def test_location_of_no_known_kind_is_refused(location: str) -> None:
    with pytest.raises(UsageError, match="allowed: a file"):
        paths.cache_path(location)


def test_password_is_not_shown() -> None:
    with pytest.raises(UsageError) as caught:
        paths.cache_path("mysql://me:secret@host/n")
    assert "secret" not in str(caught.value)
    assert paths.shown("postgresql://me:secret@host/n") == "postgresql://***@host/n"
    assert paths.shown("/plain@path") == "/plain@path"


def test_new_folders_are_for_this_user_only(tmp_path: Path) -> None:
    paths.make_folder(str(tmp_path / "a" / "cache.sqlite"))
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o700


def test_folder_below_a_file_is_a_plain_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be created"):
        paths.make_folder(str(tmp_path / "file" / "cache.sqlite"))


def test_named_is_what_an_argument_or_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    _environment(monkeypatch, XDG_CACHE_HOME="/c")
    assert not paths.is_named(None)
    assert paths.is_named("f.db")
    _environment(monkeypatch, AUTOTUNE_CACHE="/mine.sqlite")
    assert paths.is_named(None)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_spare_path_is_in_a_folder_for_this_user_only(temporary: Path) -> None:
    path = paths.spare_path("cache.sqlite")
    assert path == str(temporary / f"autotune-{os.getuid()}" / "cache.sqlite")
    assert os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700
    assert paths.spare_path("cache.sqlite") == path


@pytest.mark.parametrize("kind", ["open to others", "a link", "a file", "somebody else's"])
def test_spare_folder_that_others_have_a_hand_in_is_refused(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """F093, F097."""
    folder = temporary / f"autotune-{os.getuid()}"
    match kind:
        case "open to others":
            folder.mkdir()
            folder.chmod(0o770)
        case "a link":
            (temporary / "elsewhere").mkdir(mode=0o700)
            folder.symlink_to(temporary / "elsewhere")
        case "a file":
            folder.write_text("")
        case _:
            folder.mkdir(mode=0o700)
            owner = os.getuid()
            folder.rename(temporary / f"autotune-{owner + 1}")
            monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    with pytest.raises(StoreError, match=r"not this user's alone|cannot be created"):
        paths.spare_path("cache.sqlite")


def test_no_folder_for_temporary_files_is_a_plain_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    with pytest.raises(StoreError, match="no folder for temporary files: No usable"):
        paths.spare_path("cache.sqlite")
