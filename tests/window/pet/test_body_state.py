"""What the pet's body shows of the program's state, and what it knows of the pointer, in the real program."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright, expect

from pet.i18n import Texts
from tests.support.desktop.xvfb import Desktop, call_page, start_pet, wait_for

pytestmark = pytest.mark.window

T = Texts("en")


def state(page: Page) -> str:
    return str(page.evaluate("document.getElementById('pet').dataset.state"))


def test_body_shows_do_not_disturb_pause_and_the_memory_of_the_open_tab(
    desktop: Desktop, home: Path, playwright: Playwright
) -> None:
    with start_pet(desktop, home) as pet:
        browser = pet.attach(playwright)
        body, chat = pet.page(browser, "pet.html"), pet.page(browser, "chat.html")
        # By then the page has said which conversation it shows itself; that would come in between.
        expect(chat.get_by_role("textbox", name=T("ui.composer.label"))).to_be_attached()
        wait_for("the look", lambda: state(body) == "" and body.evaluate("document.getElementById('pet').ariaLabel"))
        assert call_page(chat, "change_settings", {"changes": {"do_not_disturb": True}})["ok"]
        wait_for("the headphones", lambda: state(body) == "hush")
        assert call_page(chat, "change_settings", {"changes": {"do_not_disturb": False}})["ok"]
        wait_for("no headphones", lambda: state(body) == "")

        on = call_page(chat, "new_conversation", {"memory": True})["value"]["info"]["id"]
        off = call_page(chat, "new_conversation", {"memory": False})["value"]["info"]["id"]
        assert call_page(chat, "set_in_front", {"conversation": off})["ok"]
        wait_for("the bud", lambda: state(body) == "bud")
        assert call_page(chat, "set_in_front", {"conversation": on})["ok"]
        wait_for("the leaves", lambda: state(body) == "")
        assert call_page(chat, "set_memory", {"conversation": on, "memory": False})["ok"]
        wait_for("the bud again", lambda: state(body) == "bud")
        assert call_page(chat, "set_memory", {"conversation": on, "memory": True})["ok"]

        assert call_page(chat, "change_settings", {"changes": {"do_not_disturb": False}})["ok"]
        assert call_page(body, "pause_memory", {"paused": True})["ok"]
        wait_for("the pause", lambda: state(body) == "bud drowsy")
        browser.close()


def test_pointer_is_found_from_the_pet_s_corner(desktop: Desktop, home: Path, playwright: Playwright) -> None:
    with start_pet(desktop, home) as pet:
        browser = pet.attach(playwright)
        body = pet.page(browser, "pet.html")
        window = pet.window(T("shell.title_pet"))
        desktop.run("xdotool", "mousemove", "100", "120")

        def found() -> bool:
            box = desktop.box(window)
            pointer = {"known": True, "x": 100 - box.x, "y": 120 - box.y, "held": False}
            return bool(call_page(body, "find_pointer")["value"] == pointer)

        wait_for("the pointer", found)
        browser.close()
