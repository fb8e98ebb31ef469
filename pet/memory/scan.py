"""Which files there are to search, whether one has changed, and their lines; reads only.

Owns the look at the disk. Refuses links, files that are not text, and to read more than ``MAX_BYTES`` of one file:
of a longer one its beginning and its end are searched.
"""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pet.errors import PathRefused
from pet.model import CoreFile
from pet.workspace.names import LOG_FOLDER, parse_name

MAX_BYTES = 2 * 1024 * 1024
_SEARCHED_CORE = (CoreFile.MEMORY.value, CoreFile.USER.value)
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


def list_files(workspace: Path, known_names: dict[str, bool]) -> dict[str, str]:
    """Name and signature of each file to search. ``known_names`` remembers which log names are names at all."""
    found: dict[str, str] = {}
    for name in _SEARCHED_CORE:
        with suppress(OSError):
            _note(found, name, os.stat(workspace / name, follow_symlinks=False))  # noqa: PTH116 - speed
    folder = workspace / LOG_FOLDER
    try:
        if folder.is_symlink():
            return found
        with os.scandir(folder) as items:
            for item in items:
                name = f"{LOG_FOLDER}/{item.name}"
                if name not in known_names:
                    known_names[name] = _is_name(name)
                if known_names[name]:
                    with suppress(OSError):  # gone since it was listed
                        _note(found, name, item.stat(follow_symlinks=False))
    except OSError:
        pass
    return found


def read_bytes(workspace: Path, name: str) -> bytes | None:
    """What the file holds, whole; None if it can't be read now."""
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


def text_parts(content: bytes) -> Iterator[tuple[int, list[str]]]:
    """The lines to search, with the number of the first: one part, or two where the middle is left out."""
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
    try:  # a file that is being written may end inside a character
        text = codecs.getincrementaldecoder("utf-8")().decode(content)
    except UnicodeDecodeError:
        return
    yield first, [line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n")]


def _note(found: dict[str, str], name: str, seen: os.stat_result) -> None:
    if stat.S_ISREG(seen.st_mode):
        found[name] = f"{seen.st_mtime_ns} {seen.st_ctime_ns} {seen.st_size} {seen.st_ino}"


def _is_name(name: str) -> bool:
    try:
        parse_name(name)
    except PathRefused:
        return False
    return True
