"""Monitors that come, go and change, with the real server telling: pet, chat and films on each of two."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.support.desktop.other_program import fills_the_screen, give_focus, handle_of, program, tell
from tests.support.desktop.xvfb import (
    BACKGROUND,
    Box,
    Desktop,
    Running,
    end_group,
    open_desktop,
    selection_owned,
    start_pet,
    wait_for,
)
from tests.support.pet_windows.menus import choose, menus, open_menu, open_submenu
from tests.support.pet_windows.places import kept_places, last_monitor
from tests.support.pet_windows.windows import BARE, BARE_CHAT, PET, shows_body
from tests.window.chat.test_chat_window import frame

pytestmark = pytest.mark.window

LEFT, RIGHT = "1280x800+0+0", "1280x800+1280+0"
SIZE = (192, 208)
WALKS = (sys.executable, "-m", "tests.window.programs.worn_pet")
"""A pet that moves: motion is reduced in the bare one."""


@pytest.fixture(scope="module")
def wide() -> Iterator[Desktop]:
    """Two monitors side by side, the left one the main one."""
    with open_desktop(size="2560x800", monitors={"LEFT": LEFT, "RIGHT": RIGHT}) as desktop:
        yield desktop


@pytest.fixture(autouse=True)
def whole(wide: Desktop) -> Iterator[None]:
    """Every test finds both monitors."""
    yield
    for name, area in (("LEFT", LEFT), ("RIGHT", RIGHT)):
        if name not in wide.plugged:
            wide.plug(name, area)


@contextlib.contextmanager
def started(wide: Desktop, home: Path, command: Sequence[str] = BARE) -> Iterator[Running]:
    """With a tray in the upper left corner."""
    tray = wide.spawn(sys.executable, "-m", "tests.support.desktop.tray")
    try:
        wait_for("the tray", lambda: selection_owned(wide, "_NET_SYSTEM_TRAY_S0"))
        with start_pet(wide, home, command=command, debug=False) as pet:
            painted(pet)
            wait_for("the icon", lambda: wide.pixel(16, 20) not in ("#ffffff", BACKGROUND))
            yield pet
    finally:
        wide.processes.remove(tray)
        end_group(tray)
        wait_for("no tray", lambda: not selection_owned(wide, "_NET_SYSTEM_TRAY_S0"))


def painted(pet: Running) -> Box:
    window = pet.window(PET)
    wait_for("the picture", lambda: shows_body(pet.desktop, *pet.desktop.box(window).centre))
    return pet.desktop.box(window)


def comes_to(pet: Running, title: str, place: Box) -> None:
    wait_for(f"{title} at {place}", lambda: pet.desktop.box(pet.window(title)) == place)


def inside(box: Box, area: str) -> bool:
    size, x, y = area.split("+")
    width, height = map(int, size.split("x"))
    return (
        int(x) <= box.x
        and box.x + box.width <= int(x) + width
        and int(y) <= box.y
        and box.y + box.height <= int(y) + height
    )


def window_of(desktop: Desktop, title: str) -> int:
    return wait_for(title, lambda: handle_of(desktop, title))


def carried(pet: Running, centre: tuple[int, int]) -> Box:
    """The pet after it was dragged there."""
    desktop = pet.desktop
    desktop.drag(painted(pet).centre, centre)
    place = Box(centre[0] - SIZE[0] // 2, centre[1] - SIZE[1] // 2, *SIZE)
    comes_to(pet, PET, place)
    return place


def test_a_monitor_unplugged_while_dragging_leaves_the_pet_in_sight_and_in_hand(wide: Desktop, home: Path) -> None:
    with started(wide, home) as pet:
        x, y = painted(pet).centre
        wide.run("xdotool", "mousemove", str(x), str(y), "mousedown", "1")
        for to_x in (1300, 1500, 1800, 2000):
            wide.run("xdotool", "mousemove", str(to_x), "300")
        comes_to(pet, PET, Box(2000 - 96, 300 - 104, *SIZE))
        wide.unplug("RIGHT")
        wait_for("the pet in sight", lambda: inside(wide.box(pet.window(PET)), LEFT))
        wide.run("xdotool", "mousemove", "2100", "350")  # the hand goes on
        wide.run("xdotool", "mousemove", "700", "400")
        comes_to(pet, PET, Box(700 - 96, 400 - 104, *SIZE))
        wide.run("xdotool", "mouseup", "1")
        wait_for("the memory", lambda: last_monitor(home).startswith("LEFT"))
        carried(pet, (300, 300))  # and the next drag begins where the pet is
        assert pet.process.poll() is None


def test_a_monitor_unplugged_while_it_walks_leaves_it_in_sight_and_on_its_feet(wide: Desktop, home: Path) -> None:
    with started(wide, home, WALKS) as pet:
        place = carried(pet, (2400, 500))
        pet.shows("pet.actor.player.act == 'idle'")
        pet.ask("note_acts()")
        pet.ask("pet.actor.on_event(events.PetTravels(dx=-900, dy=0))")
        wait_for("it on its way", lambda: wide.box(pet.window(PET)).x < place.x - 60)
        wide.unplug("RIGHT")
        wait_for("the pet in sight", lambda: inside(wide.box(pet.window(PET)), LEFT))
        pet.shows("'landed' in pet.acts")
        pet.shows("pet.actor.player.act == 'idle'")
        assert inside(wide.box(pet.window(PET)), LEFT)
        carried(pet, (300, 300))  # and it can be taken from where it is


def test_pet_and_chat_leave_a_monitor_that_goes_and_come_back_with_it(wide: Desktop, home: Path) -> None:
    with started(wide, home) as pet:
        place = carried(pet, (2300, 500))
        wait_for("the memory", lambda: last_monitor(home).startswith("RIGHT"))
        wide.double_click(place)
        chat = pet.window(BARE_CHAT)
        wait_for("the chat beside it", lambda: inside(wide.box(chat), RIGHT))
        _left, right, _top, _bottom = frame(wide, chat)
        wait_for("its place", lambda: wide.box(chat).x == place.x - 12 - right - 440)
        before = wide.box(chat)
        wide.unplug("RIGHT")
        wait_for("the pet in sight", lambda: inside(wide.box(pet.window(PET)), LEFT))
        wait_for("the chat in sight", lambda: inside(wide.box(chat), LEFT))
        assert last_monitor(home).startswith("RIGHT")  # nobody chose the other place
        wide.plug("RIGHT", RIGHT)
        comes_to(pet, PET, place)
        wait_for("the chat at its place", lambda: wide.box(chat) == before)


def test_without_its_monitor_the_pet_starts_in_sight_and_finds_back(wide: Desktop, home: Path) -> None:
    with started(wide, home) as pet:
        place = carried(pet, (2000, 200))
        wait_for("the memory", lambda: last_monitor(home).startswith("RIGHT"))
        assert pet.stop() == 0
    wide.unplug("RIGHT")
    with started(wide, home) as pet:
        wait_for("the pet in sight", lambda: inside(painted(pet), LEFT))
        wide.plug("RIGHT", RIGHT)
        comes_to(pet, PET, place)


def test_a_pet_in_a_corner_stays_in_it_when_the_resolution_changes(wide: Desktop, home: Path) -> None:
    with started(wide, home) as pet:
        comes_to(pet, PET, Box(1280 - 24 - 192, 800 - 24 - 208, *SIZE))
        carried(pet, (1280 - 100, 800 - 110))
        wait_for("the memory", lambda: [1280 - 196, 800 - 214] in kept_places(home))
        wide.unplug("RIGHT")
        without_monitors = Box(2560 - 24 - 192, 800 - 24 - 208, *SIZE)  # the server's whole screen is one then
        wide.unplug("LEFT")
        comes_to(pet, PET, without_monitors)
        wide.plug("LEFT", "1024x600+0+0")
        comes_to(pet, PET, Box(1024 - 196, 600 - 214, *SIZE))
        wide.unplug("LEFT")
        comes_to(pet, PET, without_monitors)
        wide.plug("LEFT", LEFT)
        comes_to(pet, PET, Box(1280 - 196, 800 - 214, *SIZE))


def test_the_menu_sends_the_pet_to_a_display_and_the_tray_brings_it_back(
    wide: Desktop, home: Path, shots: Path
) -> None:
    with started(wide, home) as pet:
        carried(pet, (500, 300))
        place = carried(pet, (1900, 300))
        choose(wide, place.centre, "e", "y", "Return")  # the first display
        comes_to(pet, PET, Box(500 - 96, 300 - 104, *SIZE))  # where it sat there last
        open_menu(wide, (500, 300))
        open_submenu(wide, "e")
        open_submenu(wide, "y")
        wide.screenshot(shots / "menu-displays.png")
        wide.key("Down", "Return")
        comes_to(pet, PET, place)
        wait_for("the memory", lambda: last_monitor(home).startswith("RIGHT"))
        choose(wide, (16, 16), "r")
        comes_to(pet, PET, Box(1280 - 24 - 192, 800 - 24 - 208, *SIZE))
        wait_for("the memory of it", lambda: last_monitor(home).startswith("LEFT"))


def test_a_pet_that_was_hidden_is_brought_back_too(wide: Desktop, home: Path) -> None:
    with started(wide, home) as pet:
        carried(pet, (1900, 300))
        choose(wide, (16, 16), "h")
        pet.no_window(PET)
        choose(wide, (26, 26), "r")
        comes_to(pet, PET, Box(1280 - 24 - 192, 800 - 24 - 208, *SIZE))


def test_a_film_hides_the_pet_of_its_monitor_whatever_has_the_focus(wide: Desktop, home: Path) -> None:
    with started(wide, home) as pet, program(wide, "Film") as film, program(wide, "Letter") as letter:
        place = carried(pet, (1900, 300))
        tell(film, "at 1300 40")
        tell(letter, "at 100 40")
        wait_for("the film's place", lambda: wide.box(window_of(wide, "Film")).x >= 1280)
        tell(film, "on")
        pet.no_window(PET)
        give_focus(wide, window_of(wide, "Letter"))
        assert_stays_away(pet)
        tell(film, "off")
        comes_to(pet, PET, place)
        tell(letter, "on")  # on the other monitor
        wait_for("the full screen", lambda: fills_the_screen(wide, window_of(wide, "Letter")))
        comes_to(pet, PET, place)
        tell(letter, "off")


def assert_stays_away(pet: Running) -> None:
    """The shell has seen what happened by the time that it does what is asked for next."""
    desktop = pet.desktop
    for place in ((26, 26), (8, 24)):  # two clicks at one place would be a double click
        open_menu(desktop, place)
        desktop.key("Escape")
        wait_for("the end of the menu", lambda: menus(desktop) == 0)
        assert desktop.window(pet.pid, PET) is None


def test_work_on_top_of_a_film_brings_the_pet_back(wide: Desktop, home: Path) -> None:
    with started(wide, home) as pet, program(wide, "Film") as film, program(wide, "Letter") as letter:
        place = carried(pet, (1900, 300))
        tell(film, "at 1300 40")
        tell(film, "on")
        pet.no_window(PET)
        tell(letter, "at 1400 300")
        wait_for("the letter there", lambda: wide.box(window_of(wide, "Letter")).x >= 1280)
        give_focus(wide, window_of(wide, "Letter"))
        comes_to(pet, PET, place)


def test_a_pet_that_the_owner_has_hidden_stays_hidden_after_the_film(wide: Desktop, home: Path) -> None:
    with started(wide, home) as pet, program(wide, "Film") as film:
        carried(pet, (500, 300))
        choose(wide, (16, 16), "h")
        pet.no_window(PET)
        tell(film, "at 40 40")
        tell(film, "on")
        wait_for("the full screen", lambda: fills_the_screen(wide, window_of(wide, "Film")))
        tell(film, "off")
        wait_for("the end", lambda: not fills_the_screen(wide, window_of(wide, "Film")))
        assert_stays_away(pet)


def test_the_pet_stays_above_a_panel_of_the_second_monitor(wide: Desktop, home: Path) -> None:
    """With several monitors Qt has no word for that."""
    with started(wide, home) as pet:
        carried(pet, (1900, 800 - 110))
        wide.spawn(sys.executable, "-m", "tests.window.programs.panel", "1280", "1280", "60")
        panel = wide.processes.pop()
        try:
            comes_to(pet, PET, Box(1900 - 96, 800 - 60 - 208, *SIZE))
        finally:
            end_group(panel)
        comes_to(pet, PET, Box(1900 - 96, 800 - 110 - 104, *SIZE))


def test_first_place_on_scaled_screen_with_top_panel_is_inside_the_screen(tmp_path: Path) -> None:
    with open_desktop(size="2560x1600") as sharp:
        sharp.spawn(sys.executable, "-m", "tests.window.programs.panel", "0", "2560", "64", "top")
        wait_for("the panel", lambda: "= 0, 64, 2560, 1536" in sharp.prop("root", "_NET_WORKAREA"))
        scaled = {"QT_SCALE_FACTOR": "2"}
        with start_pet(sharp, tmp_path / "home", command=BARE, debug=False, environ=scaled) as pet:
            place = Box(2560 - 2 * (24 + 192), 1600 - 2 * (24 + 208), 2 * 192, 2 * 208)
            comes_to(pet, PET, place)
            painted(pet)
            sharp.drag(place.centre, (300, 20))
            wait_for("it below the panel", lambda: sharp.box(pet.window(PET)).y == 64)
