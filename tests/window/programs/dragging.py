"""Real drags from another program's window onto one of ours, with the mouse."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

from tests.support.desktop.xvfb import Desktop, end_group, wait_for
from tests.window.programs import drag_source


@dataclass(frozen=True, slots=True)
class Drag:
    """Something in hand. ``said``: what the program it comes from has printed."""

    desktop: Desktop
    said: Path

    def move(self, x: int, y: int) -> None:
        """A single move of the pointer."""
        self.desktop.run("xdotool", "mousemove", str(x), str(y))

    def wiggle(self, x: int, y: int) -> str:
        """A hand never holds quite still: a page is asked again when it moves. Returns what would happen there."""
        for aside in (2, 0):
            self.move(x + aside, y)
        return self.last()

    def last(self) -> str:
        return self.said.read_text().rstrip().rpartition("\n")[2]

    def let_go(self) -> None:
        """Returns when the other program has handed it over."""
        self.desktop.run("xdotool", "mouseup", "1")
        wait_for("it to be given", lambda: self.last() == "Given")


@contextlib.contextmanager
def dragging(desktop: Desktop, goal: tuple[int, int], things: Sequence[Path | str]) -> Iterator[Drag]:
    """Files or web addresses in hand, carried to a place of the screen and not let go."""
    drag = Drag(desktop, desktop.folder / "dragged.txt")
    with drag.said.open("w") as out:
        command = [sys.executable, drag_source.__file__, *map(str, things)]
        process = subprocess.Popen(command, env=desktop.environ, stdout=out, start_new_session=True)
    try:
        window = wait_for("something to drag", lambda: desktop.window(process.pid, drag_source.TITLE))
        wait_for("it to be touched", lambda: drag.wiggle(*desktop.box(window).centre) == "Touched")
        (x0, y0), (x1, y1) = desktop.box(window).centre, goal
        desktop.run("xdotool", "mousedown", "1")
        wait_for("it to be held", lambda: drag.said.read_text().endswith("Held\n"))
        for step in range(1, 21):
            drag.move(x0 + (x1 - x0) * step // 20, y0 + (y1 - y0) * step // 20)
        yield drag
    finally:
        desktop.run("xdotool", "mouseup", "1")
        end_group(process)


def drag_onto(desktop: Desktop, goal: tuple[int, int], things: Sequence[Path | str]) -> None:
    """Drop them at a place of the screen; let go when the native window there says that it would take them."""
    with dragging(desktop, goal, things) as drag:
        wait_for("the window to take it", lambda: drag.wiggle(*goal) == "CopyAction")
        drag.let_go()


def drag_files(desktop: Desktop, page: Page, goal: tuple[int, int], things: Sequence[Path | str]) -> None:
    """Drop them at a place of the screen where ``page`` is; let go when the page says that it would take them."""
    page.evaluate("window.over = 0; document.addEventListener('dragover', () => (window.over += 1))")
    with dragging(desktop, goal, things) as drag:
        # A drop counts only once the page itself has said that it wants it.
        wait_for("the page to see it", lambda: drag.wiggle(*goal) and page.evaluate("window.over > 2"))
        wait_for("the page to take it", lambda: drag.wiggle(*goal) == "CopyAction")
        drag.let_go()
