"""Labels with which notes begin ("Owner:", 主人：), and names that a text tells. Pure.

Patterns in ``data/labels.json``; labels of other speakers are no labels.
"""

from __future__ import annotations

import re

from pet.i18n import is_chinese
from pet.language import pattern_rows

SPEAKERS = frozenset({"owner", "pet", "user", "assistant", "主人", "宠物"})
"""Speakers of notes, who are not meant by these words in a question."""
_LONGEST = 600  # characters of a message that tells a name


def note_label(kind: str, text: str) -> re.Match[str] | None:
    """Return the label of this kind (``speaker``, ``owner``, ``pet``, ``subject``) with which a text begins."""
    return next((match for row in pattern_rows("labels.json")[kind] if (match := row.match(text))), None)


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


def told_name(message: str) -> str:
    """Return the name that a message tells and nothing else; "" for any other message.

    >>> told_name("My name is Anna."), told_name("我叫小林"), told_name("My name is on the list of people, is yours?")
    ('Anna', '小林', '')
    """
    (pattern,) = pattern_rows("labels.json")["told_name"]
    match = pattern.fullmatch(message.strip()) if len(message) <= _LONGEST else None
    name = match["name"].rstrip(".") if match else ""
    return name if name[:1].isupper() or not name[:1].isascii() else ""


def stated_name(text: str) -> str:
    """Return the name that a text states as its own, as SOUL.md does; "" without one."""
    (pattern,) = pattern_rows("labels.json")["stated_name"]
    match = pattern.search(text)
    return next(filter(None, match.groups()), "") if match else ""
