"""List the files to search, with signatures that show changes, and read their lines; reads only.

Links and files that are not text are left out. Of a file over ``MAX_BYTES`` only beginning and end are searched.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from pet.errors import PathRefused
from pet.ids import is_id
from pet.model import CoreFile
from pet.workspace.file_names import CONVERSATIONS, LOG_FOLDER, parse_name

MAX_BYTES = 2 * 1024 * 1024
_SEARCHED_CORE = (CoreFile.MEMORY.value, CoreFile.USER.value)
_TRANSCRIPT = re.compile(r"([0-9a-z]{26})(?:~[a-z0-9-]{1,40})?\.jsonl")
_KIND, _REGULAR = 0o170000, stat.S_IFREG  # as stat.S_ISREG, without a call per file
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


Signature = tuple[int, int, int, int]
"""Modification time, status change time (ns; programs can set only the first), size and inode."""


def list_files(workspace: Path, known_names: dict[str, str | None]) -> dict[str, Signature]:
    """Return the signature of each file to search, by its name in the workspace.

    ``known_names`` caches, by the name in the folder, the name in the workspace, or None for other files. The loop is
    plain, since it runs over ten years of logs in every search.
    """
    signatures: dict[str, Signature] = {}
    for name in _SEARCHED_CORE:
        with suppress(OSError):
            _note(signatures, name, (workspace / name).lstat())
    folder = workspace / LOG_FOLDER
    try:
        if folder.is_symlink():
            return signatures
        _note_all(signatures, folder, known_names, _log_name)
    except OSError:
        pass
    return signatures


def list_transcripts(workspace: Path, known_names: dict[str, str | None]) -> dict[str, Signature]:
    """Return the signature of each transcript by name; ``known_names`` as in ``list_files``."""
    signatures: dict[str, Signature] = {}
    folder = workspace / CONVERSATIONS
    with suppress(OSError):
        if not folder.is_symlink():
            _note_all(signatures, folder, known_names, _transcript_name)
    return signatures


def is_transcript(path: str) -> bool:
    """Return whether the path is a transcript's, as in a search hit."""
    folder, _, leaf = path.partition("/")
    return folder == CONVERSATIONS and _transcript_name(leaf) is not None


def conversation_of(path: str) -> str:
    """Return the conversation id of a transcript path."""
    return path.rpartition("/")[2][:26]


def read_bytes(workspace: Path, name: str) -> bytes | None:
    """Return the content of a file; None if it cannot be read."""
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


def _note_all(
    signatures: dict[str, Signature],
    folder: Path,
    known_names: dict[str, str | None],
    name_of: Callable[[str], str | None],
) -> None:
    with os.scandir(folder) as items:
        for item in items:
            try:
                name = known_names[item.name]
            except KeyError:
                name = known_names[item.name] = name_of(item.name)
            if name is None:
                continue
            try:
                stat_ = item.stat(follow_symlinks=False)
            except OSError:  # gone since it was listed
                continue
            if stat_.st_mode & _KIND == _REGULAR:
                signatures[name] = (stat_.st_mtime_ns, stat_.st_ctime_ns, stat_.st_size, stat_.st_ino)


def _note(signatures: dict[str, Signature], name: str, stat_: os.stat_result) -> None:
    if stat.S_ISREG(stat_.st_mode):
        signatures[name] = (stat_.st_mtime_ns, stat_.st_ctime_ns, stat_.st_size, stat_.st_ino)


def _log_name(leaf: str) -> str | None:
    try:
        return parse_name(f"{LOG_FOLDER}/{leaf}")
    except PathRefused:
        return None


def _transcript_name(leaf: str) -> str | None:
    match = _TRANSCRIPT.fullmatch(leaf)
    return f"{CONVERSATIONS}/{leaf}" if match and is_id(match[1]) else None
