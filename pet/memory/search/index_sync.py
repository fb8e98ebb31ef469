"""Bring the words of the index up to date with files and transcripts, in portions of one transaction each.

Secrets are masked before text, words or vectors are stored. Forgotten utterances are left out. A file changed too
recently for its time stamp to tell two saves apart is read again.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from pet.language.categories import CATEGORIES, QUESTION, REPLY, category_of
from pet.language.tokens import TOKENS_VERSION, tokenize
from pet.memory.search.database import FIRST_UTTERANCE, read_note, transaction, write_note
from pet.memory.search.index_sources import (
    Glance,
    Numbered,
    Signature,
    Utterance,
    extract_utterances,
    list_files,
    list_transcripts,
    read_bytes,
    read_lines,
    refers_to,
    searched_parts,
    utterance_entries,
)
from pet.memory.store.split_entries import Entry, split_file
from pet.text.redaction import find_secrets, placeholder
from pet.transcripts.closings import lost_closings
from pet.transcripts.entries import PartialReply, TurnsRemovedSet, UserMessage
from pet.transcripts.jsonl_file import JsonlFile
from pet.workspace.file_names import CONVERSATIONS, LOG_FOLDER, conversation_of
from pet.workspace.tombstones import TombstoneStore

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
            _sign(connection, path, signature)
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


_IN_USE = 8  # conversations with cached lines
_PART = 40  # utterances in one part
_KEPT_PARTS = 2  # whole parts that are read again: their turns may still be answered again, or removed
_NOTE = "forgotten"


@dataclass(slots=True)
class _Open:
    """A transcript's lines from those on that are not settled.

    ``settled``: leading parts in the index that no later line can change; their lines are not kept. ``mark``: that of
    the forgotten texts then.
    """

    lines: JsonlFile
    entries: list[Numbered] = field(default_factory=list)
    count: int = 0
    settled: int = 0
    mark: str = ""

    def restart(self) -> None:
        """Read the transcript from its beginning at the next reading."""
        self.lines = JsonlFile(self.lines.path)
        self.entries, self.count, self.settled = [], 0, 0


class TranscriptIndexer:
    """Indexer of one workspace's transcripts; for one thread at a time.

    Of a long conversation only the last lines are kept, and read again with each turn.
    """

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._forgotten = TombstoneStore(workspace)
        self._open: OrderedDict[str, dict[str, _Open]] = OrderedDict()

    def index(self, connection: sqlite3.Connection, conversation: str, files: Mapping[str, Signature]) -> None:
        """Write a conversation's utterances to the index; ``files`` are all its transcripts."""
        known = self._opened(connection, conversation, files)
        by_path = self._utterances(conversation, known)
        for path, signature in files.items():
            utterances, first = by_path.get(path, []), known[path].settled
            if first:
                _sign(connection, path, signature)
            end = max(1, first - (-len(utterances) // _PART))
            for part in range(first, end):
                at = (part - first) * _PART
                self._write_part(connection, path, part, signature, utterances[at : at + _PART])
            remove_entries(connection, path, end)
        if len(known) == 1:  # another machine's lines could change any turn
            ((path, only),) = known.items()
            _settle(only, by_path.get(path, []), self._forgotten.mark())

    def find_forgotten(self, connection: sqlite3.Connection) -> list[str]:
        """Return the indexed transcripts that contain forgotten texts.

        An empty result is noted in the index and not checked again until something more is forgotten.
        """
        mark = self._forgotten.mark()
        if mark == read_note(connection, _NOTE):
            return []
        rows = connection.execute(
            "SELECT f.path, group_concat(e.text, char(10)) FROM files f JOIN entries e ON e.file = f.id"
            " WHERE f.path >= ? AND f.path < ? GROUP BY f.id",
            (f"{CONVERSATIONS}/", f"{CONVERSATIONS}0"),
        )
        paths = sorted({path for path, text in rows if self._forgotten.is_forgotten(text)})
        if not paths:
            write_note(connection, _NOTE, mark)
        return paths

    def clear_cache(self) -> None:
        """Drop all cached lines."""
        self._open.clear()

    def _write_part(
        self, connection: sqlite3.Connection, path: str, part: int, signature: Signature, utterances: list[Utterance]
    ) -> None:
        kept = list(self._not_forgotten(utterances))
        content = "\0".join(f"{each.line}\0{each.turn}\0{each.day}\0{each.who}\0{each.text}" for each in kept)
        masked = (replace(each, text=without_secrets(each.text)) for each in kept)
        entries = (entry for each in masked for entry in utterance_entries(each))
        replace_entries(connection, path, part, signature, content.encode(errors="replace"), entries, utterances=True)

    def _not_forgotten(self, utterances: list[Utterance]) -> Iterator[Utterance]:
        """Yield the utterances that are not forgotten, with one check for all, as most never are."""
        if not utterances or not self._forgotten.is_forgotten("\n".join(each.text for each in utterances)):
            yield from utterances
            return
        yield from (each for each in utterances if not self._forgotten.is_forgotten(each.text))

    def _opened(self, connection: sqlite3.Connection, conversation: str, files: Collection[str]) -> dict[str, _Open]:
        """Return the conversation's transcripts, as far as they are read; the last used stay cached."""
        known = self._open.pop(conversation, {})
        known = {path: known.get(path) or _Open(JsonlFile(self._workspace / path)) for path in files}
        self._open[conversation] = known
        while len(self._open) > _IN_USE:
            self._open.popitem(last=False)
        for path, each in known.items():
            is_valid = len(known) == 1 and each.mark == self._forgotten.mark()
            if each.settled and not (is_valid and _count_parts(connection, path, each.settled) == each.settled):
                each.restart()
        return known

    def _utterances(self, conversation: str, known: Mapping[str, _Open]) -> dict[str, list[Utterance]]:
        """Return the utterances in the new and the kept lines of each transcript."""
        try:
            for each in known.values():
                _read(each)
                if each.settled and not _is_closed(each.entries):
                    each.restart()
                    _read(each)
        except (OSError, ValueError):  # removed since it was listed, or of a later version
            self._open.pop(conversation, None)
            for each in known.values():
                each.restart()
            return {}
        return extract_utterances({path: [*each.entries, *_lost(each)] for path, each in known.items()})


def _lost(each: _Open) -> list[Numbered]:
    """Return the removals of turns that the file lost."""
    lost = lost_closings(each.lines.path, [entry for _, entry in each.entries])
    return [(each.count, entry) for entry in lost if isinstance(entry, TurnsRemovedSet)]


def _settle(each: _Open, utterances: Sequence[Utterance], mark: str) -> None:
    """Drop the leading lines that fill whole parts, if no line after them refers to their turns."""
    lines = [utterance.line for utterance in utterances]
    last = len(lines) // _PART - _KEPT_PARTS
    if last <= 0:
        return
    at_part = {lines[part * _PART]: part for part in range(1, last + 1)}
    open_: set[str] = set()  # turns that lines from here on refer to and that began before
    for place in range(len(each.entries) - 1, 0, -1):
        line, entry = each.entries[place]
        open_ |= refers_to(entry)
        if isinstance(entry, UserMessage):
            open_.discard(entry.turn)
            part = at_part.get(line)
            if part is not None and not open_:
                del each.entries[:place]
                each.settled, each.mark = each.settled + part, mark
                return


def _is_closed(entries: Sequence[Numbered]) -> bool:
    """Whether the entries refer to no turn that began before them."""
    began = {entry.turn for _, entry in entries if isinstance(entry, UserMessage)}
    return all(refers_to(entry) <= began for _, entry in entries)


def _count_parts(connection: sqlite3.Connection, path: str, end: int) -> int:
    query = "SELECT count(*) FROM files WHERE path = ? AND part < ?"
    return int(connection.execute(query, (path, end)).fetchone()[0])


def _sign(connection: sqlite3.Connection, path: str, signature: Signature) -> None:
    """Record the signature of an unchanged file, or of a transcript whose first part is unchanged."""
    new = (" ".join(map(str, signature)), time.time(), path)
    connection.execute("UPDATE files SET signature = ?, indexed_at = ? WHERE path = ? AND part = 0", new)


def group(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return the transcripts by conversation, newest first."""
    groups: dict[str, list[str]] = {}
    for path in sorted(paths, reverse=True):
        groups.setdefault(conversation_of(path), []).append(path)
    return groups


def _read(each: _Open) -> None:
    batch = each.lines.read_new()
    if batch.restarted:
        each.entries, each.count, each.settled = [], 0, 0
    for number, entry in read_lines(batch.lines, each.count + 1):
        if isinstance(entry, PartialReply) and each.entries and entry.replaces(each.entries[-1][1]):
            each.entries.pop()
        each.entries.append((number, entry))
    each.count += len(batch.lines)


_YOUNG_SECONDS = 2.5  # two saves in one tick of the coarsest file system have the same time stamp
_LISTED_EVERY = 10.0  # seconds, where the files are watched
_BATCH = 100  # files in one transaction
_CUT = "cut"
_CUT_AS = (
    f"entries and todos below what leads to them, without front matter, kinds of utterances, words {TOKENS_VERSION}"
)
"""Value of the note ``_CUT`` for the present way to make words; an index with another is refilled, vectors kept."""


@dataclass(slots=True)
class KnownFiles:
    """Cached state of the index, valid until another connection writes to it."""

    data_version: int = -1
    signatures: dict[str, Signature] = field(default_factory=dict)
    young: set[str] = field(default_factory=set)
    names: dict[str, str | None] = field(default_factory=dict)
    glance: Glance | None = None
    listed_at: float = 0.0  # monotonic seconds, of the glance


Portion = Callable[[sqlite3.Connection], None]
"""Indexes some files in one transaction, all or none."""


class IndexSync:
    """The words of one workspace's files and conversations; for one thread at a time."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._transcripts = TranscriptIndexer(workspace)
        self.start_over()

    def start_over(self) -> None:
        """Drop all cached state of the index."""
        self._known_files = KnownFiles()
        self._known_transcripts = KnownFiles()
        self._transcripts.clear_cache()

    def stale(
        self,
        connection: sqlite3.Connection,
        *,
        conversations: bool,
        leave_out: Collection[str] = frozenset(),
        glances: bool = False,
    ) -> list[Portion]:
        """Return the work that brings the index up to date, core files and newest first. An index made another way
        is emptied before.

        ``glances``: something watches the files and lists them all when one changes, so that a look at the folders
        and the latest files is enough, but for one listing in ten seconds.
        """
        if read_note(connection, _CUT) != _CUT_AS:
            self._empty(connection)
        portions = list(self._stale_files(connection, glances))
        if conversations:
            portions += self._stale_transcripts(connection, leave_out)
        return portions

    def _stale_files(self, connection: sqlite3.Connection, glances: bool) -> Iterator[Portion]:
        known = self._known_files
        _reload(connection, known, utterances=False)
        is_recent = time.monotonic() - known.listed_at < _LISTED_EVERY
        if glances and is_recent and known.glance is not None and known.glance.holds():
            return
        before, known.listed_at, folders = time.time() - _YOUNG_SECONDS, time.monotonic(), list[str]()
        changed, gone = _compare(known, *list_files(self._workspace, known.signatures, known.names, folders))
        is_current = glances and not changed and not gone
        known.glance = Glance.take(self._workspace, folders, known.signatures, before) if is_current else None
        names = sorted(changed, key=lambda name: (LOG_FOLDER not in name, name), reverse=True)
        for at in range(0, max(len(names), bool(gone)), _BATCH):
            batch = names[at : at + _BATCH]
            yield self._portion(known, {name: changed[name] for name in batch}, [] if at else gone, self._put_files)

    def _stale_transcripts(self, connection: sqlite3.Connection, leave_out: Collection[str]) -> Iterator[Portion]:
        known = self._known_transcripts
        _reload(connection, known, utterances=True)
        changed, gone = _compare(known, *list_transcripts(self._workspace, known.signatures, known.names))
        forgotten = self._transcripts.find_forgotten(connection)
        if not changed and not gone and not forgotten:
            return
        # One machine's transcript can supersede turns of another's, so a conversation is read as a whole.
        touched = {conversation_of(path) for path in (*changed, *gone, *forgotten)}.difference(leave_out)
        on_disk = known.signatures | changed
        for path in gone:
            del on_disk[path]
        groups = list(group(path for path in on_disk if conversation_of(path) in touched).values())
        gone = [path for path in gone if conversation_of(path) in touched]
        for at in range(0, max(len(groups), bool(gone)), _BATCH):
            files = {path: on_disk[path] for paths in groups[at : at + _BATCH] for path in paths}
            yield self._portion(known, files, [] if at else gone, self._put_transcripts)

    def _portion(
        self,
        known: KnownFiles,
        files: dict[str, Signature],
        gone: list[str],
        put: Callable[[sqlite3.Connection, dict[str, Signature]], Iterable[str]],
    ) -> Portion:
        def apply(connection: sqlite3.Connection) -> None:
            try:
                with transaction(connection):
                    for name in gone:
                        remove_entries(connection, name)
                    kept = set(put(connection, files))
            except sqlite3.Error:
                self._transcripts.clear_cache()  # what it counts as settled was not written
                raise
            _remember(known, {name: files[name] for name in kept}, [*gone, *files])

        return apply

    def _put_files(self, connection: sqlite3.Connection, files: dict[str, Signature]) -> Iterator[str]:
        for name, signature in files.items():
            content = read_bytes(self._workspace, name)
            if content is None:  # unreadable: it has no entries
                remove_entries(connection, name)
                continue
            replace_entries(connection, name, 0, signature, content, self._entries(name, content))
            yield name

    def _put_transcripts(self, connection: sqlite3.Connection, files: dict[str, Signature]) -> Iterator[str]:
        for conversation, paths in group(files).items():
            self._transcripts.index(connection, conversation, {path: files[path] for path in paths})
        yield from files

    def _entries(self, name: str, content: bytes) -> Iterator[Entry]:
        for first, lines in searched_parts(content):
            masked = without_secrets("\n".join(lines)).split("\n")
            yield from split_file(name, masked, first)

    def _empty(self, connection: sqlite3.Connection) -> None:
        with transaction(connection):
            clear(connection)
            write_note(connection, _CUT, _CUT_AS)
        self.start_over()


def _compare(
    known: KnownFiles, changed: dict[str, Signature], present: Sequence[str]
) -> tuple[dict[str, Signature], list[str]]:
    """Return the signatures of files to index, and the names of removed files. ``changed``, ``present``: as in
    ``list_files``."""
    gone = sorted(known.signatures.keys() - present)
    unchanged = known.young.difference(changed, gone)
    return changed | {name: known.signatures[name] for name in unchanged}, gone


def _remember(known: KnownFiles, indexed: dict[str, Signature], touched: Iterable[str]) -> None:
    """Update the cached state for files just indexed, instead of reading it again."""
    now = time.time()
    for name in touched:
        known.young.discard(name)
        known.signatures.pop(name, None)
    for name, signature in indexed.items():
        known.signatures[name] = signature
        if abs(now - signature[0] / 1e9) < _YOUNG_SECONDS:
            known.young.add(name)


def _reload(connection: sqlite3.Connection, known: KnownFiles, *, utterances: bool) -> None:
    version = connection.execute("PRAGMA data_version").fetchone()[0]
    if version == known.data_version:
        return
    known.signatures, known.young, known.glance = {}, set(), None
    for path, text, indexed_at in connection.execute(
        "SELECT path, signature, indexed_at FROM files WHERE part = 0 AND (path BETWEEN ? AND ?) = ?",
        (f"{CONVERSATIONS}/", f"{CONVERSATIONS}0", utterances),
    ):
        changed, swapped, size, place = map(int, text.split())
        known.signatures[path] = changed, swapped, size, place
        if abs(indexed_at - changed / 1e9) < _YOUNG_SECONDS:
            known.young.add(path)
    known.data_version = version
