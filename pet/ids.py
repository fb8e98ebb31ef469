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
