"""Switching to another pet on a real desktop: the program begins anew, its windows are called after the pet."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Error, Playwright

from pet.bridge.commands.pets import PetCommands
from pet.bridge.dispatch import CommandFailed
from pet.bridge.socket_server import RunningPet
from pet.cli.remote import status_of_running
from pet.paths import find_home
from pet.services.home import open_pets
from tests.support.desktop.xvfb import Desktop, Running, call_page, start_pet, wait_for
from tests.support.program.listening import once_listening

pytestmark = pytest.mark.window

COMMAND = (sys.executable, "-m", "tests.window.programs.switching_pet", "--pet", "one")


@contextlib.contextmanager
def started(desktop: Desktop, home: Path) -> Iterator[Running]:
    pets = open_pets(find_home(home))
    pets.create("One", "en")
    pets.create("小二 🦊", "en")
    with start_pet(desktop, home, command=COMMAND) as running:
        yield running


def zombies(pet: Running) -> list[int]:
    """Those that ended and that nobody has asked for."""
    found = []
    for child in psutil.Process(pet.pid).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            if child.status() == psutil.STATUS_ZOMBIE:
                found.append(child.pid)
    return found


def running_pet(home: Path) -> str | None:
    with contextlib.suppress(CommandFailed):  # it goes or comes just now
        status = status_of_running(find_home(home))
        return None if status is None else status.pet
    return None


def title(name: str) -> str:
    return f"{name} · Soulpet chat"


def test_the_other_pet_comes_with_the_chat_where_it_was_open(
    desktop: Desktop, home: Path, playwright: Playwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(desktop.folder))
    with started(desktop, home) as pet:
        browser = pet.attach(playwright)
        page = pet.page(browser, "chat.html")
        assert call_page(page, "switch_pet", {"pet": "../one"})["ok"] is False
        call_page(pet.page(browser, "pet.html"), "toggle_chat")
        pet.window(title("One"))
        with contextlib.suppress(Error):  # the page may be gone before its answer
            assert call_page(page, "switch_pet", {"pet": "pet-2"})["ok"] is True
        pet.window(title("小二 🦊"))
        pet.no_window(title("One"))
        assert json.loads((home / "state" / "state.json").read_text())["pet"] == "pet-2"
        wait_for("nobody left behind", lambda: not zombies(pet))
        again = pet.attach(playwright)
        page = pet.page(again, "chat.html")
        wait_for("the bridge", lambda: page.evaluate("!!window.pywebview?.api?.invoke"))
        listed = call_page(page, "list_pets")["value"]
        assert isinstance(listed, dict)
        assert [(each["id"], each["current"]) for each in listed["pets"]] == [("one", False), ("pet-2", True)]
        call_page(page, "rename_pet", {"pet": "pet-2", "name": "Renamed"})
        pet.window(title("Renamed"))
        again.close()
        assert pet.stop() == 0
        assert "Traceback" not in pet.output.read_text()


def test_the_command_line_switches_the_running_pet_and_a_closed_chat_stays_closed(
    desktop: Desktop, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(desktop.folder))
    with started(desktop, home) as pet:
        pet.window("Soulpet")
        once_listening(lambda: RunningPet(find_home(home)).call(PetCommands.switch_pet, pet="pet-2"))
        wait_for("the other pet", lambda: running_pet(home) == "pet-2")
        assert "re-executed" in (home / "log" / "soulpet.log").read_text()
        pet.window("Soulpet")
        assert title("小二 🦊") not in desktop.windows(pet.pid).values()
        assert pet.stop() == 0
