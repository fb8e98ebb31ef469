"""The module for Windows on real WinForms windows, as Mono has them. Started by ``mono.py``."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import webview

from pet.desktop import windows_desktop
from pet.desktop.geometry import Rect
from pet.desktop.platform import MenuItem, TraySpec
from pet.paths import assets_folder

PATIENCE = 30
LIBRARY = Path(webview.__file__).parent / "lib" / "Microsoft.Web.WebView2.Core.dll"


@dataclass
class User32:
    """What is asked of Windows itself, which Mono has no part of."""

    style: int = 0x00040000
    calls: list[str] = field(default_factory=list)

    def GetWindowLongPtrW(self, _handle: int, _which: int) -> int:  # noqa: N802
        return self.style

    def SetWindowLongPtrW(self, _handle: int, _which: int, value: int) -> None:  # noqa: N802
        self.style = value

    def GetDpiForWindow(self, _handle: int) -> int:  # noqa: N802
        return 144

    def ShowWindow(self, _handle: int, how: int) -> None:  # noqa: N802
        self.calls.append(f"show {how}")

    def SetWindowPos(self, *_given: int) -> None:  # noqa: N802
        self.calls.append("raise")

    def SetForegroundWindow(self, _handle: int) -> None:  # noqa: N802
        self.calls.append("foreground")


class Told:
    """An event of .NET's, as pythonnet shows one."""

    def __init__(self) -> None:
        self.handlers: list[Callable[[Any, Any], None]] = []

    def __iadd__(self, handler: Callable[[Any, Any], None]) -> Told:
        self.handlers.append(handler)
        return self

    def __isub__(self, handler: Callable[[Any, Any], None]) -> Told:
        self.handlers.remove(handler)
        return self

    def tell(self, args: Any = None) -> None:
        for handler in tuple(self.handlers):
            handler(None, args)


@pytest.fixture
def user32(monkeypatch: pytest.MonkeyPatch) -> User32:
    stood_in = User32()
    monkeypatch.setattr(windows_desktop, "_user32", lambda: stood_in)
    return stood_in


@pytest.fixture
def desktop(user32: User32) -> Iterator[windows_desktop.WindowsDesktop]:
    yield windows_desktop.WindowsDesktop()
    assert user32


def form(desktop: windows_desktop.WindowsDesktop) -> Any:
    made = desktop._forms.Form()
    made.FormBorderStyle = getattr(desktop._forms.FormBorderStyle, "None")
    made.MinimumSize = desktop._drawing.Size(200, 100)
    int(made.Handle.ToInt64())
    return made


def window_on(native: Any, *, core: Any = None) -> Any:
    view = SimpleNamespace(CoreWebView2=core, NavigationStarting=Told(), CoreWebView2InitializationCompleted=Told())
    native_like = Wrapped(native, SimpleNamespace(webview=view))
    return SimpleNamespace(native=native_like, transparent=True, focus=False, original_url="file:///C:/ui/pet.html")


class Wrapped:
    """A form with the web view that pywebview gives it."""

    def __init__(self, native: Any, browser: Any) -> None:
        object.__setattr__(self, "_native", native)
        object.__setattr__(self, "browser", browser)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._native, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._native, name, value)


def turn(desktop: windows_desktop.WindowsDesktop, done: threading.Event) -> None:
    for _ in range(PATIENCE * 100):
        desktop._forms.Application.DoEvents()
        if done.wait(0.01):
            return
    raise AssertionError("nothing came")


def test_work_waits_for_the_pets_window_and_runs_in_order(desktop: windows_desktop.WindowsDesktop) -> None:
    said: list[int] = []
    done = threading.Event()
    desktop.post(lambda: said.append(1))
    desktop.prepare_window(window_on(form(desktop)), kind="pet")
    desktop.post(lambda: said.append(1 // 0))
    desktop.post(lambda: said.append(2))
    threading.Thread(target=lambda: desktop.post(done.set)).start()
    turn(desktop, done)
    assert said == [1, 2]


def test_work_after_the_end_is_dropped(desktop: windows_desktop.WindowsDesktop) -> None:
    native = form(desktop)
    desktop.prepare_window(window_on(native), kind="pet")
    native.Dispose()
    desktop.post(lambda: pytest.fail("the window is gone"))


def test_a_timer_posts_to_the_windows_thread(desktop: windows_desktop.WindowsDesktop) -> None:
    desktop.prepare_window(window_on(form(desktop)), kind="pet")
    threads: list[int] = []
    done = threading.Event()

    def ring() -> None:
        threads.append(threading.get_ident())
        done.set()

    desktop.after(1, ring)
    turn(desktop, done)
    assert threads == [threading.get_ident()]


def test_the_pets_window_leaves_the_taskbar_shrinks_and_is_never_activated(
    desktop: windows_desktop.WindowsDesktop, user32: User32
) -> None:
    native = form(desktop)
    window = window_on(native)
    handle = native.Handle.ToInt64()
    desktop.prepare_window(window, kind="pet")
    assert native.Handle.ToInt64() == handle
    assert user32.style & windows_desktop._TOOL_WINDOW
    assert not user32.style & windows_desktop._APP_WINDOW
    assert window.transparent is False
    desktop.place(window, Rect(10, 20, 60, 50))
    assert (native.Left, native.Top, native.Width, native.Height) == (15, 30, 90, 75)
    assert desktop.rect(window) == Rect(10, 20, 60, 50)
    desktop.show(window, focus=False)
    assert user32.calls == ["show 4", "raise"]
    desktop.take_focus(window, may=False)
    assert user32.style & windows_desktop._NO_ACTIVATE
    desktop.take_focus(window, may=True)
    assert not user32.style & windows_desktop._NO_ACTIVATE


def test_its_first_navigation_shows_it_once(desktop: windows_desktop.WindowsDesktop, user32: User32) -> None:
    window = window_on(form(desktop))
    desktop.prepare_window(window, kind="pet")
    view = window.native.browser.webview
    view.NavigationStarting.tell()
    view.NavigationStarting.tell()
    assert user32.calls == ["show 4", "raise"]


def test_signing_out_is_not_held_up(desktop: windows_desktop.WindowsDesktop) -> None:
    ended: list[str] = []
    desktop.on_session_end(lambda: ended.append("end"))
    reasons = desktop._forms.CloseReason
    leaving = desktop._forms.FormClosingEventArgs(reasons.WindowsShutDown, True)
    desktop._closing(None, leaving)
    assert (leaving.Cancel, ended) == (False, ["end"])
    clicked = desktop._forms.FormClosingEventArgs(reasons.UserClosing, True)
    desktop._closing(None, clicked)
    assert (clicked.Cancel, ended) == (True, ["end"])


def test_a_menu_has_marks_groups_and_submenus_made_when_they_open(desktop: windows_desktop.WindowsDesktop) -> None:
    acted: list[str] = []
    inner = (MenuItem(text="Inner", act=lambda: acted.append("inner")),)
    items = (
        MenuItem(text="Chat", act=lambda: acted.append("chat")),
        MenuItem(text="Sound", checked=True, act=lambda: acted.append("sound"), starts_group=True),
        MenuItem(text="More", children=lambda: inner),
    )
    strip = desktop._strip(items)
    assert [str(entry.Text or "-") for entry in strip.Items] == ["Chat", "-", "Sound", "More"]
    entries = list(strip.Items)
    assert entries[2].Checked
    entries[0].PerformClick()
    desktop._open(entries[3], items[2])
    (only,) = entries[3].DropDownItems
    only.PerformClick()
    assert acted == ["chat", "inner"]


def test_the_icon_in_the_tray_can_be_loaded(desktop: windows_desktop.WindowsDesktop) -> None:
    icon = assets_folder() / "icon" / "soulpet-64.png"
    spec = TraySpec(icon=icon, tooltip="Mochi", items=tuple, on_click=lambda: None, dark=lambda: False)
    assert desktop.add_tray(spec)
    desktop.update_tray("Mochi: a new reply", unread=True, picture=None)
    assert str(desktop._tray.Text) == "Mochi: a new reply"


def test_monitors_have_work_areas(desktop: windows_desktop.WindowsDesktop) -> None:
    assert any(monitor.primary and monitor.work.width > 0 for monitor in desktop.monitors())


@pytest.mark.parametrize("when", ["before", "after"])
def test_page_is_guarded_once_web_view_is_ready(desktop: windows_desktop.WindowsDesktop, when: str) -> None:
    importlib.import_module("clr").AddReference(str(LIBRARY))
    core = SimpleNamespace(
        Settings=SimpleNamespace(),
        NavigationStarting=Told(),
        FrameNavigationStarting=Told(),
        NewWindowRequested=Told(),
        PermissionRequested=Told(),
    )
    window = window_on(form(desktop), core=core if when == "before" else None)
    desktop.prepare_window(window, kind="chat")
    view = window.native.browser.webview
    if when == "after":
        view.CoreWebView2 = core
        view.CoreWebView2InitializationCompleted.tell()
    away = SimpleNamespace(Uri="https://example.org/", Cancel=False)
    core.NavigationStarting.tell(away)
    asked = SimpleNamespace(State=None)
    core.PermissionRequested.tell(asked)
    opened = SimpleNamespace(Handled=False)
    core.NewWindowRequested.tell(opened)
    assert (away.Cancel, str(asked.State), opened.Handled) == (True, "Deny", True)
    assert core.Settings.AreDevToolsEnabled is False


def test_leaving_closes_the_windows_and_ends_the_loop(desktop: windows_desktop.WindowsDesktop) -> None:
    native = form(desktop)
    window = window_on(native)
    desktop.prepare_window(window, kind="pet")
    native.Show()
    threading.Timer(0.05, lambda: desktop.post(lambda: desktop.shutdown([window]))).start()
    desktop._forms.Application.Run()
    assert native.IsDisposed
