from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import Any

import pytest

from autotune.errors import StoreError
from autotune.keeping import Keeping, keep, open_log
from autotune.store.db import open_cache
from autotune.store.log import LogWriter, read
from autotune.store.record import Record
from tests.records import TARGET, WORKLOAD, made


class Full:
    """A cache whose disk has filled."""

    def get(self, target_key: str, workload_key: str) -> Record | None:
        return None

    def put(self, record: Record) -> bool:
        raise StoreError("cache c.db cannot be used: database or disk is full")


def keeping(**changes: Any) -> Keeping:
    fields = {
        "cache": Full(),
        "workload": WORKLOAD,
        "target": TARGET,
        "seed": 0,
        "machine": "amd-25-17",
        "llvm": "20.1",
        "version": "0.1",
        "cache_name": "my cache.db",
        "log_name": "run.jsonl",
    }
    return Keeping(**{**fields, **changes})


def test_record_that_the_cache_takes_leaves_nothing_to_tell(tmp_path: Path) -> None:
    with open_cache(tmp_path / "c.db") as cache:
        assert keep(made(), keeping(cache=cache)) == ""
        assert cache.entries() == [made()]


def test_record_that_the_cache_does_not_take_is_told_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F099: and that command is all that is needed."""
    monkeypatch.chdir(tmp_path)
    line = keep(made(), keeping(log_name=str(tmp_path / "a log.jsonl")))
    assert "\n" not in line
    assert "database or disk is full" in line
    words = shlex.split(line.partition("later: ")[2])
    assert words[:3] == ["autotune", "cache", "import"]
    assert words[4:] == ["--cache", "my cache.db"]
    with open_cache(tmp_path / "c.db") as cache:
        assert cache.import_(words[3]).added == 1


def test_record_that_nothing_takes_is_in_the_log_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/proc/none")
    line = keep(made(), keeping(log_name="/proc/none/run.jsonl"))
    assert line.startswith("the result is not in the cache, only in the log: cache c.db")


def test_log_without_a_name_is_a_new_one_in_the_users_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "a b" / "é"))
    with open_log(None, WORKLOAD, None, {"seed": 3}) as log:
        assert Path(log.path).parent == tmp_path / "a b" / "é" / "autotune"
    assert read(log.path).header["seed"] == 3


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files, of a user whose logs are anybody's guess."""
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("home", ["", "/proc/none"])
def test_log_that_cannot_lie_there_is_among_temporary_files(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    """F097."""
    monkeypatch.setenv("HOME", home)
    with pytest.warns(UserWarning, match="the log of this run is") as told:
        open_log(None, WORKLOAD, None, {}).close()
    [warning] = told
    path = Path(str(warning.message).partition("the log of this run is ")[2])
    assert path.parent.parent == temporary
    assert read(path).header["kind"] == "header"


def test_log_whose_first_line_has_no_room_goes_elsewhere(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F099."""
    real = LogWriter.header

    def header(self: LogWriter, **fields: object) -> None:
        if not self.path.startswith(str(temporary / "autotune-")):
            raise StoreError(f"log {self.path} cannot be written: no space left")
        real(self, **fields)

    monkeypatch.setenv("HOME", str(temporary / "home"))
    monkeypatch.setattr(LogWriter, "header", header)
    with (
        pytest.warns(UserWarning, match="no space left"),
        open_log(None, WORKLOAD, None, {"seed": 3}) as log,
    ):
        assert read(log.path).header["seed"] == 3


def test_log_of_a_run_that_goes_on_is_begun_by_a_resume_line(tmp_path: Path) -> None:
    path = str(tmp_path / "l.jsonl")
    open_log(path, WORKLOAD, None, {}).close()
    open_log(path, WORKLOAD, 4, {"seed": 5}).close()
    assert [head["kind"] for head in read(path).heads] == ["header", "resume"]


def test_log_that_was_named_is_never_replaced(tmp_path: Path) -> None:
    with open_log(str(tmp_path / "l.jsonl"), WORKLOAD, None, {}) as log:
        assert log.path == str(tmp_path / "l.jsonl")
    with pytest.raises(StoreError, match=r"/proc/none/l\.jsonl cannot be written"):
        open_log("/proc/none/l.jsonl", WORKLOAD, None, {})
    with pytest.raises(StoreError, match="/dev/full cannot be written"):
        open_log("/dev/full", WORKLOAD, None, {})
