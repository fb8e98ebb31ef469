"""What the two windows do on a real desktop, around a tiny core."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, Playwright

from tests.support.desktop.xvfb import (
    BACKGROUND,
    Box,
    Desktop,
    Running,
    call_page,
    end_group,
    open_desktop,
    selection_owned,
    start_compositor,
    wait_for,
)
from tests.support.pet_windows.menus import menus, open_menu, outline_of, whole
from tests.support.pet_windows.places import kept_places
from tests.support.pet_windows.windows import BARE_CHAT, PET, bare_pet, painted, shows_body

pytestmark = pytest.mark.window


@pytest.fixture
def pet(desktop: Desktop, home: Path) -> Iterator[Running]:
    with bare_pet(desktop, home) as running:
        yield running


@pytest.fixture
def browser(pet: Running, playwright: Playwright) -> Iterator[Browser]:
    connected = pet.attach(playwright)
    yield connected
    connected.close()


def composer(chat: Page) -> str:
    return str(chat.evaluate("document.getElementById('composer').value"))


def test_the_pet_is_see_through_on_top_and_in_no_taskbar(pet: Running, shots: Path) -> None:
    box = painted(pet)
    desktop = pet.desktop
    wait_for("what is below", lambda: desktop.pixel(box.x + 5, box.y + 5) == BACKGROUND)
    wanted = {f"_NET_WM_STATE_{state}" for state in ("SKIP_TASKBAR", "SKIP_PAGER", "ABOVE")}

    def states() -> set[str]:
        return set(desktop.prop(pet.window(PET), "_NET_WM_STATE").replace(",", " ").split())

    wait_for("the states", lambda: wanted <= states())
    assert (box.width, box.height) == (192, 208)
    desktop.screenshot(shots / "bare-pet.png")


def test_double_click_opens_the_chat_with_the_keyboard_in_it_and_closes_it_again(
    pet: Running, browser: Browser
) -> None:
    box, chat = painted(pet), pet.page(browser, "chat.html")
    desktop = pet.desktop
    desktop.double_click(box)
    window = pet.window(BARE_CHAT)
    wait_for("the focus", lambda: desktop.active_window() == window)
    wait_for("the composer", lambda: chat.evaluate("document.activeElement.id === 'composer' && document.hasFocus()"))
    desktop.type("hello")
    wait_for("the text", lambda: composer(chat) == "hello")

    def beside() -> bool:
        """Not over it."""
        seen = desktop.box(window)
        return seen.x + seen.width < box.x and seen.y + seen.height <= box.y + box.height

    wait_for("the chat beside the pet", beside)
    desktop.double_click(box)
    pet.no_window(BARE_CHAT)
    desktop.double_click(box)
    pet.window(BARE_CHAT)
    assert composer(chat) == "hello"  # hidden, not closed


def test_the_chats_page_is_loaded_when_it_is_first_wanted(
    desktop: Desktop, home: Path, playwright: Playwright
) -> None:
    with bare_pet(desktop, home) as pet:
        desktop.double_click(painted(pet))
        window = pet.window(BARE_CHAT)
        wait_for("the focus", lambda: desktop.active_window() == window)
        browser = pet.attach(playwright)
        chat = pet.page(browser, "chat.html")
        wait_for("what it heard", lambda: "chat_shown" in chat.evaluate("window.__soulpet.heard"))
        desktop.type("hello")
        wait_for("the text", lambda: composer(chat) == "hello")
        browser.close()


def test_the_chat_of_a_pet_at_the_top_of_the_screen_shows_its_title(desktop: Desktop, home: Path) -> None:
    with bare_pet(desktop, home) as pet:
        box = painted(pet)
        desktop.drag(box.centre, (box.centre[0], 5))
        wait_for("the pet at the top", lambda: desktop.box(pet.window(PET)).y < 10)
        desktop.double_click(desktop.box(pet.window(PET)))
        window = pet.window(BARE_CHAT)
        wait_for("its frame", lambda: "=" in desktop.prop(window, "_NET_FRAME_EXTENTS"))
        _left, _right, top, _bottom = map(int, desktop.prop(window, "_NET_FRAME_EXTENTS").split("=")[1].split(","))
        wait_for("the title on the screen", lambda: desktop.box(window).y >= top)


def test_the_close_button_hides_the_chat(pet: Running, browser: Browser) -> None:
    box, chat = painted(pet), pet.page(browser, "chat.html")
    pet.desktop.double_click(box)
    window = pet.window(BARE_CHAT)
    pet.desktop.run("wmctrl", "-i", "-c", str(window))
    pet.no_window(BARE_CHAT)
    wait_for("the event", lambda: chat.evaluate("window.__soulpet.heard").count("chat_shown") == 2)
    assert pet.process.poll() is None
    pet.toggle_chat()
    pet.window(BARE_CHAT)


def test_a_minimised_chat_is_out_of_sight_and_the_next_double_click_brings_it_back(
    pet: Running, browser: Browser
) -> None:
    box, chat = painted(pet), pet.page(browser, "chat.html")
    desktop = pet.desktop
    desktop.double_click(box)
    window = pet.window(BARE_CHAT)
    wait_for("the focus", lambda: desktop.active_window() == window)
    wait_for("the page", lambda: chat.evaluate("window.__soulpet.heard").count("chat_shown") == 1)
    desktop.run("xdotool", "windowminimize", str(window))
    wait_for("the event", lambda: chat.evaluate("window.__soulpet.heard").count("chat_shown") == 2)
    pet.toggle_chat()
    wait_for("the focus again", lambda: desktop.active_window() == window)
    wait_for("what was heard", lambda: chat.evaluate("window.__soulpet.heard").count("chat_shown") == 3)


def test_a_click_beside_the_pet_reaches_the_window_below(pet: Running, browser: Browser) -> None:
    """The chat is put below the pet: clicks on transparent pixels arrive there, clicks on the pet don't."""
    box, chat = painted(pet), pet.page(browser, "chat.html")
    desktop = pet.desktop
    desktop.double_click(box)
    window = pet.window(BARE_CHAT)
    wait_for("the focus", lambda: desktop.active_window() == window)
    desktop.run("wmctrl", "-i", "-r", str(window), "-e", f"0,{box.x - 150},{box.y - 300},-1,-1")
    wait_for("the move", lambda: abs(desktop.box(window).x - box.x + 150) < 10)
    chat.evaluate("window.downs = []; addEventListener('pointerdown', (e) => downs.push([e.screenX, e.screenY]))")
    desktop.click(*box.centre)
    desktop.click(box.x + 8, box.y + 8)
    wait_for("the click below", lambda: chat.evaluate("window.downs") == [[box.x + 8, box.y + 8]])
    outline = outline_of(desktop, pet.window(PET))
    left = min(rect.x for rect in outline)
    assert (
        1 <= pet.ask("min(rect.x for rect in pet._shown.mask.outline(0))") - left <= 8
    )  # the picture, grown by four


def test_dragging_moves_the_pet_keeps_it_on_screen_and_is_remembered(
    desktop: Desktop, home: Path, shots: Path
) -> None:
    with bare_pet(desktop, home) as pet:
        box = painted(pet)
        x, y = box.centre
        desktop.drag((x, y), (x - 400, y - 300))
        window = pet.window(PET)
        wait_for("the pet at the pointer", lambda: desktop.box(window) == Box(box.x - 400, box.y - 300, 192, 208))
        desktop.drag((x - 400, y - 300), (2, 2))
        wait_for("the pet in the corner", lambda: desktop.box(window) == Box(0, 0, 192, 208))
        desktop.drag((100, 100), (300, 400))
        wait_for("the pet back", lambda: desktop.box(window) == Box(200, 300, 192, 208))
        wait_for("the memory", lambda: [200, 300] in kept_places(home))
        assert pet.stop() == 0
    with bare_pet(desktop, home) as pet:
        wait_for("the pet where it was", lambda: desktop.box(pet.window(PET)) == Box(200, 300, 192, 208))


def test_the_size_of_the_chat_is_remembered(desktop: Desktop, home: Path) -> None:
    with bare_pet(desktop, home) as pet:
        box = painted(pet)
        desktop.double_click(box)
        window = pet.window(BARE_CHAT)
        desktop.run("wmctrl", "-i", "-r", str(window), "-e", "0,-1,-1,520,560")
        wait_for("the size", lambda: (desktop.box(window).width, desktop.box(window).height) == (520, 560))
        desktop.double_click(box)
        pet.no_window(BARE_CHAT)
        assert pet.stop() == 0
    with bare_pet(desktop, home) as pet:
        desktop.double_click(painted(pet))
        window = pet.window(BARE_CHAT)
        wait_for("the size", lambda: (desktop.box(window).width, desktop.box(window).height) == (520, 560))


def test_a_second_start_brings_the_first_forward(pet: Running, home: Path) -> None:
    painted(pet)
    with bare_pet(pet.desktop, home, debug=False) as second:
        assert second.wait() == 0
        assert "already here" in second.output.read_text()
    assert pet.process.poll() is None


def test_the_menu_opens_pauses_and_quits(pet: Running, browser: Browser, shots: Path) -> None:
    box, chat = painted(pet), pet.page(browser, "chat.html")
    desktop = pet.desktop
    open_menu(desktop, box.centre)
    desktop.screenshot(shots / "bare-menu.png")
    desktop.key("m")
    wait_for("the pause", lambda: "memory_paused" in chat.evaluate("window.__soulpet.heard"))
    wait_for("the menu to close", lambda: menus(desktop) == 0)
    open_menu(desktop, box.centre)
    desktop.key("Up", "Return")
    assert pet.wait() == 0


def test_with_a_tray_the_pet_can_hide_and_come_back(tmp_path: Path, shots: Path) -> None:
    with open_desktop() as other:
        other.spawn(sys.executable, "-m", "tests.support.desktop.tray")
        wait_for("the tray", lambda: selection_owned(other, "_NET_SYSTEM_TRAY_S0"))
        with bare_pet(other, tmp_path / "home") as pet:
            painted(pet)
            wait_for("the icon", lambda: other.pixel(16, 20) not in ("#ffffff", BACKGROUND))
            other.screenshot(shots / "bare-tray.png")
            other.click(16, 16)
            pet.window(BARE_CHAT)
            open_menu(other, (16, 16))
            other.screenshot(shots / "bare-tray-menu.png")
            other.key("Up", "Up", "Return")  # hide the pet
            pet.no_window(PET)
            wait_for("the menu to close", lambda: menus(other) == 0)
            open_menu(other, (26, 26))  # elsewhere, or it would be a double click
            other.key("Up", "Up", "Return")
            pet.window(PET)


def test_nothing_listens_on_tcp(desktop: Desktop, home: Path) -> None:
    with bare_pet(desktop, home, debug=False) as pet:
        desktop.double_click(painted(pet))
        pet.window(BARE_CHAT)
        assert pet.listening() == set()


def test_the_pet_may_not_do_what_the_chat_may(pet: Running) -> None:
    answer = pet.command("pet", "open_link", url="https://example.org/")
    assert answer["ok"] is False
    assert answer["error"] == {"code": "not_allowed", "args": {"command": "open_link"}, "retryable": False}


def test_without_a_compositor_the_pet_is_cut_out_and_still_works(tmp_path: Path, shots: Path) -> None:
    with open_desktop(compositor=False) as plain, bare_pet(plain, tmp_path / "home") as pet:
        box = painted(pet)
        wait_for("what is below", lambda: plain.pixel(box.x + 3, box.y + 3) == BACKGROUND)
        plain.screenshot(shots / "bare-no-compositor.png")
        plain.double_click(box)
        pet.window(BARE_CHAT)


def test_pet_is_see_through_with_a_compositor_that_comes_and_goes(tmp_path: Path, home: Path) -> None:
    with open_desktop(compositor=False) as plain, bare_pet(plain, home, debug=False) as pet:
        box, window = painted(pet), pet.window(PET)
        corner = box.x + 3, box.y + 3
        for _ in range(2):
            compositor = start_compositor(plain)
            wait_for("the whole window", lambda: outline_of(plain, window, cut=True) == [whole(box)])
            wait_for("the picture", lambda: shows_body(plain, *box.centre))
            wait_for("nothing in the corner", lambda: plain.pixel(*corner) == BACKGROUND)
            end_group(compositor)
            wait_for("the outline", lambda: outline_of(plain, window, cut=True) != [whole(box)])
            wait_for("nothing in the corner", lambda: plain.pixel(*corner) == BACKGROUND)


def test_tray_icon_comes_and_goes_with_the_tray(desktop: Desktop, home: Path) -> None:
    with bare_pet(desktop, home, debug=False) as pet:
        painted(pet)
        empty = ("#ffffff", BACKGROUND)
        for _ in range(2):
            tray = desktop.spawn(sys.executable, "-m", "tests.support.desktop.tray")
            try:
                wait_for("the icon", lambda: any(desktop.pixel(x, 20) not in empty for x in (16, 48)))  # docked twice
            finally:
                end_group(tray)
                desktop.processes.remove(tray)
            wait_for("the end of it", lambda: desktop.pixel(16, 20) == BACKGROUND)


def test_it_starts_and_ends_cleanly_again_and_again(desktop: Desktop, home: Path) -> None:
    for _ in range(5):
        # Anew: a fork ends without taking its modules apart, as a process does.
        with bare_pet(desktop, home, debug=False, anew=True) as pet:
            painted(pet)
            assert pet.stop() == 0
            said = pet.output.read_text()
            assert "Traceback" not in said
            assert "WebEnginePage still not deleted" not in said


def test_a_page_that_dies_comes_back(pet: Running, home: Path, playwright: Playwright) -> None:
    painted(pet)
    first = pet.attach(playwright)
    page = pet.page(first, "chat.html")
    session = page.context.new_cdp_session(page)
    with contextlib.suppress(Error):  # the answer dies with the page
        session.send("Page.crash")
    first.close()
    log = home / "log" / "soulpet.log"
    wait_for("the notice", lambda: "a page's process ended" in log.read_text())
    second = pet.attach(playwright)
    page = pet.page(second, "chat.html")
    wait_for("the bridge", lambda: page.evaluate("!!window.pywebview?.api?.invoke"))
    assert call_page(page, "pause_memory", {"paused": True})["ok"] is True
    pet.toggle_chat()
    pet.window(BARE_CHAT)
    second.close()
