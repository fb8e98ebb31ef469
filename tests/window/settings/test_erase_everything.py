"""The end of all data in the real program: it quits, and nothing of it is left but what lies in the bin."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect

from pet.i18n import Texts
from tests.support.desktop.xvfb import Desktop, start_pet
from tests.support.pet_windows.menus import ready_to_click
from tests.support.pet_windows.windows import PET

pytestmark = pytest.mark.window

T = Texts("en")


def test_everything_goes_to_the_bin_and_the_program_ends(
    desktop: Desktop, home: Path, tmp_path: Path, playwright: Playwright, shots: Path
) -> None:
    data = tmp_path / "share"  # where the bin is
    data.mkdir()
    with start_pet(desktop, home, environ={"XDG_DATA_HOME": str(data), "HOME": str(data)}) as running:
        browser = running.attach(playwright)
        page = running.page(browser, "chat.html")
        expect(page.get_by_role("textbox", name=T("ui.composer.label"))).to_be_attached()
        desktop.double_click(ready_to_click(running, PET))
        running.window(T("shell.title_chat_of", name=T("pet.name")))
        expect(page.get_by_role("textbox", name=T("ui.composer.label"))).to_be_focused()
        page.keyboard.press("Control+,")
        page.get_by_role("button", name=T("ui.section.privacy"), exact=True).click()
        page.get_by_role("button", name=T("settings.privacy.erase_do")).click()
        dialog = page.get_by_role("dialog")
        erase = dialog.get_by_role("button", name=T("settings.privacy.erase"), exact=True)
        expect(dialog).to_contain_text(str(home / "data"))
        expect(erase).to_be_disabled()
        desktop.screenshot(shots / "erase.png")
        dialog.get_by_role("textbox").fill("Delete")
        erase.click()
        assert running.wait() == 0
    assert list(home.iterdir()) == []
    kept = [file.name for file in (data / "Trash" / "files").rglob("SOUL.md")]
    assert kept == ["SOUL.md"]
