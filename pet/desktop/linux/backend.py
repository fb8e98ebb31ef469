"""Linux platform: Qt on X11, also under XWayland. The reference platform, fully tested.

All of it runs on the GUI thread, so it avoids pywebview's calls that wait for the page.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QProcess, QProcessEnvironment, QUrl
from PySide6.QtGui import QDesktopServices

from pet.desktop.core_client import call_on_gui
from pet.desktop.environment import for_other_programs, on_wayland, show_in_file_manager
from pet.desktop.geometry import Rect
from pet.desktop.linux.monitors import LinuxScreens
from pet.desktop.linux.x11_windows import LinuxPrograms, LinuxWindows
from pet.desktop.platform import Hotkey, MenuItem
from pet.desktop.qt_desktop import QtDesktop
from pet.services.desktop_port import Area, Selection

if TYPE_CHECKING:
    from pet.desktop.linux.portal import Portal
    from pet.desktop.linux.screenshot import Screenshot
    from pet.desktop.linux.selection import SelectionReader
    from pet.desktop.linux.session import MotionWatch, ResumeWatcher
    from pet.desktop.linux.x11_events import XEvents
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


class LinuxX11(QtDesktop):
    def __init__(self) -> None:
        super().__init__()
        self._listens = False
        self.own: LinuxWindows = LinuxWindows(self)
        self.screens = LinuxScreens(self.post, lambda: self.own.server, lambda: self._x_events)
        self.others: LinuxPrograms = LinuxPrograms(self, self.own, lambda: self._x_events)
        self._holder: FocusHolder | None = None
        self._trays: set[str] = set()  # kinds of tray that are there: "xembed", "status_notifier"
        self._abilities_changed: Callable[[], None] = lambda: None
        self._screenshot: Screenshot | None = None
        self._portal: Portal | None = None  # on Wayland
        self._wake: ResumeWatcher | None = None
        self._motion: MotionWatch | None = None

    @cached_property
    def _x_events(self) -> XEvents:
        from pet.desktop.linux.x11_events import XEvents

        return XEvents()

    def abilities(self) -> tuple[str, ...]:
        wayland = on_wayland(os.environ)
        has = {
            "transparency": self.own.outlines.blends,
            "opacity": self.own.outlines.blends,
            "click_through": self.own.passes_clicks,
            "tray": self._has_tray,
            "skip_taskbar": True,
            "placement": True,
            "fullscreen": True,
            "all_fullscreen": not wayland,
            **dict.fromkeys(("shortcuts", "screenshot", "selection"), not wayland),
            **dict.fromkeys(self._portal.abilities if self._portal is not None else (), True),
        }
        return tuple(name for name, there in has.items() if there)

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
        if there != self.own.outlines.blends:
            self.own.outlines.compositor_changed(there)
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
        return self.own.outlines.blends

    def find_window(self, process: int, title: str) -> int:
        return call_on_gui(self.post, lambda: self.others.x_windows.of_process(process, title), 0)

    def raise_window(self, handle: int) -> None:
        self.post(lambda: self.own.server.activate(handle))

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

        menu, at = self._new_menu(items, dark, beside)
        # Before the menu, which Qt closes when an ordinary window is shown.
        self._holder = FocusHolder(menu, tool=not self.own.one_tool)
        if self.own.one_tool:
            self.own.server.skip_taskbar(int(self._holder.winId()))
        self._holder.hold(at)
        menu.popup(at)

    # --- the outside ----------------------------------------------------------------------------

    def open_url(self, url: str) -> None:
        self.post(lambda: open_outside(url))

    def open_folder(self, folder: Path) -> bool:
        return show_in_file_manager(folder)
