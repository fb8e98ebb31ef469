"""Bring the words of the index up to date with files and transcripts, in portions of one transaction each.

A file changed too recently for its time stamp to tell two saves apart is read again.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pet.language.tokens import TOKENS_VERSION
from pet.memory.search.database import read_note, transaction, write_note
from pet.memory.search.index_rows import clear, remove_entries, replace_entries, without_secrets
from pet.memory.search.index_sources import (
    Glance,
    Signature,
    list_files,
    list_transcripts,
    read_bytes,
    searched_parts,
)
from pet.memory.search.transcript_index import TranscriptIndexer
from pet.memory.store.split_entries import Entry, split_file
from pet.workspace.file_names import CONVERSATIONS, LOG_FOLDER, conversation_of

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
        groups = list(_group(path for path in on_disk if conversation_of(path) in touched).values())
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
        for conversation, paths in _group(files).items():
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


def _group(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return the transcripts by conversation, newest first."""
    groups: dict[str, list[str]] = {}
    for path in sorted(paths, reverse=True):
        groups.setdefault(conversation_of(path), []).append(path)
    return groups


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
