"""The index file: its tables, and what happens when it is broken, locked or from another version.

Owns the SQLite connection. Refuses to be an error: a file that can't be used is deleted and begun anew, and where
nothing can be written the index lives in memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SCHEMA_VERSION = 4  # raise it whenever tables, tokens or masks change: an index of another version is begun anew
_BUSY_MS = 2_000

_SCHEMA = f"""
CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, part INTEGER NOT NULL, signature TEXT NOT NULL,
    hash BLOB NOT NULL, indexed_at REAL NOT NULL, UNIQUE (path, part));
CREATE TABLE embedded (model TEXT NOT NULL, file INTEGER NOT NULL, PRIMARY KEY (model, file)) WITHOUT ROWID;
CREATE TABLE entries (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    day TEXT, due TEXT, turn TEXT, hash BLOB NOT NULL, text TEXT NOT NULL, tokens TEXT NOT NULL,
    heading TEXT NOT NULL);
CREATE INDEX entries_by_file ON entries (file);
CREATE INDEX entries_by_day ON entries (day);
CREATE INDEX entries_by_due ON entries (due) WHERE due IS NOT NULL;
CREATE VIRTUAL TABLE words USING fts5 (
    tokens, content='entries', content_rowid='id', tokenize="unicode61 remove_diacritics 0");
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, 'row');
CREATE VIRTUAL TABLE said_words USING fts5 (
    tokens, content='entries', content_rowid='id', tokenize="unicode61 remove_diacritics 0");
CREATE VIRTUAL TABLE said_vocabulary USING fts5vocab (said_words, 'row');
CREATE TABLE vectors (
    model TEXT NOT NULL, hash BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (model, hash)) WITHOUT ROWID;
CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
PRAGMA user_version = {SCHEMA_VERSION};
"""


SAID_FROM = 1 << 40
"""Ids of what was said in conversations begin here. Their words stand in a table of their own (``said_words``), so
that no count, mean or rank of the files' entries depends on how much was said."""


def read_note(connection: sqlite3.Connection, name: str) -> str:
    """Something the index knows about itself; "" where it does not."""
    row = connection.execute("SELECT value FROM notes WHERE name = ?", (name,)).fetchone()
    return str(row[0]) if row else ""


def write_note(connection: sqlite3.Connection, name: str, value: str) -> None:
    """Set a value that the index keeps about itself."""
    connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (name, value))


def index_file(workspace: Path, cache: Path) -> Path:
    """Where the index of a workspace is kept: one file each, named after the place the workspace really is."""
    key = hashlib.sha256(os.fsencode(workspace.resolve())).hexdigest()[:24]
    return cache / "index" / f"{key}.sqlite"


def open_database(file: Path | None) -> sqlite3.Connection:
    """An index ready for use: the one that is there, else an empty one, in memory if it can't be on disk."""
    for attempt in range(2 if file else 0):
        try:
            return _open(file)
        except sqlite3.Error as error:
            if is_busy(error):
                break
            if attempt == 0 and file:
                delete(file)
        except OSError:
            break
    return _open(None)


def delete(file: Path) -> None:
    """Remove the index and what SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        with contextlib.suppress(OSError):
            file.with_name(file.name + suffix).unlink(missing_ok=True)


def is_on_disk(connection: sqlite3.Connection) -> bool:
    """Whether the index is the one in its file, as against one in memory."""
    return bool(connection.execute("PRAGMA database_list").fetchone()[2])


def is_busy(error: sqlite3.Error) -> bool:
    """Whether the file is locked for a moment, as against beyond use."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _open(file: Path | None) -> sqlite3.Connection:
    if file is not None:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # It holds what the files hold, so nobody else may read it either.
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    name = ":memory:" if file is None else str(file)
    connection = sqlite3.connect(
        name, timeout=_BUSY_MS / 1000, isolation_level=None, check_same_thread=False, cached_statements=64
    )
    try:
        connection.execute("PRAGMA secure_delete = ON")  # what was forgotten is overwritten, not just unlinked
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -16000")
        if _version(connection) != SCHEMA_VERSION:
            _create(connection)
        connection.execute("SELECT count(*) FROM files, entries, embedded, vectors, notes WHERE 0")
    except BaseException:
        connection.close()
        raise
    return connection


def _create(connection: sqlite3.Connection) -> None:
    with transaction(connection):  # of two programs that start at once, one makes the tables
        version = _version(connection)
        if version not in (0, SCHEMA_VERSION):
            raise sqlite3.DatabaseError(f"an index of version {version}")
        if version == 0:
            for statement in _SCHEMA.split(";\n"):
                connection.execute(statement)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing, also against other programs; from the start nobody else can write."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:  # also on interruption
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
