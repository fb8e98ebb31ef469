"""A pet's display name: ``name`` in its pet.toml, which the owner may edit too."""

from __future__ import annotations

from pathlib import Path

from pet.errors import PetNameRefused
from pet.i18n import Texts
from pet.ids import check_pet_name
from pet.workspace.pets.pet_toml import read_value, with_value, write_value
from pet.workspace.versioned.owner_files import OwnerFiles

DEFAULT_PET = "pet"
"""Id of the pet created at the first start; until renamed it shows the catalogue's name."""

_NAME = "name"


def display_name(workspace: Path, pet_id: str, texts: Texts) -> str:
    """Return the pet's own name, or one derived from its id."""
    own = read_name(workspace)
    if own is not None:
        return own
    return texts("pet.name") if pet_id == DEFAULT_PET else pet_id.replace("-", " ").title()


def read_name(workspace: Path) -> str | None:
    """Return the name, or None if pet.toml has none or an invalid one."""
    said = read_value(workspace, _NAME)
    if said is None:
        return None
    try:
        return check_pet_name(said)
    except PetNameRefused:
        return None


def write_name(owned: OwnerFiles, name: str) -> None:
    """Set the name, keeping comments and all other keys. Raises PetNameRefused, FileBroken, WriteFailed, OSError."""
    write_value(owned, _NAME, check_pet_name(name))


def named(content: bytes, name: str) -> bytes:
    """Return the pet.toml with this name. Raises FileBroken."""
    return with_value(content, _NAME, name)
