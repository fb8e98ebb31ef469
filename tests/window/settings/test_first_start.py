"""The first start in the real program: it comes up by itself, and its three steps leave a pet one can talk to."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright, expect
from Xlib import X

from pet.workspace.templates import gallery
from tests.extras.imports.test_cards import V2
from tests.support.desktop.xvfb import Desktop, start_pet
from tests.support.pet_windows.windows import T, workspace
from tests.window.settings.test_desktop_settings import hold_key, let_go

pytestmark = pytest.mark.window


def choose(page: Page, words: str) -> None:
    page.get_by_role("radio", name=T(words)).check()


def go_on(page: Page, words: str = "welcome.next") -> None:
    page.get_by_role("button", name=T(words), exact=True).click()


_FITS = (
    "() => (({ scrollHeight, clientHeight }) => scrollHeight === clientHeight)(document.querySelector('.welcome'))"
)
"""Nothing is left to roll to in the window as it comes."""


def test_three_steps_lead_to_a_pet_that_answers(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    night = next(each for each in gallery("en") if each.id == "night")
    with start_pet(desktop, home, welcome=True) as running:
        browser = running.attach(playwright)
        page = running.page(browser, "chat.html")
        running.window(T("shell.title_chat_of", name=T("pet.name")))  # nobody has clicked on the pet
        expect(page.get_by_role("heading", level=1)).to_have_text(T("welcome.think.title"))
        page.wait_for_function(_FITS)
        desktop.screenshot(shots / "first-start.png")
        choose(page, "welcome.think.demo")
        go_on(page)
        expect(page.get_by_role("heading", level=1)).to_have_text(T("welcome.who.title"))
        assert running.stop() == 0
        browser.close()
    with start_pet(desktop, home, welcome=True) as running:  # where it was left
        browser = running.attach(playwright)
        page = running.page(browser, "chat.html")
        expect(page.get_by_role("heading", level=1)).to_have_text(T("welcome.who.title"))
        page.get_by_text(night.title, exact=True).click()
        page.get_by_role("textbox", name=T("welcome.who.name")).fill("Inky")
        desktop.screenshot(shots / "first-start-who.png")
        go_on(page)
        expect(page.get_by_role("heading", level=1)).to_have_text(T("welcome.hello.title", name="Inky"))
        page.wait_for_function(_FITS)
        desktop.screenshot(shots / "first-start-hello.png")
        go_on(page, "welcome.hello.done")
        composer = page.get_by_role("textbox", name=T("ui.composer.label"))
        expect(composer).to_be_focused()
        composer.fill("Remember that I like tea.")
        composer.press("Enter")
        expect(page.locator(".receipt")).to_contain_text("I like tea")
        composer.fill("Hello!")
        composer.press("Enter")
        expect(page.locator(".pet-reply .bubble").last).to_contain_text("prepared answer of the demo")
        running.window(T("shell.title_chat_of", name="Inky"))
        assert (workspace(home) / "SOUL.md").read_text("utf-8") == night.text.replace(night.name, "Inky")
        assert running.stop() == 0
        browser.close()
    with start_pet(desktop, home, welcome=True) as running:  # once per home
        browser = running.attach(playwright)
        page = running.page(browser, "chat.html")
        expect(page.get_by_role("textbox", name=T("ui.composer.label"))).to_be_attached()
        expect(page.locator(".welcome")).to_have_count(0)
        browser.close()


def test_a_dropped_card_becomes_the_soul_after_its_owner_saw_it(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    state = home / "state" / "state.json"
    state.parent.mkdir(parents=True)
    state.write_text('{"welcome": 2}')
    with start_pet(desktop, home, welcome=True) as running:
        browser = running.attach(playwright)
        page = running.page(browser, "chat.html")
        running.window(T("shell.title_chat_of", name=T("pet.name")))
        choose(page, "welcome.who.card")
        drop(page, "momo.json", json.dumps(V2).encode())
        preview = page.locator(".card-preview")
        expect(preview).to_contain_text("# Momo")
        desktop.screenshot(shots / "first-start-card.png")
        soul = workspace(home) / "SOUL.md"
        assert "Momo" not in soul.read_text("utf-8")
        preview.get_by_role("button", name=T("card.use")).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(T("welcome.hello.title", name="Momo"))
        assert soul.read_text("utf-8").startswith("# Momo\n")
        assert running.stop() == 0
        browser.close()


def test_the_shortcut_for_what_is_selected_is_set_in_the_last_step(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    state = home / "state" / "state.json"
    state.parent.mkdir(parents=True)
    state.write_text('{"welcome": 3}')
    settings, held = home / "config" / "settings.toml", X.ControlMask | X.Mod1Mask
    with start_pet(desktop, home, welcome=True) as running, desktop.connection() as other:
        browser = running.attach(playwright)
        page = running.page(browser, "chat.html")
        offer = page.locator("#ask-offer")
        expect(offer).not_to_be_checked()  # off until it is set
        assert not settings.exists()
        hold_key(other, "q", held)
        offer.check()
        expect(page.locator(".welcome .taken")).to_contain_text(T("desktop.keys.taken"))
        desktop.screenshot(shots / "first-start-keys.png")
        let_go(other, "q", held)
        page.get_by_role("button", name=T("desktop.keys.again")).click()
        expect(page.locator(".welcome .taken")).to_have_count(0)
        assert 'shortcut_ask = "Ctrl+Alt+Q"' in settings.read_text("utf-8")
        assert running.stop() == 0
        browser.close()


def drop(page: Page, name: str, content: bytes) -> None:
    """A file let go over the place for cards, as the web view tells the page of it."""
    page.locator(".card-drop").evaluate(
        """(place, [name, data]) => {
            const bytes = Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
            const carried = new DataTransfer();
            carried.items.add(new File([bytes], name));
            place.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }));
        }""",
        [name, base64.b64encode(content).decode()],
    )
