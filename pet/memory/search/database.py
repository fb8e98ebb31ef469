"""The SQLite file of the index: schema, opening, transactions.

A corrupt or outdated file is deleted and rebuilt; where nothing can be written the index lives in memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pet.paths import make_private

SCHEMA_VERSION = 8  # increment when tables, tokens or masks change: an index of another version is rebuilt
_WITHOUT_CATEGORY = 4
"""The version of 1.0.0, which is brought up to date, since its vectors took hours."""
_BUSY_MS = 2_000

_CATEGORY = """
ALTER TABLE entries ADD COLUMN category TEXT NOT NULL DEFAULT '';
CREATE INDEX entries_by_category ON entries (category, day) WHERE category != ''
"""
_SAID = """
DROP VIEW IF EXISTS statement_vocabulary;
DROP TABLE IF EXISTS said_columns;
DROP TABLE IF EXISTS said_vocabulary;
DROP TABLE IF EXISTS said_words;
CREATE VIRTUAL TABLE said_words USING fts5 (
    statements, questions, replies, content='', tokenize="unicode61 remove_diacritics 0");
CREATE VIRTUAL TABLE said_vocabulary USING fts5vocab (said_words, 'row');
CREATE VIRTUAL TABLE said_columns USING fts5vocab (said_words, 'col');
CREATE VIEW statement_vocabulary AS SELECT term, doc FROM said_columns WHERE col = 'statements'
"""
_SCHEMA = f"""
CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, part INTEGER NOT NULL, signature TEXT NOT NULL,
    hash BLOB NOT NULL, indexed_at REAL NOT NULL, UNIQUE (path, part));
CREATE TABLE embedded (model TEXT NOT NULL, file INTEGER NOT NULL, PRIMARY KEY (model, file)) WITHOUT ROWID;
CREATE TABLE entries (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    day TEXT, due TEXT, turn TEXT, hash BLOB NOT NULL, text TEXT NOT NULL, tokens TEXT NOT NULL,
    heading TEXT NOT NULL, category TEXT NOT NULL DEFAULT '');
CREATE INDEX entries_by_file ON entries (file);
CREATE INDEX entries_by_day ON entries (day);
CREATE INDEX entries_by_due ON entries (due) WHERE due IS NOT NULL;
CREATE INDEX entries_by_category ON entries (category, day) WHERE category != '';
CREATE VIRTUAL TABLE words USING fts5 (
    tokens, content='entries', content_rowid='id', tokenize="unicode61 remove_diacritics 0");
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, 'row');
CREATE TABLE vectors (
    model TEXT NOT NULL, hash BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (model, hash)) WITHOUT ROWID;
CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;{_SAID}"""


FIRST_UTTERANCE = 1 << 40
"""First id of utterances. Their words have a separate table (``said_words``), so that counts, means and ranks of the
files' entries do not depend on conversations. In it the owner's statements and questions and the pet's replies have a
column each, so that statements are ranked regardless of the others."""


def read_note(connection: sqlite3.Connection, name: str) -> str:
    """Return a value that the index stores about itself; "" if unset."""
    row = connection.execute("SELECT value FROM notes WHERE name = ?", (name,)).fetchone()
    return str(row[0]) if row else ""


def write_note(connection: sqlite3.Connection, name: str, value: str) -> None:
    """Store a value about the index itself."""
    connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (name, value))


def index_file(workspace: Path, cache: Path) -> Path:
    """Return the index path of a workspace, named by a hash of its resolved path."""
    key = hashlib.sha256(os.fsencode(workspace.resolve())).hexdigest()[:24]
    return cache / "index" / f"{key}.sqlite"


def open_database(file: Path | None) -> sqlite3.Connection:
    """Open or create the index; in memory if the file cannot be used. ``file`` None: in memory."""
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
    """Delete the index with its side files; errors are ignored."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        with contextlib.suppress(OSError):
            file.with_name(file.name + suffix).unlink(missing_ok=True)


def is_on_disk(connection: sqlite3.Connection) -> bool:
    """Return whether the index is in a file, not in memory."""
    return bool(connection.execute("PRAGMA database_list").fetchone()[2])


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether the error is a lock that passes, not damage."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _open(file: Path | None) -> sqlite3.Connection:
    if file is not None:
        make_private(file.parent)
        # It has the content of private files, so it has their mode.
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    name = ":memory:" if file is None else str(file)
    connection = sqlite3.connect(
        name, timeout=_BUSY_MS / 1000, isolation_level=None, check_same_thread=False, cached_statements=64
    )
    try:
        connection.execute("PRAGMA secure_delete = ON")  # overwrites forgotten text
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        # Kilobytes, of each connection: the system's cache has the file anyway.
        connection.execute("PRAGMA cache_size = -4000")
        if _version(connection) != SCHEMA_VERSION:
            _create(connection)
        connection.execute("SELECT count(*) FROM files, entries, embedded, vectors, notes WHERE 0")
    except BaseException:
        connection.close()
        raise
    return connection


def _create(connection: sqlite3.Connection) -> None:
    with transaction(connection):  # two programs may start at once
        version = _version(connection)
        missing = {
            0: (_SCHEMA,),
            _WITHOUT_CATEGORY: (_CATEGORY, _SAID),
            SCHEMA_VERSION: (),
        }
        if version not in missing:
            raise sqlite3.DatabaseError(f"an index of version {version}")
        for statement in ";\n".join(missing[version]).split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run the block in a transaction that excludes other writers from the start; roll back on any exception."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
