"""The window under the pet's feet: what happens to it while an answer of the X server is awaited is not lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from Xlib import X

from pet.desktop.geometry import Rect
from pet.desktop.linux.x11_windows import XWindows

MODULE = "pet.desktop.linux.x11_windows"
LEDGE = 7
FRAME = Rect(200, 450, 400, 300)


class Server:
    """An X server with one window. ``meanwhile`` runs once, while a question about that window is answered."""

    def __init__(self) -> None:
        self.shown = True
        self.events: deque[Any] = deque()
        self.meanwhile: Callable[[], None] | None = None
        self.listened = 0

    def close(self) -> None:
        self.shown = False
        if self.listened:
            self.events.append(SimpleNamespace(window=SimpleNamespace(id=LEDGE)))

    # --- what python-xlib's Display does ---------------------------------------------------------

    def fileno(self) -> int:
        return 0

    def set_error_handler(self, _react: Any) -> None:
        return

    def screen(self) -> Any:
        return SimpleNamespace(root=self.create_resource_object("window", 1))

    def intern_atom(self, name: str) -> int:
        return sum(name.encode())

    def pending_events(self) -> int:
        return len(self.events)

    def next_event(self) -> Any:
        return self.events.popleft()

    def flush(self) -> None:
        return

    def create_resource_object(self, _kind: str, handle: int) -> Any:
        def values(atom: int, _kind: int) -> Any:
            if handle == LEDGE and self.meanwhile is not None:
                work, self.meanwhile = self.meanwhile, None
                work()
            if atom != self.intern_atom("_NET_CLIENT_LIST_STACKING"):
                return None
            return SimpleNamespace(value=[LEDGE], format=32)

        def change_attributes(event_mask: int) -> None:
            self.listened = event_mask

        return SimpleNamespace(
            get_full_property=values,
            get_attributes=lambda: SimpleNamespace(map_state=X.IsViewable if self.shown else X.IsUnmapped),
            get_geometry=lambda: SimpleNamespace(width=FRAME.width, height=FRAME.height),
            translate_coords=lambda _window, _x, _y: SimpleNamespace(x=FRAME.x, y=FRAME.y),
            change_attributes=change_attributes,
        )


class Notifier:
    """Never wakes anybody: the socket was read together with an answer."""

    Type = SimpleNamespace(Read=0)
    activated = SimpleNamespace(connect=lambda _react: None)

    def __init__(self, _socket: int, _type: int) -> None:
        return


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    server = Server()
    monkeypatch.setattr("Xlib.display.Display", lambda: server)
    monkeypatch.setattr(f"{MODULE}.QSocketNotifier", Notifier)
    return server


@pytest.fixture
def posted(monkeypatch: pytest.MonkeyPatch) -> deque[Callable[[], None]]:
    """What Qt's loop runs next."""
    posted: deque[Callable[[], None]] = deque()
    timer = SimpleNamespace(singleShot=lambda _milliseconds, work: posted.append(work))
    monkeypatch.setattr(f"{MODULE}.QTimer", timer)
    return posted


def run(posted: deque[Callable[[], None]]) -> None:
    while posted:
        posted.popleft()()


def test_a_window_that_closes_while_the_windows_are_listed_is_told_of(
    server: Server, posted: deque[Callable[[], None]]
) -> None:
    windows, frames = XWindows(list), list[Rect | None]()
    windows.follow(LEDGE, frames.append)
    run(posted)
    server.meanwhile = server.close
    windows.all()
    run(posted)
    assert frames == [FRAME, None]


def test_a_window_that_closes_while_its_move_is_looked_at_is_told_of(
    server: Server, posted: deque[Callable[[], None]]
) -> None:
    windows, frames = XWindows(list), list[Rect | None]()
    windows.follow(LEDGE, frames.append)
    server.meanwhile = server.close
    run(posted)
    assert frames == [FRAME, None]


def test_a_window_that_closed_before_it_was_followed_is_told_of(
    server: Server, posted: deque[Callable[[], None]]
) -> None:
    windows, frames = XWindows(list), list[Rect | None]()
    server.close()
    windows.follow(LEDGE, frames.append)
    run(posted)
    assert frames == [None]
