"""A home as a whole: its pets and their skins."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pet.clock import Clock, SystemClock
from pet.paths import Home
from pet.settings.pet_settings import copy_foreign_connection, note_foreign_connection
from pet.settings.program_state import JsonState, forget_used, note_own_pets, own_pets
from pet.skins.selection import SkinSelector
from pet.skins.shelf import open_shelf
from pet.workspace.locked_file import OwnerFiles
from pet.workspace.pet_toml import read_value, write_value
from pet.workspace.pets import Pets, move_to_trash


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
    """Record whether a new pet's files, and the connection in them, belong to this home. ``source``: the pet it was
    copied from; None: it is from another home. Raises OSError."""
    state = JsonState(home.state_file)
    if source is None:
        note_foreign_connection(folder, pet_id, state)
    else:
        copy_foreign_connection(source, pet_id, state)
        if source in (own_pets(state) or ()):
            note_own_pets(state, [pet_id])


def drop_traces(home: Home, pet_id: str, root: Path) -> None:
    """Remove a pet's data outside its folder: its index, its pause, its tabs with their drafts."""
    from pet.memory.search.database import delete, index_file

    delete(index_file(root, home.cache))
    for file in (home.state_file, home.tabs_file, home.imports_file, home.windows_file):
        JsonState(file).drop(lambda name: name.endswith(f".{pet_id}"))  # no id holds a dot
    home.pause_file(pet_id).unlink(missing_ok=True)
    forget_used(JsonState(home.state_file), pet_id)


_CHOICE = "skin"  # in pet.toml


def wardrobe_for(home: Home, root: Path, clock: Clock, environ: Mapping[str, str]) -> SkinSelector:
    """Return the skins of the pet in this workspace; its choice is stored in pet.toml."""

    owned = OwnerFiles(root=root, locks=home.locks, clock=clock)
    return SkinSelector(
        root / "skin",
        lambda: open_shelf(home, root, environ),
        lambda: read_value(root, _CHOICE),
        lambda skin: write_value(owned, _CHOICE, skin),
    )
