"""Ids that sort by time, and ids and names of pets."""

from __future__ import annotations

import hashlib
import os
import re
import time
import unicodedata

from pet.errors import BadPetId, PetNameRefused

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, lower case: safe in file names everywhere
_PET_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
MAX_PET_NAME = 60
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs", "Mn", "Me"})  # categories of invisible characters
_REFUSED = frozenset({"Cc", "Cs", "Zl", "Zp"})
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Bidirectional controls: a name could change how the text around it reads."""
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{n}" for n in range(1, 10)), *(f"lpt{n}" for n in range(1, 10))]
)


_IDENTITY_LINES, _IDENTITY_LINE = 100, 200
_NAME_LINE = re.compile(r"\s*(?:[-*+]\s+)?[*_]*(?:name|nombre|名字|名称|姓名)[*_]*\s*[:：](.*)", re.IGNORECASE)

_CALLED = re.compile(
    r"\s*(?:(?:You are|Your name is|I am|I'm|My name is|Eres|Te llamas|Soy|Me llamo)\s+(?:called\s+|named\s+)?[*_]*"
    r"(?P<latin>[A-Z\u00c0-\u00dc][\w'’-]{0,30}(?:\s[A-Z\u00c0-\u00dc][\w'’-]{0,30}){0,2})[*_]*"
    r"|(?:你是|你叫|我是|我叫|你的名字是|我的名字是)\s?[*_「“]*(?P<han>(?!一[个位只名])(?![^，。,.]{0,8}(?:的|助手|助理))[\u3400-\u9fff\w]{1,8})[*_」”]*)"
    r"(?=\s*(?:[,.;:!，。；：！（(—–]|$)).*"
)
"""The first sentence of a personality as the design documents of other companions write it."""


def new_id() -> str:
    """Return 26 characters like a ULID: 48 bits of milliseconds, 80 random bits. Sorts by creation time."""
    return _id((time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10), "big"))


def derived_id(milliseconds: int, seed: str) -> str:
    """Return an id in the form of ``new_id`` that depends only on time and seed."""
    return _id(
        (milliseconds & (1 << 48) - 1) << 80
        | int.from_bytes(hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()[:10], "big")
    )


def _id(value: int) -> str:
    return "".join(_ALPHABET[value >> shift & 31] for shift in range(125, -1, -5))


def is_id(text: str) -> bool:
    """Whether the text has the form of ``new_id``, and so may be part of a file name."""
    return len(text) == 26 and all(c in _ALPHABET for c in text)


def check_pet_id(pet_id: str) -> str:
    """Return the id. Raises BadPetId unless it matches ``[a-z0-9][a-z0-9-]{0,31}`` and is no Windows device name."""
    if not _PET_ID.fullmatch(pet_id) or pet_id in _DEVICES:
        raise BadPetId(pet_id=pet_id[:40])
    return pet_id


def check_pet_name(name: str) -> str:
    """Return a pet's name, stripped. Raises PetNameRefused if it is empty, longer than MAX_PET_NAME, or has line
    ends or other control characters. Any script and emoji are allowed.
    """
    name = name.strip()
    shown = any(unicodedata.category(each) not in _UNSEEN for each in name)
    if not shown or len(name) > MAX_PET_NAME:
        raise PetNameRefused(limit=MAX_PET_NAME)
    if any(unicodedata.category(each) in _REFUSED or each in _TURNING for each in name):
        raise PetNameRefused(limit=MAX_PET_NAME)
    return name


def identity_name(text: str) -> str | None:
    """Return the name in an IDENTITY.md ("- **Name:** Mochi", "名字：麻薯"), else in its first sentence; None if
    it has none.

    >>> identity_name("# Identity\\n\\nYou are Luna, a personal AI companion.")
    'Luna'
    """
    named = _identity_name(text)
    return named and named[0]


def with_identity_name(text: str, name: str) -> str:
    """Return the text with the name replaced, if it has one. A name that could not be read back is left empty."""
    named = _identity_name(text)
    if named is None:
        return text
    old, start = named
    before, after = text[:start], text[start + len(old) :]
    changed = before + name + after
    return changed if identity_name(changed) == name else before + after


def _identity_name(text: str) -> tuple[str, int] | None:
    """Return the name and its offset in the text."""
    start = 0
    for line in text.split("\n")[:_IDENTITY_LINES]:
        match = _NAME_LINE.fullmatch(line[:_IDENTITY_LINE])
        if match is None:
            start += len(line) + 1
            continue
        name = match[1].strip('*_`"“” \t\r')
        if not name or name[0] in "([<{（【":  # an unfilled placeholder
            return None
        try:
            name = check_pet_name(name)
        except PetNameRefused:
            return None
        return name, start + match.start(1) + match[1].index(name)
    return _name_in_first_sentence(text)


def _name_in_first_sentence(text: str) -> tuple[str, int] | None:
    start = 0
    for line in text.split("\n")[:_IDENTITY_LINES]:
        if line.strip() and not line.lstrip().startswith(("#", "<!--", "---")):
            match = _CALLED.fullmatch(line[:_IDENTITY_LINE])
            group = None if match is None else "latin" if match["latin"] else "han"
            return None if match is None or group is None else (match[group], start + match.start(group))
        start += len(line) + 1
    return None
