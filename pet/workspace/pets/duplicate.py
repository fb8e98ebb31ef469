"""Deep copy of a pet's folder.

Only plain files are copied: links, pipes and sockets are skipped. A file and its history are copied under that file's
lock, so that the copy is consistent even while the pet is written to.
"""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from pet.model import OPTIONAL_FILES
from pet.workspace.file_names import CORE_NAMES, HISTORY_FOLDER, LOG_FOLDER, flat_name
from pet.workspace.fs.directory import temp_owner
from pet.workspace.fs.locks import lock_file, locked
from pet.workspace.history.file_history import OBJECTS

_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


def duplicate_pet(source: Path, target: Path, *, locks: Path) -> None:
    """Copy everything in ``source`` to the new folder ``target``. Raises OSError."""
    target.mkdir(mode=0o700)
    logs = sorted(f"{LOG_FOLDER}/{leaf}" for leaf in _leaves(source / LOG_FOLDER))
    done: set[Path] = set()
    with suppress(ValueError):  # an export into the pet's own folder must not contain itself
        within = target.resolve().relative_to(source.resolve())
        done |= {within, within.parent}
    for name in (*CORE_NAMES, *OPTIONAL_FILES, *logs):
        history = Path(HISTORY_FOLDER, f"{flat_name(name)}.jsonl")
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


def _leaves(folder: Path) -> list[str]:
    try:
        return [] if folder.is_symlink() else [entry.name for entry in folder.iterdir()]
    except OSError:
        return []
