"""The cache's tables and every statement on them, as docs/cache.md shows them.

One text for SQLite and PostgreSQL, with named parameters, so that the standard library's sqlite3
and SQLAlchemy run the very same. Creation is one transaction: readers see all or nothing.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, suppress

from autotune.store.mounts import networked

APPLICATION = "autotune"
APPLICATION_ID = 0x6175746F
"""In the header of an SQLite file, since version 3: it tells whose a damaged file is."""
VERSION = 3
"""Version of the tables; a newer one is refused, older ones are migrated where they are written."""
BUSY_TIMEOUT_S = 10.0

TABLES = (
    """CREATE TABLE IF NOT EXISTS meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
)""",
    """CREATE TABLE IF NOT EXISTS records (
    digest TEXT PRIMARY KEY,
    target_key TEXT NOT NULL,
    workload_key TEXT NOT NULL,
    op TEXT NOT NULL,
    shape TEXT NOT NULL,
    dtype TEXT NOT NULL,
    layout TEXT NOT NULL,
    tolerance DOUBLE PRECISION NOT NULL CHECK (tolerance > 0),
    schedule TEXT NOT NULL,
    schedule_digest TEXT NOT NULL,
    seconds DOUBLE PRECISION NOT NULL CHECK (seconds > 0 AND seconds < 1e9),
    gflops DOUBLE PRECISION NOT NULL CHECK (gflops > 0 AND gflops < 1e12),
    samples TEXT NOT NULL,
    baseline_seconds DOUBLE PRECISION NOT NULL
        CHECK (baseline_seconds > 0 AND baseline_seconds < 1e9),
    speedup DOUBLE PRECISION NOT NULL CHECK (speedup > 0 AND speedup < 1e9),
    speedup_low DOUBLE PRECISION NOT NULL,
    speedup_high DOUBLE PRECISION NOT NULL,
    error_units DOUBLE PRECISION NOT NULL CHECK (error_units >= 0),
    trials BIGINT NOT NULL,
    seed BIGINT NOT NULL,
    llvm TEXT NOT NULL,
    codegen BIGINT NOT NULL,
    version TEXT NOT NULL,
    machine TEXT NOT NULL,
    cache_policy TEXT NOT NULL DEFAULT 'warm',
    ties TEXT NOT NULL DEFAULT '[]',
    created TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('local', 'imported')),
    verified INTEGER NOT NULL CHECK (verified IN (0, 1)),
    verified_at TEXT,
    cliff DOUBLE PRECISION CHECK (cliff > 0 AND cliff < 1e9),
    cliff_low DOUBLE PRECISION,
    cliff_high DOUBLE PRECISION
)""",
    "CREATE INDEX IF NOT EXISTS records_by_key ON records (target_key, workload_key)",
    "CREATE INDEX IF NOT EXISTS records_by_workload ON records (workload_key, target_key)",
    "CREATE INDEX IF NOT EXISTS records_by_op ON records (op, dtype, layout, target_key)",
    "CREATE INDEX IF NOT EXISTS records_by_age ON records (op, created)",
    """CREATE TABLE IF NOT EXISTS misses (
    target_key TEXT NOT NULL,
    workload_key TEXT NOT NULL,
    op TEXT NOT NULL,
    shape TEXT NOT NULL,
    dtype TEXT NOT NULL,
    layout TEXT NOT NULL,
    tolerance DOUBLE PRECISION NOT NULL,
    count BIGINT NOT NULL CHECK (count > 0),
    first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    PRIMARY KEY (target_key, workload_key)
)""",
)

RECORD_COLUMNS = (
    *("digest", "target_key", "workload_key", "op", "shape", "dtype", "layout", "tolerance"),
    *("schedule", "schedule_digest", "seconds", "gflops", "samples", "baseline_seconds"),
    *("speedup", "speedup_low", "speedup_high", "error_units", "trials", "seed", "llvm"),
    *("codegen", "version", "machine", "cache_policy", "ties", "created", "origin", "verified"),
    *("verified_at", "cliff", "cliff_low", "cliff_high"),
)
MISS_COLUMNS = (
    *("target_key", "workload_key", "op", "shape", "dtype", "layout", "tolerance"),
    *("count", "first_seen", "last_seen"),
)

_ALL = ", ".join(RECORD_COLUMNS)
_VALUES = ", ".join(f":{name}" for name in RECORD_COLUMNS)

RANK = """CASE WHEN origin = 'local' THEN 0 ELSE 1 END,
    verified DESC,
    CASE WHEN codegen = :codegen AND (llvm = :llvm OR :llvm = '') THEN 0 ELSE 1 END,
    CASE WHEN speedup_low >= 1 THEN 0 ELSE 1 END,
    seconds, digest"""
"""What a lookup prefers among the records of one key: measured here, then confirmed here, then of
this code generator and LLVM (`:llvm` is '' where it is not known), then no slower than the default
for certain, then faster. The only place where records are ranked."""

FIND = f"""SELECT * FROM records
WHERE target_key = :target_key AND workload_key = :workload_key
ORDER BY {RANK}"""
"""The records of one key, best first."""

FIND_TARGETS = "SELECT DISTINCT target_key FROM records WHERE workload_key = :workload_key"
"""The targets for which a workload has been tuned."""

FIND_RELATIVES = """SELECT DISTINCT workload_key, shape FROM records
WHERE op = :op AND dtype = :dtype AND layout = :layout AND target_key = :target_key
    AND error_units <= :tolerance
LIMIT 1024"""
"""Workloads of one operator that have been tuned for a target within a tolerance; in a cache of
more, some of them, so that a miss takes milliseconds."""

FIND_SPEEDUPS = "SELECT speedup FROM records WHERE op = :op LIMIT 1000"
"""How much tuning has gained on one operator, from some of its records."""

FIND_VARIANTS = """SELECT DISTINCT target_key, workload_key FROM records
WHERE op = :op AND shape = :shape ORDER BY target_key, workload_key"""
"""Every key of one operator and shape, whatever the target, dtype, layout and tolerance."""

READ_META = "SELECT name, value FROM meta"
READ_RECORDS = f"""SELECT * FROM records
WHERE :op IN ('', op) AND target_key LIKE :target ESCAPE '!' AND created >= :since
ORDER BY target_key, workload_key, {RANK}
LIMIT :limit OFFSET :offset"""
"""Records of one operator or of all (''), for targets that a pattern fits, made at a time or later;
those of each key best first, so many of them."""
COUNT_RECORDS = """SELECT op, target_key, origin, verified,
    CASE WHEN codegen = :codegen AND (llvm = :llvm OR :llvm = '') THEN 0 ELSE 1 END AS stale,
    count(*) AS records, min(created) AS oldest, max(created) AS newest
FROM records GROUP BY 1, 2, 3, 4, 5"""
COUNT_KEYS = """SELECT count(*) AS keys
FROM (SELECT DISTINCT target_key, workload_key FROM records) AS pairs"""
REMOVE_RECORD = "DELETE FROM records WHERE digest = :digest"
READ_MISSES = f"SELECT {', '.join(MISS_COLUMNS)} FROM misses"
FIND_MISS = """SELECT last_seen FROM misses
WHERE target_key = :target_key AND workload_key = :workload_key"""
LAST_MISS = "SELECT MAX(last_seen) AS last_seen FROM misses"
LAST_TUNED = """SELECT MAX(created) AS created FROM records
WHERE target_key = :target_key AND workload_key = :workload_key"""
"""When the newest record of a key was made: misses until then are settled."""

WRITE_META = """INSERT INTO meta (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value"""
TOUCH_META = "UPDATE meta SET value = value"
"""Changes nothing, and fails where nothing could be changed, for want of space too."""
WRITE_RECORD = f"""INSERT INTO records ({_ALL}) VALUES ({_VALUES})
ON CONFLICT (digest) DO NOTHING"""
WRITE_MISS = """INSERT INTO misses (target_key, workload_key, op, shape, dtype, layout, tolerance,
    count, first_seen, last_seen)
VALUES (:target_key, :workload_key, :op, :shape, :dtype, :layout, :tolerance,
    :count, :first_seen, :last_seen)
ON CONFLICT (target_key, workload_key) DO UPDATE SET count = misses.count + excluded.count,
    last_seen = CASE WHEN excluded.last_seen > misses.last_seen
        THEN excluded.last_seen ELSE misses.last_seen END"""
FORGET_MISS = "DELETE FROM misses WHERE target_key = :target_key AND workload_key = :workload_key"
NO_WAL = "PRAGMA journal_mode = DELETE"
_WAL = "PRAGMA journal_mode = WAL"
_STAMP = "INSERT INTO meta (name, value) VALUES (:name, :value) ON CONFLICT (name) DO NOTHING"

STAMPS = ({"name": "application", "value": APPLICATION}, {"name": "schema", "value": str(VERSION)})
CREATE = (*((statement, {}) for statement in TABLES), *((_STAMP, stamp) for stamp in STAMPS))
"""Statements, with their parameters, that make an empty database a cache; harmless on a cache."""

MIGRATIONS = {
    1: (
        "ALTER TABLE records ADD COLUMN cache_policy TEXT NOT NULL DEFAULT 'warm'",
        "ALTER TABLE records ADD COLUMN ties TEXT NOT NULL DEFAULT '[]'",
    ),
    2: (
        "ALTER TABLE records ADD COLUMN verified_at TEXT",
        "ALTER TABLE records ADD COLUMN cliff DOUBLE PRECISION CHECK (cliff > 0 AND cliff < 1e9)",
        "ALTER TABLE records ADD COLUMN cliff_low DOUBLE PRECISION",
        "ALTER TABLE records ADD COLUMN cliff_high DOUBLE PRECISION",
    ),
}
"""By version of the tables, the statements that lead to the next one."""


def migrations_from(version: int) -> list[tuple[str, dict[str, str]]]:
    """Statements, with their parameters, that bring tables of a version to the present one."""
    steps: list[tuple[str, dict[str, str]]] = [
        (text, {}) for past in range(version, VERSION) for text in MIGRATIONS[past]
    ]
    return [*steps, (WRITE_META, STAMPS[1])] if steps else []


def create(path: str, timeout_s: float = BUSY_TIMEOUT_S) -> None:
    """Make the SQLite file a cache of this version, safely while other processes do the same.

    One of an earlier version is copied first: `FILE.schema1-TIME.backup` lies beside it, and stays.

    Raises:
        sqlite3.Error: locked for longer than the time-out, read-only, no database, or no space.
    """
    journal = NO_WAL if networked(path) else _WAL
    with closing(sqlite3.connect(path, timeout=timeout_s, isolation_level=None)) as connection:
        _use_journal(connection, journal, time.monotonic() + timeout_s)
        connection.execute("BEGIN IMMEDIATE")
        # Read within the transaction: another process may have migrated it meanwhile.
        version = _version(connection)
        if version < VERSION:
            _back_up(path, version)
        for statement, parameters in (*CREATE, *migrations_from(version)):
            connection.execute(statement, parameters)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")


def _version(connection: sqlite3.Connection) -> int:
    """Of the tables that there are, or will be where there are none yet."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
        return VERSION
    return int(dict(connection.execute(READ_META).fetchall()).get("schema", VERSION))


def _back_up(path: str, version: int) -> None:
    """Copy the file as it was before the transaction that holds it; the copy is whole or absent."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    backup = f"{path}.schema{version}-{stamp}.backup"
    unfinished = f"{backup}.{os.getpid()}"
    try:
        with closing(sqlite3.connect(path)) as old, closing(sqlite3.connect(unfinished)) as new:
            old.backup(new)
        os.replace(unfinished, backup)
    except BaseException:
        with suppress(OSError):
            os.unlink(unfinished)
        raise


def _use_journal(connection: sqlite3.Connection, journal: str, deadline_s: float) -> None:
    # Switching the journal mode fails at once while another process does it: SQLite's own busy
    # time-out does not cover it.
    while True:
        try:
            connection.execute(journal)
            return
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            if time.monotonic() > deadline_s:
                raise
            time.sleep(0.01)
