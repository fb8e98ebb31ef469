"""A window of 380 by 420 with too much of everything: every section in both languages, nothing sticks out."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect

from pet.i18n import Language, Texts
from pet.paths import find_home
from pet.services.home import open_pets
from tests.support.desktop.xvfb import Desktop, call_page, start_pet, wait_for
from tests.support.pet_windows.windows import talking, workspace
from tests.support.servers.protocol_replies import Call, stream
from tests.support.servers.protocol_server import ProtocolServer
from tests.window.chat.sticking_out import SMALL, menu_items, sticking_out

pytestmark = pytest.mark.window

_LONG = "Donaudampfschifffahrtsgesellschaftskapitän " * 5
_SECTIONS = 5


def _fill(home: Path) -> None:
    """Sixty pets with long names, three hundred entries, promises, a file over its limit."""
    pets = open_pets(find_home(home))
    for number in range(59):
        pets.create(f"{number} {_LONG}"[:60].strip() if number % 2 else "🌸" * 20, "en")


def _fill_pet(root: Path) -> None:
    words = (
        "word ",
        "Donaudampfschifffahrtsgesellschaft",
        "今天天气很好，",
        "https://example.org/a/very/long/way?x=",
    )
    logs = root / "memory"
    logs.mkdir(exist_ok=True)
    for day in range(30):
        on = date(2026, 11, 20) - timedelta(days=day)
        noted = [
            f"## [{at:02}:15:00] {'todo @2026-12-24' if at == 3 else 'general'}\n\n{words[at % 4] * (1 + at * 2)}\n"
            for at in range(10)
        ]
        (logs / f"{on}.md").write_text(f"# Memory Log: {on}\n\n" + "\n".join(noted), encoding="utf-8")
    (root / "SOUL.md").write_text("# Soul\n\n" + (_LONG + "\n") * 120 + "\nhid\u200bden\n", encoding="utf-8")
    (root / "USER.md").write_text("x" * 4000, encoding="utf-8")
    (root / "MEMORY.md").write_text(
        "# Memory\n\n" + "".join(f"- {_LONG}{at}\n" for at in range(40)), encoding="utf-8"
    )


def test_no_section_sticks_out_of_a_small_window(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    home = home / ("UnterLangerOrdner" * 3)  # its path is shown, and has nowhere to break
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        _fill_pet(workspace(home))  # while there is only one
        _fill(home)
        page = chat.page
        page.set_viewport_size(SMALL)  # type: ignore[arg-type]
        wrong: dict[str, list[str]] = {}
        languages: tuple[Language, ...] = ("en", "zh")
        for language in languages:
            words = Texts(language)
            assert call_page(page, "change_settings", {"changes": {"language": language}})["ok"]
            expect(page.locator("html")).to_have_attribute("lang", "zh-CN" if language == "zh" else "en")
            page.get_by_role("button", name=words("ui.menu.label"), exact=True).click()
            expect(page.get_by_role("menu")).to_be_visible()
            wrong[f"{language} menu"] = sticking_out(page)
            items = menu_items(page)
            assert len(items) == 7
            # Chinese letters are thinner at the same weight; and a line of four of them is soon two of two.
            assert {weight for _words, weight, _lines in items} == {"500" if language == "zh" else "400"}
            assert [item for item in items if item[2] != 1] == []
            page.keyboard.press("Escape")
            expect(page.get_by_role("menu")).to_have_count(0)
            page.keyboard.press("Control+,")
            sections = page.locator("main.settings > nav > button")
            expect(sections).to_have_count(_SECTIONS)
            for number in range(_SECTIONS):
                sections.nth(number).click()
                expect(sections.nth(number)).to_have_attribute("aria-current", "page")
                tabs = page.locator(".sub-tabs button:not(.file-link)")
                for tab in range(max(1, tabs.count())):
                    if tabs.count():
                        tabs.nth(tab).click()
                    expect(page.locator(".loading .skeleton")).to_have_count(0)
                    wrong[f"{language} section {number} tab {tab}"] = sticking_out(page)
                chat.shot(shots / f"small-{language}-{number}.png")
                for lead in range(page.locator(".lead").count()):
                    page.locator(".lead").nth(lead).click()
                    expect(page.locator(".up")).to_be_visible()
                    expect(page.locator(".loading .skeleton")).to_have_count(0)
                    for folded in page.locator("details.advanced > summary").all():
                        folded.click()
                    wrong[f"{language} section {number} page {lead}"] = sticking_out(page)
                    page.locator(".up button").click()
            sections.nth(0).click()
            page.locator(".file-link", has_text="SOUL.md").click()
            expect(page.locator(".file-editor .hidden-badge")).to_be_visible()
            expect(page.locator(".meter.over")).to_be_visible()
            for key in ("ui.file.versions", "ui.file.templates"):
                page.locator(".file-editor").get_by_role("button", name=words(key), exact=True).click()
                dialog = page.get_by_role("dialog")
                expect(dialog.locator(".version, .file-text").first).to_be_visible()
                if dialog.locator(".version").count() > 1:
                    dialog.locator(".version").nth(1).click()
                    expect(dialog.locator(".diff, .side-by-side").first).to_be_visible()
                wrong[f"{language} {key}"] = sticking_out(page)
                page.keyboard.press("Escape")
            page.keyboard.press("Control+h")
            expect(page.locator("main.history")).to_be_visible()
            wrong[f"{language} history"] = sticking_out(page)
        assert {where: what for where, what in wrong.items() if what} == {}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_first_start_fits_a_small_window(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path, language: Language
) -> None:
    words = Texts(language)
    with start_pet(desktop, home, welcome=True) as running:
        browser = running.attach(playwright)
        page = running.page(browser, "chat.html")
        wait_for("the bridge", lambda: page.evaluate("!!window.pywebview?.api?.invoke"))
        assert call_page(page, "change_settings", {"changes": {"language": language}})["ok"]
        page.set_viewport_size(SMALL)  # type: ignore[arg-type]
        expect(page.locator("html")).to_have_attribute("lang", "zh-CN" if language == "zh" else "en")
        wrong: dict[str, list[str]] = {}
        expect(page.locator("input[name=way]").first).to_be_attached()
        for way in page.locator("input[name=way]").all():
            way.dispatch_event("click")
            wrong[f"way {len(wrong)}"] = sticking_out(page)
        page.get_by_role("button", name=words("welcome.next"), exact=True).click()
        expect(page.locator("input[name=who]").first).to_be_attached()
        for who in page.locator("input[name=who]").all():
            who.dispatch_event("click")
            wrong[f"who {len(wrong)}"] = sticking_out(page)
        desktop.screenshot(shots / f"small-welcome-{language}.png")
        page.get_by_role("button", name=words("welcome.skip"), exact=True).or_(
            page.get_by_role("button", name=words("welcome.next"), exact=True)
        ).first.click()
        expect(page.locator(".assurances")).to_be_visible()
        wrong["hello"] = sticking_out(page)
        browser.close()
    assert {where: what for where, what in wrong.items() if what} == {}
    assert len(wrong) >= 7


def test_a_change_that_waits_for_its_owner_fits_every_window(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    soul = {"path": "SOUL.md", "content": "# Soul\n\n" + _LONG + "\n"}
    with (
        ProtocolServer(stream("Look: ", Call("write", soul))) as server,
        talking(desktop, home, server, playwright) as chat,
    ):
        chat.send("Who do you want to be?")
        expect(chat.page.locator(".proposal .diff-lines")).to_be_visible()
        wrong = {"as it opens": sticking_out(chat.page)}
        for width, height in ((SMALL["width"], SMALL["height"]), (900, 640)):
            chat.page.set_viewport_size({"width": width, "height": height})
            wrong[f"{width} by {height}"] = sticking_out(chat.page)
        chat.shot(shots / "small-proposal.png")
    assert {where: what for where, what in wrong.items() if what} == {}
