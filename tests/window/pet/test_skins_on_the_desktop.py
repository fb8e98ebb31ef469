"""The drawn character and other skins in the real window: seen, poked, carried, put on and taken off."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Playwright

from pet.skins.model import BODIES
from tests.extras.skins.drawing import as_bytes, draw_sheet, put_skin
from tests.support.desktop.xvfb import BACKGROUND, Box, Desktop, Running, call_page, start_pet, wait_for
from tests.support.pet_windows.menus import outline_of

pytestmark = pytest.mark.window

COMMAND = (sys.executable, "-m", "tests.window.programs.worn_pet")
POKE_ANSWERS = {"poked", "giggle", "shy", "leap", "huff", "sneeze"}
BLOT = "#c8005a"  # of the row idle


@pytest.fixture
def pet(desktop: Desktop, home: Path) -> Iterator[Running]:
    with start_pet(desktop, home, command=COMMAND) as running:
        running.shows("pet.accessibleName() == 'Bun'")
        yield running


def at_rest(pet: Running) -> None:
    pet.shows("pet.actor.player.act == 'idle'")


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


def bright(colour: str) -> bool:
    return all(int(colour[at : at + 2], 16) > 200 for at in (1, 3, 5))


def test_the_drawn_pet_greets_then_rests_and_can_be_seen_through(pet: Running) -> None:
    at_rest(pet)
    box, desktop = box_of(pet), pet.desktop
    wait_for("its tummy", lambda: bright(desktop.pixel(box.x + 96, box.y + 165)))
    wait_for("what is below", lambda: desktop.pixel(box.x + 6, box.y + 6) == BACKGROUND)
    assert pet.ask("worn()") == "soulpet"


def test_it_reacts_to_a_poke_and_to_being_carried_and_set_down(pet: Running) -> None:
    at_rest(pet)
    pet.ask("note_acts()")
    box, desktop = box_of(pet), pet.desktop
    desktop.click(*box.centre)
    wait_for("the answer", lambda: POKE_ANSWERS & set(pet.ask("pet.acts")))
    x, y = box.centre
    desktop.drag((x, y), (x - 300, y - 100))
    pet.shows("'carried-left' in pet.acts")
    pet.shows("'dropped' in pet.acts")
    at_rest(pet)


def test_a_throw_slides_on_and_lands(pet: Running) -> None:
    at_rest(pet)
    pet.ask("note_acts()")
    before, desktop = box_of(pet), pet.desktop
    x, y = before.centre
    desktop.throw((x, y), (x - 240, y))
    pet.shows("'landed' in pet.acts")
    assert "thrown-left" in pet.ask("pet.acts")
    wait_for("the way it slid", lambda: box_of(pet).x < before.x - 240 - 40)
    at_rest(pet)


def test_it_walks_where_the_shell_sends_it(pet: Running) -> None:
    at_rest(pet)
    pet.ask("note_acts()")
    before = box_of(pet)
    pet.ask("pet.actor.on_event(events.PetTravels(dx=-310, dy=0))")
    pet.shows("'landed' in pet.acts")
    assert "walk-left" in pet.ask("pet.acts")
    wait_for("the place", lambda: box_of(pet).x == before.x - 310)


def test_paused_memory_shows(pet: Running) -> None:
    assert pet.command("pet", "pause_memory", paused=True)["ok"]
    pet.shows("state() == 'bud drowsy'")
    assert pet.command("pet", "pause_memory", paused=False)["ok"]
    pet.shows("state() == ''")


def test_a_skin_is_put_on_kept_and_given_up_when_it_breaks(pet: Running, home: Path) -> None:
    skin = put_skin(home / "data" / "skins" / "cat", as_bytes(draw_sheet(version=2)))
    assert pet.command("chat", "choose_skin", skin="cat")["ok"]
    pet.shows("worn() == 'cat'")
    box, desktop = box_of(pet), pet.desktop
    wait_for("its colour", lambda: desktop.pixel(box.x + 96, box.y + 120) == BLOT)
    assert 'skin = "cat"' in (home / "data" / "pets" / "pet" / "pet.toml").read_text()

    blot = Box(40 - 4, 50 - 4, 192 - 80 + 8, 208 - 50 - 8 + 8)  # grown by four pixels, as always
    wait_for("its outline", lambda: near(around_outline(pet), blot))

    (skin / "spritesheet.webp").write_bytes(b"RIFF broken")
    assert pet.command("chat", "choose_skin", skin="soulpet")["ok"]
    pet.shows("worn() == 'soulpet'")
    refused = pet.command("chat", "choose_skin", skin="cat")
    assert refused["error"] == {"code": "skin_picture_kind", "args": {"file": "spritesheet.webp"}, "retryable": False}
    assert pet.ask("worn()") == "soulpet"


def test_first_frames_have_the_right_body_theme_and_language(
    desktop: Desktop, home: Path, playwright: Playwright
) -> None:
    body, windows = BODIES[2], home / "state" / "windows.json"
    (home / "config").mkdir(parents=True)
    (home / "config" / "settings.toml").write_text('theme = "dark"\nlanguage = "zh"\n', "utf-8")
    for first in ("", body):
        with start_pet(desktop, home) as pet:
            browser = pet.attach(playwright)
            chat = pet.page(browser, "chat.html")
            assert pet.ask("pet.first_body") == first
            assert chat.evaluate("location.hash") == "#dark,zh"
            assert call_page(chat, "choose_skin", {"skin": body})["ok"]
            wait_for("the body kept", lambda: windows.exists() and body in windows.read_text("utf-8"))
            browser.close()
