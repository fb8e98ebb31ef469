"""The name that a pet goes by: ``name`` in its pet.toml, which the owner may edit too."""

from __future__ import annotations

from pathlib import Path

from pet.errors import PetNameRefused
from pet.i18n import Texts
from pet.ids import check_pet_name
from pet.workspace.pets.pet_toml import read_value, with_value, write_value
from pet.workspace.versioned.owner_files import OwnerFiles

DEFAULT_PET = "pet"
"""The id of the pet that the first start makes; while it has no name of its own it goes by the catalogue's."""

_NAME = "name"


def display_name(workspace: Path, pet_id: str, texts: Texts) -> str:
    """The pet's own name, else one made from its id."""
    own = read_name(workspace)
    if own is not None:
        return own
    return texts("pet.name") if pet_id == DEFAULT_PET else pet_id.replace("-", " ").title()


def read_name(workspace: Path) -> str | None:
    """None where pet.toml names none, or none that can be used."""
    said = read_value(workspace, _NAME)
    if said is None:
        return None
    try:
        return check_pet_name(said)
    except PetNameRefused:
        return None


def write_name(owned: OwnerFiles, name: str) -> None:
    """Set the name; comments and everything else stay. Raises PetNameRefused, FileBroken, WriteFailed, OSError."""
    write_value(owned, _NAME, check_pet_name(name))


def named(content: bytes, name: str) -> bytes:
    """A pet.toml with this name in it. Raises FileBroken."""
    return with_value(content, _NAME, name)
