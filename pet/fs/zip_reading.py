"""Read zips that come from outside, in files or in memory.

``open_zip`` refuses, before anything is unpacked: more entries or bytes than the limits, names that lead out of the
folder or that this system can't hold, links, two entries of one name, and what a password is needed for.
"""

from __future__ import annotations

import io
import lzma
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from pet.errors import ImportRefused
from pet.untrusted.regular_files import NotRegular, open_regular

MAX_ENTRIES = 200_000
MAX_BYTES = 8 << 30
"""Maximum unpacked size of all entries together."""
_MAX_DIRECTORY = 64 << 20  # bytes: the list of entries is read into memory
_SHORTEST_ENTRY = 46  # bytes in that list
_LONGEST_PART = 255  # bytes, on all common file systems
_TAIL = 22 + 0xFFFF + 76
DAMAGED = (zipfile.BadZipFile, lzma.LZMAError, zlib.error, struct.error, EOFError, RuntimeError)
"""Errors that ``zipfile`` raises for damaged entries, and for what a password is needed for."""
BROKEN = (*DAMAGED, LookupError, ValueError, OverflowError, OSError)
"""All that it raises for bytes in memory: LookupError for missing entries, ValueError for negative offsets."""
PACKINGS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})  # others may need unbounded memory
_ENCRYPTED = 0x1
_WINDOWS_NAME = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?|.*[<>:\"|?*].*|.*[. ]")


class TooManyEntries(zipfile.BadZipFile):
    """The zip has more entries than the limit."""


@dataclass(frozen=True, slots=True)
class CheckedZip:
    """A zip within the limits. ``entries``: the files by name, in order; ``folders``: those that it lists."""

    zip_file: zipfile.ZipFile
    entries: dict[str, zipfile.ZipInfo]
    folders: tuple[str, ...]
    total_bytes: int


@contextmanager
def open_zip(file: Path) -> Iterator[CheckedZip]:
    """Open and check a zip. Raises ImportRefused, also for damage found while it is read."""
    try:
        with open_regular(file) as opened, _opened(opened, MAX_ENTRIES) as zip_file:
            yield _checked(zip_file)
    except TooManyEntries:
        raise ImportRefused(problem="too_many", limit=MAX_ENTRIES) from None
    except (NotRegular, FileNotFoundError, PermissionError):
        raise ImportRefused(problem="unreadable", file=file.name) from None
    except DAMAGED:
        raise ImportRefused(problem="broken_zip", file=file.name) from None


def open_bytes(content: bytes, most: int) -> zipfile.ZipFile:
    """Return a zip in memory. Raises TooManyEntries for more than ``most``, and the classes in ``BROKEN``."""
    return _opened(io.BytesIO(content), most)


def read_entry(zip_file: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Return the bytes of an entry, whatever size it declares; of one with more than ``most``, one byte more than
    these. Raises the classes in ``BROKEN``, also for a packing that may need unbounded memory."""
    if zip_file.getinfo(name).compress_type not in PACKINGS:
        raise NotImplementedError(name)
    with zip_file.open(name) as entry:
        return entry.read(most + 1)


def is_encrypted(info: zipfile.ZipInfo) -> bool:
    """Whether a password is needed for the entry."""
    return bool(info.flag_bits & _ENCRYPTED)


def is_zip(file: Path) -> bool:
    """Whether the file has the signature of a zip with entries. Raises OSError."""
    with open_regular(file) as opened:
        return opened.read(4) == b"PK\x03\x04"


def _opened(opened: BinaryIO, most: int) -> zipfile.ZipFile:
    if _count_entries(opened) > most:
        raise TooManyEntries
    return zipfile.ZipFile(opened)


def _count_entries(opened: BinaryIO) -> int:
    """Return how many entries ``zipfile`` would read at most: each takes half a kilobyte of memory. Raises
    zipfile.BadZipFile."""
    size = opened.seek(0, os.SEEK_END)
    opened.seek(max(0, size - _TAIL))
    tail = opened.read(_TAIL)
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or len(tail) < end + 22:
        raise zipfile.BadZipFile
    (length,) = struct.unpack_from("<I", tail, end + 12)
    large = end - 76  # its place is fixed, and it counts only with its locator: others may be in any text
    if large >= 0 and tail[large : large + 4] == b"PK\x06\x06" and tail[end - 20 : end - 16] == b"PK\x06\x07":
        (length,) = struct.unpack_from("<Q", tail, large + 40)
        end = large
    start = size - len(tail) + end - length
    if start < 0:
        raise zipfile.BadZipFile
    if length > _MAX_DIRECTORY:
        return int(length) // _SHORTEST_ENTRY
    opened.seek(start)
    count = opened.read(length).count(b"PK\x01\x02")
    opened.seek(0)
    return count


def _checked(zip_file: zipfile.ZipFile) -> CheckedZip:
    entries: dict[str, zipfile.ZipInfo] = {}
    folded: set[str] = set()
    total = 0
    infos = zip_file.infolist()
    for info in infos:
        name = info.filename
        if is_encrypted(info):
            raise ImportRefused(problem="encrypted")
        if not is_safe(name.rstrip("/")) or stat.S_ISLNK(info.external_attr >> 16):
            raise ImportRefused(problem="names")
        if info.is_dir():
            continue
        total += info.file_size
        key = name.casefold() if os.name == "nt" else name
        if key in folded:
            raise ImportRefused(problem="names")
        folded.add(key)
        entries[name] = info
    ordered = sorted(key.replace("/", "\0") for key in folded)
    if any(after.startswith(f"{before}\0") for before, after in pairwise(ordered)):
        raise ImportRefused(problem="names")  # a file is another one's folder
    if total > MAX_BYTES:
        raise ImportRefused(problem="too_large", limit=MAX_BYTES >> 30)
    folders = tuple(info.filename.rstrip("/") for info in infos if info.is_dir())
    return CheckedZip(zip_file, entries, folders, total)


def _is_odd(char: str) -> bool:
    """Whether it is a control character, or an undecodable byte as a surrogate."""
    return ord(char) < 32 or ord(char) == 127 or "\ud800" <= char <= "\udfff"


def is_safe(name: str) -> bool:
    """Whether the name stays inside the folder it is unpacked to."""
    if not name or "\\" in name or len(name) > 1024 or any(_is_odd(char) for char in name):
        return False
    parts = name.split("/")
    if any(part in {"", ".", ".."} or len(part.encode()) > _LONGEST_PART for part in parts):
        return False
    return os.name != "nt" or not any(_WINDOWS_NAME.fullmatch(part) for part in parts)
