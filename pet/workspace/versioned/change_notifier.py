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
    """Announces each new version once, in order. Thread-safe."""

    def __init__(self, on_change: Callable[[WorkspaceChanged], object]) -> None:
        self._on_change = on_change
        self._announced: dict[str, Version] = {}
        self._sequence = count()
        self._last_number: dict[str, int] = {}
        self._lock = RLock()

    def mark_seen(self, name: str, version: Version) -> None:
        """Mark the version as already announced."""
        self._announced[name] = version

    def next_sequence(self) -> int:
        """Return the change's sequence number; call under the file's lock."""
        return next(self._sequence)

    def notify(self, event: WorkspaceChanged, number: int) -> None:
        """Emit the change after the file's lock was released, unless a later one was announced already."""
        with self._lock:
            is_stale = number < self._last_number.get(event.file, 0)
            is_new = self._announced.get(event.file, MISSING) != event.version and not is_stale
            if not is_stale:
                self._last_number[event.file] = number
                self._announced[event.file] = event.version
            if is_new or event.lost is not None:
                self._on_change(event)
