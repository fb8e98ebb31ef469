"""The name that an IDENTITY.md gives the pet, in a separate line or in the first sentence. Pure.

Patterns in ``data/labels.json``.
"""

from __future__ import annotations

from pet.errors import PetNameRefused
from pet.ids import check_pet_name
from pet.language import match_row

_ROWS = "labels.json"
_LINES, _LINE = 100, 200  # lines, and characters of each, that are examined


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
    for line in text.split("\n")[:_LINES]:
        match = match_row(_ROWS, "name_line", line[:_LINE])
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
    for line in text.split("\n")[:_LINES]:
        if line.strip() and not line.lstrip().startswith(("#", "<!--", "---")):
            match = match_row(_ROWS, "named_first", line[:_LINE])
            group = None if match is None else "latin" if match["latin"] else "han"
            return None if match is None or group is None else (match[group], start + match.start(group))
        start += len(line) + 1
    return None
