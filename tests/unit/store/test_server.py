"""What only a server's database has: creation, versions, rights, and a server that is not there."""

from __future__ import annotations

import os
import sys

import pytest

from autotune.errors import StoreError
from autotune.lookup import lookup
from autotune.store import schema
from autotune.store.db import Cache, open_cache
from tests.postgres import Server
from tests.records import TARGET, WORKLOAD, made


@pytest.fixture
def url(server: Server) -> str:
    return server.new_database()


def name_of(url: str) -> str:
    return url.partition("@/")[2].partition("?")[0]


def test_documented_sql_answers_through_psql(server: Server, url: str) -> None:
    with Cache(url) as cache:
        cache.put(made())
    assert server.run(name_of(url), "SELECT seconds, verified FROM records") == "0.001|1"
    assert server.run(name_of(url), "SELECT value FROM meta WHERE name = 'schema'") == str(
        schema.VERSION
    )


def test_database_without_a_cache_is_told_and_left_empty(server: Server, url: str) -> None:
    with pytest.raises(StoreError, match="holds nothing yet"):
        open_cache(url, must_exist=True)
    counted = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'"
    assert server.run(name_of(url), counted) == "0"


def test_table_of_another_program_is_left_as_it_is(server: Server, url: str) -> None:
    server.run(name_of(url), "CREATE TABLE meta (a TEXT)")
    with pytest.raises(StoreError, match=r"another program \(tables meta\)"):
        Cache(url)
    server.run(name_of(url), "DROP TABLE meta; CREATE TABLE records (a TEXT)")
    with pytest.raises(StoreError, match=r"another program \(tables records\)"):
        Cache(url)
    assert server.run(name_of(url), "SELECT count(*) FROM records") == "0"


def test_tables_of_other_names_do_not_disturb(server: Server, url: str) -> None:
    server.run(name_of(url), "CREATE TABLE mails (a TEXT)")
    with Cache(url) as cache:
        assert cache.put(made())


def test_newer_schema_is_refused_with_both_versions(server: Server, url: str) -> None:
    Cache(url).close()
    server.run(name_of(url), "UPDATE meta SET value = '99' WHERE name = 'schema'")
    with pytest.raises(StoreError, match=f"version 99; this program reads up to {schema.VERSION}"):
        Cache(url)


def test_older_schema_is_migrated_and_keeps_its_records(server: Server, url: str) -> None:
    with Cache(url) as cache:
        cache.put(made())
    older = "UPDATE meta SET value = '1' WHERE name = 'schema'; "
    added = ("cache_policy", "ties", "verified_at", "cliff", "cliff_low", "cliff_high")
    older += f"ALTER TABLE records {', '.join(f'DROP COLUMN {name}' for name in added)}"
    server.run(name_of(url), older)
    with Cache(url) as cache:
        assert cache.entries() == [made()]
        assert not cache.put(made())
    version = server.run(name_of(url), "SELECT value FROM meta WHERE name = 'schema'")
    assert version == str(schema.VERSION)


def test_role_that_may_only_read_reads_and_is_told_of_writing(server: Server, url: str) -> None:
    with Cache(url) as cache:
        cache.put(made())
    role = f"reader_{name_of(url)}"
    server.run(
        name_of(url),
        f"CREATE ROLE {role} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}",
    )
    with Cache(url.replace("autotune@", f"{role}@")) as cache:
        assert cache.get(TARGET.key, WORKLOAD.key) == made()
        with pytest.raises(StoreError, match="permission denied"):
            cache.put(made(seconds=2e-3))


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:secret@127.0.0.1:1/none",
        "postgresql://me:secret@/none?host=/nowhere",
        "postgresql://me:secret@host:port/none",
        "postgresql+psycopg://me:secret@127.0.0.1:1/none",
    ],
)
def test_server_that_is_not_there_is_one_line_without_the_password(url: str) -> None:
    with pytest.raises(StoreError) as caught:
        open_cache(url)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_driver_is_told_with_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"pip install 'autotune-kernels\[postgres\]'") as caught:
        open_cache("postgresql://me:secret@localhost:1/none")
    assert "secret" not in str(caught.value)


def test_lookup_on_a_server_answers_as_on_a_file(url: str) -> None:
    with Cache(url) as cache:
        cache.put(made())
    hit = lookup(WORKLOAD, target=TARGET, cache=url)
    assert (hit.origin, hit.seconds, hit.verified) == ("tuned", 1e-3, True)


def test_cache_of_the_parent_is_usable_after_a_fork(url: str) -> None:
    """No connection is shared: the child's work leaves the parent's cache sound."""
    with Cache(url) as cache:
        cache.put(made())
        child = os.fork()
        if not child:
            os._exit(0 if cache.put(made(seconds=2e-3)) else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert len(cache.entries()) == 2
