"""Open a folder by what this system has, and replace a single file by its path.

``PosixFolder`` works relative to an open descriptor and never follows a link, so replacing the folder with a link
between check and open has no effect. ``PathFolder`` does the same by path, for systems without directory descriptors
(Windows): it refuses links and junctions before each step. Cloud placeholders (OneDrive) are reparse points too but
count as plain files: only links and mount points are refused.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from pet.fs.directory import (
    Absent,
    Folder,
    FolderIsLink,
    Raw,
    Unusable,
    read_open,
    temp_beside,
    temp_name,
    write_atomically,
)
from pet.ids import new_id
from pet.paths import make_private
from pet.untrusted.regular_files import require_regular

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
        from pet.fs.posix import PosixFolder

        folder = PosixFolder.at(path)
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
