"""The pet's windows by title, and starting a pet with its chat, for all window tests."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Locator, Page, Playwright, expect

from pet.i18n import Texts
from tests.support.desktop.xvfb import Box, Desktop, Running, start_pet, wait_for
from tests.support.pet_windows.menus import ready_to_click
from tests.support.servers.protocol_server import ProtocolServer

T = Texts("en")
PET, CHAT, BUBBLE = T("shell.title_pet"), T("shell.title_chat_of", name=T("pet.name")), T("shell.title_bubble")
BARE = (sys.executable, "-m", "tests.window.programs.bare_pet")
"""A pet around a minimal core, which has no name yet."""
BARE_CHAT = "Soulpet chat"
BODY = "#fffaf2"
"""The colour in the middle of a new pet's window, in the shipped body."""


def model_environ(server: ProtocolServer) -> dict[str, str]:
    """Return variables that connect a program to this model server."""
    return {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-test-0000", "PET_MODEL": "test-model"}


def workspace(home: Path) -> Path:
    return next((home / "data" / "pets").iterdir())


@contextlib.contextmanager
def bare_pet(desktop: Desktop, home: Path, *, debug: bool = True, anew: bool = False) -> Iterator[Running]:
    with start_pet(desktop, home, command=BARE, debug=debug, anew=anew) as running:
        yield running


def painted(running: Running) -> Box:
    """Return the pet's window once its picture is shown and its outline takes clicks."""
    desktop, window = running.desktop, running.window(PET)
    wait_for("the picture", lambda: shows_body(desktop, *desktop.box(window).centre))
    return ready_to_click(running, PET)


def shows_body(desktop: Desktop, x: int, y: int) -> bool:
    """Whether the shipped body is what one sees there, in the middle of the pet's window."""
    return alike(desktop.pixel(x, y), BODY, by=8)  # it has shades, by the act and the scale


def alike(one: str, other: str, *, by: int = 2) -> bool:
    """Whether two colours are the same to the eye: mutter 48 shows what is below a transparent corner one step of 255
    darker.
    """
    pairs = zip(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]), strict=True)
    return all(abs(a - b) <= by for a, b in pairs)


@dataclass(slots=True)
class Chat:
    """Elements of the chat's page."""

    running: Running
    page: Page

    @property
    def composer(self) -> Locator:
        return self.page.get_by_role("textbox", name=T("ui.composer.label"))

    @property
    def memory_mode(self) -> Locator:
        return self.page.locator("button.memory-switch[aria-pressed]")

    @property
    def said(self) -> Locator:
        """The pet's messages."""
        return self.page.locator(".pet-reply .bubble")

    def shot(self, file: Path) -> None:
        """Take a picture of the desktop once the page has painted its state."""
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.running.desktop.screenshot(file)

    def until_it_listens(self) -> None:
        """Wait for the turn's end: Enter works only then, a moment after the reply's last words."""
        expect(self.page.locator("button.stop")).to_have_count(0)

    def send(self, text: str) -> None:
        self.until_it_listens()
        self.composer.fill(text)
        self.composer.press("Enter")


def allow(card: Locator) -> int:
    """Allow a proposal; of a long one each click shows the next part, until the last change was in view. Return the
    number of clicks."""
    button, last = card.get_by_role("button", name=T("ui.proposal.allow"), exact=True), card.locator("tr.added").last
    clicks = 1
    while not last.evaluate(_IN_VIEW):
        button.click()
        clicks += 1
        assert clicks < 100
    button.click()
    return clicks


_IN_VIEW = """(row) => {
    const box = row.closest(".diff-lines").getBoundingClientRect(), at = row.getBoundingClientRect();
    return at.bottom <= box.bottom + 2;
}"""


def double_click_pet(running: Running) -> None:
    """Double-click on the pet, once more where it saw two single clicks: a busy machine may take too long."""

    def clicked() -> bool:
        shown = running.desktop.window(running.pid, CHAT) is not None
        running.desktop.double_click(ready_to_click(running, PET))
        with contextlib.suppress(AssertionError):
            wait_for("the double click", lambda: (running.desktop.window(running.pid, CHAT) is None) is shown, 20)
        return (running.desktop.window(running.pid, CHAT) is None) is shown

    wait_for("a double click on the pet", clicked)


@contextlib.contextmanager
def talking(
    desktop: Desktop,
    home: Path,
    server: ProtocolServer,
    playwright: Playwright,
    *,
    program: str = "pet",
    environ: Mapping[str, str] | None = None,
    anew: bool = False,
) -> Iterator[Chat]:
    """Start the program, and open its chat by a real double-click on the pet. ``anew``: see ``start_pet``."""
    variables = model_environ(server) | dict(environ or {})
    command = (sys.executable, "-m", program)
    with start_pet(desktop, home, environ=variables, command=command, anew=anew) as running:
        running.window(PET)
        browser = running.attach(playwright)
        page = running.page(browser, "chat.html")
        expect(page.get_by_role("textbox", name=T("ui.composer.label"))).to_be_attached()
        double_click_pet(running)
        window = running.window(CHAT)
        wait_for("the keyboard in it", lambda: desktop.active_window() == window)
        yield Chat(running, page)
        browser.close()
