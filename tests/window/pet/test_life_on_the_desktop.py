"""What the life together shows in the real window: a hat, and a note in its paws until it is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.desktop.xvfb import Desktop, start_pet
from tests.support.files import write_files
from tests.support.pet_windows.bubbles import ready, seen, write_settings
from tests.support.pet_windows.menus import ready_to_click
from tests.support.pet_windows.windows import BUBBLE, PET, T
from tests.window.pet.test_bubble_on_the_desktop import CLOCKED

pytestmark = pytest.mark.window


def test_a_birthday_hat_and_a_note_that_is_held_until_it_is_taken(desktop: Desktop, home: Path, shots: Path) -> None:
    write_settings(home, 'reminder_bubbles = true\nquiet_from = "09:00"\nquiet_until = "10:00"\n')
    (home / "clock").write_text("2026-11-21T09:10:00+01:00")
    (home / "state").mkdir(exist_ok=True)
    (home / "state" / "state.json").write_text('{"welcome": 0, "met.pet": ["2026-10-01"]}')
    log = "# Memory Log: 2026-11-20\n\n## [08:00:00] todo @2026-11-21\nCall the dentist\n"
    files = {"USER.md": "# Owner\n\n- Birthday: 21 November\n", "memory/2026-11-20.md": log}
    write_files(home / "data" / "pets" / "pet", files)
    with start_pet(desktop, home, command=CLOCKED) as pet:
        ready(pet)
        pet.shows("state() == 'holds party'")
        pet.shows("pet.actor.player.act == 'idle'")
        desktop.screenshot(shots / "life-held.png")
        desktop.click(*ready_to_click(pet, PET).centre)
        bubble = seen(pet)
        bubble.shows("Call the dentist")
        desktop.screenshot(shots / "life-taken.png")
        bubble.click(T("bubble.close"))
        pet.no_window(BUBBLE)
        pet.shows("state() == 'party'")
