"""The thread that keeps an index current and embeds new entries, a few at a time.

Between two steps it can be paused or stopped; a search waits for one step at most.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from pet.memory.search.memory_index import MemoryIndex

_REST_EVERY = 600.0  # seconds
_REPORT_EVERY = 0.5  # seconds; counting is not free
_log = logging.getLogger(__name__)


class IndexWorker:
    """Background indexing; one per index. Sleeps until ``wake``.

    ``on_progress`` receives how many entries have vectors, and of how many. It is called on the thread, a few times a
    second at most and when all is done; it must be quick and must not raise. ``embeds``: whether entries without a
    vector get one now. ``on_rest``: called now and then while embedders are loaded and nothing is to be done.
    """

    def __init__(
        self,
        index: MemoryIndex,
        on_progress: Callable[[int, int], None],
        embeds: Callable[[], bool] = lambda: True,
        on_rest: Callable[[], object] = bool,
    ) -> None:
        self._index = index
        self._embeds = embeds
        self._on_rest = on_rest
        self._on_progress = on_progress
        self._wake = threading.Event()
        self._may_run = threading.Event()
        self._may_run.set()
        self._noticing = threading.Lock()
        self._stopped = False
        self._idle = threading.Event()
        self._reported_at = 0.0
        self._thread = threading.Thread(target=self._run, name="memory-upkeep", daemon=True)

    def start(self) -> None:
        self._wake.set()
        self._thread.start()

    def wake(self) -> None:
        """Report a change on disk, to be indexed soon."""
        with self._noticing:
            self._idle.clear()
            self._wake.set()

    def pause(self) -> None:
        """Stop after the present step, until ``resume``."""
        self._may_run.clear()

    def resume(self) -> None:
        self._may_run.set()

    def wait_until_idle(self, timeout: float | None = None) -> bool:
        """Wait until all reported changes are indexed; return whether they are."""
        return self._idle.wait(timeout)

    def stop(self) -> None:
        """End the thread after the present step and wait for it. The index stays open."""
        self._stopped = True
        self._may_run.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while True:
            if not self._wake.wait(_REST_EVERY if self._index.embedders.is_loaded else None):
                self._on_rest()
                continue
            self._wake.clear()
            if self._stopped:
                return
            try:
                self._catch_up()
            except Exception:  # noqa: BLE001 - the thread's boundary: search by words still works
                _log.exception("keeping the memory index failed")
            with self._noticing:  # a change reported right now must not count as done
                if not self._wake.is_set():
                    self._idle.set()

    def _catch_up(self) -> None:
        while not self._stopped:
            self._wait_until_allowed()
            if self._index.refresh_words(go_on=self._goes_on):
                break
        worked = False
        while self._step():
            worked = True
            if time.monotonic() - self._reported_at >= _REPORT_EVERY:
                self._report()
        if worked and not self._stopped:
            self._report()

    def _report(self) -> None:
        self._reported_at = time.monotonic()
        pending, total = self._index.pending()
        self._on_progress(total - pending, total)

    def _wait_until_allowed(self) -> None:
        while not self._may_run.wait(_REST_EVERY if self._index.embedders.is_loaded else None):
            self._on_rest()

    def _goes_on(self) -> bool:
        return self._may_run.is_set() and not self._stopped

    def _step(self) -> bool:
        self._wait_until_allowed()
        return not self._stopped and self._embeds() and self._index.embed_some()
