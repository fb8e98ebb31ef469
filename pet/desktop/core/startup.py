"""Order of a start: the pet's first frames, then the core, then the chat's page."""

from __future__ import annotations

import threading
from collections.abc import Callable

from pet.desktop.core.deferred import Core, DeferredCore

# Delay the core's several hundred imports, so that they don't compete with the pet's first frames.
_FIRST_FRAMES_MS = 60
_PAGE_AT_MOST_MS = 3000  # start the core even if a page never loads
# Long enough for the pet's first frames, which starting the second page would slow down.
_CHAT_AFTER_MS = 150


class WindowGate:
    """Bar the creation of windows from other threads once the program quits. Thread-safe.

    The web view would take a window made after the others are closed for its first, which needs the main thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False

    def run(self, make: Callable[[], object]) -> None:
        """Call ``make`` unless the gate is closed."""
        with self._lock:
            if not self._closed:
                make()

    def close(self) -> None:
        """Wait for a window that is being made, and bar further ones. Not on the GUI thread, which makes it."""
        with self._lock:
            self._closed = True


class Startup:
    """Start-up steps; each begins once, however often the pet's page loads. ``after``: as in ``Platform``."""

    def __init__(
        self,
        after: Callable[[int, Callable[[], object]], None],
        late: DeferredCore,
        build: Callable[[], Core],
        make_chat: Callable[[], None],
    ) -> None:
        self._after = after
        self._late = late
        self._build = build
        self._make_chat = make_chat
        self._core_begun = self._chat_begun = False

    def window_made(self) -> None:
        self._after(_PAGE_AT_MOST_MS, self._begin_core)

    def page_loaded(self) -> None:
        self._after(_FIRST_FRAMES_MS, self._begin_core)
        if not self._chat_begun:  # a crashed page loads a second time
            self._chat_begun = True
            start = threading.Thread(target=self._make_chat, name="chat-window", daemon=True).start
            self._after(_CHAT_AFTER_MS, start)

    def _begin_core(self) -> None:
        if not self._core_begun:
            self._core_begun = True
            self._late.build(self._build)
