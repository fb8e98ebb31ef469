"""A pet alone on a real desktop: the program without the extra of several pets."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

from pet.bridge.commands.lifecycle import LifecycleCommands
from pet.bridge.commands.pets import PetCommands
from pet.bridge.socket_server import RunningPet
from pet.paths import find_home
from pet.services.home import open_pets
from tests.support.desktop.xvfb import open_desktop, start_pet, wait_for
from tests.support.program.listening import once_listening

pytestmark = pytest.mark.window

ROOT = Path(__file__).parents[3]
COMMAND = (sys.executable, "-P", "-m", "pet")  # not from the folder of the checkout
"""The program of ``PYTHONPATH``."""


@pytest.fixture
def without_others(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a program from which the extra was taken away."""
    copy = tmp_path / "program"
    copytree(ROOT / "pet", copy / "pet", ignore=ignore_patterns("__pycache__", "several_pets"))
    (copy / "assets").symlink_to(ROOT / "assets")
    return {"PYTHONPATH": str(copy)}


def test_a_switch_ends_the_program_and_starts_that_of_the_other_pet(
    home: Path, without_others: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = find_home(home)
    for name in ("Mochi", "Biscuit"):
        open_pets(found).create(name, "en")
    with open_desktop() as screen:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(screen.folder))
        with start_pet(screen, home, command=(*COMMAND, "--pet", "mochi"), environ=without_others) as pet:
            first = once_listening(lambda: RunningPet(found).call(LifecycleCommands.get_status))
            assert first.pet == "mochi"
            box = screen.box(pet.window("Soulpet"))
            RunningPet(found).call(PetCommands.switch_pet, pet="biscuit")
            assert pet.wait() == 0
            second = once_listening(lambda: RunningPet(found).call(LifecycleCommands.get_status))
            assert second.pet == "biscuit"
            window = wait_for("its window", lambda: screen.window(second.pid, "Soulpet"))
            assert screen.box(window) == box
