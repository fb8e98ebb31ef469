"""Shortcuts and screenshots on Wayland, through the desktop's portals: sway, and a fake portal on its session bus."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Playwright, expect

from tests.support.desktop.portals import FakePortal
from tests.support.desktop.wayland import open_compositor
from tests.support.desktop.xvfb import call_page, start_pet, wait_for
from tests.support.pet_windows.bubbles import write_settings
from tests.support.pet_windows.windows import CHAT, PET, T

pytestmark = pytest.mark.window

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
