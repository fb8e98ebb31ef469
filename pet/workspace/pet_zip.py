"""Whole pets copied, packed into a zip, and unpacked from one, byte for byte.

A copy is consistent even while the pet is written to. Links, pipes and sockets are skipped. The import refuses
zips that hold anything but one pet's folder, or less than was packed.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pet.errors import ImportRefused, NewerFormat, WriteFailed
from pet.fs.directory import temp_owner
from pet.fs.locks import lock_file, locked
from pet.fs.zip_reading import CheckedZip, is_safe, open_zip
from pet.model import HEARTBEAT, OPTIONAL_FILES, CoreFile
from pet.serde import require_known
from pet.untrusted.parsers import TooDeep, read_toml
from pet.workspace.file_history import OBJECTS, log_leaf
from pet.workspace.file_names import ASIDE, CONVERSATIONS, CORE_NAMES, HISTORY_FOLDER, is_name
from pet.workspace.note_files import note_folders
from pet.workspace.pet_registry import PET_FILE
from pet.workspace.pet_toml import IDENTITY, name_in

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


_MAX_SHOWN = 1 << 20
_CHUNK = 1 << 20
_OURS = re.compile(rb"soulpet-pet/(\d{1,9})\b(?: files=(\d{1,9}))?")  # as ``COMMENT``
_LAYOUT = 1
_SPARE = 64 << 20  # bytes that stay free on the disk
_OF_MACOS = re.compile(r"__MACOSX/.*|(?:.*/)?(?:\._[^/]*|\.DS_Store)")


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedPet:
    """A pet in a zip. ``name`` None: the owner gave none. ``memory``: its pet.toml turns memory on for new
    conversations. ``heartbeat``: the text of its HEARTBEAT.md.
    """

    name: str | None
    memory: bool
    heartbeat: str
    files: int
    bytes: int
    conversations: int


def read_packed_pet(file: Path) -> PackedPet | None:
    """Describe the pet in the zip; None if it holds none. Raises ImportRefused; NewerFormat for a newer program's."""
    with _open(file) as packed:
        top = _top(packed)
        if top is None:
            return None
        _require_whole(packed, top, file)
        own = _settings(packed, top)
        require_known(own, PET_FILE)
        return PackedPet(
            name=name_in(_small_file(packed, f"{top}/{IDENTITY}"), own),
            memory=own.get("memory") is True,
            heartbeat=_small_file(packed, f"{top}/{HEARTBEAT}").decode("utf-8", "replace"),
            files=len(packed.entries),
            bytes=packed.total_bytes,
            conversations=sum(
                name.startswith(f"{top}/{CONVERSATIONS}/") and name.endswith(".jsonl") for name in packed.entries
            ),
        )


def unpack_pet(file: Path, target: Path, step: Callable[[int], None] = lambda _count: None) -> None:
    """Unpack all files and empty folders into the new folder ``target``. Raises ImportRefused, OSError.

    ``step`` is called with the number of bytes written since the last call, and may raise to stop.
    """
    with _open(file) as packed:
        top = _top(packed)
        if top is None:
            raise ImportRefused(problem="unknown", file=file.name)
        _require_whole(packed, top, file)
        if packed.total_bytes + _SPARE > shutil.disk_usage(target.parent).free:
            raise ImportRefused(problem="too_large", limit=shutil.disk_usage(target.parent).free >> 30)
        target.mkdir(mode=0o700)
        for name, info in packed.entries.items():
            _unpack(packed.zip_file, info, target / name.removeprefix(f"{top}/"), step)
        for folder in packed.folders:
            if folder.startswith(f"{top}/"):
                (target / folder.removeprefix(f"{top}/")).mkdir(mode=0o700, parents=True, exist_ok=True)


def _unpack(zip_file: zipfile.ZipFile, info: zipfile.ZipInfo, file: Path, step: Callable[[int], None]) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with zip_file.open(info) as read, file.open("xb") as written:
        while chunk := read.read(_CHUNK):
            written.write(chunk)
            step(len(chunk))
        written.flush()
        os.fsync(written.fileno())
    mode = info.external_attr >> 16 & 0o777
    with suppress(OSError, ValueError, OverflowError):
        file.chmod(mode & 0o700 | 0o600)
        when = time.mktime((*info.date_time, 0, 0, -1))
        os.utime(file, (when, when))


@contextmanager
def _open(file: Path) -> Iterator[CheckedZip]:
    with open_zip(file) as packed:
        if not _OURS.match(packed.zip_file.comment):
            of_macos = [name for name in packed.entries if _OF_MACOS.fullmatch(name)]
            for name in of_macos:
                del packed.entries[name]
        yield packed


def _top(packed: CheckedZip) -> str | None:
    """Return the folder that holds everything, if it is a pet's."""
    if _OURS.match(packed.zip_file.comment):
        tops = {name.partition("/")[0] for name in packed.entries}
    else:
        tops = {top for top, kept, _ in (name.partition(f"/{HISTORY_FOLDER}/") for name in packed.entries) if kept}
    top = min(tops, key=len, default="")
    return top if top and all(name.startswith(f"{top}/") for name in packed.entries) else None


def _require_whole(packed: CheckedZip, top: str, file: Path) -> None:
    ours = _OURS.match(packed.zip_file.comment)
    if ours and int(ours[1]) > _LAYOUT:
        raise NewerFormat(file=file.name)
    is_whole = int(ours[2] or 0) == len(packed.entries) if ours else f"{top}/{CoreFile.SOUL.value}" in packed.entries
    if not is_whole:
        raise ImportRefused(problem="half")


def _settings(packed: CheckedZip, top: str) -> dict[str, Any]:
    """Return pet.toml's values; none if it is broken, which its owner can repair. Raises ImportRefused."""
    try:
        return read_toml(_small_file(packed, f"{top}/{PET_FILE}"))
    except TooDeep:
        raise ImportRefused(problem="deep_settings", file=PET_FILE) from None
    except ValueError:
        return {}


def _small_file(packed: CheckedZip, name: str) -> bytes:
    """Return a file's bytes; b"" if it is missing or too large."""
    info = packed.entries.get(name)
    return b"" if info is None or info.file_size > _MAX_SHOWN else packed.zip_file.read(info)
