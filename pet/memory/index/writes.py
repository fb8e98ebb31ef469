"""Write and remove the index rows of files.

Ids are consecutive within a file, so that neighbours are known by id. Secrets are masked before text, words or
vectors are stored.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator
from itertools import count

from pet.memory.daily_log import CATEGORIES
from pet.memory.database import SAID_FROM
from pet.memory.entries import Entry
from pet.memory.scan import Signature
from pet.memory.text.tokenize import tokenize
from pet.text.redaction import find_secrets, placeholder
from pet.workspace.file_names import LOG_FOLDER

_CATEGORIES = frozenset((*CATEGORIES, "chat", "note"))
_CLOCK = re.compile(
    r"\b[0-9]{1,2}[:：.][0-9]{2}(?:[:：][0-9]{2})?\s*(?:[ap]\.?m\b\.?)?|\b[0-9]{1,2}\s*[ap]\.?m\b\.?"
    r"|(?<![0-9])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])",
    re.IGNORECASE,
)


def replace_entries(
    connection: sqlite3.Connection,
    path: str,
    part: int,
    signature: Signature,
    content: bytes,
    entries: Iterable[Entry],
    *,
    said: bool = False,
) -> None:
    """Replace the entries of a file, or of a part of a transcript. If its content is unchanged only the signature is
    updated and ``entries`` is not consumed."""
    stamp, digest = " ".join(map(str, signature)), _digest(content)
    row = connection.execute("SELECT id, hash FROM files WHERE path = ? AND part = ?", (path, part)).fetchone()
    if row is not None and row[1] == digest:
        if part == 0:
            new = (stamp, time.time(), row[0])
            connection.execute("UPDATE files SET signature = ?, indexed_at = ? WHERE id = ?", new)
        return
    remove_entries(connection, path, part, part)
    added = connection.execute(
        "INSERT INTO files (path, part, signature, hash, indexed_at) VALUES (?, ?, ?, ?, ?)",
        (path, part, stamp, digest, time.time()),
    )
    rows = list(_rows(entries, added.lastrowid, _next_id(connection, said=said)))
    connection.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    table = "said_words" if said else "words"
    connection.executemany(f"INSERT INTO {table} (rowid, tokens) VALUES (?, ?)", ((row[0], row[9]) for row in rows))  # noqa: S608 - a constant table name


def remove_entries(connection: sqlite3.Connection, path: str, first: int = 0, last: int = 1 << 30) -> None:
    """Remove the rows of a file, or of the parts ``first`` to ``last``."""
    within = (path, first, last)
    for (file,) in connection.execute(
        "SELECT id FROM files WHERE path = ? AND part BETWEEN ? AND ?", within
    ).fetchall():
        old = connection.execute("SELECT id, tokens FROM entries WHERE file = ?", (file,)).fetchall()
        table = "said_words" if old and old[0][0] >= SAID_FROM else "words"
        connection.executemany(f"INSERT INTO {table} ({table}, rowid, tokens) VALUES ('delete', ?, ?)", old)  # noqa: S608 - a constant table name
        connection.execute("DELETE FROM entries WHERE file = ?", (file,))
        connection.execute("DELETE FROM embedded WHERE file = ?", (file,))
        connection.execute("DELETE FROM files WHERE id = ?", (file,))


def clear(connection: sqlite3.Connection) -> None:
    """Remove all rows except vectors, which depend on the text alone."""
    connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
    connection.execute("INSERT INTO said_words (said_words) VALUES ('delete-all')")
    connection.execute("DELETE FROM embedded")
    connection.execute("DELETE FROM entries")
    connection.execute("DELETE FROM files")


def without_secrets(text: str) -> str:
    """Return the text with a mark for each secret; line numbers stay."""
    secrets = find_secrets(text)
    if not secrets:
        return text
    pieces: list[str] = []
    at = 0
    for secret in secrets:
        line_ends = "\n" * text.count("\n", secret.start, secret.end)
        pieces += (text[at : secret.start], placeholder(secret.kind), line_ends)
        at = secret.end
    return "".join((*pieces, text[at:]))


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


def _rows(entries: Iterable[Entry], file_id: int | None, first_id: int) -> Iterator[tuple[object, ...]]:
    ids = count(first_id)
    for entry in entries:
        heading = searchable_heading(entry)
        text = entry.text.encode(errors="replace").decode()
        yield (
            next(ids),
            file_id,
            entry.start_line,
            entry.end_line,
            entry.day.isoformat() if entry.day else None,
            entry.due.isoformat() if entry.due else None,
            entry.turn,
            _digest(f"{heading}\n{text}".encode(errors="replace")),
            text,
            " ".join(tokenize(f"{heading}\n{text}")),
            heading,
        )


def searchable_heading(entry: Entry) -> str:
    """Return the entry's heading if it says something: no built-in category, no bare time or date."""
    heading = entry.heading.encode(errors="replace").decode().strip()
    if entry.path.startswith(f"{LOG_FOLDER}/"):
        heading = "" if heading.casefold() in _CATEGORIES else _CLOCK.sub(" ", heading).strip(" -–—:：|/[]()")
    return heading


def _next_id(connection: sqlite3.Connection, *, said: bool) -> int:
    first, end = (SAID_FROM, 1 << 62) if said else (1, SAID_FROM)
    row = connection.execute(
        "SELECT id FROM entries WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1", (first, end)
    ).fetchone()
    # A gap, so that the ends of two files are no neighbours.
    return row[0] + 3 if row else first
