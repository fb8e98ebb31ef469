"""Read and change single values of a pet.toml, preserving everything else in it.

A pet.toml that is not valid TOML is never rewritten: the owner's text would be lost.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import tomlkit

from pet.errors import FileBroken, FileConflict, WriteFailed
from pet.format_version import FORMAT, KEY, require_known
from pet.model import Author
from pet.untrusted.parsers import read_toml_document
from pet.workspace.fs.directory import Contents
from pet.workspace.versioned.file_state import contents_of
from pet.workspace.versioned.locked_file import read_raw
from pet.workspace.versioned.owner_files import OwnerFiles
from pet.workspace.versioned.pet_file import LIMIT, PET_FILE
from pet.workspace.versioned.safe_replace import Change, commit

FIRST = f"{KEY} = {FORMAT}\n".encode()
"""A new pet's pet.toml."""


def read_values(workspace: Path) -> Mapping[str, object]:
    """Return the values in pet.toml; none without a readable one."""
    raw = read_raw(workspace.resolve(), PET_FILE, LIMIT)
    with suppress(FileBroken):
        return _parse(raw.data).unwrap() if isinstance(raw, Contents) else {}
    return {}


def read_value(workspace: Path, name: str) -> str | None:
    """Return a string value; None if the key or a readable file is missing."""
    value = read_values(workspace).get(name)
    return value if isinstance(value, str) else None


def write_value(owned: OwnerFiles, name: str, value: str | None) -> None:
    """Set a string value, or remove it with None; comments and other keys stay.

    Raises FileBroken, NewerFormat, WriteFailed, OSError.
    """
    rewrite(owned, PET_FILE, lambda content: with_value(content, name, value))


def rewrite(owned: OwnerFiles, file: str, change: Callable[[bytes], bytes]) -> None:
    """Replace one of the owner's files by ``change`` of its bytes, b"" if it is missing.

    Raises FileBroken, NewerFormat, WriteFailed, OSError.
    """
    with owned.open(file) as (place, raw):
        base = contents_of(file, raw)
        before = base.data if base else b""
        data = change(before)
        if data == before:
            return
        try:
            commit(place, Change(base=base, data=data, author=Author.OWNER))
        except FileConflict:  # another program is editing the same line
            raise WriteFailed(file) from None


def with_value(content: bytes, name: str, value: str | None) -> bytes:
    """Return the pet.toml with this value set. Raises FileBroken, NewerFormat."""
    document = _parse(content)
    require_known(document, PET_FILE)
    if value is not None:
        document[name] = value
    elif name in document:
        del document[name]
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    return mark + tomlkit.dumps(document).encode()


def _parse(content: bytes) -> tomlkit.TOMLDocument:
    try:
        return read_toml_document(content)
    except UnicodeDecodeError:
        raise FileBroken(file=PET_FILE, problem="not_utf8") from None
    except ValueError:
        raise FileBroken(file=PET_FILE, problem="not_toml") from None
