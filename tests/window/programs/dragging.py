"""Real drags of files from another program's window onto one of ours, with the mouse."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page

from tests.support.desktop import Desktop, end_group, wait_for
from tests.window.programs import drag_source


def drag_files(desktop: Desktop, page: Page, goal: tuple[int, int], files: list[Path]) -> None:
    """Drop them at a place of the screen where ``page`` is; let go when the page says that it would take them."""
    page.evaluate("window.over = 0; document.addEventListener('dragover', () => (window.over += 1))")
    said = desktop.folder / "dragged.txt"
    with said.open("w") as out:
        command = [sys.executable, drag_source.__file__, *map(str, files)]
        process = subprocess.Popen(command, env=desktop.environ, stdout=out, start_new_session=True)

    def moved(x: int, y: int) -> str:
        """Where a hand never holds quite still: a page is asked again when it moves. What the other program says."""
        for aside in (2, 0):
            desktop.run("xdotool", "mousemove", str(x + aside), str(y))
        return said.read_text().rstrip().rpartition("\n")[2]

    try:
        window = wait_for("something to drag", lambda: desktop.window(process.pid, drag_source.TITLE))
        wait_for("it to be touched", lambda: moved(*desktop.box(window).centre) == "Touched")
        (x0, y0), (x1, y1) = desktop.box(window).centre, goal
        desktop.run("xdotool", "mousedown", "1")
        wait_for("it to be held", lambda: said.read_text().endswith("Held\n"))
        for step in range(1, 21):
            desktop.run("xdotool", "mousemove", str(x0 + (x1 - x0) * step // 20), str(y0 + (y1 - y0) * step // 20))
        # A drop counts only once the page itself has said that it wants it.
        wait_for("the page to see it", lambda: moved(x1, y1) and page.evaluate("window.over > 2"))
        wait_for("the page to take it", lambda: moved(x1, y1) == "CopyAction")
        desktop.run("xdotool", "mouseup", "1")
        wait_for("it to be given", lambda: said.read_text().endswith("Given\n"))
    finally:
        desktop.run("xdotool", "mouseup", "1")
        end_group(process)
