"""Single values of a pet.toml, read and changed with everything else preserved, and the pet's display name.

The name is the one in IDENTITY.md, else ``name`` in pet.toml, else that of the soul; it doesn't follow the windows'
language. A pet.toml that is not valid TOML is never rewritten: the owner's text would be lost.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pet.errors import FileBroken, FileConflict, PetNameRefused, WriteFailed
from pet.fs.directory import Absent, Contents
from pet.i18n import LANGUAGES, Texts, is_chinese
from pet.ids import check_pet_name
from pet.language.labels import identity_name, with_identity_name
from pet.model import Author, CoreFile
from pet.serde import FORMAT, KEY, require_known
from pet.untrusted.parsers import read_toml, read_toml_document
from pet.workspace.locked_file import OwnerFiles, contents_of, read_raw
from pet.workspace.pet_registry import DEFAULT_PET, LIMIT, PET_FILE
from pet.workspace.safe_replace import Change, commit

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_LONGEST_CALL = 200
_WORDS_BESIDE = 2
_LETTERS_BESIDE = 4  # without spaces, as in Chinese
_COMMAS = (",", "\uff0c", "\u3001", "!", "\uff01")

FIRST = f"{KEY} = {FORMAT}\n".encode()
"""A new pet's pet.toml."""


def read_values(workspace: Path) -> Mapping[str, object]:
    """Return the values in pet.toml; none without a readable one."""
    raw = read_raw(workspace.resolve(), PET_FILE, LIMIT)
    with suppress(ValueError):
        return read_toml(raw.data) if isinstance(raw, Contents) else {}
    return {}


INSTRUCTIONS = "instructions"
"""Key of the owner's answer whether to use the instructions that came with the folder; "ask" before it."""
Answer = Literal["use", "ask", "ignore"]


def instructions_answer(root: Path) -> Answer:
    """Return the owner's answer. While pet.toml can't be read, the files are not used."""
    raw = read_raw(root, PET_FILE, LIMIT)
    if isinstance(raw, Absent):
        return "use"
    try:
        value = read_toml(raw.data).get(INSTRUCTIONS, "use") if isinstance(raw, Contents) else "ignore"
    except ValueError:
        return "ignore"
    return "use" if value == "use" else "ignore" if value == "ignore" else "ask"


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
    import tomlkit  # late: seldom written

    document = _parse(content)
    require_known(document, PET_FILE)
    if value is not None:
        document[name] = value
    elif name in document:
        del document[name]
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    return mark + tomlkit.dumps(document).encode()


def _parse(content: bytes) -> TOMLDocument:
    try:
        return read_toml_document(content)
    except UnicodeDecodeError:
        raise FileBroken(file=PET_FILE, problem="not_utf8") from None
    except ValueError:
        raise FileBroken(file=PET_FILE, problem="not_toml") from None


NAME = "name"
"""Key of the name in pet.toml."""
IDENTITY = "IDENTITY.md"
NAMED_IN = (IDENTITY, PET_FILE, CoreFile.SOUL.value)
"""The files that a pet's display name is from."""


def display_name(workspace: Path, pet_id: str, texts: Texts) -> str:
    """Return the name in IDENTITY.md, else in pet.toml, else that of the soul, else one derived from the id.

    ``texts`` applies only while there is no soul yet.
    """
    own = name_in(_bytes(workspace, IDENTITY), {}) or name_in(b"", read_values(workspace))
    if own is not None:
        return own
    return _name_in_soul(workspace, texts) if pet_id == DEFAULT_PET else pet_id.replace("-", " ").title()


def calls_by_name(text: str, name: str) -> bool:
    """Whether a message calls the pet: its name alone, set off by punctuation at an end, or beside a word or two.

    >>> calls_by_name("Biscuit, what time is it?", "Biscuit"), calls_by_name("I ate a whole biscuit today", "Biscuit")
    (True, False)
    """
    words, name = text.casefold().strip(), name.casefold().strip()
    place = words.find(name)
    if not name or place < 0 or len(words) > _LONGEST_CALL:
        return False
    before, after = words[:place], words[place + len(name) :]
    if any(each.isascii() and each.isalnum() for each in (before[-1:], after[:1])):
        return False  # part of a longer word
    rest = "".join(each if each.isalnum() else " " for each in f"{before} {after}")
    few = len(rest.split()) <= _WORDS_BESIDE if rest.isascii() else len(rest.replace(" ", "")) <= _LETTERS_BESIDE
    at_start, at_end = not before and not after[:1].strip().isalnum(), not any(map(str.isalnum, after))
    return few or (at_start and bool(after[:1].strip())) or (at_end and before.rstrip()[-1:] in _COMMAS)


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
