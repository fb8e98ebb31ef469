"""Display checks and environment variables that must be set before the web view is imported.

Covers the display check, the refusal to run as root and the Qt environment. Prints nothing: returns catalogue keys
for the command line to show.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import TextIO

from pet.desktop.process.input_method import choose_input_method

ALLOW_ROOT = "PET_ALLOW_ROOT"
_USER_NAMESPACES = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")


def display_problem(environ: Mapping[str, str] = os.environ) -> str | None:
    """Return the catalogue key of the reason no window can be opened; None if one can."""
    if is_root() and environ.get(ALLOW_ROOT) != "1":
        return "shell.root_refused"
    if has_display(environ):
        return None
    return "shell.no_xwayland" if environ.get("WAYLAND_DISPLAY") else "shell.no_display"


def has_display(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a window can be shown. On X11, connect to the server: Qt would abort the process if it can't."""
    if sys.platform in ("win32", "darwin"):
        return True
    name = environ.get("DISPLAY")
    if not name:
        return False
    from pet.desktop.x11.probe import can_connect

    return can_connect(name)


def on_wayland(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the X server is XWayland, which sees neither all keys nor the whole screen."""
    return bool(environ.get("WAYLAND_DISPLAY")) or environ.get("XDG_SESSION_TYPE") == "wayland"


def sandbox_restricted(switch: Path = _USER_NAMESPACES) -> bool:
    """Whether AppArmor refuses user namespaces to ordinary programs, as Ubuntu does since 24.04."""
    try:
        return switch.read_text("ascii").strip() == "1"
    except (OSError, ValueError):
        return False


def in_terminal() -> bool:
    """Whether stderr is a terminal. A packaged program on Windows has no such stream at all."""
    stream: TextIO | None = sys.stderr
    return stream is not None and stream.isatty()


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


_OURS = (
    "QT_API",
    "QT_QPA_PLATFORM",
    "RESOURCE_NAME",
    "QT_IM_MODULES",
    "IBUS_USE_PORTAL",
    "QTWEBENGINE_DISABLE_SANDBOX",
)
_before: dict[str, str | None] = {}
"""Values before ``prepare``."""


def prepare(environ: MutableMapping[str, str], *, wait: bool = False) -> None:
    """Set Qt's variables, before webview is imported. ``wait``: for an input method that starts at the same login."""
    _before.update((name, environ.get(name)) for name in _OURS if name not in _before)
    environ["QT_API"] = "pyside6"  # otherwise pywebview uses the first binding qtpy finds
    if sys.platform.startswith("linux"):
        # On Wayland a program can't position its own window: the pet needs XWayland, whatever other Qt programs use.
        environ["QT_QPA_PLATFORM"] = "xcb"
        environ["RESOURCE_NAME"] = "soulpet"  # otherwise task bars group its windows by the script's name
        choose_input_method(environ, wait=wait)
    if is_root() and environ.get(ALLOW_ROOT) == "1":
        environ["QTWEBENGINE_DISABLE_SANDBOX"] = "1"


def for_other_programs(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment as before ``prepare``: a file manager on Wayland must not become an X program."""
    kept = {name: value for name, value in environ.items() if name not in _before}
    return kept | {name: value for name, value in _before.items() if value is not None}
