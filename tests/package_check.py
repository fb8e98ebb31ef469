"""Starts the packaged program on a desktop of its own and looks for the pet: ``python -m tests.package_check``.

Not part of the test run: it needs ``make package``.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from pet.i18n import Texts
from tests.support.desktop import BACKGROUND, Running, open_desktop, start_pet, wait_for

_FOLDER = Path(__file__).parents[1] / "dist" / "soulpet"


def main() -> int:
    program = Path(sys.argv[1]) if len(sys.argv) > 1 else _FOLDER / "soulpet"
    if not program.is_file():
        print(f"{program} is not there: run `make package` first", file=sys.stderr)
        return 2
    texts = Texts("en")
    with tempfile.TemporaryDirectory() as folder, open_desktop() as desktop:
        begin = time.monotonic()
        with start_pet(desktop, Path(folder) / "home", command=(str(program),), debug=False) as pet:
            window = pet.window(texts("shell.title_pet"))
            wait_for("the picture", lambda: desktop.pixel(*desktop.box(window).centre) != BACKGROUND)
            print(f"the pet is on the screen after {time.monotonic() - begin:.1f} s")
            _open_chat(pet, window)
            pet.window(texts("shell.title_chat_of", name=texts("pet.name")))
            print("a double-click opens the chat")
            code = pet.stop()
            print(f"it ended with {code}")
            return code


def _open_chat(pet: Running, window: int) -> None:
    """The pet is seen before it listens, so it may take a second double-click."""

    def opened() -> bool:
        pet.desktop.double_click(pet.desktop.box(window))
        end = time.monotonic() + 2
        while time.monotonic() < end:
            if len(pet.desktop.windows(pet.pid)) == 2:
                return True
            time.sleep(0.05)
        return False

    wait_for("the chat", opened)


if __name__ == "__main__":
    sys.exit(main())
