"""The sources of the index: files and transcripts on disk, and the lines of files; reads only.

Never followed or indexed: links, and files that are not text.
"""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from heapq import nlargest
from pathlib import Path

from pet.fs.directory import Contents
from pet.model import CoreFile
from pet.workspace.file_names import CONVERSATIONS, LOG_FOLDER, is_name, is_note, is_transcript
from pet.workspace.locked_file import read_raw
from pet.workspace.note_files import may_hold_notes
from pet.workspace.pet_registry import LIMIT

MAX_BYTES = 2 * 1024 * 1024
_SEARCHED_CORE = (CoreFile.MEMORY.value, CoreFile.USER.value)
_KIND, _REGULAR = 0o170000, stat.S_IFREG  # as stat.S_ISREG, without a call per file
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


Signature = tuple[int, int, int, int]
"""Modification time, status change time (ns; programs can set only the first), size and inode."""


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
