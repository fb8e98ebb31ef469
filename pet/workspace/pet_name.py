"""The name that a pet goes by: ``name`` in its pet.toml, which the owner may edit too.

Refuses to rewrite a pet.toml that can't be read as TOML: the owner's text would be lost with it.
"""

from __future__ import annotations

import codecs
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from pet.errors import FileBroken, FileConflict, PetNameRefused, WriteFailed
from pet.ids import check_pet_name
from pet.model import Author
from pet.texts import Texts
from pet.workspace.commit import Change, commit
from pet.workspace.folder import Contents, Unusable
from pet.workspace.owned import PET_FILE, Owned
from pet.workspace.place import read_raw

DEFAULT_PET = "pet"
"""The id of the pet that the first start makes; while it has no name of its own it goes by the catalogue's."""

_LIMIT = 1 << 20


def display_name(workspace: Path, pet_id: str, texts: Texts) -> str:
    """The pet's own name, else one made from its id."""
    own = read_name(workspace)
    if own is not None:
        return own
    return texts("pet.name") if pet_id == DEFAULT_PET else pet_id.replace("-", " ").title()


def read_name(workspace: Path) -> str | None:
    """None where pet.toml names none, or none that can be used."""
    found = read_raw(workspace.resolve(), PET_FILE, _LIMIT)
    if not isinstance(found, Contents):
        return None
    try:
        return check_pet_name(str(_parse(found.data)["name"]))
    except (FileBroken, KeyError, PetNameRefused):
        return None


def write_name(owned: Owned, name: str) -> None:
    """Set the name; comments and everything else stay. Raises PetNameRefused, FileBroken, WriteFailed, OSError."""
    name = check_pet_name(name)
    with owned.open(PET_FILE) as (place, raw):
        if isinstance(raw, Unusable):
            raise FileBroken(file=PET_FILE, problem=raw.problem)
        base = raw if isinstance(raw, Contents) else None
        data = named(base.data if base else b"", name)
        if base is not None and base.data == data:
            return
        try:
            commit(place, Change(base=base, data=data, author=Author.OWNER))
        except FileConflict:  # somebody edits it at this moment, in this very line
            raise WriteFailed(file=PET_FILE, reason="busy") from None


def named(content: bytes, name: str) -> bytes:
    """A pet.toml with this name in it. Raises FileBroken."""
    document = _parse(content)
    document["name"] = name
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    return mark + tomlkit.dumps(document).encode()


def _parse(content: bytes) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise FileBroken(file=PET_FILE, problem="not_utf8") from None
    except (TOMLKitError, ValueError):
        raise FileBroken(file=PET_FILE, problem="not_toml") from None
