"""The ball and the cushion: shown as the settings say and with the pet, kept where they were put."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtWidgets import QApplication

from pet.body.motion import Vector
from pet.desktop.geometry import Monitor, Rect
from pet.desktop.placement_store import PlacementStore
from pet.extras.belongings import bring_things
from pet.extras.belongings.windows import Belongings
from pet.settings.program_state import JsonState
from pet.settings.schema import Settings, changed

GIVEN = changed(Settings(), {"pet_ball": True, "pet_cushion": True})
PET = Rect(1064, 568, 192, 208)
ONE = Monitor("ONE", Rect(0, 0, 1280, 760), primary=True, area=Rect(0, 0, 1280, 800))
TWO = Monitor("TWO", Rect(1280, 0, 3840, 2160), primary=False, area=Rect(1280, 0, 3840, 2160))


@pytest.fixture(scope="module", autouse=True)
def _app() -> object:
    return QApplication.instance() or QApplication(["tests", "-platform", "offscreen"])


class Desk:
    screens = own = others = property(lambda self: self)  # one for all parts

    def __init__(self) -> None:
        self.places: dict[Any, Rect] = {}
        self.visible: set[Any] = set()
        self.later: list[Callable[[], object]] = []
        self.plugged = [ONE]

    def monitors(self) -> list[Monitor]:
        return self.plugged

    def prepare_window(self, _view: Any, *, kind: str) -> None:
        assert kind != "chat"

    def place(self, view: Any, place: Rect) -> None:
        self.places[view] = place

    def show(self, view: Any, *, focus: bool) -> None:
        assert not focus
        self.visible.add(view)

    def hide(self, view: Any) -> None:
        self.visible.discard(view)

    def pet_shown(self, _view: Any) -> None:
        return

    def set_outline(self, _view: Any, rects: Any) -> None:
        assert rects

    def set_silhouette(self, _view: Any, rects: Callable[[], Any]) -> None:
        assert rects()

    def after(self, _milliseconds: int, work: Callable[[], object]) -> None:
        self.later.append(work)

    def passes(self, most: int = 2_000) -> int:
        count = 0
        while self.later and count < most:
            self.later.pop(0)()
            count += 1
        return count


def opened(folder: Path, settings: Settings = GIVEN, *, leads: bool = True) -> tuple[Desk, Belongings]:
    desk = Desk()
    things = Belongings(cast(Any, desk), PlacementStore(JsonState(folder / "windows.json")))
    things.apply(settings, leads=leads)
    desk.passes()
    return desk, things


def test_they_are_there_as_the_settings_say_with_the_pet_and_of_several_programs_in_one(tmp_path: Path) -> None:
    desk, things = opened(tmp_path)
    assert len(desk.visible) == 2
    things.show(False)
    assert (len(desk.visible), things.ball, things.bed(PET)) == (0, None, None)
    things.show(True)
    assert len(desk.visible) == 2
    things.apply(changed(Settings(), {"pet_ball": True}), leads=True)
    assert (len(desk.visible), things.bed(PET)) == (1, None)
    things.apply(Settings(), leads=True)
    assert (desk.visible, things.ball) == (set(), None)
    assert opened(tmp_path, leads=False)[0].visible == set()


def test_kicked_the_ball_rolls_rests_and_is_there_again_after_a_restart(tmp_path: Path) -> None:
    desk, things = opened(tmp_path)
    before = things.ball
    assert before is not None
    things.kick(-1)
    assert [things.ball] == [None]  # it rolls
    assert desk.passes() < 400
    after = things.ball
    assert after is not None
    assert after.x < before.x - 100
    assert after.bottom == 760
    assert opened(tmp_path)[1].ball == after


def test_thrown_the_ball_flies_and_the_cushion_stays_where_it_is_put(tmp_path: Path) -> None:
    desk, things = opened(tmp_path)
    things._dragged("ball", 0, -400, False, None)
    things._dragged("ball", 0, -400, True, Vector(0.5, -0.5))
    desk.passes()
    assert things.ball is not None
    assert things.ball.bottom == 760
    things._dragged("cushion", -300, -500, True, None)
    desk.passes()
    bed = things.bed(PET)
    assert bed is not None
    assert bed.y < 200
    assert opened(tmp_path)[1].bed(PET) == bed


def test_hidden_while_it_rolls_it_moves_no_further(tmp_path: Path) -> None:
    desk, things = opened(tmp_path)
    things.kick(1)
    things.show(False)
    assert desk.passes() <= 1


def test_on_a_monitor_that_goes_they_come_in_sight_and_are_back_there_with_it(tmp_path: Path) -> None:
    desk, things = opened(tmp_path)
    desk.plugged = [ONE, TWO]
    things._dragged("ball", 3_000, 1_300, True, None)
    things._dragged("cushion", 2_400, 1_300, True, None)
    desk.passes()
    before = dict(desk.places)
    assert all(each.x > 2_000 for each in before.values())
    desk.plugged = [ONE]
    things.settle()
    assert all(each.right <= 1280 for each in desk.places.values())
    desk.plugged = [ONE, TWO]
    things.settle()
    assert desk.places == before


def test_nothing_is_made_for_a_pet_that_was_given_nothing(tmp_path: Path) -> None:
    places = PlacementStore(JsonState(tmp_path / "windows.json"))
    assert bring_things(cast(Any, Desk()), places, Settings()) is None
    assert isinstance(bring_things(cast(Any, Desk()), places, GIVEN), Belongings)
