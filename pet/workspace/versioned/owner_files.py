"""Files only the owner edits, outside the store's scope: pet.toml and the skills.

Uses the same lock, history and swap as the store. Does not validate names: callers must pass workspace names.
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
from pet.workspace.versioned.pet_file import LIMIT, require_known_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerFiles:
    """Root, locks and clock for changing a file."""

    root: Path
    locks: Path
    clock: Clock
    limit: int = LIMIT
    seen: dict[str, Seen] = field(default_factory=dict)

    @contextmanager
    def open(self, name: str) -> Iterator[tuple[LockedFile, Raw]]:
        """Yield the file under its lock, with its current content already recorded in the history.

        Raises OSError, NewerFormat.
        """
        *folders, leaf = name.split("/")
        with locked(lock_file(self.locks, self.root, name)), ExitStack() as opened:
            top = opened.enter_context(open_folder(self.root))
            require_known_folder(top)
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
