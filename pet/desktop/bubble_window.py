"""Speech bubble window: created on first use, beside the pet, draws what the core says.

Controls its size, place and focus; it takes the focus only if the owner opened it for reading or writing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pet.desktop.geometry import SHADOW, Rect, bubble_height, bubble_place, bubble_tail, monitor_of

if TYPE_CHECKING:
    from pet.desktop.bubble_view import BubbleView
    from pet.desktop.core_client import CoreOrders
    from pet.desktop.qt_desktop import QtDesktop
    from pet.services.desktop_port import Side
    from pet.services.offers.bubble_content import BubbleContent


class BubbleWindow:
    """The bubble's window, on the GUI thread. ``pet``: its rectangle, None while it is hidden."""

    def __init__(self, platform: QtDesktop, port: CoreOrders, pet: Callable[[], Rect | None]) -> None:
        self._platform = platform
        self._port = port
        self._pet = pet
        self._refocus = False
        self._size = 0, 0
        self._title = ""
        self.reading = False  # the owner opened it to read or to write: it has the keyboard
        self.window: BubbleView | None = None
        self.shown = False

    def draw(self, content: BubbleContent, title: str, *, dark: bool) -> None:
        """Show this content, or nothing."""
        if self.window is None:
            if content.kind == "none":
                return
            from pet.desktop.bubble_view import BubbleView  # late: the pet is seen before its first bubble

            self.window = BubbleView(self._port, self._show, self.hide, self._platform.calm)
            self._platform.own.prepare_window(self.window, kind="bubble")
            self.window.setWindowTitle(title)
        self.window.show_content(content, dark=dark)

    def _show(self, width: int, height: int, reading: bool) -> tuple[Side, int, int]:
        pet = self._pet()
        assert self.window is not None
        if pet is None:
            return "above", 0, height
        work = monitor_of(pet, self._platform.screens.monitors()).work
        high = bubble_height(pet, height, work) if reading else min(height, work.height)
        self._size = min(width, work.width), high
        side, tail = self._place(pet)
        opened = reading and (self._refocus or not self.reading)  # a redraw leaves the focus unchanged
        self._refocus = False
        self._take_focus(reading)
        self._platform.own.show(self.window, focus=opened)
        if not self.shown:
            self._platform.post(self._managed)  # after the request for the keyboard
        self.shown = True
        scale = self.window.devicePixelRatioF()
        inside = (SHADOW, SHADOW, self._size[0] - 2 * SHADOW, high - 2 * SHADOW)
        self._platform.own.set_outline(self.window, [Rect(*(round(each * scale) for each in inside))])
        self._platform.own.set_silhouette(self.window, self.window.silhouette)
        return side, tail, high

    def _managed(self) -> None:
        if self.shown:
            self._platform.own.pet_shown(self.window)

    def wants_focus(self) -> None:
        """Let the next drawing for reading take the focus, also if it is shown: the owner went elsewhere."""
        self._refocus = True

    def follow(self, pet: Rect) -> None:
        """Move along with the pet."""
        if self.shown and self.window is not None:
            self.window.turned(*self._place(pet))

    def _place(self, pet: Rect) -> tuple[Side, int]:
        work = monitor_of(pet, self._platform.screens.monitors()).work
        place, side = bubble_place(pet, self._size, work)
        self._platform.own.place(self.window, place)
        return side, bubble_tail(pet, place, side)

    def hide(self) -> None:
        if self.shown:
            self.shown = False
            self._platform.own.hide(self.window)
            self._take_focus(False)

    def _take_focus(self, reading: bool) -> None:
        if reading != self.reading:
            self.reading = reading
            self._platform.own.take_focus(self.window, may=reading)
