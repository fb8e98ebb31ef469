"""Backup copies and orphaned objects next to a pet's files: find them and erase text from them.

Touches only known copies of gated files: every other file is the owner's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pet.ids import new_id
from pet.model import CoreFile, Version
from pet.workspace.conflict_names import read_copy_name
from pet.workspace.file_names import (
    HISTORY_FOLDER,
    LOG_FOLDER,
    is_name,
    temp_owner,
    unflat_name,
)
from pet.workspace.fs.directory import Contents, Folder, Unusable
from pet.workspace.fs.locks import as_write_errors, lock_file, locked
from pet.workspace.fs.open_folder import open_folder
from pet.workspace.history.file_history import NO_LIMIT, OBJECTS, FileHistory, HistoryEntry
from pet.workspace.versioned.locked_file import ASIDE
from pet.workspace.versioned.purge import Cut

_SAVED_BESIDE = re.compile(r"#(?P<unsaved>.+)#|(?P<of>.+?)(?:\.~\d+~|~|\.bak|\.old|\.orig|\.save)")
_GATED_CORE = frozenset({CoreFile.USER.value, CoreFile.MEMORY.value})
_LOG_END = ".jsonl"
_LIMIT = 1 << 26


@dataclass(frozen=True, slots=True, kw_only=True)
class SidecarCopy:
    """A copy of the gated file ``of`` in the same folder."""

    folder: str
    leaf: str
    of: str

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.leaf}" if self.folder else self.leaf


def copies_beside(root: Path) -> tuple[SidecarCopy, ...]:
    """Return the copies of gated files, by name."""
    found: list[SidecarCopy] = []
    for folder in ("", LOG_FOLDER):
        with suppress(OSError), open_folder(root, *_parts(folder)) as opened:
            leaves = opened.names()
            found += (
                SidecarCopy(folder=folder, leaf=leaf, of=of) for leaf in leaves if (of := copy_of(folder, leaf))
            )
    return tuple(sorted(found, key=lambda each: each.path))


def read_beside(root: Path, copy: SidecarCopy) -> bytes:
    """Return the copy's bytes; empty if it can't be read."""
    with suppress(OSError), open_folder(root, *_parts(copy.folder)) as folder:
        found = folder.read(copy.leaf, _LIMIT)
        return found.data if isinstance(found, Contents) else b""
    return b""


def copy_of(folder: str, leaf: str) -> str | None:
    """Return the gated file that a neighbouring file is a copy of (by a sync program or editor), or None."""
    prefix = f"{folder}/" if folder else ""

    def gated(name: str) -> bool:
        return _is_log(f"{prefix}{name}") if folder else name in _GATED_CORE

    beside = _SAVED_BESIDE.fullmatch(leaf)
    name = (beside["of"] or beside["unsaved"]) if beside else ""
    found = read_copy_name(leaf, gated)
    of = found.of if found else name if gated(name) else None
    return f"{prefix}{of}" if of else None


def erase_copy(root: Path, locks: Path, copy: SidecarCopy, cut: Cut) -> bool:
    """Erase from a copy; whether it contained the text and no longer does. Raises WriteFailed."""
    with _locked(locks, root, (copy.of,)), open_folder(root, *_parts(copy.folder)) as folder:
        found = folder.read(copy.leaf, _LIMIT)
        if isinstance(found, Unusable) and found.problem == "unreadable":
            raise OSError(found.problem)
        data = cut(copy.of, found.data) if isinstance(found, Contents) else None
        if not isinstance(found, Contents) or data is None or data == found.data:
            return False
        temp = f".{copy.leaf}.{new_id()}.tmp"
        for leftover in folder.names():  # left by a killed process: the lock is ours now
            if leftover.startswith(f".{copy.leaf}.") and leftover.endswith(".tmp"):
                folder.remove(leftover)
        folder.create(temp, data, found.mode)
        folder.replace(temp, copy.leaf)
        folder.sync()
        return True


def named_versions(root: Path, *, but: str = "") -> set[Version]:
    """Return every version named by any file's history, except the file ``but``. Raises OSError where one can't be
    read now: its versions would count as nobody's.
    """
    with open_folder(root, HISTORY_FOLDER) as kept:
        logs = (log for name, each in _logs_in(kept).items() if name != but for log in each)
        entries = (entry for log in logs for entry in FileHistory(kept, log).entries())
        return {version for entry in entries for version in (entry.before, entry.after)}


def history_logs(root: Path) -> dict[str, tuple[str, ...]]:
    """Return each file's history logs: its own, and conflict copies from other machines."""
    with suppress(OSError), open_folder(root, HISTORY_FOLDER) as kept:
        return _logs_in(kept)
    return {}


def _logs_in(kept: Folder) -> dict[str, tuple[str, ...]]:
    leaves = {leaf for leaf in kept.names() if leaf.endswith(_LOG_END)}
    logs: dict[str, tuple[str, ...]] = {}
    for leaf in sorted(leaves):
        copy = read_copy_name(leaf, lambda of: of in leaves or is_name(unflat_name(of.removesuffix(_LOG_END))))
        of, log = (unflat_name(each.removesuffix(_LOG_END)) for each in (copy.of if copy else leaf, leaf))
        logs[of] = (*logs.get(of, ()), log)
    return logs


def known_names(root: Path) -> set[str]:
    """Return the files that have a history, or that a killed writer was about to create."""
    found = set(history_logs(root))
    for folders in ((), (LOG_FOLDER,)):
        with suppress(OSError), open_folder(root, *folders) as folder:
            found |= {owner for file in folder.names() if (owner := _owner(folders, file))}
    return {name for name in found if is_name(name)}


def iter_versions(root: Path, logs: Iterable[str]) -> Iterator[bytes]:
    """Yield each stored version of these logs once, including damaged ones; needs no lock. Raises OSError where one
    can't be read now.
    """
    with suppress(FileNotFoundError), open_folder(root, HISTORY_FOLDER) as kept:
        histories = [FileHistory(kept, log) for log in logs]
        entries = (entry for history in histories for entry in history.entries())
        for version in dict.fromkeys(v for entry in entries for v in (entry.before, entry.after)):
            data = histories[0].raw_bytes(version)
            if data is not None:
                yield data


def log_entries(root: Path, name: str) -> list[HistoryEntry]:
    """Return a file's log entries, oldest first; needs no lock."""
    with suppress(OSError), open_folder(root, HISTORY_FOLDER) as kept:
        return FileHistory(kept, name).entries()
    return []


def files_containing(root: Path, holds: Callable[[bytes], bool]) -> set[str]:
    """Return the files with matching stored, displaced or temporary bytes, or with versions that can't be read."""
    found = {name for name, logs in history_logs(root).items() if _may_hold(root, logs, holds)}
    for folders in ((), (LOG_FOLDER,), (HISTORY_FOLDER, ASIDE)):
        with suppress(OSError), open_folder(root, *folders) as folder:
            for file in folder.names():
                owner = _owner(folders, file)
                raw = folder.read(file, _LIMIT) if owner else None
                if owner and isinstance(raw, Contents) and holds(raw.data):
                    found.add(owner)
    return found


def _may_hold(root: Path, logs: Iterable[str], holds: Callable[[bytes], bool]) -> bool:
    try:
        return any(map(holds, iter_versions(root, logs)))
    except OSError:
        return True


def _owner(folders: tuple[str, ...], file: str) -> str | None:
    """Return the file that a temporary or displaced file belongs to."""
    if folders == (HISTORY_FOLDER, ASIDE):
        return unflat_name(file.partition("~")[0])
    owner = temp_owner(file)
    return "/".join((*folders, owner)) if owner else None


def find_orphans(root: Path, holds: Callable[[bytes], bool]) -> tuple[str, ...]:
    """Return objects that match and belong to no version, left by a killed writer or a lost log; none where a log
    can't be read.
    """
    found: list[str] = []
    with suppress(OSError), open_folder(root, HISTORY_FOLDER, OBJECTS) as objects:
        named = named_versions(root)
        for leaf in objects.names():
            raw = objects.read(leaf, NO_LIMIT) if leaf not in named else None
            if isinstance(raw, Contents) and holds(raw.data):
                found.append(leaf)
    return tuple(found)


def delete_orphans(root: Path, locks: Path, names: Iterable[str], holds: Callable[[bytes], bool]) -> int:
    """Delete orphaned objects and return how many. ``names``: all writable files; each is locked meanwhile, since a
    writer stores an object before its log names it. Raises WriteFailed.
    """
    if not find_orphans(root, holds):
        return 0
    with _locked(locks, root, names):
        found = find_orphans(root, holds)
        with open_folder(root, HISTORY_FOLDER, OBJECTS) as objects:
            for leaf in found:
                objects.remove(leaf)
            objects.sync()
    return len(found)


@contextmanager
def _locked(locks: Path, root: Path, names: Iterable[str]) -> Iterator[None]:
    """Lock all files in a fixed order. Raises WriteFailed, also for errors inside the block."""
    with as_write_errors(HISTORY_FOLDER), ExitStack() as held:
        for name in sorted(set(names)):
            held.enter_context(locked(lock_file(locks, root, name)))
        yield


def _parts(folder: str) -> tuple[str, ...]:
    return (folder,) if folder else ()


def _is_log(name: str) -> bool:
    return name.startswith(f"{LOG_FOLDER}/") and is_name(name)
