"""Our windows step back for a picture of the screen, and come back whatever becomes of it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import cast

import pytest

from pet.desktop.qt_desktop import QtDesktop
from pet.desktop.window_group import Screenshots
from pet.services.desktop_port import Area


class Screen:
    """The part of a platform that pictures it; a test says what is taken. Waiting takes no time."""

    screens = own = others = property(lambda self: self)  # one for all parts

    def __init__(self, *takes: bytes | OSError | None) -> None:
        self.takes = list(takes)
        self.seen = {"pet": True, "chat": True}
        self.focus = ""

    def after(self, _milliseconds: int, work: Callable[[], object]) -> None:
        work()

    def hide(self, window: str) -> None:
        self.seen[window] = False

    def show(self, window: str, *, focus: bool) -> None:
        self.seen[window] = True
        self.focus = window if focus else self.focus

    def screenshot(self, _area: Area, _hint: str, taken: Callable[[bytes | None], None]) -> None:
        assert not any(self.seen.values())
        took = self.takes.pop(0)
        if isinstance(took, OSError):
            raise took
        taken(took)


def test_what_was_closed_meanwhile_stays_closed() -> None:
    screen = Screen(b"picture")
    screen.seen = {"pet": True, "bubble": True}
    shown = [("pet", False), ("bubble", False)]
    shots = Screenshots(cast(QtDesktop, screen), lambda: list(shown))
    told = threading.Semaphore(0)

    def framed(_area: Area, _hint: str, taken: Callable[[bytes | None], None]) -> None:
        shown.remove(("bubble", False))  # it was read, and its time is over
        Screen.screenshot(screen, _area, _hint, taken)

    screen.screenshot = framed  # type: ignore[method-assign]
    shots.take("region", "", lambda _picture: told.release())
    assert told.acquire(timeout=60)
    assert screen.seen == {"pet": True, "bubble": False}


def test_they_come_back_also_where_no_picture_can_be_taken() -> None:
    screen = Screen(OSError(), b"picture")
    shots = Screenshots(cast(QtDesktop, screen), lambda: [("pet", False), ("chat", True)])
    heard, told = list[bytes | None](), threading.Semaphore(0)

    def taken(picture: bytes | None) -> None:
        heard.append(picture)
        told.release()

    with pytest.raises(OSError):
        shots.take("screen", "", taken)
    assert told.acquire(timeout=60)
    assert (heard, screen.seen, screen.focus) == ([None], {"pet": True, "chat": True}, "chat")
    shots.take("screen", "", taken)  # and it is not the last one
    assert told.acquire(timeout=60)
    assert heard == [None, b"picture"]
    assert screen.seen == {"pet": True, "chat": True}
