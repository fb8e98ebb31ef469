"""Whole pets copied, and packed into a zip, byte for byte.

A copy is consistent even while the pet is written to. Links, pipes and sockets are skipped.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
import zipfile
from contextlib import suppress
from pathlib import Path

from pet.errors import WriteFailed
from pet.fs.directory import temp_owner
from pet.fs.locks import lock_file, locked
from pet.fs.zip_reading import is_safe
from pet.model import OPTIONAL_FILES
from pet.workspace.file_history import OBJECTS, log_leaf
from pet.workspace.file_names import ASIDE, CORE_NAMES, HISTORY_FOLDER, is_name
from pet.workspace.note_files import note_folders

_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


def duplicate_pet(source: Path, target: Path, *, locks: Path) -> None:
    """Copy everything in ``source`` to the new folder ``target``. Raises OSError."""
    target.mkdir(mode=0o700)
    logs = sorted(path for prefix in note_folders(source) for path in _texts(source, prefix))
    done: set[Path] = set()
    with suppress(ValueError):  # an export into the pet's own folder must not contain itself
        within = target.resolve().relative_to(source.resolve())
        done |= {within, within.parent}
    for name in (*CORE_NAMES, *OPTIONAL_FILES, ASIDE, *logs):
        history = Path(HISTORY_FOLDER, log_leaf(name))
        with locked(lock_file(locks, source, name)):
            for part in (history, Path(name)):
                _copy_file(source / part, target / part)
                done.add(part)
    # Objects are copied after the logs that name them: an object is always written before its log entry.
    _copy_folder(source, target, Path(), done)


def _copy_folder(source: Path, target: Path, under: Path, done: set[Path]) -> None:
    with os.scandir(source / under) as listing:
        entries = sorted(listing, key=lambda entry: (entry.name == HISTORY_FOLDER, entry.name == OBJECTS, entry.name))
    for entry in entries:
        part = under / entry.name
        if part in done:
            continue
        if entry.is_dir(follow_symlinks=False):
            (target / part).mkdir(mode=0o700, exist_ok=True)
            _copy_folder(source, target, part, done)
        elif temp_owner(entry.name) is None:
            _copy_file(source / part, target / part)


def _copy_file(source: Path, target: Path) -> None:
    """Copy bytes, mode and time of a plain file; skips anything else."""
    try:
        handle = os.open(source, _READ)
    except FileNotFoundError:
        return
    except OSError:
        if source.is_symlink() or not source.is_file():
            return
        raise
    with os.fdopen(handle, "rb") as opened:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with target.open("xb") as copy:
            shutil.copyfileobj(opened, copy)
            copy.flush()
            os.fsync(copy.fileno())
    with suppress(OSError):
        target.chmod(stat.S_IMODE(status.st_mode) | 0o600)
        os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))


def _texts(source: Path, prefix: str) -> list[str]:
    try:
        return [path for entry in (source / prefix).iterdir() if is_name(path := f"{prefix}/{entry.name}")]
    except OSError:
        return []


COMMENT = "soulpet-pet/1 files="
"""The zip's comment, to be followed by the number of its files, so that missing ones are noticed. 1 is the
layout's version."""
_MOST_NAMES = 1000


def export_pet_to(root: Path, file: Path, *, locks: Path) -> None:
    """Write the zip to exactly this path. Raises FileExistsError, WriteFailed."""
    file.touch(mode=0o600, exist_ok=False)
    try:
        packed = export_pet(root, file.absolute().parent, f".{file.stem}", locks=locks, top=file.stem)
        packed.replace(file)
    except BaseException:  # also on interruption: leave no empty file
        file.unlink(missing_ok=True)
        raise


def export_pet(root: Path, folder: Path, name: str, *, locks: Path, top: str | None = None) -> Path:
    """Write the zip to ``folder``, as ``name`` or numbered if that is taken, and return its path. Raises WriteFailed.

    ``top``: the folder inside the zip, by default ``name``. A consistent copy is packed, so that the pet may be
    written to meanwhile.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".soulpet-", dir=folder) as temp:
            copied, packed = Path(temp, "pet"), Path(temp, "pet.zip")
            duplicate_pet(root.resolve(), copied, locks=locks)
            _zip(copied, packed, top or name)
            return _put(packed, folder, name)
    except OSError as problem:
        raise WriteFailed.from_os_error(f"{name}.zip", problem) from problem


def _zip(source: Path, target: Path, top: str) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as zip_file:
        paths = sorted(source.rglob("*"))
        files = [path for path in paths if path.is_file()]
        zip_file.comment = f"{COMMENT}{len(files)}".encode()
        empty = [path for path in paths if path.is_dir() and not any(path.iterdir())]
        for file in (*files, *empty):
            name = file.relative_to(source).as_posix()
            if not is_safe(name):  # the import would refuse the whole zip
                raise WriteFailed(ascii(name), errno.EILSEQ)
            info = zipfile.ZipInfo.from_file(file, f"{top}/{name}", strict_timestamps=False)
            if info.is_dir():
                zip_file.writestr(info, b"")
                continue
            info.compress_type = zipfile.ZIP_DEFLATED
            with file.open("rb") as read, zip_file.open(info, "w") as written:
                shutil.copyfileobj(read, written)


def _put(packed: Path, folder: Path, name: str) -> Path:
    """Move it into place without overwriting an existing file."""
    for number in range(1, _MOST_NAMES):
        file = folder / (f"{name}.zip" if number == 1 else f"{name} ({number}).zip")
        try:
            file.touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            continue
        packed.replace(file)
        return file
    raise FileExistsError(name)
