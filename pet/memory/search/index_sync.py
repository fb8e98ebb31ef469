"""Bring the words of the index up to date with files and transcripts, in portions of one transaction each.

A file changed too recently for its time stamp to tell two saves apart is read again. Links are never followed, and
files that are not text never indexed.
"""

from __future__ import annotations

import codecs
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from heapq import nlargest
from pathlib import Path

from pet.fs.directory import Contents
from pet.language.tokens import TOKENS_VERSION
from pet.memory.search.database import read_note, transaction, write_note
from pet.memory.search.index_rows import Signature, clear, remove_entries, replace_entries, without_secrets
from pet.memory.search.transcript_index import TranscriptIndexer
from pet.memory.store.split_entries import Entry, split_file
from pet.model import CoreFile
from pet.workspace.file_names import CONVERSATIONS, LOG_FOLDER, conversation_of, is_name, is_note, is_transcript
from pet.workspace.locked_file import read_raw
from pet.workspace.note_files import may_hold_notes
from pet.workspace.pet_registry import LIMIT

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

        ``glances``: something watches the files and lists them all when one changes, so that checking the
        folders and the latest files is enough, but for one listing in ten seconds.
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


MAX_BYTES = 2 * 1024 * 1024
_SEARCHED_CORE = (CoreFile.MEMORY.value, CoreFile.USER.value)
_KIND, _REGULAR = 0o170000, stat.S_IFREG  # as stat.S_ISREG, without a call per file
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


def list_files(
    workspace: Path, known: Mapping[str, Signature], names: dict[str, str | None], folders: list[str]
) -> tuple[dict[str, Signature], list[str]]:
    """Return the signatures of the files to search that differ from the ``known`` ones, and the names of all files,
    both by the name in the workspace.

    ``names`` caches, by the path below its folder, the name in the workspace, or None for other files. ``folders``
    grows by those that were listed.
    """
    changed: dict[str, Signature] = {}
    present: list[str] = []
    for name in _SEARCHED_CORE:
        with suppress(OSError):
            stat_ = (workspace / name).lstat()
            if stat.S_ISREG(stat_.st_mode):
                present.append(name)
                signature = (stat_.st_mtime_ns, stat_.st_ctime_ns, stat_.st_size, stat_.st_ino)
                if known.get(name) != signature:
                    changed[name] = signature
    waiting = [""]
    while waiting:
        below = waiting.pop()
        folders.append(f"{LOG_FOLDER}/{below}")
        inner: list[str] = []
        _list_folder(workspace / LOG_FOLDER / below, known, names, _log_name, changed, present, below, inner)
        waiting += (f"{below}{leaf}/" for leaf in inner if may_hold_notes(f"{LOG_FOLDER}/{below}{leaf}"))
    return changed, present


@dataclass(frozen=True, slots=True)
class Glance:
    """The folders of notes, the core files and the files that changed last, as they were when all files were listed.

    A file that is made, removed or saved by a swap shows in its folder; one of the others that is written in place
    does not, so that a glance is no proof by itself.
    """

    workspace: Path
    signatures: Mapping[str, Signature | None]

    @classmethod
    def take(
        cls, workspace: Path, folders: Iterable[str], known: Mapping[str, Signature], before: float
    ) -> Glance | None:
        """Return the present glance; None if a folder changed after ``before`` (seconds since the epoch), when two
        changes may have the same time stamp."""
        signatures: dict[str, Signature | None] = {name: known.get(name) for name in _SEARCHED_CORE}
        for name in nlargest(_GLANCED, known, key=lambda name: known[name][0]):
            signatures[name] = known[name]
        for name in folders:
            signatures[name] = signature = _signature(workspace / name)
            if signature is not None and max(signature[:2]) > before * 1e9:
                return None
        return cls(workspace, signatures)

    def holds(self) -> bool:
        """Return whether all of it is as it was."""
        return all(_signature(self.workspace / name) == each for name, each in self.signatures.items())


_GLANCED = 64  # files


def _signature(path: Path) -> Signature | None:
    try:
        stat_ = path.lstat()
    except OSError:
        return None
    return stat_.st_mtime_ns, stat_.st_ctime_ns, stat_.st_size, stat_.st_ino


def list_transcripts(
    workspace: Path, known: Mapping[str, Signature], names: dict[str, str | None]
) -> tuple[dict[str, Signature], list[str]]:
    """Return the changed signatures and the names of all transcripts, as ``list_files``."""
    changed: dict[str, Signature] = {}
    present: list[str] = []
    _list_folder(workspace / CONVERSATIONS, known, names, _transcript_name, changed, present)
    return changed, present


def read_bytes(workspace: Path, name: str) -> bytes | None:
    """Return the content of a file; None if it cannot be read. No folder on the way to a note may be a link."""
    if is_note(name):
        raw = read_raw(workspace.resolve(), name, LIMIT)
        return raw.data if isinstance(raw, Contents) else None
    try:
        handle = os.open(workspace / name, _READ)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return None
            return file.read()
        except OSError:
            return None


def searched_parts(content: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines to search with the number of the first: one part, or two if the middle is left out."""
    if len(content) <= MAX_BYTES:
        yield from _lines(content, 1)
        return
    half = MAX_BYTES // 2
    head_end = content.rfind(b"\n", 0, half) + 1 or half
    tail_start = content.find(b"\n", len(content) - half) + 1 or len(content) - half
    yield from _lines(content[:head_end], 1)
    yield from _lines(content[tail_start:], content.count(b"\n", 0, tail_start) + 1)


def _lines(content: bytes, first: int) -> Iterator[tuple[int, list[str]]]:
    if b"\0" in content:
        return
    try:  # a file being written may end inside a character
        text = codecs.getincrementaldecoder("utf-8")().decode(content)
    except UnicodeDecodeError:
        return
    yield first, [line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n")]


def _list_folder(
    folder: Path,
    known: Mapping[str, Signature],
    names: dict[str, str | None],
    name_of: Callable[[str], str | None],
    changed: dict[str, Signature],
    present: list[str],
    below: str = "",
    inner: list[str] | None = None,
) -> None:
    """Add a folder's files to ``changed`` and ``present``, and its folders to ``inner``. ``below``: its path in that
    of which ``names`` are, with a slash. The loop is plain and keeps nothing of unchanged files, since it runs over
    ten years of logs in every search."""
    with suppress(OSError), _opened(folder) as place, os.scandir(place) as items:
        for item in items:
            path = f"{below}{item.name}" if below else item.name
            try:
                name = names[path]
            except KeyError:
                name = names[path] = name_of(path)
            if name is None:
                if inner is not None and item.is_dir(follow_symlinks=False):
                    inner.append(item.name)
                continue
            try:
                stat_ = item.stat(follow_symlinks=False)
            except OSError:  # gone since it was listed
                continue
            signature = (stat_.st_mtime_ns, stat_.st_ctime_ns, stat_.st_size, stat_.st_ino)
            if known.get(name) != signature:
                if stat_.st_mode & _KIND != _REGULAR or (stat_.st_size > LIMIT and is_note(name)):
                    if inner is not None and stat.S_ISDIR(stat_.st_mode):
                        inner.append(item.name)
                    continue
                changed[name] = signature
            present.append(name)


@contextmanager
def _opened(folder: Path) -> Iterator[int | Path]:
    """Yield the folder as ``os.scandir`` takes it: opened where it can be, as each file is then found without the
    folder's path. Raises OSError for a link."""
    if os.scandir not in os.supports_fd:
        if folder.is_symlink():
            raise NotADirectoryError(folder)
        yield folder
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield handle
    finally:
        os.close(handle)


def _log_name(path: str) -> str | None:
    name = f"{LOG_FOLDER}/{path}"
    return name if is_name(name) else None


def _transcript_name(leaf: str) -> str | None:
    path = f"{CONVERSATIONS}/{leaf}"
    return path if is_transcript(path) else None
