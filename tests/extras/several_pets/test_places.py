"""Where a pet stands that comes to others."""

from __future__ import annotations

from pathlib import Path

from pet.desktop.geometry import Rect
from pet.desktop.placement_store import PlacementStore
from pet.extras.several_pets.meeting import make_room
from pet.settings.program_state import JsonState
from tests.desktop.test_placement_store import MAIN, SIZE


def test_a_pet_that_comes_too_stands_off_the_chat_that_brought_it(tmp_path: Path) -> None:
    file = tmp_path / "windows.json"
    here, chat = Rect(1700, 800, *SIZE), Rect(1100, 300, 590, 780)
    assert here.overlap(chat) == 0
    make_room(PlacementStore(JsonState(file), "two"), [here], [MAIN], chat)
    came = PlacementStore(JsonState(file), "two").pet_place(SIZE, [MAIN])
    assert (came.overlap(here), came.overlap(chat), came.y) == (0, 0, here.y)
    make_room(PlacementStore(JsonState(file), "three"), [here, came], [MAIN], chat)
    next_to_it = PlacementStore(JsonState(file), "three").pet_place(SIZE, [MAIN])
    assert [next_to_it.overlap(each) for each in (here, came, chat)] == [0, 0, 0]
    whole = Rect(0, 0, 1920, 1080)  # no place is off it
    make_room(PlacementStore(JsonState(file), "four"), [here], [MAIN], whole)
    beside = PlacementStore(JsonState(file), "four").pet_place(SIZE, [MAIN])
    assert (beside.overlap(here), beside.y) == (0, here.y)
