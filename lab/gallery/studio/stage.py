"""The running program as the scenes play on it: its windows by what the owner does, its pages by what they show."""

from __future__ import annotations

import contextlib
import datetime
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, Playwright, expect

from lab.gallery.home.furnished import Furnished, furnish
from lab.gallery.home.words import Words, read_words
from lab.gallery.studio.desktop import around, steady
from pet.i18n import Language, Texts
from tests.support.desktop.xvfb import Box, Desktop, Running, call_page, start_pet, wait_for
from tests.support.pet_windows.bubbles import Bubble
from tests.support.pet_windows.menus import open_menus, ready_to_click
from tests.support.servers.protocol_replies import Hold, stream
from tests.support.servers.protocol_server import ProtocolServer

MODELS = ("qwen3:8b", "llama3.2:3b", "mistral-small:24b")
_ARRIVED = (
    ":is(.setting, .lead, .import, .file-editor, .shelf, .reminder, .sees-section, .pet-row, .assurance, .who, "
    ".advanced, .agents, .about-owner, .our-days)"
)
"""What a section of the settings shows once its answers are there."""
DRAWN = """() => new Promise((done) => {
  if (document.visibilityState === "hidden") return done();  // it draws no frame
  const passing = document.getAnimations().filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime));
  const twice = () => requestAnimationFrame(() => requestAnimationFrame(done));
  Promise.allSettled(passing.map((one) => one.finished)).then(twice);
})"""
COMMAND = (sys.executable, "-m", "lab.gallery.studio.waking_pet")
BARE = {"ANTHROPIC_API_KEY": "", "ANTHROPIC_BASE_URL": "", "PET_MODEL": ""}


@dataclass(slots=True, kw_only=True)
class Stage:
    """One started program in one language and one light."""

    desktop: Desktop
    running: Running
    playwright: Playwright
    browser: Browser
    page: Page  # the chat's
    home: Path
    words: Words
    texts: Texts
    server: ProtocolServer
    scale: int
    dark: bool
    furnished: Furnished | None
    holds: list[str] = field(default_factory=list)
    made: Image.Image | None = None  # a scene's own picture, where it is more than one look at the desktop

    # --- windows --------------------------------------------------------------------------------

    @property
    def pet_window(self) -> int:
        return self.running.window(self.texts("shell.title_pet"))

    def act(self) -> str:
        """What the pet does now."""
        return str(self.running.ask("pet.actor.player.act"))

    def feel(self, mood: str) -> None:
        """As the core would tell the pet."""
        self.running.ask(f"feel({mood!r})")

    def pause(self, paused: bool) -> None:
        assert call_page(self.page, "pause_memory", {"paused": paused})["ok"]

    def chat_window(self) -> int | None:
        others = (self.texts("shell.title_pet"), self.texts("shell.title_bubble"))
        windows = self.desktop.windows(self.running.pid)
        return next((handle for handle, title in windows.items() if title not in others), None)

    def open_chat(self, width: int = 560, height: int = 690) -> None:
        """Beside the pet, this large; by a double-click if it is hidden. At the first start it comes by itself."""
        if self.chat_window() is None and self.furnished is not None:
            self.desktop.double_click(ready_to_click(self.running, self.texts("shell.title_pet")))
        pet = self.desktop.box(self.pet_window)
        wide, high = width * self.scale, height * self.scale
        x, y = max(0, pet.x - 12 * self.scale - wide), max(40 * self.scale, pet.y + pet.height - high)

        def there() -> bool:
            window = self.chat_window()
            if window is None:
                return False
            box = self.desktop.box(window)
            if (box.width, box.height) == (wide, high):
                return True
            self.desktop.run("wmctrl", "-i", "-r", str(window), "-e", f"0,{x},{y},{wide},{high}", check=False)
            return False

        wait_for("the chat in its size", there)
        self.page.wait_for_function("innerWidth === " + str(width))

    def hide_chat(self) -> None:
        if self.chat_window() is not None:
            call_page(self.page, "hide_chat")
            wait_for("the chat to go", lambda: self.chat_window() is None)

    def bubble(self) -> Bubble:
        """The bubble, once it is shown."""
        self.running.window(self.texts("shell.title_bubble"))
        return Bubble(self.running)

    def read_reminder(self) -> None:
        """The reminder that is due at the start, where no scene shows it."""
        bubble = self.bubble()
        bubble.shows(self.texts("bubble.reminders"))
        bubble.click(self.texts("bubble.close"))
        self.running.no_window(self.texts("shell.title_bubble"))

    def attach(self) -> None:
        self.browser = self.running.attach(self.playwright)
        self.page = self.running.page(self.browser, "chat.html")

    def drawn(self, page: Page) -> None:
        """What the page holds has reached the screen, and nothing moves any more."""
        page.evaluate(DRAWN)

    def picture(self, only: tuple[int, ...] = ()) -> Image.Image:
        """The windows of the program with some of the desktop around them."""
        if self.made is not None:
            return self.made
        titles = self.desktop.windows(self.running.pid)
        boxes = [self.desktop.box(handle) for handle in (only or titles)]
        return steady(self.desktop, around([*boxes, *self.menus()], 26 * self.scale, self.scale))

    def menus(self) -> list[Box]:
        """Menus of the desktop: no window manager lists them."""
        return [self.desktop.box(menu) for menu in open_menus(self.desktop)]

    # --- the chat's page ------------------------------------------------------------------------

    @property
    def composer(self) -> Locator:
        return self.page.get_by_role("textbox", name=self.texts("ui.composer.label"))

    @property
    def said(self) -> Locator:
        """The pet's bubbles."""
        return self.page.locator(".pet-reply .bubble")

    def button(self, key: str, within: Page | Locator | None = None) -> Locator:
        return (within or self.page).get_by_role("button", name=self.texts(key), exact=True).first

    def rest(self) -> None:
        """Whatever is open is closed, and the chat is in front again."""
        for _ in range(4):
            dialogs = self.page.locator("dialog[open], [role=menu]")
            if dialogs.count() == 0:
                break
            self.page.keyboard.press("Escape")
            with contextlib.suppress(AssertionError):
                expect(dialogs).to_have_count(0, timeout=1_000)
        for view in ("ui.view.history", "ui.view.settings"):
            pressed = self.page.locator(f"header.bar button[aria-pressed=true][aria-label^='{self.texts(view)}']")
            if pressed.count():
                pressed.click()
        self.page.mouse.move(2, 2)

    def show_talk(self, key: str) -> None:
        """One of the furnished conversations, from its tab or from the list of all."""
        self.rest()
        title = self.words.talk(key).title
        tab = self.page.locator(".tab [role=tab]").filter(has_text=title)
        if tab.count():
            tab.click()
        else:
            self.page.keyboard.press("Control+h")
            self.page.locator(".card-main").filter(has_text=title).first.click()
        self.page.mouse.move(2, 2)
        expect(self.page.locator("main.chat h1")).to_have_text(title)
        expect(self.said.last).to_be_visible()

    def new_talk(self) -> None:
        self.rest()
        self.button("ui.tabs.new").click()
        expect(self.page.locator(".turn-slot")).to_have_count(0)
        expect(self.composer).to_be_focused()
        self.read_notices()
        self.composer.focus()

    def read_notices(self) -> None:
        """What is said above the composer was seen: it goes."""
        for key in ("ui.host.understood", "ui.reminder.hide"):
            answer = self.button(key)
            if answer.count():
                answer.click()
                expect(answer).to_have_count(0)

    def send(self, text: str) -> None:
        self.composer.fill(text)
        self.composer.press("Enter")
        expect(self.composer).to_have_value("")

    def close_tab(self) -> None:
        self.rest()
        self.composer.press("Control+w")

    def show_settings(self, section: str, below: str = "") -> None:
        """A page of the settings by the key of its name, and one of its tabs or of the pages that it lists."""
        self.rest()
        if not self.page.locator("main.settings").count():
            self.page.keyboard.press("Control+,")
        nav = self.page.get_by_role("navigation", name=self.texts("ui.view.settings"))
        button = nav.get_by_role("button", name=self.texts(section), exact=True)
        button.click()
        expect(button).to_have_attribute("aria-current", "page")
        if below:
            self.page.locator(".sub-tabs button, .lead").filter(has_text=self.texts(below)).first.click()
        expect(self.page.locator(".section").locator(_ARRIVED).first).to_be_visible()
        expect(self.page.locator(".section").get_by_text(self.texts("ui.loading"))).to_have_count(0)

    def begin(self, *pieces: str, hold: str) -> None:
        """The next reply stops in the middle, until ``finish``."""
        self.server.queue(stream(*pieces[:1], Hold(hold), *pieces[1:]))
        self.holds.append(hold)

    def finish(self) -> None:
        for hold in self.holds:
            self.server.release(hold)
        self.holds.clear()
        expect(self.page.locator("button.stop")).to_have_count(0)

    def set_up(self, **settings: object) -> None:
        """Write the settings file, as an owner with an editor would."""
        write_settings(self.home, self.server, self.words.language, dark=self.dark, **settings)


def write_settings(home: Path, server: ProtocolServer, language: Language, *, dark: bool, **more: object) -> None:
    values: dict[str, object] = {
        "language": language,
        "theme": "dark" if dark else "light",
        "base_url": server.url,
        "protocol": "anthropic",
        "model": MODELS[0],
        "greetings": "off",
        "ask_after": False,
        **more,
    }
    lines = [f"{name} = {_toml(value)}" for name, value in values.items()]
    file = home / "config" / "settings.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(".new")
    fresh.write_text("\n".join(lines) + "\n", encoding="utf-8")
    fresh.replace(file)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


@contextlib.contextmanager
def open_stage(
    desktop: Desktop,
    playwright: Playwright,
    home: Path,
    language: Language,
    *,
    dark: bool,
    scale: int = 1,
    first: bool = False,
) -> Iterator[Stage]:
    """The program in a furnished home, or at its ``first`` start in an empty one."""
    words = read_words(language, datetime.date.today())
    with ProtocolServer(models=MODELS, port=_port()) as server:
        furnished = None if first else furnish(home, words, datetime.date.today())
        write_settings(
            home, server, language, dark=dark, **({} if first else {"reminder_bubbles": True, "bubble_seconds": 120})
        )
        environ = BARE | {"QT_SCALE_FACTOR": str(scale), "PET_SPEECH_ENGINE": "mock"}
        with start_pet(desktop, home, command=COMMAND, environ=environ, welcome=first) as running:
            browser = running.attach(playwright)
            stage = Stage(
                desktop=desktop,
                running=running,
                playwright=playwright,
                browser=browser,
                page=running.page(browser, "chat.html"),
                home=home,
                words=words,
                texts=Texts(language),
                server=server,
                scale=scale,
                dark=dark,
                furnished=furnished,
            )
            stage.page.wait_for_function("typeof window.pywebview?.api?.invoke === 'function'")
            if not first:
                expect(stage.composer).to_be_attached()
            yield stage
            stage.browser.close()


def _port() -> int:
    """Where Ollama would answer, so that pictures made on two days show one address; if it is free."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", 11434))
        except OSError:
            return 0
    return 11434
