"""Eyes and hands on the X display that cost nothing to use, so that they don't disturb what is measured."""

from __future__ import annotations

import time
from typing import Any

from Xlib import XK, X, Xatom, display
from Xlib.error import BadDrawable, BadMatch, BadWindow
from Xlib.ext import xtest

_BACKGROUND = bytes.fromhex("a56e3a")  # of the desktop, as the server keeps it: blue, green, red
_BLANK = {_BACKGROUND, b"\x00\x00\x00", b"\xff\xff\xff"}  # a web view is black or white before its first frame
_ENOUGH = 100  # painted pixels among the sampled ones


class Screen:
    def __init__(self, name: str) -> None:
        self._display: Any = display.Display(name)
        self._root: Any = self._display.screen().root

    def painted(self, pid: int) -> bool:
        """Return whether a window of this process shows its own content by now."""
        for window in self._windows(pid):
            try:
                size = window.get_geometry()
                place = window.translate_coords(self._root, 0, 0)
                # The other way round: where the window's corner is on the root.
                x, y = -place.x, -place.y
                image = self._root.get_image(x, y, size.width, size.height, X.ZPixmap, 0xFFFFFFFF)
            except (BadMatch, BadWindow, BadDrawable):  # gone, or not on the screen yet
                continue
            data: bytes = image.data
            shown = sum(data[at : at + 3] not in _BLANK for at in range(0, len(data), 4 * 7))
            if shown > _ENOUGH:
                return True
        return False

    def watch(self, pid: int, title: str, until: float) -> tuple[float, list[tuple[float, bytes]]]:
        """Return when the window first had the keyboard, and its pictures with their times up to ``until``, all by
        the wall clock. Raises AssertionError if it never had it."""
        active, name = (self._display.intern_atom(each) for each in ("_NET_ACTIVE_WINDOW", "_NET_WM_NAME"))
        shown, frames = 0.0, list[tuple[float, bytes]]()
        while time.time() < until:
            for window in self._windows(pid):
                try:
                    text = window.get_full_property(name, X.AnyPropertyType)
                    if text is None or text.value.decode() != title:
                        continue
                    front = self._root.get_full_property(active, X.AnyPropertyType)
                    if not shown and front is not None and front.value[0] == window.id:
                        shown = time.time()
                    size, place = window.get_geometry(), window.translate_coords(self._root, 0, 0)
                    image = self._root.get_image(-place.x, -place.y, size.width, size.height, X.ZPixmap, 0xFFFFFFFF)
                    frames.append((time.time(), image.data))
                except (BadMatch, BadWindow, BadDrawable):
                    continue
            time.sleep(0.003)
        assert shown, "the window never had the keyboard"
        return shown, frames

    def move(self, x: int, y: int) -> None:
        xtest.fake_input(self._display, X.MotionNotify, x=x, y=y)
        self._display.sync()

    def double_click(self, x: int, y: int) -> float:
        """Returns the wall clock's time at the second release. The second press comes 20 ms after the first: Qt takes
        two of one millisecond for two clicks."""
        xtest.fake_input(self._display, X.MotionNotify, x=x, y=y)
        for pause in (0, 20):
            xtest.fake_input(self._display, X.ButtonPress, 1, pause)
            xtest.fake_input(self._display, X.ButtonRelease, 1)
        self._display.sync()
        return time.time()

    def press(self, key: str) -> float:
        """Press Ctrl+Alt+KEY; returns the wall clock's time of the key."""
        codes = [self._display.keysym_to_keycode(XK.string_to_keysym(each)) for each in ("Control_L", "Alt_L", key)]
        for code in codes:
            xtest.fake_input(self._display, X.KeyPress, code)
        self._display.sync()
        pressed = time.time()
        for code in reversed(codes):
            xtest.fake_input(self._display, X.KeyRelease, code)
        self._display.sync()
        return pressed

    def close(self) -> None:
        self._display.close()

    def _windows(self, pid: int) -> list[Any]:
        listed = self._root.get_full_property(self._display.intern_atom("_NET_CLIENT_LIST"), Xatom.WINDOW)
        owner = self._display.intern_atom("_NET_WM_PID")
        found = []
        for handle in listed.value if listed else ():
            window = self._display.create_resource_object("window", handle)
            try:
                value = window.get_full_property(owner, Xatom.CARDINAL)
            except BadWindow:
                continue
            if value and value.value[0] == pid:
                found.append(window)
        return found
