"""Screenshots without our own windows: hide them, let the owner choose an area, restore them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from pet.desktop.platforms.base import Platform
from pet.services.desktop_port import Area, Taken

_GONE_MS = 250
"""Time for a compositor to repaint below our windows, including fades: there is no notification."""


class Screenshots:
    """Takes one screenshot at a time, on the GUI thread. ``seen``: our visible windows, and whether to focus each."""

    def __init__(self, platform: Platform, seen: Callable[[], list[tuple[Any, bool]]]) -> None:
        self._platform = platform
        self._seen = seen
        self._busy = False

    def take(self, area: Area, hint: str, taken: Taken) -> None:
        if self._busy:
            return
        self._busy = True
        away = self._seen()
        for window, _focus in away:
            self._platform.hide(window)

        def done(picture: bytes | None) -> None:
            self._busy = False
            wanted = [window for window, _focus in self._seen()]  # some may have been closed meanwhile
            for window, focus in away:
                if window in wanted:
                    self._platform.show(window, focus=focus)
            # Scaling and handing on is too slow for the GUI thread.
            threading.Thread(target=taken, args=(picture,), name="screenshot", daemon=True).start()

        def capture() -> None:
            begun = False
            try:
                self._platform.screenshot(area, hint, done)
                begun = True
            finally:
                if not begun and self._busy:  # restore the windows after any failure
                    done(None)

        self._platform.after(_GONE_MS, capture)
