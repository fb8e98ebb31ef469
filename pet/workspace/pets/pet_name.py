"""A pet's display name: from IDENTITY.md, as in the prompt; else ``name`` in pet.toml; else from the soul.

A new name is written to both files. It doesn't follow the language of the windows: a pet keeps its name.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pet.errors import FileBroken, PetNameRefused
from pet.i18n import LANGUAGES, Texts, is_chinese
from pet.ids import check_pet_name, identity_name, with_identity_name
from pet.model import CoreFile
from pet.workspace.fs.directory import Contents
from pet.workspace.pets.pet_toml import read_values, rewrite, with_value, write_value
from pet.workspace.versioned.locked_file import read_raw
from pet.workspace.versioned.owner_files import OwnerFiles
from pet.workspace.versioned.pet_file import LIMIT, PET_FILE

DEFAULT_PET = "pet"
"""Id of the pet created at the first start."""

NAME = "name"
"""Key of the name in pet.toml."""
IDENTITY = "IDENTITY.md"


def display_name(workspace: Path, pet_id: str, texts: Texts) -> str:
    """Return the name in IDENTITY.md, else in pet.toml, else that of the soul, else one derived from the id.

    ``texts`` applies only while there is no soul yet.
    """
    own = name_in(_bytes(workspace, IDENTITY), {}) or name_in(b"", read_values(workspace))
    if own is not None:
        return own
    return _name_in_soul(workspace, texts) if pet_id == DEFAULT_PET else pet_id.replace("-", " ").title()


def _name_in_soul(workspace: Path, texts: Texts) -> str:
    soul = _bytes(workspace, CoreFile.SOUL).decode(errors="replace")
    names = {language: Texts(language)("pet.name") for language in LANGUAGES}
    name = next((name for name in names.values() if name in soul), None)
    if name is None and soul.strip():
        return names["zh" if is_chinese(soul) else "en"]
    return name or texts("pet.name")


def _bytes(workspace: Path, file: str) -> bytes:
    raw = read_raw(workspace.resolve(), file, LIMIT)
    return raw.data if isinstance(raw, Contents) else b""


def _text(identity: bytes) -> str | None:
    """Return the text, None if it is not UTF-8."""
    try:
        return identity.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def write_name(owned: OwnerFiles, name: str) -> None:
    """Set the name in pet.toml, keeping comments and other keys, and replace the one in IDENTITY.md.

    Raises PetNameRefused, FileBroken, WriteFailed, OSError.
    """
    name = check_pet_name(name)
    with suppress(FileBroken):  # an unreadable file gives no name
        rewrite(owned, IDENTITY, lambda content: with_name_in_identity(content, name))
    write_value(owned, NAME, name)


def rename_folder(folder: Path, name: str) -> None:
    """Set the name of a pet whose folder isn't in place yet. Raises FileBroken, OSError."""
    toml, identity = folder / PET_FILE, folder / IDENTITY
    toml.write_bytes(with_value(toml.read_bytes() if toml.is_file() else b"", NAME, name))
    if identity.is_file():
        identity.write_bytes(with_name_in_identity(identity.read_bytes(), name))


def with_name_in_identity(content: bytes, name: str) -> bytes:
    """Return the IDENTITY.md with its name, if any, replaced by this one."""
    text = _text(content)
    if text is None:
        return content
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    return mark + with_identity_name(text, name).encode()


def name_in(identity: bytes, toml: Mapping[str, object]) -> str | None:
    """Return the name in the bytes of IDENTITY.md, else in the values of pet.toml, else None."""
    own = identity_name(_text(identity) or "")
    if own is not None or not isinstance(toml.get(NAME), str):
        return own
    try:
        return check_pet_name(str(toml[NAME]))
    except PetNameRefused:
        return None
