"""Transfer files between pages and disk: uploads from a page, saves to the downloads folder.

Pages have no file access: uploads are base64 bytes, saves go to a free name.
"""

from __future__ import annotations

import base64
import binascii
import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pet.errors import BadArguments, WriteFailed

_MOST_NAMES = 1000
_LONGEST_NAME = 120
_LONGEST_PIECE = 1_000_000
_BINARY = getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFile:
    """A file from a page: base64 in pieces of at most a million characters."""

    name: str
    data: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFile:
    """The path of a saved file."""

    path: str


MOST_DROPPED = 10
MOST_DROPPED_CHARACTERS = 200_000
MOST_REFUSED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class DropRefusal:
    """A dropped item that was refused. ``name``: "" for text, and for files beyond the maximum."""

    problem: Literal["too_large", "too_many", "text_too_large", "unreadable"]
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedThings:
    """Dropped text and files. Each call has one file, since a message is limited."""

    text: str
    files: list[GivenFile]
    refused: list[DropRefusal] = field(default_factory=list)


def check_dropped(things: DroppedThings) -> None:
    """Raise BadArguments for more than one call may bring."""
    for where, most in (("files", MOST_DROPPED), ("text", MOST_DROPPED_CHARACTERS), ("refused", MOST_REFUSED)):
        if len(getattr(things, where)) > most:
            raise BadArguments(where=where, why="value")


def decode_chunks(pieces: Sequence[str], where: str) -> bytes:
    """Decode base64 received in chunks. Raises BadArguments."""
    try:
        return base64.b64decode("".join(pieces), validate=True)
    except (binascii.Error, ValueError):
        raise BadArguments(where=where, why="value") from None


def pieces(text: str) -> list[str]:
    """Split base64 into chunks for transfer."""
    return [text[start : start + _LONGEST_PIECE] for start in range(0, len(text), _LONGEST_PIECE)]


def plain_name(name: str) -> str:
    """Return the file name for display: without folders, on one line, truncated."""
    leaf = name.replace("\\", "/").rpartition("/")[2]
    return " ".join("".join(char if char.isprintable() else " " for char in leaf).split())[:_LONGEST_NAME]


def data_address(kind: str, data: bytes) -> str:
    """Return a data: URL for a page."""
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"


def save_to_downloads(folder: Path, name: str, data: bytes) -> Path:
    """Save the file under its name, or a numbered one if that is taken; all of it or none. Raises WriteFailed."""
    stem, dot, ending = name.rpartition(".")
    if not dot:
        stem, ending = name, ""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(1, _MOST_NAMES):
            file = folder / (name if number == 1 else f"{stem} ({number}){dot}{ending}")
            try:
                write_new(file, data)
            except FileExistsError:
                continue
            return file
    except OSError as problem:
        raise WriteFailed.from_os_error(name, problem) from problem
    raise WriteFailed(name, errno.EEXIST)


def write_new(file: Path, data: bytes) -> None:
    """Create a file, complete or not at all, also if the program is killed: another file beside it gets the name when
    it is whole. Raises OSError; FileExistsError if it exists."""
    part = file.with_name(f".{os.urandom(8).hex()}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666), "wb", 0) as out:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(out.fileno(), rest) :]
            os.fsync(out.fileno())
        _name_new(part, file)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _name_new(part: Path, file: Path) -> None:
    try:
        os.link(part, file)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if os.path.lexists(file):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file)) from None
        part.rename(file)
