"""The pet with its speech bubble on a real desktop: start it, make it speak, click it."""

from __future__ import annotations

import contextlib
import datetime
import itertools
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, Playwright, expect

from pet.paths import find_home
from tests.support.desktop.xvfb import Box, Desktop, Running, call_page, start_pet, wait_for
from tests.support.pet_windows.windows import BUBBLE, PET, T, model_environ
from tests.support.program.silence import silent
from tests.support.servers.protocol_server import ProtocolServer


def write_settings(home: Path, text: str) -> None:
    """Write the settings atomically, while a program may read them."""
    file = home / "config" / "settings.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(".new")
    fresh.write_text('language = "en"\n' + silent(text) + text)
    fresh.replace(file)


def reminder(home: Path) -> Path:
    today = datetime.date.today().isoformat()
    log = home / "data" / "pets" / "pet" / "memory" / f"{today}.md"
    log.parent.mkdir(parents=True)
    log.write_text(f"# Memory Log: {today}\n\n## [00:00:01] todo @{today}\nWater the ferns\n")
    return log


def ready(running: Running) -> int:
    """Return the pet's window once its core listens."""
    window = running.window(PET)
    socket = f"{find_home(running.home).socket_name()}.sock"
    wait_for("the core", lambda: any(path.is_socket() for path in running.desktop.folder.rglob(socket)))
    return window


@contextlib.contextmanager
def talking(desktop: Desktop, home: Path, playwright: Playwright) -> Iterator[tuple[Running, ProtocolServer, str]]:
    """Start a pet with a model server and a conversation that is not shown."""
    with ProtocolServer() as server, start_pet(desktop, home, environ=model_environ(server)) as pet:
        ready(pet)
        browser = pet.attach(playwright)
        chat = pet.page(browser, "chat.html")
        expect(chat.get_by_role("textbox", name=T("ui.composer.label"))).to_be_attached()
        conversation = new_conversation(chat)
        browser.close()
        yield pet, server, conversation


def new_conversation(chat: Page) -> str:
    conversation: str = call_page(chat, "new_conversation")["value"]["info"]["id"]
    return conversation


def send(pet: Running, playwright: Playwright, conversation: str, text: str = "Hm?") -> None:
    browser = pet.attach(playwright)
    call_page(pet.page(browser, "chat.html"), "send_message", {"conversation": conversation, "text": text})
    browser.close()


@contextlib.contextmanager
def seen(pet: Running, playwright: Playwright) -> Iterator[tuple[Browser, Page]]:
    """Return the bubble's page once its window is shown: an earlier connection does not know it."""
    pet.window(BUBBLE)
    browser = pet.attach(playwright)
    try:
        yield browser, pet.page(browser, "bubble.html")
    finally:
        browser.close()


def click_in_bubble(pet: Running, place: Locator) -> None:
    """Click with the real pointer, once the page reports it over the place, even if the bubble moves."""
    desktop, page = pet.desktop, place.page
    aside = itertools.cycle((0, 1))  # a pointer that does not move triggers no enter event
    place.click(trial=True)

    def pointed_at() -> bool:
        window = wait_for("the bubble's size", lambda: fitting(desktop.box(pet.window(BUBBLE)), page))
        box = place.bounding_box()
        if box is None:
            return False
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        desktop.point(window.x + round(x) + next(aside), window.y + round(y))
        return bool(place.evaluate("(it) => it.matches(':hover')"))

    wait_for("the pointer over it", pointed_at)
    desktop.hands_on("xdotool", "click", "1")


def has_keys(page: Page, selector: str) -> bool:
    """Whether this element has the focus."""
    return bool(page.evaluate("(it) => document.hasFocus() && document.activeElement.matches(it)", selector))


def fitting(window: Box, page: Page) -> Box | None:
    """Return the window's box, if it and its page agree on its size."""
    known = page.evaluate("[innerWidth, innerHeight]")
    return window if known == [window.width, window.height] else None
