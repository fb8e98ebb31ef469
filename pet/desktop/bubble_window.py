"""Speech bubble window: takes no focus, passes clicks around the bubble, created on first use.

Controls its size and position beside the pet. Shown only after its page has rendered the content; takes focus only if
the owner opened it for reading.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pet.desktop.deferred_core import WindowGate
from pet.desktop.geometry import Rect, bubble_height, bubble_place, bubble_tail, monitor_of
from pet.desktop.platform import Platform

if TYPE_CHECKING:
    from pet.services.desktop_port import Side

WIDTH = 320
_FIRST_HEIGHT = 120
_SHADOW = 12
"""Shadow margin around the bubble on its page, which passes clicks. Same value as in bubble.css."""
_LARGEST = (480, 640)
_TURNED_MS = 150
"""Debounce of side changes: a pet dragged along an edge would cause them continuously."""

_log = logging.getLogger(__name__)


class BubbleWindow:
    """The bubble's window. ``request`` from any thread, everything else on the GUI thread."""

    def __init__(
        self,
        platform: Platform,
        gate: WindowGate,
        url: str,
        joined: Callable[[Any], None],
        turned: Callable[[], None],
    ) -> None:
        self._platform = platform
        self._gate = gate
        self._url = url
        self._joined = joined
        self._turned = turned  # called when it changes sides, so that its page redraws the tail
        self._drawn: tuple[Side, int] = ("above", 0)
        self._now: tuple[Side, int] = ("above", 0)
        self._turning = False
        self._requested = threading.Event()
        self._refocus = False
        self._size: tuple[int, int] | None = None
        self.reading = False  # the owner opened it to read or to write: it has the keyboard
        self.window: Any = None
        self.shown = False

    def request(self, title: str) -> None:
        """Create the window on first use. Its page fetches the content, now and later."""
        if not self._requested.is_set():
            self._requested.set()
            make = (lambda: self._make(title),)
            threading.Thread(target=self._gate.run, args=make, name="bubble-window", daemon=True).start()

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
            transparent=True,
        )
        self._joined(window)
        self._platform.post(lambda: self._made(window))

    def _made(self, window: Any) -> None:
        self.window = window
        self._platform.prepare_window(window, kind="bubble")

    def show(self, size: tuple[int, int], pet: Rect, *, reading: bool) -> tuple[Side, int, int]:
        """Show at this size beside the pet; with ``reading`` as high as there is room, and with keyboard focus.

        Returns the side of the pet, the tail's offset, and the height.
        """
        if self.window is None:
            return "above", 0, size[1]
        width, height = min(max(size[0], 80), _LARGEST[0]), min(max(size[1], 40), _LARGEST[1])
        work = monitor_of(pet, self._platform.monitors()).work
        self._size = min(width, work.width), bubble_height(pet, height, work) if reading else min(height, work.height)
        place, _side = self._place(pet)
        opened = reading and (self._refocus or not self.reading)  # a redraw leaves the focus unchanged
        self._refocus = False
        self._take_focus(reading)
        self._platform.show(self.window, focus=opened)
        self.shown = True
        self._platform.pet_shown(self.window)
        scale = self._platform.scale(self.window)
        inside = Rect(*(round(each * scale) for each in _inside(place)))
        self._platform.set_outline(self.window, [inside])
        self._drawn = self._now
        return *self._drawn, place.height

    def wants_focus(self) -> None:
        """Let the next ``show`` with ``reading`` take the focus, also if it is shown: the owner went elsewhere."""
        self._refocus = True

    def follow(self, pet: Rect) -> None:
        """Move along with the pet."""
        if self.shown:
            self._place(pet)
            if self._now != self._drawn and not self._turning:
                self._turning = True
                self._platform.after(_TURNED_MS, self._turn)

    def _turn(self) -> None:
        self._turning = False
        if self.shown and self._now != self._drawn:
            self._turned()

    def _place(self, pet: Rect) -> tuple[Rect, Side]:
        work = monitor_of(pet, self._platform.monitors()).work
        place, side = bubble_place(pet, self._size or (WIDTH, _FIRST_HEIGHT), work)
        self._platform.place(self.window, place)
        self._now = side, bubble_tail(pet, place, side)
        return place, side

    def hide(self) -> None:
        if self.shown:
            self.shown = False
            self._platform.hide(self.window)
            self._take_focus(False)

    def _take_focus(self, reading: bool) -> None:
        if reading != self.reading:
            self.reading = reading
            self._platform.take_focus(self.window, may=reading)


def _inside(place: Rect) -> tuple[int, int, int, int]:
    """Return the bubble's rectangle within its window, as x, y, width, height."""
    return _SHADOW, _SHADOW, place.width - 2 * _SHADOW, place.height - 2 * _SHADOW
