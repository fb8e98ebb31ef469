"""Another program with one window on the desktop: its position, and whether it fills the screen."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator

from tests.support.desktop.xvfb import Desktop, end_group, wait_for


@contextlib.contextmanager
def program(desktop: Desktop, title: str = "Film") -> Iterator[subprocess.Popen[str]]:
    """Start the program with its window in front and focused."""
    command = [sys.executable, "-m", "tests.window.programs.film", title]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, env=desktop.environ, text=True, start_new_session=True, bufsize=1
    )
    try:

        def shown() -> int | None:
            assert process.poll() is None, f"{title} ended with {process.returncode}"
            return handle_of(desktop, title)

        window = wait_for(title, shown)
        give_focus(desktop, window)
        yield process
    finally:
        end_group(process)


@contextlib.contextmanager
def reader(desktop: Desktop, title: str, text: str) -> Iterator[int]:
    """Start a program with a text to read, and return its window; 0 on Wayland, whose windows X11 doesn't know."""
    command = [sys.executable, "-m", "tests.window.programs.reader", title, text]
    process = subprocess.Popen(command, env=desktop.environ, start_new_session=True)
    try:
        yield 0 if desktop.host else wait_for(title, lambda: handle_of(desktop, title))
    finally:
        end_group(process)


def handle_of(desktop: Desktop, title: str) -> int | None:
    """Return the managed window of this title. It sets no process id, so only the title identifies it."""
    from Xlib.error import BadWindow

    with desktop.connection() as server:
        listed = server.screen().root.get_full_property(server.intern_atom("_NET_CLIENT_LIST"), 0)
        for handle in listed.value if listed else ():
            with contextlib.suppress(BadWindow):  # closed meanwhile
                if server.create_resource_object("window", handle).get_wm_name() == title:
                    return int(handle)
    return None


def give_focus(desktop: Desktop, window: int) -> None:
    desktop.run("wmctrl", "-i", "-a", str(window))
    wait_for("the focus", lambda: desktop.active_window() == window)


def tell(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin
    process.stdin.write(line + "\n")
    process.stdin.flush()


def fills_the_screen(desktop: Desktop, window: int) -> bool:
    return "FULLSCREEN" in desktop.prop(window, "_NET_WM_STATE")
