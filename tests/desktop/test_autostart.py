"""Starting at login, in the form of each system; what the system has is what is true."""

from __future__ import annotations

import plistlib
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from pet.desktop.autostart import AutostartFile, LaunchAgent, RunKey, own_command, windows_quoted
from pet.services.desktop_port import AutostartEntry

COMMAND = ["/opt/my apps/python", "-m", "pet", "--home", '/home/a/100% "mine"']


def is_on(item: AutostartEntry) -> bool:
    """Asked anew each time; of the property itself the type checker takes the first answer for all."""
    return item.on


def test_linux_writes_a_desktop_entry_and_takes_it_away(tmp_path: Path) -> None:
    item = AutostartFile(tmp_path / "autostart", COMMAND, Path("/opt/icon.png"))
    assert not is_on(item)
    item.set(True)
    assert is_on(item)
    entry = (tmp_path / "autostart" / "soulpet.desktop").read_text()
    assert entry.startswith("[Desktop Entry]\nType=Application\n")
    line = next(line for line in entry.splitlines() if line.startswith("Exec="))
    value = line.removeprefix("Exec=").replace("\\\\", "\\")  # first the rules of the file, then those of the command
    assert [word.replace("%%", "%") for word in shlex.split(value)] == COMMAND
    item.set(False)
    assert not is_on(item)
    item.set(False)  # another program was quicker


def test_autostart_entry_of_another_copy_is_detected(tmp_path: Path) -> None:
    item = AutostartFile(tmp_path, COMMAND, Path("/opt/icon.png"))
    item.set(True)
    moved = AutostartFile(tmp_path, ["/elsewhere/python", "-m", "pet"], Path("/opt/icon.png"))
    assert (item.other, moved.on, moved.other) == (False, True, True)
    assert moved.place == str(tmp_path / "soulpet.desktop")
    moved.set(True)
    assert (item.other, moved.other) == (True, False)


def test_a_place_that_takes_no_entry_raises(tmp_path: Path) -> None:
    (tmp_path / "autostart").write_text("in the way")
    item = AutostartFile(tmp_path / "autostart", COMMAND, Path("/opt/icon.png"))
    with pytest.raises(OSError):
        item.set(True)
    assert not is_on(item)


@pytest.mark.parametrize("line", ["Hidden=true", "X-GNOME-Autostart-enabled=false"])
def test_an_entry_that_the_desktop_switched_off_is_off(tmp_path: Path, line: str) -> None:
    item = AutostartFile(tmp_path, COMMAND, Path("/opt/icon.png"))
    item.set(True)
    with (tmp_path / "soulpet.desktop").open("a") as entry:
        entry.write(line + "\n")
    assert not is_on(item)


def test_macos_writes_a_launch_agent(tmp_path: Path) -> None:
    item = LaunchAgent(tmp_path / "LaunchAgents", COMMAND)
    assert not is_on(item)
    item.set(True)
    assert is_on(item)
    assert item.other is False
    assert LaunchAgent(tmp_path / "LaunchAgents", ["/elsewhere"]).other is True
    file = next((tmp_path / "LaunchAgents").iterdir())
    assert item.place == str(file)
    assert plistlib.loads(file.read_bytes())["ProgramArguments"] == COMMAND
    file.write_text("no list")
    assert not is_on(item)
    item.set(False)
    assert not file.exists()


class Registry:
    """The few calls of winreg that are used, over a dict."""

    KEY_READ, KEY_SET_VALUE, REG_SZ, HKEY_CURRENT_USER = 1, 2, 1, "user"

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    def OpenKey(self, root: str, path: str, _reserved: int, _access: int) -> Registry:  # noqa: N802
        assert root == "user"
        assert path.endswith("CurrentVersion\\Run")
        return self

    def __enter__(self) -> Registry:
        return self

    def __exit__(self, *_error: object) -> None:
        return

    def QueryValueEx(self, _key: Any, name: str) -> tuple[str, int]:  # noqa: N802
        if name not in self.values:
            raise FileNotFoundError(name)
        return self.values[name], 1

    def SetValueEx(self, _key: Any, name: str, _reserved: int, _kind: int, value: str) -> None:  # noqa: N802
        self.values[name] = value

    def DeleteValue(self, _key: Any, name: str) -> None:  # noqa: N802
        if name not in self.values:
            raise FileNotFoundError(name)
        del self.values[name]


def test_windows_sets_a_value_of_the_run_key() -> None:
    registry = Registry()
    item = RunKey(["C:\\My Apps\\python.exe", "-m", "pet"], registry)
    assert not is_on(item)
    item.set(True)
    assert registry.values == {"soulpet": '"C:\\My Apps\\python.exe" -m pet'}
    assert is_on(item)
    assert (item.other, RunKey(["C:\\Other\\python.exe"], registry).other) == (False, True)
    item.set(False)
    item.set(False)
    assert (item.on, item.other) == (False, False)


def test_the_program_is_started_as_now_wherever_that_happens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    here = str(tmp_path / "home")
    assert own_command(["--home", "home"]) == [sys.executable, "-m", "pet", "--home", here]
    assert own_command(["--home=home"]) == [sys.executable, "-m", "pet", f"--home={here}"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert own_command([]) == [sys.executable]
    assert windows_quoted(["a b", "c"]) == '"a b" c'
