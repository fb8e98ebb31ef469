"""A picture of the screen without us in it: our windows step back, the owner chooses, and they return.

Owns who was there to come back. Takes one at a time, and keeps no picture.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from pet.bridge.desktop_port import Area, Taken
from pet.desktop.platforms.base import Platform

_GONE_MS = 250
"""Until a compositor has painted what was below our windows, fading included: nothing tells when it has."""


class Screenshots:
    """On the GUI thread. ``seen``: our windows that are there now, the one for the keyboard last."""

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
            for window, focus in away:
                self._platform.show(window, focus=focus)
            # Made smaller and handed on elsewhere: that takes longer than the GUI thread should be busy.
            threading.Thread(target=taken, args=(picture,), name="screenshot", daemon=True).start()

        def look() -> None:
            begun = False
            try:
                self._platform.screenshot(area, hint, done)
                begun = True
            finally:
                if not begun and self._busy:  # whatever went wrong there, we are not gone for good
                    done(None)

        self._platform.after(_GONE_MS, look)
