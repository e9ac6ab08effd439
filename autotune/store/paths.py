"""Where the cache and the logs live. The only place of the store that reads the environment."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

from autotune.errors import StoreError, UsageError

FILE_NAME = "cache.sqlite"
PIN = "#sha256="
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
_SQLITE_URL = ("sqlite:///", "sqlite+pysqlite:///")
_OTHER_URL = ("postgresql://", "postgres://", "postgresql+psycopg://")


def cache_path(location: str | os.PathLike[str] | None = None) -> str:
    """The path or URL that `location` means; None is the default cache.

    The default is `$AUTOTUNE_CACHE` (a path or URL) where set, else
    `$XDG_CACHE_HOME/autotune/cache.sqlite` (an absolute path is required there), else
    `~/.cache/autotune/cache.sqlite`. A `sqlite:///` URL becomes its path.

    Raises:
        StoreError: no default, since this user has no home folder.
        UsageError: not a path, nor a URL of a kind that is supported.
    """
    if location is None:
        remedy = "set AUTOTUNE_CACHE or pass --cache FILE"
        text = os.environ.get("AUTOTUNE_CACHE") or os.path.join(
            _user_folder("XDG_CACHE_HOME", ".cache", remedy), FILE_NAME
        )
    else:
        text = os.fspath(location)
    for prefix in _SQLITE_URL:
        if text.startswith(prefix):
            text = text.removeprefix(prefix)
    if not text or "\0" in text or ("://" in text and not text.startswith(_OTHER_URL)):
        raise UsageError(
            f"cache {shown(text)!r} is not allowed; allowed: a file, sqlite:///FILE or "
            f"postgresql://HOST/NAME"
        )
    if PIN in text and not (is_file(text) and _DIGEST.match(unpinned(text)[1])):
        raise UsageError(
            f"cache {shown(text)!r} is not allowed; allowed before {PIN}: a file, behind it: 64 "
            f"hexadecimal digits"
        )
    return text


def is_named(location: str | os.PathLike[str] | None) -> bool:
    """Whether somebody chose this cache, so that no other one may take its place."""
    return location is not None or bool(os.environ.get("AUTOTUNE_CACHE"))


def is_file(location: str) -> bool:
    """Whether this, a result of `cache_path`, is an SQLite file and not a server's URL."""
    return "://" not in location


def absolute(location: str) -> str:
    """The same cache, wherever this process goes later; '' stays none."""
    return os.path.abspath(location) if location and is_file(location) else location


def unpinned(location: str) -> tuple[str, str]:
    """The file of `FILE#sha256=HEX` and its digest, which is empty where none is asked for."""
    path, _, digest = location.partition(PIN)
    return path, digest


def locations(
    named: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None,
) -> tuple[str, ...]:
    """What a lookup reads, from the top layer down.

    None is the default cache above those that `$AUTOTUNE_CACHE_LAYERS` lists, joined by `:`, when
    it is first asked for.

    Raises:
        StoreError: no default, since this user has no home folder.
        UsageError: one that `cache_path` refuses, or none.
    """
    if named is None:
        return (cache_path(), *shipped())
    if isinstance(named, str | os.PathLike):
        return (cache_path(named),)
    found = tuple(map(cache_path, named))
    if not found:
        raise UsageError("cache is an empty list; allowed: one path or URL, or several")
    return found


@cache
def shipped() -> tuple[str, ...]:
    """The caches below the default one: `$AUTOTUNE_CACHE_LAYERS`, read once a process."""
    listed = os.environ.get("AUTOTUNE_CACHE_LAYERS", "")
    return tuple(cache_path(path) for path in listed.split(os.pathsep) if path)


def shown(location: str) -> str:
    """The location without a password, for messages."""
    scheme, separator, rest = location.partition("://")
    if not separator or "@" not in rest:
        return location
    return f"{scheme}://***@{rest.rpartition('@')[2]}"


def size_bytes(location: str) -> int | None:
    """Of a file and its write-ahead log; None of a server's URL.

    Raises:
        StoreError: the file cannot be looked at.
    """
    if not is_file(location):
        return None
    log = f"{location}-wal"
    try:
        return os.path.getsize(location) + (os.path.getsize(log) if os.path.exists(log) else 0)
    except OSError as error:
        raise StoreError(f"cache {location} cannot be read: {error.strerror}") from error


def log_folder() -> str:
    """The folder for tuning logs: `$XDG_DATA_HOME/autotune`, else `~/.local/share/autotune`.

    Raises:
        StoreError: this user has no home folder.
    """
    return _user_folder("XDG_DATA_HOME", os.path.join(".local", "share"), "pass --log FILE")


def make_folder(path: str) -> None:
    """Create the folder that `path` lies in, for this user only, where it is missing.

    Raises:
        StoreError: it cannot be created.
    """
    folder = os.path.dirname(os.path.abspath(path))
    try:
        Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"folder {folder} cannot be created: {error.strerror}; name another with --cache or "
            f"AUTOTUNE_CACHE"
        ) from error


def writing_problem(path: str, is_named: bool) -> str:
    """Why nothing is to be written to this file, in words that follow its name; empty if nothing.

    Args:
        path: of a cache, which need not exist.
        is_named: somebody chose it; where nobody did, the folder is to be this user's alone.
    """
    with suppress(FileNotFoundError):
        owner = os.lstat(path).st_uid
        if owner != os.geteuid():
            return f"belongs to another user (uid {owner}); copy it, or export and import it"
    folder = os.path.dirname(os.path.abspath(path))
    with suppress(FileNotFoundError):
        status = os.stat(folder)
        if not is_named and (status.st_uid != os.geteuid() or status.st_mode & 0o022):
            return f"lies in a folder into which others can write; `chmod 700 {folder}` ends that"
    return ""


def spare_path(name: str) -> str:
    """Where a file of this name goes that cannot lie where it belongs.

    A folder among the temporary files, of mode 0700 and made when needed.

    Raises:
        StoreError: it cannot be created, or others have a hand in it.
    """
    import tempfile  # slow, and a lookup never comes here

    try:
        folder = os.path.join(tempfile.gettempdir(), f"autotune-{os.getuid()}")
        path = os.path.join(folder, name)
        make_folder(path)
        status = os.lstat(folder)
    except OSError as error:
        raise StoreError(f"there is no folder for temporary files: {error.strerror}") from error
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise StoreError(f"folder {folder} is not this user's alone; nothing is put there")
    return path


def _user_folder(variable: str, below_home: str, remedy: str) -> str:
    root = os.environ.get(variable, "")
    if not os.path.isabs(root):  # the XDG rules say to ignore a relative one
        # Of an empty HOME, Python would make the root folder.
        home = os.path.expanduser("~") if os.environ.get("HOME", "?") else ""
        if not os.path.isabs(home):
            raise StoreError(
                f"there is no home folder (HOME is not set, or is no full path) and no {variable}; "
                f"{remedy}"
            )
        root = os.path.join(home, below_home)
    return os.path.join(root, "autotune")
