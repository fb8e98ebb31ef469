"""Versions and objects across all files' histories: list, search, find and delete what belongs to none.

Reads without locks; only ``delete_orphans`` takes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from pet.fs.directory import Contents, Folder, temp_owner, write_atomically
from pet.fs.locks import as_write_errors, lock_file, locked
from pet.fs.open_folder import open_folder
from pet.ids import new_id
from pet.model import Version
from pet.workspace.file_history import ASIDE, LOG_END, NO_LIMIT, OBJECTS, FileHistory, HistoryEntry
from pet.workspace.file_names import HISTORY_FOLDER, is_name, read_copy_name, unflat_name
from pet.workspace.note_files import note_folders

_LIMIT = 1 << 26
_DAY_NS = 86_400 * 1_000_000_000


def named_versions(root: Path, *, but: str = "") -> set[Version]:
    """Return every version named by any history except that of the file ``but``. Raises OSError if one can't be read
    now: its versions would seem unreferenced.
    """
    with open_folder(root, HISTORY_FOLDER) as kept:
        return _named_in(kept, (log for name, logs in _logs_in(kept).items() if name != but for log in logs))


def history_logs(root: Path) -> dict[str, tuple[str, ...]]:
    """Return the leaves of each file's history logs: its own, and conflict copies from other machines."""
    with suppress(OSError), open_folder(root, HISTORY_FOLDER) as kept:
        return _logs_in(kept)
    return {}


def _logs_in(kept: Folder) -> dict[str, tuple[str, ...]]:
    leaves = {leaf for leaf in kept.names() if leaf.endswith(LOG_END)}
    logs: dict[str, tuple[str, ...]] = {}
    for leaf in sorted(leaves):
        copy = read_copy_name(leaf, lambda of: of in leaves or is_name(unflat_name(of.removesuffix(LOG_END))))
        of = unflat_name((copy.of if copy else leaf).removesuffix(LOG_END))
        logs[of] = (*logs.get(of, ()), leaf)
    return logs


def _named_in(kept: Folder, logs: Iterable[str]) -> set[Version]:
    entries = (entry for log in logs for entry in FileHistory(kept, log, log=log).entries())
    return {version for entry in entries for version in (entry.before, entry.after)}


def known_names(root: Path) -> set[str]:
    """Return the files that have a history, or that a killed writer was about to create."""
    return {name for name in history_logs(root) if is_name(name)} | names_of_temps(root)


def names_of_temps(root: Path) -> set[str]:
    """Return the files that a killed writer left a temporary file of."""
    owners: set[str] = set()
    for folders in _written_in(root):
        with suppress(OSError), open_folder(root, *folders) as folder:
            owners |= {owner for file in folder.names() if (owner := _owner_of(folders, file))}
    return {name for name in owners if is_name(name)}


def _written_in(root: Path) -> list[tuple[str, ...]]:
    """Return the folders of the files that are written."""
    return [(), *(tuple(prefix.split("/")) for prefix in note_folders(root))]


def iter_versions(root: Path, logs: Iterable[str]) -> Iterator[bytes]:
    """Yield the bytes of each version of these logs once, including damaged ones. Raises OSError if one can't be read
    now.
    """
    with suppress(FileNotFoundError), open_folder(root, HISTORY_FOLDER) as kept:
        histories = [FileHistory(kept, log, log=log) for log in logs]
        entries = (entry for history in histories for entry in history.entries())
        for version in dict.fromkeys(v for entry in entries for v in (entry.before, entry.after)):
            data = histories[0].raw_bytes(version)
            if data is not None:
                yield data


def log_entries(root: Path, name: str) -> list[HistoryEntry]:
    """Return a file's log entries, oldest first; none if they can't be read."""
    with suppress(OSError), open_folder(root, HISTORY_FOLDER) as kept:
        return FileHistory(kept, name).entries()
    return []


def files_containing(root: Path, holds: Callable[[bytes], bool]) -> set[str]:
    """Return the files with matching stored, displaced or temporary bytes, or with unreadable versions."""
    names = {name for name, logs in history_logs(root).items() if _may_hold(root, logs, holds)}
    for folders in (*_written_in(root), (HISTORY_FOLDER, ASIDE)):
        with suppress(OSError), open_folder(root, *folders) as folder:
            for file in folder.names():
                owner = _owner_of(folders, file)
                raw = folder.read(file, _LIMIT) if owner else None
                if owner and isinstance(raw, Contents) and holds(raw.data):
                    names.add(owner)
    return names


def _may_hold(root: Path, logs: Iterable[str], holds: Callable[[bytes], bool]) -> bool:
    try:
        return any(map(holds, iter_versions(root, logs)))
    except OSError:
        return True


def _owner_of(folders: tuple[str, ...], file: str) -> str | None:
    """Return the file that a temporary or displaced file belongs to, or None."""
    if folders == (HISTORY_FOLDER, ASIDE):
        return unflat_name(file.partition("~")[0])
    owner = temp_owner(file)
    return "/".join((*folders, owner)) if owner else None


def find_orphans(root: Path, holds: Callable[[bytes], bool]) -> tuple[str, ...]:
    """Return matching objects that no log names, as after a crash or a lost log; none if a log is unreadable."""
    orphans: list[str] = []
    with suppress(OSError), open_folder(root, HISTORY_FOLDER, OBJECTS) as objects:
        named = named_versions(root)
        for leaf in objects.names():
            raw = objects.read(leaf, NO_LIMIT) if leaf not in named else None
            if isinstance(raw, Contents) and holds(raw.data):
                orphans.append(leaf)
    return tuple(orphans)


def delete_orphans(root: Path, locks: Path, names: Iterable[str], holds: Callable[[bytes], bool]) -> int:
    """Delete matching orphans and return how many. Raises WriteFailed.

    ``names``: all writable files.
    """
    if not find_orphans(root, holds):
        return 0
    deleted = 0
    with as_write_errors(HISTORY_FOLDER):
        for name in names:  # a writer stores an object before its log names it: running ones are waited for
            with locked(lock_file(locks, root, name)):
                pass
        orphans = find_orphans(root, holds)
        with open_folder(root, HISTORY_FOLDER) as kept, kept.sub(OBJECTS, create=False) as objects:
            for leaf in orphans:
                raw = objects.read(leaf, NO_LIMIT)
                objects.remove(leaf)
                if isinstance(raw, Contents) and leaf in named_versions(root):  # written again at this moment
                    write_atomically(objects, leaf, raw.data)
                else:
                    deleted += 1
            objects.sync()
    return deleted


def collect_garbage(history: Folder) -> None:
    """Delete unreferenced objects older than a day: a writer stores an object before its log entry names it.

    Age is by the file system's clock and counts from when a file came to this disk: a sync program brings objects
    with another machine's dates, maybe before the log that names them. Raises OSError if a log can't be read now;
    nothing is deleted then.
    """
    leaves = history.names()
    named = _named_in(history, (log for logs in _logs_in(history).values() for log in logs))
    before = _file_system_now(history) - _DAY_NS
    _drop_old(history, (leaf for leaf in leaves if leaf.startswith(".") and leaf.endswith(".tmp")), before)
    with history.sub(OBJECTS, create=False) as objects:
        _drop_old(objects, (version for version in objects.names() if version not in named), before)


def _file_system_now(folder: Folder) -> int:
    """Return the file system's time in nanoseconds, from a new file."""
    probe = f".{new_id()}.tmp"
    folder.create(probe, b"", 0o600)
    made = folder.came(probe)
    folder.remove(probe)
    return made or 0


def _drop_old(folder: Folder, files: Iterable[str], before: int) -> None:
    for file in files:
        came = folder.came(file)
        if came is not None and came < before:
            folder.remove(file)
