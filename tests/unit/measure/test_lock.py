"""Tuners take turns; a lock that is not plainly ours never stops anyone."""

from __future__ import annotations

import stat
import time
from pathlib import Path

from autotune.measure.lock import DeviceLock, lock_path


def never() -> None:
    raise AssertionError("nobody else holds the lock")


def test_lone_holder_does_not_wait(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    lock = DeviceLock(path)
    for _ in range(2):
        with lock.turn(never, never):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600


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


def test_path_is_the_same_for_all_tuners_of_a_user() -> None:
    assert lock_path() == lock_path()
    assert lock_path().is_absolute()
