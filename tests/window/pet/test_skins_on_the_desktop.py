"""The drawn character and other skins in the real window: seen, poked, carried, put on and taken off."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright

from pet.skins.model import BODIES
from tests.skins.drawing import as_bytes, draw_sheet, put_skin
from tests.support.desktop.xvfb import BACKGROUND, Box, Desktop, Running, call_page, start_pet, wait_for
from tests.support.pet_windows.menus import outline_of

pytestmark = pytest.mark.window

COMMAND = (sys.executable, "-m", "tests.window.programs.worn_pet")
POKE_ANSWERS = {"poked", "giggle", "shy", "leap", "huff", "sneeze"}
BLOT = "#c8005a"  # of the row idle


@pytest.fixture
def pet(desktop: Desktop, home: Path) -> Iterator[Running]:
    with start_pet(desktop, home, command=COMMAND) as running:
        yield running


@pytest.fixture
def page(pet: Running, playwright: Playwright) -> Iterator[Page]:
    connected: Browser = pet.attach(playwright)
    found = pet.page(connected, "pet.html")
    wait_for("the look", lambda: said(found) == "Bun")
    yield found
    connected.close()


def said(page: Page) -> str:
    return str(page.evaluate("document.getElementById('pet').ariaLabel"))


def act(page: Page) -> str:
    return str(page.evaluate("document.getElementById('pet').dataset.act"))


def worn(page: Page) -> str:
    """The id of the skin that the page draws."""
    return str(page.evaluate("document.getElementById('pet').dataset.skin"))


def state(page: Page) -> str:
    return str(page.evaluate("document.getElementById('pet').dataset.state"))


def box_of(pet: Running) -> Box:
    return pet.desktop.box(pet.window("Soulpet"))


def around_outline(pet: Running) -> Box:
    """The rectangle around all that takes clicks."""
    rects = outline_of(pet.desktop, pet.window("Soulpet"))
    left, top = min(rect.x for rect in rects), min(rect.y for rect in rects)
    right, bottom = max(rect.x + rect.width for rect in rects), max(rect.y + rect.height for rect in rects)
    return Box(left, top, right - left, bottom - top)


def near(one: Box, other: Box) -> bool:
    pairs = zip((one.x, one.y, one.width, one.height), (other.x, other.y, other.width, other.height), strict=True)
    return all(abs(a - b) <= 3 for a, b in pairs)


def note_acts(page: Page) -> None:
    page.evaluate(
        """() => { window.acts = []; new MutationObserver(() => acts.push(document.getElementById('pet').dataset.act))
        .observe(document.getElementById('pet'), { attributes: true, attributeFilter: ['data-act'] }); }"""
    )


def bright(colour: str) -> bool:
    return all(int(colour[at : at + 2], 16) > 200 for at in (1, 3, 5))


def test_the_drawn_pet_greets_then_rests_and_can_be_seen_through(pet: Running, page: Page) -> None:
    wait_for("the end of the greeting", lambda: act(page) == "idle")
    box, desktop = box_of(pet), pet.desktop
    wait_for("its tummy", lambda: bright(desktop.pixel(box.x + 96, box.y + 165)))
    wait_for("what is below", lambda: desktop.pixel(box.x + 6, box.y + 6) == BACKGROUND)
    assert worn(page) == "soulpet"


def test_it_reacts_to_a_poke_and_to_being_carried_and_set_down(pet: Running, page: Page) -> None:
    wait_for("the end of the greeting", lambda: act(page) == "idle")
    note_acts(page)
    box, desktop = box_of(pet), pet.desktop
    desktop.click(*box.centre)
    wait_for("the answer", lambda: POKE_ANSWERS & set(page.evaluate("acts")))
    x, y = box.centre
    desktop.drag((x, y), (x - 300, y - 100))
    wait_for("the way", lambda: "carried-left" in page.evaluate("acts"))
    wait_for("the landing", lambda: "dropped" in page.evaluate("acts"))
    wait_for("rest", lambda: act(page) == "idle")


def test_a_throw_slides_on_and_lands(pet: Running, page: Page) -> None:
    wait_for("the end of the greeting", lambda: act(page) == "idle")
    note_acts(page)
    before, desktop = box_of(pet), pet.desktop
    x, y = before.centre
    desktop.throw((x, y), (x - 240, y))
    wait_for("the landing", lambda: "landed" in page.evaluate("acts"))
    assert "thrown-left" in page.evaluate("acts")
    wait_for("the way it slid", lambda: box_of(pet).x < before.x - 240 - 40)
    wait_for("rest", lambda: act(page) == "idle")


def test_it_walks_where_the_shell_sends_it(pet: Running, page: Page) -> None:
    wait_for("the end of the greeting", lambda: act(page) == "idle")
    note_acts(page)
    before = box_of(pet)
    event = {"event": {"type": "pet_travels", "dx": -310, "dy": 0}}
    page.evaluate("(one) => window.__soulpet.deliver({ events: [one], resync: false })", event)
    wait_for("the landing", lambda: "landed" in page.evaluate("acts"))
    assert "walk-left" in page.evaluate("acts")
    wait_for("the place", lambda: box_of(pet).x == before.x - 310)


def test_paused_memory_shows(pet: Running, page: Page) -> None:
    assert call_page(page, "pause_memory", {"paused": True})["ok"]
    wait_for("the bud", lambda: state(page) == "bud drowsy")
    assert call_page(page, "pause_memory", {"paused": False})["ok"]
    wait_for("the leaves", lambda: state(page) == "")


def test_a_skin_is_put_on_kept_and_given_up_when_it_breaks(pet: Running, page: Page, home: Path) -> None:
    skin = put_skin(home / "data" / "skins" / "cat", as_bytes(draw_sheet(version=2)))
    chat = next(each for each in page.context.pages if "/chat.html" in each.url)
    assert call_page(chat, "choose_skin", {"skin": "cat"})["ok"]
    wait_for("the cat", lambda: worn(page) == "cat")
    box, desktop = box_of(pet), pet.desktop
    wait_for("its colour", lambda: desktop.pixel(box.x + 96, box.y + 120) == BLOT)
    assert 'skin = "cat"' in (home / "data" / "pets" / "pet" / "pet.toml").read_text()

    blot = Box(40 - 4, 50 - 4, 192 - 80 + 8, 208 - 50 - 8 + 8)  # grown by four pixels, as always
    wait_for("its outline", lambda: near(around_outline(pet), blot))

    (skin / "spritesheet.webp").write_bytes(b"RIFF broken")
    assert call_page(chat, "choose_skin", {"skin": "soulpet"})["ok"]
    wait_for("the drawing", lambda: worn(page) == "soulpet")
    refused = call_page(chat, "choose_skin", {"skin": "cat"})
    assert refused["error"] == {"code": "skin_picture_kind", "args": {"file": "spritesheet.webp"}, "retryable": False}
    assert worn(page) == "soulpet"


def test_first_frames_have_the_right_body_theme_and_language(
    desktop: Desktop, home: Path, playwright: Playwright
) -> None:
    body, windows = BODIES[2], home / "state" / "windows.json"
    (home / "config").mkdir(parents=True)
    (home / "config" / "settings.toml").write_text('theme = "dark"\nlanguage = "zh"\n', "utf-8")
    for first in ("", f"#{body}"):
        with start_pet(desktop, home) as pet:
            browser = pet.attach(playwright)
            page, chat = pet.page(browser, "pet.html"), pet.page(browser, "chat.html")
            assert page.evaluate("location.hash") == first
            assert chat.evaluate("location.hash") == "#dark,zh"
            assert call_page(chat, "choose_skin", {"skin": body})["ok"]
            wait_for("the body kept", lambda: windows.exists() and body in windows.read_text("utf-8"))
            browser.close()
