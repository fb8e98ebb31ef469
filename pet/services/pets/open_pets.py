"""The pets of a home, with what belongs to them outside their folders."""

from __future__ import annotations

from pathlib import Path

from pet.clock import Clock, SystemClock
from pet.paths import Home
from pet.settings.json_state import JsonState
from pet.settings.recent_pets import forget_used
from pet.workspace.pets.registry import Pets
from pet.workspace.pets.trash import move_to_trash


def open_pets(home: Home, clock: Clock | None = None) -> Pets:
    """Return the pets of a home, with removal of their data outside their folders."""
    return Pets(
        home,
        clock=clock or SystemClock(),
        drop_traces=lambda pet_id, root: drop_traces(home, pet_id, root),
        to_bin=move_to_trash,
    )


def drop_traces(home: Home, pet_id: str, root: Path) -> None:
    """Remove a pet's data elsewhere: its index, its pause, its tabs with their drafts."""
    from pet.memory.database import delete, index_file

    delete(index_file(root, home.cache))
    for file in (home.state_file, home.tabs_file, home.imports_file):
        JsonState(file).drop(lambda name: name.endswith(f".{pet_id}"))  # no id holds a dot
    forget_used(JsonState(home.state_file), pet_id)
