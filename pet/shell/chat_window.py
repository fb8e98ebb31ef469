"""The chat's window: made hidden after the pet's first frames, shown beside the pet, hidden by its close button.

Owns its size and place. Refuses to know what is said in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pet.shell.geometry import Rect, beside, monitor_of
from pet.shell.places import CHAT_MINIMUM, Places
from pet.shell.platforms.base import Platform

_BACKGROUND = "#fbf7f2"


class ChatWindow:
    """``make`` on a thread of its own, everything else on the GUI thread."""

    def __init__(self, platform: Platform, places: Places, url: str) -> None:
        self._platform = platform
        self._places = places
        self._url = url
        self.window: Any = None
        self.shown = False

    def make(self, title: str, closing: Callable[[], bool], joined: Callable[[Any], None]) -> Any:
        """pywebview makes a later window only from a thread of its own."""
        import webview

        width, height = self._places.chat_size()
        window: Any = webview.create_window(
            title,
            url=self._url,
            width=width,
            height=height,
            min_size=CHAT_MINIMUM,
            hidden=True,
            easy_drag=False,
            text_select=True,
            background_color=_BACKGROUND,
        )
        window.events.closing += closing
        joined(window)
        return window

    def made(self, window: Any) -> None:
        self.window = window
        self._platform.dress(window, kind="chat")

    def warm_when_loaded(self) -> None:
        self.window.events.loaded += lambda: self._platform.post(self._warm)

    def _warm(self) -> None:
        if not self.shown:
            self._platform.warm(self.window)

    def show(self, pet: Rect) -> None:
        if not self.shown:
            self._place(pet)
        self._platform.show(self.window, focus=True)
        self.shown = True

    def _place(self, pet: Rect) -> None:
        platform = self._platform
        size = platform.rect(self.window)
        left, top, right, bottom = platform.frame(self.window)
        work = monitor_of(pet, platform.monitors()).work
        outer = beside(pet, (size.width + left + right, size.height + top + bottom), work)
        inner = Rect(outer.x, outer.y, outer.width - left - right, outer.height - top - bottom)
        platform.place(self.window, inner)

    def hide(self) -> bool:
        """Whether it was there to be hidden."""
        if self.window is None or not self.shown:
            return False
        self.keep_size()
        self._platform.hide(self.window)
        self.shown = False
        return True

    def keep_size(self) -> None:
        area = self._platform.rect(self.window)
        self._places.keep_chat((area.width, area.height))
