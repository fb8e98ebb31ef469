"""The few things X11 has and Qt has no word for: input shapes, window states.

Owns a connection of its own, used on the GUI thread only. Touches only windows of this program. Made when it is first
needed, which is after the pet was seen.
"""

from __future__ import annotations

import select
import time
from collections.abc import Sequence

from Xlib import X, Xatom, display, error
from Xlib.ext import shape
from Xlib.protocol import event

from pet.desktop.geometry import Rect

EVERY_DESKTOP = 0xFFFFFFFF
_ADD = 1
_SOURCE_APPLICATION = 1
_ANSWER_SECONDS = 0.1


class XServer:
    """One connection to the server that ``DISPLAY`` names."""

    def __init__(self) -> None:
        self._display = display.Display()
        self._root = self._display.screen().root

    def has_input_shapes(self) -> bool:
        return bool(self._display.has_extension("SHAPE"))

    def set_input_shape(self, window: int, rects: Sequence[Rect] | None) -> None:
        """Only these rectangles (in device pixels) take clicks; None: the whole window. Painting stays whole."""
        target = self._display.create_resource_object("window", window)
        if rects is None:
            target.shape_mask(shape.SO.Set, shape.SK.Input, 0, 0, X.NONE)
        else:
            boxes = [(rect.x, rect.y, rect.width, rect.height) for rect in rects]
            target.shape_rectangles(shape.SO.Set, shape.SK.Input, X.Unsorted, 0, 0, boxes)
        self._display.sync()

    def add_states(self, window: int, *names: str) -> None:
        """Ask the window manager for these ``_NET_WM_STATE`` atoms of a shown window."""
        state = self._display.intern_atom("_NET_WM_STATE")
        target = self._display.create_resource_object("window", window)
        for name in names:
            wish = event.ClientMessage(
                window=target,
                client_type=state,
                data=(32, [_ADD, self._display.intern_atom(name), 0, _SOURCE_APPLICATION, 0]),
            )
            self._root.send_event(wish, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self._display.sync()

    def show_on_every_desktop(self, window: int) -> None:
        """Ask for all workspaces: by message of a managed window, before that by the property the manager reads."""
        atom = self._display.intern_atom("_NET_WM_DESKTOP")
        target = self._display.create_resource_object("window", window)
        if target.get_full_property(self._display.intern_atom("WM_STATE"), X.AnyPropertyType) is None:
            target.change_property(atom, Xatom.CARDINAL, 32, [EVERY_DESKTOP])
        wish = event.ClientMessage(
            window=target, client_type=atom, data=(32, [EVERY_DESKTOP, _SOURCE_APPLICATION, 0, 0, 0])
        )
        self._root.send_event(wish, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self._display.sync()

    def ask_frame(self, window: int) -> None:
        """Ask the window manager to say how thick its frame will be, while the window is not there yet. Waits for the
        answer, which is a matter of some milliseconds, where it is one that answers."""
        wish = self._display.intern_atom("_NET_REQUEST_FRAME_EXTENTS")
        supported = self._root.get_full_property(self._display.intern_atom("_NET_SUPPORTED"), Xatom.ATOM)
        if not supported or wish not in supported.value:
            return
        target = self._display.create_resource_object("window", window)
        target.change_attributes(event_mask=X.PropertyChangeMask)
        message = event.ClientMessage(window=target, client_type=wish, data=(32, [0, 0, 0, 0, 0]))
        self._root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self._display.sync()
        end = time.monotonic() + _ANSWER_SECONDS
        while self.frame(window) is None and (left := end - time.monotonic()) > 0:
            select.select([self._display.fileno()], [], [], left)
            while self._display.pending_events():
                self._display.next_event()
        target.change_attributes(event_mask=X.NoEventMask)
        self._display.sync()

    def frame(self, window: int) -> tuple[int, int, int, int] | None:
        """Left, right, top, bottom in device pixels, as the window manager said; None if it did not."""
        target = self._display.create_resource_object("window", window)
        try:
            found = target.get_full_property(self._display.intern_atom("_NET_FRAME_EXTENTS"), Xatom.CARDINAL)
        except error.XError:
            return None
        if not found or len(found.value) != 4 or not any(found.value):  # none for one that it has let go of
            return None
        left, right, top, bottom = (int(edge) for edge in found.value)
        return left, right, top, bottom

    def position(self, window: int) -> tuple[int, int] | None:
        """Where the window stands on the root, in device pixels; None if the server no longer knows it."""
        target = self._display.create_resource_object("window", window)
        try:
            found = self._root.translate_coords(target, 0, 0)
        except error.XError:
            return None
        return int(found.x), int(found.y)

    def button_down(self) -> bool:
        """Whether a button of the pointer is held, whoever has the pointer."""
        held = X.Button1Mask | X.Button2Mask | X.Button3Mask
        return bool(self._root.query_pointer().mask & held)

    def states(self, window: int) -> set[str]:
        target = self._display.create_resource_object("window", window)
        found = target.get_full_property(self._display.intern_atom("_NET_WM_STATE"), Xatom.ATOM)
        return {self._display.get_atom_name(atom) for atom in found.value} if found else set()

    def close(self) -> None:
        self._display.close()
