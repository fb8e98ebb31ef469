"""Places are never off screen, and the outline covers the picture and little more."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pet.desktop.geometry import (
    GAP,
    GROW,
    OPAQUE,
    Mask,
    Monitor,
    Rect,
    beside,
    clamp,
    first_place,
    keep_on_screen,
    monitor_of,
    outline_stays,
    without_struts,
)

MAIN = Monitor("main", Rect(0, 28, 1920, 1052), primary=True)
LEFT = Monitor("left", Rect(-1280, 0, 1280, 1024))

numbers = st.integers(-5000, 5000)
rects = st.builds(Rect, numbers, numbers, st.integers(1, 900), st.integers(1, 900))


def inside(inner: Rect, outer: Rect) -> bool:
    return outer.x <= inner.x and inner.right <= outer.right and outer.y <= inner.y and inner.bottom <= outer.bottom


@given(rects)
def test_a_window_that_fits_ends_up_wholly_on_one_monitor(window: Rect) -> None:
    kept = keep_on_screen(window, [MAIN, LEFT])
    assert inside(kept, MAIN.work) or inside(kept, LEFT.work)
    assert (kept.width, kept.height) == (window.width, window.height)
    assert keep_on_screen(kept, [MAIN, LEFT]) == kept


@given(rects)
def test_a_window_already_inside_is_left_where_it_is(window: Rect) -> None:
    if inside(window, MAIN.work):
        assert keep_on_screen(window, [MAIN, LEFT]) == window


def test_a_window_larger_than_the_screen_keeps_its_corner_in_sight() -> None:
    assert clamp(Rect(50, 50, 4000, 3000), MAIN.work) == Rect(0, 28, 4000, 3000)


def test_the_monitor_is_the_one_that_shows_most() -> None:
    assert monitor_of(Rect(-150, 100, 192, 208), [MAIN, LEFT]) is LEFT
    assert monitor_of(Rect(-50, 100, 192, 208), [MAIN, LEFT]) is MAIN
    assert monitor_of(Rect(-9000, 0, 10, 10), [MAIN, LEFT]) is LEFT


@given(rects)
def test_the_chat_stands_beside_the_pet_and_on_the_screen(window: Rect) -> None:
    pet = keep_on_screen(window.at(window.x, window.y), [MAIN])
    chat = beside(pet, (440, 640), MAIN.work)
    assert inside(chat, MAIN.work)
    if pet.x - MAIN.work.x >= 440 + GAP or MAIN.work.right - pet.right >= 440 + GAP:
        assert chat.overlap(pet) == 0


def test_the_chat_is_no_larger_than_the_screen() -> None:
    small = Rect(0, 0, 400, 300)
    assert inside(beside(Rect(200, 80, 192, 208), (440, 640), small), small)


def test_the_first_place_is_bottom_right() -> None:
    place = first_place((192, 208), MAIN.work)
    assert (place.right, place.bottom) == (1920 - 24, 1080 - 24)


@given(st.lists(st.binary(min_size=12, max_size=12), min_size=1, max_size=12), st.integers(0, 5))
def test_the_outline_is_exactly_the_picture_grown(alpha: list[bytes], grow: int) -> None:
    expected = {
        (x + dx, y + dy)
        for y, row in enumerate(alpha)
        for x, value in enumerate(row)
        if value >= OPAQUE
        for dx in range(-grow, grow + 1)
        for dy in range(-grow, grow + 1)
        if 0 <= x + dx < 12 and 0 <= y + dy < len(alpha)
    }
    boxes = Mask.of(alpha).outline(grow)
    covered = [(x, y) for box in boxes for x in range(box.x, box.right) for y in range(box.y, box.bottom)]
    assert set(covered) == expected
    assert len(covered) == len(expected)  # no rectangle lies on another


def test_an_empty_picture_has_no_outline_and_a_full_one_is_one_rectangle() -> None:
    assert Mask.of([]).outline(GROW) == []
    assert Mask.of([bytes(8)] * 4).outline(GROW) == []
    assert Mask.of([b"\xff" * 8] * 4).outline(GROW) == [Rect(0, 0, 8, 4)]
    assert Mask.of([b"\xff" * 8] * 4, cell=2).outline(GROW) == [Rect(0, 0, 16, 8)]


@given(st.integers(0, 40), st.integers(0, 40))
def test_an_outline_stays_while_it_is_near_the_picture(before: int, now: int) -> None:
    def at(x: int) -> Mask:
        return Mask.of([bytes(20 + x) + b"\xff" * 8 + bytes(60 - x)] * 4)

    stays = outline_stays(at(before), at(now), 1)
    assert stays == (abs(now - before) < GROW)
    left, right = at(before).outline(GROW)[0].x, at(before).outline(GROW)[0].right
    assert not stays or (left < 20 + now and 28 + now < right)
    assert not outline_stays(at(before), Mask.of([bytes(20)] * 4), 1)


DESKTOP = (3200, 1080)
LEFT_HALF, RIGHT_HALF = Rect(0, 0, 1920, 1080), Rect(1920, 0, 1280, 1024)


def test_panels_take_their_strip_of_the_monitor_they_stand_on_and_of_no_other() -> None:
    top_of_the_left = (0, 0, 32, 0, 0, 0, 0, 0, 0, 1919, 0, 0)
    at_the_right_edge = (0, 60, 0, 0, 0, 0, 0, 1023, 0, 0, 0, 0)
    struts = [top_of_the_left, at_the_right_edge]
    assert without_struts(LEFT_HALF, DESKTOP, struts) == Rect(0, 32, 1920, 1048)
    assert without_struts(RIGHT_HALF, DESKTOP, struts) == Rect(1920, 0, 1220, 1024)


def test_a_panel_between_two_monitors_does_not_eat_the_one_behind_it() -> None:
    left_edge_of_the_right = (1920 + 50, 0, 0, 0, 0, 1023, 0, 0, 0, 0, 0, 0)
    assert without_struts(LEFT_HALF, DESKTOP, [left_edge_of_the_right]) == LEFT_HALF
    assert without_struts(RIGHT_HALF, DESKTOP, [left_edge_of_the_right]) == Rect(1970, 0, 1230, 1024)


@given(st.lists(st.tuples(*[st.integers(0, 4000)] * 12), max_size=6))
def test_whatever_panels_ask_for_something_is_left_and_inside(struts: list[tuple[int, ...]]) -> None:
    left = without_struts(RIGHT_HALF, DESKTOP, struts)
    assert inside(left, RIGHT_HALF)
    assert left.width > 0 and left.height > 0
