"""Entries that a change added, as one-line texts for a receipt; pure. Secrets are masked."""

from __future__ import annotations

import re
from datetime import date

from pet.memory.daily_log import strip_speaker
from pet.memory.entries import is_unfilled, whole_entries
from pet.model import NotedText
from pet.text.redaction import redact
from pet.workspace.file_names import kind_of
from pet.workspace.text.encoded_text import normalize_newlines

MAX_ITEMS = 8
MAX_CHARACTERS = 160
_MARK = re.compile(r"^[ \t]*(?:[-*+\u2022]|[0-9]{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_STYLE = re.compile(r"\*\*|__|`")
_ISO = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_STAMP = re.compile(rf"^\[?{_ISO}\]?[:：]?\s+|\s*[(（\[](?:(?:on|by|due|截止|到期)\s*)?{_ISO}[)）\]]")


def noted_entries(name: str, before: str, after: str) -> tuple[NotedText, ...]:
    """Return the entries in ``after`` that are not in ``before``, at most ``MAX_ITEMS``."""
    if kind_of(name) is None:
        return ()
    old = {entry.text for entry in whole_entries(name, _lines(before))}
    new = [entry for entry in whole_entries(name, _lines(after)) if entry.text not in old]
    return tuple(noted_text(entry.text, entry.due) for entry in new if not is_unfilled(entry.text))[:MAX_ITEMS]


def noted_text(text: str, due: date | None = None, *, at: str = "", repeats: str = "") -> NotedText:
    """Return an entry as one line without list mark, speaker, emphasis and date stamp, secrets masked."""
    return NotedText(text=plain_words(redact(text).text), due=due.isoformat() if due else "", at=at, repeats=repeats)


def plain_words(text: str) -> str:
    """Return an entry's words as one line of at most ``MAX_CHARACTERS``, without marks and date stamp."""
    words = " ".join(strip_speaker(_MARK.sub("", text)).split())
    words = _STYLE.sub("", _STAMP.sub("", words)).strip() or words
    return words if len(words) <= MAX_CHARACTERS else words[: MAX_CHARACTERS - 1].rstrip() + "…"


def _lines(text: str) -> list[str]:
    return normalize_newlines(text).split("\n")
