"""What the windows do on every desktop: the same tests with each compositor and window manager."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Playwright

from pet.desktop.geometry import Rect
from pet.desktop.ground import feet_of
from pet.paths import find_home
from pet.settings.program_state import JsonState
from tests.support.desktop.other_program import program, tell
from tests.support.desktop.wayland import WaylandDesktop, open_compositor
from tests.support.desktop.xvfb import (
    Box,
    Desktop,
    Running,
    end_group,
    open_desktop,
    start_pet,
    wait_for,
)
from tests.support.pet_windows.bubbles import move_pet, ready, reminder, seen, write_settings
from tests.support.pet_windows.menus import menus, open_menu, ready_to_click
from tests.support.pet_windows.places import kept_places
from tests.support.pet_windows.windows import BARE_CHAT, BODY, BUBBLE, CHAT, PET, T, alike, bare_pet, shows_body

pytestmark = pytest.mark.window

DESKTOPS = os.environ.get("SOULPET_DESKTOPS", "openbox sway mutter").split()
BESIDE = (60, 160)
"""A place with no window of ours, and below any panel and title bar."""


def opened(name: str, scale: float = 1.0) -> contextlib.AbstractContextManager[Desktop]:
    return open_desktop() if name == "openbox" else open_compositor(name, scale=scale)


@pytest.fixture(scope="module")
def anywhere(request: pytest.FixtureRequest) -> Iterator[Desktop]:
    with opened(request.param) as desktop:
        yield desktop


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run every test on each desktop, most on Wayland at night."""
    if "anywhere" in metafunc.fixturenames:
        by_day = metafunc.function is test_double_click_opens_a_chat_that_has_the_keyboard
        night = () if by_day else (pytest.mark.nightly,)
        desktops = [pytest.param(name, marks=() if name == "openbox" else night) for name in DESKTOPS]
        metafunc.parametrize("anywhere", desktops, indirect=True, scope="module")


class Other:
    """Another program, which covers the screen below the pet and says what it gets."""

    def __init__(self, desktop: Desktop, folder: Path) -> None:
        self.desktop = desktop
        native = [] if isinstance(desktop, WaylandDesktop) else ["x11"]
        self._said = folder / "other.txt"
        with self._said.open("wb") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.window.programs.other_wayland", *native],
                stdin=subprocess.PIPE,
                stdout=out,
                env=desktop.environ,
                start_new_session=True,
            )

    def said(self) -> list[str]:
        return self._said.read_text().splitlines()

    def tell(self, words: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(words.encode() + b"\n")
        self.process.stdin.flush()
        wait_for(words, lambda: self.said()[-1:] == [words])

    @property
    def active(self) -> bool:
        states = [line for line in self.said() if line in ("active", "passive")]
        return states[-1:] == ["active"]


def painted(pet: Running) -> Box:
    """With the pointer elsewhere: a compositor may draw it into the picture."""
    desktop, window = pet.desktop, pet.window(PET)
    desktop.point(*BESIDE)
    wait_for("the picture", lambda: shows_body(desktop, *desktop.box(window).centre))
    return ready_to_click(pet, PET) if passes_clicks(desktop) else desktop.box(window)


@contextlib.contextmanager
def other_program(desktop: Desktop, folder: Path) -> Iterator[Other]:
    other = Other(desktop, folder)
    try:
        wait_for("the other program", lambda: other.active)
        yield other
    finally:
        end_group(other.process)


def test_pet_stands_in_its_corner_see_through_and_on_top(anywhere: Desktop, home: Path, tmp_path: Path) -> None:
    with bare_pet(anywhere, home, debug=False) as pet:
        box = Box(1280 - 192 - 24, 800 - 208 - 24, 192, 208)
        wait_for("the pet in its corner", lambda: painted(pet) == box)
        seen = anywhere.pixel(box.x + 5, box.y + 5)
        with other_program(anywhere, tmp_path) as other:
            wait_for("the click", lambda: reaches(other, *BESIDE))
            wait_for("the pet on top", lambda: shows_body(anywhere, *box.centre))
            if passes_clicks(anywhere):
                wait_for("a click on a transparent corner", lambda: reaches(other, box.x + 5, box.y + 5))
            wait_for("the pet still on top", lambda: shows_body(anywhere, *box.centre))
    # Compared afterwards: at the start of a session mutter 48 is still painting its background.
    anywhere.point(*BESIDE)  # it may be drawn into the picture
    wait_for("nothing where the pet was", lambda: not shows_body(anywhere, *box.centre))
    wait_for("what was seen through it", lambda: alike(anywhere.pixel(box.x + 5, box.y + 5), seen))


def rested(desktop: Desktop, window: int, home: Path) -> Box:
    """Where it is after a drag, once that is also what is kept."""

    def kept() -> Box | None:
        box = desktop.box(window)
        return box if [box.x, box.y] in kept_places(home) else None

    return wait_for("the place", kept)


def passes_clicks(desktop: Desktop) -> bool:
    """Compositors know of the pet's outline what XWayland tells them, and version 22 tells them nothing."""
    release = desktop.run("xdpyinfo").partition("vendor release number:")[2].split()[0]
    return not isinstance(desktop, WaylandDesktop) or int(release) >= 12302000


def reaches(other: Other, x: int, y: int) -> bool:
    before = len(other.said())
    other.desktop.click(x, y)
    with contextlib.suppress(AssertionError):
        wait_for("the click", lambda: len(other.said()) > before, 2)
    return len(other.said()) > before


def test_drag_moves_the_pet_and_the_place_is_kept(anywhere: Desktop, home: Path) -> None:
    with bare_pet(anywhere, home, debug=False) as pet:
        box = painted(pet)
        x, y = box.centre
        anywhere.drag((x, y), (x - 400, y - 300), carries=pet.window(PET))
        moved = rested(anywhere, pet.window(PET), home)
        assert abs(box.x - 400 - moved.x) <= 2 and abs(box.y - 300 - moved.y) <= 2
        assert pet.stop() == 0
    with bare_pet(anywhere, home, debug=False) as pet:
        wait_for("the pet where it was", lambda: painted(pet) == moved)


def test_double_click_opens_a_chat_that_has_the_keyboard(
    anywhere: Desktop, home: Path, tmp_path: Path, playwright: Playwright
) -> None:
    with other_program(anywhere, tmp_path) as other, bare_pet(anywhere, home) as pet:
        browser = pet.attach(playwright)
        box, chat = painted(pet), pet.page(browser, "chat.html")
        wait_for("the other's focus: the pet took none", lambda: other.active)
        anywhere.double_click(box)
        window = pet.window(BARE_CHAT)
        wait_for("the focus", lambda: chat.evaluate("document.hasFocus()"))
        wait_for("the composer", lambda: chat.evaluate("document.activeElement.id === 'composer'"))
        anywhere.type("hello")
        wait_for("the text", lambda: chat.evaluate("document.getElementById('composer').value") == "hello")
        if anywhere.environ.get("XDG_CURRENT_DESKTOP") != "sway":
            wait_for("the chat beside the pet", lambda: anywhere.box(window).x + anywhere.box(window).width < box.x)
        anywhere.double_click(box)
        pet.no_window(BARE_CHAT)
        wait_for("the focus back", lambda: other.active)
        browser.close()


def test_pet_stays_in_sight_beside_its_chat_while_another_program_is_used(
    anywhere: Desktop, home: Path, tmp_path: Path
) -> None:
    """Some window managers hide a program's tool windows then."""
    with other_program(anywhere, tmp_path) as other, bare_pet(anywhere, home, debug=False) as pet:
        box = painted(pet)
        anywhere.double_click(box)
        pet.window(BARE_CHAT)
        wait_for("the keyboard in the chat", lambda: not other.active)
        anywhere.click(*BESIDE)
        wait_for("the other program", lambda: other.active)
        wait_for("the pet", lambda: shows_body(anywhere, *box.centre))
        assert pet.desktop.window(pet.pid, PET)


def test_menu_closes_on_escape_and_on_a_click_elsewhere(anywhere: Desktop, home: Path, tmp_path: Path) -> None:
    with other_program(anywhere, tmp_path) as other, bare_pet(anywhere, home, debug=False) as pet:
        box = painted(pet)
        for close in (partial(anywhere.key, "Escape"), partial(anywhere.click, *BESIDE)):
            anywhere.click(*BESIDE)
            wait_for("the focus", lambda: other.active)
            open_menu(anywhere, box.centre)
            wait_for("the keyboard", lambda: has_keyboard(anywhere, other))
            close()
            wait_for("the end of the menu", lambda: menus(anywhere) == 0)
            wait_for("the focus back", lambda: other.active)
        open_menu(anywhere, box.centre)
        wait_for("the keyboard", lambda: has_keyboard(anywhere, other))
        anywhere.key("Up", "Return")
        assert pet.wait() == 0


def has_keyboard(desktop: Desktop, other: Other) -> bool:
    """The menu: on X11 by a grab, for which ``open_menu`` waits, on Wayland by the focus."""
    return not isinstance(desktop, WaylandDesktop) or not other.active


def test_pet_steps_aside_for_a_full_screen_x11_program(anywhere: Desktop, home: Path) -> None:
    with bare_pet(anywhere, home, debug=False) as pet:
        painted(pet)
        with program(anywhere) as film:
            tell(film, "on")
            pet.no_window(PET)
            tell(film, "off")
            pet.window(PET)


def test_pet_stays_over_a_full_screen_wayland_program(anywhere: Desktop, home: Path, tmp_path: Path) -> None:
    """Which nothing on X11 tells of; Look says so. KWin itself puts it over everything while it has the focus."""
    if not isinstance(anywhere, WaylandDesktop):
        pytest.skip("X11 tells of every program")
    with bare_pet(anywhere, home, debug=False) as pet:
        box = painted(pet)
        with other_program(anywhere, tmp_path) as other:
            wait_for("the focus", lambda: reaches(other, *BESIDE))
            other.tell("full")
            wait_for("a click where a panel or its title would be", lambda: reaches(other, 640, 4))
            covered = anywhere.environ["XDG_CURRENT_DESKTOP"] == "KDE"
            wait_for("what is seen", lambda: alike(anywhere.pixel(*box.centre), "#202060" if covered else BODY, by=8))


def test_bubble_stands_beside_the_pet_and_takes_no_focus(anywhere: Desktop, home: Path, tmp_path: Path) -> None:
    write_settings(home, "reminder_bubbles = true\n")
    log = reminder(home)
    with other_program(anywhere, tmp_path) as other, start_pet(anywhere, home) as pet:
        window = ready(pet)
        bubble = seen(pet)
        bubble.shows("Water the ferns")
        wait_for("it above the pet", lambda: above(bubble.box, anywhere.box(window)))
        bubble.click(T("bubble.done"))
        pet.no_window(BUBBLE)
        wait_for("the mark in the log", lambda: "\N{CHECK MARK}" in log.read_text())
        assert "passive" not in other.said()[other.said().index("active") :]


def test_pet_stands_on_its_chat_and_drops_when_that_closes(anywhere: Desktop, home: Path) -> None:
    """On Wayland this is the only window whose edge is known."""
    write_settings(home, "pet_life = 'calm'\npet_size = 60\n")
    JsonState(find_home(home).windows_file).update({"chat": [420, 430]})  # with room above it wherever it is put
    with start_pet(anywhere, home) as pet:
        window = pet.window(PET)
        pet.toggle_chat()
        chat = pet.window(CHAT)

        def on_it() -> bool:
            """Lifted above the middle of the chat, again if that was still on its way to its place."""
            here, there = anywhere.box(window), anywhere.box(chat)
            feet = feet_of(Rect(here.x, here.y, here.width, here.height))
            if 0 <= there.y - feet <= 40 and there.x < here.centre[0] < there.x + there.width:
                return True
            if here.y > there.y:
                dx, dy = there.centre[0] - here.centre[0], there.y - here.height - 40 - here.y
                move_pet(pet, dx, dy)
            return False

        wait_for("it on the chat", on_it)
        pet.toggle_chat()
        wait_for("the drop", lambda: anywhere.box(window).y == 800 - 125)


def above(bubble: Box, pet: Box) -> bool:
    return bubble.y + bubble.height <= pet.y + 60 and bubble.x < pet.x + pet.width


def test_tray_icon_appears_when_the_tray_does(anywhere: Desktop, home: Path, tmp_path: Path) -> None:
    if not isinstance(anywhere, WaylandDesktop):
        pytest.skip("X11's own kind of tray is tested in test_shell_windows")
    with bare_pet(anywhere, home, debug=False) as pet:
        painted(pet)
        said = tmp_path / "tray.txt"
        for _ in range(2):
            with said.open("wb") as out:
                tray = subprocess.Popen(
                    [sys.executable, "-m", "tests.support.desktop.status_notifier"],
                    stdout=out,
                    env=anywhere.environ,
                    start_new_session=True,
                )
            try:
                wait_for("the icon", lambda: "icon" in said.read_text())
            finally:
                end_group(tray)
        assert pet.stop() == 0


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in DESKTOPS if name != "openbox"])
def test_pet_stands_in_its_corner_on_a_scaled_screen(name: str, home: Path) -> None:
    """At one and a half; XWayland draws the pet small and the compositor enlarges it, or it is drawn as it is."""
    with open_compositor(name, scale=1.5) as scaled, bare_pet(scaled, home, debug=False) as pet:
        with scaled.connection() as server:
            screen = server.screen().root.get_geometry()
        scaled.point(*BESIDE)
        window = pet.window(PET)

        def in_its_corner() -> bool:
            """XWayland's modes are multiples of eight."""
            box = scaled.box(window)
            right, below = screen.width - box.x - box.width, screen.height - box.y - box.height
            return 24 <= right <= 32 and 24 <= below <= 32 and shows_body(scaled, *box.centre)

        wait_for("the pet in its corner", in_its_corner)
        box = scaled.box(window)
        x, y = box.centre
        scaled.drag((x, y), (x - 200, y - 150), carries=pet.window(PET))
        moved = rested(scaled, pet.window(PET), home)
        assert abs(box.x - 200 - moved.x) <= 3 and abs(box.y - 150 - moved.y) <= 3
