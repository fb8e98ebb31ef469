"""The system's file and folder dialogs, operated by keyboard."""

from __future__ import annotations

import contextlib
from pathlib import Path

from tests.support.desktop.xvfb import Running, wait_for

_TAKES_SECONDS = 5.0


def dialog_of(running: Running, title: str) -> int | None:
    """Return the dialog's window; None without one of this title."""
    windows = running.desktop.windows(running.pid)
    return next((handle for handle, name in windows.items() if name == title), None)


def answer_dialog(running: Running, title: str, path: Path) -> None:
    """Type the path and press Enter; repeated if the dialog did not take keys yet. ASCII letters only."""
    wait_for("the dialog", lambda: dialog_of(running, title) is not None)
    while (dialog := dialog_of(running, title)) is not None:
        running.desktop.run("xdotool", "windowactivate", "--sync", str(dialog), check=False)
        running.desktop.run("xdotool", "key", "ctrl+a")
        running.desktop.run("xdotool", "type", "--delay", "20", str(path))
        running.desktop.run("xdotool", "key", "Return")
        with contextlib.suppress(TimeoutError, AssertionError):
            wait_for("its end", lambda: dialog_of(running, title) is None, _TAKES_SECONDS)
