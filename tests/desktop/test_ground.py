"""What the pet stands on: the work area's bottom, or the top edge of a window beneath it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.desktop.geometry import Monitor, Rect
from pet.desktop.ground import (
    Leg,
    Window,
    at_rest,
    clear_of,
    clear_of_newcomer,
    climb,
    feet_of,
    hop,
    landing,
    on_top,
    peek,
    stroll,
    to_ball,
    trip,
    typed_in,
    window_below,
)

WORK = Rect(0, 0, 1280, 760)
MONITORS = [Monitor("LEFT", WORK, primary=True, area=Rect(0, 0, 1280, 800))]
PET = Rect(500, 100, 192, 208)


def window(handle: int, x: int, y: int, width: int, height: int) -> Window:
    return Window(handle, Rect(x, y, width, height))


EDITOR = window(1, 400, 500, 600, 200)


def test_in_the_air_it_falls_to_the_bottom_of_the_work_area() -> None:
    assert landing(PET, [], MONITORS) == Rect(500, 760 - 208, 192, 208)


def test_it_lands_with_its_feet_on_the_nearest_window_below() -> None:
    lower = window(2, 300, 650, 600, 100)
    place = landing(PET, [lower, EDITOR], MONITORS)
    assert feet_of(place) == 500
    assert landing(place, [lower, EDITOR], MONITORS) == place
    below = window_below(place, [lower, EDITOR], WORK)
    assert below is not None
    assert below.handle == 1


@pytest.mark.parametrize(
    "windows",
    [
        [window(1, 700, 500, 600, 200)],  # beside it
        [window(1, 400, 150, 600, 600)],  # behind it: its top is above the feet
        [window(1, 590, 500, 3, 3)],  # three pixels wide
        [EDITOR, window(3, 0, 0, 1280, 760)],  # its edge is covered
        [window(1, 400, 758, 600, 200)],  # at the very bottom
    ],
    ids=["beside", "behind", "tiny", "covered", "at the bottom"],
)
def test_what_is_nothing_to_stand_on_is_passed_by(windows: list[Window]) -> None:
    assert landing(PET, windows, MONITORS).bottom == 760


def test_an_edge_without_room_above_it_is_passed_by() -> None:
    high = window(1, 400, 120, 600, 400)
    assert landing(PET.at(500, 0), [high], MONITORS).bottom == 760


def test_it_walks_along_the_bottom_and_stays_in_the_work_area() -> None:
    floor = landing(PET, [], MONITORS)
    assert stroll(floor, 1.0, [], WORK) == (220, False)
    assert stroll(floor, 0.05, [], WORK) == (0, False)  # hardly a step
    assert stroll(floor.at(1000, floor.y), 1.0, [], WORK) == (88, False)
    assert stroll(floor.at(0, floor.y), -1.0, [], WORK) == (0, False)


def test_it_walks_to_the_end_of_an_edge_and_no_further() -> None:
    place = on_top(PET.at(700, 0), 500)
    assert stroll(place, 1.0, [EDITOR], WORK) == (188, True)
    assert round(place.at(700 + 188, place.y).centre[0]) == 1000 - 16


def test_in_the_air_it_takes_no_step() -> None:
    assert stroll(PET, 1.0, [EDITOR], WORK) == (0, False)


RECTS = st.builds(
    Rect, st.integers(-2000, 3000), st.integers(-2000, 3000), st.integers(1, 4000), st.integers(1, 4000)
)


@given(
    st.integers(0, 1088), st.integers(0, 552), st.lists(st.builds(Window, st.integers(1, 99), RECTS), max_size=100)
)
def test_wherever_windows_are_it_falls_down_within_the_work_area_and_then_stands(
    x: int, y: int, windows: list[Window]
) -> None:
    here = PET.at(x, y)
    place = landing(here, windows, MONITORS)
    assert place.y >= here.y - 4
    assert 0 <= place.y <= 760 - 208
    assert place.x == x
    assert at_rest(place, landing(place, windows, MONITORS))
    for way in (-1.0, 1.0):
        distance, _at_edge = stroll(place, way, windows, WORK)
        assert 0 <= place.x + distance <= 1280 - 192


@given(st.lists(st.builds(Window, st.integers(1, 9), RECTS.map(lambda each: each.at(-each.x * 9**6, each.y * 9**6)))))
def test_a_window_manager_that_says_nonsense_moves_it_nowhere_but_down(windows: list[Window]) -> None:
    place = landing(PET, windows, MONITORS)
    assert (place.x, 0 <= place.y - PET.y <= 760 - 208 - PET.y) == (PET.x, True)


@pytest.mark.parametrize("size", [(3, 3), (-40, -40), (0, 0), (3, 10**9)], ids=str)
def test_a_tiny_or_impossible_window_carries_nothing(size: tuple[int, int]) -> None:
    assert landing(PET, [window(1, 590, 500, *size)], MONITORS).bottom == 760


def test_two_monitors_of_different_scale_each_have_their_own_ground() -> None:
    small = Monitor("RIGHT", Rect(1280, 0, 960, 540), area=Rect(1280, 0, 960, 540))
    both = [*MONITORS, small]
    assert landing(PET.at(1500, 100), [], both).bottom == 540
    assert landing(PET.at(500, 100), [], both).bottom == 760
    assert landing(PET.at(1500, 100), [], MONITORS).bottom == 760  # its monitor was unplugged under it


CHAT = Rect(300, 200, 420, 560)
"""A chat with its frame, on the floor."""
FLOOR = landing(PET, [], MONITORS)
ITS_WINDOW = Window(7, CHAT, own=True)


@pytest.mark.parametrize(
    ("x", "place"),
    [
        (310, (300 - 192, FLOOR.y)),  # to the nearer side
        (600, (720, FLOOR.y)),
        (300 - 180, None),  # nothing of the drawing is over the chat
        (720, None),
    ],
)
def test_it_steps_aside_from_the_text_of_its_chat(x: int, place: tuple[int, int] | None) -> None:
    aside = clear_of(FLOOR.at(x, FLOOR.y), CHAT, [ITS_WINDOW], WORK)
    assert (aside and (aside.x, aside.y)) == place
    if aside is not None:
        assert clear_of(aside, CHAT, [ITS_WINDOW], WORK) is None


def test_without_room_beside_the_chat_it_sits_on_its_title_bar() -> None:
    wide = Rect(100, 300, 1100, 460)
    place = clear_of(FLOOR.at(500, FLOOR.y), wide, [Window(7, wide)], WORK)
    assert place is not None
    assert (place.x, feet_of(place)) == (500, 300)
    assert clear_of(place, wide, [Window(7, wide)], WORK) is None


def test_from_an_edge_it_steps_down_where_the_chat_covers_the_edge() -> None:
    ledge = window(3, 380, 500, 300, 200)
    tall = Rect(300, 20, 420, 740)  # no room above it either
    assert clear_of(on_top(PET.at(400, 0), 500), tall, [Window(7, tall), ledge], WORK) == Rect(108, 552, 192, 208)


@pytest.mark.parametrize(
    ("windows", "known", "place"),
    [
        ([window(3, 700, 300, 300, 460)], (), (508, FLOOR.y)),  # it grew over the pet: beside it
        ([window(3, 700, 300, 300, 460)], (3,), None),  # it was there before
        ([window(3, 0, 0, 1280, 760)], (), None),  # it fills the screen
        ([window(3, 700, 300, 300, 460), window(4, 500, 400, 190, 360)], (), None),  # another is beside it
        ([window(4, 700, 300, 300, 460), window(3, 650, 350, 500, 410)], (3,), None),  # the one in front counts
        ([Window(3, Rect(700, 300, 300, 460), own=True)], (), None),  # its chat, which has its own rule
    ],
)
def test_it_makes_way_for_a_window_that_came_to_where_it_stands(
    windows: list[Window], known: tuple[int, ...], place: tuple[int, int] | None
) -> None:
    away = clear_of_newcomer(FLOOR.at(720, FLOOR.y), known, windows, WORK)
    assert (away and (away.x, away.y)) == place


@pytest.mark.parametrize(
    "pet",
    [PET.at(400, 300), FLOOR.at(900, FLOOR.y)],
    ids=["floats over it", "beside it"],
)
def test_it_stays_where_it_floats_and_where_it_covers_nothing(pet: Rect) -> None:
    assert clear_of(pet, CHAT, [ITS_WINDOW], WORK) is None


def test_a_chat_that_fills_the_screen_leaves_it_nowhere_to_go() -> None:
    assert clear_of(FLOOR, WORK, [Window(7, WORK)], WORK) is None


@pytest.mark.parametrize(
    ("x", "way", "to"),
    [
        (760, -0.5, 720 - 96),
        (760, 0.5, None),  # away from it
        (950, -1.0, None),  # too far
        (90, 0.5, 300 - 96),
        (600, -0.5, None),  # over it
    ],
)
def test_it_goes_half_behind_the_side_of_its_chat(x: int, way: float, to: int | None) -> None:
    place = peek(FLOOR.at(x, FLOOR.y), way, CHAT, [ITS_WINDOW], WORK)
    assert (place and (place.x, place.y)) == (to and (to, FLOOR.y))


@pytest.mark.parametrize(
    ("chat", "windows"),
    [
        (CHAT, [ITS_WINDOW, window(3, 650, 300, 200, 300)]),  # another window is in front there
        (Rect(300, 650, 420, 110), [Window(7, Rect(300, 650, 420, 110), own=True)]),  # lower than the pet
        (Rect(300, 200, 420, 300), [Window(7, Rect(300, 200, 420, 300), own=True)]),  # it ends above the pet's feet
        (CHAT, [window(3, 740, FLOOR.y + 194, 400, 10), ITS_WINDOW]),  # on an edge that ends before the chat
        (CHAT, []),  # what is in front of it is not known
        (CHAT, [Window(7, CHAT.at(340, 220), own=True), window(3, 650, 300, 200, 300)]),  # covered while it moves
    ],
    ids=["covered", "low", "high", "edge", "unknown", "moving"],
)
def test_it_hides_only_behind_what_would_hide_it(chat: Rect, windows: list[Window]) -> None:
    assert peek(FLOOR.at(760, FLOOR.y), -1.0, chat, windows, WORK) is None


def test_it_hides_behind_a_chat_that_moves() -> None:
    windows = [window(3, 650, 300, 200, 300), Window(7, CHAT.at(340, 220), own=True)]  # the list is some steps behind
    assert peek(FLOOR.at(760, FLOOR.y), -1.0, CHAT, windows, WORK) is not None


@given(
    st.integers(0, 1088), RECTS, st.lists(st.builds(Window, st.integers(1, 99), RECTS, st.booleans()), max_size=20)
)
def test_clear_of_its_chat_it_is_on_screen_and_stays_there(x: int, chat: Rect, windows: list[Window]) -> None:
    here = landing(PET.at(x, 100), windows, MONITORS)
    place = clear_of(here, chat, windows, WORK)
    if place is not None:
        assert 0 <= place.x <= 1280 - 192
        assert 0 <= place.y <= 760 - 208
        assert clear_of(place, chat, windows, WORK) is None
    for way in (-1.0, 1.0):
        behind = peek(here, way, chat, windows, WORK)
        assert behind is None or 0 <= behind.x <= 1280 - 192


# --- outings --------------------------------------------------------------------------------------

FLOOR = Rect(500, 760 - 208, 192, 208)


def test_it_leaps_onto_a_window_near_by_rather_in_the_direction_it_looks() -> None:
    left, right = window(1, 100, 500, 300, 200), window(2, 750, 560, 300, 200)
    for way, handle in ((-1.0, left), (1.0, right)):
        ((place, how),) = hop(FLOOR, way, [left, right], WORK, [])
        below = window_below(place, [left, right], WORK)
        assert (how, below, feet_of(place)) == ("hop", handle, handle.frame.y)


@pytest.mark.parametrize(
    "windows",
    [
        [],
        [window(1, 400, 100, 600, 600)],  # too high, and no room above
        [window(1, 400, 500, 600, 200), window(2, 0, 0, 1280, 760)],  # its edge is covered
        [window(1, 400, 500, 40, 200)],  # too narrow
    ],
)
def test_there_is_not_always_a_window_to_leap_onto(windows: list[Window]) -> None:
    assert hop(FLOOR, 1.0, windows, WORK, []) == []


def test_from_a_window_it_leaps_down_at_the_end_that_it_looks_to() -> None:
    ledge = window(1, 400, 400, 500, 200)
    here = on_top(FLOOR, 400)
    for way, x, edge in ((-1.0, 400 - 192, 400 + 16 - 96), (1.0, 900, 900 - 16 - 96)):
        legs = hop(here, way, [ledge], WORK, [])
        assert legs == [(here.at(edge, here.y), "walk"), (here.at(x, 760 - 208), "hop")]
        assert hop(here, way, [ledge], WORK, [Rect(x, 700, 192, 60)]) == hop(here, -way, [ledge], WORK, [])
    assert hop(FLOOR, 1.0, [window(1, 0, 60, 1280, 700)], WORK, []) == []


def test_it_does_not_leap_to_where_it_would_cover_what_is_typed() -> None:
    editor = window(2, 350, 100, 600, 380)
    assert hop(FLOOR, 1.0, [editor, EDITOR], WORK, []) != []
    assert hop(FLOOR, 1.0, [editor, EDITOR], WORK, [editor.frame]) == []


def test_it_climbs_the_near_side_of_a_window_that_reaches_to_the_floor() -> None:
    tall = window(1, 800, 300, 400, 440)
    (foot, walks), (hangs, climbs), (goal, leaps) = climb(FLOOR, 1.0, [tall], WORK, [])
    assert (walks, climbs, leaps) == ("walk", "climb", "hop")
    assert (foot.y, foot.right - 24) == (FLOOR.y, 799)
    assert len(climb(FLOOR, 1.0, [tall], WORK, [tall.frame])) == 3  # beside what is typed, not over it
    assert hangs.x - foot.x == 1  # it looks at the window
    assert 0 < feet_of(hangs) - 300 < 60
    assert feet_of(goal) == 300
    assert climb(FLOOR, 1.0, [tall], WORK, [Rect(700, 600, 50, 50)]) == []
    assert climb(FLOOR, 1.0, [window(1, 800, 300, 400, 100)], WORK, []) == []  # in the air
    assert climb(PET, 1.0, [tall], WORK, []) == []  # it is in the air


def test_for_a_trip_it_goes_to_the_screens_edge_but_not_over_its_chat() -> None:
    assert trip(FLOOR, -1.0, [], WORK, []) == [(FLOOR.at(0, FLOOR.y), "walk")]
    assert trip(FLOOR, -1.0, [], WORK, [Rect(200, 0, 100, 760)]) == [(FLOOR.at(1280 - 192, FLOOR.y), "walk")]
    both = [Rect(200, 0, 100, 760), Rect(900, 0, 100, 760)]
    assert trip(FLOOR, -1.0, [], WORK, both) == []
    on_window = on_top(FLOOR, 500)
    assert trip(on_window, 1.0, [EDITOR], WORK, []) == []
    assert trip(Rect(2000, 552, 192, 208), 1.0, [], Rect(0, 0, 4000, 760), []) == []  # too far


def test_what_is_typed_in_it_covers_only_if_it_does_already() -> None:
    active = Window(5, Rect(0, 0, 300, 300), active=True)
    assert typed_in(FLOOR, [active, EDITOR]) == [active.frame]
    assert typed_in(Rect(100, 100, 192, 208), [active]) == []


@given(
    st.lists(st.builds(window, st.just(7), *[st.integers(-300, 1500)] * 2, *[st.integers(1, 1600)] * 2), max_size=6),
    st.floats(-1, 1),
    st.integers(0, 1280 - 192),
    st.booleans(),
)
def test_whatever_it_goes_about_it_stays_in_the_work_area_and_ends_on_some_ground(
    windows: list[Window], way: float, x: int, types: bool
) -> None:
    here = landing(Rect(x, 300, 192, 208), windows, MONITORS)
    avoid = [each.frame for each in windows[:1]] if types else []
    ways: list[list[Leg]] = [each(here, way, windows, WORK, avoid) for each in (hop, climb, trip)]
    for legs in ways:
        for place, _how in legs:
            assert WORK.x <= place.x
            assert place.right <= WORK.right
            assert WORK.y <= place.y
        if legs:
            assert at_rest(legs[-1][0], landing(legs[-1][0], windows, MONITORS))


def test_it_goes_to_the_near_side_of_a_ball_on_its_ground() -> None:
    for ball, x in ((Rect(900, 712, 48, 48), 900 - 192 + 24), (Rect(100, 712, 48, 48), 148 - 24)):
        assert to_ball(FLOOR, ball, [], WORK, []) == [(FLOOR.at(x, FLOOR.y), "walk")]
    assert to_ball(FLOOR, Rect(900, 100, 48, 48), [], WORK, []) == []
    assert to_ball(FLOOR, Rect(900, 712, 48, 48), [], WORK, [Rect(760, 0, 40, 760)]) == []
