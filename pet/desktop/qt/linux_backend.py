"""Linux platform: Qt on X11, also under XWayland. The reference platform, fully tested.

All of it runs on the GUI thread, so it avoids pywebview's calls that wait for the page.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QProcess, QProcessEnvironment, Qt, QTimer, QUrl
from PySide6.QtGui import QCursor, QDesktopServices, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from pet.desktop.click_region import click_outline
from pet.desktop.geometry import Monitor, Rect
from pet.desktop.menu_model import MenuItem
from pet.desktop.platforms.base import Gui, Kind, PageSpec, TraySpec
from pet.desktop.platforms.move_settle import MoveSettle
from pet.desktop.process.environment import for_other_programs, on_wayland
from pet.desktop.qt.hardening import GuiDispatcher, PageAllowlist, harden, import_qt_backend
from pet.desktop.qt.model_drop import take_models
from pet.desktop.qt.monitors import Monitors
from pet.desktop.x11.probe import has_compositor
from pet.services.desktop_port import Area

if TYPE_CHECKING:
    from pet.desktop.platforms.resume import ResumeWatcher
    from pet.desktop.qt.menu import FocusHolder, Menu
    from pet.desktop.qt.screenshot import Screenshot
    from pet.desktop.qt.tray import Tray
    from pet.desktop.x11.events import XEvents
    from pet.desktop.x11.server import XServer

_log = logging.getLogger(__name__)

_RELOADS = 3
"""Maximum reloads of a page whose renderer keeps crashing."""
_WARM_MS = 400
_FRAMED_MS = 500  # by then a window manager has finished placing a new window
_ASSUMED_FRAME = (1, 28, 1, 1)
_THICKEST_FRAME = 96


class LinuxX11:
    gui: Gui = "qt"

    def __init__(self) -> None:
        self._backend = import_qt_backend()  # before anything imports pywebview in full
        self._poster = GuiDispatcher()
        self._listens = False
        self._blends = has_compositor()
        self._screens = Monitors(self.post, lambda: self._x_events)
        self._last_frame: tuple[int, int, int, int] | None = None
        self._sent_to: dict[int, tuple[int, int]] = {}  # by native handle: the position last requested
        self._menu: Menu | None = None
        self._holder: FocusHolder | None = None
        self._warming: Any = None
        self._tray: Tray | None = None
        self._trays: set[str] = set()  # kinds of tray that are there: "xembed", "status_notifier"
        self._abilities_changed: Callable[[], None] = lambda: None
        self._outlines: dict[int, Sequence[Rect] | None] = {}  # by native handle
        self._bodies: dict[int, Sequence[Rect]] = {}  # by native handle: what is painted
        self._screenshot: Screenshot | None = None
        self._wake: ResumeWatcher | None = None

    @cached_property
    def _x(self) -> XServer:
        from pet.desktop.x11.server import XServer

        return XServer()

    @cached_property
    def _unmanaged(self) -> bool:
        """Whether pet and bubble must bypass the window manager: that of sway or labwc would place, tile and bury
        them. See decision 0040.
        """
        return self._x.ignores("_NET_WM_STATE_ABOVE")

    @cached_property
    def _x_events(self) -> XEvents:
        from pet.desktop.x11.events import XEvents

        return XEvents()

    def abilities(self) -> tuple[str, ...]:
        has = {
            "transparency": self._blends,
            "opacity": self._blends,
            "click_through": self._x.has_input_shapes(xwayland=on_wayland(os.environ)),
            "tray": self._has_tray,
            "skip_taskbar": True,
            "placement": True,
            "fullscreen": True,
            "all_fullscreen": not on_wayland(os.environ),
            "shortcuts": not on_wayland(os.environ),
            "screenshot": not on_wayland(os.environ),
        }
        return tuple(name for name, there in has.items() if there)

    @property
    def see_through(self) -> bool:
        return True  # without a compositor the window is cut to the outline

    def on_abilities_changed(self, react: Callable[[], None]) -> None:
        self._abilities_changed = react
        from pet.desktop.qt.tray import StatusNotifierWatch

        self._status_notifier = StatusNotifierWatch(lambda there: self._tray_seen("status_notifier", there))
        self._x_events.follow(
            {
                "_NET_WM_CM_S0": lambda there: self.post(lambda: self._compositor_changed(there)),
                "_NET_SYSTEM_TRAY_S0": lambda there: self.post(lambda: self._tray_seen("xembed", there)),
            }
        )

    def _compositor_changed(self, there: bool) -> None:
        if there != self._blends:
            self._blends = there
            for handle, outline in self._outlines.items():
                self._cut(handle, outline)
            self._abilities_changed()

    def _tray_seen(self, kind: str, there: bool) -> None:
        before = self._has_tray
        (self._trays.add if there else self._trays.discard)(kind)
        if self._has_tray != before:
            self._abilities_changed()

    @property
    def _has_tray(self) -> bool:
        return bool(self._trays)

    def lock(self, pages: Sequence[PageSpec]) -> None:
        QGuiApplication.setApplicationName("soulpet")  # must be set before the first window exists
        QGuiApplication.setDesktopFileName("soulpet")
        harden(self._backend, PageAllowlist(page.url for page in pages), [page.url for page in pages if page.ordered])

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
        if kind != "chat":
            native.setWindowFlag(Qt.WindowType.Tool, True)  # no entry in taskbar and pager
            if self._unmanaged:
                native.setWindowFlag(Qt.WindowType.X11BypassWindowManagerHint, True)
        else:
            if self._unmanaged:
                native.setWindowFlag(Qt.WindowType.Dialog, True)  # sway would tile it
            self._x.ask_frame(int(native.winId()))
        if kind == "pet" and not self._blends:
            self._x.set_bounding_shape(int(native.winId()), [Rect(0, 0, 1, 1)])  # until its outline is known
        self._heal(native)

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
        QTimer.singleShot(_WARM_MS, settle_memory)  # all start-up allocations are done by then

    def _cool(self, native: Any) -> None:
        """End ``warm``, also if the owner shows the window meanwhile."""
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

    def rect(self, window: Any) -> Rect:
        native = window.native
        area = native.geometry()
        at = (area.x(), area.y())
        if native.isVisible() and native.windowFlags() & Qt.WindowType.FramelessWindowHint:
            at = self._put_right(native) or at
        return Rect(*at, area.width(), area.height())

    def _put_right(self, native: Any) -> tuple[int, int] | None:
        """Return a frameless window's true position, correcting Qt's if it is wrong: otherwise Qt would map a drop
        from another program beside the window, and the pet would not receive it.
        """
        if not isValid(native) or not native.isVisible():
            return None
        believed: tuple[int, int] = native.x(), native.y()
        if believed == self._sent_to.get(int(native.winId())):
            return believed  # a requested move may still be in progress
        found = self._asked_position(native)
        if found is not None and found != believed:
            native.move(*found)
        return found

    def _asked_position(self, native: Any) -> tuple[int, int] | None:
        """Position as the X server reports it: Qt may keep (0, 0) if the window manager reparented the window
        meanwhile.
        """
        found = self._x.position(int(native.winId()))
        if found is None:
            return None
        screen = native.windowHandle().screen()  # pywebview overrides native.screen
        origin, ratio = screen.geometry().topLeft(), screen.devicePixelRatio()
        return (
            round((found[0] - origin.x()) / ratio) + origin.x(),
            round((found[1] - origin.y()) / ratio) + origin.y(),
        )

    def frame(self, window: Any) -> tuple[int, int, int, int]:
        native = window.native
        if native.windowFlags() & Qt.WindowType.FramelessWindowHint:
            return 0, 0, 0, 0
        # A hidden window may report no frame; use its last known one.
        self._last_frame = self._known_frame(native) or self._told_frame(native) or self._last_frame
        return self._last_frame or _ASSUMED_FRAME

    def _told_frame(self, native: Any) -> tuple[int, int, int, int] | None:
        """Return the frame extents the window manager announced when the window was created."""
        found, ratio = self._x.frame(int(native.winId())), native.devicePixelRatioF()
        if found is None or max(found) > _THICKEST_FRAME * ratio:
            return None
        left, right, top, bottom = (round(edge / ratio) for edge in found)
        return left, top, right, bottom

    def _known_frame(self, native: Any) -> tuple[int, int, int, int] | None:
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

    def place(self, window: Any, rect: Rect) -> None:
        native = window.native
        if (native.width(), native.height()) != (rect.width, rect.height):
            if native.windowFlags() & Qt.WindowType.FramelessWindowHint:
                # not resizable by the owner, and Qt's limits must not interfere
                native.setFixedSize(rect.width, rect.height)
            else:
                native.resize(rect.width, rect.height)
        # Before its first frame Qt positions the client area (static gravity): the title bar would be above the
        # position, and off screen if the pet sits at its top.
        # the place, and above the screen where the pet sits at its top.
        framed = native.windowFlags() & Qt.WindowType.FramelessWindowHint or self._known_frame(native)
        left, top = (0, 0) if framed else self.frame(window)[:2]
        self._sent_to[int(native.winId())] = rect.x + left, rect.y + top
        native.move(rect.x + left, rect.y + top)

    def on_moved(self, window: Any, react: Callable[[], None]) -> None:
        resting = MoveSettle(self.after, self._x.button_down, react)
        handle = window.native.windowHandle()  # receives moves only; an event filter would see every event
        handle.xChanged.connect(lambda _x: resting.moved())
        handle.yChanged.connect(lambda _y: resting.moved())

    def set_opacity(self, window: Any, share: float) -> None:
        window.native.setWindowOpacity(share)  # kept for a compositor that starts later

    def show(self, window: Any, *, focus: bool) -> None:
        native = window.native
        self._cool(native)
        if native.isMinimized():
            native.showNormal()
        native.show()
        if native.windowFlags() & Qt.WindowType.FramelessWindowHint:
            self.after(_FRAMED_MS, lambda: self._put_right(native))
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
        self._bodies[int(window.native.winId())] = click_outline(rows, grow=1)
        return rows, float(pixmap.devicePixelRatio())

    def scale(self, window: Any) -> float:
        return float(window.native.devicePixelRatioF())

    def pointer(self) -> tuple[int, int] | None:
        if on_wayland(os.environ):  # XWayland reports the pointer only over its own windows
            return None
        at = QCursor.pos()
        return at.x(), at.y()

    def set_outline(self, window: Any, rects: Sequence[Rect] | None) -> None:
        handle = int(window.native.winId())
        if "click_through" in self.abilities():
            self._x.set_input_shape(handle, rects)
        self._outlines[handle] = rects
        self._cut(handle, rects)

    def _cut(self, handle: int, outline: Sequence[Rect] | None) -> None:
        """Without a compositor, transparent pixels would be black."""
        self._x.set_bounding_shape(handle, None if self._blends else self._bodies.get(handle, outline))

    # --- the rest of the desktop ----------------------------------------------------------------

    def on_model_dropped(self, react: Callable[[Path], None]) -> None:
        take_models(self._backend.BrowserView.WebView, react)

    def on_session_end(self, react: Callable[[], None]) -> None:  # noqa: ARG002
        return  # a signal says so

    def on_wake(self, react: Callable[[], None] | None) -> None:
        if react is None and self._wake is None:
            return  # no subscription, no connection
        if self._wake is None:
            from pet.desktop.platforms.resume import ResumeWatcher

            self._wake = ResumeWatcher()
        self._wake.react = react

    def register_hotkeys(
        self, shortcuts: Mapping[str, Callable[[], None]], refused: Callable[[frozenset[str]], None]
    ) -> None:
        if not shortcuts and not self._listens:
            return
        self._listens = True
        self._x_events.grab(shortcuts, lambda taken: self.post(lambda: refused(taken)))

    def screenshot(self, area: Area, hint: str, taken: Callable[[bytes | None], None]) -> None:
        from pet.desktop.qt.screenshot import Screenshot

        self._screenshot = Screenshot(area, hint, taken)

    # --- menu and tray --------------------------------------------------------------------------

    def dark(self) -> bool:
        return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark

    def popup(self, items: Sequence[MenuItem], *, dark: bool) -> None:
        from pet.desktop.qt.menu import FocusHolder, Menu

        if self._warming is not None:
            self._cool(self._warming)
        if self._menu is not None:
            self._menu.deleteLater()
        self._menu = Menu(see_through=self._blends)
        self._menu.fill(items, dark=dark)
        at = QCursor.pos()
        self._menu.popup(at)
        if on_wayland(os.environ):
            self._holder = FocusHolder(self._menu)
            self._holder.hold(at)

    def add_tray(self, tray: TraySpec) -> bool:
        # Qt decides on its first question which kind of tray there is: it is not asked before there is one.
        if not self._has_tray:
            if self._tray is not None:
                self._tray.hide()
                self._tray = None
            return False
        from pet.desktop.qt.tray import Tray

        if self._tray is None:
            self._tray = Tray(tray, see_through=self._blends)
        return True

    def rename(self, window: Any, title: str) -> None:
        window.native.setWindowTitle(title)

    def update_tray(self, tooltip: str, *, unread: bool, picture: bytes | None) -> None:
        if self._tray is not None:
            self._tray.update(tooltip, unread=unread, picture=picture)

    # --- the outside ----------------------------------------------------------------------------

    def open_url(self, url: str) -> None:
        open_outside(url)

    def open_folder(self, folder: Path) -> None:
        open_outside(folder.as_uri())

    def tell(self, sentence: str) -> None:
        from PySide6.QtWidgets import QMessageBox  # late: hardly any start needs it

        QMessageBox.warning(None, "Soulpet", sentence)

    def shutdown(self, windows: Sequence[Any]) -> None:
        if self._tray is not None:
            self._tray.hide()
        for window in windows:
            if window.native is not None:
                window.native.close()
        QApplication.exit(0)

    def _heal(self, native: Any) -> None:
        """Reload a page whose renderer process crashed."""
        left = [_RELOADS]

        def died(*_status: object) -> None:
            _log.warning("the process of a page ended; %d attempts left to bring it back", left[0])
            if left[0] > 0:
                left[0] -= 1
                QTimer.singleShot(0, native.webview.reload)

        native.webview.page().renderProcessTerminated.connect(died)


def open_outside(url: str) -> None:
    """Open an address with the owner's own program, which gets none of our environment variables."""
    process, environ = QProcess(), QProcessEnvironment()
    for name, value in for_other_programs().items():
        environ.insert(name, value)
    process.setProgram("xdg-open")
    process.setArguments([url])
    process.setProcessEnvironment(environ)
    started: object = process.startDetached()  # bool, contrary to the stubs
    if not started:
        QDesktopServices.openUrl(QUrl(url))


def settle_memory() -> None:
    """Freeze start-up objects and return freed memory to the system.

    Otherwise the cyclic garbage collector would scan a hundred thousand objects whenever many new ones are made (0.1
    s while a long conversation opens), and the C library would keep several megabytes.
    """
    gc.freeze()
    with contextlib.suppress(AttributeError):  # glibc only
        ctypes.CDLL(None).malloc_trim(0)
