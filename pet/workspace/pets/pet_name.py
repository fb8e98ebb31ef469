"""A pet's display name: ``name`` in its pet.toml, which the owner may edit too; else what its soul calls it.

Does not follow the language of the windows: a pet keeps its name.
"""

from __future__ import annotations

import re
from pathlib import Path

from pet.errors import PetNameRefused
from pet.i18n import LANGUAGES, Texts
from pet.ids import check_pet_name, identity_name
from pet.model import CoreFile
from pet.workspace.fs.directory import Contents
from pet.workspace.pets.pet_toml import read_value, with_value, write_value
from pet.workspace.versioned.locked_file import read_raw
from pet.workspace.versioned.owner_files import OwnerFiles
from pet.workspace.versioned.pet_file import LIMIT

DEFAULT_PET = "pet"
"""Id of the pet created at the first start."""

_NAME = "name"
_IDENTITY = "IDENTITY.md"


def display_name(workspace: Path, pet_id: str, texts: Texts) -> str:
    """Return the pet's own name, or the one in its IDENTITY.md, or the one its soul came with, or one derived from
    its id.

    ``texts`` decides only where there is no soul yet.
    """
    own = read_name(workspace) or _identity(workspace)
    if own is not None:
        return own
    return _name_in_soul(workspace, texts) if pet_id == DEFAULT_PET else pet_id.replace("-", " ").title()


def _name_in_soul(workspace: Path, texts: Texts) -> str:
    found = read_raw(workspace.resolve(), CoreFile.SOUL, LIMIT)
    soul = found.data.decode(errors="replace") if isinstance(found, Contents) else ""
    names = {language: Texts(language)("pet.name") for language in LANGUAGES}
    said = next((name for name in names.values() if name in soul), None)
    if said is None and soul.strip():
        return names["zh" if re.search("[\u4e00-\u9fff]", soul) else "en"]
    return said or texts("pet.name")


def read_name(workspace: Path) -> str | None:
    """Return the name, or None if pet.toml has none or an invalid one."""
    said = read_value(workspace, _NAME)
    if said is None:
        return None
    try:
        return check_pet_name(said)
    except PetNameRefused:
        return None


def _identity(workspace: Path) -> str | None:
    found = read_raw(workspace.resolve(), _IDENTITY, LIMIT)
    return identity_name(found.data.decode("utf-8-sig", "replace")) if isinstance(found, Contents) else None


def write_name(owned: OwnerFiles, name: str) -> None:
    """Set the name, keeping comments and all other keys. Raises PetNameRefused, FileBroken, WriteFailed, OSError."""
    write_value(owned, _NAME, check_pet_name(name))


def with_pet_name(content: bytes, name: str) -> bytes:
    """Return the pet.toml with this name. Raises FileBroken."""
    return with_value(content, _NAME, name)
