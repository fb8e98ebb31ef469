"""Pictures of the pet with its chat on each desktop: ``python -m lab.gallery.desktops FOLDER NAME...``."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path

from tests.support.desktop.wayland import open_compositor
from tests.support.desktop.xvfb import open_desktop, start_pet, wait_for
from tests.support.pet_windows.bubbles import ready, reminder, write_settings
from tests.support.pet_windows.windows import BUBBLE, CHAT, PET

_COLOURS = "48"  # keeps a picture far below 150 KB


def take(name: str, file: Path) -> None:
    opened = open_desktop() if name == "openbox" else open_compositor(name)
    with tempfile.TemporaryDirectory() as folder, opened as desktop:
        home = Path(folder, "home")
        write_settings(home, "reminder_bubbles = true\n")
        reminder(home)
        with start_pet(desktop, home, debug=False) as pet:
            box = desktop.box(ready(pet))
            with contextlib.suppress(AssertionError):
                wait_for("the bubble", lambda: desktop.window(pet.pid, BUBBLE), 20)

            def opens() -> bool:
                """Double-click until the page listens."""
                desktop.double_click(box)
                with contextlib.suppress(AssertionError):
                    wait_for("the chat", lambda: desktop.window(pet.pid, CHAT), 6)
                return desktop.window(pet.pid, CHAT) is not None

            wait_for("the chat", opens)
            desktop.run("sleep", "4")  # fade-ins have no observable end
            desktop.hands_on("import", "-window", "root", "-dither", "None", "-colors", _COLOURS, str(file))
            assert desktop.window(pet.pid, PET)


def main() -> None:
    folder, *names = sys.argv[1:]
    for name in names:
        take(name, Path(folder, f"{name}.png"))


if __name__ == "__main__":
    main()
