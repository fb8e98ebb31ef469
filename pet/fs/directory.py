"""The open folder that files are read and replaced in; it cannot reach outside itself.

``open_folder`` opens the one of this system. ``PosixFolder`` (Linux, macOS) works relative to an open descriptor and
never follows a link, so replacing the folder with a link between check and open has no effect. ``PathFolder`` does
the same by path, for systems without directory descriptors (Windows): it refuses links and junctions before each
step. Cloud placeholders (OneDrive) are reparse points too but count as plain files: only links and mount points are
refused.

``write_atomically`` creates or replaces a whole file, ``replace_file`` one by its path.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, NoReturn, Protocol, Self

from pet.ids import new_id
from pet.paths import make_private
from pet.untrusted.regular_files import require_regular

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


def _flags(*names: str) -> int:
    """Return flags of ``os.open``; those that this system lacks are 0."""
    return sum(getattr(os, name, 0) for name in names)


_FOLDER = _flags("O_RDONLY", "O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC")
# O_NONBLOCK: a pipe without a writer opens at once instead of never.
_READ = _flags("O_RDONLY", "O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC")
_NEW = _flags("O_WRONLY", "O_CREAT", "O_EXCL", "O_NOFOLLOW", "O_CLOEXEC")
_APPEND = _flags("O_WRONLY", "O_CREAT", "O_APPEND", "O_NOFOLLOW", "O_CLOEXEC")
_OTHERS = _flags("O_NOFOLLOW", "O_CLOEXEC")
_LINUX_EXCHANGE = 2
_MACOS_SWAP = 2
# Errors of file systems and kernels without an exchange: the caller falls back to compare-and-replace.
_CANNOT = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})
_Rename = Callable[[int, bytes, int, bytes, int], int]


@cache
def _exchange_call() -> tuple[_Rename | None, int]:
    """Return the system's exchange of two files, which Python doesn't wrap, and its flag."""
    name, flag = ("renameatx_np", _MACOS_SWAP) if sys.platform == "darwin" else ("renameat2", _LINUX_EXCHANGE)
    function = getattr(ctypes.CDLL(None, use_errno=True), name, None)  # musl and old glibc have none
    if function is None:
        return None, flag
    function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    function.restype = ctypes.c_int
    return function, flag


class PosixFolder(Folder):
    def __init__(self, name: str, parent: int | None = None) -> None:
        """``parent``: the descriptor of the folder that it is in. Raises FolderIsLink, OSError."""
        try:
            self._fd = os.open(name, _FOLDER, dir_fd=parent)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
                raise FolderIsLink(error.errno, os.strerror(error.errno or 0), name) from None
            raise

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
        return PosixFolder(name, self._fd)

    def names(self) -> list[str]:
        with os.scandir(self._fd) as entries:
            return [entry.name for entry in entries]

    def open(self, name: str, flags: int) -> int:
        return os.open(name, flags | _OTHERS, 0o600, dir_fd=self._fd)

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
        rename, flag = _exchange_call()
        if rename is None:
            return False
        if rename(self._fd, os.fsencode(temp), self._fd, os.fsencode(name), flag) == 0:
            return True
        code = ctypes.get_errno()
        if code in _CANNOT:
            return False
        raise OSError(code, os.strerror(code), name)

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


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _why(error: OSError) -> Problem:
    if error.errno in (errno.ELOOP, errno.EMLINK):  # EMLINK: FreeBSD's errno for a refused link
        return "link"
    return "not_a_file" if error.errno in (errno.ENXIO, errno.ENODEV, errno.EISDIR) else "unreadable"


_LINK_TAGS = frozenset({0xA000000C, 0xA0000003})  # symbolic link, mount point (junction)
_BINARY = getattr(os, "O_BINARY", 0)
_REPLACE_IGNORE_MERGE_ERRORS = 0x2


class PathFolder(Folder):
    def __init__(self, path: Path) -> None:
        self._path = path
        self._check()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing: there is no handle to close."""

    def sub(self, name: str, *, create: bool) -> PathFolder:
        self._check()
        if create:
            (self._path / name).mkdir(mode=0o700, exist_ok=True)
        return PathFolder(self._path / name)

    def names(self) -> list[str]:
        self._check()
        return [path.name for path in self._path.iterdir()]

    def open(self, name: str, flags: int) -> int:
        self._check()
        path = self._path / name
        with suppress(FileNotFoundError):
            if is_link(path.lstat()):
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        return os.open(path, flags | _BINARY, 0o600)

    def read(self, name: str, limit: int) -> Raw:
        self._check()
        path = self._path / name
        try:
            status = path.lstat()
        except FileNotFoundError:
            return Absent()
        except OSError:
            return Unusable("unreadable")
        if is_link(status):
            return Unusable("link")
        if not stat.S_ISREG(status.st_mode):
            return Unusable("not_a_file")
        try:
            with path.open("rb", buffering=0) as file:
                return read_open(file.fileno(), limit)
        except FileNotFoundError:
            return Absent()
        except OSError:
            return Unusable("unreadable")

    def about(self, name: str) -> os.stat_result:
        return (self._path / name).lstat()

    def create(self, name: str, data: bytes, mode: int) -> None:
        self._check()
        fd = os.open(self._path / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def append(self, name: str, data: bytes, *, durable: bool) -> None:
        self._check()
        fd = os.open(self._path / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _BINARY, 0o600)
        with os.fdopen(fd, "ab") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())

    def exchange(self, temp: str, name: str) -> bool:
        self._check()
        supported = sys.platform == "win32"
        if sys.platform == "win32":
            import ctypes

            backup = self._path / temp_name(name, new_id())
            replace_file = ctypes.WinDLL("kernel32", use_last_error=True).ReplaceFileW
            paths = [str(path) for path in (self._path / name, self._path / temp, backup)]
            if not replace_file(*paths, _REPLACE_IGNORE_MERGE_ERRORS, None, None):
                raise ctypes.WinError(ctypes.get_last_error())
            backup.replace(self._path / temp)  # ReplaceFileW keeps the replaced file as the backup
        return supported

    def replace(self, temp: str, name: str) -> None:
        self._check()
        (self._path / temp).replace(self._path / name)

    def add(self, temp: str, name: str) -> None:
        self._check()
        if sys.platform == "win32":
            (self._path / temp).rename(self._path / name)  # refuses to overwrite there
        else:
            os.link(self._path / temp, self._path / name, follow_symlinks=False)
            (self._path / temp).unlink()

    def move(self, name: str, to: Folder, new_name: str) -> None:
        assert isinstance(to, PathFolder)
        self._check()
        to._check()
        (self._path / name).replace(to._path / new_name)

    def remove(self, name: str) -> None:
        self._check()
        (self._path / name).unlink()

    def touch(self, name: str) -> None:
        self._check()
        os.utime(self._path / name)

    def sync(self) -> None:
        """Do nothing: folders can't be synced here, and NTFS journals its renames."""

    def _check(self) -> None:
        """Raises FolderIsLink if the folder has become a link, FileNotFoundError if it is gone."""
        status = self._path.lstat()
        if is_link(status) or not stat.S_ISDIR(status.st_mode):
            raise FolderIsLink(errno.ELOOP, os.strerror(errno.ELOOP), str(self._path))


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


def is_link(status: os.stat_result) -> bool:
    """Whether it is a symbolic link or a Windows junction (Path.is_junction needs Python 3.12)."""
    return stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) in _LINK_TAGS


def open_folder(path: Path, *below: str, create: bool = False) -> Folder:
    """Open a folder, or the one ``below`` it, which is made if missing with ``create``.

    The path must be resolved. Raises FolderIsLink if its last component or a folder below is a link, OSError.
    """
    folder: Folder
    if sys.platform == "win32":
        folder = PathFolder(path)
    else:
        folder = PosixFolder(str(path))
    for name in below:
        with folder as parent:
            folder = parent.sub(name, create=create)
    return folder


def replace_file(file: Path, content: bytes, *, mode: int | None = None) -> None:
    """Replace the file's content, synced to disk on return. ``mode`` None keeps the existing file's mode; a new
    file is this user's.

    Raises OSError, with the old file unchanged; NotRegular for a pipe or a device.
    """
    target = Path(os.path.realpath(file))  # a symlink is kept: its target is replaced
    require_regular(target)
    make_private(target.parent)
    mode = _mode_of(target) if mode is None else mode
    with open_folder(target.parent) as folder:
        write_atomically(folder, target.name, content, mode=mode, temp=temp_beside(target.name))


def _mode_of(target: Path) -> int:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return 0o600
