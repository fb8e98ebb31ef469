"""De-duplicated, ordered change notifications for the store.

Tracks the last version announced per file. Listeners are called without any file lock held, so they may use the
store.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from threading import RLock

from pet.events import WorkspaceChanged
from pet.model import MISSING, Version


class ChangeNotifier:
    """Thread-safe."""

    def __init__(self, on_change: Callable[[WorkspaceChanged], object]) -> None:
        self._on_change = on_change
        self._told: dict[str, Version] = {}
        self._turns = count()
        self._last_turn: dict[str, int] = {}
        self._telling = RLock()

    def mark_seen(self, name: str, version: Version) -> None:
        """Mark as already announced; a later difference is reported."""
        self._told[name] = version

    def next_sequence(self) -> int:
        """Return the change's sequence number; call under the file's lock."""
        return next(self._turns)

    def notify(self, told: WorkspaceChanged, turn: int) -> None:
        """Emit the change after the file's lock was released; drops it if a later change was announced already."""
        with self._telling:
            stale = turn < self._last_turn.get(told.file, 0)
            news = self._told.get(told.file, MISSING) != told.version and not stale
            if not stale:
                self._last_turn[told.file] = turn
                self._told[told.file] = told.version
            if news or told.lost is not None:
                self._on_change(told)
