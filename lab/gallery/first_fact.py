"""Film from the first start with nothing to the first remembered fact.

    python -m lab.gallery.first_fact MODEL FILE

The model (GGUF) comes from a hub of ours on the loopback, as it would come from the internet: by one click, with
progress, and checked. What is only waited for is left out. Not among the gallery's scenes: no model is in the box.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from lab.gallery.scenes.films import Camera
from lab.gallery.studio.desktop import around, open_studio
from pet.i18n import Texts
from tests.support.desktop.xvfb import Box, Desktop, Running, start_pet, wait_for
from tests.support.program.pet_with_hub import FileHub, command, entry_of_file

SIZE = (600, 640)
WIDTH = 560
LONGEST = 0.5
_PATIENCE = 900_000  # ms: a small model on a busy computer
T = Texts("en")
FACT = "My daughter Mia starts school on 1 September."


def shoot(model: Path, film: Path, pictures: Path | None) -> None:
    entry = entry_of_file(
        model, id_="small-1.5b", name="Qwen2.5 Coder 1.5B", maker="Alibaba (Qwen)", memory=2_000_000_000
    )
    with (
        tempfile.TemporaryDirectory(prefix="soulpet-film-") as folder,
        FileHub(model, speed=160_000_000) as hub,
        open_studio(dark=False) as desktop,
        sync_playwright() as playwright,
        start_pet(
            desktop, Path(folder), command=command(entry), environ={"HF_ENDPOINT": hub.url}, welcome=True
        ) as running,
    ):
        browser = running.attach(playwright)
        page = running.page(browser, "chat.html")
        camera = Camera(desktop.display, _in_place(desktop, running))
        _play(page, desktop, camera, pictures)
        browser.close()
    _shorten(camera)
    camera.save(film, width=WIDTH)


def _play(page: Page, desktop: Desktop, camera: Camera, pictures: Path | None) -> None:
    """Filmed is what happens; what is only waited for is not."""

    def look(name: str, seconds: float = 1.6) -> None:
        with camera.rolling():
            page.wait_for_timeout(seconds * 1000)
        if pictures:
            desktop.screenshot(pictures / f"{name}.png")

    def go_on(words: str) -> None:
        page.get_by_role("button", name=T(words), exact=True).click()

    expect(page.get_by_role("heading", level=1)).to_have_text(T("welcome.think.title"))
    look("1-start", 2)
    page.get_by_role("radio", name=T("welcome.think.local")).check()
    fetch = page.locator(".local-model-acts button").first
    expect(fetch).to_be_visible()
    look("2-offer", 2)
    fetch.click()
    expect(page.locator(".local-model-arriving")).to_be_visible()
    look("3-arriving", 3)
    expect(page.locator(".local-model.chosen")).to_be_visible(timeout=_PATIENCE)
    look("4-here")
    go_on("welcome.next")
    expect(page.get_by_role("heading", level=1)).to_have_text(T("welcome.who.title"))
    look("5-who")
    go_on("welcome.next")
    expect(page.get_by_role("button", name=T("welcome.hello.done"), exact=True)).to_be_visible()
    look("6-hello")
    go_on("welcome.hello.done")
    composer = page.get_by_role("textbox", name=T("ui.composer.label"))
    expect(composer).to_be_focused()
    with camera.rolling():
        composer.press_sequentially(FACT, delay=35)
        composer.press("Enter")
    look("7-said", 1)
    expect(page.get_by_role("button", name=T("ui.receipt.undo")).first).to_be_visible(timeout=_PATIENCE)
    look("8-noted", 1.5)
    expect(page.locator("button.stop")).to_have_count(0, timeout=_PATIENCE)
    page.mouse.move(2, 2)
    look("9-answered", 3)


def _in_place(desktop: Desktop, running: Running) -> Box:
    """The first start's window beside the pet, and the part of the screen that holds both."""
    pet = desktop.box(running.window(T("shell.title_pet")))
    chat = running.window(T("shell.title_chat_of", name=T("pet.name")))
    x, y = max(30, pet.x - 12 - SIZE[0]), max(40, pet.y + pet.height - SIZE[1])

    def there() -> bool:
        box = desktop.box(chat)
        if (box.width, box.height) == SIZE:
            return True
        desktop.run("wmctrl", "-i", "-r", str(chat), "-e", f"0,{x},{y},{SIZE[0]},{SIZE[1]}", check=False)
        return False

    wait_for("the chat in its size", there)
    return around([pet, desktop.box(chat)], 16, 1)


def _shorten(camera: Camera) -> None:
    """The pauses between the takes, no longer than ``LONGEST``."""
    short, last, before = [], 0.0, None
    for at, seen in camera.frames:
        last += min(LONGEST, at - before) if before is not None else 0.0
        short.append((last, seen))
        before = at
    camera.frames = short


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("film", type=Path)
    parser.add_argument("--pictures", type=Path, help="a folder for a picture of each step")
    options = parser.parse_args()
    shoot(options.model, options.film, options.pictures)


if __name__ == "__main__":
    main()
