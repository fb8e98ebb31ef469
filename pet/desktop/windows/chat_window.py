"""The chat's window: made hidden after the pet's first frames, shown beside the pet or where the owner put it, hidden
by its close button.

Owns its size and place. Refuses to know what is said in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pet.desktop.geometry import Rect, beside, clamp, monitor_of
from pet.desktop.platforms.base import Platform
from pet.desktop.windows.placement_store import CHAT_MINIMUM, PlacementStore

_BACKGROUND = "#fbf7f2"
_NEAR = 10
"""A window manager may be off by so much; farther away it was put by its owner."""


class ChatWindow:
    """``make`` on a thread of its own, everything else on the GUI thread."""

    def __init__(self, platform: Platform, places: PlacementStore, url: str) -> None:
        self._platform = platform
        self._places = places
        self._url = url
        self._put: Rect | None = None  # where we put it last, with its frame
        self._monitor = ""  # on which it was put
        self._displaced = False  # that one went; it is where it is only for want of it
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
        self._platform.prepare_window(window, kind="chat")

    def warm_when_loaded(self) -> None:
        self.window.events.loaded += lambda: self._platform.post(self._warm)

    def _warm(self) -> None:
        if not self.shown:
            self._platform.prerender(self.window)

    def show(self, pet: Rect) -> None:
        if not self.shown:
            self._place(self._wanted(pet))
        self._platform.show(self.window, focus=True)
        self.shown = True

    def hide(self) -> bool:
        """Whether it was there to be hidden."""
        if self.window is None or not self.shown:
            return False
        self.keep()
        self._platform.hide(self.window)
        self.shown = False
        return True

    # --- its place ------------------------------------------------------------------------------

    def keep(self) -> None:
        """Its size and, if the owner has moved it, its place, for the monitor it is on. One that fills the screen is
        as large as that, and nobody's wish for the next time."""
        if not self._platform.is_free(self.window):
            return
        outer, inner = self._outer(), self._platform.rect(self.window)
        corner = (outer.x, outer.y) if self._moved(outer) and not self._displaced else None
        monitor = monitor_of(outer, self._platform.monitors())
        self._places.keep_chat((inner.width, inner.height), monitor, corner)

    def settle(self, pet: Rect) -> None:
        """Other monitors than before: back into sight, and back to where it was when its monitor is."""
        if self.window is None or not self.shown or not self._platform.is_free(self.window):
            return
        outer, monitors = self._outer(), self._platform.monitors()
        there = any(each.name == self._monitor for each in monitors)
        if self._displaced and there:
            if not self._moved(outer):
                self._place(self._wanted(pet))
            self._displaced = False
        elif not self._displaced and not there:
            monitor = self._monitor
            self._place(self._wanted(pet))
            self._monitor, self._displaced = monitor, True
        else:
            work = monitor_of(outer, monitors).work
            if outer.overlap(work) < outer.width * outer.height:
                self._place(_into(outer, work))

    def beside_again(self, pet: Rect) -> None:
        """Where the pet is now, whatever place the owner once chose there."""
        if self.window is None:
            return
        self._places.forget_chat(monitor_of(pet, self._platform.monitors()))
        if self.shown and self._platform.is_free(self.window):
            self._place(self._wanted(pet))

    def _wanted(self, pet: Rect) -> Rect:
        """Where the owner put it on the pet's monitor, unless the pet sits there now; else beside it."""
        monitor = monitor_of(pet, self._platform.monitors())
        left, top, right, bottom = self._platform.frame(self.window)
        width, height = self._places.chat_size(monitor)
        size = min(width + left + right, monitor.work.width), min(height + top + bottom, monitor.work.height)
        chosen = self._places.chat_on(monitor, size)
        if chosen is not None and chosen.overlap(pet) * 2 < pet.width * pet.height:
            return chosen
        return beside(pet, size, monitor.work)

    def _place(self, outer: Rect) -> None:
        left, top, right, bottom = self._platform.frame(self.window)
        self._put, self._displaced = outer, False
        self._monitor = monitor_of(outer, self._platform.monitors()).name
        self._platform.place(
            self.window, Rect(outer.x, outer.y, outer.width - left - right, outer.height - top - bottom)
        )

    def _outer(self) -> Rect:
        inner = self._platform.rect(self.window)
        left, top, right, bottom = self._platform.frame(self.window)
        return Rect(inner.x - left, inner.y - top, inner.width + left + right, inner.height + top + bottom)

    def _moved(self, outer: Rect) -> bool:
        put = self._put
        return put is None or abs(outer.x - put.x) > _NEAR or abs(outer.y - put.y) > _NEAR


def _into(outer: Rect, work: Rect) -> Rect:
    """No larger than the work area, and inside it."""
    return clamp(Rect(outer.x, outer.y, min(outer.width, work.width), min(outer.height, work.height)), work)
