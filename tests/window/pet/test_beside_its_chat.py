"""The pet and its chat on a real desktop: it never stands on the text, peeks from behind, and comes when called."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect

from tests.support.desktop.xvfb import Box, Desktop, Running, call_page, wait_for
from tests.support.pet_windows.bubbles import write_settings
from tests.support.pet_windows.menus import ready_to_click
from tests.support.pet_windows.windows import CHAT, PET, Chat, T, talking
from tests.support.servers.protocol_replies import stream
from tests.support.servers.protocol_server import ProtocolServer
from tests.window.chat.test_chat_window import frame
from tests.window.programs.dragging import dragging

pytestmark = pytest.mark.window

WEIGHT = "pet_life = 'calm'\n"


def box(running: Running, title: str) -> Box:
    return running.desktop.box(running.window(title))


def over(pet: Box, chat: Box) -> bool:
    """Whether the drawing, which has some room at its sides, is over the chat."""
    return (
        pet.x + 30 < chat.x + chat.width
        and chat.x < pet.x + pet.width - 30
        and pet.y + 190 > chat.y
        and pet.y < chat.y + chat.height
    )


def move_chat(running: Running, x: int, y: int) -> Box:
    desktop, window = running.desktop, running.window(CHAT)
    left, _right, top, _bottom = frame(desktop, window)
    desktop.run("wmctrl", "-i", "-r", str(window), "-e", f"1,{x},{y},-1,-1")
    wait_for("the chat there", lambda: (desktop.box(window).x, desktop.box(window).y) == (x + left, y + top))
    return desktop.box(window)


def test_it_steps_aside_from_the_text_and_sits_on_the_title_bar_without_room(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    write_settings(home, WEIGHT)
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        running = chat.running
        before = box(running, PET)
        moved = move_chat(running, before.x - 200, 60)
        wait_for("it beside the chat", lambda: not over(box(running, PET), moved))
        wait_for("it on the ground", lambda: box(running, PET).y >= before.y)
        # Let go over the text, it falls to the floor in front of the chat, and goes aside again.
        desktop.drag(ready_to_click(running, PET).centre, (moved.x + 200, moved.y + 200))
        wait_for("it aside again", lambda: not over(box(running, PET), moved) and box(running, PET).y >= before.y)
        desktop.screenshot(shots / "aside.png")
        desktop.run("wmctrl", "-i", "-r", str(running.window(CHAT)), "-e", "1,40,300,1200,420")
        wait_for("the wide chat", lambda: box(running, CHAT).width > 1100)
        wide = box(running, CHAT)
        wait_for("it on the title bar", lambda: 0 <= wide.y - (box(running, PET).y + 194) <= 40)
        desktop.screenshot(shots / "on-the-title-bar.png")


def test_it_looks_out_from_behind_its_chat_and_covers_nothing_of_it(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    write_settings(home, WEIGHT)
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        running = chat.running
        window = box(running, CHAT)
        edge = window.x + window.width
        # It looks out from there until it is told to come.
        running.ask("vars(__import__('sys').modules['pet.body.travels']).update(_PEEK_MS=10**8)")
        go_behind(running)
        wait_for("it half behind", lambda: box(running, PET).x < edge - 60)
        desktop.screenshot(shots / "behind-its-chat.png")
        # What is typed and clicked there is the chat's.
        beside = (edge - 30, box(running, PET).y + 150)
        wait_for("the click through it", lambda: clicked(chat, *beside))
        chat.composer.click()
        desktop.type("never over what I type")
        expect(chat.composer).to_have_value("never over what I type")
        running.ask("pet.actor.travels.come_out()")  # unless it came when its owner began to type
        wait_for("it beside its chat", lambda: box(running, PET).x >= edge)
        running.shows("pet._hides == (0, 0)")
        # Its chat closes while it is behind: it comes out.
        go_behind(running)
        call_page(chat.page, "hide_chat")
        wait_for("it beside where that was", lambda: box(running, PET).x >= edge)
        running.shows("pet._hides == (0, 0)")


def go_behind(running: Running) -> None:
    """Let it take steps to its chat, again where it is still on its way, or was called back."""
    wait_for(
        "it behind its chat",
        lambda: (
            running.command("pet", "stroll", way=-1)["ok"]
            and running.ask("pet.actor.player.act") == "spy-right"
            and running.ask("pet._hides") == [96, 0]
        ),
    )


def clicked(chat: Chat, x: int, y: int) -> bool:
    """Whether a click at this place of the screen reaches the chat's page."""
    chat.page.evaluate(
        "window.clicks ??= (document.addEventListener('pointerdown', () => (window.clicks += 1), true), 0)"
    )
    before = chat.page.evaluate("window.clicks")
    chat.running.desktop.click(x, y)
    return bool(chat.page.evaluate("window.clicks") > before)


def test_with_reduced_motion_it_is_aside_after_a_fade(desktop: Desktop, home: Path, playwright: Playwright) -> None:
    write_settings(home, WEIGHT + 'reduced_motion = "on"\n')
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        running = chat.running
        running.ask("note_acts()")
        fade = "lambda faded, fade=pet.fade: (pet.fades.append(faded), fade(faded))"
        running.ask(f"vars(pet).update(fades=[], fade={fade})")
        before = box(running, PET)
        moved = move_chat(running, before.x - 200, 60)
        wait_for("it beside the chat", lambda: not over(box(running, PET), moved))
        running.shows("pet._opacity == 1.0 and pet.fades == [True, False]")
        assert not {"walk-left", "walk-right"} & set(running.ask("pet.acts"))


def test_called_by_its_name_it_comes_some_steps_to_the_pointer(
    desktop: Desktop, home: Path, playwright: Playwright
) -> None:
    write_settings(home, WEIGHT)
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        running = chat.running
        move_chat(running, 20, 40)
        desktop.drag(ready_to_click(running, PET).centre, (620, 500))
        wait_for("it on the floor", lambda: box(running, PET).y == 800 - 208)
        before = box(running, PET).x
        desktop.point(1200, 700)
        server.queue(stream("Here I am."))
        chat.composer.focus()
        chat.send(f"{T('pet.name')}, come here!")
        wait_for("it to come", lambda: box(running, PET).x > before + 60)
        expect(chat.said.last).to_contain_text("Here I am.")


def test_it_comes_to_a_file_that_is_held_near_it(
    desktop: Desktop, home: Path, playwright: Playwright, tmp_path: Path
) -> None:
    treat = tmp_path / "treat.txt"
    treat.write_text("a biscuit")
    write_settings(home, WEIGHT)
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        running = chat.running
        call_page(chat.page, "hide_chat")
        running.no_window(CHAT)
        desktop.drag(ready_to_click(running, PET).centre, (900, 400))
        wait_for("it on the floor", lambda: box(running, PET).y == 800 - 208)
        before = box(running, PET).x

        def comes() -> bool:
            """It attends to a drag for some seconds: on a slow machine, hold the file up once more."""
            x, y = box(running, PET).centre
            with dragging(desktop, (x - 380, y), [treat]) as drag:
                for _ in range(40):
                    drag.wiggle(x - 380, y)
                    if box(running, PET).x < before - 30:
                        return True
            return False

        wait_for("it to come", comes)
