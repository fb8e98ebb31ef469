"""Ids that sort by time, and the ids of pets. Clock and randomness are passed in by those who test."""

from __future__ import annotations

import hashlib
import os
import re
import time
import unicodedata

from pet.errors import BadPetId, PetNameRefused

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, lower case: safe in file names everywhere
_PET_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_MAX_NAME = 60
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs", "Mn", "Me"})  # kinds of characters that show nothing alone
_REFUSED = frozenset({"Cc", "Cs", "Zl", "Zp"})
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""They turn the reading direction of what stands around the name: a title could be made to say something else."""
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{n}" for n in range(1, 10)), *(f"lpt{n}" for n in range(1, 10))]
)


_IDENTITY_LINES, _IDENTITY_LINE = 100, 200
_NAME_LINE = re.compile(r"\s*(?:[-*+]\s+)?[*_]*(?:name|nombre|名字|名称|姓名)[*_]*\s*[:：](.*)", re.IGNORECASE)


def new_id() -> str:
    """26 characters like a ULID: 48 bits of milliseconds, 80 random bits. Sorts by creation time."""
    return _id((time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10), "big"))


def derived_id(milliseconds: int, seed: str) -> str:
    """Of the form of ``new_id``, and always the same for the same time and seed."""
    return _id(
        (milliseconds & (1 << 48) - 1) << 80 | int.from_bytes(hashlib.sha256(seed.encode()).digest()[:10], "big")
    )


def _id(value: int) -> str:
    return "".join(_ALPHABET[value >> shift & 31] for shift in range(125, -1, -5))


def is_id(text: str) -> bool:
    """Whether the text has the form of ``new_id``: nothing else may become part of a file name."""
    return len(text) == 26 and all(c in _ALPHABET for c in text)


def check_pet_id(pet_id: str) -> str:
    """The id itself. Raises BadPetId unless it matches ``[a-z0-9][a-z0-9-]{0,31}`` and is no Windows device name."""
    if not _PET_ID.fullmatch(pet_id) or pet_id in _DEVICES:
        raise BadPetId(pet_id=pet_id[:40])
    return pet_id


def check_pet_name(name: str) -> str:
    """A pet's name as it is kept. Raises PetNameRefused for one that is empty, too long, or holds what no name does:
    line ends and other control characters. Any script will do, and emoji alone."""
    name = name.strip()
    shown = any(unicodedata.category(each) not in _UNSEEN for each in name)
    if not shown or len(name) > _MAX_NAME:
        raise PetNameRefused(limit=_MAX_NAME)
    if any(unicodedata.category(each) in _REFUSED or each in _TURNING for each in name):
        raise PetNameRefused(limit=_MAX_NAME)
    return name


def identity_name(text: str) -> str | None:
    """The name that an IDENTITY.md gives ("- **Name:** Mochi", "名字：麻薯"); None where it leaves it open."""
    found = _identity_name(text)
    return found and found[0]


def with_identity_name(text: str, name: str) -> str:
    """The text with another name where it gives one: nothing else changes. A name that could not be read back from
    there is left open."""
    found = _identity_name(text)
    if found is None:
        return text
    old, start = found
    before, after = text[:start], text[start + len(old) :]
    changed = before + name + after
    return changed if identity_name(changed) == name else before + after


def _identity_name(text: str) -> tuple[str, int] | None:
    """The name and where in the text it begins."""
    start = 0
    for line in text.split("\n")[:_IDENTITY_LINES]:
        found = _NAME_LINE.fullmatch(line[:_IDENTITY_LINE])
        if found is None:
            start += len(line) + 1
            continue
        name = found[1].strip('*_`"“” \t\r')
        if not name or name[0] in "([<{（【":  # a form that nobody filled in
            return None
        try:
            name = check_pet_name(name)
        except PetNameRefused:
            return None
        return name, start + found.start(1) + found[1].index(name)
    return None
