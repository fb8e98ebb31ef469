"""Shortcuts and screenshots on Wayland, through the desktop's portals: a fake portal on its session bus."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Playwright, expect

from tests.support.desktop.portals import FakePortal
from tests.support.desktop.wayland import open_compositor
from tests.support.desktop.xvfb import call_page, start_pet, wait_for
from tests.support.pet_windows.bubbles import seen, talking, write_settings
from tests.support.pet_windows.windows import BUBBLE, CHAT, PET, T
from tests.support.servers.protocol_replies import stream
from tests.window.desktop.test_desktops import BESIDE, other_program

pytestmark = pytest.mark.window

COPIED = "Der Zug fährt um vier Uhr ab. 火车四点开。"
NOWHERE = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}


def test_shortcut_opens_the_chat_and_a_picture_arrives_while_there_is_a_portal(
    home: Path, tmp_path: Path, playwright: Playwright
) -> None:
    write_settings(home, 'shortcut_chat = "Ctrl+Alt+K"\n')
    with open_compositor("sway") as desktop, start_pet(desktop, home, environ=NOWHERE) as pet:
        browser = pet.attach(playwright)
        chat = pet.page(browser, "chat.html")
        expect(chat.get_by_role("textbox", name=T("ui.composer.label"))).to_be_attached()
        assert call_page(chat, "take_screenshot", {"area": "region"})["ok"] is False

        portal = FakePortal(desktop.variables)
        (bound,) = wait_for("the shortcut", lambda: portal.named("BindShortcuts"))
        assert bound[1][0][1]["description"] == ("s", T("settings.about.shortcut_chat"))
        portal.press("chat")
        pet.window(CHAT)

        file = tmp_path / "taken.png"
        Image.new("RGB", (64, 48), "red").save(file)
        portal.answers.append((0, {"uri": ("s", file.as_uri())}))
        assert call_page(chat, "take_screenshot", {"area": "region"})["ok"]
        tray = chat.get_by_role("list", name=T("ui.attach.tray"))
        expect(tray.get_by_role("listitem")).to_have_count(1)
        assert not file.exists()
        pet.window(PET)  # back again, and so is the chat
        pet.window(CHAT)

        portal.end()
        wait_for("its end", lambda: not call_page(chat, "take_screenshot", {"area": "region"})["ok"])
        browser.close()


def test_a_shortcut_asks_about_what_is_copied_and_the_field_says_that(
    home: Path, tmp_path: Path, playwright: Playwright, shots: Path
) -> None:
    write_settings(home, 'shortcut_ask = "Ctrl+Alt+Q"\n')
    with (
        open_compositor("mutter") as desktop,
        talking(desktop, home, playwright) as (pet, server, _),
        other_program(desktop, tmp_path) as other,
    ):
        portal = FakePortal(desktop.variables)
        wait_for("the shortcut", lambda: portal.named("BindShortcuts"))
        portal.press("ask")
        bubble = seen(pet)
        bubble.shows(T("bubble.copy_first"))
        pet.shows("field().hasFocus() and bubble.isActiveWindow()")
        quoted = "bubble.content.field is not None and bubble.content.field.quoted"

        def asked() -> bool:
            """The compositor hands the copied text on in its own time, and takes none from a program that has
            lost the keyboard meanwhile: copy and ask again where it came too late.
            """
            desktop.click(*BESIDE)
            wait_for("the other program", lambda: other.active)
            other.tell(f"copy {COPIED}")
            portal.press("ask")
            with contextlib.suppress(AssertionError):
                wait_for("the copied text", lambda: pet.ask(quoted), 20)
            return bool(pet.ask(quoted))

        wait_for("the copied text", asked)
        assert pet.ask(quoted) == COPIED
        bubble.shows(T("bubble.copied"))
        pet.shows("bubble.isActiveWindow()")
        desktop.screenshot(shots / "ask-copied.png")
        assert not server.requests
        server.queue(stream("The train leaves at four."))
        bubble.click("Explain this")
        bubble.shows("The train leaves at four.")
        assert COPIED in str(server.requests[-1].json)
        desktop.screenshot(shots / "ask-copied-answer.png")
        bubble.click(T("bubble.close"))
        pet.no_window(BUBBLE)
