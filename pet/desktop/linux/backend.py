"""Linux platform: Qt on X11, also under XWayland. The reference platform, fully tested.

All of it runs on the GUI thread, so it avoids pywebview's calls that wait for the page.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QProcess, QProcessEnvironment, Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices

from pet.desktop.core_client import call_on_gui
from pet.desktop.environment import for_other_programs, has_compositor, on_wayland, show_in_file_manager
from pet.desktop.geometry import Monitor, Rect
from pet.desktop.ground import Window
from pet.desktop.linux.monitors import Monitors, in_units
from pet.desktop.linux.x11_shapes import Outlines
from pet.desktop.linux.x11_windows import WindowGeometry
from pet.desktop.platform import Hotkey, Kind, MenuItem
from pet.desktop.qt_desktop import QtDesktop, is_frameless
from pet.services.desktop_port import Area, Selection

if TYPE_CHECKING:
    from pet.desktop.linux.portal import Portal
    from pet.desktop.linux.screenshot import Screenshot
    from pet.desktop.linux.selection import SelectionReader
    from pet.desktop.linux.session import MotionWatch, ResumeWatcher
    from pet.desktop.linux.x11_events import XEvents
    from pet.desktop.linux.x11_server import XServer
    from pet.desktop.linux.x11_windows import XWindows
    from pet.desktop.qt_menu import FocusHolder


def open_outside(url: str) -> None:
    """Open a URL with the owner's own program, without our environment variables."""
    process, environ = QProcess(), QProcessEnvironment()
    for name, value in for_other_programs().items():
        environ.insert(name, value)
    process.setProgram("xdg-open")
    process.setArguments([url])
    process.setProcessEnvironment(environ)
    started: object = process.startDetached()  # bool, contrary to the stubs
    if not started:
        QDesktopServices.openUrl(QUrl(url))


_FRAMED_MS = 500  # by then a window manager has finished placing a new window


class LinuxX11(QtDesktop):
    def __init__(self) -> None:
        super().__init__()
        self._listens = False
        self._screens = Monitors(self.post, lambda: self._x, lambda: self._x_events)
        self._geometry = WindowGeometry(lambda: self._x)
        self._outlines = Outlines(lambda: self._x.shapes, blends=has_compositor())
        self._holder: FocusHolder | None = None
        self._trays: set[str] = set()  # kinds of tray that are there: "xembed", "status_notifier"
        self._abilities_changed: Callable[[], None] = lambda: None
        self._screenshot: Screenshot | None = None
        self._portal: Portal | None = None  # on Wayland
        self._wake: ResumeWatcher | None = None
        self._motion: MotionWatch | None = None
        self._small: set[int] = set()  # native handles of pet and bubble
        self._chat: tuple[int, ...] = ()  # that of the chat, once there is one
        self._there: list[Window] | None = None  # other windows as they were asked for in this turn of the loop

    @cached_property
    def _x(self) -> XServer:
        from pet.desktop.linux.x11_server import XServer

        return XServer()

    @cached_property
    def _unmanaged(self) -> bool:
        """Whether pet and bubble must bypass the window manager: sway's or labwc's would place, tile and bury them.

        See decision 0040.
        """
        return self._x.ignores("_NET_WM_STATE_ABOVE")

    @cached_property
    def _one_tool(self) -> bool:
        """Whether only the pet may be a tool window.

        KWin hides a program's further ones while another program is in front, and when a tool window with the focus
        closes, it gives the focus to the pet, which takes none.
        """
        return self._x.window_manager() == "KWin"

    @cached_property
    def _x_events(self) -> XEvents:
        from pet.desktop.linux.x11_events import XEvents

        return XEvents()

    @cached_property
    def _x_windows(self) -> XWindows:
        from pet.desktop.linux.x11_windows import XWindows

        return XWindows(lambda: self._small)

    def abilities(self) -> tuple[str, ...]:
        wayland = on_wayland(os.environ)
        has = {
            "transparency": self._outlines.blends,
            "opacity": self._outlines.blends,
            "click_through": self._passes_clicks,
            "tray": self._has_tray,
            "skip_taskbar": True,
            "placement": True,
            "fullscreen": True,
            "all_fullscreen": not wayland,
            **dict.fromkeys(("shortcuts", "screenshot", "selection"), not wayland),
            **dict.fromkeys(self._portal.abilities if self._portal is not None else (), True),
        }
        return tuple(name for name, there in has.items() if there)

    @cached_property
    def _passes_clicks(self) -> bool:
        return self._x.shapes.takes_input(xwayland=on_wayland(os.environ))

    def on_abilities_changed(self, react: Callable[[], None]) -> None:
        super().on_abilities_changed(react)
        self._abilities_changed = react
        if on_wayland(os.environ):
            from pet.desktop.linux.portal import Portal

            self._portal = Portal(lambda: self.post(react))
        from pet.desktop.linux.session import StatusNotifierWatch

        self._status_notifier = StatusNotifierWatch(lambda there: self._tray_seen("status_notifier", there))
        self._x_events.follow(
            {
                "_NET_WM_CM_S0": lambda there: self.post(lambda: self._compositor_changed(there)),
                "_NET_SYSTEM_TRAY_S0": lambda there: self.post(lambda: self._tray_seen("xembed", there)),
            }
        )

    def _compositor_changed(self, there: bool) -> None:
        if there != self._outlines.blends:
            self._outlines.compositor_changed(there)
            self._abilities_changed()

    def _tray_seen(self, kind: str, there: bool) -> None:
        before = self._has_tray
        (self._trays.add if there else self._trays.discard)(kind)
        if self._has_tray != before:
            self._abilities_changed()

    @property
    def _has_tray(self) -> bool:
        return bool(self._trays)

    @property
    def blends(self) -> bool:
        return self._outlines.blends

    # --- monitors -------------------------------------------------------------------------------

    def monitors(self) -> list[Monitor]:
        return self._screens.all()

    def on_monitors_changed(self, react: Callable[[], None]) -> None:
        self._screens.on_changed(react)
        super().on_monitors_changed(self._screens.changed)

    def on_fullscreen(self, react: Callable[[frozenset[str]], None] | None) -> None:
        self._screens.on_fullscreen(react)

    # --- windows --------------------------------------------------------------------------------

    def prepare_window(self, native: Any, *, kind: Kind) -> None:
        super().prepare_window(native, kind=kind)
        if kind != "chat":
            if kind == "bubble" and self._one_tool:
                native.setWindowFlag(Qt.WindowType.Tool, False)
            if self._unmanaged:
                native.setWindowFlag(Qt.WindowType.X11BypassWindowManagerHint, True)
            self._small.add(int(native.winId()))
            return
        if self._unmanaged:
            native.setWindowFlag(Qt.WindowType.Dialog, True)  # sway would tile it
        self._chat = (int(native.winId()),)
        self._x.request_frame(int(native.winId()))

    def pet_shown(self, native: Any) -> None:
        handle = int(native.winId())
        wanted = ("SKIP_TASKBAR", "SKIP_PAGER", "ABOVE", "STICKY")
        self._x.add_states(handle, *(f"_NET_WM_STATE_{name}" for name in wanted))
        self._x.show_on_every_desktop(handle)  # same as STICKY; window managers support one or the other

    def rect(self, native: Any) -> Rect:
        return self._geometry.rect(native)

    def frame(self, native: Any) -> tuple[int, int, int, int]:
        return self._geometry.frame(native)

    def place(self, native: Any, rect: Rect) -> None:
        self._geometry.place(native, rect)

    def show(self, native: Any, *, focus: bool) -> None:
        super().show(native, focus=focus)
        if is_frameless(native):
            self.after(_FRAMED_MS, lambda: self._geometry.put_right(native))

    # --- the pet's outline ----------------------------------------------------------------------

    def pointer(self) -> tuple[int, int] | None:
        if on_wayland(os.environ):  # XWayland reports the pointer only over its own windows
            return None
        return super().pointer()

    def button_down(self) -> bool:
        return not on_wayland(os.environ) and self._x_windows.button_down()

    def on_drag(self, react: Callable[[], None]) -> None:
        if not on_wayland(os.environ):  # there the pointer is not known
            self._x_events.follow({"XdndSelection": lambda there: self.post(react) if there else None})

    def windows(self) -> list[Window]:
        if self._there is None:
            # On Wayland only windows under XWayland are known, and what covers them is not: the chat alone counts.
            there = self._x_windows.these(self._chat) if on_wayland(os.environ) else self._x_windows.all()
            self._there = [replace(each, frame=in_units(each.frame), own=each.handle in self._chat) for each in there]
            QTimer.singleShot(0, self._forget_windows)
        return self._there

    def _forget_windows(self) -> None:
        self._there = None

    def find_window(self, process: int, title: str) -> int:
        return call_on_gui(self.post, lambda: self._x_windows.of_process(process, title), 0)

    def raise_window(self, handle: int) -> None:
        self.post(lambda: self._x.activate(handle))

    def follow(self, handle: int | None, moved: Callable[[Rect | None], None]) -> None:
        def report(frame: Rect | None) -> None:
            self._forget_windows()
            moved(None if frame is None else in_units(frame))

        if handle is not None or "_x_windows" in self.__dict__:
            self._x_windows.follow(handle, report)

    def set_outline(self, native: Any, rects: Sequence[Rect] | None) -> None:
        if self._passes_clicks:
            self._x.shapes.set_input(int(native.winId()), rects)

    def set_silhouette(self, native: Any, rects: Callable[[], Sequence[Rect]]) -> None:
        self._outlines.set(int(native.winId()), rects)

    # --- the rest of the desktop ----------------------------------------------------------------

    def calm(self) -> bool:
        return self._motion is not None and self._motion.reduced  # Qt's own hint is never set here

    def on_calm_changed(self, react: Callable[[], None]) -> None:
        from pet.desktop.linux.session import MotionWatch

        self._motion = MotionWatch(react)

    def on_session_end(self, react: Callable[[], None]) -> None:  # noqa: ARG002
        return  # a signal is sent instead

    def on_wake(self, react: Callable[[], None] | None) -> None:
        if react is None and self._wake is None:
            return  # no subscription, no connection
        if self._wake is None:
            from pet.desktop.linux.session import ResumeWatcher

            self._wake = ResumeWatcher()
        self._wake.react = react

    def register_hotkeys(self, hotkeys: Sequence[Hotkey], refused: Callable[[frozenset[str]], None]) -> None:
        def on_refused(taken: frozenset[str]) -> None:
            self.post(lambda: refused(taken))

        if self._portal is not None:
            self._portal.bind(hotkeys, on_refused)
        elif hotkeys or self._listens:
            self._listens = True
            self._x_events.grab({hotkey.keys: hotkey.act for hotkey in hotkeys}, on_refused)

    @cached_property
    def _selections(self) -> SelectionReader:
        from pet.desktop.linux.selection import SelectionReader

        return SelectionReader()

    def read_selection(self) -> Selection:
        # Wayland shows programs no other's selection, and wlroots and KWin the clipboard only to the one in front.
        return self._selections.read(copied=on_wayland(os.environ))

    def screenshot(self, area: Area, hint: str, taken: Callable[[bytes | None], None]) -> None:
        if self._portal is not None:  # the desktop shows its own dialog
            self._portal.screenshot(choose=area == "region", taken=lambda picture: self.post(lambda: taken(picture)))
            return
        from pet.desktop.linux.screenshot import Screenshot

        self._screenshot = Screenshot(area, hint, taken)

    # --- menu and tray --------------------------------------------------------------------------

    def popup(self, items: Sequence[MenuItem], *, dark: bool, beside: Rect) -> None:
        if not on_wayland(os.environ):
            super().popup(items, dark=dark, beside=beside)
            return
        from pet.desktop.qt_menu import FocusHolder

        menu = self._new_menu(items, dark=dark)
        at = self._menu_place(menu, beside)
        # Before the menu, which Qt closes when an ordinary window is shown.
        self._holder = FocusHolder(menu, tool=not self._one_tool)
        if self._one_tool:
            self._x.skip_taskbar(int(self._holder.winId()))
        self._holder.hold(at)
        menu.popup(at)

    # --- the outside ----------------------------------------------------------------------------

    def open_url(self, url: str) -> None:
        self.post(lambda: open_outside(url))

    def open_folder(self, folder: Path) -> bool:
        return show_in_file_manager(folder)
