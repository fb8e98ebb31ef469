"""Letting kept bytes go that no version names any more. Refuses to touch what was kept in the last day."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from pet.workspace.folder import Folder
from pet.workspace.history import OBJECTS, FileHistory

_DAY_NS = 86_400 * 1_000_000_000


def drop_unreferenced(history: Folder, names: Iterable[str], *, now: datetime) -> None:
    """A writer keeps bytes a moment before its log names them: fresh ones are left alone."""
    named: set[str] = set()
    for name in names:
        for entry in FileHistory(history, name).entries():
            named |= {entry.before, entry.after}
    before = int(now.timestamp()) * 1_000_000_000 - _DAY_NS
    with history.sub(OBJECTS, create=False) as objects:
        for version in objects.names():
            signature = objects.signature(version)
            if version not in named and signature is not None and signature[2] < before:
                objects.remove(version)
