"""Labels with which notes begin ("Owner:", 主人：), and names that a text or an IDENTITY.md tells. Pure.

Patterns in ``data/labels.json``; labels of other speakers are no labels.
"""

from __future__ import annotations

import re

from pet.errors import PetNameRefused
from pet.i18n import is_chinese
from pet.ids import check_pet_name
from pet.language import match_row, pattern_rows

_ROWS = "labels.json"
SPEAKERS = frozenset({"owner", "pet", "user", "assistant", "主人", "宠物"})
"""Speakers of notes, who are not meant by these words in a question."""
LABELS_OF_TURNS = ("owner:", "owner：", "主人:", "主人：", "assistant:")
"""Labels that a model puts before its reply."""
ROLES = ("system", "assistant", "human", "系统", "系統", "助手", "助理")
"""Names of the sides of a conversation, as templates write them before a colon."""
EARLIER = ("(earlier: ", "(antes: ", "（以前：")
"""Beginnings of the older line in a note, in the languages of ``note.earlier``."""
_LONGEST = 600  # characters of a message that tells a name


def note_label(kind: str, text: str) -> re.Match[str] | None:
    """Return the label of this kind (``speaker``, ``owner``, ``pet``, ``subject``) with which a text begins."""
    return match_row(_ROWS, kind, text)


def label_for(owner: bool, text: str) -> str:
    """Return the label of owner or pet in the language of a text."""
    if is_chinese(text):
        return "主人：" if owner else "宠物："
    return "Owner: " if owner else "Pet: "


def strip_speaker(text: str) -> str:
    """Return the text without its speaker label; unchanged if there is nothing else."""
    text = text.strip()
    label = note_label("speaker", text)
    return (text[label.end() :].strip() if label else "") or text


def strip_owner(text: str) -> str:
    """Return the text without a label that names the owner; other labels stay."""
    text = text.strip()
    return text[label.end() :] if (label := note_label("owner", text)) else text


def strip_stamps(text: str) -> str:
    """Return the text without its day: "2026-11-30: tea", "tea (by 2026-11-30)", "tea @2026-11-30"."""
    for row in pattern_rows(_ROWS)["stamp"]:
        text = row.sub("", text)
    return text


def ended_day(text: str) -> re.Match[str] | None:
    """Return the mark of a line that the owner said to hold no longer, "(until 2026-11-30)", with its ``day``."""
    (pattern,) = pattern_rows(_ROWS)["until"]
    return pattern.search(text)


def told_name(message: str) -> str:
    """Return the name that a message tells and nothing else; "" for any other message.

    >>> told_name("My name is Anna."), told_name("我叫小林"), told_name("My name is on the list of people, is yours?")
    ('Anna', '小林', '')
    """
    (pattern,) = pattern_rows(_ROWS)["told_name"]
    match = pattern.fullmatch(message.strip()) if len(message) <= _LONGEST else None
    name = match["name"].rstrip(".") if match else ""
    return name if name[:1].isupper() or not name[:1].isascii() else ""


def stated_name(text: str) -> str:
    """Return the name that a text states as its own, as SOUL.md does; "" without one."""
    (pattern,) = pattern_rows(_ROWS)["stated_name"]
    match = pattern.search(text)
    return next(filter(None, match.groups()), "") if match else ""


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
