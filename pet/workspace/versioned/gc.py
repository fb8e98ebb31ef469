"""Garbage collection of history objects that no version references; skips objects of the last day."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from pet.workspace.fs.directory import Folder
from pet.workspace.versioned.history import OBJECTS, FileHistory

_DAY_NS = 86_400 * 1_000_000_000


def collect_garbage(history: Folder, names: Iterable[str], *, now: datetime) -> None:
    """Delete unreferenced objects. Recent ones stay: a writer stores an object before its log entry names it."""
    named: set[str] = set()
    for name in names:
        for entry in FileHistory(history, name).entries():
            named |= {entry.before, entry.after}
    before = int(now.timestamp()) * 1_000_000_000 - _DAY_NS
    unfinished = [file for file in history.names() if file.startswith(".") and file.endswith(".tmp")]
    _drop_old(history, unfinished, before)
    with history.sub(OBJECTS, create=False) as objects:
        _drop_old(objects, (version for version in objects.names() if version not in named), before)


def _drop_old(folder: Folder, files: Iterable[str], before: int) -> None:
    for file in files:
        signature = folder.signature(file)
        if signature is not None and signature[2] < before:
            folder.remove(file)
