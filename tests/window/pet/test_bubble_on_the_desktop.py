"""The speech bubble in the real window: what it says, how it opens and closes, and where it stands."""

from __future__ import annotations

import contextlib
import datetime
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect

from pet.desktop.qt_style import DARK, LIGHT
from pet.i18n import Texts
from tests.support.desktop.other_program import program
from tests.support.desktop.xvfb import Box, Desktop, Running, end_group, start_pet, wait_for
from tests.support.pet_windows.bubbles import move_pet, ready, seen, send, talking, write_settings
from tests.support.pet_windows.menus import ready_to_click
from tests.support.pet_windows.windows import BUBBLE, CHAT, PET, T
from tests.support.servers.protocol_replies import error, stream

pytestmark = pytest.mark.window

ZH = Texts("zh")
CLOCKED = (sys.executable, "-m", "tests.window.programs.clocked_pet")
SCREEN = Box(0, 0, 1280, 800)
LONG = "A **plan**:\n\n" + "".join(f"- point {number}\n" for number in range(40)) + "\n```\nprint('done')\n```\n"


def width(desktop: Desktop, pet: Running) -> int:
    return desktop.box(pet.window(BUBBLE)).width


def overlap(one: Box, other: Box) -> int:
    across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    return max(0, across) * max(0, down)


def today_log(home: Path, *entries: str) -> Path:
    day = datetime.date.today().isoformat()
    log = home / "data" / "pets" / "pet" / "memory" / f"{day}.md"
    log.parent.mkdir(parents=True, exist_ok=True)
    body = "".join(f"\n## [00:00:0{number}] todo @{day}\n{entry}\n" for number, entry in enumerate(entries))
    log.write_text(f"# Memory Log: {day}\n{body}", encoding="utf-8")
    return log


# --- a reply -------------------------------------------------------------------------------------------------------


def test_a_long_reply_is_read_on_in_place_by_mouse_and_keys(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    write_settings(home, "")
    with program(desktop), talking(desktop, home, playwright) as (pet, server, conversation):
        other = desktop.active_window()
        server.queue(stream(LONG))
        send(pet, playwright, conversation)
        bubble = seen(pet)
        bubble.shows("point 1")
        assert desktop.active_window() == other  # it came, and took nothing
        wait_for("its width", lambda: width(desktop, pet) == 320)
        bubble.click(T("bubble.more"))
        bubble.shows("print('done')")
        wait_for("the room", lambda: width(desktop, pet) == 480)
        settled(desktop, pet, pet.window(PET), 28)
        assert bubble.box.height <= 640
        bubble.takes_keys()
        desktop.key("End")
        scrolled = "bubble._scroll.verticalScrollBar().value() > 100"
        pet.shows(scrolled)
        desktop.screenshot(shots / "bubble-open.png")
        desktop.run("xdotool", "windowactivate", "--sync", str(other))
        move_pet(pet, -900, 0)
        wait_for("its new place", lambda: bubble.box.x < 500)
        settled(desktop, pet, pet.window(PET), 28)
        assert desktop.active_window() == other  # it goes along, and leaves the focus where it is
        assert pet.ask(scrolled)  # to be read on where it was
        desktop.click(*bubble.box.centre)
        bubble.takes_keys()
        desktop.key("Escape")
        wait_for("the short form", lambda: width(desktop, pet) == 320)
        assert "print('done')" not in " ".join(pet.ask("said()"))
        bubble.click(T("bubble.more"))
        wait_for("the room again", lambda: width(desktop, pet) == 480)
        bubble.click(T("bubble.less"))
        wait_for("the short form again", lambda: width(desktop, pet) == 320)
        bubble.click(T("bubble.open"))
        pet.window(CHAT)
        pet.no_window(BUBBLE)


def test_a_reply_comes_without_the_chat_and_takes_no_focus(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    write_settings(home, "")
    with program(desktop), talking(desktop, home, playwright) as (pet, server, conversation):
        other = desktop.active_window()
        server.queue(stream("The ferns look thirsty. Shall I remind you to water them?"))
        send(pet, playwright, conversation)
        bubble = seen(pet)
        bubble.shows("thirsty")
        desktop.screenshot(shots / "bubble-answers.png")
        assert desktop.window(pet.pid, CHAT) is None
        assert desktop.active_window() == other
        bubble.click(T("bubble.answer"))
        pet.window(CHAT)


def test_a_failure_says_what_to_do_and_leads_to_it(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    write_settings(home, "")
    with talking(desktop, home, playwright) as (pet, server, conversation):
        server.queue(error(401, "authentication_error", "invalid x-api-key"))
        send(pet, playwright, conversation)
        bubble = seen(pet)
        bubble.shows("doesn't accept the key")
        desktop.screenshot(shots / "bubble-failed.png")
        bubble.click(T("bubble.look"))
        pet.window(CHAT)
        browser = pet.attach(playwright)
        chat = pet.page(browser, "chat.html")
        expect(chat.get_by_role("button", name=T("ui.turn.retry")).first).to_be_visible()
        pet.no_window(BUBBLE)
        browser.close()


# --- what it says of its own accord --------------------------------------------------------------------------------


def test_reminders_are_done_and_put_off_one_after_the_other(desktop: Desktop, home: Path, shots: Path) -> None:
    write_settings(home, "reminder_bubbles = true\n")
    log = today_log(home, "Water the ferns", "Call Mum")
    with start_pet(desktop, home, debug=False) as pet:
        bubble = seen(pet)
        reminders = "len(bubble.content.reminders)"
        pet.shows(f"{reminders} == 2")
        bubble.click(T("bubble.later"), which=1)
        bubble.has(T("bubble.tomorrow"))
        desktop.screenshot(shots / "bubble-later.png")
        bubble.click(T("bubble.tomorrow"))
        pet.shows(f"{reminders} == 1")
        bubble.click(T("bubble.done"))
        pet.no_window(BUBBLE)

        def headings() -> list[str]:
            return [line for line in log.read_text().splitlines() if line.startswith("## ")]

        wait_for("both in the log", lambda: "\N{CHECK MARK}" in headings()[0] and "(was " in headings()[1])


def test_the_first_touch_after_midnight_is_greeted_and_midnight_itself_is_not(
    desktop: Desktop, home: Path, shots: Path
) -> None:
    write_settings(home, 'greetings = "daily"\n')
    clock = home / "clock"
    clock.write_text("2026-11-20T23:50:00+01:00")
    with start_pet(desktop, home, command=CLOCKED) as pet:
        ready(pet)
        bubble = seen(pet)
        bubble.shows(greeting("night", 20))
        bubble.click(T("bubble.close"))
        pet.no_window(BUBBLE)
        fresh = home / "clock.new"
        fresh.write_text("2026-11-21T08:10:00+01:00")
        fresh.replace(clock)
        assert desktop.window(pet.pid, BUBBLE) is None
        desktop.click(*ready_to_click(pet, PET).centre)
        seen(pet).shows(greeting("morning", 21))
        desktop.screenshot(shots / "bubble-greeting.png")


@contextlib.contextmanager
def system_bus() -> Iterator[str]:
    """A bus of our own in place of the system's."""
    command = ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address"]
    daemon = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        assert daemon.stdout
        yield daemon.stdout.readline().strip()
    finally:
        end_group(daemon)


def test_a_machine_that_woke_is_greeted(desktop: Desktop, home: Path) -> None:
    write_settings(home, 'greetings = "daily"\n')
    clock = home / "clock"
    clock.write_text("2026-11-20T22:50:00+01:00")
    with system_bus() as bus:
        environ = {"DBUS_SYSTEM_BUS_ADDRESS": bus}
        with start_pet(desktop, home, command=CLOCKED, environ=environ) as pet:
            seen(pet).click(T("bubble.close"))
            pet.no_window(BUBBLE)
            fresh = home / "clock.new"
            fresh.write_text("2026-11-21T08:10:00+01:00")
            fresh.replace(clock)
            waker = (sys.executable, "-m", "tests.window.programs.waker", bus)
            subprocess.run(waker, env=desktop.environ, check=True, timeout=60)
            seen(pet).shows(greeting("morning", 21))


def greeting(part: str, day: int) -> str:
    return T(f"bubble.greeting_{part}_{1 + datetime.date(2026, 11, day).toordinal() % 4}")


def test_a_question_is_answered_in_a_conversation_that_begins_with_it(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    write_settings(home, "ask_after = true\n")
    (home / "clock").write_text("2026-11-21T12:00:00+01:00")
    log = home / "data" / "pets" / "pet" / "memory" / "2026-11-20.md"
    log.parent.mkdir(parents=True)
    log.write_text("# Memory Log: 2026-11-20\n\n## [08:00:00] event\n\nOwner: the driving test is today\n")
    with start_pet(desktop, home, command=CLOCKED) as pet:
        bubble = seen(pet)
        bubble.shows("the driving test is today")
        asked = pet.ask("bubble.content.text")
        desktop.screenshot(shots / "bubble-question.png")
        bubble.click(T("bubble.tell"))
        pet.window(CHAT)
        browser = pet.attach(playwright)
        chat = pet.page(browser, "chat.html")
        expect(chat.locator(".opening")).to_contain_text(asked)
        expect(chat.get_by_role("textbox", name=T("ui.composer.label"))).to_be_focused()
        desktop.screenshot(shots / "bubble-question-chat.png")
        pet.no_window(BUBBLE)
        browser.close()


def test_the_weeks_question_ends_a_line_that_no_longer_holds_and_undo_takes_it_back(
    desktop: Desktop, home: Path, shots: Path
) -> None:
    write_settings(home, "ask_after = true\n")
    (home / "clock").write_text("2026-11-21T12:00:00+01:00")
    profile = home / "data" / "pets" / "pet" / "USER.md"
    profile.parent.mkdir(parents=True)
    told = "# About\n\n- Likes tea\n- Training for a marathon (2026-03-02)\n"
    profile.write_text(told)
    with start_pet(desktop, home, command=CLOCKED) as pet:
        bubble = seen(pet)
        bubble.shows("training for a marathon")
        desktop.screenshot(shots / "bubble-recheck.png")
        bubble.click(T("bubble.no_longer"))
        bubble.shows("USER.md")
        desktop.screenshot(shots / "bubble-changed.png")
        assert profile.read_text() == told.replace("(2026-03-02)", "(until 2026-11-21)")
        bubble.click(T("bubble.undo"))
        pet.no_window(BUBBLE)
        assert profile.read_text() == told


# --- in other words and colours, and wherever the pet stands -------------------------------------------------------


def test_another_language_and_darkness_reach_a_bubble_that_is_open(desktop: Desktop, home: Path, shots: Path) -> None:
    write_settings(home, 'reminder_bubbles = true\ntheme = "light"\nreduced_motion = "on"\n')
    today_log(home, "给牙医打电话")
    with start_pet(desktop, home, debug=False) as pet:
        bubble = seen(pet)
        bubble.has(T("bubble.done"))
        x, y = bubble.box.x + 60, bubble.box.y + 20
        wait_for("its light card", lambda: desktop.pixel(x, y) == LIGHT.raised)
        settings = home / "config" / "settings.toml"
        words = settings.read_text().replace('"en"', '"zh"').replace('"light"', '"dark"')
        fresh = settings.with_suffix(".new")
        fresh.write_text(words)
        fresh.replace(settings)
        bubble.has(ZH("bubble.done"))
        wait_for("its dark card", lambda: desktop.pixel(x, y) == DARK.raised)
        desktop.screenshot(shots / "bubble-dark-zh.png")


@pytest.mark.parametrize("size", [50, 200])
def test_near_every_edge_it_stays_on_the_screen_beside_a_pet_of_any_size(
    desktop: Desktop, home: Path, shots: Path, size: int
) -> None:
    write_settings(home, f"reminder_bubbles = true\npet_size = {size}\n")
    today_log(home, "اسقِ السرخس اليوم، ثم نم مبكرًا", "Water the ferns and close the window in the kitchen")
    with start_pet(desktop, home, debug=False) as pet:
        window = pet.window(PET)
        seen(pet).shows("السرخس")
        for dx, dy in ((-3000, 0), (0, -3000), (3000, 0), (0, 3000), (-500, -250)):
            move_pet(pet, dx, dy)
            settled(desktop, pet, window, 12 + 14 * size // 100 + 2)
            desktop.screenshot(shots / f"bubble-{size}-{dx}-{dy}.png")


def settled(desktop: Desktop, pet: Running, window: int, most: int) -> None:
    """The bubble stands beside the pet, on the screen, over its edge so much at most, and its tail points there."""

    def fits() -> bool:
        creature, bubble = desktop.box(window), desktop.box(pet.window(BUBBLE))
        side, tail = pet.ask("[bubble._side, bubble._tail]")
        inside = overlap(bubble, SCREEN) == bubble.width * bubble.height
        if side == "above":
            points = abs(bubble.x + tail - creature.centre[0]) <= 1
            apart = bubble.y + bubble.height <= creature.y + most
        else:
            points = creature.y <= bubble.y + tail <= creature.y + creature.height
            left = bubble.x + bubble.width <= creature.x + most
            apart = left if side == "left" else bubble.x >= creature.x + creature.width - most
        return inside and points and apart

    wait_for("the bubble beside the pet", fits)


def test_nothing_of_it_goes_to_the_notifications_of_the_desktop() -> None:
    """No part of the program speaks to a notification service; what is remembered is said in the bubble alone."""
    root = Path(__file__).parents[3] / "pet"
    said = {file: file.read_text(encoding="utf-8") for file in root.rglob("*.py")}
    wanted = (
        "org.freedesktop.Notifications",
        "showMessage(",
        "notify-send",
        "NSUserNotification",
        "ToastNotification",
    )
    assert [str(file) for file, text in said.items() if any(name in text for name in wanted)] == []
    assert len(said) > 100
