"""From the shortcut of "ask about what's selected" to the field with the keyboard and the quoted text."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.instruments.figures import Figure, median
from benchmarks.instruments.screen import Screen
from tests.support.desktop.xvfb import Desktop, Running, end_group, open_desktop, start_pet, wait_for
from tests.support.pet_windows.bubbles import write_settings
from tests.support.pet_windows.windows import BUBBLE

_PRESSES = 11
_SELECTED = "Der Zug fährt um vier Uhr ab. " * 20


def measure(folder: Path, *, say: Callable[[str], None]) -> list[Figure]:
    say("key to field")
    home = folder / "ask"
    write_settings(home, 'shortcut_ask = "Ctrl+Alt+Q"\n')
    with open_desktop() as desktop, start_pet(desktop, home, debug=False) as pet:
        screen = Screen(desktop.display)
        pet.window("Soulpet")
        wait_for("the field", lambda: _shown(desktop, pet, screen))  # once its window and the shortcut are there
        alone = _times(desktop, pet, screen)
        owner = subprocess.Popen(
            [sys.executable, "-m", "tests.window.programs.selecting", "plain", _SELECTED],
            stdout=subprocess.PIPE,
            env=desktop.environ,
            text=True,
            start_new_session=True,
        )
        assert owner.stdout
        assert owner.stdout.readline() == "selected\n"
        about = _times(desktop, pet, screen)
        assert _SELECTED.split(". ")[0] in pet.ask("bubble.content.field.quoted"), "the field has no quoted text"
        end_group(owner)
        screen.close()
    name = "shortcut to the field with the selected text"
    baseline = "nothing selected"
    return [
        Figure(
            name=name, value=median(about), unit="ms", reach="80 ms", baseline=median(alone), baseline_name=baseline
        ),
        Figure(name="... the slowest of them", value=max(about), unit="ms", reach="80 ms"),
    ]


def _shown(desktop: Desktop, pet: Running, screen: Screen) -> bool:
    screen.press("q")
    time.sleep(1.0)
    return desktop.window(pet.pid, BUBBLE) is not None


def _times(desktop: Desktop, pet: Running, screen: Screen) -> list[float]:
    times = []
    for press in range(_PRESSES):
        if desktop.window(pet.pid, BUBBLE) is not None:
            desktop.key("Escape")
            pet.no_window(BUBBLE)
        time.sleep(0.5)
        pet.ask("note_keys()")
        pressed = screen.press("q")
        ready = pet.shows("keys_at()")
        if press:  # the first one reads the disk
            times.append(1000 * (ready - pressed))
    return times
