"""Tuners take turns; a lock that cannot be had never stops anyone."""

from __future__ import annotations

import os
import stat
import tempfile
import time
from pathlib import Path

import pytest

from autotune.measure.lock import DeviceLock, lock_path


def never() -> None:
    raise AssertionError("nobody else holds the lock")


def test_lone_holder_does_not_wait(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    lock = DeviceLock(path)
    for _ in range(2):
        with lock.turn(never, never):
            assert stat.S_ISREG(path.stat().st_mode)
            assert not path.stat().st_mode & 0o022


def test_second_waits_its_turn_and_says_so(tmp_path: Path) -> None:
    first, second = DeviceLock(tmp_path / "lock"), DeviceLock(tmp_path / "lock")
    said = []
    with first.turn(never, never):
        started = time.monotonic()
        with second.turn(lambda: said.append("waiting"), lambda: said.append("resumed"), 0.05):
            assert time.monotonic() - started >= 0.05
    assert said == ["waiting", "resumed"]
    with second.turn(never, never):
        pass


def test_link_or_folder_in_its_place_is_left_alone(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("kept")
    (tmp_path / "link").symlink_to(victim)
    for place in (tmp_path / "link", tmp_path, tmp_path / "no" / "folder"):
        with DeviceLock(place).turn(never, never):
            pass
    assert victim.read_text() == "kept"


def test_path_is_the_same_whatever_the_user_and_the_temporary_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = lock_path()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(os, "getuid", lambda: 2000)
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert lock_path() == before
    assert lock_path().is_absolute()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_lock_that_another_user_made_is_shared() -> None:
    said: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        path = Path(folder, "lock")
        with DeviceLock(path).turn(never, never):
            os.seteuid(2000)
            try:
                other = DeviceLock(path)
            finally:
                os.seteuid(0)
            with other.turn(lambda: said.append("waiting"), lambda: said.append("resumed"), 0.01):
                pass
    assert said == ["waiting", "resumed"]


def test_holder_that_never_lets_go_is_waited_for_only_once(tmp_path: Path) -> None:
    stuck, second = DeviceLock(tmp_path / "lock"), DeviceLock(tmp_path / "lock")
    with stuck.turn(never, never):
        spent = []
        for _ in range(2):
            started = time.monotonic()
            with second.turn(lambda: None, lambda: None, 0.3):
                spent.append(time.monotonic() - started)
    assert spent[0] >= 0.3 > spent[1]
    with second.turn(never, never), stuck.turn(lambda: None, lambda: None, 0.3):
        pass


def test_named_pipe_in_its_place_does_not_hang_anyone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with DeviceLock(tmp_path / "pipe").turn(never, never):
        pass
