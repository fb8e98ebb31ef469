"""Start at login: one autostart entry in the system's own format, written only on the owner's request.

Implements the three formats. The system's entry is the only state, also after another program removed it. Windows and
macOS: untested.
"""

from __future__ import annotations

import importlib
import os
import plistlib
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pet.services.desktop_port import AutostartEntry

NAME = "soulpet"
_LABEL = "app.soulpet.pet"
_RUN_KEY = r"Software\Microsoft\Windows\CurrentVersion\Run"


class AutostartFile:
    """XDG autostart desktop entry (Linux)."""

    def __init__(self, folder: Path, command: Sequence[str], icon: Path) -> None:
        self._file = folder / f"{NAME}.desktop"
        self._command = command
        self._icon = icon

    @property
    def on(self) -> bool:
        off = ("Hidden=true", "X-GNOME-Autostart-enabled=false")  # desktops disable an entry by these
        lines = self._lines()
        return lines is not None and not any(line.replace(" ", "") in off for line in lines)

    @property
    def other(self) -> bool:
        lines = self._lines()
        return lines is not None and self._exec not in lines

    @property
    def place(self) -> str:
        return str(self._file)

    def _lines(self) -> list[str] | None:
        try:
            return self._file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return None

    @property
    def _exec(self) -> str:
        return f"Exec={' '.join(_desktop_quoted(word) for word in self._command)}"

    def set(self, on: bool) -> None:
        if not on:
            self._file.unlink(missing_ok=True)
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        lines = [
            "[Desktop Entry]",
            "Type=Application",
            "Name=Soulpet",
            self._exec,
            f"Icon={self._icon}",
            "Terminal=false",
        ]
        self._file.write_text("\n".join(lines) + "\n", encoding="utf-8")


class LaunchAgent:
    """macOS launch agent: a property list that launchd reads at login."""

    def __init__(self, folder: Path, command: Sequence[str]) -> None:
        self._file = folder / f"{_LABEL}.plist"
        self._command = command

    @property
    def on(self) -> bool:
        entry = self._entry()
        return entry.get("RunAtLoad") is True and not entry.get("Disabled")

    @property
    def other(self) -> bool:
        entry = self._entry()
        return bool(entry) and entry.get("ProgramArguments") != list(self._command)

    @property
    def place(self) -> str:
        return str(self._file)

    def _entry(self) -> dict[str, Any]:
        try:
            entry = plistlib.loads(self._file.read_bytes())
        except (OSError, ValueError, plistlib.InvalidFileException):
            return {}
        return entry if isinstance(entry, dict) else {}

    def set(self, on: bool) -> None:
        if not on:
            self._file.unlink(missing_ok=True)
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        entry = {"Label": _LABEL, "ProgramArguments": list(self._command), "RunAtLoad": True, "KeepAlive": False}
        self._file.write_bytes(plistlib.dumps(entry))


class RunKey:
    """Windows: a value of the user's Run key."""

    def __init__(self, command: Sequence[str], registry: Any = None) -> None:
        self._command = command
        self._registry = registry if registry is not None else importlib.import_module("winreg")

    @property
    def on(self) -> bool:
        return self._value() is not None

    @property
    def other(self) -> bool:
        return self._value() not in (None, windows_quoted(self._command))

    @property
    def place(self) -> str:
        return f"HKEY_CURRENT_USER\\{_RUN_KEY}"

    def _value(self) -> str | None:
        try:
            with self._open(self._registry.KEY_READ) as key:
                value: tuple[str, int] = self._registry.QueryValueEx(key, NAME)
        except OSError:
            return None
        return value[0]

    def set(self, on: bool) -> None:
        with self._open(self._registry.KEY_SET_VALUE) as key:
            if on:
                self._registry.SetValueEx(key, NAME, 0, self._registry.REG_SZ, windows_quoted(self._command))
                return
            try:
                self._registry.DeleteValue(key, NAME)
            except FileNotFoundError:
                return

    def _open(self, access: int) -> Any:
        return self._registry.OpenKey(self._registry.HKEY_CURRENT_USER, _RUN_KEY, 0, access)


def autostart_entry(icon: Path, arguments: Sequence[str]) -> AutostartEntry:
    """Return this system's entry for the running program, to be started with ``arguments``."""
    command = own_command(arguments)
    if sys.platform == "win32":
        return RunKey(command)
    if sys.platform == "darwin":
        return LaunchAgent(Path.home() / "Library" / "LaunchAgents", command)
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return AutostartFile(config / "autostart", command, icon)


def own_command(arguments: Sequence[str]) -> list[str]:
    """Return the command that starts this program, independent of the working directory."""
    words = [*([] if getattr(sys, "frozen", False) else ["-m", "pet"]), *arguments]
    for place, word in enumerate(words):
        if word == "--home" and place + 1 < len(words):
            words[place + 1] = str(Path(words[place + 1]).expanduser().absolute())
        elif word.startswith("--home="):
            words[place] = "--home=" + str(Path(word.removeprefix("--home=")).expanduser().absolute())
    return [sys.executable, *words]


def windows_quoted(command: Sequence[str]) -> str:
    return " ".join(f'"{word}"' if " " in word else word for word in command)


def _desktop_quoted(word: str) -> str:
    """Quote as the desktop entry specification requires: special words quoted, ``%`` doubled."""
    if shlex.quote(word) == word:
        return word.replace("%", "%%")
    inside = "".join(f"\\{letter}" if letter in '"`$\\' else letter for letter in word)
    return '"' + inside.replace("\\", "\\\\").replace("%", "%%") + '"'
