"""The pet with its speech bubble on a real desktop: start it, make it speak, click it."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, Playwright, expect

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


@dataclass(frozen=True, slots=True)
class Bubble:
    """The bubble that is shown, by what is in its window."""

    running: Running

    def shows(self, words: str) -> None:
        """Wait until it says this."""
        content = "bubble.content"
        self.running.shows(f"{words!r} in ' '.join([{content}.text, {content}.lead, *said()])")

    def has(self, *names: str) -> None:
        """Wait until it has these buttons."""
        self.running.shows(f"set({names!r}) <= set(buttons())")

    def ready(self, name: str) -> None:
        """Wait until this button takes clicks."""
        self.running.shows(f"places({name!r}) and places({name!r})[-1][4]")

    def click(self, name: str, *, which: int = -1) -> None:
        """Click on its button with the real pointer, once it takes clicks and stands still. ``which``: of several of
        one name."""
        desktop = self.running.desktop
        place = f"places({name!r})[{which}]"
        self.running.shows(f"places({name!r}) and {place}[4]")

        def still() -> list[int] | None:
            first: list[int] = self.running.ask(place)
            x, y, width, height, _enabled = first
            desktop.point(x + width // 2, y + height // 2)
            return first if self.running.ask(place) == first else None

        wait_for(f"the button {name!r} to stand still", still)
        desktop.hands_on("xdotool", "click", "1")

    @property
    def box(self) -> Box:
        return self.running.desktop.box(self.running.window(BUBBLE))

    def takes_keys(self) -> None:
        """Wait until it has the keyboard."""
        desktop, running = self.running.desktop, self.running
        wait_for("the keyboard in the bubble", lambda: desktop.active_window() == running.window(BUBBLE))


def seen(pet: Running) -> Bubble:
    """Return the bubble once its window is shown."""
    pet.window(BUBBLE)
    return Bubble(pet)


def move_pet(pet: Running, dx: int, dy: int) -> None:
    """Move the pet as its owner would."""
    pet.ask(f"pet._port.move_pet({dx}, {dy}, done=True, floats=False, walk=0)")
