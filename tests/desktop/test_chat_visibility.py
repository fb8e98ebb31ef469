"""Opening and closing the chat by the pet, the tray and a shortcut."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Self, cast

import pytest

from pet.desktop.bubble_window import BubbleWindow
from pet.desktop.chat_window import SEEN_AFTER_MS, ChatVisibility, ChatWindow
from pet.desktop.core_client import CoreClient
from pet.desktop.dropped_things import DroppedPaths
from pet.desktop.geometry import Monitor, Rect
from pet.desktop.pet_window import PetWindow
from pet.desktop.placement_store import PlacementStore
from pet.desktop.qt_desktop import QtDesktop
from pet.desktop.window_group import WindowGroup
from pet.events import ChatShown, Event, PageAsked


class Heard:
    """An event of pywebview's window, heard at once."""

    def __init__(self) -> None:
        self._reacts = list[Callable[[], object]]()

    def __iadd__(self, react: Callable[[], object]) -> Self:
        self._reacts.append(react)
        return self

    def __isub__(self, react: Callable[[], object]) -> Self:
        self._reacts.remove(react)
        return self

    def set(self) -> None:
        for react in [*self._reacts]:
            react()


class Screen:
    """One window on one monitor; what a test does to it with the window manager's own keys."""

    screens = own = others = property(lambda self: self)  # one for all parts

    def __init__(self) -> None:
        self.state = "hidden"
        self.typed = "to the page"
        self.opacity = 1.0
        self.waiting = list[Callable[[], object]]()

    def show(self, _window: object, *, focus: bool) -> None:
        self.state = "focused" if focus else "shown"

    def hide(self, _window: object) -> None:
        self.state = "hidden"

    def place(self, _window: object, _rect: Rect) -> None:
        return

    def frame(self, _window: object) -> tuple[int, int, int, int]:
        return 0, 0, 0, 0

    def monitors(self) -> list[Monitor]:
        return [Monitor("one", Rect(0, 0, 1920, 1080), primary=True)]

    def post(self, work: Callable[[], object]) -> None:
        work()

    def after(self, milliseconds: int, work: Callable[[], object]) -> None:
        if milliseconds >= 1000 or milliseconds == SEEN_AFTER_MS:  # other shorter ones are for the window manager
            self.waiting.append(work)

    def pass_time(self) -> None:
        """Run all that waits."""
        waiting, self.waiting = self.waiting, []
        for each in waiting:
            each()

    def on_moved(self, _window: object, react: Callable[[], None]) -> None:
        self.moved = react

    def release_page(self, _window: object) -> bool:
        return self.state in ("hidden", "rendered")

    def prerender(self, _window: object) -> None:
        self.state = "rendered"

    @property
    def keys(self) -> Self:
        return self

    def hold(self, _window: object) -> None:
        self.typed = "held"

    def release(self, _window: object, *, deliver: bool) -> None:
        if self.typed == "held":
            self.typed = "delivered" if deliver else "dropped"

    def native(self, events: dict[str, Heard]) -> Any:
        """Return the window of these events."""

        def fade(share: float) -> None:
            self.opacity = share

        return SimpleNamespace(
            events=SimpleNamespace(**events),
            isMinimized=lambda: self.state == "minimised",
            isMaximized=lambda: True,  # its place is not kept
            setWindowOpacity=fade,
        )

    def prepare_window(self, _window: object, *, kind: str) -> None:
        assert kind == "chat"


def test_unseen_chat_lets_its_page_go_and_says_what_it_shows_once_that_is_there_again() -> None:
    screen, heard = Screen(), list[Event]()
    door, chat, window = opened_door(screen, heard)
    door.toggle()
    screen.pass_time()
    assert chat.loaded  # it is seen
    door.toggle()
    door.toggle()
    door.toggle()
    first, second = screen.waiting
    first()  # of the wait before it was opened again
    assert chat.loaded
    second()
    assert (chat.loaded, screen.state) == (False, "hidden")
    heard.clear()
    door.open("settings")
    assert (screen.state, screen.typed, heard) == ("focused", "held", [])
    window.events.loaded.set()
    assert (screen.typed, heard) == ("held", [ChatShown(shown=True), PageAsked(view="settings")])
    chat.deliver_keys()
    assert screen.typed == "delivered"
    window.events.loaded.set()
    assert len(heard) == 2


def test_the_page_is_loaded_when_it_may_be_wanted_and_let_go_again_unseen() -> None:
    screen, made = Screen(), list[str]()
    door, chat, window = opened_door(screen, [], made, expects=False)
    assert not made
    door.expect()
    door.expect()
    assert (made, chat.window) == (["made"], None)
    door.made()
    window.events.loaded.set()
    assert (screen.state, chat.loaded, chat.shown) == ("rendered", True, False)
    screen.pass_time()
    assert not chat.loaded
    door.expect()
    assert (made, screen.state) == (["made"], "rendered")
    window.events.loaded.set()
    assert (chat.loaded, chat.shown) == (True, False)


def test_a_chat_that_could_not_be_made_is_reported_if_it_was_asked_for_and_tried_again() -> None:
    made = list[str]()
    door, chat, _window = opened_door(Screen(), [], made, expects=False)
    door.expect()
    assert not door.failed()
    door.open()
    assert door.failed()
    door.open()
    assert (made, chat.shown) == (["made", "made", "made"], False)


def test_a_chat_asked_for_is_shown_at_once_and_keeps_the_keys_for_its_page() -> None:
    screen, heard, made = Screen(), list[Event](), list[str]()
    door, chat, window = opened_door(screen, heard, made, expects=False)
    door.open()
    door.open("history")
    assert (made, screen.state) == (["made"], "hidden")  # there is no window yet
    door.made()
    assert (screen.state, screen.typed, chat.shown, heard) == ("focused", "held", True, [])
    window.events.loaded.set()
    assert heard == [ChatShown(shown=True), PageAsked(view="history")]
    chat.deliver_keys()
    assert screen.typed == "delivered"
    window.events.loaded.set()  # once more, after a crash
    assert len(heard) == 2


def test_the_chat_of_a_pet_that_comes_at_anothers_place_is_shown_once_it_is_drawn() -> None:
    screen, heard, made = Screen(), list[Event](), list[str]()
    door, chat, window = opened_door(screen, heard, made, expects=False)
    appeared: list[float] = []
    door.unseen, door.appeared = True, lambda: appeared.append(screen.opacity)
    door.open()
    door.made()
    window.events.loaded.set()
    assert (made, screen.state, chat.shown, heard) == (["made"], "rendered", False, [])
    door.page_drawn()
    assert (screen.state, screen.opacity, door.unseen) == ("focused", 0, True)
    assert (chat.shown, heard, appeared) == (True, [ChatShown(shown=True)], [])
    door.page_drawn()  # once more: painted
    assert (screen.opacity, door.unseen, appeared) == (1, False, [])  # the compositor draws it first
    screen.pass_time()
    assert appeared == [1]
    door.close()
    door.page_drawn()
    door.open()
    assert (screen.opacity, chat.shown) == (1, True)


def test_the_chat_of_a_pet_that_comes_is_not_shown_if_it_was_closed_meanwhile() -> None:
    screen = Screen()
    door, chat, window = opened_door(screen, [], expects=False)
    door.unseen = True
    door.open()
    door.close()
    door.made()
    window.events.loaded.set()
    door.page_drawn()
    assert (chat.shown, door.unseen) == (False, False)
    door.open()
    assert chat.shown


def test_keys_are_delivered_to_a_page_that_never_reports() -> None:
    screen = Screen()
    door, _chat, _window = opened_door(screen, [], expects=False)
    door.open()
    door.made()
    screen.pass_time()
    assert screen.typed == "delivered"


def test_a_chat_closed_before_its_page_was_loaded_stays_closed() -> None:
    screen, heard = Screen(), list[Event]()
    door, chat, window = opened_door(screen, heard, expects=False)
    door.open()
    door.close()
    door.made()
    assert (screen.state, chat.shown) == ("hidden", False)
    door.open()
    door.close()
    assert (screen.state, screen.typed) == ("hidden", "dropped")
    window.events.loaded.set()
    screen.pass_time()
    assert (chat.shown, heard[1:]) == (False, [])


def opened_door(
    screen: Screen, heard: list[Event], made: list[str] | None = None, *, expects: bool = True
) -> tuple[ChatVisibility, ChatWindow, Any]:
    """Return them with the window, whose page is loaded if it ``expects`` it."""
    state = SimpleNamespace(read=dict[str, Any], update=lambda _values: None)
    chat = ChatWindow(
        cast(QtDesktop, screen), PlacementStore(cast(Any, state)), "chat.html", DroppedPaths(cast(Any, None))
    )
    pet = cast(PetWindow, SimpleNamespace(rect=Rect(0, 0, 192, 208)))
    noted = made if made is not None else list[str]()
    core = cast(CoreClient, SimpleNamespace(emit=heard.append))
    door = ChatVisibility(cast(QtDesktop, screen), chat, pet, core, lambda: noted.append("made"))
    events = {name: Heard() for name in ("minimized", "restored", "maximized", "loaded")}
    window = screen.native(events)
    window.events.loaded += door.loaded
    announce = door.made

    def made_native() -> None:
        chat.window = chat._web = window
        announce()

    door.made = made_native  # type: ignore[method-assign]
    if expects:
        door.expect()
        door.made()
        window.events.loaded.set()
        screen.waiting.clear()
    return door, chat, window


def test_a_minimised_chat_is_opened_by_what_toggles_it() -> None:
    screen, heard = Screen(), list[Event]()
    door, chat, window = opened_door(screen, heard)
    door.toggle()
    assert (screen.state, chat.in_sight) == ("focused", True)
    bubble = cast(BubbleWindow, SimpleNamespace(shown=False, reading=False))
    hidden = cast(PetWindow, SimpleNamespace(seen=False))
    group = WindowGroup(cast(QtDesktop, screen), hidden, chat, bubble, lambda _dx, _dy, _how, _walk: None)
    assert group.seen == [(window, True)]
    screen.state = "minimised"
    window.events.minimized.set()
    assert group.seen == []  # nothing that a picture of the screen would bring back
    assert (chat.shown, chat.minimised, chat.in_sight) == (True, True, False)
    conversation = [ChatShown(shown=True), PageAsked(view="chat")]  # whatever was open last
    assert heard == [*conversation, ChatShown(shown=False)]  # what comes now is not seen
    screen.state = "shown"
    window.events.restored.set()
    assert heard[3:] == [ChatShown(shown=True)]
    screen.state = "minimised"
    window.events.minimized.set()
    door.toggle()
    assert (screen.state, chat.minimised) == ("focused", False)
    door.toggle()
    assert screen.state == "hidden"
    assert heard[-1] == ChatShown(shown=False)


@pytest.mark.parametrize("seen", [True, False])
def test_the_pet_says_goodbye_before_it_quits_where_it_is_seen(seen: bool) -> None:
    done: list[object] = []

    def after(_milliseconds: int, work: Callable[[], None]) -> None:
        done.append("waits")
        work()

    screen = SimpleNamespace(after=after)
    pet, other = SimpleNamespace(seen=seen), SimpleNamespace()
    group = WindowGroup(
        cast(QtDesktop, screen),
        cast(PetWindow, pet),
        cast(Any, other),
        cast(Any, other),
        lambda *way: done.append(way),
    )
    quits = (lambda: done.append("words"), lambda: done.append("quit"))
    group.say_goodbye(*quits)
    assert done == ([(0, 0, "wave", 0), "words", "waits", "quit"] if seen else ["quit"])
    del done[:]
    group.say_goodbye(*quits)
    assert done == ["quit"]  # asked twice: at once
