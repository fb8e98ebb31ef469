"""What the program's surroundings allow, and the variables the web view must find before it is imported.

Owns the display check, the refusal to run as root and the Qt environment. Prints nothing: it answers with keys of
the catalogue, and the command line decides.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, MutableMapping

from pet.desktop import input_method

ALLOW_ROOT = "PET_ALLOW_ROOT"


def display_problem(environ: Mapping[str, str] = os.environ) -> str | None:
    """The key of the sentence that says why no window can be opened here; None if one can."""
    if is_root() and environ.get(ALLOW_ROOT) != "1":
        return "shell.root_refused"
    if has_display(environ):
        return None
    return "shell.no_xwayland" if environ.get("WAYLAND_DISPLAY") else "shell.no_display"


def has_display(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a window could be shown. On X the server is really asked: Qt ends the process if it can't reach it."""
    if sys.platform in ("win32", "darwin"):
        return True
    name = environ.get("DISPLAY")
    if not name:
        return False
    from pet.desktop.x11.probe import can_connect

    return can_connect(name)


def on_wayland(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether our X server is a guest there: it sees neither all keys nor all of the screen."""
    return bool(environ.get("WAYLAND_DISPLAY")) or environ.get("XDG_SESSION_TYPE") == "wayland"


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def prepare(environ: MutableMapping[str, str], *, wait: bool = False) -> None:
    """To be called before webview is imported. ``wait``: for an input method that starts at the same login."""
    environ["QT_API"] = "pyside6"  # pywebview takes whatever qtpy finds first; this one was chosen and tested
    if sys.platform.startswith("linux"):
        # On Wayland a program can't place its own window: the pet needs XWayland, whatever other Qt programs use.
        environ["QT_QPA_PLATFORM"] = "xcb"
        environ["RESOURCE_NAME"] = "soulpet"  # else task bars group its windows by the name of a script
        input_method.choose(environ, wait=wait)
    if is_root() and environ.get(ALLOW_ROOT) == "1":
        environ["QTWEBENGINE_DISABLE_SANDBOX"] = "1"
