"""The desktop as Qt gives it, the same on every system: loop, windows, monitors, menus, tray, drops.

What a system adds is in a subclass of one module each. GUI thread only, except ``post`` and ``after``. Windows are
native ones (a QWidget); rectangles are in Qt's units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Qt, QTimer, QUrl
from PySide6.QtGui import QCursor, QDesktopServices, QGuiApplication, QIcon, QPixmap
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon
from shiboken6 import isValid

from pet.desktop.core_client import call_on_gui
from pet.desktop.geometry import Monitor, Rect, menu_place, monitor_of
from pet.desktop.ground import Window
from pet.desktop.platform import MOST_SELECTED, Hotkey, Kind, MenuItem, MoveSettle
from pet.desktop.process import return_freed_memory, settle_memory
from pet.desktop.qt_loop import GuiDispatcher, make_application
from pet.paths import assets_folder
from pet.services.desktop_port import Area, Selection, System

if TYPE_CHECKING:
    from pet.desktop.dropped_things import DroppedPaths
    from pet.desktop.qt_menu import Menu
    from pet.desktop.web_engine import HeldKeys

# ruff: noqa: ARG002  (signatures given by the interface)

_WARM_MS = 400
SETTLED_MS = 1500  # all start-up allocations are done by then


class QtDesktop(System):
    """A desktop of which only Qt is known: without outlines, other programs' windows, hotkeys or screenshots.

    Its windows, screens and other programs are parts, which a system replaces by its own.
    """

    def __init__(self) -> None:
        self._app = make_application(assets_folder() / "icon" / "soulpet-256.png")
        self._poster = GuiDispatcher()
        self._menu: Menu | None = None
        self.icons = WindowIcons()
        self.screens = QtScreens()
        self.own = OwnWindows(self)
        self.others = OtherPrograms()

    def abilities(self) -> tuple[str, ...]:
        tray = ("tray",) if QSystemTrayIcon.isSystemTrayAvailable() else ()
        return "transparency", "opacity", "skip_taskbar", "placement", *tray

    def on_abilities_changed(self, react: Callable[[], None]) -> None:
        """Call ``react`` on the GUI thread when a capability comes or goes, such as with a compositor or a tray."""
        self.after(SETTLED_MS, settle_memory)

    # --- the loop -------------------------------------------------------------------------------

    def lock_web_view(self, pages: Sequence[str], dropped: DroppedPaths) -> None:
        """Import the web view and restrict it to these pages (URLs) and to ``invoke``, before its first window.
        ``dropped``: takes the paths of files dropped on it.

        From any thread, once; takes half a second. Raises ImportError if it is not installed.
        """
        from pet.desktop.web_engine import OwnPages, harden, import_qt_backend, take_models

        backend = import_qt_backend()  # before anything imports pywebview in full
        harden(backend, OwnPages(pages))
        take_models(backend.BrowserView.WebView, dropped)

    def run(self) -> None:
        """Run the event loop until ``shutdown``; main thread only."""
        self._app.exec()

    def post(self, work: Callable[[], object]) -> None:
        """Run ``work`` on the GUI thread soon, in order; callable from any thread."""
        self._poster.post(work)

    def after(self, milliseconds: int, work: Callable[[], object]) -> None:
        """Run ``work`` on the GUI thread after a delay; callable from any thread."""
        # A plain function: Qt holds a bound method's object weakly, and the call would be lost with it.
        self.post(lambda: QTimer.singleShot(milliseconds, lambda: work()))  # noqa: PLW0108

    def on_session_end(self, react: Callable[[], None]) -> None:
        """Call ``react`` when the owner signs out, on systems that notify windows instead of sending a signal."""
        self._app.commitDataRequest.connect(lambda _manager: react())

    def on_wake(self, react: Callable[[], None] | None) -> None:
        """Call ``react`` when the session resumes from sleep or is unlocked, if reported. None: stop."""

    def shutdown(self, windows: Sequence[Any]) -> None:
        """Close the windows and end ``run``."""
        for native in windows:
            native.close()
        self._app.exit(0)

    def register_hotkeys(self, hotkeys: Sequence[Hotkey], refused: Callable[[frozenset[str]], None]) -> None:
        """Register exactly these global hotkeys.

        ``refused`` is called on the GUI thread after each attempt, with the keys that another program has or the
        owner declined.
        """

    def read_selection(self) -> Selection:
        text = call_on_gui(self.post, lambda: QGuiApplication.clipboard().text(), "")
        return Selection(text=text[:MOST_SELECTED], cut=len(text) > MOST_SELECTED, copied=True)

    def screenshot(self, area: Area, hint: str, taken: Callable[[bytes | None], None]) -> None:
        """Capture the monitor at the pointer, or an area the owner selects. ``taken``: a PNG, None if cancelled."""
        taken(None)

    # --- menu and tray --------------------------------------------------------------------------

    def dark(self, theme: str) -> bool:
        """Whether windows are dark with this setting, which may be that of the desktop."""
        return theme == "dark" or (
            theme == "system" and QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        )

    def calm(self) -> bool:
        """Whether the desktop asks for reduced motion."""
        return not QApplication.isEffectEnabled(Qt.UIEffect.UI_General)

    def on_calm_changed(self, react: Callable[[], None]) -> None:
        """Call ``react`` on the GUI thread whenever ``calm`` may have changed."""
        return  # Qt does not tell

    @property
    def blends(self) -> bool:
        """Whether transparent pixels show what is below."""
        return True

    def popup(self, items: Sequence[MenuItem], *, dark: bool, beside: Rect) -> None:
        """Show a menu beside this window, near the pointer; returns immediately."""
        menu, at = self._new_menu(items, dark, beside)
        menu.popup(at)

    def _new_menu(self, items: Sequence[MenuItem], dark: bool, beside: Rect) -> tuple[Menu, QPoint]:
        """Return the menu, and its place beside this window."""
        from pet.desktop.qt_menu import Menu

        self.own.cool(self.own.warming)
        if self._menu is not None:
            self._menu.deleteLater()
        self._menu = Menu(see_through=self.blends)
        self._menu.fill(items, dark=dark)
        size, work = self._menu.sizeHint(), monitor_of(beside, self.screens.monitors()).work
        place = menu_place((size.width(), size.height()), beside, work, QCursor.pos().y())
        return self._menu, QPoint(*place)

    # --- the outside ----------------------------------------------------------------------------

    def open_url(self, url: str) -> None:
        self.post(lambda: QDesktopServices.openUrl(QUrl(url)))

    def open_folder(self, folder: Path) -> bool:
        return call_on_gui(self.post, lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))), False)


class QtScreens:
    """The monitors, with their work areas."""

    def monitors(self) -> list[Monitor]:
        first = QGuiApplication.primaryScreen()
        return [
            Monitor(
                screen_name(screen),
                self._work(screen),
                primary=screen == first,
                area=rect_of(screen.geometry()),
                model=" ".join(filter(None, (screen.manufacturer().strip(), screen.model().strip()))),
            )
            for screen in QGuiApplication.screens()
        ]

    def _work(self, screen: Any) -> Rect:
        """Return a screen's area without panels."""
        return rect_of(screen.availableGeometry())

    def on_changed(self, react: Callable[[], None]) -> None:
        """Call ``react`` when monitors or work areas change, possibly several times for one change."""
        app: Any = QGuiApplication.instance()

        def changed(*_what: object) -> None:
            react()

        def watch(screen: Any) -> None:
            for signal in (screen.availableGeometryChanged, screen.geometryChanged, screen.logicalDotsPerInchChanged):
                signal.connect(changed)

        def added(screen: Any) -> None:
            watch(screen)
            changed()

        app.screenAdded.connect(added)
        app.screenRemoved.connect(changed)
        app.primaryScreenChanged.connect(changed)
        for screen in QGuiApplication.screens():
            watch(screen)

    def on_fullscreen(self, react: Callable[[frozenset[str]], None] | None) -> None:
        """Call ``react`` on each change with the names of monitors that other programs fill. None: stop."""


class OwnWindows:
    """The windows of this program."""

    def __init__(self, platform: QtDesktop) -> None:
        self._platform = platform
        self.warming: Any = None  # the window of ``prerender``

    @cached_property
    def keys(self) -> HeldKeys:
        """Keys typed into windows whose pages can't take them yet."""
        from pet.desktop.web_engine import HeldKeys

        return HeldKeys()

    def prepare_window(self, native: Any, *, kind: Kind) -> None:
        """Set up the native window, once it exists and before it is first shown."""
        self._platform.icons.add(native)
        if kind != "chat":
            native.setWindowFlag(Qt.WindowType.Tool, True)  # no entry in the taskbar
        if has_web_view(native):
            from pet.desktop.web_engine import reload_after_crash

            native.webview.page().setBackgroundColor(native.background_color)  # white until the page's first paint
            reload_after_crash(native)

    def prerender(self, native: Any) -> None:
        """Render a hidden window once, off screen: the first rendering is slow and would delay showing it."""
        menu = QApplication.activePopupWidget()
        if isinstance(menu, QMenu):  # the pet's or the tray's: showing a window would close it
            again = partial(self._platform.after, 0, partial(self.prerender, native))
            menu.aboutToHide.connect(again, Qt.ConnectionType.SingleShotConnection)
            return
        if native.isVisible():
            return
        native.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen, True)
        native.show()
        self.warming = native
        QTimer.singleShot(_WARM_MS, lambda: self.cool(native))

    def release_page(self, native: Any) -> bool:
        """Drop a hidden window's page from memory; showing the window loads it again. Return whether it did."""
        self.cool(native)
        if native.isVisible():
            return False
        page = native.webview.page()
        page.setLifecycleState(page.LifecycleState.Discarded)
        self._platform.after(SETTLED_MS, return_freed_memory)
        return bool(page.lifecycleState() == page.LifecycleState.Discarded)

    def cool(self, native: Any) -> None:
        """End ``prerender`` of this window, also if the owner shows it meanwhile."""
        if native is None or native is not self.warming:
            return
        self.warming = None
        if native.testAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen):
            native.hide()
            native.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen, False)

    def pet_shown(self, native: Any) -> None:
        """Reapply state that the window manager drops while a window is hidden. Call it each time after showing."""

    def rect(self, native: Any) -> Rect:
        """Return the window's rectangle without its frame."""
        return rect_of(native.geometry())

    def frame(self, native: Any) -> tuple[int, int, int, int]:
        """Return the frame's extents: left, top, right, bottom."""
        outer, inner = native.frameGeometry(), native.geometry()
        left, top = inner.x() - outer.x(), inner.y() - outer.y()
        return left, top, outer.right() - inner.right(), outer.bottom() - inner.bottom()

    def place(self, native: Any, rect: Rect) -> None:
        """Move the window so that its frame's corner is the rectangle's; resize it if the size differs."""
        if is_frameless(native):
            native.setFixedSize(rect.width, rect.height)
        else:
            native.resize(rect.width, rect.height)
        native.move(rect.x, rect.y)

    def on_moved(self, native: Any, react: Callable[[], None]) -> None:
        """Call ``react`` on the GUI thread each time moves or resizing of the window have ended, also by others."""
        resting = MoveSettle(self._platform.after, self._platform.others.button_down, react)
        handle = native.windowHandle()  # receives moves only; an event filter would see every event
        for changed in (handle.xChanged, handle.yChanged, handle.widthChanged, handle.heightChanged):
            changed.connect(lambda _value: resting.moved())

    def show(self, native: Any, *, focus: bool) -> None:
        self.cool(native)
        if native.isMinimized():
            native.showNormal()
        native.show()
        native.raise_()
        if focus:
            native.activateWindow()
            if has_web_view(native):
                native.webview.setFocus()

    def hide(self, native: Any) -> None:
        native.hide()

    def take_focus(self, native: Any, *, may: bool) -> None:
        """Set whether a window created without focus may take it for now, because it was clicked."""
        native.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating, not may)
        # the window's flags take effect immediately; setting the widget's would hide it first
        handle = native.windowHandle()
        if handle is not None:
            handle.setFlag(Qt.WindowType.WindowDoesNotAcceptFocus, not may)

    def set_outline(self, native: Any, rects: Sequence[Rect] | None) -> None:
        """Restrict clicks to these device pixels; None: no restriction. Painting is unaffected."""

    def set_silhouette(self, native: Any, rects: Callable[[], Sequence[Rect]]) -> None:
        """Announce how to find the painted device pixels: without a compositor the window is cut to them."""


class OtherPrograms:
    """The windows of other programs, and the pointer."""

    def pointer(self) -> tuple[int, int] | None:
        """Return the pointer position in the desktop's units; None if the platform can't report it reliably."""
        at = QCursor.pos()
        return at.x(), at.y()

    def button_down(self) -> bool:
        """Whether the pointer's first button is down anywhere; False if the platform can't report it."""
        return False

    def on_drag(self, react: Callable[[], None]) -> None:
        """Call ``react`` on the GUI thread when something begins to be dragged in any program, where known."""

    def windows(self) -> list[Window]:
        """Return the visible windows bottom to top, without docks, pet and bubble: all, or only the chat if the
        platform can't tell others; none if it can't tell any."""
        return []

    def follow(self, handle: int | None, moved: Callable[[Rect | None], None]) -> None:
        """Report the frame of this window each time it moves, and None once it is gone or hidden. None: stop."""


def is_frameless(native: Any) -> bool:
    return bool(native.windowFlags() & Qt.WindowType.FramelessWindowHint)


def has_web_view(native: Any) -> bool:
    return hasattr(native, "webview")


def screen_name(screen: Any) -> str:
    """Return a name with serial number and connector, since monitors of one model share their name."""
    return "/".join((screen.name(), screen.model(), screen.serialNumber()))


def rect_of(area: Any) -> Rect:
    return Rect(area.x(), area.y(), area.width(), area.height())


_ICON_SIZES = (16, 24, 32, 48, 64)


class WindowIcons:
    """One icon for all windows: the program's until another is set. GUI thread only."""

    def __init__(self) -> None:
        self._icon: QIcon | None = None
        self._windows: list[Any] = []

    def add(self, native: Any) -> None:
        """Let a new window have the icon."""
        if self._icon is not None:
            native.setWindowIcon(self._icon)
        self._windows = [*filter(isValid, self._windows), native]

    def set(self, picture: bytes | None) -> None:
        """Set it on all windows. ``picture``: a PNG; None or an unreadable one: the program's icon."""
        pet, self._icon = QPixmap(), QGuiApplication.windowIcon()
        if picture is not None and pet.loadFromData(picture):
            keep, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
            self._icon = QIcon()
            for size in _ICON_SIZES:
                self._icon.addPixmap(pet.scaled(size, size, keep, smooth))
        for native in filter(isValid, self._windows):
            native.setWindowIcon(self._icon)
