"""One append-only JSON Lines file, shared by several processes.

An append is a single write under the file's own lock; a torn last line (after a crash or power failure) is moved
aside before anything is appended. ``rewrite`` replaces the file atomically. Readers get only complete lines, and
reading never modifies the file.
"""

from __future__ import annotations

import glob
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from pet.outside_data import MAX_STORED_DEPTH, read_json
from pet.regular_files import NotRegular
from pet.transcripts.files.flock import locked

_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_FLAGS |= getattr(os, "O_NONBLOCK", 0)  # opening a pipe would block
_CHUNK = 64 * 1024
_TAIL = 64  # trailing bytes kept to tell a rewritten file from a longer one


@dataclass(frozen=True, slots=True)
class ReadBatch:
    """Lines added since the last read; ``restarted``: the file was replaced, and these are all of its lines."""

    lines: list[bytes]
    restarted: bool


@dataclass(slots=True)
class JsonlFile:
    path: Path
    _inode: int = field(default=0, init=False)
    _offset: int = field(default=0, init=False)
    _seen: tuple[int, int, int] = field(default=(0, 0, 0), init=False)
    _tail: bytes = field(default=b"", init=False)

    def read_new(self) -> ReadBatch:
        """Return the complete lines added since the last call. Raises OSError, FileNotFoundError once the file is
        gone.
        """
        about = self.path.lstat()
        if not stat.S_ISREG(about.st_mode):  # a link could lead anywhere, a pipe would block
            raise OSError("not a file")
        seen = (about.st_ino, about.st_size, about.st_mtime_ns)
        if seen == self._seen:
            return ReadBatch([], restarted=False)
        restarted = about.st_ino != self._inode or about.st_size < self._offset
        handle = os.open(self.path, os.O_RDONLY | _FLAGS)
        with os.fdopen(handle, "rb") as file:
            if not restarted:
                file.seek(self._offset - len(self._tail))
                restarted = file.read(len(self._tail)) != self._tail  # inode numbers are reused quickly
            start = 0 if restarted else self._offset
            file.seek(start)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._inode, self._offset, self._seen = about.st_ino, start + len(whole), seen
        self._tail = (b"" if restarted else self._tail) + whole[-_TAIL:]
        self._tail = self._tail[-_TAIL:]
        return ReadBatch(whole.split(b"\n")[:-1], restarted=restarted)

    def append(self, data: bytes, *, first: bytes, create: bool, durable: bool) -> None:
        """Append complete lines; a new file starts with ``first``. On any OSError the file is unchanged.

        Raises FileNotFoundError for a missing file unless ``create``.
        """
        with _open_locked(self.path, os.O_RDWR | os.O_APPEND, create=create) as handle:
            size = _without_torn_end(handle, self.path)
            _write(handle, data if size else first + data, size)
            if durable:
                os.fsync(handle)
            if durable and not size:
                sync_folder(self.path.parent)

    def rewrite(self, change: Callable[[bytes], bytes]) -> bool:
        """Replace the content with ``change(content)`` atomically, without losing appends; whether it changed.

        Only for forgetting. An empty result deletes the file. Raises OSError; the file is then unchanged.
        """
        with _open_locked(self.path, os.O_RDWR) as handle:
            for leftover in self.path.parent.glob(f".{glob.escape(self.path.name)}.*.tmp"):
                leftover.unlink(missing_ok=True)  # left by a killed process: the lock is ours now
            data = _read_at(handle, 0, os.fstat(handle).st_size)
            wanted = change(data)
            if wanted == data:
                return False
            if not wanted:
                self.path.unlink()
            elif os.name == "nt":  # an open file can't be replaced there
                _write_over(handle, wanted)
            else:
                _replace(self.path, handle, wanted)
            sync_folder(self.path.parent)
            return True

    def repair(self) -> None:
        """Move a torn last line aside. Raises OSError."""
        with _open_locked(self.path, os.O_RDWR | os.O_APPEND) as handle:
            _without_torn_end(handle, self.path)


def torn_beside(path: Path) -> Path:
    """Return the path where the file's torn lines are kept."""
    return path.with_name(path.name + ".torn")


def sync_folder(folder: Path) -> None:
    if os.name == "nt":  # a folder can't be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _open_locked(path: Path, flags: int, *, create: bool = False) -> Iterator[int]:
    """Open and lock the file at ``path``; reopens it if it was replaced while waiting for the lock.

    Raises FileNotFoundError if it was deleted; never recreates it.
    """
    for attempt in count():
        handle = os.open(path, flags | _FLAGS | (os.O_CREAT if create and not attempt else 0), 0o600)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise NotRegular(path)
            with locked(handle):
                if os.fstat(handle).st_nlink:
                    yield handle
                    return
        finally:
            os.close(handle)


def _replace(path: Path, handle: int, data: bytes) -> None:
    temp = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    new = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, stat.S_IMODE(os.fstat(handle).st_mode))
    try:
        with os.fdopen(new, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temp.replace(path)
    except BaseException:
        temp.unlink(missing_ok=True)
        raise


def _write_over(handle: int, data: bytes) -> None:
    os.ftruncate(handle, 0)
    os.lseek(handle, 0, os.SEEK_SET)
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]
    os.fsync(handle)


def _write(handle: int, data: bytes, size: int) -> None:
    """Write everything in one call; a partial write on a full disk is truncated."""
    try:
        written = os.write(handle, data)
        if written < len(data):
            raise OSError("short write")
    except OSError:
        with suppress(OSError):
            os.ftruncate(handle, size)
        raise


def _without_torn_end(handle: int, path: Path) -> int:
    """Return the file's size after it ends with a complete line."""
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
    """Return the offset of the last line."""
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
        return isinstance(read_json(line, depth=MAX_STORED_DEPTH), dict)
    except ValueError:
        return False
