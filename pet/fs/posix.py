"""Folder access by descriptor (Linux, macOS): every operation is relative to it and follows no link.

Two files are exchanged atomically with renameat2 (Linux) or renameatx_np (macOS); Python wraps neither, hence ctypes.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import TracebackType

from pet.fs.directory import Absent, Folder, FolderIsLink, Problem, Raw, Unusable, read_open

_LINUX_EXCHANGE = 2
_MACOS_SWAP = 2
# Errors of file systems and kernels without an exchange: the caller falls back to compare-and-replace.
_CANNOT = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})

_Rename = Callable[[int, bytes, int, bytes, int], int]


def exchange_files(folder: int, one: str, other: str) -> bool:
    """Exchange both names; False if the system doesn't support it. Raises OSError."""
    rename, flag = _system_call()
    if rename is None:
        return False
    if rename(folder, os.fsencode(one), folder, os.fsencode(other), flag) == 0:
        return True
    code = ctypes.get_errno()
    if code in _CANNOT:
        return False
    raise OSError(code, os.strerror(code), other)


@cache
def _system_call() -> tuple[_Rename | None, int]:
    name, flag = ("renameatx_np", _MACOS_SWAP) if sys.platform == "darwin" else ("renameat2", _LINUX_EXCHANGE)
    function = getattr(ctypes.CDLL(None, use_errno=True), name, None)  # musl and old glibc have none
    if function is None:
        return None, flag
    function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    function.restype = ctypes.c_int
    return function, flag


assert sys.platform != "win32"  # there it is PathFolder

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: a pipe without a writer opens at once instead of never.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


class PosixFolder(Folder):
    def __init__(self, descriptor: int) -> None:
        self._fd = descriptor

    @classmethod
    def at(cls, path: Path) -> PosixFolder:
        return cls(_open_folder(str(path), None))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # it was only read from: an error of the closing does not undo its changes
            os.close(self._fd)

    def sub(self, name: str, *, create: bool) -> PosixFolder:
        if create:
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=self._fd)
                self.sync()
        return PosixFolder(_open_folder(name, self._fd))

    def names(self) -> list[str]:
        with os.scandir(self._fd) as entries:
            return [entry.name for entry in entries]

    def open(self, name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=self._fd)

    def read(self, name: str, limit: int) -> Raw:
        try:
            fd = os.open(name, _READ, dir_fd=self._fd)
        except FileNotFoundError:
            return Absent()
        except OSError as error:
            return Unusable(_why(error))
        try:
            return read_open(fd, limit)
        except OSError:
            return Unusable("unreadable")
        finally:
            with suppress(OSError):
                os.close(fd)

    def about(self, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=self._fd, follow_symlinks=False)

    def create(self, name: str, data: bytes, mode: int) -> None:
        fd = os.open(name, _NEW, 0o600, dir_fd=self._fd)
        try:
            _write_all(fd, data)
            if mode != 0o600:
                os.fchmod(fd, mode)
            os.fsync(fd)
        finally:
            os.close(fd)

    def append(self, name: str, data: bytes, *, durable: bool) -> None:
        fd = os.open(name, _APPEND, 0o600, dir_fd=self._fd)
        try:
            _write_all(fd, data)
            if durable:
                os.fsync(fd)
        finally:
            os.close(fd)

    def exchange(self, temp: str, name: str) -> bool:
        return exchange_files(self._fd, temp, name)

    def replace(self, temp: str, name: str) -> None:
        os.replace(temp, name, src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def add(self, temp: str, name: str) -> None:
        try:
            os.link(temp, name, src_dir_fd=self._fd, dst_dir_fd=self._fd, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
                raise
            # A file system without hard links (FAT): check, then rename.
            if self.signature(name) is not None:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name) from None
            self.replace(temp, name)
            return
        with suppress(OSError):  # the file is in place under its name
            os.unlink(temp, dir_fd=self._fd)

    def move(self, name: str, to: Folder, new_name: str) -> None:
        assert isinstance(to, PosixFolder)
        os.rename(name, new_name, src_dir_fd=self._fd, dst_dir_fd=to._fd)

    def remove(self, name: str) -> None:
        os.unlink(name, dir_fd=self._fd)

    def touch(self, name: str) -> None:
        os.utime(name, dir_fd=self._fd, follow_symlinks=False)

    def sync(self) -> None:
        # Some network file systems can't sync a directory; the files themselves are already synced.
        with suppress(OSError):
            os.fsync(self._fd)


def _open_folder(name: str, parent: int | None) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=parent)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
            raise FolderIsLink(error.errno, os.strerror(error.errno or 0), name) from None
        raise


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _why(error: OSError) -> Problem:
    if error.errno in (errno.ELOOP, errno.EMLINK):  # EMLINK: FreeBSD's errno for a refused link
        return "link"
    return "not_a_file" if error.errno in (errno.ENXIO, errno.ENODEV, errno.EISDIR) else "unreadable"
