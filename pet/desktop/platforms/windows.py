"""Windows platform: WebView2 in WinForms windows. Unproven: written against pywebview 6.2.1's sources.

The .NET classes come from pythonnet, which pywebview depends on; they are untyped here. Clicks on transparent pixels
are not passed through: the window is only as large as the pet.
"""

# ruff: noqa: ARG002  (signatures given by the interface and by the toolkit)

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pet.bridge.desktop_port import Area
from pet.desktop.geometry import Monitor, Rect
from pet.desktop.menu_model import MenuItem
from pet.desktop.platforms.base import Gui, Kind, PageSpec, TraySpec
from pet.desktop.platforms.move_settle import MoveSettle
from pet.desktop.platforms.page_guard import OwnPages

_TOOL_WINDOW = 0x00000080
_NO_ACTIVATE = 0x08000000
_EXTENDED_STYLE = -20
_DENY = 2  # CoreWebView2PermissionState.Deny


class WindowsDesktop:
    gui: Gui = "edgechromium"

    see_through = True

    def __init__(self) -> None:
        clr: Any = importlib.import_module("clr")
        clr.AddReference("System.Windows.Forms")
        clr.AddReference("System.Drawing")
        self._forms: Any = importlib.import_module("System.Windows.Forms")
        self._drawing: Any = importlib.import_module("System.Drawing")
        self._system: Any = importlib.import_module("System")
        self._pages = OwnPages(())
        self._form: Any = None  # the pet's; its thread is the GUI thread
        self._early: list[Callable[[], object]] = []
        self._tray: Any = None
        self._wakes = False
        self._react: Callable[[], None] | None = None

    def abilities(self) -> tuple[str, ...]:
        return ("transparency", "tray", "skip_taskbar", "placement")

    def lock(self, pages: Sequence[PageSpec]) -> None:
        self._pages = OwnPages(page.url for page in pages)

    def post(self, work: Callable[[], object]) -> None:
        if self._form is None:
            self._early.append(work)
            return
        self._form.BeginInvoke(self._system.Action(lambda: _run(work)))

    def after(self, milliseconds: int, work: Callable[[], object]) -> None:
        timer = threading.Timer(milliseconds / 1000, lambda: self.post(work))
        timer.daemon = True
        timer.start()

    def monitors(self) -> list[Monitor]:
        scale = self._scale()
        return [
            Monitor(
                str(screen.DeviceName),
                _rect(screen.WorkingArea, scale),
                primary=bool(screen.Primary),
                area=_rect(screen.Bounds, scale),
            )
            for screen in self._forms.Screen.AllScreens
        ]

    def on_monitors_changed(self, react: Callable[[], None]) -> None:
        events: Any = importlib.import_module("Microsoft.Win32").SystemEvents
        events.DisplaySettingsChanged += lambda _sender, _args: self.post(react)

    def prepare_window(self, window: Any, *, kind: Kind) -> None:
        native = window.native
        if kind == "pet":
            self._form = native
        if kind != "chat":
            native.ShowInTaskbar = False
            _add_style(int(native.Handle.ToInt64()), _TOOL_WINDOW)  # also hides it from Alt+Tab
        if kind == "pet":
            for work in self._early:
                self.post(work)
            self._early.clear()
        self._guard(window)

    def prerender(self, window: Any) -> None:
        return

    def pet_shown(self, window: Any) -> None:
        window.native.TopMost = True

    def is_free(self, window: Any) -> bool:
        return bool(window.native.WindowState == self._forms.FormWindowState.Normal)

    def rect(self, window: Any) -> Rect:
        return _rect(window.native.Bounds, self._scale())

    def frame(self, window: Any) -> tuple[int, int, int, int]:
        return 0, 0, 0, 0  # Bounds includes the frame

    def place(self, window: Any, rect: Rect) -> None:
        scale = self._scale()
        x, y, width, height = (round(value * scale) for value in (rect.x, rect.y, rect.width, rect.height))
        window.native.SetBounds(x, y, width, height)

    def on_moved(self, window: Any, react: Callable[[], None]) -> None:
        resting = MoveSettle(self.after, lambda: False, react)
        window.events.moved += lambda *_where: self.post(resting.moved)

    def set_opacity(self, window: Any, share: float) -> None:
        return  # opacity is unsupported for a transparent web view

    def show(self, window: Any, *, focus: bool) -> None:
        native = window.native
        if native.WindowState == self._forms.FormWindowState.Minimized:
            native.WindowState = self._forms.FormWindowState.Normal
        native.Show()
        native.BringToFront()
        if focus:
            native.Activate()

    def hide(self, window: Any) -> None:
        window.native.Hide()

    def take_focus(self, window: Any, *, may: bool) -> None:
        window.focus = may  # otherwise pywebview sets the style again on activation
        (_take_style if may else _add_style)(int(window.native.Handle.ToInt64()), _NO_ACTIVATE)

    def capture_alpha(self, window: Any) -> tuple[list[bytes], float] | None:
        return None

    def scale(self, window: Any) -> float:
        return 1.0  # only used for outlines, which are unsupported here

    def pointer(self) -> tuple[int, int] | None:
        return None

    def set_outline(self, window: Any, rects: Sequence[Rect] | None) -> None:
        return

    def on_wake(self, react: Callable[[], None] | None) -> None:
        wakes, self._react = self._wakes, react
        if react is None or wakes:
            return
        self._wakes = True
        win32: Any = importlib.import_module("Microsoft.Win32")
        win32.SystemEvents.PowerModeChanged += lambda _sender, args: self._woke(str(args.Mode) == "Resume")
        win32.SystemEvents.SessionSwitch += lambda _sender, args: self._woke(str(args.Reason) == "SessionUnlock")

    def _woke(self, really: bool) -> None:
        if really and self._react is not None:
            self.post(self._react)

    def on_fullscreen(self, react: Callable[[frozenset[str]], None] | None) -> None:
        return

    def register_hotkeys(
        self, shortcuts: Mapping[str, Callable[[], None]], refused: Callable[[frozenset[str]], None]
    ) -> None:
        return

    def screenshot(self, area: Area, hint: str, taken: Callable[[bytes | None], None]) -> None:
        taken(None)  # unsupported here

    def dark(self) -> bool:
        return False  # its menus keep the system's look

    def popup(self, items: Sequence[MenuItem], *, dark: bool) -> None:
        self._strip(items).Show(self._forms.Cursor.Position)

    def add_tray(self, tray: TraySpec) -> bool:
        icon = self._forms.NotifyIcon()
        icon.Icon = self._drawing.Icon(str(tray.icon.with_name("soulpet.ico")))
        icon.Text = tray.tooltip
        left, right = self._forms.MouseButtons.Left, self._forms.MouseButtons.Right

        def clicked(_sender: Any, args: Any) -> None:
            if args.Button == left:
                tray.on_click()
            elif args.Button == right:
                self.popup(tray.items(), dark=tray.dark())

        icon.MouseClick += clicked
        icon.Visible = True
        self._tray = icon
        return True

    def rename(self, window: Any, title: str) -> None:
        window.native.Text = title

    def update_tray(self, tooltip: str, *, unread: bool, picture: bytes | None) -> None:
        if self._tray is not None:  # unread state is shown in the tooltip
            self._tray.Text = tooltip

    def open_url(self, url: str) -> None:
        _start(url)

    def open_folder(self, folder: Path) -> None:
        _start(str(folder))

    def shutdown(self, windows: Sequence[Any]) -> None:
        if self._tray is not None:
            self._tray.Visible = False
        for window in windows:
            if window.native is not None:
                window.native.Close()
        self._forms.Application.Exit()

    # --- inside ---------------------------------------------------------------------------------

    def _scale(self) -> float:
        return float(self._form.DeviceDpi) / 96 if self._form is not None else 1.0

    def _strip(self, items: Sequence[MenuItem]) -> Any:
        strip = self._forms.ContextMenuStrip()
        self._fill(strip.Items, items)
        return strip

    def _fill(self, entries: Any, items: Sequence[MenuItem]) -> None:
        for item in items:
            if item.starts_group and entries.Count:
                entries.Add(self._forms.ToolStripSeparator())
            entry = self._forms.ToolStripMenuItem(item.text)
            entry.Checked = bool(item.checked)
            if item.act is not None:
                entry.Click += lambda _sender, _args, act=item.act: act()
            if item.children is not None:
                entry.DropDownItems.Add("…")  # otherwise there would be no arrow
                entry.DropDownOpening += lambda _sender, _args, entry=entry, item=item: self._open(entry, item)
            entries.Add(entry)

    def _open(self, entry: Any, item: MenuItem) -> None:
        entry.DropDownItems.Clear()
        self._fill(entry.DropDownItems, item.children() if item.children else ())

    def _guard(self, window: Any) -> None:
        """Install handlers for navigation, new windows, permissions and requests once the web view is ready."""
        view = window.native.browser.webview

        def ready(_sender: Any, _args: Any) -> None:
            core, own_url = view.CoreWebView2, str(window.original_url)
            core.Settings.AreDevToolsEnabled = False
            core.Settings.IsPasswordAutosaveEnabled = False
            core.Settings.IsGeneralAutofillEnabled = False

            def navigating(_sender: Any, args: Any) -> None:
                if not self._pages.may_navigate(str(args.Uri), own_url):
                    args.Cancel = True

            def framed(_sender: Any, args: Any) -> None:
                args.Cancel = True

            def opening(_sender: Any, args: Any) -> None:
                args.Handled = True

            def asking(_sender: Any, args: Any) -> None:
                args.State = _DENY

            core.NavigationStarting += navigating
            core.FrameNavigationStarting += framed
            core.NewWindowRequested += opening
            core.PermissionRequested += asking

        view.CoreWebView2InitializationCompleted += ready


def _rect(area: Any, scale: float) -> Rect:
    return Rect(*(round(value / scale) for value in (area.X, area.Y, area.Width, area.Height)))


def _run(work: Callable[[], object]) -> None:
    work()


def _start(target: str) -> None:
    # Exists only on Windows, hence the late lookup.
    start: Callable[[str], None] = getattr(os, "startfile")  # noqa: B009
    start(target)


def _add_style(handle: int, style: int) -> None:
    ctypes: Any = importlib.import_module("ctypes")
    user32 = ctypes.windll.user32
    user32.SetWindowLongPtrW(handle, _EXTENDED_STYLE, user32.GetWindowLongPtrW(handle, _EXTENDED_STYLE) | style)


def _take_style(handle: int, style: int) -> None:
    ctypes: Any = importlib.import_module("ctypes")
    user32 = ctypes.windll.user32
    user32.SetWindowLongPtrW(handle, _EXTENDED_STYLE, user32.GetWindowLongPtrW(handle, _EXTENDED_STYLE) & ~style)
