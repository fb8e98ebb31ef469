"""One append-only file of lines that several processes may read and write.

Owns whole lines: an append is one write under the file's own lock, and a torn last line (a process was killed, the
power went) is set aside before anything is added. Refuses to hand out a line before its line end is there, and to
touch a file that it does not append to.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pet.transcripts.filelock import locked

_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Batch:
    """Lines that came since the last reading; ``restarted``: the file was replaced, and they are all of it."""

    lines: list[bytes]
    restarted: bool


@dataclass(slots=True)
class LineFile:
    path: Path
    _inode: int = field(default=0, init=False)
    _offset: int = field(default=0, init=False)
    _seen: tuple[int, int, int] = field(default=(0, 0, 0), init=False)

    def read_new(self) -> Batch:
        """The whole lines added since the last call. Raises OSError, FileNotFoundError once the file is gone."""
        about = self.path.lstat()
        if not stat.S_ISREG(about.st_mode):  # a link could lead anywhere, a pipe would hold us up
            raise OSError("not a file")
        seen = (about.st_ino, about.st_size, about.st_mtime_ns)
        if seen == self._seen:
            return Batch([], restarted=False)
        restarted = about.st_ino != self._inode or about.st_size < self._offset
        start = 0 if restarted else self._offset
        handle = os.open(self.path, os.O_RDONLY | _FLAGS)
        with os.fdopen(handle, "rb") as file:
            file.seek(start)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._inode, self._offset, self._seen = about.st_ino, start + len(whole), seen
        return Batch(whole.split(b"\n")[:-1], restarted=restarted)

    def append(self, data: bytes, *, first: bytes, create: bool, durable: bool) -> None:
        """Add whole lines; a new file begins with ``first``. On any OSError the file is as it was.

        Raises FileNotFoundError for a file that is gone, unless it may be created.
        """
        handle = os.open(self.path, os.O_RDWR | os.O_APPEND | _FLAGS | (os.O_CREAT if create else 0), 0o600)
        try:
            with locked(handle):
                if os.fstat(handle).st_nlink == 0:  # deleted while we waited for the lock
                    raise FileNotFoundError(self.path.name)
                size = _without_torn_end(handle, self.path)
                _write(handle, data if size else first + data, size)
                if durable:
                    os.fsync(handle)
                if durable and not size:
                    sync_folder(self.path.parent)
        finally:
            os.close(handle)

    def repair(self) -> None:
        """Set a torn last line aside. Raises OSError."""
        handle = os.open(self.path, os.O_RDWR | os.O_APPEND | _FLAGS)
        try:
            with locked(handle):
                _without_torn_end(handle, self.path)
        finally:
            os.close(handle)


def torn_beside(path: Path) -> Path:
    """Where the torn ends of a file are kept."""
    return path.with_name(path.name + ".torn")


def sync_folder(folder: Path) -> None:
    if os.name == "nt":  # a folder can't be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write(handle: int, data: bytes, size: int) -> None:
    """One write of everything; what a full disk took of it is given back."""
    try:
        written = os.write(handle, data)
        if written < len(data):
            raise OSError("short write")
    except OSError:
        with suppress(OSError):
            os.ftruncate(handle, size)
        raise


def _without_torn_end(handle: int, path: Path) -> int:
    """The file's size, once it ends with a whole line."""
    size = os.fstat(handle).st_size
    if size == 0 or _read_at(handle, size - 1, 1) == b"\n":
        return size
    start = _last_line(handle, size)
    end = _read_at(handle, start, size - start)
    if _is_whole(end):
        _write(handle, b"\n", size)  # only the line end was missing
        return size + 1
    _keep(torn_beside(path), end + b"\n")
    os.ftruncate(handle, start)
    return start


def _keep(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _FLAGS, 0o600)
    with os.fdopen(handle, "ab") as file:
        file.write(data)
        file.flush()
        os.fsync(handle)


def _last_line(handle: int, size: int) -> int:
    """Where the last line begins."""
    end = size
    while end > 0:
        start = max(0, end - _CHUNK)
        found = _read_at(handle, start, end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _read_at(handle: int, start: int, count: int) -> bytes:
    os.lseek(handle, start, os.SEEK_SET)
    parts = []
    while count > 0:
        part = os.read(handle, count)
        if not part:
            break
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _is_whole(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
