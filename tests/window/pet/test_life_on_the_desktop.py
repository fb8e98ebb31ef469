"""What the life together shows in the real window: a hat, and a note in its paws until it is taken."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright, expect

from tests.support.desktop.xvfb import Desktop, start_pet, wait_for
from tests.support.files import write_files
from tests.support.pet_windows.bubbles import click_in_bubble, ready, seen, write_settings
from tests.support.pet_windows.menus import ready_to_click
from tests.support.pet_windows.windows import BUBBLE, PET, T
from tests.window.pet.test_bubble_on_the_desktop import CLOCKED

pytestmark = pytest.mark.window


def state(page: Page) -> str:
    return str(page.evaluate("document.getElementById('pet').dataset.state"))


def test_a_birthday_hat_and_a_note_that_is_held_until_it_is_taken(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    write_settings(home, 'reminder_bubbles = true\nquiet_from = "09:00"\nquiet_until = "10:00"\n')
    (home / "clock").write_text("2026-11-21T09:10:00+01:00")
    (home / "state").mkdir(exist_ok=True)
    (home / "state" / "state.json").write_text('{"welcome": 0, "met.pet": ["2026-10-01"]}')
    log = "# Memory Log: 2026-11-20\n\n## [08:00:00] todo @2026-11-21\nCall the dentist\n"
    files = {"USER.md": "# Owner\n\n- Birthday: 21 November\n", "memory/2026-11-20.md": log}
    write_files(home / "data" / "pets" / "pet", files)
    with start_pet(desktop, home, command=CLOCKED) as pet:
        ready(pet)
        browser = pet.attach(playwright)
        body = pet.page(browser, "pet.html")
        wait_for("the hat and the note", lambda: state(body) == "holds party")
        wait_for("its rest", lambda: body.evaluate("document.getElementById('pet').dataset.act") == "idle")
        desktop.screenshot(shots / "life-held.png")
        desktop.click(*ready_to_click(pet, PET).centre)
        with seen(pet, playwright) as (_browser, page):
            expect(page.get_by_role("status")).to_contain_text("Call the dentist")
            desktop.screenshot(shots / "life-taken.png")
            click_in_bubble(pet, page.get_by_role("button", name=T("bubble.close"), exact=True))
            pet.no_window(BUBBLE)
        wait_for("empty paws", lambda: state(body) == "party")
        browser.close()
