"""A question about what is selected in another program, by a shortcut, on the real desktop."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect

from pet.desktop.linux.selection import SelectionReader
from pet.desktop.platform import MOST_SELECTED
from pet.services.desktop_port import Selection
from tests.support.desktop.other_program import program
from tests.support.desktop.xvfb import Desktop, Running, end_group, wait_for
from tests.support.pet_windows.bubbles import seen, talking, write_settings
from tests.support.pet_windows.windows import BUBBLE, CHAT, PET, T
from tests.support.servers.protocol_replies import stream
from tests.window.programs.dragging import drag_onto
from tests.window.settings.test_desktop_settings import until_framing

pytestmark = pytest.mark.window

SHORTCUT = 'shortcut_ask = "Ctrl+Alt+Q"\n'
SELECTED = "Der Zug fährt um vier Uhr ab. 火车四点开。"


@contextlib.contextmanager
def selected(desktop: Desktop, text: str, mode: str = "plain") -> Iterator[None]:
    command = [sys.executable, "-m", "tests.window.programs.selecting", mode, text]
    owner = subprocess.Popen(command, stdout=subprocess.PIPE, env=desktop.environ, text=True, start_new_session=True)
    try:
        assert owner.stdout and owner.stdout.readline() == "selected\n"
        yield
    finally:
        end_group(owner)


@pytest.fixture
def here(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    monkeypatch.setenv("DISPLAY", desktop.environ["DISPLAY"])
    return desktop


def press_until_shown(desktop: Desktop, pet: Running) -> None:
    """Press the shortcut; before the program has grabbed it, it does nothing."""

    def pressed() -> bool:
        if desktop.window(pet.pid, BUBBLE) is None:
            desktop.key("ctrl+alt+q")
            with contextlib.suppress(AssertionError):
                wait_for("the bubble", lambda: desktop.window(pet.pid, BUBBLE), 10)
        return desktop.window(pet.pid, BUBBLE) is not None

    wait_for("the field", pressed)


QUOTED = "bubble.content.field.quoted"
KEYS = "field() is not None and field().hasFocus()"


def test_what_is_selected_elsewhere_is_asked_about_and_goes_on_in_the_chat(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    write_settings(home, SHORTCUT)
    with program(desktop), talking(desktop, home, playwright) as (pet, server, _), selected(desktop, SELECTED):
        other = desktop.active_window()
        press_until_shown(desktop, pet)
        bubble = seen(pet)
        pet.shows(f"{QUOTED} == {SELECTED!r} and {KEYS}")
        bubble.takes_keys()
        desktop.screenshot(shots / "ask-field.png")
        desktop.key("Escape")
        pet.no_window(BUBBLE)
        wait_for("the focus back", lambda: desktop.active_window() == other)
        assert not server.requests
        press_until_shown(desktop, pet)
        pet.shows(f"{QUOTED} == {SELECTED!r}")
        server.queue(stream("The train leaves at four."))
        bubble.click("Explain this")
        bubble.shows("The train leaves at four.")
        desktop.screenshot(shots / "ask-answer.png")
        assert SELECTED in str(server.requests[-1].json)
        bubble.click(T("bubble.answer"))
        pet.window(CHAT)
        browser = pet.attach(playwright)
        chat = pet.page(browser, "chat.html")
        expect(chat.get_by_text("The train leaves at four.")).to_be_visible()
        expect(chat.locator(".memory-switch .state")).to_have_attribute(
            "data-words", T("ui.memory_switch.temporary_read")
        )
        desktop.screenshot(shots / "ask-chat.png")
        browser.close()
    assert SELECTED not in "".join(
        each.read_bytes().decode("utf-8", "replace") for each in home.rglob("*") if each.is_file()
    )


def test_without_a_selection_the_plain_line_opens(desktop: Desktop, home: Path, playwright: Playwright) -> None:
    write_settings(home, SHORTCUT)
    with program(desktop), talking(desktop, home, playwright) as (pet, _server, _):
        press_until_shown(desktop, pet)
        seen(pet).takes_keys()
        assert pet.shows(f"{KEYS} and field().placeholderText()") == T("bubble.say")
        assert pet.ask(QUOTED) == ""


def test_a_file_and_a_part_of_the_screen_join_the_field(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path, tmp_path: Path
) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text(SELECTED)
    write_settings(home, SHORTCUT)
    with program(desktop), talking(desktop, home, playwright) as (pet, server, _):
        press_until_shown(desktop, pet)
        bubble = seen(pet)
        bubble.takes_keys()
        drag_onto(desktop, desktop.box(pet.window(PET)).centre, [letter])
        pet.shows("[each.name for each in bubble.content.field.files] == ['letter.txt']")
        bubble.click(T("bubble.screenshot"))
        until_framing(desktop)
        desktop.drag((200, 200), (520, 400))
        pet.shows("sum(bool(each.image) for each in bubble.content.field.files) == 1")
        pet.shows(KEYS)
        bubble.takes_keys()
        desktop.screenshot(shots / "ask-files.png")
        server.queue(stream("A letter and a screen."))
        desktop.type("What is this?")
        desktop.key("Return")
        bubble.shows("A letter and a screen.")
        kinds = [part["type"] for part in server.requests[-1].json["messages"][-1]["content"]]
        assert "image" in kinds and SELECTED in str(server.requests[-1].json)
    assert not (home / "data" / "pets" / "pet" / "attachments").exists()


def test_a_selection_is_read_whole(here: Desktop) -> None:
    with selected(here, SELECTED):
        assert SelectionReader().read(60) == Selection(text=SELECTED)


def test_a_large_selection_is_cut(here: Desktop) -> None:
    reader = SelectionReader()
    with selected(here, "茶" * 10_000, "pieces"):  # 30 MB in a thousand pieces
        selection = reader.read(60)
        assert selection.cut and set(selection.text) == {"茶"}
        assert MOST_SELECTED - 4 < len(selection.text.encode()) <= MOST_SELECTED
    with selected(here, "tea " * 20, "pieces"):
        assert reader.read(60) == Selection(text="tea " * 20_000)


def test_a_program_that_does_not_answer_holds_nothing_up(here: Desktop) -> None:
    reader = SelectionReader()
    with selected(here, SELECTED, "silent"):
        assert reader.read() == Selection()
    assert reader.read(60) == Selection()  # nothing is selected any more
    with selected(here, SELECTED):
        assert reader.read(60) == Selection(text=SELECTED)


def test_without_a_server_nothing_is_selected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":9876")
    assert SelectionReader().read() == Selection()
