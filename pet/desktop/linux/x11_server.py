"""X11 features Qt does not expose: window states, frames, the manager; and connections that know only what they use.

``XServer`` holds its own connection, for the GUI thread only, and changes only this program's windows. Created on
first use, with the first window.
"""

from __future__ import annotations

import select
import time
from collections.abc import Sequence
from typing import Any

from Xlib import X, Xatom, error
from Xlib.display import Display
from Xlib.ext import shape
from Xlib.protocol import event

from pet.desktop.linux.x11_shapes import WindowShapes

EVERY_DESKTOP = 0xFFFFFFFF
_ADD = 1
_SOURCE_APPLICATION = 1
_SOURCE_PAGER = 2
_ANSWER_SECONDS = 0.1


class XConnection(Display):  # type: ignore[misc]
    """A connection that knows only what it uses: the library loads fifteen extensions and the keyboard's map for
    each, which takes 3 MB, and 10 ms before an answer.

    ``extensions``: by the server's names; ``keyboard``: whether keys are named. Raises DisplayError, OSError.
    """

    def __init__(self, *extensions: str, keyboard: bool = False) -> None:
        self._wanted = extensions
        self._keyboard = keyboard
        super().__init__()

    def list_extensions(self) -> list[str]:
        return [each for each in super().list_extensions() if each in self._wanted]

    def _update_keymap(self, first_keycode: int, count: int) -> None:
        if self._keyboard:
            super()._update_keymap(first_keycode, count)


class XServer:
    """One connection to the server in ``DISPLAY``."""

    def __init__(self) -> None:
        self._display = XConnection(shape.extname)
        self.shapes = WindowShapes(self._display)
        self._root = self._display.screen().root

    def add_states(self, window: int, *names: str) -> None:
        """Ask the window manager to add these ``_NET_WM_STATE`` atoms to a shown window."""
        state = self._atom("_NET_WM_STATE")
        target = self._window(window)
        for name in names:
            self._send_to_manager(target, state, [_ADD, self._atom(name), 0, _SOURCE_APPLICATION, 0])
        self._display.sync()

    def activate(self, window: int) -> None:
        """Ask the window manager to bring another program's window forward, as the owner wished."""
        data = [_SOURCE_PAGER, X.CurrentTime, 0, 0, 0]
        self._send_to_manager(self._window(window), self._atom("_NET_ACTIVE_WINDOW"), data)
        self._display.sync()

    def skip_taskbar(self, window: int) -> None:
        """Remove the window from taskbar and pager. Call it before the window is mapped."""
        target = self._window(window)
        states = [self._atom(f"_NET_WM_STATE_SKIP_{where}") for where in ("TASKBAR", "PAGER")]
        target.change_property(self._atom("_NET_WM_STATE"), Xatom.ATOM, 32, states)
        self._display.sync()

    def show_on_every_desktop(self, window: int) -> None:
        """Show it on all workspaces: by message for a managed window, by property before it is mapped."""
        atom = self._atom("_NET_WM_DESKTOP")
        target = self._window(window)
        if target.get_full_property(self._atom("WM_STATE"), X.AnyPropertyType) is None:
            target.change_property(atom, Xatom.CARDINAL, 32, [EVERY_DESKTOP])
        self._send_to_manager(target, atom, [EVERY_DESKTOP, _SOURCE_APPLICATION, 0, 0, 0])
        self._display.sync()

    def request_frame(self, window: int) -> None:
        """Request the frame extents before the window is mapped. Waits up to 0.1 s if the window manager answers."""
        request = self._atom("_NET_REQUEST_FRAME_EXTENTS")
        if request not in self._supported():
            return
        target = self._window(window)
        target.change_attributes(event_mask=X.PropertyChangeMask)
        self._send_to_manager(target, request, [0, 0, 0, 0, 0])
        self._display.sync()
        end = time.monotonic() + _ANSWER_SECONDS
        while self.frame(window) is None and (left := end - time.monotonic()) > 0:
            if not self._display.pending_events():  # one may have come together with the answer
                select.select([self._display.fileno()], [], [], left)
            while self._display.pending_events():
                self._display.next_event()
        target.change_attributes(event_mask=X.NoEventMask)
        self._display.sync()

    def window_manager(self) -> str:
        """Return the window manager's name; "" if none is running or it sets no name."""
        check = self._root.get_full_property(self._atom("_NET_SUPPORTING_WM_CHECK"), Xatom.WINDOW)
        if not check:
            return ""
        window = self._window(check.value[0])
        try:
            name = window.get_full_property(self._atom("_NET_WM_NAME"), X.AnyPropertyType)
        except error.XError:
            return ""
        return bytes(name.value).decode("utf-8", "replace") if name else ""

    def ignores(self, feature: str) -> bool:
        """Whether a window manager runs that does not list this atom as supported."""
        supported = self._supported()
        return bool(supported) and self._atom(feature) not in supported

    def _supported(self) -> Sequence[int]:
        atoms = self._root.get_full_property(self._atom("_NET_SUPPORTED"), Xatom.ATOM)
        return atoms.value if atoms else ()

    def work_corner(self) -> tuple[int, int] | None:
        """Return the corner of ``_NET_WORKAREA`` of the first desktop, as Qt does; None if it is not set."""
        area = self._root.get_full_property(self._atom("_NET_WORKAREA"), Xatom.CARDINAL)
        return (int(area.value[0]), int(area.value[1])) if area and len(area.value) >= 4 else None

    def frame(self, window: int) -> tuple[int, int, int, int] | None:
        """Return left, right, top, bottom in device pixels as the window manager set them; None if unknown."""
        target = self._window(window)
        try:
            extents = target.get_full_property(self._atom("_NET_FRAME_EXTENTS"), Xatom.CARDINAL)
        except error.XError:
            return None
        if not extents or len(extents.value) != 4 or not any(extents.value):  # zero for a window it has unmapped
            return None
        left, right, top, bottom = (int(edge) for edge in extents.value)
        return left, right, top, bottom

    def position(self, window: int) -> tuple[int, int] | None:
        """Return the window's position on the root in device pixels; None if the server no longer has it."""
        target = self._window(window)
        try:
            corner = self._root.translate_coords(target, 0, 0)
        except error.XError:
            return None
        return int(corner.x), int(corner.y)

    def button_down(self) -> bool:
        """Whether a pointer button is held, also while another client has the grab."""
        held = X.Button1Mask | X.Button2Mask | X.Button3Mask
        return bool(self._root.query_pointer().mask & held)

    # --- inside ---------------------------------------------------------------------------------

    def _window(self, handle: int) -> Any:
        return self._display.create_resource_object("window", handle)

    def _atom(self, name: str) -> int:
        return int(self._display.get_atom(name))  # once for each name

    def _send_to_manager(self, window: Any, kind: int, data: list[int]) -> None:
        message = event.ClientMessage(window=window, client_type=kind, data=(32, data))
        self._root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
