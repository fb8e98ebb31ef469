"""What can be proven here of the platforms that can not run here: the lock, and that nothing is forgotten."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from pet.desktop import macos_desktop, windows_desktop
from pet.desktop.linux import backend as linux_x11
from pet.desktop.page_bridge import OwnPages
from pet.desktop.platform import MOST_SELECTED, Platform
from pet.services.desktop_port import Selection

PET = "file:///C:/Program%20Files/Soulpet/_ui/pet.html"
CHAT = "file:///C:/Program%20Files/Soulpet/_ui/chat.html"


@pytest.fixture
def pages() -> OwnPages:
    return OwnPages([PET, CHAT])


@pytest.mark.parametrize(
    "url", [CHAT, CHAT + "#settings", "file:///c:/Program Files/Soulpet/_ui/chat.html", CHAT.replace("%20", " ")]
)
def test_a_window_may_show_its_own_page_however_it_is_spelled(pages: OwnPages, url: str) -> None:
    assert pages.may_navigate(url, CHAT)
    assert pages.is_own(url)


@pytest.mark.parametrize(
    "url",
    [
        PET,
        "",
        "about:blank",
        "https://example.org/chat.html",
        "file://elsewhere/C:/Program%20Files/Soulpet/_ui/chat.html",
        "file:///C:/Program%20Files/Soulpet/_ui/other.html",
        "file:///C:/Program%20Files/Soulpet/_ui/../_ui/chat.html/x",
        "data:text/html,hello",
        "javascript:alert(1)",
        CHAT + "?view=settings",
        "http:" + CHAT.partition(":")[2],
    ],
)
def test_it_may_show_nothing_else(pages: OwnPages, url: str) -> None:
    assert not pages.may_navigate(url, CHAT)


def test_an_empty_list_allows_nothing() -> None:
    assert not OwnPages(()).may_navigate(CHAT, CHAT)
    assert not OwnPages(()).is_own(CHAT)


@pytest.mark.parametrize("desktop", [linux_x11.LinuxX11, windows_desktop.WindowsDesktop, macos_desktop.MacDesktop])
def test_every_platform_answers_everything_the_shell_asks(desktop: type) -> None:
    for name, wanted in inspect.getmembers(Platform, inspect.isfunction):
        if name.startswith("_"):
            continue
        assert inspect.signature(getattr(desktop, name)) == inspect.signature(wanted), name


def test_unproven_platforms_claim_no_click_through() -> None:
    for desktop in (windows_desktop.WindowsDesktop, macos_desktop.MacDesktop):
        source = inspect.getsource(desktop.abilities)
        assert "click_through" not in source
        assert "Unproven" in (Path(inspect.getfile(desktop)).read_text(encoding="utf-8").split('"""')[1])


def test_macos_window_that_moves_outside_of_all_screens_still_says_so() -> None:
    """pywebview's own answer to a move asks the window's screen, which is None there."""
    heard: list[tuple[float, float]] = []
    frame = SimpleNamespace(origin=SimpleNamespace(x=-5000.0, y=20.0))
    window = SimpleNamespace(frame=lambda: frame, screen=lambda: None)
    moved = SimpleNamespace(set=lambda x, y: heard.append((x, y)))
    instance = SimpleNamespace(
        window=window, pywebview_window=SimpleNamespace(events=SimpleNamespace(moved=moved), original_url=CHAT)
    )
    view = SimpleNamespace(
        BrowserDelegate=type("BrowserDelegate", (), {}),
        WindowDelegate=type("WindowDelegate", (), {}),
        get_instance=lambda _kind, native: instance if native is window else None,
    )
    macos_desktop._lock(view, OwnPages([CHAT]))
    for native in (window, object()):
        view.WindowDelegate().windowDidMove_(SimpleNamespace(object=lambda native=native: native))
    assert heard == [(-5000.0, 20.0)]


class _Clipboard:
    """The .NET class, or one that another program holds."""

    def __init__(self, text: str | None) -> None:
        self._text = text

    def GetText(self) -> str:  # noqa: N802  the toolkit's name
        if self._text is None:
            raise OSError("busy")
        return self._text


def copied_on_windows(text: str | None) -> Selection:
    desktop = object.__new__(windows_desktop.WindowsDesktop)
    desktop._forms = SimpleNamespace(Clipboard=_Clipboard(text))
    desktop.post = lambda work: work()  # type: ignore[assignment, method-assign]
    return desktop.read_selection()


def copied_on_macos(text: str | None) -> Selection:
    desktop = object.__new__(macos_desktop.MacDesktop)
    board = SimpleNamespace(stringForType_=lambda kind: text if kind == "text" else "")
    pasteboard = SimpleNamespace(generalPasteboard=lambda: board)
    desktop._kit = SimpleNamespace(NSPasteboard=pasteboard, NSPasteboardTypeString="text")
    desktop.post = lambda work: work()  # type: ignore[assignment, method-assign]
    return desktop.read_selection()


@pytest.mark.parametrize("read", [copied_on_windows, copied_on_macos])
def test_unproven_platforms_give_the_clipboard_and_say_so(read: Callable[[str | None], Selection]) -> None:
    assert read("tea") == Selection(text="tea", copied=True)
    assert read(None) == Selection(copied=True)
    large = read("x" * 20_000_000)
    assert (len(large.text), large.cut, large.copied) == (MOST_SELECTED, True, True)
