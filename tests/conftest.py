"""Fixtures and marks for every test: nothing here touches the user's own cache or data."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.postgres import Server, programs, running


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write the golden texts instead of comparing"
    )


@pytest.fixture(scope="session")
def update_golden(pytestconfig: pytest.Config) -> bool:
    """Whether golden texts are to be written; a missing one fails otherwise."""
    return bool(pytestconfig.getoption("--update-golden"))


@pytest.fixture
def golden(update_golden: bool, root: Path) -> Callable[[str, str], None]:
    """Compares a text with the file of this name below tests/golden, or writes it."""

    def check(name: str, text: str) -> None:
        path = root / "tests" / "golden" / name
        if update_golden:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"{name} is missing: run pytest with --update-golden"
        assert path.read_text(encoding="utf-8") == text

    return check


@pytest.fixture(scope="session", autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The default cache and log folder of this run, also for the processes it starts."""
    folder = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOTUNE_CACHE", str(folder / "cache.db"))
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))
        yield


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout's folder."""
    return Path(__file__).resolve().parent.parent


@functools.cache
def _cpu_features() -> frozenset[str]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return frozenset()
    flags = next((line for line in text.splitlines() if line.startswith("flags")), "")
    return frozenset(flags.partition(":")[2].split())


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("isa"):
        missing = [feature for feature in mark.args if feature not in _cpu_features()]
        if missing:
            pytest.skip(f"this CPU lacks {', '.join(missing)}")


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL server that the tests start themselves, from programs that are installed."""
    found = programs()
    if found is None:
        pytest.skip("PostgreSQL's server programs (initdb, postgres) are not installed")
    with running(found) as started:
        yield started


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a cache may be made that does not exist yet: a file, then a server's database."""
    if request.param == "sqlite":
        return str(tmp_path / "cache.sqlite")
    started: Server = request.getfixturevalue("server")
    return started.new_database()
