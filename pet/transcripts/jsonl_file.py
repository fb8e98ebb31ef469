"""One append-only JSON Lines file, shared by several processes.

An append is a single write under the file's own lock; a torn last line is moved aside before anything is appended.
``JsonlFile.rewrite`` replaces the file atomically. Readers get only complete lines, and reading never modifies the
file. Neither the file nor its folder nor the one above may be a link: everything is opened relative to the open
folder.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from pet.fs.directory import Folder, open_folder, remove_leftovers, temp_beside, write_atomically
from pet.untrusted.parsers import MAX_STORED_DEPTH, read_json
from pet.untrusted.regular_files import NotRegular

if sys.platform == "win32":
    import msvcrt
    import os

    _FAR = 2**40  # beyond any transcript: Windows locks are mandatory and must not block readers. Wine takes no more

    @contextmanager
    def locked(handle: int) -> Iterator[None]:
        _at_far(handle, msvcrt.LK_LOCK)
        try:
            yield
        finally:
            _at_far(handle, msvcrt.LK_UNLCK)

    def _at_far(handle: int, mode: int) -> None:
        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, mode, 1)

else:
    import fcntl

    @contextmanager
    def locked(handle: int) -> Iterator[None]:
        """Held by one process at a time for the length of the block."""
        fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)


_FLAGS = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)  # opening a pipe would block
_CHUNK = 64 * 1024
LARGEST = 512 * 1024 * 1024
"""Bytes of a file that is read. 5,000 turns have some 17 MB."""
_TAIL = 64  # trailing bytes kept to tell a rewritten file from a longer one


_Stamp = tuple[int, int, int]


def _stamp(about: os.stat_result) -> _Stamp:
    return about.st_ino, about.st_size, about.st_mtime_ns


@dataclass(frozen=True, slots=True)
class ReadBatch:
    """Lines added since the last read; ``restarted``: the file was replaced, and these are all of its lines."""

    lines: list[bytes]
    restarted: bool


@dataclass(slots=True)
class JsonlFile:
    """``keeps``: whether a torn line stays in the file, as an unreadable one, instead of being moved aside."""

    path: Path
    keeps: Callable[[bytes], bool] = lambda _line: False
    _inode: int = field(default=0, init=False)
    _offset: int = field(default=0, init=False)
    _seen: _Stamp = field(default=(0, 0, 0), init=False)
    _tail: bytes = field(default=b"", init=False)

    def read_new(self) -> ReadBatch:
        """Return the complete lines added since the last call. Raises OSError, FileNotFoundError once the file is
        gone.
        """
        about = self.path.lstat()
        if not stat.S_ISREG(about.st_mode):  # a link could lead anywhere, a pipe would block
            raise OSError("not a file")
        if about.st_size > LARGEST:
            raise OSError(errno.EFBIG, "too large")
        seen = _stamp(about)
        if seen == self._seen:
            return ReadBatch([], restarted=False)
        restarted = about.st_ino != self._inode or about.st_size < self._offset
        with folder_of(self.path) as folder:
            handle = folder.open(self.path.name, os.O_RDONLY | _FLAGS)
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

    def has_changed(self) -> bool:
        """Whether size or times differ from those at the last reading."""
        try:
            about = self.path.lstat()
        except OSError:
            return True
        return _stamp(about) != self._seen

    def append(self, data: bytes, *, first: bytes, create: bool, durable: bool) -> bool:
        """Append complete lines; a new file starts with ``first``. On any OSError the file is unchanged.

        Return whether all before them had been read: they then count as read too. Raises FileNotFoundError for a
        missing file unless ``create``.
        """
        with (
            folder_of(self.path) as folder,
            _open_locked(folder, self.path, os.O_RDWR | os.O_APPEND, create=create) as handle,
        ):
            is_read = _stamp(os.fstat(handle)) == self._seen
            size = self._without_torn_end(handle, folder)
            _write(handle, data if size else first + data, size)
            if durable:
                os.fsync(handle)
            if durable and not size:
                folder.sync()
            if not (is_read and size == self._offset):
                return False
            self._offset, self._seen = size + len(data), _stamp(os.fstat(handle))
            self._tail = (self._tail + data)[-_TAIL:]
            return True

    def append_missing(self, lines: Mapping[str, bytes]) -> None:
        """Append the lines whose entry, by its id, is not in the file, durably. Raises OSError."""
        with (
            folder_of(self.path) as folder,
            _open_locked(folder, self.path, os.O_RDWR | os.O_APPEND) as handle,
        ):
            size = self._without_torn_end(handle, folder)
            present = _read_at(handle, 0, size)
            missing = b"".join(line for id_, line in lines.items() if f'"id":"{id_}"'.encode() not in present)
            if missing:
                _write(handle, missing, size)
                os.fsync(handle)

    def rewrite(self, change: Callable[[bytes], bytes]) -> bool:
        """Replace the content with ``change(content)`` atomically, without losing appends; whether it changed.

        Only for forgetting. An empty result deletes the file. Raises OSError; the file is then unchanged.
        """
        name = self.path.name
        with folder_of(self.path) as folder, _open_locked(folder, self.path, os.O_RDWR) as handle:
            remove_leftovers(folder, name)
            data = _read_at(handle, 0, os.fstat(handle).st_size)
            wanted = change(data)
            if wanted == data:
                return False
            if not wanted:
                folder.remove(name)
            elif os.name == "nt":  # an open file can't be replaced there
                _write_over(handle, wanted)
            else:
                mode = stat.S_IMODE(os.fstat(handle).st_mode)
                write_atomically(folder, name, wanted, mode=mode, temp=temp_beside(name))
            folder.sync()
            return True

    def repair(self) -> None:
        """Move a torn last line aside. Raises OSError."""
        with folder_of(self.path) as folder, _open_locked(folder, self.path, os.O_RDWR | os.O_APPEND) as handle:
            self._without_torn_end(handle, folder)

    def _without_torn_end(self, handle: int, folder: Folder) -> int:
        """Return the file's size after it ends with a complete line. Raises OSError, also if it is too large to be
        read: a torn line may be all of it."""
        size = os.fstat(handle).st_size
        if size > LARGEST:
            raise OSError(errno.EFBIG, "too large")
        if size == 0 or _read_at(handle, size - 1, 1) == b"\n":
            return size
        start = _last_line(handle, size)
        end = _read_at(handle, start, size - start)
        if _is_whole(end) or self.keeps(end):
            _write(handle, b"\n", size)  # only the line end was missing
            return size + 1
        folder.append(torn_beside(self.path).name, end + b"\n", durable=True)
        os.ftruncate(handle, start)
        return start


def switch_beside(path: Path) -> Path:
    """Return the path of the second record of the file's last memory switch."""
    return path.with_name(path.name + ".switch")


def torn_beside(path: Path) -> Path:
    """Return the path of the file's torn lines."""
    return path.with_name(path.name + ".torn")


@contextmanager
def folder_of(path: Path) -> Iterator[Folder]:
    """Open the folder of a file. Raises FolderIsLink if it or the folder above is a link, and FileNotFoundError."""
    with open_folder(path.parent.parent, path.parent.name) as folder:
        yield folder


@contextmanager
def _open_locked(folder: Folder, path: Path, flags: int, *, create: bool = False) -> Iterator[int]:
    """Open and lock the file ``path`` in ``folder``; reopens it if it was replaced while waiting for the lock.

    Raises FileNotFoundError if it was deleted; never recreates it.
    """
    for attempt in count():
        handle = folder.open(path.name, flags | _FLAGS | (os.O_CREAT if create and not attempt else 0))
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise NotRegular(path)
            with locked(handle):
                if os.fstat(handle).st_nlink:
                    yield handle
                    return
        finally:
            os.close(handle)


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
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # a call that writes a part gives no errno
    except OSError:
        with suppress(OSError):
            os.ftruncate(handle, size)
        raise


def _last_line(handle: int, size: int) -> int:
    """Return the offset of the last line."""
    end = size
    while end > 0:
        start = max(0, end - _CHUNK)
        line_end = _read_at(handle, start, end - start).rfind(b"\n")
        if line_end >= 0:
            return start + line_end + 1
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
