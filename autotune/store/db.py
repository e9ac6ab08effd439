"""The cache, for reading and writing, on SQLite or PostgreSQL.

Every statement is one of `schema`'s with bound parameters; each call is one transaction on a
connection of its own, so that a Cache may be shared between threads.
"""

from __future__ import annotations

import os
import shlex
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import groupby, islice
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from autotune.errors import StoreError, UsageError
from autotune.store import engine, importing, merge, paths, rescue, schema, snapshot, toolchain
from autotune.store import misses as noting
from autotune.store.identity import State
from autotune.store.misses import Miss, Noted
from autotune.store.pruning import Reasons, doomed
from autotune.store.read import (
    DAMAGE,
    DamagedError,
    entry_parameters,
    failure,
    find_parameters,
    inspect,
    records_of,
    relative_parameters,
)
from autotune.store.record import LOCAL, NEVER, Record, check, digest_of, from_row
from autotune.store.snapshot import Snapshot
from autotune.store.statistics import Statistics, counted
from autotune.store.transfer import read_export, write_export
from autotune.trial import CODEGEN_VERSION, Workload

ROWS_AT_ONCE = 1000

T = TypeVar("T")


class Cache:
    """Tuned schedules by (target, workload), in the file or database at `location`."""

    def __init__(
        self, location: str | os.PathLike[str] | None = None, must_exist: bool = False
    ) -> None:
        """Open a cache, and create it where it is absent.

        Args:
            location: a path or URL; None is the default cache.
            must_exist: refuse to create one.

        Raises:
            StoreError: it cannot be used; the message says why and what to do.
        """
        self.location = paths.cache_path(location)
        if paths.unpinned(self.location)[1]:
            raise UsageError(
                f"cache {self.location!r} names a snapshot by its content: only a lookup takes "
                f"that; allowed: a file or URL"
            )
        self._engine = engine.writing_engine(self.location)
        # What is only read may lie where nothing can be written.
        self._reading = engine.reading_engine(self.location) or self._engine
        self._unwritable: StoreError | None = None
        """Why it can only be read."""
        state = self._inspect(must_exist)
        try:
            self._check_place(location)
            if state != "ready":
                self._prepare()
        except StoreError as error:
            if state not in ("old", "ready"):
                raise
            self._unwritable = error

    def check_writable(self) -> None:
        """Find out now, and not after hours of tuning, that nothing can be stored.

        Raises:
            StoreError: the cache cannot be written.
        """
        with self._writing() as connection:
            connection.execute(text(schema.TOUCH_META))

    def put(self, record: Record) -> bool:
        """Add a record; False where this very measurement is there already.

        Raises:
            StoreError: a field that no measurement can have, or the cache cannot be written.
        """
        check(record)
        return self._renewing(lambda: self._put(record))

    def _put(self, record: Record) -> bool:
        with self._writing() as connection:
            added = connection.execute(text(schema.WRITE_RECORD), record.to_row()).rowcount == 1
            installed = toolchain.installed_llvmlite()
            if record.origin == LOCAL and installed:
                note = {"name": toolchain.NOTE + installed, "value": record.llvm}
                connection.execute(text(schema.WRITE_META), note)
            _forget_misses(connection, [record])
        noting.forget_beside(self.location, [(record.target_key, record.key)])
        return added

    def get(self, target_key: str, workload_key: str) -> Record | None:
        """The best record of a key, stale or not, or None."""
        records = self.ranked(target_key, workload_key)
        return records[0] if records else None

    def meta(self) -> dict[str, str]:
        """The `meta` table."""
        with self._transaction(self._reading) as connection:
            return engine.meta(connection)

    def ranked(self, target_key: str, workload_key: str) -> list[Record]:
        """The records of one key, best first."""
        with self._transaction(self._reading) as connection:
            llvm = toolchain.current_llvm(engine.meta(connection))
            sought = find_parameters(target_key, workload_key, llvm)
            found = engine.rows(connection, schema.FIND, sought)
        return records_of(found, self._shown, llvm)

    def targets(self, workload_key: str) -> list[str]:
        """Keys of the targets for which this workload has been tuned."""
        rows = self._select(schema.FIND_TARGETS, {"workload_key": workload_key})
        return [row["target_key"] for row in rows]

    def relatives(self, target_key: str, workload: Workload) -> list[tuple[str, str]]:
        """Key and shape of each workload of the same operator tuned for a target."""
        rows = self._select(schema.FIND_RELATIVES, relative_parameters(target_key, workload))
        return [(row["workload_key"], row["shape"]) for row in rows]

    def speedups(self, op: str) -> list[float]:
        """Default over tuned, for the records of one operator."""
        return [row["speedup"] for row in self._select(schema.FIND_SPEEDUPS, {"op": op})]

    def variants(self, workload: Workload) -> list[tuple[str, str]]:
        """Target key and workload key of every record of one operator and shape."""
        rows = self._select(schema.FIND_VARIANTS, workload.to_columns())
        return [(row["target_key"], row["workload_key"]) for row in rows]

    def entries(
        self,
        op: str = "",
        target: str = "",
        since: str = NEVER,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Record]:
        """Records by target and workload, those of each key best first; to_entry is their JSON.

        Args:
            op: only this operator's; empty is every one.
            target: only for targets that have this in their key.
            since: only those made at this time or later, as `Record.created`.
            limit: at most so many; None is all.
            offset: without so many before them.
        """
        with self._transaction(self._reading) as connection:
            llvm = toolchain.current_llvm(engine.meta(connection))
            sought = entry_parameters(op, target, since, llvm, limit, offset)
            found = engine.rows(connection, schema.READ_RECORDS, sought)
        return records_of(found, self._shown, llvm)

    def misses(self) -> list[dict[str, Any]]:
        """What was looked up, was not there and still is not: the JSON of `cache misses`."""
        return [miss.to_dict() for miss in self.missed()]

    def missed(self) -> list[Miss]:
        """The same as `Miss`es, most often missed first, wherever they were noted."""
        with self._transaction(self._reading) as connection:
            noted = noting.from_rows(engine.rows(connection, schema.READ_MISSES, {}))
            found = noting.union([*noted, *noting.read_beside(self.location)])
            tuned = [
                engine.rows(
                    connection,
                    schema.LAST_TUNED,
                    {"target_key": miss.target_key, "workload_key": miss.workload.key},
                )[0]["created"]
                for miss in found
            ]
        left = [m for m, at in zip(found, tuned, strict=True) if at is None or at < m.last_seen]
        return sorted(left, key=lambda m: (-m.count, m.target_key, m.workload.key))

    def note_misses(self, misses: Collection[Miss]) -> Noted:
        """Add to the counts of these misses, which are of different keys."""
        with self._writing() as connection:
            return noting.write(lambda sql, row: engine.rows(connection, sql, row), misses)

    def export(
        self,
        path: str | os.PathLike[str],
        op: str = "",
        target: str = "",
        since: str = NEVER,
        best: int | None = None,
        key_file: str | None = None,
    ) -> int:
        """Write records to a JSON-lines file; how many.

        Args:
            path: a name that ends in `.zst` is compressed.
            op: as for `entries`, like `target` and `since`.
            target: see there.
            since: see there.
            best: only so many of each key, the best; None is all.
            key_file: of the private key that signs the file; None is no signature.

        Raises:
            StoreError: the file cannot be written, or the cache not be read.
            UsageError: no such key, or a package that is needed is not installed.
        """
        records: Iterable[Record] = self.entries(op, target, since)
        if best is not None:
            by_key = groupby(records, key=lambda record: (record.target_key, record.key))
            records = [record for _, ranked in by_key for record in islice(ranked, best)]
        return write_export(path, records, key_file)

    def import_(
        self, path: str | os.PathLike[str], key_file: str | None = None
    ) -> importing.ImportReport:
        """Add the records of an exported file that are not here yet, all or none of them.

        Args:
            path: of the file; `.zst` or not is told by its content.
            key_file: of the public key whose owner must have signed it; None is anybody.

        Raises:
            StoreError: the file is no export of a known version, or is not signed as it must be, or
                the cache cannot be written; nothing has changed.
            UsageError: no such key, or a package that is needed is not installed.
        """
        file = read_export(path, key_file)
        records = merge.imported(file.records).values()
        added = self._renewing(lambda: self._add(records))
        return importing.report(file, added, toolchain.current_llvm(self.meta()))

    def prune(
        self, reasons: Reasons, op: str = "", target: str = "", dry_run: bool = False
    ) -> dict[str, Any]:
        """Remove records; how many for which reason, and how many are left: the JSON of `prune`.

        Args:
            reasons: why a record may go.
            op: as for `entries`, like `target`: others are not looked at.
            target: see there.
            dry_run: remove none.

        Raises:
            StoreError: the cache cannot be written; nothing has changed.
        """
        llvm = toolchain.current_llvm(self.meta())
        found = self._select(schema.READ_RECORDS, entry_parameters(op, target, NEVER, llvm))
        records: dict[str, Record] = {}
        going: dict[str, str] = {}
        for row in found:
            try:
                records[digest_of(row)] = from_row(row, llvm)
            except StoreError:
                if reasons.broken:
                    going[digest_of(row)] = "broken"
        going |= doomed(records, reasons)
        if going and not dry_run:
            with self._writing() as connection:
                rows = [{"digest": digest} for digest in going]
                connection.execute(text(schema.REMOVE_RECORD), rows)
        return {"removed": dict(Counter(going.values())), "left": len(found) - len(going)}

    def stats(self) -> Statistics:
        """What is in the cache, counted."""
        sought = {"codegen": CODEGEN_VERSION, "llvm": toolchain.current_llvm(self.meta())}
        return counted(
            self._select(schema.COUNT_RECORDS, sought),
            self._select(schema.COUNT_KEYS, {})[0]["keys"],
            len(self.misses()),
            self._shown,
            paths.size_bytes(self.location),
        )

    def snapshot(self, folder: str | os.PathLike[str]) -> Snapshot:
        """Write every record to a file in `folder` that is named by its content and never changes.

        Its `location` is what a lookup takes as cache to have these records and no others.

        Raises:
            StoreError: it cannot be written.
        """
        with self._transaction(self._reading) as connection:
            meta = engine.meta(connection)
        notes = [(name, meta[name]) for name in sorted(meta) if name.startswith(toolchain.NOTE)]
        rows = (record.to_row() for record in self.entries())
        return snapshot.write(os.fspath(folder), rows, notes)

    def close(self) -> None:
        """Give back connections; the cache may not be used afterwards."""
        self._engine.dispose()
        self._reading.dispose()

    def __enter__(self) -> Cache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _shown(self) -> str:
        return paths.shown(self.location)

    def _inspect(self, must_exist: bool) -> State:
        if paths.is_file(self.location):
            return inspect(self.location, must_exist)
        with self._transaction() as connection:
            state = engine.inspect_server(connection, self.location)
        if state == "empty" and must_exist:
            raise StoreError(
                f"cache {self._shown} holds nothing yet; tune something with `autotune run`, or "
                f"name another with --cache"
            )
        return state

    def _check_place(self, location: str | os.PathLike[str] | None) -> None:
        """Refuse to write where others have a hand in it."""
        if not paths.is_file(self.location):
            return
        try:
            problem = paths.writing_problem(self.location, paths.is_named(location))
        except OSError as error:
            raise failure(self.location, error) from error
        if problem:
            raise StoreError(f"cache {self.location} {problem}; nothing is written there")

    def _prepare(self) -> None:
        """Create the tables, or bring them to the present version."""
        if not paths.is_file(self.location):
            with self._transaction() as connection:
                engine.prepare_server(connection, self.location)
            return
        paths.make_folder(self.location)
        try:
            schema.create(self.location)
        except (*DAMAGE, OSError) as error:
            raise failure(self.location, error) from error

    def _add(self, records: Collection[Record]) -> int:
        rows = (record.to_row() for record in records)
        added = 0
        with self._writing() as connection:
            while some := [*islice(rows, ROWS_AT_ONCE)]:
                added += connection.execute(text(schema.WRITE_RECORD), some).rowcount
            _forget_misses(connection, records)
        noting.forget_beside(self.location, {(r.target_key, r.key) for r in records})
        return added

    def _select(self, sql: str, parameters: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        with self._transaction(self._reading) as connection:
            return engine.rows(connection, sql, parameters)

    def _renewing(self, write: Callable[[], T]) -> T:
        """Write; where the file turns out to be damaged and is ours, into a new one."""
        try:
            return write()
        except DamagedError:
            if not paths.is_file(self.location) or not rescue.move_aside(self.location):
                raise
            return write()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        if self._unwritable:
            raise self._unwritable
        with self._transaction() as connection:
            yield connection

    @contextmanager
    def _transaction(self, chosen: Engine | None = None) -> Iterator[Connection]:
        with self._in_plain_words(), (chosen or self._engine).begin() as connection:
            yield connection

    @contextmanager
    def _in_plain_words(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, UnicodeDecodeError) as error:
            raise failure(self._shown, getattr(error, "orig", None) or error) from error


def open_cache(location: str | os.PathLike[str] | None = None, must_exist: bool = False) -> Cache:
    """The cache at a path or URL; None is the default one."""
    return Cache(location, must_exist)


def open_for_results(location: str | None = None) -> Cache:
    """A cache that can be written now: where that which nobody named cannot, a spare one.

    Raises:
        StoreError: it cannot be written.
    """
    try:
        return _writable(location)
    except StoreError as error:
        if paths.is_named(location):
            raise
        instead = _writable(paths.spare_path(paths.FILE_NAME))
        spare = shlex.quote(instead.location)
        warnings.warn(
            f"{error}; results go to {spare} instead: AUTOTUNE_CACHE={spare} uses them, `autotune "
            f"cache export FILE --cache {spare}` and `autotune cache import FILE` move them",
            UserWarning,
            stacklevel=3,
        )
        return instead


def open_to_write(location: str | os.PathLike[str] | None = None) -> Cache:
    """The cache at a path or URL; a damaged file of ours is moved aside first.

    Raises:
        StoreError: as `Cache` does.
    """
    try:
        return Cache(location)
    except DamagedError:
        path = paths.cache_path(location)
        if not rescue.move_aside(path):
            raise
        return Cache(location)


def _writable(location: str | None) -> Cache:
    with ExitStack() as stack:
        cache = stack.enter_context(open_to_write(location))
        cache.check_writable()
        stack.pop_all()
    return cache


def _forget_misses(connection: Connection, records: Iterable[Record]) -> None:
    """Remove the misses that these records settle."""
    keys = [{"target_key": r.target_key, "workload_key": r.key} for r in records]
    if keys:
        connection.execute(text(schema.FORGET_MISS), keys)
