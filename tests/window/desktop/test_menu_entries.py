"""Every entry of the menu does what it says, on the real program: chosen by its key, as from the keyboard."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Playwright, expect

from pet.paths import find_home
from pet.services.home import open_pets
from tests.support.desktop.xvfb import (
    BACKGROUND,
    Box,
    Desktop,
    Running,
    call_page,
    end_group,
    open_desktop,
    selection_owned,
    start_pet,
    wait_for,
)
from tests.support.pet_windows.bubbles import new_conversation
from tests.support.pet_windows.menus import choose, menus, open_menu, open_menus, ready_to_click
from tests.support.pet_windows.windows import PET, T

pytestmark = pytest.mark.window


def chat_of(name: str) -> str:
    return T("shell.title_chat_of", name=name)


@contextlib.contextmanager
def started(
    desktop: Desktop, home: Path, settings: str = "", environ: Mapping[str, str] | None = None
) -> Iterator[Running]:
    """The real program with two pets, ``One`` and ``Two``."""
    file = home / "config" / "settings.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('language = "en"\n' + settings)
    pets = open_pets(find_home(home))
    for name in ("One", "Two & a half"):
        pets.create(name, "en")
    with start_pet(desktop, home, environ=environ) as pet:
        ready_to_click(pet, PET)
        yield pet


def place(pet: Running) -> Box:
    return pet.desktop.box(pet.window(PET))


def stands_at(pet: Running, corner: tuple[int, int]) -> bool:
    box = place(pet)
    return (box.x, box.y) == corner


def settings_of(home: Path) -> dict[str, Any]:
    return tomllib.loads((home / "config" / "settings.toml").read_text())


def state_of(home: Path) -> dict[str, Any]:
    with contextlib.suppress(OSError, ValueError):
        found = json.loads((home / "state" / "state.json").read_text())
        assert isinstance(found, dict)
        return found
    return {}


def test_chat_and_a_new_conversation(desktop: Desktop, home: Path, playwright: Playwright) -> None:
    with started(desktop, home) as pet:
        browser = pet.attach(playwright)
        chat = pet.page(browser, "chat.html")
        expect(chat.get_by_role("tab")).to_have_count(1)
        choose(desktop, place(pet).centre, "c")
        pet.window(chat_of("One"))
        choose(desktop, place(pet).centre, "c")
        pet.no_window(chat_of("One"))
        choose(desktop, place(pet).centre, "e", "n")
        window = pet.window(chat_of("One"))
        expect(chat.get_by_role("tab")).to_have_count(2)
        wait_for("the focus", lambda: desktop.active_window() == window)
        browser.close()


def test_switches_and_size_are_kept(desktop: Desktop, home: Path, shots: Path) -> None:
    with started(desktop, home) as pet:
        choose(desktop, place(pet).centre, "m")
        wait_for("the pause", lambda: state_of(home).get("paused.one") is True)
        choose(desktop, place(pet).centre, "d")
        wait_for("the quiet", lambda: settings_of(home).get("do_not_disturb") is True)
        open_menu(desktop, place(pet).centre)
        desktop.screenshot(shots / "menu-switches.png")
        desktop.key("d")
        wait_for("the end of the quiet", lambda: settings_of(home).get("do_not_disturb") is False)
        wait_for("the end of the menu", lambda: menus(desktop) == 0)
        choose(desktop, place(pet).centre, "m")
        wait_for("the end of the pause", lambda: state_of(home).get("paused.one") is False)
        before = place(pet)
        choose(desktop, before.centre, "e", "i", "Down", "Down", "Down", "Return")
        wait_for("the size", lambda: settings_of(home).get("pet_size") == 125)

        def on_its_feet() -> bool:
            now = place(pet)
            return now.width == 240 and now.y + now.height == before.y + before.height

        wait_for("the larger pet", on_its_feet)


def test_corners_follow_each_other(desktop: Desktop, home: Path, playwright: Playwright) -> None:
    left, top, right, bottom = 24, 24, 1280 - 24 - 192, 800 - 24 - 208
    with started(desktop, home) as pet:
        wait_for("its first corner", partial(stands_at, pet, (right, bottom)))
        browser = pet.attach(playwright)
        chat = pet.page(browser, "chat.html")
        expect(chat.get_by_role("tab")).to_have_count(1)
        for corner in ((left, bottom), (left, top), (right, top), (right, bottom)):
            assert call_page(chat, "send_to_corner")["ok"]
            wait_for(f"the corner {corner}", partial(stands_at, pet, corner))
        browser.close()


def test_the_menu_stands_beside_the_pet_and_off_the_edges(desktop: Desktop, home: Path, shots: Path) -> None:
    with started(desktop, home) as pet:
        for at in ((1280 - 192, 800 - 208), (0, 0), (500, 300)):
            desktop.drag(place(pet).centre, (at[0] + 96, at[1] + 104))
            box = ready_to_click(pet, PET)
            open_menu(desktop, box.centre)
            (menu,) = (desktop.box(each) for each in open_menus(desktop))
            desktop.screenshot(shots / f"menu-beside-{at[0]}.png")
            assert menu.x >= box.x + box.width or menu.x + menu.width <= box.x
            assert menu.x >= 8 and menu.y >= 8
            assert menu.x + menu.width <= 1272 and menu.y + menu.height <= 792
            desktop.key("Escape")
            wait_for("the end of the menu", lambda: menus(desktop) == 0)


def test_the_settings_open_in_the_chats_window(desktop: Desktop, home: Path, playwright: Playwright) -> None:
    with started(desktop, home) as pet:
        browser = pet.attach(playwright)
        chat = pet.page(browser, "chat.html")
        expect(chat.get_by_role("tab")).to_have_count(1)
        choose(desktop, place(pet).centre, "s")
        pet.window(chat_of("One"))
        expect(chat.locator(".settings").first).to_be_visible()
        browser.close()


def test_another_pet_comes_from_the_menu(desktop: Desktop, home: Path) -> None:
    with started(desktop, home) as pet:
        choose(desktop, place(pet).centre, "c")
        pet.window(chat_of("One"))
        choose(desktop, place(pet).centre, "e", "p", "Down", "Return")
        other = wait_for("its chat", lambda: program_with(desktop, chat_of("Two & a half")))
        try:
            wait_for("the choice", lambda: state_of(home).get("pet") == "two-a-half")
            assert pet.wait() == 0
        finally:
            os.kill(other, signal.SIGTERM)
            wait_for("its end", lambda: program_with(desktop, PET) is None)


def program_with(desktop: Desktop, title: str) -> int | None:
    """Return the process of the window with this title."""
    lines = (line.split(None, 4) for line in desktop.listed())
    return next((int(owner) for _handle, _desk, owner, _host, *name in lines if name == [title]), None)


def test_quit_ends_it(desktop: Desktop, home: Path) -> None:
    with started(desktop, home) as pet:
        open_menu(desktop, place(pet).centre)
        desktop.key("q")
        assert pet.wait() == 0


def test_the_tray_wears_a_mark_while_something_is_unread(tmp_path: Path, playwright: Playwright, shots: Path) -> None:
    home = tmp_path / "home"
    with open_desktop() as other:
        panel = other.spawn(sys.executable, "-m", "tests.support.desktop.tray")
        wait_for("the tray", lambda: selection_owned(other, "_NET_SYSTEM_TRAY_S0"))
        with started(other, home, "demo = true\n") as pet:
            wait_for("the icon", lambda: other.pixel(16, 20) not in ("#ffffff", BACKGROUND))
            wait_for("no mark", lambda: not marked(other))
            browser = pet.attach(playwright)
            chat = pet.page(browser, "chat.html")
            expect(chat.get_by_role("tab")).to_have_count(1)
            conversation = new_conversation(chat)
            call_page(chat, "send_message", {"conversation": conversation, "text": "Hello?"})
            wait_for("the mark", lambda: marked(other))
            other.screenshot(shots / "tray-unread.png")
            browser.close()
            wait_for("it to be kept", lambda: unread_in(state_of(home)))
            assert pet.stop() == 0
        end_group(panel)  # its next place would be another one
        other.spawn(sys.executable, "-m", "tests.support.desktop.tray")
        wait_for("the tray", lambda: selection_owned(other, "_NET_SYSTEM_TRAY_S0"))
        with start_pet(other, home, debug=False):  # over a restart as well
            wait_for("the mark", lambda: marked(other))


def unread_in(state: dict[str, Any]) -> bool:
    return any(name.startswith("unread.") and value for name, value in state.items())


def marked(desktop: Desktop) -> bool:
    """Whether the icon's upper right corner is the colour of the mark."""
    red, green, blue = (int(desktop.pixel(25, 7)[at : at + 2], 16) for at in (1, 3, 5))
    return red > 180 and green < 110 and blue < 80
