"""Windows platform: WebView2 in WinForms windows. Unproven: written against pywebview 6.2.1's sources.

The .NET classes come from pythonnet, which pywebview depends on; they are untyped here. Parts without a web view are
tested under Mono in ``tests/packaged/mono_checks.py``.

Known limits: the program is aware of the system's scale only, so that Windows stretches it on a monitor with another
one; clicks on transparent pixels are not passed through.
"""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pet.desktop.geometry import Monitor, Rect
from pet.desktop.page_bridge import OwnPages, bridge_call
from pet.desktop.platform import Gui, Kind, MenuItem, TraySpec, UnprovenDesktop

# ruff: noqa: ARG002  (signatures given by the interface and by the toolkit)


_APP_WINDOW = 0x00040000
_TOOL_WINDOW = 0x00000080
_NO_ACTIVATE = 0x08000000
_EXTENDED_STYLE = -20
_SHOW_WITHOUT_FOCUS = 4  # SW_SHOWNOACTIVATE
_TOP = 0  # HWND_TOP
_STAY = 0x0001 | 0x0002 | 0x0010  # SWP_NOSIZE, SWP_NOMOVE, SWP_NOACTIVATE

_log = logging.getLogger(__name__)


class WindowsDesktop(UnprovenDesktop):
    gui: Gui = "edgechromium"

    def __init__(self) -> None:
        super().__init__()
        clr = _import_clr()
        clr.AddReference("System.Windows.Forms")
        clr.AddReference("System.Drawing")
        self._forms: Any = importlib.import_module("System.Windows.Forms")
        self._drawing: Any = importlib.import_module("System.Drawing")
        self._system: Any = importlib.import_module("System")
        self._pages = OwnPages(())
        self._form: Any = None  # the pet's; its thread is the GUI thread
        self._early: list[Callable[[], object]] = []
        self._tray: Any = None

    def abilities(self) -> tuple[str, ...]:
        return ("transparency", "tray", "skip_taskbar", "placement")

    def lock(self, pages: Sequence[str], ordered: Sequence[str]) -> None:
        self._pages = OwnPages(pages)
        backend: Any = importlib.import_module("webview.platforms.edgechromium")
        backend.js_bridge_call = bridge_call(ordered)

    def post(self, work: Callable[[], object]) -> None:
        if self._form is None:
            self._early.append(work)
            return
        if self._form.IsDisposed or not self._form.IsHandleCreated:
            return  # the program has left its loop
        self._form.BeginInvoke(self._system.Action(lambda: _run(work)))

    def _copied(self) -> str:
        try:
            return str(self._forms.Clipboard.GetText() or "")
        except Exception:  # noqa: BLE001  .NET's own, while another program holds it
            return ""

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
            native.MinimumSize = self._drawing.Size(1, 1)  # pywebview's is the size it begins with
            # Hides it from the taskbar and from Alt+Tab. ShowInTaskbar would make a new handle without the styles.
            _change_style(_handle(native), add=_TOOL_WINDOW, remove=_APP_WINDOW)
        # pywebview shows and activates a transparent window at every navigation: the bubble would pop up.
        window.transparent = False
        native.FormClosing += self._closing
        if kind == "pet":
            for work in self._early:
                self.post(work)
            self._early.clear()
        self._guard(window, shows=kind == "pet")

    def pet_shown(self, window: Any) -> None:
        window.native.TopMost = True

    def is_free(self, window: Any) -> bool:
        return bool(window.native.WindowState == self._forms.FormWindowState.Normal)

    def is_minimised(self, window: Any) -> bool:
        return bool(window.native.WindowState == self._forms.FormWindowState.Minimized)

    def rect(self, window: Any) -> Rect:
        return _rect(window.native.Bounds, self._scale())

    def frame(self, window: Any) -> tuple[int, int, int, int]:
        return 0, 0, 0, 0  # Bounds includes the frame

    def place(self, window: Any, rect: Rect) -> None:
        scale = self._scale()
        x, y, width, height = (round(value * scale) for value in (rect.x, rect.y, rect.width, rect.height))
        window.native.SetBounds(x, y, width, height)

    def set_opacity(self, window: Any, share: float) -> None:
        return  # opacity is unsupported for a transparent web view

    def show(self, window: Any, *, focus: bool) -> None:
        native = window.native
        if native.WindowState == self._forms.FormWindowState.Minimized:
            native.WindowState = self._forms.FormWindowState.Normal
        if focus:
            native.Show()
            native.Activate()
        else:
            user32 = _user32()  # WinForms' own Show gives the window the focus
            user32.ShowWindow(_handle(native), _SHOW_WITHOUT_FOCUS)
            user32.SetWindowPos(_handle(native), _TOP, 0, 0, 0, 0, _STAY)

    def hide(self, window: Any) -> None:
        window.native.Hide()

    def take_focus(self, window: Any, *, may: bool) -> None:
        window.focus = may  # otherwise pywebview sets the style again on activation
        add, remove = (0, _NO_ACTIVATE) if may else (_NO_ACTIVATE, 0)
        _change_style(_handle(window.native), add=add, remove=remove)

    def popup(self, items: Sequence[MenuItem], *, dark: bool) -> None:
        if self._form is not None:
            _user32().SetForegroundWindow(_handle(self._form))  # otherwise a click elsewhere does not close the menu
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

    def open_folder(self, folder: Path) -> bool:
        self.post(lambda: _start(str(folder)))
        return True

    def show_error(self, message: str) -> None:
        self._forms.MessageBox.Show(message, "Soulpet")

    def shutdown(self, windows: Sequence[Any]) -> None:
        if self._tray is not None:
            self._tray.Visible = False
        for window in windows:
            if window.native is not None:
                window.native.Close()
        self._forms.Application.Exit()

    # --- inside ---------------------------------------------------------------------------------

    def _watch_wake(self) -> None:
        events: Any = importlib.import_module("Microsoft.Win32").SystemEvents
        events.PowerModeChanged += lambda _sender, args: self._woke_if(str(args.Mode) == "Resume")
        events.SessionSwitch += lambda _sender, args: self._woke_if(str(args.Reason) == "SessionUnlock")

    def _woke_if(self, really: bool) -> None:
        if really:
            self._woke()

    def _closing(self, _sender: Any, args: Any) -> None:
        """Let Windows sign out: the pet's own handler would refuse to close until it has saved."""
        if args.CloseReason == self._forms.CloseReason.WindowsShutDown:
            args.Cancel = False
            self._session_ends()

    def _scale(self) -> float:
        """Return pixels per unit, as pywebview counts them."""
        return float(_user32().GetDpiForWindow(_handle(self._form))) / 96 if self._form is not None else 1.0

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

    def _guard(self, window: Any, *, shows: bool) -> None:
        """Guard navigation, new windows, permissions and frames as soon as the web view is ready.

        ``shows``: the first navigation shows the window, without the focus.
        """
        view = window.native.browser.webview

        def ready(_sender: Any, _args: Any) -> None:
            core = view.CoreWebView2
            if core is not None:  # None: it could not be started, which pywebview has logged
                guard_page(core, self._pages, str(window.original_url))

        def first_navigation(_sender: Any, _args: Any) -> None:
            view.NavigationStarting -= first_navigation
            self.show(window, focus=False)

        if shows:
            view.NavigationStarting += first_navigation
        if view.CoreWebView2 is not None:
            ready(view, None)
        else:
            view.CoreWebView2InitializationCompleted += ready


def guard_page(core: Any, pages: OwnPages, own_url: str) -> None:
    """Install the handlers of one web view (a CoreWebView2): only its own page, no window, frame or permission."""
    deny: Any = importlib.import_module("Microsoft.Web.WebView2.Core").CoreWebView2PermissionState.Deny
    core.Settings.AreDevToolsEnabled = False
    core.Settings.IsPasswordAutosaveEnabled = False
    core.Settings.IsGeneralAutofillEnabled = False

    def navigating(_sender: Any, args: Any) -> None:
        if not pages.may_navigate(str(args.Uri), own_url):
            args.Cancel = True

    def framed(_sender: Any, args: Any) -> None:
        args.Cancel = True

    def opening(_sender: Any, args: Any) -> None:
        args.Handled = True

    def asking(_sender: Any, args: Any) -> None:
        args.State = deny

    core.NavigationStarting += navigating
    core.FrameNavigationStarting += framed
    core.NewWindowRequested += opening
    core.PermissionRequested += asking


def _import_clr() -> Any:
    """Import pythonnet. Raises ImportError, also without a usable .NET, where clr raises RuntimeError."""
    try:
        return importlib.import_module("clr")
    except RuntimeError as error:
        raise ImportError(".NET", name=".NET") from error


def _rect(area: Any, scale: float) -> Rect:
    return Rect(*(round(value / scale) for value in (area.X, area.Y, area.Width, area.Height)))


def _run(work: Callable[[], object]) -> None:
    try:
        work()
    except Exception:  # noqa: BLE001  the thread boundary: one failed call must not take the windows down
        _log.exception("on the GUI thread")


def _start(target: str) -> None:
    # Exists only on Windows, hence the late lookup.
    start: Callable[[str], None] = getattr(os, "startfile")  # noqa: B009
    start(target)


def _handle(form: Any) -> int:
    return int(form.Handle.ToInt64())


def _user32() -> Any:
    ctypes: Any = importlib.import_module("ctypes")
    return ctypes.windll.user32


def _change_style(handle: int, *, add: int, remove: int) -> None:
    user32 = _user32()
    before = user32.GetWindowLongPtrW(handle, _EXTENDED_STYLE)
    user32.SetWindowLongPtrW(handle, _EXTENDED_STYLE, (before & ~remove) | add)
