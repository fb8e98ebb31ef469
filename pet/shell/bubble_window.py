"""The speech bubble's window: takes no focus, lets clicks beside it through, made when it is first needed.

Owns its size and place beside the pet. Refuses to know what it says, and to show itself before its page has drawn it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pet.shell.geometry import Rect, bubble_place, monitor_of
from pet.shell.platforms.base import Platform

if TYPE_CHECKING:
    from pet.bridge.windows import Side

WIDTH = 320
_FIRST_HEIGHT = 120
_SHADOW = 12
"""Around the bubble on its page; clicks there go to what lies below. As in bubble.css."""
_LARGEST = (480, 640)
_BACKGROUND = "#fffdf9"

_log = logging.getLogger(__name__)


class BubbleWindow:
    """``want`` from any thread, everything else on the GUI thread."""

    def __init__(self, platform: Platform, url: str, joined: Callable[[Any], None]) -> None:
        self._platform = platform
        self._url = url
        self._joined = joined
        self._begun = threading.Event()
        self._size: tuple[int, int] | None = None
        self.window: Any = None
        self.shown = False

    def want(self, title: str) -> None:
        """Makes it unless that has begun. Its page asks for the rest; so it does for what comes later."""
        if not self._begun.is_set():
            self._begun.set()
            threading.Thread(target=self._make, args=(title,), name="bubble-window", daemon=True).start()

    def _make(self, title: str) -> None:
        import webview

        window: Any = webview.create_window(
            title,
            url=self._url,
            width=WIDTH,
            height=_FIRST_HEIGHT,
            min_size=(WIDTH, 40),
            resizable=False,
            hidden=True,
            frameless=True,
            easy_drag=False,
            shadow=False,
            focus=False,
            on_top=True,
            transparent=self._platform.see_through,
            background_color=_BACKGROUND,
        )
        self._joined(window)
        self._platform.post(lambda: self._made(window))

    def _made(self, window: Any) -> None:
        self.window = window
        self._platform.dress(window, kind="bubble")

    def show(self, size: tuple[int, int], pet: Rect) -> tuple[Side, int]:
        """This large, beside the pet."""
        if self.window is None:
            return "above", 0
        self._size = min(max(size[0], 80), _LARGEST[0]), min(max(size[1], 40), _LARGEST[1])
        place, side = self._place(pet)
        self._platform.show(self.window, focus=False)
        self.shown = True
        self._platform.pet_shown(self.window)
        scale = self._platform.scale(self.window)
        inside = Rect(*(round(each * scale) for each in _inside(place)))
        self._platform.set_outline(self.window, [inside])
        return side, round(pet.centre[0]) - place.x

    def follow(self, pet: Rect) -> None:
        """The pet was moved."""
        if self.shown:
            self._place(pet)

    def _place(self, pet: Rect) -> tuple[Rect, Side]:
        work = monitor_of(pet, self._platform.monitors()).work
        place, side = bubble_place(pet, self._size or (WIDTH, _FIRST_HEIGHT), work)
        self._platform.place(self.window, place)
        return place, side

    def hide(self) -> None:
        if self.shown:
            self.shown = False
            self._platform.hide(self.window)


def _inside(place: Rect) -> tuple[int, int, int, int]:
    """The bubble itself, seen from its window's corner."""
    return _SHADOW, _SHADOW, place.width - 2 * _SHADOW, place.height - 2 * _SHADOW
