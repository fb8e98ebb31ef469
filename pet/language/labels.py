"""Labels with which notes begin ("Owner:", 主人：), and names that a text tells. Pure.

Patterns in ``data/labels.json``; labels of other speakers are no labels.
"""

from __future__ import annotations

import re

from pet.i18n import is_chinese
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
