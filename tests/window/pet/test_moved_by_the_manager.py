"""The pet moved past us: by the window manager's own keys and buttons, and by programs that ask it to."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.support.desktop.xvfb import Box, Desktop, Running, wait_for
from tests.support.pet_windows.places import kept_places
from tests.support.pet_windows.windows import PET, bare_pet, painted

pytestmark = pytest.mark.window


@contextlib.contextmanager
def started(desktop: Desktop, home: Path) -> Iterator[Running]:
    with bare_pet(desktop, home, debug=False) as pet:
        painted(pet)
        yield pet


def moved(pet: Running, home: Path, x: int, y: int) -> Box:
    """The pet where the window manager was asked to put it, once that is remembered.

    It begins to listen a moment after it was shown; whoever is quicker moves it again.
    """
    desktop, window = pet.desktop, pet.window(PET)

    def there(place: Box) -> bool:
        return desktop.box(window) == place

    def kept(place: Box) -> bool:
        return [place.x, place.y] in kept_places(home)

    for step in range(10):
        place = Box(x + step, y, 192, 208)
        desktop.run("wmctrl", "-i", "-r", str(window), "-e", f"0,{place.x},{place.y},-1,-1")
        wait_for("the move", partial(there, place))
        with contextlib.suppress(AssertionError):
            wait_for("the memory", partial(kept, place), 12)
            return place
    raise AssertionError("its place is never remembered")


def test_where_the_window_manager_put_the_pet_it_is_after_a_restart(desktop: Desktop, home: Path) -> None:
    with started(desktop, home) as pet:
        moved(pet, home, 240, 130)
        place = moved(pet, home, 500, 330)
        assert pet.stop() == 0
    with started(desktop, home) as pet:
        wait_for("the pet where it was", lambda: desktop.box(pet.window(PET)) == place)
        desktop.drag(painted(pet).centre, (700, 200))  # and our own drag goes on as ever
        wait_for("the pet there", lambda: desktop.box(pet.window(PET)) == Box(700 - 96, 200 - 104, 192, 208))
        wait_for("the memory", lambda: [700 - 96, 200 - 104] in kept_places(home))


def test_one_that_was_pulled_over_the_edge_comes_back_into_sight(desktop: Desktop, home: Path) -> None:
    with started(desktop, home) as pet:
        place = moved(pet, home, 300, 300)
        window = pet.window(PET)
        desktop.run("wmctrl", "-i", "-r", str(window), "-e", f"0,-120,{place.y},-1,-1")
        wait_for("the pet at the edge", lambda: desktop.box(window) == Box(0, place.y, 192, 208))
        wait_for("the memory", lambda: [0, place.y] in kept_places(home))


def test_a_drag_by_the_window_manager_is_remembered_when_the_hand_lets_go(desktop: Desktop, home: Path) -> None:
    with started(desktop, home) as pet:
        place, window = moved(pet, home, 300, 300), pet.window(PET)
        (x, y), end = place.centre, Box(place.x + 150, place.y - 75, 192, 208)
        desktop.run("xdotool", "mousemove", str(x), str(y), "keydown", "alt", "mousedown", "1")
        try:
            for step in (10, 40, 90, 150):
                desktop.run("xdotool", "mousemove", str(x + step), str(y - step // 2))

            def under_the_hand() -> bool:
                """The hand goes on by a pixel and back: a manager that was late with the last move waits for one."""
                desktop.run("xdotool", "mousemove", str(x + 151), str(y - 75), "mousemove", str(x + 150), str(y - 75))
                return desktop.box(window) == end

            wait_for("the pet at the pointer", under_the_hand)
        finally:
            desktop.run("xdotool", "mouseup", "1", "keyup", "alt")
        wait_for("the memory", lambda: [end.x, end.y] in kept_places(home))
