"""Another program on the desktop, with one window: where it stands, whether it fills the screen."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator

from tests.support.desktop import Desktop, end_group, wait_for


@contextlib.contextmanager
def program(desktop: Desktop, title: str = "Film") -> Iterator[subprocess.Popen[str]]:
    """Its window is in front and has the keyboard."""
    command = [sys.executable, "-m", "tests.window.film", title]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, env=desktop.environ, text=True, start_new_session=True, bufsize=1
    )
    try:
        window = wait_for(title, lambda: handle_of(desktop, title))
        give_focus(desktop, window)
        yield process
    finally:
        end_group(process)


def handle_of(desktop: Desktop, title: str) -> int | None:
    """It tells the window manager no process: only its title says which it is."""
    lines = desktop.run("wmctrl", "-l", check=False).splitlines()
    return next((int(line.split()[0], 16) for line in lines if line.endswith(f" {title}")), None)


def give_focus(desktop: Desktop, window: int) -> None:
    desktop.run("wmctrl", "-i", "-a", str(window))
    wait_for("the focus", lambda: desktop.active_window() == window)


def tell(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin
    process.stdin.write(line + "\n")
    process.stdin.flush()


def fills_the_screen(desktop: Desktop, window: int) -> bool:
    return "FULLSCREEN" in desktop.prop(window, "_NET_WM_STATE")
