"""The connection that an imported pet had chosen in another home, where its id may mean another server than here.

Recorded in the program's state, so that the pet's own files stay as they were packed. Until the owner chooses one for
the pet, nothing is sent; a model on this computer stays chosen.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pet.errors import NewerFormat
from pet.settings.connections import COMPUTER
from pet.settings.json_state import JsonState
from pet.settings.store import PetSettings, read_pet_settings


def own_settings(workspace: Path, pet: str, state: JsonState) -> PetSettings:
    """Return pet.toml's settings. A connection of another home has a name there that none of this one can have."""
    own = read_pet_settings(workspace)
    if own.connection in (None, COMPUTER) or not _is_foreign(own.connection, pet, state):
        return own
    return replace(own, connection=f"{own.connection} (imported)")


def note_foreign_connection(workspace: Path, pet: str, state: JsonState) -> None:
    """Record the connection in the pet.toml of a pet from another home. Raises OSError."""
    connection = read_pet_settings(workspace).connection
    if connection not in (None, COMPUTER):
        state.update({_key(pet): connection})


def copy_foreign_connection(source: str, pet: str, state: JsonState) -> None:
    """Record for a pet's copy what is known of the pet. Raises OSError."""
    connection = state.read_known().get(_key(source))
    if connection is not None:
        state.update({_key(pet): connection})


def drop_foreign_connection(pet: str, state: JsonState) -> None:
    """The owner chose a connection. Raises OSError."""
    state.drop(lambda name: name == _key(pet))


def _is_foreign(connection: str | None, pet: str, state: JsonState) -> bool:
    read = state.read()
    if not read:  # a state of a newer program, or one that can't be read, is not known
        try:
            state.require_known_format()
        except (NewerFormat, OSError):
            return True
    return read.get(_key(pet)) == connection


def _key(pet: str) -> str:
    return f"foreign_connection.{pet}"
