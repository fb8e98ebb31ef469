"""The pet's weight on a real desktop: it falls, stands on windows, is carried along, and drops when they go."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from Xlib import X, Xatom

from pet.desktop.geometry import Rect
from pet.desktop.ground import feet_of
from tests.support.desktop.other_program import handle_of, program, tell
from tests.support.desktop.xvfb import Box, Desktop, Running, end_group, open_desktop, start_pet, wait_for
from tests.support.pet_windows.bubbles import write_settings
from tests.support.pet_windows.menus import ready_to_click
from tests.support.pet_windows.places import kept_places
from tests.support.pet_windows.windows import PET
from tests.window.pet.test_bubble_on_the_desktop import system_bus

pytestmark = pytest.mark.window

WEIGHT = "pet_life = 'calm'\ndo_not_disturb = true\n"  # it falls, and goes nowhere by itself
HEIGHT = 800  # of the screen, which has no panel


def drop(pet: Running, x: int, y: int) -> None:
    """Carry the pet to where its middle is at this place, pause, and let it go."""
    pet.desktop.drag(ready_to_click(pet, PET).centre, (x, y))


def feet(box: Box) -> int:
    return feet_of(Rect(box.x, box.y, box.width, box.height))


def test_let_go_in_the_air_it_falls_and_is_there_after_a_restart(desktop: Desktop, home: Path) -> None:
    write_settings(home, WEIGHT)
    with start_pet(desktop, home) as pet:
        drop(pet, 500, 250)
        height = desktop.box(pet.window(PET)).height
        bottom = HEIGHT - height
        wait_for("the landing", lambda: desktop.box(pet.window(PET)) == Box(500 - 96, bottom, 192, 208))
        wait_for("the memory", lambda: [500 - 96, bottom] in kept_places(home))
        assert pet.stop() == 0
    with start_pet(desktop, home) as pet:
        wait_for("the pet where it landed", lambda: desktop.box(pet.window(PET)).y == bottom)


def test_it_stands_on_a_window_moves_with_it_and_drops_when_it_closes(
    desktop: Desktop, home: Path, shots: Path
) -> None:
    write_settings(home, WEIGHT)
    with program(desktop, "Ledge") as ledge, start_pet(desktop, home) as pet:
        handle = handle_of(desktop, "Ledge")
        assert handle is not None
        tell(ledge, "at 200 450")
        wait_for("the ledge", lambda: desktop.box(handle).y > 400)
        drop(pet, 400, 200)
        window = pet.window(PET)

        def above() -> int:
            return desktop.box(handle).y - feet(desktop.box(window))

        # The frame's title bar is between the feet and the window itself.
        wait_for("the landing", lambda: 0 <= above() <= 40 and desktop.box(window).x == 400 - 96)
        desktop.screenshot(shots / "on-a-window.png")
        title, before = above(), desktop.box(handle)
        aside = desktop.box(window).x - before.x
        tell(ledge, "at 320 500")
        wait_for("the move", lambda: desktop.box(handle).x > before.x and desktop.box(handle).y > before.y)
        wait_for(
            "it carried along",
            lambda: desktop.box(window).x - desktop.box(handle).x == aside and above() == title,
        )
        ledge.terminate()
        wait_for("the drop", lambda: desktop.box(window).y == HEIGHT - 208)


def test_it_drops_when_the_window_beneath_is_minimised(desktop: Desktop, home: Path) -> None:
    write_settings(home, WEIGHT)
    with program(desktop, "Ledge") as ledge, start_pet(desktop, home) as pet:
        handle = handle_of(desktop, "Ledge")
        assert handle is not None
        tell(ledge, "at 200 450")
        wait_for("the ledge", lambda: desktop.box(handle).y > 400)
        drop(pet, 400, 200)
        window = pet.window(PET)
        wait_for("the landing", lambda: 0 <= desktop.box(handle).y - feet(desktop.box(window)) <= 40)
        desktop.run("xdotool", "windowminimize", str(handle))
        wait_for("the drop", lambda: desktop.box(window).y == HEIGHT - 208)


def test_after_a_full_screen_it_sits_where_it_sat_and_goes_along(desktop: Desktop, home: Path) -> None:
    """Of the window beneath it, and of another one."""
    write_settings(home, WEIGHT)
    with program(desktop, "Ledge") as ledge, program(desktop) as film, start_pet(desktop, home) as pet:
        handle = handle_of(desktop, "Ledge")
        assert handle is not None
        tell(ledge, "at 600 450")
        wait_for("the ledge", lambda: desktop.box(handle).y > 400)
        drop(pet, 800, 200)
        wait_for("the landing", lambda: 0 <= desktop.box(handle).y - feet(desktop.box(pet.window(PET))) <= 40)
        place, frame = desktop.box(pet.window(PET)), desktop.box(handle)
        wait_for("it at rest", lambda: [place.x, place.y] in kept_places(home))
        for fills in (ledge, film, ledge):
            tell(fills, "on")
            pet.no_window(PET)
            tell(fills, "off")
            wait_for("the ledge as it was", lambda: desktop.box(handle) == frame)
            wait_for("the pet as it was", lambda: desktop.box(pet.window(PET)) == place)
        tell(ledge, "at 500 400")
        wait_for("it carried along", lambda: desktop.box(pet.window(PET)).x == place.x - 100)
        assert desktop.box(handle).y - feet(desktop.box(pet.window(PET))) == frame.y - feet(place)


def test_after_a_lock_and_a_sleep_it_sits_where_it_sat_and_goes_along(home: Path) -> None:
    """A locked screen is filled; asleep, the program stands still while its monitor goes and comes."""
    write_settings(home, WEIGHT)
    whole = f"1280x{HEIGHT}+0+0"
    with (
        system_bus() as bus,
        open_desktop(monitors={"MAIN": whole}) as desktop,
        program(desktop, "Ledge") as ledge,
        program(desktop, "Locker") as locker,
        start_pet(desktop, home, environ={"DBUS_SYSTEM_BUS_ADDRESS": bus}) as pet,
    ):
        handle = handle_of(desktop, "Ledge")
        assert handle is not None
        tell(locker, "at 40 40")
        tell(ledge, "at 600 450")
        wait_for("the ledge", lambda: desktop.box(handle).y > 400)
        drop(pet, 800, 200)
        wait_for("the landing", lambda: 0 <= desktop.box(handle).y - feet(desktop.box(pet.window(PET))) <= 40)
        pet.shows("not pet.actor.travels.moving")
        place = desktop.box(pet.window(PET))
        tell(locker, "on")
        pet.no_window(PET)
        os.kill(pet.pid, signal.SIGSTOP)
        desktop.unplug("MAIN")
        desktop.plug("MAIN", whole)
        os.kill(pet.pid, signal.SIGCONT)
        waker = (sys.executable, "-m", "tests.window.programs.waker", bus)
        subprocess.run(waker, env=desktop.environ, check=True, timeout=60)
        tell(locker, "off")
        wait_for("the pet as it was", lambda: desktop.box(pet.window(PET)) == place)
        tell(ledge, "at 500 400")
        wait_for("it carried along", lambda: desktop.box(pet.window(PET)).x == place.x - 100)
        assert pet.stop() == 0


def test_it_lands_on_the_panel(desktop: Desktop, home: Path, shots: Path) -> None:
    write_settings(home, WEIGHT)
    panel = desktop.spawn(sys.executable, "-m", "tests.window.programs.panel", "0", "1280", "40")
    try:
        wait_for("the work area", lambda: "0, 0, 1280, 760" in desktop.prop("root", "_NET_WORKAREA"))
        with start_pet(desktop, home) as pet:
            drop(pet, 500, 250)
            wait_for("the landing", lambda: desktop.box(pet.window(PET)).y == HEIGHT - 40 - 208)
            desktop.screenshot(shots / "on-the-panel.png")
    finally:
        desktop.processes.remove(panel)
        end_group(panel)
        wait_for("the whole screen", lambda: "0, 0, 1280, 800" in desktop.prop("root", "_NET_WORKAREA"))


def test_one_that_stays_put_floats_where_it_is_let_go(desktop: Desktop, home: Path) -> None:
    write_settings(home, "pet_life = 'still'\n")
    with start_pet(desktop, home) as pet:
        drop(pet, 500, 250)
        wait_for("the memory", lambda: [500 - 96, 250 - 104] in kept_places(home))
        assert desktop.box(pet.window(PET)) == Box(500 - 96, 250 - 104, 192, 208)


def test_a_hundred_windows_and_nonsense_from_the_window_manager_leave_it_on_its_feet(home: Path) -> None:
    write_settings(home, WEIGHT)
    with open_desktop() as other, start_pet(other, home) as pet, other.connection() as server:
        window, root = pet.window(PET), server.screen().root

        def rested() -> Box | None:
            box = other.box(window)
            return box if [box.x, box.y] in kept_places(home) and box.y + box.height <= HEIGHT else None

        opened = [root.create_window(0, 0, side, side, 0, X.CopyFromParent) for side in (3, 300) * 50]
        for each in opened:
            each.map()
        server.sync()
        clients = server.intern_atom("_NET_CLIENT_LIST_STACKING")
        wait_for("all of them", lambda: len(root.get_full_property(clients, X.AnyPropertyType).value) > 100)
        drop(pet, 500, 250)
        wait_for("the landing among them", rested)
        huge, extents = [2**32 - 1] * 4, server.intern_atom("_NET_FRAME_EXTENTS")
        for each in opened:
            each.change_property(extents, Xatom.CARDINAL, 32, huge)
        root.change_property(clients, Xatom.WINDOW, 32, [0, 1, 2**32 - 1, *(each.id for each in opened)])
        root.change_property(server.intern_atom("_NET_CURRENT_DESKTOP"), Xatom.CARDINAL, 32, [2**32 - 2])
        root.change_property(server.intern_atom("_NET_ACTIVE_WINDOW"), Xatom.STRING, 8, b"nonsense")
        server.sync()
        drop(pet, 700, 150)
        wait_for("the landing", lambda: (box := rested()) and abs(box.x - 604) < 8)
        for each in opened:
            each.destroy()
        server.sync()
        wait_for("the fall", lambda: other.box(window).y == HEIGHT - 208)
        assert pet.stop() == 0
