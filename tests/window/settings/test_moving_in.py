"""Moving in through the real program: the system's own dialog, the preview, the run, Undo; and quitting over it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright, expect

from pet.i18n import Texts
from tests.extras.imports import sources
from tests.support.desktop.dialogs import answer_dialog, dialog_of
from tests.support.desktop.xvfb import Desktop, wait_for
from tests.window.settings.test_skins_and_cards import settings

pytestmark = pytest.mark.window

T = Texts("en")


def _open(page: Page) -> None:
    page.get_by_role("button", name=T("ui.section.privacy"), exact=True).click()
    page.get_by_role("button", name=T("moving.tab"), exact=True).click()


def test_folder_is_chosen_previewed_brought_along_and_taken_back(
    desktop: Desktop, home: Path, playwright: Playwright, tmp_path: Path
) -> None:
    claw = sources.openclaw_workspace(tmp_path / "claw")
    memory = home / "data" / "pets" / "pet" / "MEMORY.md"
    with settings(desktop, home, playwright) as shown:
        page = shown.page
        _open(shown.page)
        page.get_by_role("button", name=T("moving.folder"), exact=True).click()
        answer_dialog(shown.running, T("desktop.choose_folder"), claw)
        preview = page.locator(".import-preview")
        expect(preview).to_contain_text("MEMORY.md")
        assert not memory.exists()
        page.get_by_role("button", name=T("moving.go"), exact=True).click()
        expect(page.locator(".import-done")).to_be_visible()
        assert "cello" in memory.read_text(encoding="utf-8")
        page.locator(".import-done").get_by_role("button", name=T("moving.undo")).click()
        expect(page.locator(".import-ways")).to_be_visible()
        assert not memory.exists()


def test_program_ends_while_the_dialog_is_open(desktop: Desktop, home: Path, playwright: Playwright) -> None:
    with settings(desktop, home, playwright) as shown:
        _open(shown.page)
        shown.page.get_by_role("button", name=T("moving.file"), exact=True).click()
        wait_for("the dialog", lambda: dialog_of(shown.running, T("desktop.choose_file")) is not None)
        assert shown.running.stop() == 0
