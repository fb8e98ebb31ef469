"""What the pet's body shows of the program's state, and what it knows of the pointer, in the real program."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect

from pet.i18n import Texts
from tests.support.desktop.xvfb import Desktop, Running, call_page, start_pet, wait_for

pytestmark = pytest.mark.window

T = Texts("en")


def shows_state(pet: Running, state: str) -> None:
    pet.shows(f"state() == {state!r}")


def test_body_shows_do_not_disturb_pause_and_the_memory_of_the_open_tab(
    desktop: Desktop, home: Path, playwright: Playwright
) -> None:
    with start_pet(desktop, home) as pet:
        browser = pet.attach(playwright)
        chat = pet.page(browser, "chat.html")
        # By then the page has said which conversation it shows itself; that would come in between.
        expect(chat.get_by_role("textbox", name=T("ui.composer.label"))).to_be_attached()
        pet.shows("state() == '' and pet.accessibleName()")
        assert call_page(chat, "change_settings", {"changes": {"do_not_disturb": True}})["ok"]
        shows_state(pet, "hush")
        assert call_page(chat, "change_settings", {"changes": {"do_not_disturb": False}})["ok"]
        shows_state(pet, "")

        on = call_page(chat, "new_conversation", {"memory": True})["value"]["info"]["id"]
        off = call_page(chat, "new_conversation", {"memory": False})["value"]["info"]["id"]
        assert call_page(chat, "set_in_front", {"conversation": off})["ok"]
        shows_state(pet, "bud")
        assert call_page(chat, "set_in_front", {"conversation": on})["ok"]
        shows_state(pet, "")
        assert call_page(chat, "set_memory", {"conversation": on, "memory": False})["ok"]
        shows_state(pet, "bud")
        assert call_page(chat, "set_memory", {"conversation": on, "memory": True})["ok"]

        assert call_page(chat, "change_settings", {"changes": {"do_not_disturb": False}})["ok"]
        assert pet.command("pet", "pause_memory", paused=True)["ok"]
        shows_state(pet, "bud drowsy")
        browser.close()


def test_pointer_is_found_from_the_pet_s_corner(desktop: Desktop, home: Path) -> None:
    with start_pet(desktop, home) as pet:
        window = pet.window(T("shell.title_pet"))
        desktop.run("xdotool", "mousemove", "100", "120")

        def found() -> bool:
            box = desktop.box(window)
            pointer = {"known": True, "x": 100 - box.x, "y": 120 - box.y, "held": False}
            return bool(pet.command("pet", "find_pointer")["value"] == pointer)

        wait_for("the pointer", found)
