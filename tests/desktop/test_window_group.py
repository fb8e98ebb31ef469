"""What the pet does on its ground: it sits on a window, and gets up for what is dragged, unless it is held."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pet.desktop.geometry import Monitor, Rect
from pet.desktop.ground import Leg, Window
from pet.desktop.pet_window import PetAppearance, PetWindow
from pet.desktop.placement_store import PlacementStore
from pet.desktop.window_group import WindowGroup
from pet.settings.program_state import JsonState

HERE = Rect(100, 100, 192, 208)
CHAT = Rect(340, 0, 420, 308)


class Pet:
    """A pet window on an edge. ``room``: how far it can walk, and whether to the edge's end; ``clear``, ``behind``:
    where it steps aside from its chat, and where it peeks from behind it."""

    def __init__(
        self,
        room: tuple[int, bool],
        *,
        on_window: bool,
        held: bool = False,
        seen: bool = True,
        clear: Rect | None = None,
        behind: Rect | None = None,
    ) -> None:
        self.room, self.held, self.seen = room, held, seen
        self.rect = self.place = HERE
        self._on = Window(1, HERE) if on_window else None
        self._clear, self._behind = clear, behind

    def clear_of(self, _chat: Rect) -> Rect | None:
        return None if self.place == self._clear else self._clear

    over: frozenset[int] = frozenset()
    """Windows of other programs that it covers."""

    def covered(self) -> frozenset[int]:
        return self.over

    def clear_of_newcomer(self, known: frozenset[int]) -> Rect | None:
        return None if self.over <= known else ASIDE

    def peek(self, _way: float, _chat: Rect) -> Rect | None:
        return self._behind

    def landing(self) -> Rect | None:
        return None

    def release(self) -> None:
        return

    def move(self, _dx: float, _dy: float, done: bool, _start: Rect | None) -> None:
        if done and self._goal is not None:
            self.place = self._goal

    _goal: Rect | None = None

    def goes_to(self, place: Rect) -> None:
        """Be there with the next finished move."""
        self._goal = place

    def stroll(self, _way: float, _avoid: object) -> tuple[int, bool]:
        return self.room

    def can_stand(self, _place: Rect, _window: Window) -> bool:
        return False

    legs: Sequence[Leg] = ()
    """Its way to what it goes about."""

    def outing(self, _what: str, _way: float, _avoid: object, _others: object, _ball: object) -> Sequence[Leg]:
        return self.legs

    lifted = 0

    def lift(self) -> None:
        self.lifted += 1

    def standing_on(self) -> object | None:
        return self._on


def group(
    pet: Pet, *, bubble: bool = False, chat: bool = False, chat_places: Sequence[Rect] = (CHAT,)
) -> tuple[WindowGroup, list[tuple[int, int, str]]]:
    """``chat_places``: where its chat was, the last one now."""
    travels: list[tuple[int, int, str]] = []
    platform = SimpleNamespace(
        after=lambda _milliseconds, _work: None,
        others=SimpleNamespace(follow=lambda _handle, _moved: None),
        own=SimpleNamespace(rect=lambda _window: chat_places[-1]),
    )
    windows = WindowGroup(
        cast(Any, platform),
        cast(Any, pet),
        cast(Any, SimpleNamespace(in_sight=chat, frame=CHAT, window=None)),
        cast(Any, SimpleNamespace(shown=bubble, follow=lambda _place: None)),
        lambda dx, dy, how, _walk: travels.append((dx, dy, how)),
    )
    return windows, travels


@pytest.mark.parametrize(
    ("room", "on_window", "near", "does"),
    [
        ((0, False), True, False, [(0, 0, "sit")]),
        ((0, False), False, False, [(0, 0, "stretch")]),  # on the floor there is no edge to sit on
        ((0, False), True, True, []),
        ((120, True), True, False, [(120, 0, "walk_to_edge")]),
        ((120, True), True, True, [(120, 0, "walk")]),
    ],
    ids=["sits", "floor", "came near", "to the end", "near the end"],
)
def test_without_room_it_sits_down_on_a_window(
    room: tuple[int, bool], on_window: bool, near: bool, does: list[tuple[int, int, str]]
) -> None:
    windows, travels = group(Pet(room, on_window=on_window))
    windows.stroll(0.0, near)
    assert travels == does


def test_held_or_beside_its_bubble_it_neither_sits_nor_walks() -> None:
    for pet, bubble in ((Pet((0, False), on_window=True, held=True), False), (Pet((9, True), on_window=True), True)):
        windows, travels = group(pet, bubble=bubble)
        windows.stroll(0.0)
        assert travels == []


def test_it_attends_to_what_is_dragged_only_where_it_is_seen_and_free() -> None:
    for held, seen in ((False, True), (True, True), (False, False)):
        windows, travels = group(Pet((0, False), on_window=False, held=held, seen=seen))
        windows.drag_began()
        assert travels == ([(0, 0, "drag")] if seen and not held else [])


ASIDE = Rect(772, 100, 192, 208)


def test_it_steps_aside_when_its_chat_comes_over_it_and_then_stands_still() -> None:
    pet = Pet((0, False), on_window=False, clear=ASIDE)
    windows, travels = group(pet, chat=True)
    windows.chat_changed()
    windows.chat_changed()  # on its way
    pet.goes_to(ASIDE)
    windows.move_pet(672, 0, done=True, walk=1)
    windows.chat_changed()
    assert travels == [(672, 0, "walk")]


def test_before_its_next_steps_it_makes_way_for_a_window_that_came_to_where_it_stands() -> None:
    pet = Pet((99, False), on_window=False)
    windows, travels = group(pet)
    pet.over = frozenset({1})
    windows.move_pet(0, 0, done=True)  # put in front of one by its owner
    windows.stroll(1.0)
    pet.goes_to(HERE)
    windows.move_pet(99, 0, done=True, walk=2)
    pet.over = frozenset({1, 2})
    windows.stroll(1.0, near=True)  # called by its owner
    windows.move_pet(99, 0, done=True, walk=3)
    pet.over = frozenset({1, 2, 3})
    windows.stroll(1.0)
    assert travels == [(99, 0, "walk"), (99, 0, "walk"), (672, 0, "walk")]


@pytest.mark.parametrize(("chat", "held"), [(False, False), (True, True)], ids=["chat closed", "in a hand"])
def test_it_does_not_step_aside(chat: bool, held: bool) -> None:
    windows, travels = group(Pet((0, False), on_window=False, clear=ASIDE, held=held), chat=chat)
    windows.chat_changed()
    assert travels == []


BEHIND = Rect(244, 100, 192, 208)


def test_from_behind_its_chat_it_comes_back_when_the_chat_moves() -> None:
    pet, chat_places = Pet((99, False), on_window=False, clear=ASIDE, behind=BEHIND), [CHAT]
    windows, travels = group(pet, chat=True, chat_places=chat_places)
    windows.stroll(1.0)
    pet.goes_to(BEHIND)
    windows.move_pet(144, 0, done=True, walk=1)
    windows.stroll(-1.0)  # not from there
    windows.chat_changed()  # reported again, where it was
    assert travels == [(144, 0, "peek")]  # half behind it, it covers nothing of it
    chat_places.append(CHAT.at(360, 0))
    windows.chat_changed()
    assert travels[1:] == [(-144, 0, "walk")]


def test_from_behind_its_chat_it_comes_back_by_itself() -> None:
    pet = Pet((99, False), on_window=False, behind=BEHIND)
    windows, travels = group(pet, chat=True)
    windows.stroll(1.0)
    for place, way in ((BEHIND, 144), (HERE, -144)):
        pet.goes_to(place)
        windows.move_pet(way, 0, done=True, walk=1)
    windows.stroll(1.0)
    assert [how for _dx, _dy, how in travels] == ["peek", "peek"]


@pytest.mark.parametrize(("chat", "near"), [(False, False), (True, True)], ids=["chat closed", "came near"])
def test_it_peeks_only_from_behind_a_chat_in_sight(chat: bool, near: bool) -> None:
    windows, travels = group(Pet((99, False), on_window=False, behind=BEHIND), chat=chat)
    windows.stroll(1.0, near)
    assert travels == [(99, 0, "walk")]


TALL_CHAT = Rect(612, 151, 440, 640)


class Vanishing:
    """A platform whose windows are there at every other question only, as when they close between two calls."""

    screens = own = others = property(lambda self: self)  # one for all parts

    def __init__(self, at: Rect) -> None:
        self.at, self.asked, self.chat = at, 0, TALL_CHAT
        self.moved: list[Any] = []

    def windows(self) -> list[Window]:
        self.asked += 1
        return [Window(1, Rect(0, 394, 1280, 300))] if self.asked % 2 else []

    def follow(self, _handle: int | None, moved: Any) -> None:
        self.moved.append(moved)

    def rect(self, window: Any) -> Rect:
        return self.chat if window == "chat" else self.at

    def place(self, _window: Any, rect: Rect) -> None:
        self.at = rect

    def monitors(self) -> list[Monitor]:
        return [Monitor("ONE", Rect(0, 0, 1280, 800), primary=True)]

    def after(self, _milliseconds: int, _work: Any) -> None:
        return

    def abilities(self) -> tuple[str, ...]:
        return "transparency", "click_through", "all_fullscreen"

    def set_outline(self, _window: Any, _rects: Any) -> None:
        return

    def show(self, _window: Any, *, focus: bool) -> None:
        assert not focus

    def hide(self, _window: Any) -> None:
        return


def weighing(
    platform: Vanishing, folder: Path, chat: Rect | None = None
) -> tuple[WindowGroup, list[tuple[int, int, str]]]:
    """Return the windows of a pet that falls, and what its page is told to do."""
    places = PlacementStore(JsonState(folder / "windows.json"))
    travels: list[tuple[int, int, str]] = []
    windows = WindowGroup(
        cast(Any, platform),
        PetWindow(cast(Any, platform), places, PetAppearance()),
        cast(Any, SimpleNamespace(in_sight=chat is not None, frame=chat, window="chat", settle=lambda _place: None)),
        cast(Any, SimpleNamespace(shown=False, follow=lambda _place: None, hide=lambda: None)),
        lambda dx, dy, how, _walk: travels.append((dx, dy, how)),
    )
    return windows, travels


def beside_its_chat(
    folder: Path, monkeypatch: pytest.MonkeyPatch, x: int
) -> tuple[Vanishing, WindowGroup, list[tuple[int, int, str]]]:
    platform = Vanishing(Rect(x, 592, 192, 208))
    monkeypatch.setattr(platform, "windows", lambda: [Window(1, TALL_CHAT, own=True)])
    return platform, *weighing(platform, folder, chat=TALL_CHAT)


def test_a_walk_that_was_replaced_before_its_page_heard_of_it_moves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    platform, windows, travels = beside_its_chat(tmp_path, monkeypatch, 1064)
    windows.stroll(-1.0)
    platform.chat = TALL_CHAT.at(608, 151)
    windows.chat_changed()  # before its first step
    assert travels == [(-108, 0, "peek"), (0, 0, "walk")]
    for step, done in ((-5, False), (-17, False), (-17, True)):  # until it hears of the second walk
        windows.move_pet(step, 0, done=done, walk=1)
    assert platform.at.x == 1064
    windows.move_pet(0, 0, done=True, walk=2)
    assert (platform.at.x, travels[2:]) == (1064, [])


def test_a_monitor_unplugged_while_it_walks_leaves_it_in_sight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = (Monitor(name, Rect(x, 0, 1280, 800), primary=not x) for name, x in (("LEFT", 0), ("RIGHT", 1280)))
    platform, later = Vanishing(Rect(1700, 592, 192, 208)), list[Any]()
    monkeypatch.setattr(platform, "windows", list)
    monkeypatch.setattr(platform, "after", lambda _milliseconds, work: later.append(work))
    monkeypatch.setattr(platform, "monitors", lambda: [left, right])
    windows, travels = weighing(platform, tmp_path)
    windows.stroll(1.0)
    assert [how for _dx, _dy, how in travels] == ["walk"]
    windows.move_pet(20, 0, done=False, walk=1)
    assert platform.at.x == 1720
    monkeypatch.setattr(platform, "monitors", lambda: [left])
    windows.monitors_changed()
    for work in later:
        work()
    assert left.work.overlap(platform.at) == 192 * 208
    windows.move_pet(60, 0, done=True, walk=1)  # its page had not heard of it
    assert left.work.overlap(platform.at) == 192 * 208


def test_stopped_on_its_way_behind_its_chat_it_goes_there_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    platform, windows, travels = beside_its_chat(tmp_path, monkeypatch, 1064)
    windows.stroll(-1.0)
    windows.move_pet(-17, 0, done=True, walk=1)  # a press on it
    windows.stroll(-1.0)
    assert (platform.at.x, travels) == (1047, [(-108, 0, "peek"), (-91, 0, "peek")])


def test_with_its_empty_side_over_its_chat_it_walks_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _platform, windows, travels = beside_its_chat(tmp_path, monkeypatch, 1030)
    windows.stroll(1.0)
    assert travels == [(58, 0, "walk")]


@pytest.mark.parametrize("floats", [True, False], ids=["with Shift", "without"])
def test_let_go_with_shift_it_stays_in_the_air(floats: bool, tmp_path: Path) -> None:
    platform = Vanishing(Rect(400, 100, 192, 208))
    windows, travels = weighing(platform, tmp_path)
    windows.move_pet(0, 40, done=True, floats=floats)
    assert [how for _dx, _dy, how in travels] == ([] if floats else ["fall"])
    assert platform.at.y == 140


def test_a_slow_page_goes_on_with_a_walk_and_one_that_stops_is_helped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    platform, later = Vanishing(Rect(400, 100, 192, 208)), list[Any]()
    monkeypatch.setattr(platform, "windows", list)
    monkeypatch.setattr(platform, "after", lambda _milliseconds, work: later.append(work))
    windows, travels = weighing(platform, tmp_path)
    windows.move_pet(0, 40, done=True)
    (_dx, dy, how), arrived = travels[0], later[-1]
    assert (how, dy) == ("fall", 592 - 140)
    windows.move_pet(0, 10, done=False, walk=2)
    arrived()
    assert platform.at.y == 150
    later[-1]()
    assert platform.at.y == 150  # held by its page, which is on its way
    windows.move_pet(0, dy, done=True, walk=2)
    assert platform.at.y == 592


def test_on_its_chat_it_does_not_step_onto_a_frame_that_is_only_assumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    platform = Vanishing(Rect(400, 160, 192, 208))
    monkeypatch.setattr(platform, "windows", lambda: [Window(1, Rect(300, 394, 420, 400), own=True)])
    windows, travels = weighing(
        platform, tmp_path, chat=Rect(299, 366, 422, 429)
    )  # as before a manager has framed it
    windows.move_pet(0, 40, done=True)
    windows.chat_changed()
    assert travels == []


@pytest.mark.parametrize("floats", [True, False], ids=["floats", "stands"])
def test_it_falls_when_its_chat_closes_before_the_server_tells_of_it(
    floats: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    platform = Vanishing(Rect(400, 160, 192, 208))
    there = [] if floats else [Window(1, Rect(0, 394, 1280, 300))]
    later = list[Any]()
    monkeypatch.setattr(platform, "windows", lambda: there)
    monkeypatch.setattr(platform, "after", lambda _milliseconds, work: later.append(work))
    windows, travels = weighing(platform, tmp_path)
    windows.move_pet(0, 40, done=True, floats=floats)
    assert travels == []  # it was let go on the edge, or to float
    windows.chat_changed()
    assert travels == []
    there.clear()
    windows.chat_changed()
    windows.chat_changed()
    for work in later:
        work()
    assert travels == ([] if floats else [(0, 392, "fall")])


class Stage:
    """A monitor with one window on whose title bar the pet sits, and timers that run when they are told to."""

    full = Rect(0, 0, 1280, 800)

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.platform, self.later = Vanishing(Rect(704, 200, 192, 208)), list[Any]()
        self.ledge = [Window(1, Rect(600, 450, 402, 322))]
        monkeypatch.setattr(self.platform, "windows", lambda: list(self.ledge))
        monkeypatch.setattr(self.platform, "after", lambda _milliseconds, work: self.later.append(work))
        self.windows, self.travels = weighing(self.platform, folder)
        self.windows.move_pet(0, 56, done=True)
        assert (self.platform.at, self.travels) == (Rect(704, 256, 192, 208), [])

    def window_at(self, frame: Rect | None) -> None:
        """Move the window, and let the server tell of it."""
        self.ledge[:] = [Window(1, frame)] if frame else []
        self.platform.moved[-1](frame)

    def filled(self, filled: bool) -> None:
        self.windows.step_aside(frozenset({"ONE"} if filled else ()))

    def play(self) -> None:
        """Let time pass, in which the page does at once what it was sent to do."""
        for _ in range(3):
            due, self.later[:] = list(self.later), []
            for work in due:
                work()
            while self.travels:
                dx, dy, _how = self.travels.pop()
                self.windows.move_pet(dx, dy, done=True, walk=self.windows._walks)


@pytest.mark.parametrize("told", ["window first", "monitor first"])
def test_after_the_full_screen_of_the_window_beneath_it_is_where_it_was(
    told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the server tells of it: the window's new frame, and a filled monitor, in either order."""
    stage = Stage(tmp_path, monkeypatch)
    before, frame = stage.platform.at, stage.ledge[0].frame
    for _ in range(3):
        for at, filled in ((Stage.full, True), (frame, False)):
            if told == "monitor first":
                stage.filled(filled)
            stage.window_at(at)
            stage.filled(filled)
            stage.play()
        assert (stage.platform.at, stage.travels) == (before, [])
    stage.window_at(frame.at(500, 400))
    assert stage.platform.at == before.at(604, 206)  # and goes along as before


def test_another_window_that_fills_the_screen_before_the_server_tells_of_it_leaves_the_pet_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(tmp_path, monkeypatch)
    before = stage.platform.at
    stage.ledge.append(Window(2, Stage.full))
    stage.windows.chat_changed()  # what makes the pet see to its ground
    stage.filled(True)
    stage.play()
    stage.ledge.pop()
    stage.filled(False)
    stage.play()
    assert (stage.platform.at, stage.travels) == (before, [])


def test_what_became_of_its_window_in_a_full_screen_is_followed_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(tmp_path, monkeypatch)
    frame = stage.ledge[0].frame
    stage.window_at(Stage.full)
    stage.filled(True)
    stage.play()
    stage.window_at(frame.at(500, 400))
    stage.filled(False)
    stage.play()
    assert stage.platform.at == Rect(604, 206, 192, 208)
    stage.window_at(Stage.full)
    stage.filled(True)
    stage.window_at(None)  # ended in its full screen
    stage.play()
    assert stage.platform.at == Rect(604, 206, 192, 208)
    stage.filled(False)
    stage.play()
    assert stage.platform.at == Rect(604, 592, 192, 208)


def test_a_walk_that_ends_in_a_full_screen_leaves_no_pet_in_the_air(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(tmp_path, monkeypatch)
    stage.windows.stroll(-0.5)
    ((dx, dy, _how),) = stage.travels
    stage.travels.clear()
    stage.filled(True)
    stage.windows.move_pet(dx, dy, done=True, walk=stage.windows._walks)
    stage.ledge.clear()
    stage.filled(False)
    stage.play()
    assert stage.platform.at == Rect(704 + dx, 592, 192, 208)


def test_when_its_window_is_maximised_it_falls_straight_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(tmp_path, monkeypatch)
    stage.window_at(Stage.full)
    stage.play()
    assert stage.platform.at == Rect(704, 592, 192, 208)


@pytest.mark.parametrize("first", [0, 1], ids=["gone at first", "gone at second"])
def test_windows_that_vanish_between_two_calls_leave_it_on_the_floor(first: int, tmp_path: Path) -> None:
    platform = Vanishing(Rect(400, 100, 192, 208))
    platform.asked = first
    windows, travels = weighing(platform, tmp_path)
    windows.move_pet(0, 40, done=True)  # the owner lets go of it
    for _ in range(8):
        windows.stroll(1.0)
        if travels:  # its page does at once what it was sent to do
            dx, dy, _how = travels.pop()
            windows.move_pet(dx, dy, done=True)
        if platform.moved:
            platform.moved[-1](None)  # the window under its feet is gone
    assert 0 <= platform.at.x <= 1280 - 192
    assert platform.at.y in (200, 592)  # on that window's edge, while it is there, or on the floor
    platform.asked = 1
    platform.windows = list  # type: ignore[method-assign]
    platform.moved[-1](None)
    for dx, dy, _how in travels[-1:]:
        windows.move_pet(dx, dy, done=True)
    assert platform.at.y == 592


HIGH, SIDE = Rect(60, 20, 192, 208), Rect(61, 60, 192, 208)


def arrive(windows: WindowGroup, pet: Pet, place: Rect) -> None:
    pet.goes_to(place)
    windows.move_pet(0, 0, done=True, walk=windows._walks)


def test_it_goes_an_outing_leg_by_leg() -> None:
    pet = Pet((0, False), on_window=False)
    foot = Rect(60, 100, 192, 208)
    pet.legs = [(foot, "walk"), (SIDE, "climb"), (HIGH, "hop")]
    windows, travels = group(pet)
    windows.stroll(-1.0, what="climb")
    for each in (foot, SIDE):
        windows.stroll(1.0)  # one thing at a time
        arrive(windows, pet, each)
    assert travels == [(-40, 0, "walk"), (1, -40, "climb"), (-1, -40, "hop")]
    arrive(windows, pet, HIGH)
    assert len(travels) == 3


def test_taken_by_its_owner_in_the_middle_of_an_outing_it_goes_no_further() -> None:
    pet = Pet((0, False), on_window=False)
    pet.legs = [(SIDE, "climb"), (HIGH, "hop")]
    windows, travels = group(pet)
    windows.stroll(-1.0, what="climb")
    windows.move_pet(300, 0, done=True)
    assert [how for _dx, _dy, how in travels] == ["climb"]


def test_for_a_trip_it_walks_to_the_edge_and_leaves_and_its_bubble_calls_it_back() -> None:
    pet = Pet((99, False), on_window=False)
    edge = Rect(0, 100, 192, 208)
    pet.legs = [(edge, "walk")]
    windows, travels = group(pet)
    windows.stroll(-1.0, what="trip")
    windows.call_back()  # not gone yet
    arrive(windows, pet, edge)
    windows.stroll(1.0)  # it is away
    windows.call_back()
    windows.call_back()
    assert travels == [(-100, 0, "walk"), (-1, 0, "leave"), (0, 0, "back")]


def test_at_the_edge_already_it_leaves_at_once() -> None:
    pet = Pet((0, False), on_window=False)
    pet.legs = [(HERE, "walk")]
    windows, travels = group(pet)
    windows.stroll(1.0, what="trip")
    assert travels == [(1, 0, "leave")]


def test_it_visits_another_pet_and_says_that_it_plays() -> None:
    pet = Pet((0, False), on_window=False)
    beside = Rect(300, 100, 192, 208)
    pet.legs = [(beside, "walk")]
    windows, travels = group(pet)
    plays: list[float] = []
    windows.plays = plays.append
    windows.stroll(1.0, what="visit")
    arrive(windows, pet, beside)
    assert (travels, plays) == ([(200, 0, "walk"), (0, 0, "play")], [200])


@pytest.mark.parametrize("how", ["as before", "elsewhere", "covered", "moved by hand"])
def test_when_its_window_fills_the_screen_and_is_back_it_is_where_it_was(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    platform = Vanishing(Rect(400, 160, 192, 208))
    ledge, film = Window(1, Rect(300, 394, 420, 300)), Window(2, Rect(0, 0, 1280, 800))
    there, later, follows = [ledge], list[Any](), list[Any]()

    def passes() -> None:
        works, later[:] = list(later), []
        for work in works:
            work()

    monkeypatch.setattr(platform, "windows", lambda: list(there))
    monkeypatch.setattr(platform, "after", lambda milliseconds, work: later.append(work) if milliseconds < 999 else 0)
    monkeypatch.setattr(platform, "follow", lambda handle, moved: follows.append((handle, moved)))
    windows, travels = weighing(platform, tmp_path)
    windows.move_pet(0, 40, done=True)
    assert (travels, follows[-1][0]) == ([], 1)
    there[:] = [Window(1, Rect(0, 0, 1280, 800))]  # no full screen, for which it would hide
    follows[-1][1](there[0].frame)
    passes()
    assert travels == [(0, 392, "fall")]
    windows.move_pet(0, 392, done=True, walk=windows._walks)
    passes()
    assert follows[-1][0] == 1
    if how == "moved by hand":
        windows.move_pet(-100, 0, done=True)
        passes()
    there[:] = [Window(1, Rect(500, 394, 420, 300)) if how == "elsewhere" else ledge]
    if how == "covered":
        there.append(film)
    if follows[-1][0] is not None:
        follows[-1][1](there[0].frame)
    passes()
    assert travels[1:] == ([(0, -392, "hop")] if how == "as before" else [])


class Given:
    """A ball and a cushion. ``lies``: where the pet lies."""

    def __init__(self, lies: Rect | None = None) -> None:
        self.ball, self.kicks, self.lies = Rect(600, 260, 48, 48), list[float](), lies

    def bed(self, _pet: Rect) -> Rect | None:
        return self.lies

    def kick(self, way: float) -> None:
        self.kicks.append(way)


def test_it_walks_to_its_ball_and_kicks_it() -> None:
    pet = Pet((0, False), on_window=False)
    beside = Rect(420, 100, 192, 208)
    pet.legs = [(beside, "walk")]
    windows, travels = group(pet)
    later: list[Any] = []
    cast(Any, windows)._platform.after = lambda _milliseconds, work: later.append(work)
    windows.belongings = given = cast(Any, Given())
    windows.stroll(1.0, what="ball")
    arrive(windows, pet, beside)
    assert travels == [(320, 0, "walk"), (1, 0, "kick")]
    later[-1]()
    assert [each > 0 for each in given.kicks] == [True]


def test_it_naps_on_its_cushion_also_in_the_air_and_gets_down_afterwards() -> None:
    pet = Pet((99, False), on_window=False)
    bed = Rect(300, 20, 192, 208)
    windows, travels = group(pet)
    windows.stroll(0.0, what="nap")
    assert travels == []  # it has none
    windows.belongings = cast(Any, Given(bed))
    windows.stroll(0.0, what="nap")
    arrive(windows, pet, bed)
    windows.stroll(0.0, what="nap")
    assert (travels, pet.lifted) == ([(200, -80, "hop")], 1)  # and it does not fall
    pet.landing = lambda: HERE  # type: ignore[method-assign]
    windows.stroll(1.0)
    assert travels[1:] == [(-200, 80, "fall")]
