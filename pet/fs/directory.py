"""The open folder that files are read and replaced in; it cannot reach outside itself.

``open_folder`` opens the one of this system. ``write_atomically`` creates or replaces a whole file.
"""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Literal, NoReturn, Protocol, Self

from pet.ids import new_id

if TYPE_CHECKING:
    from pet.model import Version

_TEMP_MARK = ".soulpet~"
_TEMP_END = ".tmp"

Problem = Literal["not_utf8", "too_large", "unreadable", "link", "not_a_file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """A regular file's complete content."""

    data: bytes
    mode: int


@dataclass(frozen=True, slots=True)
class Absent:
    """The file or its folder does not exist."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """The name exists but its bytes can't be read."""

    problem: Problem


Raw = Contents | Absent | Unusable
Signature = tuple[int, int, int]
"""Inode, size, modification time in ns: differs if the file differs, within the file clock's resolution."""


class FolderIsLink(OSError):
    """A path component that must be a plain folder is a link, a junction or something else."""


def read_open(fd: int, limit: int) -> Raw:
    """Read an open file of at most ``limit`` bytes. In chunks: Windows allocates the requested size at once."""
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        return Unusable("not_a_file")
    if status.st_size > limit:
        return Unusable("too_large")
    chunks: list[bytes] = []
    left = limit + 1
    while left > 0 and (chunk := os.read(fd, min(left, 1 << 16))):
        chunks.append(chunk)
        left -= len(chunk)
    if left <= 0:  # grew after stat
        return Unusable("too_large")
    return Contents(data=b"".join(chunks), mode=stat.S_IMODE(status.st_mode))


class Folder(Protocol):
    """An open folder. Names are single path components; every method may raise OSError."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def sub(self, name: str, *, create: bool) -> Folder:
        """Open a folder in this one. Raises FileNotFoundError without ``create``, FolderIsLink."""
        ...

    def names(self) -> list[str]:
        """Return the names of all entries, unordered."""
        ...

    def open(self, name: str, flags: int) -> int:
        """Return a descriptor as ``os.open`` does, mode 0600 if created. Raises OSError if the name is a link."""
        ...

    def read(self, name: str, limit: int) -> Raw:
        """Return the file if it is a regular one of at most ``limit`` bytes. Never blocks on a pipe."""
        ...

    def about(self, name: str) -> os.stat_result:
        """Return the status of the file, or of the link if it is one. Raises FileNotFoundError."""
        ...

    def signature(self, name: str) -> Signature | None:
        """Return the file's stat signature, or None if it does not exist."""
        try:
            status = self.about(name)
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns

    def came(self, name: str) -> int | None:
        """Return when the file was changed or came to this disk, whichever is later, in nanoseconds; None if it does
        not exist. Sync programs keep another machine's modification time.
        """
        try:
            status = self.about(name)
        except FileNotFoundError:
            return None
        return max(status.st_mtime_ns, status.st_ctime_ns)  # on Windows ctime is when it was created here

    def create(self, name: str, data: bytes, mode: int) -> None:
        """Create the file, synced to disk on return. Raises FileExistsError."""
        ...

    def append(self, name: str, data: bytes, *, durable: bool) -> None:
        """Append and create as needed; ``durable``: synced to disk on return."""
        ...

    def exchange(self, temp: str, name: str) -> bool:
        """Exchange both files atomically; afterwards ``temp`` holds the former ``name``. False if unsupported."""
        ...

    def replace(self, temp: str, name: str) -> None:
        """Rename ``temp`` to ``name`` atomically, overwriting it."""
        ...

    def add(self, temp: str, name: str) -> None:
        """Rename ``temp`` to ``name``. Raises FileExistsError instead of overwriting."""
        ...

    def move(self, name: str, to: Folder, new_name: str) -> None:
        """Move a file to another folder on the same disk."""
        ...

    def remove(self, name: str) -> None:
        """Delete a file. Raises FileNotFoundError."""
        ...

    def touch(self, name: str) -> None:
        """Set the modification time to now."""
        ...

    def sync(self) -> None:
        """Sync the directory, so that renames survive a power failure."""
        ...


def _missing(*_: object, **__: object) -> NoReturn:
    raise FileNotFoundError


class MissingFolder(Folder):
    """A folder that does not exist: it has no files, and none can be made in it."""

    def __exit__(self, *_: object) -> None: ...

    def names(self) -> list[str]:
        return []

    def read(self, _name: str, _limit: int) -> Raw:
        return Absent()

    def sync(self) -> None: ...

    sub = open = about = create = append = exchange = replace = add = move = remove = touch = _missing


def version_of(data: bytes | None) -> Version:
    """Return the content version of a file's bytes, MISSING for None."""
    from pet.model import MISSING  # late: files are read before the first window

    return MISSING if data is None else hashlib.sha256(data).hexdigest()


def write_atomically(
    folder: Folder, name: str, data: bytes, *, mode: int = 0o600, temp: str = "", overwrite: bool = True
) -> None:
    """Create or replace a file in one rename; file and folder are synced to disk on return.

    ``temp``: name of the temporary file, "" for any. Raises OSError, with the old file unchanged; FileExistsError
    without ``overwrite``.

        with open_folder(path) as folder:
            write_atomically(folder, "note.json", b"{}")
    """
    temp = temp or f".{new_id()}.tmp"
    try:
        folder.create(temp, data, mode)
        if overwrite:
            folder.replace(temp, name)
        else:
            folder.add(temp, name)
    except BaseException:  # also on interruption: leave no temporary file
        with suppress(OSError):
            folder.remove(temp)
        raise
    folder.sync()


def temp_beside(name: str) -> str:
    """Return a temporary name that ``remove_leftovers`` finds by the file's name."""
    return f".{name}.{new_id()}.tmp"


def remove_leftovers(folder: Folder, name: str) -> None:
    """Remove the file's temporary files of killed processes. The caller holds the file's lock."""
    for leaf in folder.names():
        if leaf.startswith(f".{name}.") and leaf.endswith(_TEMP_END):
            folder.remove(leaf)


def temp_name(leaf: str, id_: str) -> str:
    """Return a hidden temporary name in the file's own folder that encodes the owner file."""
    return f"{_TEMP_MARK}{leaf}~{id_}{_TEMP_END}"


def temp_owner(file: str) -> str | None:
    """Return the owner file of a name made by ``temp_name``, or None."""
    if not (file.startswith(_TEMP_MARK) and file.endswith(_TEMP_END)):
        return None
    return file[len(_TEMP_MARK) :].partition("~")[0]
