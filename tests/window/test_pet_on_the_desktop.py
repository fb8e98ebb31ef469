"""The pet among other programs: size, full screens, shortcuts, its bubble, what is dropped on it, early ends."""

from __future__ import annotations

import contextlib
import datetime
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect

from pet.texts import Texts
from tests.support.desktop import Box, Desktop, Running, call_page, end_group, start_pet, wait_for
from tests.support.protocol_replies import stream
from tests.support.protocol_server import ProtocolServer

pytestmark = pytest.mark.window

T = Texts("en")
PET, CHAT = T("shell.title_pet"), T("shell.title_chat_of", name=T("pet.name"))
BUBBLE = T("shell.title_bubble")


def write_settings(home: Path, text: str) -> None:
    file = home / "config" / "settings.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(".new")
    fresh.write_text('language = "en"\n' + text)
    fresh.replace(file)


def ready(running: Running) -> int:
    """The pet's window, once its core listens: whoever calls it then gets an answer."""
    window = running.window(PET)
    runtime = running.desktop.folder
    wait_for("the core", lambda: any(path.is_socket() for path in runtime.rglob("*")))
    return window


def promise(home: Path) -> Path:
    today = datetime.date.today().isoformat()
    log = home / "data" / "pets" / "pet" / "memory" / f"{today}.md"
    log.parent.mkdir(parents=True)
    log.write_text(f"# Memory Log: {today}\n\n## [00:00:01] todo @{today}\nWater the ferns\n")
    return log


@contextlib.contextmanager
def film(desktop: Desktop) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.window.film"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, env=desktop.environ, text=True, start_new_session=True, bufsize=1
    )
    try:
        wait_for("the film", lambda: "Film" in desktop.run("wmctrl", "-l", check=False))
        yield process
    finally:
        end_group(process)


def tell(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdin
    process.stdin.write(word + "\n")
    process.stdin.flush()


def test_another_size_and_opacity_take_effect_at_once(desktop: Desktop, home: Path) -> None:
    write_settings(home, "pet_size = 50\n")
    with start_pet(desktop, home, debug=False) as pet:
        window = ready(pet)
        before = desktop.box(window)
        assert (before.width, before.height) == (96, 104)  # from its first frame on
        write_settings(home, "pet_size = 200\npet_opacity = 50\n")
        wait_for("the size", lambda: desktop.box(window).width == 384)
        after = desktop.box(window)
        assert after.height == 416
        assert after.x + after.width <= 1280
        assert after.y + after.height <= 800
        wait_for("the opacity", lambda: "2147483648" in desktop.prop(window, "_NET_WM_WINDOW_OPACITY"))


def test_a_pet_that_grows_and_shrinks_stays_on_its_feet(desktop: Desktop, home: Path) -> None:
    with start_pet(desktop, home, debug=False) as pet:
        window = ready(pet)
        before = desktop.box(window)
        feet = before.centre[0], before.y + before.height

        def stands(place: Box) -> bool:
            return desktop.box(window) == place

        for size, width, height in ((50, 96, 104), (75, 144, 156), (50, 96, 104)):
            write_settings(home, f"pet_size = {size}\n")
            place = Box(feet[0] - width // 2, feet[1] - height, width, height)
            wait_for(f"{size} % on its feet", partial(stands, place))


def test_the_pet_steps_aside_for_a_program_that_fills_the_screen(desktop: Desktop, home: Path) -> None:
    with start_pet(desktop, home, debug=False) as pet, film(desktop) as other:
        place = desktop.box(ready(pet))
        tell(other, "on")
        pet.no_window(PET)
        tell(other, "off")
        assert desktop.box(pet.window(PET)) == place
        write_settings(home, "hide_fullscreen = false\n")
        tell(other, "on")
        search = ("xdotool", "search", "--name", "^Film$")  # fails where a window goes while it looks
        film_window = wait_for("the film", lambda: desktop.run(*search, check=False).split())[0]
        wait_for("the full screen", lambda: "FULLSCREEN" in desktop.prop(film_window, "_NET_WM_STATE"))
        pet.window(PET)


def test_shortcuts_work_everywhere_once_they_are_set(desktop: Desktop, home: Path) -> None:
    with start_pet(desktop, home, debug=False) as pet, film(desktop):
        ready(pet)
        write_settings(home, 'shortcut_chat = "Ctrl+Alt+P"\nshortcut_pet = "Ctrl+Alt+H"\n')

        def pressed(keys: str, title: str, there: bool) -> bool:
            if (desktop.window(pet.pid, title) is not None) is there:
                return True
            desktop.key(keys)
            wait_for(title, lambda: (desktop.window(pet.pid, title) is not None) is there, 2)
            return True

        def until(keys: str, title: str, there: bool) -> None:
            with contextlib.suppress(AssertionError):  # pressed before the new keys were known
                pressed(keys, title, there)
            wait_for(title, lambda: pressed(keys, title, there))

        until("ctrl+alt+p", CHAT, True)
        until("ctrl+alt+p", CHAT, False)
        until("ctrl+alt+h", PET, False)
        until("ctrl+alt+h", PET, True)


def test_a_promise_is_kept_by_a_bubble_that_takes_no_focus(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    write_settings(home, "promise_bubbles = true\n")
    log = promise(home)
    with film(desktop), start_pet(desktop, home) as pet:
        film_window = desktop.active_window()
        bubble = desktop.box(pet.window(BUBBLE))
        creature = desktop.box(pet.window(PET))
        assert bubble.y < creature.y
        assert desktop.active_window() == film_window
        states = desktop.prop(pet.window(BUBBLE), "_NET_WM_STATE")
        assert "_NET_WM_STATE_SKIP_TASKBAR" in states or wait_for(
            "the states", lambda: "SKIP_TASKBAR" in desktop.prop(pet.window(BUBBLE), "_NET_WM_STATE")
        )
        browser = pet.attach(playwright)
        page = pet.page(browser, "bubble.html")
        expect(page.get_by_role("status")).to_contain_text("Water the ferns")
        desktop.screenshot(shots / "bubble-promise.png")
        done = page.get_by_role("button", name=T("bubble.done"))
        box = done.bounding_box()
        assert box
        desktop.click(bubble.x + round(box["x"] + box["width"] / 2), bubble.y + round(box["y"] + box["height"] / 2))
        pet.no_window(BUBBLE)
        assert "\N{CHECK MARK}" in log.read_text()
        assert desktop.active_window() == film_window
        browser.close()


def test_a_reply_comes_as_a_bubble_and_leads_back_to_the_chat(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    write_settings(home, "")
    with ProtocolServer() as server:
        environ = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-test-0000", "PET_MODEL": "test-model"}
        with start_pet(desktop, home, environ=environ) as pet:
            ready(pet)
            browser = pet.attach(playwright)
            chat = pet.page(browser, "chat.html")
            expect(chat.get_by_role("textbox", name=T("ui.composer.label"))).to_be_attached()
            made = call_page(chat, "new_conversation")
            server.queue(stream("**Rain** until four."))
            conversation = made["value"]["info"]["id"]
            call_page(chat, "send_message", {"conversation": conversation, "text": "Rain?"})
            pet.window(BUBBLE)
            browser.close()
            browser = pet.attach(playwright)  # the connection before knows only what was there then
            chat, page = pet.page(browser, "chat.html"), pet.page(browser, "bubble.html")
            expect(page.get_by_role("status")).to_contain_text("Rain until four.")
            desktop.screenshot(shots / "bubble-reply.png")
            page.get_by_role("button", name=T("bubble.answer")).click()
            pet.window(CHAT)
            pet.no_window(BUBBLE)
            expect(chat.get_by_text("Rain until four.")).to_be_visible()
            browser.close()


def test_a_text_dropped_on_the_pet_is_in_the_composer(desktop: Desktop, home: Path, playwright: Playwright) -> None:
    write_settings(home, "")
    with start_pet(desktop, home, environ={"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}) as pet:
        ready(pet)
        browser = pet.attach(playwright)
        chat, page = pet.page(browser, "chat.html"), pet.page(browser, "pet.html")
        expect(chat.get_by_role("textbox", name=T("ui.composer.label"))).to_be_attached()
        page.evaluate(
            """() => {
              const things = new DataTransfer();
              things.setData("text/plain", "a line from elsewhere");
              const drop = new DragEvent("drop", { dataTransfer: things, bubbles: true, cancelable: true });
              document.getElementById("pet").dispatchEvent(drop);
            }"""
        )
        pet.window(CHAT)
        expect(chat.get_by_role("textbox", name=T("ui.composer.label"))).to_have_value("a line from elsewhere")
        browser.close()


def test_an_end_before_the_core_is_there_is_a_good_end(desktop: Desktop, home: Path) -> None:
    with start_pet(desktop, home, debug=False) as pet:
        pet.window(PET)
        assert pet.stop() == 0
        assert "Traceback" not in pet.output.read_text()


def test_what_the_core_can_not_do_without_ends_the_pet_with_a_sentence(desktop: Desktop, home: Path) -> None:
    command = (sys.executable, "-m", "pet", "--pet", "nobody")
    with start_pet(desktop, home, command=command, debug=False) as pet:
        assert pet.wait() == 1
        assert T("error.unknown_pet", pet_id="nobody") in pet.output.read_text()
