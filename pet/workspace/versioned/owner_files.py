"""Files of a workspace that are the owner's alone and outside the store's scope: pet.toml, the skills.

Owns the same care for them as the store takes: lock, history, swap. Decides nothing about names: who calls has
made sure that the name is one of the workspace's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pet.clock import Clock
from pet.workspace.file_names import HISTORY_FOLDER
from pet.workspace.fs.directory import Raw, open_folder
from pet.workspace.fs.locks import lock_file, locked
from pet.workspace.versioned.history import FileHistory, Seen
from pet.workspace.versioned.locked_file import ASIDE, LockedFile

PET_FILE = "pet.toml"
LIMIT = 1 << 20
"""Bytes that a text file of a workspace may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerFiles:
    """What is needed to change a file: where, and under which locks."""

    root: Path
    locks: Path
    clock: Clock
    limit: int = LIMIT
    seen: dict[str, Seen] = field(default_factory=dict)

    @contextmanager
    def open(self, name: str) -> Iterator[tuple[LockedFile, Raw]]:
        """The file under its lock, with what is there now already in its history. Raises OSError."""
        *folders, leaf = name.split("/")
        with locked(lock_file(self.locks, self.root, name)), ExitStack() as opened:
            top = opened.enter_context(open_folder(self.root))
            kept = opened.enter_context(top.sub(HISTORY_FOLDER, create=True))
            aside = opened.enter_context(kept.sub(ASIDE, create=True))
            folder = top
            for part in folders:
                folder = opened.enter_context(folder.sub(part, create=False))
            log = FileHistory(kept, name, self.seen)
            place = LockedFile(
                name=name, leaf=leaf, folder=folder, log=log, aside=aside, clock=self.clock, limit=self.limit
            )
            yield place, place.reconcile().raw
