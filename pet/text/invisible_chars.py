"""Count invisible characters that a model would read: zero-width characters and bidi controls. Pure.

Emoji joiners and variation selectors within emoji are not counted, nor joiners in scripts that need them (Persian,
Hindi, ...).
"""

from __future__ import annotations

import unicodedata

_ALWAYS = frozenset(
    "\u00ad\u180e\u200b\u200e\u200f\u061c\u2060\u2061\u2062\u2063\u2064\u206a\u206b\u206c\u206d\u206e\u206f\ufeff"
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufff9\ufffa\ufffb"
)
_JOINERS = frozenset("\u200c\u200d")
_SELECTORS = frozenset("\ufe0e\ufe0f")
_TAGS = range(0xE0000, 0xE0080)  # flag sequences after a black flag; hidden text everywhere else
_BLACK_FLAG = "\U0001f3f4"
_CANCEL_TAG = "\U000e007f"
_JOINED_SCRIPTS = (
    "ARABIC",
    "DEVANAGARI",
    "BENGALI",
    "TAMIL",
    "TELUGU",
    "KANNADA",
    "MALAYALAM",
    "SINHALA",
    "GUJARATI",
)


def count_invisible(text: str) -> int:
    """Return the number of invisible characters."""
    if text.isascii():
        return 0
    return sum(_is_hidden(text, at) for at, char in enumerate(text) if not char.isascii())


def _is_hidden(text: str, at: int) -> bool:
    char = text[at]
    if char in _ALWAYS:
        return True
    if char in _JOINERS:
        before = _before(text, at)
        after = text[at + 1 : at + 2]
        return not (_joins_emoji(before, after) or _joins_letters(before))
    if char in _SELECTORS:
        before = text[at - 1 : at]
        return not before or before.isspace() or before in _SELECTORS
    if ord(char) in _TAGS:
        return not _in_flag(text, at)
    return 0xFE00 <= ord(char) <= 0xFE0D or (0xE0100 <= ord(char) <= 0xE01EF and not _is_ideograph(text[at - 1 : at]))


def _before(text: str, at: int) -> str:
    """Return the character before a joiner, skipping variation selectors and skin tones."""
    at -= 1
    while at > 0 and (text[at] in _SELECTORS or 0x1F3FB <= ord(text[at]) <= 0x1F3FF):
        at -= 1
    return text[at] if at >= 0 else ""


def _joins_emoji(before: str, after: str) -> bool:
    return _is_emoji(before) and _is_emoji(after)


def _is_emoji(char: str) -> bool:
    return bool(char) and unicodedata.category(char) == "So"


def _joins_letters(before: str) -> bool:
    return bool(before) and unicodedata.name(before, "").startswith(_JOINED_SCRIPTS)


def _is_ideograph(char: str) -> bool:
    return bool(char) and unicodedata.name(char, "").startswith("CJK ")


def _in_flag(text: str, at: int) -> bool:
    start = at
    while start > 0 and ord(text[start - 1]) in _TAGS:
        start -= 1
    run = text[start : at + 1] + text[at + 1 : at + 8]
    return start > 0 and text[start - 1] == _BLACK_FLAG and _CANCEL_TAG in run and at - start < 7
