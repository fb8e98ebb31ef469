"""What was told of the files: every new version once, in the order of the changes; for the store.

Owns what listeners know. Refuses to hold a file's lock while they are told, so that they may use the store.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from threading import RLock

from pet.events import WorkspaceChanged
from pet.model import MISSING, Version


class ChangeNotifier:
    """Safe to use from any thread."""

    def __init__(self, on_change: Callable[[WorkspaceChanged], None]) -> None:
        self._on_change = on_change
        self._told: dict[str, Version] = {}
        self._turns = count()
        self._last_turn: dict[str, int] = {}
        self._telling = RLock()

    def mark_seen(self, name: str, version: Version) -> None:
        """Nobody need be told of this one; a later difference is news."""
        self._told[name] = version

    def next_sequence(self) -> int:
        """Where a change stands among the others, taken under its file's lock."""
        return next(self._turns)

    def notify(self, told: WorkspaceChanged, turn: int) -> None:
        """After the file's lock was let go; what a later change has overtaken is not told any more."""
        with self._telling:
            stale = turn < self._last_turn.get(told.file, 0)
            news = self._told.get(told.file, MISSING) != told.version and not stale
            if not stale:
                self._last_turn[told.file] = turn
                self._told[told.file] = told.version
            if news or told.lost is not None:
                self._on_change(told)
