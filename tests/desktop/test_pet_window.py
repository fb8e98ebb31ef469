"""The pet's window against a window manager with a mind of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pet.desktop.geometry import Mask, Monitor, Rect
from pet.desktop.pet_view import PetView
from pet.desktop.pet_window import PetAppearance, PetWindow
from pet.desktop.placement_store import PlacementStore
from pet.desktop.qt_desktop import QtDesktop
from pet.settings.program_state import JsonState

WIDE, SMALL = Rect(0, 0, 1280, 800), Rect(0, 0, 1024, 600)
ELSEWHERE = Rect(100, 100, 192, 208)
BODY = Rect(0, 0, 68, 208)
"""What is drawn in the window, and may be clicked."""
WINDOW: dict[str, Any] = {"devicePixelRatioF": lambda: 1.0, "setWindowOpacity": lambda _share: None}


class Desk:
    """A platform with one monitor, one window and timers that run when they are told to."""

    screens = own = others = property(lambda self: self)  # one for all parts

    def __init__(self) -> None:
        self.area = WIDE
        self.at = Rect(0, 0, 192, 208)
        self.outline: Sequence[Rect] | None = None
        self._timers: list[Callable[[], object]] = []
        self.waits: list[int] = []
        self.blends = True
        self.painted: Sequence[Rect] = ()

    def monitors(self) -> list[Monitor]:
        return [Monitor("LEFT", self.area, primary=True, area=self.area)]

    def rect(self, _window: Any) -> Rect:
        return self.at

    def place(self, _window: Any, rect: Rect) -> None:
        self.at = rect

    def show(self, _window: Any, *, focus: bool) -> None:
        assert not focus

    def abilities(self) -> frozenset[str]:
        return frozenset({"click_through", *(["transparency"] if self.blends else [])})

    def set_outline(self, _window: Any, rects: Sequence[Rect] | None) -> None:
        self.outline = rects

    def set_silhouette(self, _window: Any, rects: Callable[[], Sequence[Rect]]) -> None:
        self.painted = rects()

    def after(self, milliseconds: int, run: Callable[[], object]) -> None:
        self.waits.append(milliseconds)
        self._timers.append(run)

    def pass_time(self) -> None:
        due, self._timers = self._timers, []
        for run in due:
            run()


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def pet(desk: Desk, tmp_path: Path) -> PetWindow:
    pet = PetWindow(cast(QtDesktop, desk), PlacementStore(JsonState(tmp_path / "windows.json")), PetAppearance())
    pet.window = cast(
        PetView, SimpleNamespace(outline=lambda: [BODY], silhouette=lambda: [BODY], drawn_mask=None, **WINDOW)
    )
    pet.be_at(Rect(1084, 586, 192, 208))
    return pet


def test_what_the_window_manager_moves_after_a_change_of_monitors_returns(desk: Desk, pet: PetWindow) -> None:
    kept = desk.at
    desk.area = SMALL
    pet.stir()
    pet.settle()
    assert desk.at == Rect(828, 386, 192, 208)
    desk.area = WIDE
    pet.stir()
    pet.settle()
    desk.at = Rect(828, 386, 192, 208)  # the window manager still keeps it on the small one
    assert not pet.rested()  # nobody chose that
    desk.pass_time()
    assert desk.at == kept


def test_what_the_window_manager_moves_as_it_is_shown_stays(desk: Desk, pet: PetWindow) -> None:
    pet.show()
    desk.at = ELSEWHERE
    desk.pass_time()
    assert desk.at == ELSEWHERE


def test_a_pet_in_the_hand_is_left_there_after_a_change_of_monitors(desk: Desk, pet: PetWindow) -> None:
    pet.stir()
    pet.settle()
    pet.move(-500, -300, done=False)
    desk.at = ELSEWHERE
    desk.pass_time()
    assert desk.at == ELSEWHERE


def test_its_outline_is_set_anew_once_the_drawing_has_left_it(desk: Desk, pet: PetWindow) -> None:
    def shows(x: int) -> None:
        mask = Mask.of([bytes(20 + x) + b"\xff" * 8 + bytes(60 - x)] * 8)
        outlines = {"outline": lambda: mask.outline(4), "silhouette": lambda: mask.outline(1)}
        shown = SimpleNamespace(drawn_mask=mask, **outlines, **WINDOW)
        pet.window = cast(PetView, shown)
        pet._outline()

    shows(0)
    first = desk.outline
    shows(2)
    assert desk.outline is first  # within it
    assert desk.painted[0].x == 21  # what is painted changes with each picture
    shows(9)
    assert desk.outline == [Rect(25, 0, 16, 8)]
    pet.move(-10, -10, done=False)
    pet.move(-10, -10, done=True)
    assert desk.outline == [Rect(25, 0, 16, 8)]


def test_a_pet_in_the_hand_is_held_by_its_whole_window(desk: Desk, pet: PetWindow) -> None:
    """A compositor may drop a hand that leaves the outline before the window has followed."""
    pet.show()
    pet.move(0, 0, done=True)
    outline = desk.outline
    assert outline == [BODY] == desk.painted
    pet.move(-10, -10, done=False)
    pet._outline()  # another face
    desk.pass_time()
    assert desk.outline is None
    pet.move(-20, -20, done=True)
    desk.pass_time()
    assert desk.outline == outline
