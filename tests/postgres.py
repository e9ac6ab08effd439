"""A PostgreSQL server for tests: its own data, a socket nobody else sees, gone at the end.

The server refuses to run as root; there it runs as `postgres` or `nobody`.
"""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROLE = "autotune"
START_S = 60.0
_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "max_connections": "50",
    "shared_buffers": "16MB",
    "log_min_messages": "fatal",
}


def programs() -> Path | None:
    """The folder of the newest server programs; None where there are none."""
    on_path = (Path(shutil.which(name) or "") for name in ("postgres", "initdb"))
    folders = [program.resolve().parent for program in on_path]
    by_version = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    return next((folder for folder in [*by_version, *folders] if _has_all(folder)), None)


def _version(folder: Path) -> int:
    return int("0" + folder.parent.name.partition(".")[0])


def _has_all(folder: Path) -> bool:
    return all((folder / name).is_file() for name in ("initdb", "postgres", "pg_isready", "psql"))


class Server:
    """A server that runs; every `new_database` is an empty one."""

    def __init__(self, bin_folder: Path, folder: Path) -> None:
        self._bin = bin_folder
        self._folder = folder
        self._numbers = itertools.count()

    def new_database(self) -> str:
        """The URL of a database that holds nothing."""
        name = f"cache{next(self._numbers)}"
        self.run("postgres", f"CREATE DATABASE {name}")
        return self.url(name)

    def url(self, name: str) -> str:
        return f"postgresql://{ROLE}@/{name}?host={self._folder}"

    def run(self, name: str, sql: str) -> str:
        """What psql prints for a statement, unaligned."""
        command = [str(self._bin / "psql"), "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"]
        command += ["-h", str(self._folder), "-U", ROLE, "-d", name, "-c", sql]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.strip()


@contextmanager
def running(bin_folder: Path) -> Iterator[Server]:
    """A server as long as the block lasts."""
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    user = _user()
    try:
        if user:
            os.chown(folder, user.pw_uid, user.pw_gid)
        made = [str(bin_folder / "initdb"), "-D", str(folder / "data"), "-U", ROLE, "-A", "trust"]
        made += ["-E", "UTF8", "--locale=C", "--no-sync"]
        shown = subprocess.run(
            [*_as(user), *made],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=START_S,
            check=False,
        )
        assert shown.returncode == 0, shown.stderr
        settings = [f"--{name}={value}" for name, value in _SETTINGS.items()]
        command = [str(bin_folder / "postgres"), "-D", str(folder / "data"), "-k", str(folder)]
        with open(folder / "log", "wb") as log:
            server = subprocess.Popen(
                [*_as(user), *command, *settings], cwd=folder, stdout=log, stderr=log
            )
        try:
            _wait(bin_folder, folder, server)
            yield Server(bin_folder, folder)
        finally:
            server.send_signal(signal.SIGINT)  # "fast": waits for no client
            server.wait(START_S)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(bin_folder: Path, folder: Path, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    asked = [str(bin_folder / "pg_isready"), "-q", "-h", str(folder), "-U", ROLE]
    while subprocess.run(asked, check=False).returncode != 0:
        log = (folder / "log").read_text(encoding="utf-8", errors="replace")
        assert server.poll() is None, log
        assert time.monotonic() < deadline, log
        time.sleep(0.05)


def _user() -> pwd.struct_passwd | None:
    """Whom the server runs as; None is whoever runs the tests."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


def _as(user: pwd.struct_passwd | None) -> list[str]:
    if user is None:
        return []
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
