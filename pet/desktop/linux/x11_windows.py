"""This program's windows on an X server; frames of other programs' in stacking order, and one of them followed while
the pet is on it.

GUI thread only. Those of other programs are read over a separate connection, which Qt's loop watches: no thread, no
polling. The rectangles of ``XWindows`` are in device pixels.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSocketNotifier, Qt, QTimer
from shiboken6 import isValid
from Xlib import X, Xatom, error

from pet.desktop.environment import has_compositor, on_wayland
from pet.desktop.geometry import Rect
from pet.desktop.ground import Window
from pet.desktop.linux.monitors import in_units
from pet.desktop.linux.x11_server import XConnection, XServer
from pet.desktop.linux.x11_shapes import Outlines
from pet.desktop.platform import Kind
from pet.desktop.qt_desktop import OtherPrograms, OwnWindows, QtDesktop, is_frameless

if TYPE_CHECKING:
    from pet.desktop.linux.x11_events import XEvents

_ASSUMED_FRAME = (1, 28, 1, 1)
_THICKEST_FRAME = 96
_FRAMED_MS = 500  # by then a window manager has finished placing a new window


class LinuxWindows(OwnWindows):
    """This program's windows on the X server, to which the connection is made with the first of them."""

    def __init__(self, platform: QtDesktop) -> None:
        super().__init__(platform)
        self.outlines = Outlines(lambda: self.server.shapes, blends=has_compositor())
        self.small: set[int] = set()  # native handles of pet, bubble and things
        self.chat: tuple[int, ...] = ()  # that of the chat, once there is one
        self._last_frame: tuple[int, int, int, int] | None = None
        self._sent_to: dict[int, tuple[int, int]] = {}  # by native handle: the position last requested

    @cached_property
    def server(self) -> XServer:
        return XServer()

    @cached_property
    def _unmanaged(self) -> bool:
        """Whether pet and bubble must bypass the window manager: sway's or labwc's would place, tile and bury them.

        See decision 0040.
        """
        return self.server.ignores("_NET_WM_STATE_ABOVE")

    @cached_property
    def one_tool(self) -> bool:
        """Whether only the pet may be a tool window.

        KWin hides a program's further ones while another program is in front, and when a tool window with the focus
        closes, it gives the focus to the pet, which takes none.
        """
        return self.server.window_manager() == "KWin"

    @cached_property
    def passes_clicks(self) -> bool:
        """Whether clicks beside an outline reach the windows below."""
        return self.server.shapes.takes_input(xwayland=on_wayland(os.environ))

    def prepare_window(self, native: Any, *, kind: Kind) -> None:
        super().prepare_window(native, kind=kind)
        if kind == "chat":
            if self._unmanaged:
                native.setWindowFlag(Qt.WindowType.Dialog, True)  # sway would tile it
            self.chat = (int(native.winId()),)
            self.server.request_frame(*self.chat)
            return
        if kind == "bubble" and self.one_tool:
            native.setWindowFlag(Qt.WindowType.Tool, False)
        if self._unmanaged:
            native.setWindowFlag(Qt.WindowType.X11BypassWindowManagerHint, True)
        self.small.add(int(native.winId()))

    def pet_shown(self, native: Any) -> None:
        handle = int(native.winId())
        wanted = ("SKIP_TASKBAR", "SKIP_PAGER", "ABOVE", "STICKY")
        self.server.add_states(handle, *(f"_NET_WM_STATE_{name}" for name in wanted))
        self.server.show_on_every_desktop(handle)  # same as STICKY; window managers support one or the other

    def show(self, native: Any, *, focus: bool) -> None:
        super().show(native, focus=focus)
        if is_frameless(native):
            self._platform.after(_FRAMED_MS, lambda: self.put_right(native))

    def set_outline(self, native: Any, rects: Sequence[Rect] | None) -> None:
        if self.passes_clicks:
            self.server.shapes.set_input(int(native.winId()), rects)

    def set_silhouette(self, native: Any, rects: Callable[[], Sequence[Rect]]) -> None:
        self.outlines.set(int(native.winId()), rects)

    def rect(self, native: Any) -> Rect:
        area = native.geometry()
        at = (area.x(), area.y())
        if native.isVisible() and is_frameless(native):
            at = self.put_right(native) or at
        return Rect(*at, area.width(), area.height())

    def put_right(self, native: Any) -> tuple[int, int] | None:
        """Return a frameless window's true position, correcting Qt's if it is wrong.

        With a wrong position Qt maps a drop from another program beside the window, and the pet doesn't receive it.
        """
        if not isValid(native) or not native.isVisible():
            return None
        believed: tuple[int, int] = native.x(), native.y()
        if believed == self._sent_to.get(int(native.winId())):
            return believed  # a requested move may still be in progress
        position = self._server_position(native)
        if position is not None and position != believed:
            native.move(*position)
        return position

    def frame(self, native: Any) -> tuple[int, int, int, int]:
        if is_frameless(native):
            return 0, 0, 0, 0
        # A hidden window may report no frame; use its last known one.
        self._last_frame = _known_frame(native) or self._server_frame(native) or self._last_frame
        return self._last_frame or _ASSUMED_FRAME

    def place(self, native: Any, rect: Rect) -> None:
        if (native.width(), native.height()) != (rect.width, rect.height):
            if is_frameless(native):
                # not resizable by the owner, and Qt's limits must not interfere
                native.setFixedSize(rect.width, rect.height)
            else:
                native.resize(rect.width, rect.height)
        # Before its first frame Qt positions the client area (static gravity): the title bar would be above the
        # position, and off screen if the pet sits at its top.
        framed = is_frameless(native) or _known_frame(native)
        left, top = (0, 0) if framed else self.frame(native)[:2]
        self._sent_to[int(native.winId())] = rect.x + left, rect.y + top
        native.move(rect.x + left, rect.y + top)

    def _server_position(self, native: Any) -> tuple[int, int] | None:
        """Return the X server's position: Qt may keep (0, 0) if the window manager reparented the window."""
        position = self.server.position(int(native.winId()))
        if position is None:
            return None
        screen = native.windowHandle().screen()  # pywebview overrides native.screen
        origin, ratio = screen.geometry().topLeft(), screen.devicePixelRatio()
        return (
            round((position[0] - origin.x()) / ratio) + origin.x(),
            round((position[1] - origin.y()) / ratio) + origin.y(),
        )

    def _server_frame(self, native: Any) -> tuple[int, int, int, int] | None:
        """Return the frame extents the window manager announced when the window was created."""
        extents, ratio = self.server.frame(int(native.winId())), native.devicePixelRatioF()
        if extents is None or max(extents) > _THICKEST_FRAME * ratio:
            return None
        left, right, top, bottom = (round(edge / ratio) for edge in extents)
        return left, top, right, bottom


def _known_frame(native: Any) -> tuple[int, int, int, int] | None:
    outer, inner = native.frameGeometry(), native.geometry()
    edges = (
        inner.x() - outer.x(),
        inner.y() - outer.y(),
        outer.right() - inner.right(),
        outer.bottom() - inner.bottom(),
    )
    # Before the window manager has framed the window, Qt reports zero or outdated extents.
    known = any(edges) and all(0 <= edge <= _THICKEST_FRAME for edge in edges)
    return edges if known else None


_BESIDE = ("DESKTOP", "DOCK", "NOTIFICATION", "TOOLTIP", "MENU", "DROPDOWN_MENU", "POPUP_MENU", "SPLASH")
"""Window types without a title bar or top edge to rest on."""
_EVERYWHERE = 0xFFFFFFFF
_DEEPEST = 30
_MOST = 200
"""More windows than a desktop shows at once; a hundred opening at a time cost no more than this."""


class XWindows:
    """``ours``: native handles of the pet and its bubble, which don't count."""

    def __init__(self, ours: Callable[[], Collection[int]]) -> None:
        self._ours = ours
        self._display = XConnection()
        self._display.set_error_handler(lambda *_about: None)  # of windows that closed meanwhile
        self._root = self._display.screen().root
        self._beside = {self._atom(f"_NET_WM_WINDOW_TYPE_{kind}") for kind in _BESIDE}
        # Another program's pet with its things, or something else that only floats in front.
        self._of_pets = {self._atom(f"_NET_WM_STATE_{name}") for name in ("SKIP_TASKBAR", "ABOVE")}
        self._followed: int | None = None
        self._moved: Callable[[Rect | None], None] = lambda _frame: None
        self._notifier = QSocketNotifier(self._display.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(lambda *_socket: self._read())

    def all(self) -> list[Window]:
        """Return the visible windows of this desktop with their frames, bottom to top."""
        ours = set(self._ours())
        stacked = self._values(self._root, "_NET_CLIENT_LIST_STACKING")[-_MOST:]
        return self.these([handle for handle in stacked if handle not in ours])

    def these(self, handles: Collection[int]) -> list[Window]:
        """Return those of these windows that are visible, with their frames, in the same order."""
        here = self._values(self._root, "_NET_CURRENT_DESKTOP")
        desktop = here[0] if here else None
        active = self._values(self._root, "_NET_ACTIVE_WINDOW")
        framed = [(handle, self._frame(handle, desktop)) for handle in handles]
        self._read_later()
        return [Window(each, frame, active=each in active) for each, frame in framed if frame is not None]

    def button_down(self) -> bool:
        """Whether the pointer's first button is down, over whatever window."""
        return bool(self._root.query_pointer().mask & X.Button1Mask)

    def of_process(self, process: int, title: str) -> int:
        """Return the window of a process or its next ancestor that has any; of several, the only one with this word
        in its title. 0 for none."""
        try:
            stacked = self._values(self._root, "_NET_CLIENT_LIST_STACKING")[-_MOST:]
            owners = {handle: self._values(self._window(handle), "_NET_WM_PID") for handle in stacked}
            for each in _line_of(process):
                own = [handle for handle, owner in owners.items() if owner == [each]]
                if len(own) > 1:
                    own = [handle for handle in own if title.casefold() in self._title(handle).casefold()]
                if own:
                    return own[0] if len(own) == 1 else 0
        except error.XError:  # a window closed meanwhile
            pass
        return 0

    def follow(self, handle: int | None, moved: Callable[[Rect | None], None]) -> None:
        """Call ``moved`` with the window's frame soon and each time it moves, and with None once it is gone.
        None: stop."""
        if self._followed is not None and self._followed != handle:
            self._listen(self._followed, X.NoEventMask)
        self._followed, self._moved = handle, moved
        if handle is not None:
            self._listen(handle, X.StructureNotifyMask | X.PropertyChangeMask)
            QTimer.singleShot(0, self._report)  # it may have gone before the server watched it to tell
        self._display.flush()

    # --- inside ---------------------------------------------------------------------------------

    def _read(self) -> None:
        """Handle all pending events; several moves in one batch are one."""
        changed = False
        try:
            while self._display.pending_events():
                window = getattr(self._display.next_event(), "window", None)
                changed |= window is not None and window.id == self._followed
        except error.ConnectionClosedError:
            self._notifier.setEnabled(False)
            return
        if changed:
            self._report()

    def _read_later(self) -> None:
        """Handle the events that arrived while an answer was awaited: no event will come for them."""
        if self._followed is not None and self._display.pending_events():
            QTimer.singleShot(0, self._read)

    def _report(self) -> None:
        if self._followed is None:
            return
        here = self._values(self._root, "_NET_CURRENT_DESKTOP")
        frame = self._frame(self._followed, here[0] if here else None)
        moved = self._moved
        if frame is None:
            self.follow(None, lambda _frame: None)
        else:
            self._read_later()
        moved(frame)

    def _frame(self, handle: int, desktop: int | None) -> Rect | None:
        """Return the frame; None if the window is hidden, elsewhere, gone, or of an unsuitable type."""
        window = self._window(handle)
        try:
            if window.get_attributes().map_state != X.IsViewable:
                return None
            states = set(self._values(window, "_NET_WM_STATE"))
            if self._atom("_NET_WM_STATE_HIDDEN") in states or self._of_pets <= states:
                return None
            on = self._values(window, "_NET_WM_DESKTOP")
            if on and desktop is not None and on[0] not in (desktop, _EVERYWHERE):
                return None
            if self._beside.intersection(self._values(window, "_NET_WM_WINDOW_TYPE")):
                return None
            size, corner = window.get_geometry(), self._root.translate_coords(window, 0, 0)
            edges = self._values(window, "_NET_FRAME_EXTENTS", Xatom.CARDINAL)
        except error.XError:
            return None
        left, right, top, bottom = edges if len(edges) == 4 else (0, 0, 0, 0)
        return Rect(
            int(corner.x) - left, int(corner.y) - top, int(size.width) + left + right, int(size.height) + top + bottom
        )

    def _title(self, handle: int) -> str:
        for name in ("_NET_WM_NAME", "WM_NAME"):  # the second of older programs
            field = self._window(handle).get_full_property(self._atom(name), X.AnyPropertyType)
            if field and field.format == 8:
                return bytes(field.value).decode("utf-8", "replace")
        return ""

    def _window(self, handle: int) -> Any:
        return self._display.create_resource_object("window", handle)

    def _listen(self, handle: int, mask: int) -> None:
        self._window(handle).change_attributes(event_mask=mask)

    def _values(self, window: Any, name: str, kind: int = X.AnyPropertyType) -> list[int]:
        field = window.get_full_property(self._atom(name), kind)
        return [int(value) for value in field.value] if field and field.format == 32 else []

    def _atom(self, name: str) -> int:
        return int(self._display.get_atom(name))  # once for each name


class LinuxPrograms(OtherPrograms):
    """``own``: this program's windows, of which only the chat counts; ``events``: called on first use."""

    def __init__(self, platform: QtDesktop, own: LinuxWindows, events: Callable[[], XEvents]) -> None:
        self._post = platform.post
        self._own = own
        self._events = events
        self._there: list[Window] | None = None  # as they were asked for in this turn of the loop

    @cached_property
    def x_windows(self) -> XWindows:
        return XWindows(lambda: self._own.small)

    def pointer(self) -> tuple[int, int] | None:
        if on_wayland(os.environ):  # XWayland reports the pointer only over its own windows
            return None
        return super().pointer()

    def button_down(self) -> bool:
        return not on_wayland(os.environ) and self.x_windows.button_down()

    def on_drag(self, react: Callable[[], None]) -> None:
        if not on_wayland(os.environ):  # there the pointer is not known
            self._events().follow({"XdndSelection": lambda there: self._post(react) if there else None})

    def windows(self) -> list[Window]:
        if self._there is None:
            # On Wayland only windows under XWayland are known, and what covers them is not: the chat alone counts.
            chat = self._own.chat
            there = self.x_windows.these(chat) if on_wayland(os.environ) else self.x_windows.all()
            self._there = [replace(each, frame=in_units(each.frame), own=each.handle in chat) for each in there]
            QTimer.singleShot(0, self._forget)
        return self._there

    def _forget(self) -> None:
        self._there = None

    def follow(self, handle: int | None, moved: Callable[[Rect | None], None]) -> None:
        def report(frame: Rect | None) -> None:
            self._forget()
            moved(None if frame is None else in_units(frame))

        if handle is not None or "x_windows" in self.__dict__:
            self.x_windows.follow(handle, report)


def _line_of(process: int) -> Iterator[int]:
    """Yield a process and its ancestors, as far as the system tells."""
    for _ in range(_DEEPEST):
        if process <= 1:
            return
        yield process
        try:
            about = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return
        parent = about.rpartition(")")[2].split()[1:2]
        process = int(parent[0]) if parent else 0
