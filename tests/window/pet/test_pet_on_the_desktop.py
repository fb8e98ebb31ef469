"""The pet among other programs: size, full screens, shortcuts, its bubble, what is dropped on it, early ends."""

from __future__ import annotations

import contextlib
import sys
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect

from tests.support.desktop.other_program import fills_the_screen, handle_of, program, tell
from tests.support.desktop.xvfb import Box, Desktop, open_desktop, start_pet, wait_for
from tests.support.pet_windows.bubbles import ready, reminder, seen, send, talking, write_settings
from tests.support.pet_windows.windows import BUBBLE, CHAT, PET, T
from tests.support.servers.protocol_replies import stream

pytestmark = pytest.mark.window


def test_another_size_and_opacity_take_effect_at_once(desktop: Desktop, home: Path) -> None:
    write_settings(home, "pet_size = 50\n")
    with start_pet(desktop, home, debug=False) as pet:
        window = ready(pet)
        before = desktop.box(window)
        assert (before.width, before.height) == (96, 104)  # from its first frame on
        write_settings(home, "pet_size = 200\npet_opacity = 50\n")

        def larger() -> bool:
            """And wholly on the screen."""
            after = desktop.box(window)
            there = after.x + after.width <= 1280 and after.y + after.height <= 800
            return there and (after.width, after.height) == (384, 416)

        wait_for("the size", larger)
        wait_for("the opacity", lambda: "2147483648" in desktop.prop(window, "_NET_WM_WINDOW_OPACITY"))


def test_a_pet_that_grows_and_shrinks_stays_on_its_feet(desktop: Desktop, home: Path) -> None:
    with start_pet(desktop, home, debug=False) as pet:
        window = ready(pet)
        first = Box(1280 - 24 - 192, 800 - 24 - 208, 192, 208)
        feet = first.centre[0], first.y + first.height

        def stands(place: Box) -> bool:
            return desktop.box(window) == place

        wait_for("the pet in its corner", partial(stands, first))
        for size, width, height in ((50, 96, 104), (75, 144, 156), (50, 96, 104)):
            write_settings(home, f"pet_size = {size}\n")
            place = Box(feet[0] - width // 2, feet[1] - height, width, height)
            wait_for(f"{size} % on its feet", partial(stands, place))


def test_the_pet_steps_aside_for_a_program_that_fills_the_screen(desktop: Desktop, home: Path) -> None:
    with start_pet(desktop, home, debug=False) as pet, program(desktop) as other:
        window, place = ready(pet), Box(1280 - 24 - 192, 800 - 24 - 208, 192, 208)
        wait_for("the pet in its corner", lambda: desktop.box(window) == place)
        tell(other, "on")
        pet.no_window(PET)
        tell(other, "off")
        wait_for("the pet at its place", lambda: desktop.box(pet.window(PET)) == place)
        write_settings(home, "hide_fullscreen = false\n")
        tell(other, "on")
        film = wait_for("the film", lambda: handle_of(desktop, "Film"))
        wait_for("the full screen", lambda: fills_the_screen(desktop, film))
        pet.window(PET)


def test_pet_hides_from_full_screen_where_no_current_desktop_is_named(tmp_path: Path) -> None:
    """As mutter leaves it until the first switch of workspaces."""
    with open_desktop() as bare:
        wait_for(
            "its first workspace", lambda: "= 0" in bare.prop("root", "_NET_CURRENT_DESKTOP")
        )  # else it is set later
        bare.run("xprop", "-root", "-remove", "_NET_CURRENT_DESKTOP")
        with start_pet(bare, tmp_path / "home", debug=False) as pet, program(bare) as other:
            ready(pet)
            tell(other, "on")
            pet.no_window(PET)
            assert "not found" in bare.prop("root", "_NET_CURRENT_DESKTOP")


def test_pet_and_bubble_follow_to_other_workspaces(desktop: Desktop, home: Path) -> None:
    write_settings(home, "reminder_bubbles = true\n")
    reminder(home)
    with start_pet(desktop, home, debug=False) as pet:
        ready(pet)
        pet.window(BUBBLE)
        try:
            desktop.run("wmctrl", "-s", "1")
            wait_for("the other workspace", lambda: desktop.prop("root", "_NET_CURRENT_DESKTOP").endswith("= 1\n"))
            for title in (PET, BUBBLE):
                window = pet.window(title)
                wait_for(f"{title} there", partial(on_every_workspace, desktop, window))
                wait_for(f"{title} in sight", partial(is_shown, desktop, window))
        finally:
            desktop.run("wmctrl", "-s", "0")
            wait_for("the first workspace", lambda: desktop.prop("root", "_NET_CURRENT_DESKTOP").endswith("= 0\n"))


def is_shown(desktop: Desktop, window: int) -> bool:
    return "IsViewable" in desktop.run("xwininfo", "-id", str(window))


def on_every_workspace(desktop: Desktop, window: int) -> bool:
    return "4294967295" in desktop.prop(window, "_NET_WM_DESKTOP")


def test_shortcuts_work_everywhere_once_they_are_set(desktop: Desktop, home: Path) -> None:
    with start_pet(desktop, home, debug=False) as pet, program(desktop):
        ready(pet)
        write_settings(home, 'shortcut_chat = "Ctrl+Alt+P"\nshortcut_pet = "Ctrl+Alt+H"\n')

        def is_there(title: str) -> bool:
            return desktop.window(pet.pid, title) is not None

        def pressed(keys: str, title: str, there: bool) -> bool:
            """Pressed before the new keys were known it does nothing, and is pressed again."""
            if is_there(title) is not there:
                desktop.key(keys)
                with contextlib.suppress(AssertionError):
                    wait_for(title, lambda: is_there(title) is there, 10)
            return is_there(title) is there

        def until(keys: str, title: str, there: bool) -> None:
            wait_for(title, lambda: pressed(keys, title, there))

        until("ctrl+alt+p", CHAT, True)
        until("ctrl+alt+p", CHAT, False)
        until("ctrl+alt+h", PET, False)
        until("ctrl+alt+h", PET, True)


def test_a_reminder_is_kept_by_a_bubble_that_takes_no_focus(desktop: Desktop, home: Path, shots: Path) -> None:
    write_settings(home, "reminder_bubbles = true\n")
    log = reminder(home)
    with program(desktop), start_pet(desktop, home, debug=False) as pet:
        film_window = desktop.active_window()
        creature = pet.window(PET)
        wait_for("it above the pet", lambda: desktop.box(pet.window(BUBBLE)).y < desktop.box(creature).y)
        assert desktop.active_window() == film_window
        wait_for("the states", lambda: "SKIP_TASKBAR" in desktop.prop(pet.window(BUBBLE), "_NET_WM_STATE"))
        bubble = seen(pet)
        bubble.shows("Water the ferns")
        desktop.screenshot(shots / "bubble-promise.png")
        bubble.click(T("bubble.done"))
        pet.no_window(BUBBLE)
        wait_for("the mark in the log", lambda: "\N{CHECK MARK}" in log.read_text())
        assert desktop.active_window() == film_window


def test_a_reply_comes_as_a_bubble_and_leads_back_to_the_chat(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    write_settings(home, "")
    with talking(desktop, home, playwright) as (pet, server, conversation):
        server.queue(stream("**Rain** until four."))
        send(pet, playwright, conversation, "Rain?")
        bubble = seen(pet)
        bubble.shows("Rain until four.")
        desktop.screenshot(shots / "bubble-reply.png")
        bubble.click(T("bubble.answer"))
        pet.window(CHAT)
        pet.no_window(BUBBLE)
        browser = pet.attach(playwright)
        expect(pet.page(browser, "chat.html").get_by_text("Rain until four.")).to_be_visible()
        browser.close()


def test_a_text_dropped_on_the_pet_is_in_the_composer(desktop: Desktop, home: Path, playwright: Playwright) -> None:
    write_settings(home, "")
    with start_pet(desktop, home, environ={"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}) as pet:
        ready(pet)
        browser = pet.attach(playwright)
        chat = pet.page(browser, "chat.html")
        expect(chat.get_by_role("textbox", name=T("ui.composer.label"))).to_be_attached()
        pet.ask("drop_text('a line from elsewhere')")
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

        def message() -> int | None:
            """Without a terminal, the sentence comes in a window."""
            dialogs = (
                each for each in desktop.windows(pet.pid) if "DIALOG" in desktop.prop(each, "_NET_WM_WINDOW_TYPE")
            )
            return next(dialogs, None)

        desktop.run("wmctrl", "-i", "-c", str(wait_for("the message", message)))
        assert pet.wait() == 1
        assert T("error.unknown_pet", pet_id="nobody") in pet.output.read_text()
