"""Titles of conversations: from what the owner said, of a branch, and as the stem of a file name. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Protocol

from pet.language.title_words import title_words
from pet.model import Attachment
from pet.text.plain_formula import without_formulas

_TITLE_FROM = 2_000  # characters of the message that are read
_MESSAGES = 4  # that are read for a title
_TITLE_WIDTH = 48  # columns; a wide character counts twice


class OwnersMessage(Protocol):
    """The owner's words of a turn."""

    @property
    def text(self) -> str: ...
    @property
    def attachments(self) -> tuple[Attachment, ...]: ...


def talk_title(messages: Iterable[OwnersMessage]) -> str:
    """Return the title of a conversation: what the first message that is no greeting is about, in a few words; before
    that, the first message as it is, or what it brings. Nothing but these messages is read."""
    begun = list(islice(messages, _MESSAGES))
    for each in begun:
        if words := title_words(without_formulas(each.text[:_TITLE_FROM])):
            return words
    names = (name for each in begun for name in (each.text, *(file.name for file in each.attachments)))
    return next(filter(None, map(title_from, names)), "")


def title_from(text: str) -> str:
    """Return the first words of a text on one line, short enough for a tab.

    >>> title_from("What is the\\n capital of France?")
    'What is the capital of France?'
    """
    words = " ".join(without_formulas(text[:_TITLE_FROM]).split())
    width = 0
    for at, char in enumerate(words):
        width += 2 if ord(char) > 0x2E7F else 1
        if width > _TITLE_WIDTH:
            cut = words[:at]
            space = cut.rfind(" ")
            return (cut[:space] if space > at // 2 else cut).rstrip() + "…"
    return words


def branch_title(title: str) -> str:
    """Return the title of a branch: "Tea" becomes "Tea (2)", and that "Tea (3)"."""
    numbered = re.fullmatch(r"(.*) \((\d{1,4})\)", title)
    return f"{numbered[1]} ({int(numbered[2]) + 1})" if numbered else f"{title} (2)"


def file_stem(title: str) -> str:
    """Return a file name stem of at most 60 characters that is valid on every file system."""
    safe = re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*]+', " ", title)
    return " ".join(safe.split())[:60].strip(" .") or "conversation"
