"""Linux platform: Qt on X11, also under XWayland. The reference platform, fully tested.

All of it runs on the GUI thread, so it avoids pywebview's calls that wait for the page.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QProcess, QProcessEnvironment, Qt, QTimer, QUrl
from PySide6.QtGui import QCursor, QDesktopServices, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication

from pet.desktop.environment import for_other_programs, has_compositor, on_wayland, show_in_file_manager
from pet.desktop.geometry import Monitor, Rect
from pet.desktop.ground import Window
from pet.desktop.linux.monitors import Monitors, in_units
from pet.desktop.linux.native_window import Outlines, WindowGeometry, WindowIcons, is_frameless
from pet.desktop.linux.web_engine import (
    GuiDispatcher,
    HeldKeys,
    harden,
    import_qt_backend,
    reload_after_crash,
    take_models,
)
from pet.desktop.page_bridge import OwnPages
from pet.desktop.platform import Gui, Hotkey, Kind, MenuItem, MoveSettle, TraySpec
from pet.desktop.process import settle_memory
from pet.services.desktop_port import Area, Selection, Speaker

if TYPE_CHECKING:
    from pet.desktop.linux.menu import FocusHolder, Menu
    from pet.desktop.linux.portal import Portal
    from pet.desktop.linux.screenshot import Screenshot
    from pet.desktop.linux.session import ResumeWatcher, Tray
    from pet.desktop.linux.x11_events import XEvents
    from pet.desktop.linux.x11_server import XServer
    from pet.desktop.linux.x11_windows import XWindows


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


_WARM_MS = 400
_SETTLED_MS = 1500  # all start-up allocations are done by then
_FRAMED_MS = 500  # by then a window manager has finished placing a new window


def _can_speak() -> bool:
    return find_spec("PySide6.QtTextToSpeech") is not None


class LinuxX11:
    gui: Gui = "qt"

    def __init__(self) -> None:
        self._backend = import_qt_backend()  # before anything imports pywebview in full
        self._poster = GuiDispatcher()
        self._listens = False
        self._screens = Monitors(self.post, lambda: self._x, lambda: self._x_events)
        self._geometry = WindowGeometry(lambda: self._x)
        self._outlines = Outlines(lambda: self._x, blends=has_compositor())
        self._menu: Menu | None = None
        self._holder: FocusHolder | None = None
        self._warming: Any = None
        self._tray: Tray | None = None
        self._trays: set[str] = set()  # kinds of tray that are there: "xembed", "status_notifier"
        self._abilities_changed: Callable[[], None] = lambda: None
        self._screenshot: Screenshot | None = None
        self._portal: Portal | None = None  # on Wayland
        self._wake: ResumeWatcher | None = None
        self._keys = HeldKeys()
        self._small: set[int] = set()  # native handles of pet and bubble
        self._chat: tuple[int, ...] = ()  # that of the chat, once there is one
        self._icons = WindowIcons()
        self._dropped: Path | None = None  # of the last drop, until taken

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
            "speech": _can_speak(),
            "placement": True,
            "fullscreen": True,
            "all_fullscreen": not wayland,
            **dict.fromkeys(("shortcuts", "screenshot", "selection"), not wayland),
            **dict.fromkeys(self._portal.abilities if self._portal is not None else (), True),
        }
        return tuple(name for name, there in has.items() if there)

    @cached_property
    def _passes_clicks(self) -> bool:
        return self._x.has_input_shapes(xwayland=on_wayland(os.environ))

    def on_abilities_changed(self, react: Callable[[], None]) -> None:
        self._abilities_changed = react
        self.after(_SETTLED_MS, settle_memory)
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

    def lock(self, pages: Sequence[str], ordered: Sequence[str]) -> None:
        QGuiApplication.setApplicationName("soulpet")  # must be set before the first window exists
        QGuiApplication.setDesktopFileName("soulpet")
        harden(self._backend, OwnPages(pages), ordered)

    # --- the GUI thread -------------------------------------------------------------------------

    def post(self, work: Callable[[], object]) -> None:
        self._poster.post(work)

    def after(self, milliseconds: int, work: Callable[[], object]) -> None:
        # A plain function: Qt holds a bound method's object weakly, and the call would be lost with it.
        self.post(lambda: QTimer.singleShot(milliseconds, lambda: work()))  # noqa: PLW0108

    # --- monitors -------------------------------------------------------------------------------

    def monitors(self) -> list[Monitor]:
        return self._screens.all()

    def on_monitors_changed(self, react: Callable[[], None]) -> None:
        self._screens.on_changed(react)

    def on_fullscreen(self, react: Callable[[frozenset[str]], None] | None) -> None:
        self._screens.on_fullscreen(react)

    # --- windows --------------------------------------------------------------------------------

    def prepare_window(self, window: Any, *, kind: Kind) -> None:
        native = window.native
        self._icons.add(native)
        if kind != "chat":
            self._small.add(int(native.winId()))
            if kind == "pet" or not self._one_tool:
                native.setWindowFlag(Qt.WindowType.Tool, True)  # no entry in taskbar and pager from the first moment
            if self._unmanaged:
                native.setWindowFlag(Qt.WindowType.X11BypassWindowManagerHint, True)
        else:
            if self._unmanaged:
                native.setWindowFlag(Qt.WindowType.Dialog, True)  # sway would tile it
            self._chat = (int(native.winId()),)
            native.webview.page().setBackgroundColor(native.background_color)  # white until the page's first paint
            self._x.request_frame(int(native.winId()))
        if kind == "pet":
            self._outlines.begin(int(native.winId()))
        reload_after_crash(native)

    def prerender(self, window: Any) -> None:
        native, menu = window.native, self._menu
        if menu is not None and menu.isVisible():  # opening the pet's menu would close the other one
            menu.aboutToHide.connect(lambda: self.after(0, lambda: self.prerender(window)))
            return
        if native.isVisible():
            return
        native.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen, True)
        native.show()
        self._warming = native
        QTimer.singleShot(_WARM_MS, lambda: self._cool(native))

    def release_page(self, window: Any) -> bool:
        native = window.native
        if self._warming is native:
            self._cool(native)
        if native.isVisible():
            return False
        page = native.webview.page()
        page.setLifecycleState(page.LifecycleState.Discarded)
        return bool(page.lifecycleState() == page.LifecycleState.Discarded)

    def hold_keys(self, window: Any) -> None:
        self._keys.hold(window.native)

    def release_keys(self, window: Any, *, deliver: bool) -> None:
        self._keys.release(window.native, deliver=deliver)

    def _cool(self, native: Any) -> None:
        """End ``prerender``, also if the owner shows the window meanwhile."""
        self._warming = None
        if native.testAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen):
            native.hide()
            native.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen, False)

    def pet_shown(self, window: Any) -> None:
        handle = int(window.native.winId())
        wanted = ("SKIP_TASKBAR", "SKIP_PAGER", "ABOVE", "STICKY")
        self._x.add_states(handle, *(f"_NET_WM_STATE_{name}" for name in wanted))
        self._x.show_on_every_desktop(handle)  # same as STICKY; window managers support one or the other

    def is_free(self, window: Any) -> bool:
        native = window.native
        return not (native.isMaximized() or native.isFullScreen() or native.isMinimized())

    def is_minimised(self, window: Any) -> bool:
        return bool(window.native.isMinimized())

    def rect(self, window: Any) -> Rect:
        return self._geometry.rect(window.native)

    def frame(self, window: Any) -> tuple[int, int, int, int]:
        return self._geometry.frame(window.native)

    def place(self, window: Any, rect: Rect) -> None:
        self._geometry.place(window.native, rect)

    def on_moved(self, window: Any, react: Callable[[], None]) -> None:
        resting = MoveSettle(self.after, self._x.button_down, react)
        handle = window.native.windowHandle()  # receives moves only; an event filter would see every event
        for changed in (handle.xChanged, handle.yChanged, handle.widthChanged, handle.heightChanged):
            changed.connect(lambda _value: resting.moved())

    def set_opacity(self, window: Any, share: float) -> None:
        window.native.setWindowOpacity(share)  # kept for a compositor that starts later

    def show(self, window: Any, *, focus: bool) -> None:
        native = window.native
        self._cool(native)
        if native.isMinimized():
            native.showNormal()
        native.show()
        if is_frameless(native):
            self.after(_FRAMED_MS, lambda: self._geometry.put_right(native))
        native.raise_()
        if focus:
            native.activateWindow()
            native.webview.setFocus()

    def hide(self, window: Any) -> None:
        window.native.hide()

    def take_focus(self, window: Any, *, may: bool) -> None:
        native = window.native
        native.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating, not may)
        # the window's flags take effect immediately; setting the widget's would hide it first
        handle = native.windowHandle()
        if handle is not None:
            handle.setFlag(Qt.WindowType.WindowDoesNotAcceptFocus, not may)

    # --- the pet's outline ----------------------------------------------------------------------

    def capture_alpha(self, window: Any) -> tuple[list[bytes], float] | None:
        pixmap = window.native.webview.grab()
        if pixmap.isNull() or not pixmap.hasAlphaChannel():
            return None
        image = pixmap.toImage().convertToFormat(QImage.Format.Format_Alpha8)
        width, stride = image.width(), image.bytesPerLine()
        data = bytes(image.constBits())
        rows = [data[y * stride : y * stride + width] for y in range(image.height())]
        self._outlines.painted(int(window.native.winId()), rows)
        return rows, float(pixmap.devicePixelRatio())

    def scale(self, window: Any) -> float:
        return float(window.native.devicePixelRatioF())

    def pointer(self) -> tuple[int, int] | None:
        if on_wayland(os.environ):  # XWayland reports the pointer only over its own windows
            return None
        at = QCursor.pos()
        return at.x(), at.y()

    def button_down(self) -> bool:
        return not on_wayland(os.environ) and self._x_windows.button_down()

    def on_drag(self, react: Callable[[], None]) -> None:
        if not on_wayland(os.environ):  # there the pointer is not known
            self._x_events.follow({"XdndSelection": lambda there: self.post(react) if there else None})

    def windows(self) -> list[Window]:
        # On Wayland only windows under XWayland are known, and what covers them is not: the chat alone counts there.
        there = self._x_windows.these(self._chat) if on_wayland(os.environ) else self._x_windows.all()
        return [Window(each.handle, in_units(each.frame), own=each.handle in self._chat) for each in there]

    def find_window(self, process: int, title: str) -> int:
        return self._x_windows.of_process(process, title)

    def raise_window(self, handle: int) -> None:
        self._x.activate(handle)

    def follow(self, handle: int | None, moved: Callable[[Rect | None], None]) -> None:
        if handle is not None or "_x_windows" in self.__dict__:
            self._x_windows.follow(handle, lambda frame: moved(None if frame is None else in_units(frame)))

    def set_outline(self, window: Any, rects: Sequence[Rect] | None) -> None:
        handle = int(window.native.winId())
        if self._passes_clicks:
            self._x.set_input_shape(handle, rects)
        self._outlines.set(handle, rects)

    # --- the rest of the desktop ----------------------------------------------------------------

    def on_model_dropped(self, react: Callable[[Path], None]) -> None:
        take_models(self._backend.BrowserView.WebView, react, self._keep_dropped)

    def _keep_dropped(self, path: Path | None) -> None:
        self._dropped = path

    def take_dropped(self) -> Path | None:
        dropped, self._dropped = self._dropped, None
        return dropped

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

    def read_selection(self) -> Selection:
        from pet.desktop.linux.selection import read_selected

        # Wayland shows programs no other's selection, and wlroots and KWin the clipboard only to the one in front.
        return read_selected(copied=on_wayland(os.environ))

    @cached_property
    def _speaker(self) -> Speaker:
        from pet.desktop.linux.speech import ChildSpeaker

        return ChildSpeaker()

    def speaker(self) -> Speaker | None:
        return self._speaker if _can_speak() else None

    def screenshot(self, area: Area, hint: str, taken: Callable[[bytes | None], None]) -> None:
        if self._portal is not None:  # the desktop shows its own dialog
            self._portal.screenshot(choose=area == "region", taken=lambda picture: self.post(lambda: taken(picture)))
            return
        from pet.desktop.linux.screenshot import Screenshot

        self._screenshot = Screenshot(area, hint, taken)

    # --- menu and tray --------------------------------------------------------------------------

    def dark(self) -> bool:
        return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark

    def popup(self, items: Sequence[MenuItem], *, dark: bool) -> None:
        from pet.desktop.linux.menu import FocusHolder, Menu

        if self._warming is not None:
            self._cool(self._warming)
        if self._menu is not None:
            self._menu.deleteLater()
        self._menu = Menu(see_through=self._outlines.blends)
        self._menu.fill(items, dark=dark)
        at = QCursor.pos()
        if on_wayland(os.environ):  # before the menu, which Qt closes when an ordinary window is shown
            self._holder = FocusHolder(self._menu, tool=not self._one_tool)
            if self._one_tool:
                self._x.skip_taskbar(int(self._holder.winId()))
            self._holder.hold(at)
        self._menu.popup(at)

    def add_tray(self, tray: TraySpec) -> bool:
        # Qt decides on first use which kind of tray there is, so wait until there is one.
        if not self._has_tray:
            if self._tray is not None:
                self._tray.hide()
                self._tray = None
            return False
        from pet.desktop.linux.session import Tray

        if self._tray is None:
            self._tray = Tray(tray, see_through=self._outlines.blends)
        return True

    def rename(self, window: Any, title: str) -> None:
        window.native.setWindowTitle(title)

    def set_icon(self, picture: bytes | None) -> None:
        self._icons.set(picture)

    def update_tray(self, tooltip: str, *, unread: bool, picture: bytes | None) -> None:
        if self._tray is not None:
            self._tray.update(tooltip, unread=unread, picture=picture)

    # --- the outside ----------------------------------------------------------------------------

    def open_url(self, url: str) -> None:
        open_outside(url)

    def open_folder(self, folder: Path) -> bool:
        return show_in_file_manager(folder)

    def show_error(self, message: str) -> None:
        from PySide6.QtWidgets import QMessageBox  # late: hardly any start needs it

        QMessageBox.warning(None, "Soulpet", message)

    def shutdown(self, windows: Sequence[Any]) -> None:
        if self._tray is not None:
            self._tray.hide()
        for window in windows:
            if window.native is not None:
                window.native.close()
        QApplication.exit(0)
