"""Write the entries of files and transcripts into the tables of the index, and remove them.

Secrets are masked before text, words or vectors are stored.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator
from itertools import count

from pet.language.categories import CATEGORIES, QUESTION, REPLY, category_of
from pet.language.redaction import find_secrets, placeholder
from pet.language.tokens import tokenize
from pet.memory.search.database import FIRST_UTTERANCE
from pet.memory.store.split_entries import Entry
from pet.workspace.file_names import LOG_FOLDER

Signature = tuple[int, int, int, int]
"""Modification time, status change time (ns; programs can set only the first), size and inode of a file."""
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
    utterances: bool = False,
) -> None:
    """Replace the entries of a file, or of a part of a transcript. If its content is unchanged only the signature is
    updated and ``entries`` is not consumed."""
    stamp, digest = " ".join(map(str, signature)), _digest(content)
    row = connection.execute("SELECT id, hash FROM files WHERE path = ? AND part = ?", (path, part)).fetchone()
    if row is not None and row[1] == digest:
        if part == 0:
            sign_file(connection, path, signature)
        return
    remove_entries(connection, path, part, part)
    added = connection.execute(
        "INSERT INTO files (path, part, signature, hash, indexed_at) VALUES (?, ?, ?, ?, ?)",
        (path, part, stamp, digest, time.time()),
    )
    rows = list(_rows(entries, added.lastrowid, _next_id(connection, utterances=utterances)))
    connection.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    for id_, *_, tokens, _, category in rows:
        table, column = _words_of(str(category), utterance=utterances)
        add = f"INSERT INTO {table} (rowid, {column}) VALUES (?, ?)"  # noqa: S608 - constant names
        connection.execute(add, (id_, tokens))


def remove_entries(connection: sqlite3.Connection, path: str, first: int = 0, last: int = 1 << 30) -> None:
    """Remove the rows of a file, or of the parts ``first`` to ``last``."""
    within = (path, first, last)
    for (file,) in connection.execute(
        "SELECT id FROM files WHERE path = ? AND part BETWEEN ? AND ?", within
    ).fetchall():
        old = connection.execute("SELECT id, tokens, category FROM entries WHERE file = ?", (file,)).fetchall()
        for id_, tokens, category in old:
            table, column = _words_of(category, utterance=id_ >= FIRST_UTTERANCE)
            delete = f"INSERT INTO {table} ({table}, rowid, {column}) VALUES ('delete', ?, ?)"  # noqa: S608 - as above
            connection.execute(delete, (id_, tokens))
        connection.execute("DELETE FROM entries WHERE file = ?", (file,))
        connection.execute("DELETE FROM embedded WHERE file = ?", (file,))
        connection.execute("DELETE FROM files WHERE id = ?", (file,))


def _words_of(category: str, *, utterance: bool) -> tuple[str, str]:
    """Return the table and the column that have the words of an entry."""
    if not utterance:
        return "words", "tokens"
    return "said_words", {QUESTION: "questions", REPLY: "replies"}.get(category, "statements")


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
            entry.category or category_of(entry.heading),
        )


def searchable_heading(entry: Entry) -> str:
    """Return the entry's heading if it says something, without a built-in category and times or dates, and what leads
    to it."""
    heading = entry.heading.encode(errors="replace").decode().strip()
    if entry.path.startswith(f"{LOG_FOLDER}/"):
        title, *below = heading.split(" / ")
        title = "" if title.casefold() in _CATEGORIES else _CLOCK.sub(" ", title).strip(" -–—:：|/[]()")
        heading = " / ".join(filter(None, (title, *below)))
    return " / ".join(filter(None, (heading, entry.lead.encode(errors="replace").decode())))


def _next_id(connection: sqlite3.Connection, *, utterances: bool) -> int:
    first, end = (FIRST_UTTERANCE, 1 << 62) if utterances else (1, FIRST_UTTERANCE)
    row = connection.execute(
        "SELECT id FROM entries WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1", (first, end)
    ).fetchone()
    # A gap, so that the ends of two files are no neighbours.
    return row[0] + 3 if row else first


def sign_file(connection: sqlite3.Connection, path: str, signature: Signature) -> None:
    """Record the signature of an unchanged file, or of a transcript whose first part is unchanged."""
    new = (" ".join(map(str, signature)), time.time(), path)
    connection.execute("UPDATE files SET signature = ?, indexed_at = ? WHERE path = ? AND part = 0", new)
