"""What happens while an answer of the X server is awaited is not lost, above all to the window under its feet."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from Xlib import X

from pet.desktop.geometry import Rect
from pet.desktop.ground import Window
from pet.desktop.linux.x11_events import OtherWindows, XEvents
from pet.desktop.linux.x11_server import XServer
from pet.desktop.linux.x11_windows import LinuxPrograms, XWindows

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
        self.states: tuple[str, ...] = ()

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

    def get_atom(self, name: str) -> int:
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
            if atom == self.get_atom("_NET_WM_STATE"):
                states = [self.get_atom(f"_NET_WM_STATE_{each}") for each in self.states]
                return SimpleNamespace(value=states, format=32)
            if atom != self.get_atom("_NET_CLIENT_LIST_STACKING"):
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
    monkeypatch.setattr(f"{MODULE}.XConnection", lambda: server)
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


def test_windows_named_by_their_handles_are_told_of_without_the_list(
    server: Server, posted: deque[Callable[[], None]]
) -> None:
    """On Wayland the pet's chat is the only one that counts."""
    windows = XWindows(list)
    assert windows.these([]) == []
    assert windows.these([LEDGE]) == [Window(LEDGE, FRAME)]
    server.close()
    assert windows.these([LEDGE]) == []
    assert not posted


def test_windows_are_asked_for_once_in_a_turn_of_the_loop_and_again_after_a_move(
    posted: deque[Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a pet does looks several times at them, each time with questions about every window."""
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("XDG_SESSION_TYPE", raising=False)
    monkeypatch.setattr(f"{MODULE}.in_units", lambda frame: frame)
    tells: list[Callable[[Rect | None], None]] = []
    frames = [FRAME.at(3, 0), FRAME.at(2, 0), FRAME.at(1, 0)]
    x = SimpleNamespace(all=lambda: [Window(LEDGE, frames.pop())], follow=lambda _handle, tell: tells.append(tell))
    nothing: Any = SimpleNamespace(post=None, chat=())
    desktop = LinuxPrograms(nothing, nothing, nothing)
    vars(desktop)["x_windows"] = x
    seen: list[list[Window]] = []
    desktop.follow(LEDGE, lambda _frame: seen.append(desktop.windows()))
    assert desktop.windows() == desktop.windows() == [Window(LEDGE, FRAME.at(1, 0))]
    tells[0](FRAME)
    assert seen == [desktop.windows()] == [[Window(LEDGE, FRAME.at(2, 0))]]
    run(posted)
    assert desktop.windows() == [Window(LEDGE, FRAME.at(3, 0))]


@pytest.mark.parametrize(("process", "heard"), [(os.getpid(), 0), (1, X.PropertyChangeMask)], ids=["ours", "another"])
def test_a_step_of_the_pet_wakes_nobody_who_waits_for_other_programs(process: int, heard: int) -> None:
    """Qt writes a property of a window with each of its moves."""
    masks: dict[int, int] = {}
    atoms = {name: at for at, name in enumerate(("_NET_WM_STATE", "_NET_WM_STATE_ABOVE", "_NET_WM_PID"))}
    values = {
        (1, "_NET_CLIENT_LIST_STACKING"): [LEDGE],
        (LEDGE, "_NET_WM_STATE"): [atoms["_NET_WM_STATE_ABOVE"]],
        (LEDGE, "_NET_WM_PID"): [process],
    }

    def window(_kind: str, handle: int) -> Any:
        def prop(atom: int, _kind: int) -> Any:
            name = next(name for name, at in atoms.items() if at == atom)
            return SimpleNamespace(format=32, value=values.get((handle, name), []))

        def change(event_mask: int) -> None:
            masks[handle] = event_mask

        return SimpleNamespace(id=handle, get_full_property=prop, change_attributes=change)

    display = SimpleNamespace(
        screen=lambda: SimpleNamespace(root=window("window", 1)),
        intern_atom=lambda name: atoms.setdefault(name, len(atoms)),
        create_resource_object=window,
    )
    OtherWindows(display, lambda _around: None).begin()
    assert masks[LEDGE] == heard


class Framing:
    """A window manager whose frame comes, with its event, right after the answer that there is none."""

    def __init__(self) -> None:
        self.events: list[object] = []
        self.framed = False

    def fileno(self) -> int:
        return 0

    def pending_events(self) -> int:
        return len(self.events)

    def next_event(self) -> object:
        return self.events.pop()


def test_a_frame_that_comes_with_the_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = Framing()
    server = XServer.__new__(XServer)
    waits: list[object] = []
    for name, value in {
        "_display": manager,
        "_atom": lambda _name: 1,
        "_supported": lambda: [1],
        "_window": lambda _handle: SimpleNamespace(change_attributes=lambda **_masks: None),
        "_send_to_manager": lambda *_message: None,
    }.items():
        monkeypatch.setattr(server, name, value, raising=False)
    monkeypatch.setattr(manager, "sync", lambda: None, raising=False)

    def frame(_window: int) -> tuple[int, int, int, int] | None:
        if manager.framed:
            return 1, 1, 20, 1
        manager.framed = True
        manager.events.append(object())
        return None

    monkeypatch.setattr(server, "frame", frame)
    monkeypatch.setattr("pet.desktop.linux.x11_server.select.select", lambda *_sources: waits.append(1))
    server.request_frame(LEDGE)
    assert manager.framed and not waits and not manager.events


def test_an_event_that_comes_while_a_task_awaits_an_answer_is_handled(monkeypatch: pytest.MonkeyPatch) -> None:
    display = Framing()
    events = XEvents()
    handled: list[object] = []
    selects: list[object] = []

    def wait(*_sources: object) -> tuple[list[int], list[int], list[int]]:
        selects.append(list(display.events))
        return [events._awake] if len(selects) == 1 else [], [], []

    monkeypatch.setattr(events, "_display", display)
    monkeypatch.setattr(events, "_on_event", handled.append)
    monkeypatch.setattr("pet.desktop.linux.x11_events.select.select", wait)
    monkeypatch.setattr("pet.desktop.linux.x11_events.os.read", lambda _file, _most: b"x")
    events._tasks.append(lambda: display.events.append("arrived with an answer"))
    events._turn()
    events._turn()
    assert handled == ["arrived with an answer"]
    assert selects == [[], []]  # nothing waits in the queue while the thread sleeps


@pytest.mark.parametrize(
    ("states", "counts"),
    [((), True), (("ABOVE",), True), (("SKIP_TASKBAR",), True), (("STICKY", "ABOVE", "SKIP_TASKBAR"), False)],
)
def test_another_programs_pet_is_nothing_to_stand_on(
    server: Server, posted: deque[Callable[[], None]], states: tuple[str, ...], counts: bool
) -> None:
    server.states = states
    assert bool(XWindows(list).all()) is counts
    assert not posted
