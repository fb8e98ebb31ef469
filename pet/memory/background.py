"""The thread that keeps an index current and embeds what is new, a few entries at a time.

Owns when that is done. Refuses to hurry: between two steps it can be paused or stopped, and a search never waits
for more than one of them.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from pet.memory.index import MemoryIndex

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How many entries can be found by meaning, of how many."""

    done: int
    total: int


class Upkeep:
    """One per index. ``on_progress`` is called from the thread; it must be quick and must not raise."""

    def __init__(self, index: MemoryIndex, on_progress: Callable[[Progress], None] | None = None) -> None:
        self._index = index
        self._on_progress = on_progress
        self._wake = threading.Event()
        self._may_run = threading.Event()
        self._may_run.set()
        self._noticing = threading.Lock()
        self._stopped = False
        self._idle = threading.Event()
        self._thread = threading.Thread(target=self._run, name="memory-upkeep", daemon=True)

    def start(self) -> None:
        self._wake.set()
        self._thread.start()

    def notice(self) -> None:
        """Something changed on the disk: look at it soon."""
        with self._noticing:
            self._idle.clear()
            self._wake.set()

    def pause(self) -> None:
        """Stop after the present step, until ``resume``."""
        self._may_run.clear()

    def resume(self) -> None:
        self._may_run.set()

    @property
    def progress(self) -> Progress:
        pending, total = self._index.pending()
        return Progress(done=total - pending, total=total)

    def wait_until_idle(self, timeout: float | None = None) -> bool:
        """Wait until all that was noticed is done; whether it is."""
        return self._idle.wait(timeout)

    def stop(self) -> None:
        """End the thread after the present step. The index stays open."""
        self._stopped = True
        self._may_run.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            if self._stopped:
                return
            try:
                self._catch_up()
            except Exception:  # noqa: BLE001 - the thread's boundary: the pet lives on with what words find
                _log.exception("keeping the memory index failed")
            with self._noticing:  # else a notice that comes right here would be taken for done
                if not self._wake.is_set():
                    self._idle.set()

    def _catch_up(self) -> None:
        self._may_run.wait()
        self._index.refresh_words()
        while self._step():
            if self._on_progress:
                self._on_progress(self.progress)

    def _step(self) -> bool:
        self._may_run.wait()
        return not self._stopped and self._index.embed_some()
