"""Garbage collection of history objects that no version references; skips objects of the last day."""

from __future__ import annotations

from collections.abc import Iterable

from pet.ids import new_id
from pet.workspace.file_names import unflat_name
from pet.workspace.fs.directory import Folder
from pet.workspace.history.file_history import OBJECTS, FileHistory

_DAY_NS = 86_400 * 1_000_000_000


def collect_garbage(history: Folder) -> None:
    """Delete unreferenced objects older than a day: a writer stores an object before its log entry names it.

    Age is by the file system's clock and counts from when a file came to this disk: a sync program brings objects
    with another machine's dates, maybe before the log that names them. Raises OSError if a log can't be read now;
    nothing is deleted then.
    """
    leaves = history.names()
    logs = [unflat_name(leaf.removesuffix(".jsonl")) for leaf in leaves if leaf.endswith(".jsonl")]
    entries = (entry for log in logs for entry in FileHistory(history, log).entries())
    named = {version for entry in entries for version in (entry.before, entry.after)}
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
