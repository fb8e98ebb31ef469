"""Lifecycle of a pet's search index within the running program.

Opened lazily (with the first turn that may search, or some time after the start); indexing never runs while memory is
paused. The embedders are loaded with the chat, a message or a search that has entries, never before, and let go after
an hour without use.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from threading import Event as Signal
from threading import RLock, Timer
from typing import TYPE_CHECKING, ClassVar

from pet.access import MemoryMode
from pet.events import (
    ChatShown,
    ConversationDeleted,
    Event,
    Forgotten,
    IndexProgress,
    MemoryPaused,
    TurnEnded,
    TurnsRemoved,
    VariantChosen,
    WorkspaceChanged,
)
from pet.settings.schema import Settings

if TYPE_CHECKING:
    from pet.memory.search.embedders import Vectors
    from pet.memory.search.index_worker import IndexWorker
    from pet.memory.search.memory_index import MemoryIndex

_log = logging.getLogger(__name__)
_LET_GO_AFTER = 3_600.0
_WARM_UP_AFTER = 1.0  # seconds after the chat opened: its first picture comes first


class IndexService:
    """The index, its indexer and its warm-up. Thread-safe."""

    def __init__(
        self,
        open_index: Callable[[], MemoryIndex],
        settings: Callable[[], Settings],
        emit: Callable[[Event], object],
        *,
        paused: Callable[[], bool],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open_index = open_index
        self._settings = settings
        self._emit = emit
        self._paused = paused
        self._lock = RLock()
        self._index: MemoryIndex | None = None
        self._upkeep: IndexWorker | None = None
        self._timer: Timer | None = None
        self._closed = False
        self._warmed = False
        self._warm = Signal()
        self._wanted = False  # the owner talks to the pet: entries get their vectors
        self._monotonic = monotonic
        self.is_watched: Callable[[], bool] = bool  # whether each change is announced by a ``WorkspaceChanged``
        self._used = (0, 0.0)  # uses of the embedders, and since when there were no more

    def get(self) -> MemoryIndex:
        """Return the index, opening it if needed. Raises OSError."""
        with self._lock:
            if self._index is None:
                self._index = self._open_index()
                self._index.embedders.on_loaded = self.notice
                self._index.is_watched = lambda: self._upkeep is not None and self.is_watched()
            return self._index

    def maintain(self, seconds: float) -> None:
        """Schedule indexing this many seconds after the start, once the windows are up."""
        with self._lock:
            if not self._closed and self._timer is None:
                self._timer = Timer(seconds, self._begin)
                self._timer.daemon = True
                self._timer.start()

    def notice(self) -> None:
        """Wake the indexer, for example after the index was emptied."""
        with self._lock:
            upkeep = self._upkeep
        if upkeep is not None:
            upkeep.wake()

    EVENTS: ClassVar[tuple[type[Event], ...]] = (
        ConversationDeleted,
        WorkspaceChanged,
        TurnEnded,
        TurnsRemoved,
        VariantChosen,
        Forgotten,
        MemoryPaused,
        ChatShown,
    )

    def on_event(self, event: Event) -> None:
        """Keep the index current; called with events of the classes in ``EVENTS``."""
        with self._lock:
            index, upkeep = self._index, self._upkeep
        if isinstance(event, ConversationDeleted) and index is not None:
            index.purge()  # deleted text must not remain in a cache either
        if (
            isinstance(event, ChatShown)
            and event.shown
            and self._settings().default_memory_mode is not MemoryMode.OFF
        ):
            self.warm_up(_WARM_UP_AFTER)
        if isinstance(event, MemoryPaused) and event.paused:
            self.prepare("")
        if upkeep is None:
            return
        match event:
            case WorkspaceChanged() | TurnEnded() | TurnsRemoved() | VariantChosen() | Forgotten():
                upkeep.wake()
            case MemoryPaused(paused=True):
                upkeep.pause()
            case MemoryPaused():
                upkeep.resume()
            case _:
                pass

    def warm_up(self, after: float = 0.0) -> None:
        """Load what recall needs, once and in the background, since the first message has no time for it. No effect
        while memory is paused or recall is off; ``after`` in seconds."""
        with self._lock:
            if self._closed or self._paused():
                return
            self._wanted = True
            if self._warmed or not self._settings().recall:
                return
            self._warmed = True
        timer = Timer(after, self._load)
        timer.name, timer.daemon = "memory-warm-up", True
        timer.start()

    @property
    def is_warm(self) -> bool:
        """Whether what recall needs was loaded, or could not be."""
        return self._warmed and self._warm.is_set()

    def wait_until_warm(self, seconds: float) -> bool:
        """Load what recall needs unless that began already; return whether it is loaded within ``seconds``."""
        with self._lock:
            if self._closed or self._paused():
                return False
        self.warm_up()
        return self._warmed and self._warm.wait(seconds)

    def prepare(self, draft: str) -> None:
        """Prepare recall for a message that is being typed, nothing of which is kept once it was sent; "" drops it.
        Loads the embedders first if they are not loading yet. Returns at once."""
        with self._lock:
            index = self._index
        if not draft or self._paused() or not self._settings().recall:
            if index is not None:
                index.prepare("")
        elif self.wait_until_warm(0.0) and index is not None:
            index.prepare(draft)

    def embed_quickly(self, texts: Sequence[str]) -> Vectors | None:
        """Return one vector per text if a quick embedder is loaded, else None. Loads nothing and keeps nothing."""
        with self._lock:
            index = self._index
        return None if index is None else index.embed_quickly(texts)

    def _load(self) -> None:
        try:
            if not self._closed:
                self.get().warm_up()
        except OSError as error:  # e.g. a full disk: turns work without the index
            _log.warning("no memory index: %s", type(error).__name__)
        finally:
            self._warm.set()  # also after a failure: it is not awaited twice
            self.notice()

    def rest(self) -> None:
        """Let the embedders go once an hour has passed without use; called every ten minutes."""
        with self._lock:
            if self._index is None:
                return
            uses, now = self._index.embedders.uses, self._monotonic()
            if uses != self._used[0] or not self._index.embedders.is_loaded:
                self._used = (uses, now)
            elif now - self._used[1] >= _LET_GO_AFTER:
                self._wanted = self._warmed = False
                self._warm.clear()
                self._index.let_go()

    def purge(self) -> bool:
        """Remove everything from the index that the files no longer contain; whether that succeeded."""
        return self.get().purge()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._timer is not None:
                self._timer.cancel()
            upkeep, index = self._upkeep, self._index
        # Without the lock: the indexer, and what loads an embedder, call ``rest`` and ``notice``, which take it.
        if upkeep is not None:
            upkeep.stop()
        if index is not None:
            index.close()
        with self._lock:
            self._upkeep = self._index = None

    def _begin(self) -> None:
        with self._lock:
            if self._closed:
                return
            try:
                index = self.get()
            except OSError as error:  # e.g. a full disk: turns work without the index
                _log.warning("no memory index: %s", type(error).__name__)
                return
            self._keep_up(index)

    def _keep_up(self, index: MemoryIndex) -> None:
        from pet.memory.search.index_worker import IndexWorker

        upkeep = self._upkeep = IndexWorker(index, self._say_progress, self._embeds, self.rest)
        if self._paused():
            upkeep.pause()
        upkeep.start()

    def _embeds(self) -> bool:
        index = self._index
        return self._wanted or (index is not None and index.embedders.is_loaded)

    def _say_progress(self, done: int, total: int) -> None:
        self._emit(IndexProgress(done=done, total=total))
