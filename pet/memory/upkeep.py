"""Keeping the words of the index as the files are.

Owns the comparison of disk and index and the rows of changed files. Refuses to trust time stamps that are too young
to tell two saves apart: such a file is read again.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pet.memory.entries import split_file
from pet.memory.scan import Signature, list_files, read_bytes, text_parts
from pet.memory.words import tokens
from pet.workspace.names import LOG_FOLDER

_YOUNG_SECONDS = 2.5  # two saves in one tick of the coarsest file system leave the same time stamp
_BATCH = 100  # files in one transaction: others get their turn while much is indexed


@dataclass(slots=True)
class KnownFiles:
    """What the index holds of each file, kept between two searches for as long as nobody wrote to the index."""

    data_version: int = -1
    signatures: dict[str, Signature] = field(default_factory=dict)
    young: list[str] = field(default_factory=list)
    names: dict[str, str | None] = field(default_factory=dict)


def stale_files(
    connection: sqlite3.Connection, workspace: Path, known: KnownFiles
) -> tuple[dict[str, Signature], list[str]]:
    """Files to index, with their signature, and names that are gone."""
    _reload(connection, known)
    on_disk = list_files(workspace, known.names)
    if on_disk == known.signatures and not known.young:
        return {}, []
    has = known.signatures.get
    changed = {name: signature for name, signature in on_disk.items() if has(name) != signature}
    changed |= {name: on_disk[name] for name in known.young if name in on_disk}
    return changed, [name for name in known.signatures if name not in on_disk]


def update_words(
    connection: sqlite3.Connection,
    workspace: Path,
    known: KnownFiles,
    changed: dict[str, Signature],
    gone: list[str],
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Bring the given files' entries up to date, newest log first, so that a search meanwhile finds those."""
    names = sorted(changed, reverse=True)
    for start in range(0, max(len(names), 1), _BATCH):
        batch = names[start : start + _BATCH]
        connection.execute("BEGIN IMMEDIATE")
        try:
            for name in gone if start == 0 else ():
                _remove(connection, name)
            for name in batch:
                _index_file(connection, workspace, name, changed[name])
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        if progress:
            progress(start + len(batch), len(names))
    known.data_version = -1


def _reload(connection: sqlite3.Connection, known: KnownFiles) -> None:
    version = connection.execute("PRAGMA data_version").fetchone()[0]
    if version == known.data_version:
        return
    known.signatures, known.young = {}, []
    for path, text, indexed_at in connection.execute("SELECT path, signature, indexed_at FROM files"):
        changed, swapped, size, place = map(int, text.split())
        known.signatures[path] = changed, swapped, size, place
        if abs(indexed_at - changed / 1e9) < _YOUNG_SECONDS:
            known.young.append(path)
    known.data_version = version


def _index_file(connection: sqlite3.Connection, workspace: Path, name: str, signed: Signature) -> None:
    signature = " ".join(map(str, signed))
    content = read_bytes(workspace, name)
    if content is None:
        _remove(connection, name)
        return
    digest = hashlib.blake2b(content, digest_size=16).digest()
    row = connection.execute("SELECT id, hash FROM files WHERE path = ?", (name,)).fetchone()
    if row and row[1] == digest:
        connection.execute(
            "UPDATE files SET signature = ?, indexed_at = ? WHERE id = ?", (signature, time.time(), row[0])
        )
        return
    if row:
        _remove(connection, name)
    added = connection.execute(
        "INSERT INTO files (path, signature, hash, indexed_at) VALUES (?, ?, ?, ?)",
        (name, signature, digest, time.time()),
    )
    file_id = added.lastrowid
    is_log = name.startswith(f"{LOG_FOLDER}/")
    first_id = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM entries").fetchone()[0]
    last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'entries'").fetchone()
    first_id = max(first_id, last[0] + 1 if last else 1)
    rows: list[tuple[object, ...]] = []
    for first_line, lines in text_parts(content):
        for entry in split_file(name, lines, first_line):
            under = "" if is_log else entry.heading
            rows.append(
                (
                    first_id + len(rows),
                    file_id,
                    entry.start_line,
                    entry.end_line,
                    entry.day.isoformat() if entry.day else None,
                    entry.due.isoformat() if entry.due else None,
                    hashlib.blake2b(entry.text.encode(), digest_size=16).digest(),
                    entry.text,
                    " ".join(tokens(f"{under}\n{entry.text}")),
                )
            )
    connection.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    connection.executemany("INSERT INTO words (rowid, tokens) VALUES (?, ?)", ((row[0], row[8]) for row in rows))


def _remove(connection: sqlite3.Connection, name: str) -> None:
    row = connection.execute("SELECT id FROM files WHERE path = ?", (name,)).fetchone()
    if row is None:
        return
    old: Iterable[tuple[int, str]] = connection.execute(
        "SELECT id, tokens FROM entries WHERE file = ?", row
    ).fetchall()
    connection.executemany("INSERT INTO words (words, rowid, tokens) VALUES ('delete', ?, ?)", old)
    connection.execute("DELETE FROM entries WHERE file = ?", row)
    connection.execute("DELETE FROM files WHERE id = ?", row)
