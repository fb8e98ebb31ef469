"""The gallery's scenes in the real window: all can still be played, and axe finds nothing wrong in light and dark.

The Tab key goes through chat, settings and first start: each stop has a name, is in sight, and shows where it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright, expect

from lab.gallery.scenes.table import Home, Scene, all_scenes
from lab.gallery.studio.checks import Stop, check, walk
from lab.gallery.studio.stage import Stage, open_stage
from tests.support.desktop.xvfb import Desktop
from tests.support.examples import at_night

pytestmark = pytest.mark.window

SECTIONS = ("ui.section.me", "ui.section.us", "ui.section.model", "desktop.title", "ui.section.privacy")


@pytest.fixture
def stage(desktop: Desktop, playwright: Playwright, home: Path) -> Iterator[Stage]:
    with open_stage(desktop, playwright, home, "en", dark=False) as opened:
        yield opened


@pytest.fixture
def first(desktop: Desktop, playwright: Playwright, home: Path) -> Iterator[Stage]:
    with open_stage(desktop, playwright, home, "en", dark=False, first=True) as opened:
        yield opened


@pytest.mark.timeout(900)  # forty scenes at night
def test_every_scene_of_a_furnished_home_can_be_played_and_used_by_everybody(stage: Stage) -> None:
    assert play_all(stage, "furnished") == []


def test_every_scene_of_the_first_start_can_be_played_and_used_by_everybody(first: Stage) -> None:
    assert play_all(first, "first") == []


def play_all(stage: Stage, home: Home) -> list[str]:
    """What axe finds wrong, by scene, by day in one of six. In the dark only colours are different."""
    wrong: list[str] = []
    for scene in [each for each in all_scenes() if each.home == home][:: 1 if at_night() else 6]:
        with scene.play(stage) as page:
            wrong += look(scene, page or stage.page)
    return wrong


def look(scene: Scene, page: Page) -> list[str]:
    if page.evaluate("document.visibilityState") == "hidden":  # a scene of the native windows
        return []
    found = [f"{scene.name}: {each}" for each in check(page).violations]
    set_theme = "(theme) => { document.documentElement.dataset.theme = theme; }"
    before = page.evaluate("document.documentElement.dataset.theme")
    page.evaluate(set_theme, "dark")
    found += [f"{scene.name}, dark: {each}" for each in check(page, "color-contrast").violations]
    page.evaluate(set_theme, before or "light")
    return found


def test_tab_goes_through_the_chat(stage: Stage) -> None:
    stage.open_chat()
    stage.show_talk("coffee")
    stops = good(walk(stage.page))
    names = [stop.name for stop in stops]
    assert stage.texts("ui.composer.label") in names
    assert stage.texts("ui.receipt.undo") in names
    assert any(stop.look.startswith("memory-switch") for stop in stops)
    assert stops[0].top < stops[-1].top  # from the tabs down to the composer


def test_tab_goes_through_each_section_of_the_settings(stage: Stage) -> None:
    stage.open_chat(900, 690)
    for section in SECTIONS[:: 1 if at_night() else 2]:
        stage.show_settings(section)
        names = [stop.name for stop in good(walk(stage.page))]
        assert stage.texts(section) in names  # the list of sections itself
        assert len(names) > len(SECTIONS) + 3  # and what is in it


def test_tab_goes_through_the_first_start(first: Stage) -> None:
    first.open_chat(620, 720)
    for title, go in (
        ("welcome.think.title", "welcome.next"),
        ("welcome.who.title", "welcome.next"),
        ("welcome.hello.title", "welcome.hello.done"),
    ):
        heading = first.page.get_by_role("heading", level=1)
        expect(heading).to_have_text(first.texts(title, name=first.texts("pet.name")))
        expect(first.button(go)).to_be_visible()  # the first step opens what it comes upon, unless a key was pressed
        names = [stop.name for stop in good(walk(first.page))]
        assert first.texts(go) in names
        first.button(go).click()


def good(stops: list[Stop]) -> list[Stop]:
    """The same, if there is nothing to be said against any."""
    assert stops
    assert [stop for stop in stops if not stop.name] == []
    assert [stop for stop in stops if not stop.seen] == []
    assert [stop for stop in stops if stop.ring is None] == []
    return stops
