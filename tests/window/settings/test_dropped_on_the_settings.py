"""Real drags from another program onto the settings: taken from the first move on, wherever the pointer rests."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Playwright, expect

from pet.i18n import Texts
from tests.support.desktop.xvfb import Desktop, wait_for
from tests.window.programs.dragging import Drag, dragging
from tests.window.settings.test_skins_and_cards import Shown, settings

pytestmark = pytest.mark.window

T = Texts("en")

ENTERED = """() => {
    window.entered = '';
    window.addEventListener('dragenter', (event) => (window.entered = event.target.tagName));
}"""


def entered(page: Page) -> object:
    return page.evaluate("window.entered")


def crossed(drag: Drag, start: tuple[int, int], end: tuple[int, int]) -> bool:
    """By a single move, again and again: under load Qt now and then loses one on its way to the page."""
    drag.move(*start)
    drag.move(*end)
    return True


def on_screen(shown: Shown, target: Locator) -> tuple[int, int]:
    """The element's middle."""
    window = shown.running.desktop.box(shown.running.window(T("shell.title_chat_of", name=T("pet.name"))))
    box = target.bounding_box()
    assert box is not None
    return window.x + int(box["x"] + box["width"] / 2), window.y + int(box["y"] + box["height"] / 2)


def test_a_file_let_go_as_the_pointer_enters_a_part_of_the_pane_is_taken(
    desktop: Desktop, home: Path, playwright: Playwright, tmp_path: Path
) -> None:
    """The single move onto another element is an enter without an over: the page has to accept that one as well."""
    with settings(desktop, home, playwright) as shown:
        page = shown.page
        page.get_by_role("button", name=T("ui.section.privacy"), exact=True).click()
        page.get_by_role("button", name=T("moving.tab"), exact=True).click()
        page.evaluate(ENTERED)
        pane, preview = page.get_by_role("region", name=T("moving.title")), page.locator(".import-preview")
        for number in range(3):
            given = tmp_path / f"memories {number} 记忆.txt"
            given.write_text(f"[2025-08-02] - Is allergic to {number} hazelnuts\n", encoding="utf-8")
            pane.locator("summary").click()  # what can be imported
            title, note = on_screen(shown, pane.locator("h3")), on_screen(shown, pane.locator("p").first)
            with dragging(desktop, title, [given]) as drag:
                wait_for("the page to take it", lambda: drag.wiggle(*title) == "CopyAction" and entered(page) == "H3")  # noqa: B023
                wait_for("it to enter the note", lambda: crossed(drag, title, note) and entered(page) == "P")  # noqa: B023
                drag.let_go()
            expect(preview).to_contain_text(f"{number} hazelnuts")
            preview.get_by_role("button", name=T("ui.cancel"), exact=True).click()
            expect(page.locator(".import-ways")).to_be_visible()
