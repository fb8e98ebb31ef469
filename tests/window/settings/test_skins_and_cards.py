"""Skins and character cards in the real program: brought by the file dialog's way and by drop, worn, given back."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import FilePayload, Locator, Page, Playwright, expect

from pet.i18n import Texts
from tests.extras.imports.test_card_pictures import DRESSED
from tests.extras.skins.drawing import as_bytes, blot, draw_sheet, manifest, zipped
from tests.support.desktop.xvfb import Desktop, Running, start_pet, wait_for

pytestmark = pytest.mark.window

T = Texts("en")
PINK, GREEN = "#c8005a", "#28a050"


@dataclass(slots=True)
class Shown:
    running: Running
    page: Page

    @property
    def skins(self) -> Locator:
        return self.page.get_by_role("region", name=T("ui.skins.title"))

    def section(self, name: str) -> None:
        self.page.locator(".settings nav").get_by_role("button", name=name).click()

    def shot(self, file: Path) -> None:
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.running.desktop.screenshot(file)

    def has_colour(self, colour: str) -> None:
        """The pet itself, on the screen."""
        desktop, window = self.running.desktop, self.running.window(T("shell.title_pet"))

        def worn() -> bool:
            box = desktop.box(window)
            return desktop.pixel(box.x + box.width // 2, box.y + 130) == colour

        wait_for(f"a pet of {colour}", worn)


@contextlib.contextmanager
def settings(desktop: Desktop, home: Path, playwright: Playwright) -> Iterator[Shown]:
    """The program with its settings open; its owner's folders are in this home."""
    (home / "Downloads").mkdir(parents=True, exist_ok=True)
    config = home / "os-config"
    config.mkdir(exist_ok=True)
    (config / "user-dirs.dirs").write_text(f'XDG_DOWNLOAD_DIR="{home}/Downloads"\n')
    environ = {"HOME": str(home), "XDG_CONFIG_HOME": str(config), "ANTHROPIC_API_KEY": "sk-test-0000"}
    with start_pet(desktop, home, environ=environ) as running:
        running.window(T("shell.title_pet"))
        browser = running.attach(playwright)
        page = running.page(browser, "chat.html")
        expect(page.get_by_role("textbox", name=T("ui.composer.label"))).to_be_attached()
        assert running.command("pet", "show_view", view="settings")["ok"]
        running.window(T("shell.title_chat_of", name=T("pet.name")))
        yield Shown(running, page)
        browser.close()


def drop(target: Locator, name: str, kind: str, data: bytes) -> None:
    """As the web view hands a dropped file to the page."""
    transfer = target.page.evaluate_handle(
        """([name, kind, data]) => {
            const transfer = new DataTransfer();
            const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
            transfer.items.add(new File([bytes], name, { type: kind }));
            return transfer;
        }""",
        [name, kind, base64.b64encode(data).decode()],
    )
    for event in ("dragover", "drop"):
        target.dispatch_event(event, {"dataTransfer": transfer})


def green_sheet() -> bytes:
    sheet = draw_sheet()
    flat = Image.new("RGBA", sheet.size, GREEN)
    flat.putalpha(sheet.getchannel("A"))
    return as_bytes(flat, "PNG")


def test_a_skin_comes_as_a_file_or_by_drop_and_the_pet_wears_it(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    with settings(desktop, home, playwright) as shown:
        shown.section(T("ui.section.me"))
        files = {"pet.json": manifest(displayName="Mooncat"), "spritesheet.webp": as_bytes(draw_sheet())}
        beside = {"README.md": b"Author: Lin\nLicense: CC BY 4.0\n"}
        given: FilePayload = {"name": "moon.zip", "mimeType": "application/zip", "buffer": zipped(files | beside)}
        shown.skins.locator("input[type=file]").set_input_files([given])
        arrived = shown.skins.locator(".arrived")
        expect(arrived).to_contain_text(T("skins.arrived", name="Mooncat"))
        expect(arrived).to_contain_text("Lin")
        expect(arrived).to_contain_text("CC BY 4.0")
        expect(arrived.locator(".live-skin")).to_be_visible()
        arrived.scroll_into_view_if_needed()
        shown.shot(shots / "skin-arrived.png")
        arrived.get_by_role("button", name=T("skins.wear")).click()
        expect(arrived).to_have_count(0)
        shown.has_colour(PINK)

        drop(shown.skins, "green.png", "image/png", green_sheet())
        expect(arrived).to_contain_text(T("skins.arrived", name="green"))
        arrived.get_by_role("button", name=T("skins.wear")).click()
        shown.has_colour(GREEN)
        expect(shown.skins.locator("li.current")).to_contain_text("green")

        drop(shown.skins, "not-a-pet.png", "image/png", blot())
        expect(shown.skins.get_by_role("alert")).to_contain_text(T("error.skin_nothing_known"))
        shown.has_colour(GREEN)


def test_a_card_is_seen_whole_moves_in_with_its_pictures_and_leaves_as_the_same_bytes(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    with settings(desktop, home, playwright) as shown:
        shown.section(T("ui.section.me"))
        soul = next((home / "data" / "pets").iterdir()) / "SOUL.md"
        before = soul.read_bytes()
        shown.page.get_by_role("button", name=T("card.title")).click()
        shown.page.get_by_role("menuitem", name=T("card.import")).click()
        dialog = shown.page.get_by_role("dialog")
        drop(dialog.locator(".card-drop"), "momo.charx", "application/zip", DRESSED)
        preview = dialog.locator(".card-preview")
        expect(preview.locator(".card-moods li")).to_have_count(3)
        expect(preview).to_contain_text("small fox")
        expect(preview.get_by_role("img", name=T("card.portrait", name="Momo"))).to_be_visible()
        assert soul.read_bytes() == before
        shown.shot(shots / "card-preview.png")
        preview.locator(".card-moods").scroll_into_view_if_needed()
        shown.shot(shots / "card-pictures.png")
        preview.get_by_label(T("card.pictures")).check()
        preview.get_by_role("button", name=T("card.use")).click()
        expect(dialog).to_have_count(0)
        wait_for("the soul", lambda: soul.read_bytes() != before)
        assert "small fox" in soul.read_text()
        shown.running.shows("worn() not in ('', 'soulpet')")
        shown.has_colour("#5a8cd2")  # the face at rest
        shown.shot(shots / "card-worn.png")
        shown.page.get_by_role("button", name=T("card.title")).click()
        shown.page.get_by_role("menuitem", name=T("card.export")).click()
        file = wait_for("the card", lambda: next(iter((home / "Downloads").glob("*.charx")), None))
        wait_for("all of it", lambda: file.stat().st_size == len(DRESSED))
        assert file.read_bytes() == DRESSED
