"""Clicks through the packaged program on a desktop of its own: ``python -m lab.packaged.linux [PROGRAM]``.

Not part of the test run: it needs ``make package``. Pictures of each step and the program's log go to shots/packaged.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

from pet.i18n import Texts
from tests.support.desktop.xvfb import BACKGROUND, Desktop, Running, open_desktop, start_pet, wait_for

ROOT = Path(__file__).parents[2]
SHOTS = ROOT / "shots" / "packaged"
NOTE = "# Memory\n- Anna drinks green tea in the morning.\n- The bicycle stands in the cellar.\n"
QUESTION = "What does she have for breakfast?"
SAID = "Good morning from the packaged program"


def main() -> int:
    program = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist" / "soulpet" / "soulpet"
    if not program.is_file():
        print(f"{program} is not there: run `make package` first", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        try:
            return _click_through(program, home)
        finally:
            if (home / "log").is_dir():
                shutil.copytree(home / "log", SHOTS / "log", dirs_exist_ok=True)


def _click_through(program: Path, home: Path) -> int:
    texts = Texts("en")
    settings = home / "config" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('demo = true\nlanguage = "en"\n')
    with open_desktop() as desktop:
        begin = time.monotonic()
        with start_pet(desktop, home, command=(str(program.resolve()),), debug=False) as pet:
            window = pet.window(texts("shell.title_pet"))
            wait_for("the picture", lambda: desktop.pixel(*desktop.box(window).centre) != BACKGROUND)
            print(f"the pet is on the screen after {time.monotonic() - begin:.1f} s")
            desktop.screenshot(SHOTS / "1-pet.png")
            title = texts("shell.title_chat_of", name=texts("pet.name"))
            _open_chat(pet, window, title)
            chat = pet.window(title)
            print("a double-click opens the chat")
            box = desktop.box(chat)
            field = box.centre[0], box.y + box.height - 84  # above the row of buttons
            wait_for("the page", lambda: _is_drawn(desktop, chat))
            desktop.screenshot(SHOTS / "2-chat.png")
            desktop.click(*field)
            wait_for("the focus", lambda: desktop.active_window() == chat)
            _say(desktop, home)
            print("a typed message is in the transcript")
            wait_for("the answer on the disk", lambda: _written(home, '"turn_closed"'))
            print("the demo answers")
            desktop.screenshot(SHOTS / "3-said.png")
            code = pet.stop()
            print(f"it ended with {code}")
            return code or _search(program, home)


def _search(program: Path, home: Path) -> int:
    """With every embedder that it was packed with, and the data of the ranking."""
    (home / "data" / "pets" / "pet" / "MEMORY.md").write_text(NOTE, "utf-8")
    command = (str(program.resolve()), "--home", str(home), "search", QUESTION, "--json")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout) if done.stdout else {}
    lines = [each["start_line"] for each in found.get("results", ())]
    print(f"a search by meaning ({found.get('provider')}) finds lines {lines} {done.stderr}")
    return 0 if lines[:1] == [2] and found["provider"] else 1


def _written(home: Path, text: str) -> bool:
    files = (home / "data" / "pets").glob("*/conversations/*.jsonl")
    return any(text in file.read_text("utf-8") for file in files)


def _say(desktop: Desktop, home: Path) -> None:
    """The demo shows with the first message what becomes of it, and keeps nothing; the second is a real one."""

    def said() -> bool:
        desktop.type(SAID)
        desktop.key("Return")
        end = time.monotonic() + 10
        while time.monotonic() < end and not _written(home, SAID):
            time.sleep(0.05)
        return _written(home, SAID)

    wait_for("the message on the disk", said)


def _is_drawn(desktop: Desktop, window: int) -> bool:
    """Whether there is more in it than the one colour of a web view whose page is not there yet."""
    box = desktop.box(window)
    with Image.open(desktop.screenshot(SHOTS / "2-chat.png")) as picture:
        inside = picture.convert("RGB").crop((box.x + 5, box.y + 5, box.x + box.width - 5, box.y + box.height - 5))
    return len(inside.getcolors(1 << 24) or ()) > 100


def _open_chat(pet: Running, window: int, title: str) -> None:
    """The pet is seen before it listens, so it may take a second double-click; one that comes while the chat opens
    closes it again."""

    def opened() -> bool:
        pet.desktop.double_click(pet.desktop.box(window))
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if pet.desktop.window(pet.pid, title) is not None:
                return True
            time.sleep(0.05)
        return False

    wait_for("the chat", opened)


if __name__ == "__main__":
    sys.exit(main())
