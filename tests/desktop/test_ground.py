"""What the pet stands on: the work area's bottom, or the top edge of a window beneath it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.desktop.geometry import Monitor, Rect
from pet.desktop.ground import Window, at_rest, feet_of, landing, on_top, stroll, window_below

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
