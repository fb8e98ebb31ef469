"""Keeping the words of the index as the files are.

Owns the comparison of disk and index and the rows of changed files. Refuses to trust time stamps that are too young
to tell two saves apart: such a file is read again.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from pet.memory.entries import split_file
from pet.memory.scan import Signature, list_files, read_bytes, text_parts
from pet.memory.words import tokens
from pet.workspace.names import LOG_FOLDER

_YOUNG_SECONDS = 2.5  # two saves in one tick of the coarsest file system leave the same time stamp
_BATCH = 100  # files in one transaction


@dataclass(slots=True)
class KnownFiles:
    """What the index holds of each file, kept between two searches for as long as nobody wrote to the index."""

    data_version: int = -1
    signatures: dict[str, Signature] = field(default_factory=dict)
    young: set[str] = field(default_factory=set)
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
    gone: Iterable[str] = (),
) -> None:
    """Bring the given files' entries up to date, all or none."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        for name in gone:
            _remove(connection, name)
        kept = {name for name, signature in changed.items() if _index_file(connection, workspace, name, signature)}
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    _take_over(known, {name: changed[name] for name in kept}, [*gone, *changed])


def batches(changed: dict[str, Signature]) -> list[dict[str, Signature]]:
    """The files in portions, newest log first: others get their turn while much is indexed, and find those."""
    names = sorted(changed, reverse=True)
    return [{name: changed[name] for name in names[at : at + _BATCH]} for at in range(0, len(names), _BATCH)]


def _take_over(known: KnownFiles, indexed: dict[str, Signature], touched: Iterable[str]) -> None:
    """Note what was just written, which is cheaper than to read all of it again."""
    now = time.time()
    for name in touched:
        known.young.discard(name)
        known.signatures.pop(name, None)
    for name, signature in indexed.items():
        known.signatures[name] = signature
        if abs(now - signature[0] / 1e9) < _YOUNG_SECONDS:
            known.young.add(name)


def _reload(connection: sqlite3.Connection, known: KnownFiles) -> None:
    version = connection.execute("PRAGMA data_version").fetchone()[0]
    if version == known.data_version:
        return
    known.signatures, known.young = {}, set()
    for path, text, indexed_at in connection.execute("SELECT path, signature, indexed_at FROM files"):
        changed, swapped, size, place = map(int, text.split())
        known.signatures[path] = changed, swapped, size, place
        if abs(indexed_at - changed / 1e9) < _YOUNG_SECONDS:
            known.young.add(path)
    known.data_version = version


def _index_file(connection: sqlite3.Connection, workspace: Path, name: str, signed: Signature) -> bool:
    """Whether the file can be read; one that can't has no entries."""
    signature = " ".join(map(str, signed))
    content = read_bytes(workspace, name)
    if content is None:
        _remove(connection, name)
        return False
    digest = hashlib.blake2b(content, digest_size=16).digest()
    row = connection.execute("SELECT id, hash FROM files WHERE path = ?", (name,)).fetchone()
    if row and row[1] == digest:
        connection.execute(
            "UPDATE files SET signature = ?, indexed_at = ? WHERE id = ?", (signature, time.time(), row[0])
        )
        return True
    if row:
        _remove(connection, name)
    added = connection.execute(
        "INSERT INTO files (path, signature, hash, indexed_at) VALUES (?, ?, ?, ?)",
        (name, signature, digest, time.time()),
    )
    last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'entries'").fetchone()
    rows = list(_rows(name, content, added.lastrowid, last[0] + 1 if last else 1))
    connection.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    connection.executemany("INSERT INTO words (rowid, tokens) VALUES (?, ?)", ((row[0], row[-1]) for row in rows))
    return True


def _rows(name: str, content: bytes, file_id: int | None, first_id: int) -> Iterator[tuple[object, ...]]:
    """The rows of a file's entries. Their ids follow one another, so that neighbours are known by them."""
    is_log = name.startswith(f"{LOG_FOLDER}/")
    ids = count(first_id)
    for first_line, lines in text_parts(content):
        for entry in split_file(name, lines, first_line):
            yield (
                next(ids),
                file_id,
                entry.start_line,
                entry.end_line,
                entry.day.isoformat() if entry.day else None,
                entry.due.isoformat() if entry.due else None,
                hashlib.blake2b(entry.text.encode(), digest_size=16).digest(),
                entry.text,
                " ".join(tokens(entry.text if is_log else f"{entry.heading}\n{entry.text}")),
            )


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
