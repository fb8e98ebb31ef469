"""What the settings promise about the desktop, on a real one: login, keys that are taken, fading, pictures of it."""

from __future__ import annotations

import base64
import contextlib
import datetime
import io
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, Playwright, expect
from Xlib import XK, X, display

from pet.i18n import Texts
from tests.support.desktop.xvfb import BACKGROUND, Box, Desktop, Running, call_page, open_desktop, start_pet, wait_for
from tests.support.pet_windows.bubbles import ready, seen, write_settings
from tests.support.pet_windows.menus import keyboard_is_grabbed, open_menu, open_submenu, ready_to_click
from tests.support.pet_windows.windows import CHAT, PET, T

pytestmark = pytest.mark.window

HINT = T("desktop.screenshot_hint")
RED = "#cc2244"
PALE = 0.3


@contextlib.contextmanager
def settings_of(pet: Running, playwright: Playwright, *sections: str) -> Iterator[Page]:
    """The chat window with this section of the settings, opened as from the menu."""
    browser = pet.attach(playwright)
    chat = pet.page(browser, "chat.html")
    expect(chat.get_by_role("textbox", name=T("ui.composer.label"))).to_be_attached()
    assert pet.command("pet", "show_view", view="settings")["ok"]
    pet.window(CHAT)
    for name in sections:
        chat.get_by_role("main").get_by_role("button", name=name, exact=True).click()
    yield chat
    browser.close()


def shortcuts(pet: Running, playwright: Playwright) -> contextlib.AbstractContextManager[Page]:
    return settings_of(pet, playwright, T("ui.section.privacy"), T("settings.section.keys"))


@contextlib.contextmanager
def another_program(desktop: Desktop) -> Iterator[display.Display]:
    with desktop.connection() as connection:
        yield connection


def hold_key(program: display.Display, key: str, modifiers: int) -> None:
    code = program.keysym_to_keycode(XK.string_to_keysym(key))
    program.screen().root.grab_key(code, modifiers, True, X.GrabModeAsync, X.GrabModeAsync)
    program.sync()


def let_go(program: display.Display, key: str, modifiers: int) -> None:
    program.screen().root.ungrab_key(program.keysym_to_keycode(XK.string_to_keysym(key)), modifiers)
    program.sync()


def show_red(program: display.Display, box: Box) -> None:
    screen = program.screen()
    pixel = screen.default_colormap.alloc_named_color(RED).pixel
    area = (box.x, box.y, box.width, box.height)
    window = screen.root.create_window(*area, 0, screen.root_depth, background_pixel=pixel, override_redirect=True)
    window.map()
    program.sync()


def veil(desktop: Desktop) -> bool:
    """Whether it is shown, not only made."""
    lines = desktop.run("xwininfo", "-root", "-tree", check=False).splitlines()
    handles = [line.split()[0] for line in lines if HINT in line]
    return any("IsViewable" in desktop.run("xwininfo", "-id", handle, check=False) for handle in handles)


def until_framing(desktop: Desktop) -> None:
    """The veil is there, and takes the keys."""
    wait_for("the veil", lambda: veil(desktop))
    wait_for("the keys", lambda: keyboard_is_grabbed(desktop))


def has_state(desktop: Desktop, window: int, state: str) -> bool:
    return state in desktop.prop(window, "_NET_WM_STATE")


def opacity(desktop: Desktop, window: int) -> float:
    said = desktop.prop(window, "_NET_WM_WINDOW_OPACITY").rpartition("=")[2].strip()
    return int(said) / 0xFFFFFFFF if said.isdigit() else 1.0


def pictures(home: Path) -> list[Image.Image]:
    """What was taken in, oldest first."""
    folder = home / "data" / "pets" / "pet" / "attachments"
    files = sorted(folder.glob("[!.]*"), key=lambda file: file.stat().st_mtime_ns) if folder.is_dir() else []
    return [Image.open(file).convert("RGB") for file in files]


def taken(home: Path, count: int) -> list[Image.Image]:
    wait_for(f"{count} pictures", lambda: len(pictures(home)) == count)
    return pictures(home)


def colour(picture: Image.Image, x: int, y: int) -> str:
    return "#" + picture.crop((x, y, x + 1, y + 1)).convert("RGB").tobytes().hex()


def nearest(picture: Image.Image, x: int, y: int) -> str:
    """Of a small copy, which may be a JPEG."""
    seen = bytes.fromhex(colour(picture, x, y)[1:])

    def apart(other: str) -> int:
        return sum(abs(a - b) for a, b in zip(seen, bytes.fromhex(other[1:]), strict=True))

    return min((BACKGROUND, RED), key=apart)


def test_starting_at_login_is_switched_in_the_settings_and_a_failure_is_told(
    desktop: Desktop, home: Path, tmp_path: Path, playwright: Playwright
) -> None:
    write_settings(home, "")
    config = tmp_path / "xdg"
    entry = config / "autostart" / "soulpet.desktop"
    with (
        start_pet(desktop, home, environ={"XDG_CONFIG_HOME": str(config)}) as pet,
        settings_of(pet, playwright, T("desktop.title")) as page,
    ):
        switch = page.get_by_role("switch", name=T("desktop.login"))
        expect(switch).not_to_be_checked()
        switch.click()
        expect(page.get_by_text(str(entry))).to_be_visible()
        assert f"--home {home}" in entry.read_text()
        switch.click()
        expect(page.get_by_text(T("desktop.login_off"))).to_be_visible()
        assert not entry.exists()
        entry.parent.rmdir()
        entry.parent.write_text("in the way")
        switch.click()
        expect(page.get_by_text(T("error.login_entry_failed", place=entry))).to_be_visible()
        expect(switch).not_to_be_checked()


def test_colours_movement_and_language_change_at_once_and_stay(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    write_settings(home, "")
    chinese = Texts("zh")
    with start_pet(desktop, home) as pet, settings_of(pet, playwright, T("desktop.title")) as page:
        root = page.locator("html")
        page.get_by_text(T("ui.look.dark"), exact=True).click()
        expect(root).to_have_attribute("data-theme", "dark")
        page.get_by_text(T("settings.row.reduced_motion_on"), exact=True).click()
        expect(root).to_have_attribute("data-motion", "on")
        page.get_by_text(T("ui.look.zh"), exact=True).click()
        expect(root).to_have_attribute("lang", "zh-CN")
        expect(page.get_by_role("heading", name=chinese("desktop.title"), exact=True)).to_be_visible()
        wait_for(
            "its title",
            lambda: any(chinese("shell.title_chat") in each for each in desktop.windows(pet.pid).values()),
        )
        desktop.screenshot(shots / "look-dark-zh.png")
        file, lines = (
            home / "config" / "settings.toml",
            ('theme = "dark"', 'reduced_motion = "on"', 'language = "zh"'),
        )
        wait_for("all three in the file", lambda: all(line in file.read_text() for line in lines))
        below = "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)"
        wait_for("the dark", lambda: max(page.evaluate(below)[:3]) < 60)


def test_a_shortcut_of_another_program_says_so_and_is_had_once_that_lets_go(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    write_settings(home, 'theme = "dark"\nshortcut_chat = "Ctrl+Alt+K"\n')
    held = X.ControlMask | X.Mod1Mask
    with another_program(desktop) as other:
        hold_key(other, "k", held)
        with start_pet(desktop, home) as pet, shortcuts(pet, playwright) as page:
            said = page.locator("#shortcut_chat-said")
            expect(said).to_contain_text(T("desktop.keys.taken"))
            expect(page.locator("html")).to_have_attribute("data-theme", "dark")
            desktop.screenshot(shots / "shortcut-taken.png")
            field = page.locator("#shortcut_pet")
            field.focus()
            field.press("Control+Alt+k")
            words = T("desktop.keys.twice", keys="Ctrl+Alt+K", other=T("settings.keys.chat"))
            expect(page.locator("#shortcut_pet-said")).to_have_text(words)
            let_go(other, "k", held)
            page.get_by_role("button", name=T("desktop.keys.again")).click()
            expect(said).to_have_text("")
            desktop.key("ctrl+alt+k")
            pet.no_window(CHAT)


def test_the_pet_grows_pale_under_a_resting_pointer_and_still_takes_the_hand(
    desktop: Desktop, home: Path, shots: Path
) -> None:
    write_settings(home, "fade_on_hover = true\n")
    desktop.run("xdotool", "mousemove", "20", "20")
    with start_pet(desktop, home, debug=False) as pet:
        window, box = ready(pet), ready_to_click(pet, PET)
        x, y = box.centre

        def rest() -> bool:
            """Until it knows that it may, the pointer comes again."""
            desktop.run("xdotool", "mousemove", "20", "20")
            desktop.run("xdotool", "mousemove", str(x - 10), str(y))
            desktop.run("xdotool", "mousemove", str(x), str(y))
            with contextlib.suppress(AssertionError):
                wait_for("the fade", lambda: abs(opacity(desktop, window) - PALE) < 0.01, 5)
            return abs(opacity(desktop, window) - PALE) < 0.01

        wait_for("a pale pet", rest)
        desktop.screenshot(shots / "pet-pale.png")
        desktop.run("xdotool", "mousemove", "20", "20")
        wait_for("the pet back", lambda: opacity(desktop, window) > 0.99)
        wait_for("a pale pet again", rest)
        desktop.drag((x, y), (x - 200, y - 100))
        wait_for("the place", lambda: desktop.box(window) == Box(box.x - 200, box.y - 100, box.width, box.height))
        wait_for("the pet as it is", lambda: opacity(desktop, window) > 0.99)
        desktop.double_click(desktop.box(window))
        pet.window(CHAT)


def test_a_framed_part_of_the_screen_lies_in_the_composer_without_us_in_it(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    write_settings(home, "")
    with (
        another_program(desktop) as other,
        start_pet(desktop, home, environ={"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}) as pet,
    ):
        show_red(other, Box(100, 100, 300, 200))
        browser = pet.attach(playwright)
        chat = pet.page(browser, "chat.html")
        composer = chat.get_by_role("textbox", name=T("ui.composer.label"))
        expect(composer).to_be_attached()
        box = desktop.box(pet.window(PET))
        pet.toggle_chat()
        pet.window(CHAT)

        def from_the_composer(entry: str) -> None:
            chat.get_by_role("button", name=T("ui.attach.add")).click()
            chat.get_by_role("menuitem", name=entry).click()

        from_the_composer(T("desktop.shot.region"))
        until_framing(desktop)
        assert desktop.window(pet.pid, PET) is None
        assert desktop.window(pet.pid, CHAT) is None
        desktop.run("xdotool", "mousemove", "60", "80", "mousedown", "1", "mousemove", "150", "150")
        desktop.run("xdotool", "mousemove", "260", "220")
        desktop.screenshot(shots / "screenshot-framing.png")
        desktop.run("xdotool", "mouseup", "1")
        pet.window(CHAT)
        pet.window(PET)
        tray = chat.get_by_role("list", name=T("ui.attach.tray"))
        expect(tray.get_by_role("listitem")).to_have_count(1)
        first = taken(home, 1)[0]
        assert first.size == (200, 140)
        assert [colour(first, *at) for at in ((5, 5), (35, 100), (45, 25), (195, 135))] == [
            BACKGROUND,
            BACKGROUND,
            RED,
            RED,
        ]
        day = datetime.date.today().isoformat()
        expect(tray).to_contain_text(T("desktop.screenshot_name", at=day))
        desktop.screenshot(shots / "screenshot-in-the-composer.png")

        # Where the pet stood there is what lay below; Escape takes nothing, and everybody comes back.
        from_the_composer(T("desktop.shot.region"))
        until_framing(desktop)
        desktop.drag((box.x, box.y), (box.x + 180, box.y + 200))
        second = taken(home, 2)[1]
        assert second.getcolors() == [(180 * 200, tuple(bytes.fromhex(BACKGROUND[1:])))]
        expect(tray.get_by_role("listitem")).to_have_count(2)
        from_the_composer(T("desktop.shot.region"))
        until_framing(desktop)
        desktop.key("Escape")
        wait_for("the veil to go", lambda: not veil(desktop))
        window = pet.window(PET)
        for state in ("_NET_WM_STATE_ABOVE", "_NET_WM_STATE_SKIP_TASKBAR"):
            wait_for(state, partial(has_state, desktop, window, state))
        chat_window = pet.window(CHAT)
        wait_for("the keyboard in the chat", lambda: desktop.active_window() == chat_window)

        from_the_composer(T("desktop.shot.screen"))
        expect(tray.get_by_role("listitem")).to_have_count(3)
        whole = taken(home, 3)[2]
        assert whole.size == (1280, 800)
        assert colour(whole, 250, 200) == RED
        listed = call_page(chat, "list_conversations")["value"]["conversations"]
        assert all(each["turns"] == 0 for each in listed)  # nothing was sent
        browser.close()


def test_the_menu_and_a_shortcut_ask_for_it_too_and_every_pixel_counts_on_a_sharp_screen(
    desktop: Desktop, home: Path, playwright: Playwright
) -> None:
    write_settings(home, 'shortcut_screenshot = "Ctrl+Alt+S"\npet_size = 50\n')
    environ = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "QT_SCALE_FACTOR": "2"}
    with another_program(desktop) as other, start_pet(desktop, home, environ=environ) as pet:
        show_red(other, Box(100, 100, 300, 200))
        browser = pet.attach(playwright)
        chat = pet.page(browser, "chat.html")
        expect(chat.get_by_role("textbox", name=T("ui.composer.label"))).to_be_attached()
        assert pet.command("pet", "get_skin")["ok"]
        open_menu(desktop, ready_to_click(pet, PET).centre)
        open_submenu(desktop, "e")
        desktop.key("e")  # the part of the screen
        until_framing(desktop)
        desktop.key("Escape")
        wait_for("the veil to go", lambda: not veil(desktop))
        pet.window(PET)
        assert pictures(home) == []
        desktop.key("ctrl+alt+s")
        until_framing(desktop)
        desktop.drag((80, 90), (180, 150))
        seen(pet)  # in the field, beside the pet
        address = pet.shows("bubble.content.field.files[0].image")
        assert pet.desktop.window(pet.pid, CHAT) is None and pictures(home) == []
        picture = Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2]))).convert("RGB")
        assert picture.size == (100, 60)
        assert [nearest(picture, *at) for at in ((18, 30), (23, 30), (23, 6), (99, 59))] == [
            BACKGROUND,
            RED,
            BACKGROUND,
            RED,
        ]
        browser.close()


def test_each_of_two_monitors_can_be_framed_and_the_one_with_the_pointer_is_the_screen(
    tmp_path: Path, playwright: Playwright, shots: Path
) -> None:
    home = tmp_path / "home"
    write_settings(home, "")
    monitors = {"LEFT": "1280x800+0+0", "RIGHT": "1024x768+1280+0"}
    with (
        open_desktop(size="2304x800", monitors=monitors) as wide,
        another_program(wide) as other,
        start_pet(wide, home, environ={"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}) as pet,
    ):
        show_red(other, Box(1400, 100, 300, 200))
        browser = pet.attach(playwright)
        chat = pet.page(browser, "chat.html")
        expect(chat.get_by_role("textbox", name=T("ui.composer.label"))).to_be_attached()
        wide.run("xdotool", "mousemove", "600", "600")  # Enter would take the left one
        assert call_page(chat, "take_screenshot", {"area": "region"})["ok"]
        until_framing(wide)
        wait_for("both pale", lambda: BACKGROUND not in (wide.pixel(20, 400), wide.pixel(2200, 400)))
        wide.screenshot(shots / "screenshot-two-monitors.png")
        wide.drag((1380, 90), (1480, 150))
        (framed,) = taken(home, 1)
        assert framed.size == (100, 60)
        assert [colour(framed, *at) for at in ((18, 30), (22, 30))] == [BACKGROUND, RED]
        pet.window(CHAT)
        wide.run("xdotool", "mousemove", "2000", "600")
        assert call_page(chat, "take_screenshot", {"area": "screen"})["ok"]
        whole = taken(home, 2)[1]
        assert whole.size == (1024, 768)
        assert colour(whole, 1400 - 1280 + 10, 110) == RED
        expect(chat.locator(".tray li")).to_have_count(2)
        show_red(other, Box(1900, 400, 40, 40))
        wide.run("xdotool", "mousemove", "600", "600")
        assert call_page(chat, "take_screenshot", {"area": "region"})["ok"]
        until_framing(wide)
        wait_for("both pale", lambda: BACKGROUND not in (wide.pixel(20, 400), wide.pixel(2200, 400)))
        wide.run("xdotool", "mousemove", "2000", "500")
        wide.key("Return")  # the keyboard is with the left one
        entered = taken(home, 3)[2]
        assert entered.size == (1024, 768)
        assert colour(entered, 1900 - 1280 + 10, 410) == RED
        browser.close()
