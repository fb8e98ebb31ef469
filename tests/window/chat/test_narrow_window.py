"""Windows as narrow as the chat first opens, in each language: words have their room. What tells the memory of a tab
apart is more than a colour."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect

from pet.i18n import LANGUAGES, Texts
from tests.support.desktop.xvfb import Desktop, call_page, start_pet
from tests.support.pet_windows.windows import talking
from tests.support.servers.protocol_server import ProtocolServer

pytestmark = pytest.mark.window

T = Texts("en")
_FIRST = {"width": 440, "height": 640}
_TALL = {"width": 440, "height": 800}
_WIDE = {"width": 560, "height": 800}
_UNSCROLLED = "(place) => place.scrollHeight === place.clientHeight"
_AS_WIDE_AS_ITS_FRAME = "(field) => field.offsetWidth > field.closest('.field').offsetWidth * 0.9"
_PLACEHOLDER_WHOLE = """(field) => {
  const style = getComputedStyle(field);
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = style.font;
  const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return pen.measureText(field.placeholder).width <= room;
}"""
_SHAPES = """() => ['on', 'read', 'off'].map((memory) => {
  const dot = document.body.appendChild(document.createElement('i'));
  dot.className = `dot ${memory}`;
  const { backgroundColor, backgroundImage } = getComputedStyle(dot);
  dot.remove();
  if (backgroundImage !== 'none') return 'half';
  return backgroundColor === 'rgba(0, 0, 0, 0)' ? 'ring' : 'full';
})"""
_GREENER = """(button) => {
  const [red, green, blue] = getComputedStyle(button).backgroundColor.match(/[\\d.]+/g).map(Number);
  return green > red && green > blue;
}"""
_WORDS_WHOLE = """() => [...document.querySelectorAll('main.settings > nav > button')].every((button) => {
  const [word, own] = [button.querySelector('.word'), button].map((each) => each.getBoundingClientRect());
  return word.left >= own.left + 3 && word.right <= own.right - 3;
})"""

_COVERS = """() => {
  const notice = document.querySelector('.notice').getBoundingClientRect();
  return [...document.querySelectorAll('.bar, .banner, .composer, main.settings')].filter((each) => {
    const box = each.getBoundingClientRect();
    return box.height > 0 && box.top < notice.bottom && box.bottom > notice.top;
  }).map((each) => each.className);
}"""


def test_the_composer_has_room_in_every_language(desktop: Desktop, home: Path, playwright: Playwright) -> None:
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        page = chat.page
        page.set_viewport_size(_FIRST)  # type: ignore[arg-type]
        switch, field = page.locator("button.memory-switch"), page.locator(".composer textarea")
        for language in LANGUAGES:
            words = Texts(language)
            assert call_page(page, "change_settings", {"changes": {"language": language}})["ok"]
            for position in ("off", "read", "on"):
                page.locator("button.memory-menu").click()
                page.get_by_role("menuitemradio", name=words(f"ui.memory_switch.{position}"), exact=True).click()
                state = page.locator(f'.state[data-words="{words("ui.memory_switch." + position)}"]')
                expect(state).to_be_visible()
                page.wait_for_function(_PLACEHOLDER_WHOLE, arg=field.element_handle())
                switch.hover()
                if position != "off":
                    page.wait_for_function(_GREENER, arg=switch.element_handle())
        # The greeting and the divider below it fit together.
        page.set_viewport_size(_TALL)  # type: ignore[arg-type]
        expect(page.locator(".divider").first).to_be_visible()
        page.wait_for_function(_UNSCROLLED, arg=page.locator("section.messages").element_handle())
        assert page.evaluate(_SHAPES) == ["full", "half", "ring"]
        # The field is as tall as its text in whatever layout the window gets.
        page.set_viewport_size(_WIDE)  # type: ignore[arg-type]
        page.wait_for_function("innerWidth === 560")
        page.wait_for_function(_UNSCROLLED, arg=field.element_handle())
        # A long text is no column between the buttons.
        for width in (360, 520, 700, 1100):
            page.set_viewport_size({"width": width, "height": 640})
            page.wait_for_function("innerWidth === " + str(width))
            page.wait_for_function(_AS_WIDE_AS_ITS_FRAME, arg=field.element_handle())


def test_tabs_are_as_wide_as_their_titles_and_a_notice_covers_no_button(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        page = chat.page
        page.set_viewport_size(_FIRST)  # type: ignore[arg-type]
        for title in ("Tea", "How the weather in the mountains changes over the year"):
            page.keyboard.press("F2")
            page.locator(".tab .rename").fill(title)
            page.keyboard.press("Enter")
            expect(page.locator(".tab.active .title")).to_have_text(title)
            if title == "Tea":
                page.keyboard.press("Control+t")
                expect(page.locator(".tab")).to_have_count(2)
        short = page.locator(".tab").first
        widths = "(tabs) => tabs.map((tab) => Math.round(tab.getBoundingClientRect().width))"
        before = page.locator(".tab").evaluate_all(widths)
        assert 88 <= before[0] < 110 and 150 < before[1] <= 220
        assert short.locator(".title").evaluate("(title) => title.scrollWidth <= title.clientWidth")
        short.hover()
        assert page.locator(".tab").evaluate_all(widths) == before
        short.get_by_role("tab").click()
        expect(page.locator(".tab.active .title")).to_have_text("Tea")
        assert page.locator(".tab").evaluate_all(widths) == before

        assert call_page(page, "pause_memory", {"paused": True})["ok"]
        expect(page.locator(".paused")).to_be_visible()
        composer = page.locator(".composer").bounding_box()
        page.locator("button.memory-switch").click(force=True)
        expect(page.locator(".notice")).to_be_visible()
        chat.shot(shots / "notice-in-chat.png")
        assert page.evaluate(_COVERS) == []
        assert page.locator(".composer").bounding_box() == composer
        page.keyboard.press("Control+,")
        expect(page.locator("main.settings")).to_be_visible()
        for section in page.locator("main.settings > nav > button").all():
            section.click()
            expect(section).to_have_attribute("aria-current", "page")
            assert page.evaluate(_COVERS) == []
        chat.shot(shots / "notice-in-settings.png")


def test_the_bar_over_a_pet_without_a_model_leaves_room(desktop: Desktop, home: Path, playwright: Playwright) -> None:
    with start_pet(desktop, home) as running:
        browser = running.attach(playwright)
        page = running.page(browser, "chat.html")
        page.set_viewport_size({"width": 360, "height": 640})
        for language in LANGUAGES:
            assert call_page(page, "change_settings", {"changes": {"language": language}})["ok"]
            way = page.locator(".demo-bar").get_by_role("button", name=Texts(language)("demo.choose"))
            expect(way).to_be_visible()
            page.wait_for_function("document.querySelector('.demo-bar').getBoundingClientRect().height < 90")
        browser.close()


def test_sections_are_as_wide_as_their_names(desktop: Desktop, home: Path, playwright: Playwright) -> None:
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        page = chat.page
        assert call_page(page, "change_settings", {"changes": {"language": "es"}})["ok"]
        page.keyboard.press("Control+,")
        current = page.locator("main.settings > nav").get_by_role("button", name=Texts("es")("ui.section.model"))
        current.click()
        expect(current).to_have_attribute("aria-current", "page")
        for width in (690, 560, 530, 440):
            page.set_viewport_size({"width": width, "height": 640})
            page.wait_for_function("innerWidth === " + str(width))
            page.wait_for_function(_WORDS_WHOLE)
        page.locator("main.settings > nav").get_by_role("button", name=Texts("es")("ui.section.us")).click()
        tabs = page.locator(".sub-tabs").element_handle()
        for width in (690, 560, 440):
            page.set_viewport_size({"width": width, "height": 640})
            page.wait_for_function("innerWidth === " + str(width))
            page.wait_for_function("(tabs) => tabs.scrollWidth <= tabs.clientWidth", arg=tabs)


def test_high_contrast_tells_which_tab_is_open(desktop: Desktop, home: Path, playwright: Playwright) -> None:
    chosen = """() => [...document.querySelectorAll('.sub-tabs button:not(.file-link)')].map((tab) => {
      const line = getComputedStyle(tab).borderBottomColor;
      return [tab.hasAttribute('aria-current'), line];
    })"""
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        page = chat.page
        contrast = {"features": [{"name": "forced-colors", "value": "active"}]}
        page.context.new_cdp_session(page).send("Emulation.setEmulatedMedia", contrast)
        page.keyboard.press("Control+,")
        section = page.locator("main.settings > nav").get_by_role("button", name=Texts("en")("ui.section.us"))
        section.click()
        expect(page.locator(".sub-tabs [aria-current]")).to_be_visible()
        lines: dict[bool, set[str]] = {True: set(), False: set()}
        for current, line in page.evaluate(chosen):
            lines[current].add(line)
        assert len(lines[True]) == len(lines[False]) == 1
        assert lines[True] != lines[False]
