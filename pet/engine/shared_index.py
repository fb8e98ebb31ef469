"""The one search index of a pet as the running program holds it (PRODUCT §6.2).

Owns when it is opened (with the first turn that may search, or some time after the start) and when its upkeep runs:
never while the brain is paused. Refuses to cost anything before that: what it needs is imported late.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import RLock, Timer
from typing import TYPE_CHECKING

from pet.events import BrainPaused, Event, Forgotten, IndexProgress, TurnEnded, WorkspaceChanged

if TYPE_CHECKING:
    from pet.memory.background import Progress, Upkeep
    from pet.memory.index import MemoryIndex

_log = logging.getLogger(__name__)


class SharedIndex:
    """Safe from any thread."""

    def __init__(
        self, open_index: Callable[[], MemoryIndex], tell: Callable[[Event], None], *, paused: Callable[[], bool]
    ) -> None:
        self._open_index = open_index
        self._tell = tell
        self._paused = paused
        self._lock = RLock()
        self._index: MemoryIndex | None = None
        self._upkeep: Upkeep | None = None
        self._timer: Timer | None = None
        self._closed = False

    def get(self) -> MemoryIndex:
        """The index, opened now if it was not yet. Raises OSError."""
        with self._lock:
            if self._index is None:
                self._index = self._open_index()
            return self._index

    def look_after(self, seconds: float) -> None:
        """Begin with the upkeep so long after the start, when the windows are there."""
        with self._lock:
            if not self._closed and self._timer is None:
                self._timer = Timer(seconds, self._begin)
                self._timer.daemon = True
                self._timer.start()

    def notice(self) -> None:
        """There is work for the upkeep: the index was emptied, say."""
        with self._lock:
            upkeep = self._upkeep
        if upkeep is not None:
            upkeep.notice()

    def hear(self, event: Event) -> None:
        """What concerns the index of all that happens."""
        with self._lock:
            upkeep = self._upkeep
        if upkeep is None:
            return
        match event:
            case WorkspaceChanged() | TurnEnded() | Forgotten():
                upkeep.notice()
            case BrainPaused(paused=True):
                upkeep.pause()
            case BrainPaused():
                upkeep.resume()
            case _:
                pass

    def purge(self) -> None:
        """Leave nothing in the index of what the files no longer hold."""
        self.get().purge()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            timer, upkeep, index = self._timer, self._upkeep, self._index
        if timer is not None:
            timer.cancel()
        if upkeep is not None:
            upkeep.stop()
        if index is not None:
            index.close()

    def _begin(self) -> None:
        from pet.memory.background import Upkeep

        with self._lock:
            if self._closed:
                return
            try:
                index = self.get()
            except OSError as error:  # a full disk, say: turns do without
                _log.warning("no memory index: %s", type(error).__name__)
                return
            upkeep = self._upkeep = Upkeep(index, self._say_progress)
            if self._paused():
                upkeep.pause()
            upkeep.start()

    def _say_progress(self, progress: Progress) -> None:
        self._tell(IndexProgress(done=progress.done, total=progress.total))
