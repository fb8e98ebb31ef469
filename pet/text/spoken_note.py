"""A note as one would say it: without its leading author and its date. Pure."""

from __future__ import annotations

import re

_SPEAKER = re.compile(r"\s*(?:主人|宠物|owner|pet|user|assistant)\s?[:：]\s*", re.IGNORECASE)
_ISO = r"\d{4}-\d{2}-\d{2}"
_STAMP = re.compile(
    rf"^\[?{_ISO}\]?[:：]?\s+|\s*[(（\[](?:(?:on|by|due|截止|到期)\s*)?{_ISO}[)）\]]|\s*@{_ISO}", re.IGNORECASE
)


def plain_note(text: str) -> str:
    """Return the note without its author and its date; unchanged if nothing else is in it.

    >>> plain_note("Owner: water the ferns (by 2026-11-30)")
    'water the ferns'
    """
    return _STAMP.sub("", _SPEAKER.sub("", text, count=1) if _SPEAKER.match(text) else text).strip() or text
