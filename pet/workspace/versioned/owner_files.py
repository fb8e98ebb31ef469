"""Files only the owner edits, outside the store's scope: pet.toml and the skills."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pet.clock import Clock
from pet.workspace.fs.directory import Raw
from pet.workspace.fs.locks import lock_file, locked
from pet.workspace.history.file_history import Seen
from pet.workspace.versioned.locked_file import LockedFile, open_locked
from pet.workspace.versioned.pet_file import LIMIT


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerFiles:
    """Files that only the owner edits: pet.toml and the skills.

    Uses the same lock, history and swap as the store. Does not validate names: callers must pass workspace names.
    """

    root: Path
    locks: Path
    clock: Clock
    seen: dict[str, Seen] = field(default_factory=dict)

    @contextmanager
    def open(self, name: str) -> Iterator[tuple[LockedFile, Raw]]:
        """Yield the file under its lock, its content recorded in the history. Raises OSError, NewerFormat."""
        with (
            locked(lock_file(self.locks, self.root, name)),
            open_locked(self.root, name, clock=self.clock, limit=LIMIT, seen=self.seen, create=False) as place,
        ):
            yield place, place.reconcile()[0]
