"""Open and read regular files only: reading a pipe or a device might never end."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

T = TypeVar("T")

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class NotRegular(OSError):
    """The path is a folder, a pipe, a socket or a device."""

    def __init__(self, file: Path) -> None:
        super().__init__(errno.EINVAL, "not a regular file", str(file))


def require_regular(file: Path) -> None:
    """Raise NotRegular for another kind of file. A missing file is fine, and so is a link to a regular one."""
    try:
        mode = file.stat().st_mode
    except OSError:
        return
    if not stat.S_ISREG(mode):
        raise NotRegular(file)


def open_regular(file: Path) -> BinaryIO:
    """Open the file for reading. Never waits for a writer. Raises NotRegular, OSError."""
    require_regular(file)  # opening a device may have effects
    handle = os.open(file, _FLAGS)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    raise NotRegular(file)


Stamp = tuple[int, int, int, int]
_ABSENT: Stamp = (0, 0, 0, 0)
_SECOND_NS = 1_000_000_000
_COARSE_NS, _FINE_NS = 2_500_000_000, 50_000_000  # FAT's times have two seconds, other clocks at most 16 ms


def settled_stamp(file: Path) -> Stamp | None:
    """Return numbers that change with a file's content, or a folder's names. None for a link, if they can't be read,
    or after a change so late that a further one could leave the same numbers."""
    try:
        now = file.lstat()
    except FileNotFoundError:
        return _ABSENT
    except OSError:
        return None
    settled = _FINE_NS if now.st_mtime_ns % _SECOND_NS else _COARSE_NS
    if stat.S_ISLNK(now.st_mode) or time.time_ns() - max(now.st_mtime_ns, now.st_ctime_ns) < settled:
        return None
    return now.st_mtime_ns, now.st_ctime_ns, now.st_size, now.st_ino


class FromFiles(Generic[T]):
    """A value that ``read`` makes from files, made again after a change of one of them by whatever program.
    ``keeps``: whether a value may be kept, as that of a file that could not be read may not."""

    def __init__(
        self, files: tuple[Path, ...], read: Callable[[], T], keeps: Callable[[T], bool] = lambda _value: True
    ) -> None:
        self._files = files
        self._read = read
        self._keeps = keeps
        self._kept: tuple[list[Stamp | None], T] | None = None

    def get(self) -> T:
        """Return the value: one look at each file's times, and no file opened, while none changed."""
        stamps, kept = [settled_stamp(file) for file in self._files], self._kept
        if kept is None or None in stamps or stamps != kept[0]:
            kept = stamps, self._read()
            self._kept = kept if self._keeps(kept[1]) else None
        return kept[1]


def read_regular(file: Path, most: int = -1) -> bytes:
    """Return the first ``most`` bytes, or all. Raises NotRegular, OSError."""
    with open_regular(file) as opened:
        return opened.read(most)
