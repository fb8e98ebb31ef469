"""Open and read regular files only: reading a pipe or a device might never end."""

from __future__ import annotations

import errno
import os
import stat
import time
from pathlib import Path
from typing import BinaryIO

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
_SETTLED_NS = 2_500_000_000  # FAT's times have two seconds


def settled_stamp(file: Path) -> Stamp | None:
    """Return numbers that change with the file's content. None if it is missing, or was changed so lately that a
    further change could leave the same ones."""
    try:
        now = file.stat()
    except OSError:
        return None
    if time.time_ns() - max(now.st_mtime_ns, now.st_ctime_ns) < _SETTLED_NS:
        return None
    return now.st_mtime_ns, now.st_ctime_ns, now.st_size, now.st_ino


def read_regular(file: Path, most: int = -1) -> bytes:
    """Return the first ``most`` bytes, or all. Raises NotRegular, OSError."""
    with open_regular(file) as opened:
        return opened.read(most)
