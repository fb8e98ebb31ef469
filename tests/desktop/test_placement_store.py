"""Where the windows were is remembered, for each monitor."""

from __future__ import annotations

from pathlib import Path

import pytest

from pet.desktop.geometry import Monitor, Rect
from pet.desktop.pet_actor import UNKNOWN_BODY
from pet.desktop.placement_store import CHAT_MINIMUM, CHAT_SIZE, PlacementStore
from pet.settings.program_state import JsonState
from pet.skins.model import BODIES

MAIN = Monitor("main", Rect(0, 28, 1920, 1052), primary=True)
SIDE = Monitor("side", Rect(1920, 0, 1280, 1024))
SIZE = (192, 208)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "windows.json"


def test_each_monitor_has_its_own_place(file: Path) -> None:
    places = PlacementStore(JsonState(file))
    places.keep_pet(Rect(100, 200, *SIZE), [MAIN, SIDE])
    places.keep_pet(Rect(2000, 300, *SIZE), [MAIN, SIDE])
    again = PlacementStore(JsonState(file))
    assert again.pet_place(SIZE, [MAIN, SIDE]) == Rect(2000, 300, *SIZE)
    assert again.pet_place(SIZE, [MAIN]) == Rect(100, 200, *SIZE)  # the second one was unplugged
    moved = Monitor("side", Rect(-1280, 0, 1280, 1024))
    assert again.pet_place(SIZE, [MAIN, moved]) == Rect(-1200, 300, *SIZE)


def test_a_place_that_no_longer_exists_is_moved_into_sight(file: Path) -> None:
    PlacementStore(JsonState(file)).keep_pet(Rect(1700, 800, *SIZE), [MAIN])
    smaller = Monitor("main", Rect(0, 0, 1024, 700), primary=True)
    assert PlacementStore(JsonState(file)).pet_place(SIZE, [smaller]) == Rect(1024 - 220, 700 - 280, *SIZE)


def test_what_sat_in_a_corner_sits_there_still_after_a_change_of_resolution(file: Path) -> None:
    places = PlacementStore(JsonState(file))
    corner = Rect(1920 - 200, 28 + 1052 - 220, *SIZE)
    places.keep_pet(corner, [MAIN])
    larger = Monitor("main", Rect(0, 28, 2560, 1412), primary=True)
    assert places.pet_place(SIZE, [larger]) == Rect(2560 - 200, 28 + 1412 - 220, *SIZE)
    assert places.pet_place(SIZE, [MAIN]) == corner  # and back


def test_a_panel_that_comes_pushes_the_pet_only_as_far_as_it_must(file: Path) -> None:
    whole = Rect(0, 0, 1920, 1080)
    bare = Monitor("main", whole, primary=True, area=whole)
    with_panel = Monitor("main", Rect(0, 40, 1920, 1040), primary=True, area=whole)
    places = PlacementStore(JsonState(file))
    places.keep_pet(Rect(500, 10, *SIZE), [bare])
    assert places.pet_place(SIZE, [with_panel]) == Rect(500, 40, *SIZE)
    places.keep_pet(Rect(500, 300, *SIZE), [bare])
    assert places.pet_place(SIZE, [with_panel]) == Rect(500, 300, *SIZE)


def test_a_place_from_an_earlier_version_is_found(file: Path) -> None:
    file.write_text('{"pet": {"main": [100, 200]}, "monitor": "main", "chat": [500, 600]}')
    places = PlacementStore(JsonState(file))
    assert places.pet_place(SIZE, [MAIN]) == Rect(100, 228, *SIZE)
    assert places.chat_size(MAIN) == (500, 600)


def test_the_chat_has_a_size_and_a_place_on_each_monitor(file: Path) -> None:
    places = PlacementStore(JsonState(file))
    assert places.chat_on(MAIN, (440, 640)) is None
    places.keep_chat((500, 600), MAIN)
    assert places.chat_on(MAIN, (500, 600)) is None  # only its size was the owner's wish
    places.keep_chat((500, 600), MAIN, (40, 60))
    places.keep_chat((700, 800), SIDE, (2000, 100))
    places.keep_chat((520, 620), MAIN)  # a place once chosen stays
    again = PlacementStore(JsonState(file))
    assert again.chat_size(MAIN) == (520, 620)
    assert again.chat_on(MAIN, (520, 620)) == Rect(40, 60, 520, 620)
    assert again.chat_on(SIDE, (700, 800)) == Rect(2000, 100, 700, 800)
    assert again.chat_size(Monitor("third", Rect(0, 0, 800, 600))) == (520, 620)  # as it was last
    again.forget_chat(MAIN)
    assert again.chat_on(MAIN, (520, 620)) is None
    assert again.chat_on(SIDE, (700, 800)) is not None


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no json",
        "[]",
        '{"pet": 3, "monitor": {}, "chat": "big"}',
        '{"pet": {"main": [1]}, "monitor": "main", "chat": [1, null]}',
        '{"pet": {"main": [true, 1e9]}, "monitor": "main", "chat": [1e300, 5]}',
        '{"pet": {"main": [99999999999, 5]}, "monitor": "main"}',
        '{"pet": {"main": {"at": [5], "of": 3}}, "monitor": 7, "chats": [1]}',
        '{"pet": {"main": {"at": [1e300, 5], "of": [10, 10]}}, "chats": {"main": {"size": "x", "at": [0, true]}}}',
    ],
)
def test_a_state_that_makes_no_sense_counts_as_none(file: Path, content: str) -> None:
    file.write_text(content)
    places = PlacementStore(JsonState(file))
    place = places.pet_place(SIZE, [MAIN])
    assert (place.right, place.bottom) == (1896, 1056)
    assert places.chat_size(MAIN) == CHAT_SIZE
    assert places.chat_on(MAIN, CHAT_SIZE) is None
    places.keep_chat(CHAT_SIZE, MAIN, (50, 60))
    assert places.chat_on(MAIN, CHAT_SIZE) == Rect(50, 60, *CHAT_SIZE)
    places.keep_pet(Rect(10, 40, *SIZE), [MAIN])
    assert PlacementStore(JsonState(file)).pet_place(SIZE, [MAIN]) == Rect(10, 40, *SIZE)


def test_the_chat_is_never_smaller_than_usable(file: Path) -> None:
    places = PlacementStore(JsonState(file))
    places.keep_chat((10, 10))
    assert places.chat_size() == CHAT_MINIMUM
    places.keep_chat((700, 800))
    assert PlacementStore(JsonState(file)).chat_size() == (700, 800)


def test_a_disk_that_takes_nothing_costs_only_the_memory_of_the_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    places = PlacementStore(JsonState(tmp_path / "file" / "windows.json"))
    places.keep_pet(Rect(1, 40, *SIZE), [MAIN])
    assert places.chat_size() == CHAT_SIZE


def test_first_frame_shows_the_body_of_the_pet_that_comes(tmp_path: Path) -> None:
    places = PlacementStore(JsonState(tmp_path / "windows.json"))
    assert places.body(None) == ""  # the very first start: the shipped one
    assert places.body("bun") == UNKNOWN_BODY
    places.keep_body("bun", BODIES[2])
    places.keep_body("fox", "codex/fox-2")
    again = PlacementStore(JsonState(tmp_path / "windows.json"))
    assert [again.body(pet) for pet in ("bun", "fox", "other", None)] == [BODIES[2], *[UNKNOWN_BODY] * 3]
