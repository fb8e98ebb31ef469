"""Sheet of the four first starts: with nothing, with a key, beside Ollama, and beside a model's file.

    python -m lab.gallery.first_starts docs/images/first-starts.webp

Each is the real program in an empty home, for an owner with an empty folder, as it comes up by itself. Not among the
gallery's scenes: each needs a computer of its own. Ollama's port must be free, and no server on the other usual ones.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, Playwright, expect, sync_playwright

from lab.gallery.studio.desktop import open_studio, steady
from lab.gallery.studio.stage import DRAWN, MODELS
from pet.i18n import Texts
from tests.support.desktop.xvfb import Box, Desktop, start_pet, wait_for
from tests.support.models.gguf_bytes import chat_model, gguf
from tests.support.servers.protocol_server import ProtocolServer

SIZE = (620, 720)
STARTS = ("nothing", "key", "ollama", "file")
T = Texts("en")
_OLLAMA = 11434
_FILE_SIZE = 2_500_000_000


def shoot(sheet: Path) -> None:
    with open_studio(dark=False) as desktop, sync_playwright() as playwright:
        pictures = [_first_start(desktop, playwright, start) for start in STARTS]
    width, height = SIZE
    made = Image.new("RGB", (2 * width + 8, 2 * height + 8), "white")
    for place, picture in enumerate(pictures):
        made.paste(picture, (place % 2 * (width + 8), place // 2 * (height + 8)))
    made.resize((made.width * 2 // 3, made.height * 2 // 3), Image.Resampling.LANCZOS).save(
        sheet, "WEBP", quality=60, method=6
    )


def _first_start(desktop: Desktop, playwright: Playwright, start: str) -> Image.Image:
    with contextlib.ExitStack() as held:
        owner = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="soulpet-first-")))
        if start == "ollama":
            held.enter_context(ProtocolServer(models=MODELS, port=_OLLAMA))
        if start == "file":
            file = owner / ".lmstudio/models/lmstudio-community/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf"
            file.parent.mkdir(parents=True)
            with file.open("wb") as opened:
                opened.write(gguf(chat_model(general__name="Qwen3 4B", general__size_label="4B")))
                opened.truncate(_FILE_SIZE)
        environ = {"HOME": str(owner), "ANTHROPIC_BASE_URL": "", "PET_MODEL": ""}
        environ["ANTHROPIC_API_KEY"] = "sk-ant-not-a-key" if start == "key" else ""
        running = held.enter_context(start_pet(desktop, owner / "Soulpet", environ=environ, welcome=True))
        browser = running.attach(playwright)
        page = running.page(browser, "chat.html")
        chat = running.window(T("shell.title_chat_of", name=T("pet.name")))
        box = _in_place(desktop, chat)
        page.wait_for_function(f"innerWidth === {SIZE[0]}")
        _arrived(page, start)
        page.mouse.move(2, 2)
        page.evaluate(DRAWN)
        picture = steady(desktop, box)
        browser.close()
    return picture


def _arrived(page: Page, start: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(T("welcome.think.title"))
    expect(page.get_by_text(T("welcome.think.looking"))).to_have_count(0)
    shown = {
        "nothing": page.get_by_role("radio", name=T("welcome.think.local")),
        "key": page.get_by_role("radio", name=T("welcome.think.key")),
        "ollama": page.get_by_role("button", name=T("welcome.think.found", name="Ollama", count=len(MODELS))),
        "file": page.get_by_text("Qwen3 4B").first,
    }
    expect(shown[start]).to_be_visible(timeout=60_000)
    goes_on = "welcome.next" if start in ("key", "ollama") else "welcome.skip"
    expect(page.get_by_role("button", name=T(goes_on), exact=True)).to_be_visible()


def _in_place(desktop: Desktop, chat: int) -> Box:
    width, height = SIZE

    def there() -> Box | None:
        box = desktop.box(chat)
        if (box.width, box.height) == SIZE:
            return box
        desktop.run("wmctrl", "-i", "-r", str(chat), "-e", f"0,60,60,{width},{height}", check=False)
        return None

    return wait_for("the chat in its size", there)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sheet", type=Path)
    shoot(parser.parse_args().sheet)


if __name__ == "__main__":
    main()
