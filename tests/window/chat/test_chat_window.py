"""The chat's window as a window: where it stands, how large, what it is called, and that it stays so."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect

from benchmarks.instruments.processes import renderers
from pet.i18n import Texts
from tests.support.desktop.xvfb import Box, Desktop, Running, open_desktop, start_pet, wait_for
from tests.support.pet_windows.bubbles import Bubble, write_settings
from tests.support.pet_windows.menus import ready_to_click
from tests.support.pet_windows.windows import BARE_CHAT, CHAT, PET, Chat, bare_pet, model_environ, workspace
from tests.support.servers.protocol_replies import stream
from tests.support.servers.protocol_server import ProtocolServer

pytestmark = pytest.mark.window

LINE = 32  # pixels of a paragraph in a reply: bars that come and go above the composer move it by less


@contextlib.contextmanager
def started(desktop: Desktop, home: Path) -> Iterator[Running]:
    with bare_pet(desktop, home, debug=False) as pet:
        ready_to_click(pet, PET)
        yield pet


def frame(desktop: Desktop, window: int) -> tuple[int, int, int, int]:
    """Left, right, top, bottom."""
    wait_for("the frame", lambda: "=" in desktop.prop(window, "_NET_FRAME_EXTENTS"))
    left, right, top, bottom = map(int, desktop.prop(window, "_NET_FRAME_EXTENTS").split("=")[1].split(","))
    return left, right, top, bottom


def opened(pet: Running) -> int:
    pet.desktop.double_click(pet.desktop.box(pet.window(PET)))
    return pet.window(BARE_CHAT)


def closed(pet: Running) -> None:
    pet.desktop.run("wmctrl", "-i", "-c", str(pet.window(BARE_CHAT)))
    pet.no_window(BARE_CHAT)


def moved(pet: Running, x: int, y: int) -> Box:
    """The owner takes the window to this place; where it is then, without its frame."""
    desktop, window = pet.desktop, pet.window(BARE_CHAT)
    before = desktop.box(window)
    left, _right, top, _bottom = frame(desktop, window)
    desktop.run("wmctrl", "-i", "-r", str(window), "-e", f"1,{x},{y},-1,-1")
    after = Box(x + left, y + top, before.width, before.height)
    wait_for(f"the chat at {after}", lambda: desktop.box(window) == after)
    return after


def test_its_first_place_is_beside_the_pet_to_the_pixel(desktop: Desktop, home: Path) -> None:
    with started(desktop, home) as pet:
        creature = desktop.box(pet.window(PET))
        window = opened(pet)
        _left, right, _top, bottom = frame(desktop, window)
        beside = Box(creature.x - 12 - right - 440, creature.y + creature.height - bottom - 640, 440, 640)
        wait_for("the chat beside it, bottoms in line", lambda: desktop.box(window) == beside)


def test_where_the_owner_put_it_it_comes_again_until_the_pet_sits_there(desktop: Desktop, home: Path) -> None:
    with started(desktop, home) as pet:
        opened(pet)
        place = moved(pet, 60, 40)
        closed(pet)
        opened(pet)
        wait_for("the chat at its place", lambda: desktop.box(pet.window(BARE_CHAT)) == place)
        closed(pet)
        assert pet.stop() == 0
    with started(desktop, home) as pet:
        opened(pet)
        wait_for("the chat at its place", lambda: desktop.box(pet.window(BARE_CHAT)) == place)
        closed(pet)
        creature = desktop.box(pet.window(PET))
        desktop.drag(creature.centre, (300, 400))
        wait_for("the pet there", lambda: desktop.box(pet.window(PET)).x == 300 - 96)
        opened(pet)
        wait_for("the chat beside the pet", lambda: desktop.box(pet.window(BARE_CHAT)).x > 300 + 96)


def test_each_monitor_has_its_own_place_and_size(tmp_path: Path) -> None:
    monitors = {"LEFT": "1280x800+0+0", "RIGHT": "1280x800+1280+0"}
    with open_desktop(size="2560x800", monitors=monitors) as wide, started(wide, tmp_path / "home") as pet:
        opened(pet)
        on_left = moved(pet, 80, 30)
        closed(pet)
        wide.drag(wide.box(pet.window(PET)).centre, (2400, 600))
        wait_for("the pet there", lambda: wide.box(pet.window(PET)).x == 2400 - 96)
        window = opened(pet)
        wait_for("the chat beside the pet", lambda: 1280 < wide.box(window).x < 2400 - 96 - 440)
        wide.run("wmctrl", "-i", "-r", str(window), "-e", "1,1300,20,600,500")
        wait_for("the size", lambda: (wide.box(window).width, wide.box(window).height) == (600, 500))
        on_right = moved(pet, 1300, 20)
        closed(pet)
        wide.drag(wide.box(pet.window(PET)).centre, (1000, 600))
        wait_for("the pet there", lambda: wide.box(pet.window(PET)).x == 1000 - 96)
        window = opened(pet)
        wait_for("the chat at its place on the left", lambda: wide.box(window) == on_left)
        closed(pet)
        wide.drag(wide.box(pet.window(PET)).centre, (2400, 600))
        wait_for("the pet there", lambda: wide.box(pet.window(PET)).x == 2400 - 96)
        window = opened(pet)
        wait_for("the chat at its place on the right", lambda: wide.box(window) == on_right)


def test_a_maximised_chat_is_no_wish_for_the_next_time(desktop: Desktop, home: Path) -> None:
    with started(desktop, home) as pet:
        window = opened(pet)
        desktop.run("wmctrl", "-i", "-r", str(window), "-b", "add,maximized_vert,maximized_horz")
        wait_for("the size", lambda: desktop.box(window).width == 1280)
        closed(pet)
        assert pet.stop() == 0
    kept = home / "state" / "windows.json"
    assert not kept.exists() or "1280, 7" not in json.dumps(json.loads(kept.read_text()).get("chats"))


def test_chat_unseen_for_long_lets_its_page_go_and_comes_back(
    desktop: Desktop, home: Path, playwright: Playwright
) -> None:
    command = (sys.executable, "-m", "tests.window.programs.unseen_pet")
    with ProtocolServer() as server, start_pet(desktop, home, environ=model_environ(server), command=command) as pet:
        server.queue(stream("Here I am again."))
        log = home / "log" / "soulpet.log"
        box = ready_to_click(pet, PET)
        x, y = box.centre
        desktop.run(
            "xdotool", "mousemove", "5", "5", "mousemove", str(x), str(y)
        )  # loads the page, but shows nothing
        wait_for(
            "the page let go", lambda: log.is_file() and "the page of the unseen chat was dropped" in log.read_text()
        )
        desktop.double_click(box)
        window = pet.window(CHAT)
        wait_for("the keyboard in it", lambda: desktop.active_window() == window)
        browser = pet.attach(playwright)  # only now: a page that is debugged is not dropped
        chat = Chat(pet, pet.page(browser, "chat.html"))
        expect(chat.composer).to_be_focused()
        chat.send("Are you there?")
        expect(chat.said.last).to_have_text("Here I am again.")
        browser.close()


def test_a_page_that_was_let_go_has_lost_no_tab_place_or_draft_and_its_process_is_gone(
    desktop: Desktop, home: Path, playwright: Playwright
) -> None:
    command = (sys.executable, "-m", "tests.window.programs.unseen_pet")
    kept = home / "state" / "tabs.json"

    def tabs() -> list[dict[str, object]]:
        return list(json.loads(kept.read_text()).get("tabs.pet", ())) if kept.exists() else []

    with ProtocolServer() as server, start_pet(desktop, home, environ=model_environ(server), command=command) as pet:
        server.queue(stream("\n\n".join(f"Line {number}" for number in range(80))))
        desktop.double_click(ready_to_click(pet, PET))
        window = pet.window(CHAT)
        wait_for("the keyboard in it", lambda: desktop.active_window() == window)
        desktop.type("A long story, please")
        wait_for("a page", lambda: len(renderers(pet.pid)) == 1)
        wait_for("the draft", lambda: bool(tabs()) and "A long story" in kept.read_text())
        desktop.key("Return")
        (talk,) = (workspace(home) / "conversations").glob("*.jsonl")
        wait_for("the reply", lambda: "turn_closed" in talk.read_text())

        def finds_line_40() -> bool:
            """Return whether one try led there: the page may draw the reply later than the file has it."""
            desktop.key("ctrl+f")
            desktop.type("Line 40")
            desktop.key("Return", "Escape")
            with contextlib.suppress(AssertionError):
                wait_for("a place", lambda: bool(tabs()[0]["scroll"]), 10)
            return bool(tabs()[0]["scroll"])

        wait_for("a place in the middle", finds_line_40)
        desktop.key("ctrl+t")
        wait_for("another tab", lambda: len(tabs()) == 2)
        desktop.type("A draft")
        wait_for("the draft", lambda: tabs()[1]["draft"] == "A draft")
        place = tabs()[0]["scroll"]
        desktop.run("wmctrl", "-i", "-c", str(window))
        wait_for("the page let go", lambda: not renderers(pet.pid))
        desktop.double_click(desktop.box(pet.window(PET)))
        pet.window(CHAT)
        browser = pet.attach(playwright)
        chat = Chat(pet, pet.page(browser, "chat.html"))
        expect(chat.composer).to_have_value("A draft")
        desktop.key("ctrl+Tab")
        expect(chat.said.last).to_contain_text("Line 79")
        list_ = "document.querySelector('.messages')"
        below = f"{list_}.scrollHeight - {list_}.clientHeight - {list_}.scrollTop"
        wait_for("the place", lambda: abs(chat.page.evaluate(below) - place) < LINE)
        browser.close()


def test_a_page_that_dies_while_it_is_told_something_comes_back_and_hears_what_follows(
    desktop: Desktop, home: Path, playwright: Playwright
) -> None:
    with ProtocolServer() as server, start_pet(desktop, home, environ=model_environ(server)) as pet:
        server.queue(stream("First."), stream("Second."))
        desktop.double_click(ready_to_click(pet, PET))
        window = pet.window(CHAT)
        wait_for("the keyboard in it", lambda: desktop.active_window() == window)
        desktop.type("Hello")
        kept = home / "state" / "tabs.json"
        wait_for("the draft", lambda: kept.exists() and "Hello" in kept.read_text())
        desktop.key("Return")
        (talk,) = (workspace(home) / "conversations").glob("*.jsonl")
        wait_for("the reply", lambda: "turn_closed" in talk.read_text())
        (page,) = renderers(pet.pid)
        page.suspend()
        write_settings(home, "pet_size = 50\n")  # which the page is told, and does not hear
        wait_for("the size", lambda: desktop.box(pet.window(PET)).width == 96)
        page.kill()
        wait_for("another page", lambda: [each for each in renderers(pet.pid) if each.pid != page.pid])
        browser = pet.attach(playwright)
        chat = Chat(pet, pet.page(browser, "chat.html"))
        expect(chat.said.last).to_have_text("First.")
        chat.send("And then?")
        expect(chat.said.last).to_have_text("Second.")
        browser.close()


def test_keys_typed_before_the_page_is_there_again_reach_its_field(
    desktop: Desktop, home: Path, playwright: Playwright
) -> None:
    write_settings(home, 'shortcut_chat = "Ctrl+Alt+M"\n')
    command = (sys.executable, "-m", "tests.window.programs.unseen_pet")
    with start_pet(desktop, home, command=command) as pet:
        log = home / "log" / "soulpet.log"
        x, y = ready_to_click(pet, PET).centre
        desktop.run("xdotool", "mousemove", "5", "5", "mousemove", str(x), str(y))
        wait_for(
            "the page let go", lambda: log.is_file() and "the page of the unseen chat was dropped" in log.read_text()
        )
        desktop.key("ctrl+alt+m")
        window = pet.window(CHAT)
        wait_for("the keyboard in it", lambda: desktop.active_window() == window)
        desktop.type("Early words")
        desktop.key("BackSpace")
        browser = pet.attach(playwright)
        expect(Chat(pet, pet.page(browser, "chat.html")).composer).to_have_value("Early word")
        browser.close()


def test_without_a_web_view_the_pet_lives_and_says_where_one_can_talk(desktop: Desktop, home: Path) -> None:
    command = (sys.executable, "-m", "tests.window.programs.no_web_view_pet")
    # Anew: in the warm program it is loaded already.
    with start_pet(desktop, home, command=command, debug=False, anew=True) as pet:
        desktop.double_click(ready_to_click(pet, PET))
        pet.shows("any('pet chat' in each for each in said())")
        pet.shows("places('Say something')")
        Bubble(pet).click("Say something")
        pet.shows("field() is not None and field().isVisible()")
        assert pet.stop() == 0


def test_it_can_not_be_made_too_small_to_use(desktop: Desktop, home: Path) -> None:
    with started(desktop, home) as pet:
        window = opened(pet)
        desktop.run("wmctrl", "-i", "-r", str(window), "-e", "0,-1,-1,90,90")
        wait_for("the smallest size", lambda: (desktop.box(window).width, desktop.box(window).height) == (360, 420))


def test_its_title_follows_the_language_and_it_has_the_pets_picture(desktop: Desktop, home: Path) -> None:
    file = home / "config" / "settings.toml"
    file.parent.mkdir(parents=True)
    file.write_text('language = "en"\n')
    english = Texts("en")
    name = english("pet.name")
    with start_pet(desktop, home, debug=False) as pet:
        desktop.double_click(ready_to_click(pet, PET))
        chat = pet.window(english("shell.title_chat_of", name=name))
        wait_for("the picture", lambda: icon_size(desktop, chat) >= 32)
        assert "soulpet" in desktop.prop(chat, "WM_CLASS").lower()
        fresh = file.with_suffix(".new")
        fresh.write_text('language = "zh"\n')
        fresh.replace(file)
        wait_for("the other title", lambda: title_of(desktop, chat).endswith("Soulpet 聊天"))


def icon_size(desktop: Desktop, window: int) -> int:
    """The first number of the picture that task bars show is its width."""
    from Xlib import Xatom

    with desktop.connection() as server:
        wanted = server.intern_atom("_NET_WM_ICON")
        found = server.create_resource_object("window", window).get_full_property(wanted, Xatom.CARDINAL)
        return int(found.value[0]) if found else 0


def title_of(desktop: Desktop, window: int) -> str:
    lines = (line for line in desktop.listed() if int(line.split()[0], 16) == window)
    return next((line.split(None, 4)[4] for line in lines), "")
