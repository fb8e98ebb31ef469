"""One open folder and the few operations the store needs in it; nothing outside it can be reached.

``PosixFolder`` works relative to an open descriptor and never follows a link, so a folder that is swapped for a
link between check and open leads nowhere. ``PathFolder`` is the same by path, for systems without descriptors of
folders (Windows): it refuses links and junctions before each step.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal, Protocol, Self

from pet.model import MISSING, Version

Problem = Literal["not_utf8", "too_large", "unreadable", "link", "not_a_file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """A regular file, whole."""

    data: bytes
    mode: int


@dataclass(frozen=True, slots=True)
class Absent:
    """No such file, or no such folder."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """There is something of that name, and its bytes can't be had."""

    problem: Problem


Raw = Contents | Absent | Unusable
Signature = tuple[int, int, int]
"""Inode, size, time of change: other where the file is other, as far as the clock of files can tell."""


class FolderIsLink(OSError):
    """A component that must be a plain folder is a link, a junction or something else."""


class Folder(Protocol):
    """Names are single path components; every method may raise OSError."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def sub(self, name: str, *, create: bool) -> Folder: ...
    def names(self) -> list[str]: ...
    def read(self, name: str, limit: int) -> Raw:
        """The file, if it is a regular one of at most ``limit`` bytes. Never blocks on a pipe."""
        ...

    def signature(self, name: str) -> Signature | None:
        """How the file looks from outside; None if it is not there."""
        ...

    def create(self, name: str, data: bytes, mode: int) -> None:
        """A new file, on the disk when this returns. Raises FileExistsError."""
        ...

    def append(self, name: str, data: bytes, *, durable: bool) -> None: ...
    def exchange(self, temp: str, name: str) -> bool:
        """Swap both files at once; afterwards ``temp`` is what ``name`` was. False: can't be done here."""
        ...

    def replace(self, temp: str, name: str) -> None: ...
    def add(self, temp: str, name: str) -> None:
        """Give ``temp`` its name unless there is such a file already: then FileExistsError."""
        ...

    def move(self, name: str, to: Folder, new_name: str) -> None: ...
    def remove(self, name: str) -> None: ...
    def touch(self, name: str) -> None:
        """Set the time of change to now."""
        ...

    def sync(self) -> None:
        """What was renamed stays renamed after a power cut."""
        ...


def version_of(data: bytes | None) -> Version:
    """The content version of a file's bytes; None is no file."""
    return MISSING if data is None else hashlib.sha256(data).hexdigest()


def open_folder(path: Path) -> Folder:
    """A pet's folder. The caller resolved the path: its last component may not be a link any more."""
    folder: Folder
    if sys.platform == "win32":
        from pet.workspace.fs.by_path import PathFolder

        folder = PathFolder(path)
    else:
        from pet.workspace.fs.posix import PosixFolder

        folder = PosixFolder.at(path)
    return folder
