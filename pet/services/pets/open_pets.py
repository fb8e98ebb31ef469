"""Open the pets of a home, with their data outside their folders."""

from __future__ import annotations

from pathlib import Path

from pet.clock import Clock, SystemClock
from pet.paths import Home
from pet.settings.foreign_connection import copy_foreign_connection, note_foreign_connection
from pet.settings.json_state import JsonState
from pet.settings.recent_pets import forget_used
from pet.workspace.pets.registry import Pets
from pet.workspace.pets.trash import move_to_trash


def open_pets(home: Home, clock: Clock | None = None) -> Pets:
    """Return the pets of a home; deleting one also removes its data outside its folder."""
    return Pets(
        home,
        clock=clock or SystemClock(),
        drop_traces=lambda pet_id, root: drop_traces(home, pet_id, root),
        to_bin=move_to_trash,
        note_origin=lambda pet_id, folder, source: note_origin(home, pet_id, folder, source),
    )


def note_origin(home: Home, pet_id: str, folder: Path, source: str | None) -> None:
    """Record whether the connection in a new pet's files belongs to this home. ``source``: the pet it was copied
    from; None: it is from another home. Raises OSError."""
    state = JsonState(home.state_file)
    if source is None:
        note_foreign_connection(folder, pet_id, state)
    else:
        copy_foreign_connection(source, pet_id, state)


def drop_traces(home: Home, pet_id: str, root: Path) -> None:
    """Remove a pet's data outside its folder: its index, its pause, its tabs with their drafts."""
    from pet.memory.database import delete, index_file

    delete(index_file(root, home.cache))
    for file in (home.state_file, home.tabs_file, home.imports_file):
        JsonState(file).drop(lambda name: name.endswith(f".{pet_id}"))  # no id holds a dot
    forget_used(JsonState(home.state_file), pet_id)
