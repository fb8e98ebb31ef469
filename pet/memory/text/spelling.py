"""Words one typing slip apart: one letter more, less, replaced, or two swapped; pure."""

from __future__ import annotations

import re

_DAYS = (
    "yesterday", "tomorrow", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    "january", "february", "august", "september", "october", "november", "december",
)  # fmt: skip
_OFTEN = {"wensday": "wednesday", "wendsday": "wednesday", "tommorow": "tomorrow", "febuary": "february"}
_LONG = 7  # shorter words with another letter are mostly other words
_WORD = re.compile(r"[A-Za-z]{5,11}")


def is_one_edit(word: str, other: str) -> bool:
    """Return whether the words are one slip apart; False if they are equal."""
    if len(word) > len(other):
        word, other = other, word
    if len(other) - len(word) > 1 or word == other:
        return False
    at = next((at for at, letter in enumerate(word) if letter != other[at]), len(word))
    if len(word) < len(other):
        return word[at:] == other[at + 1 :]
    swapped = word[at : at + 2] == other[at : at + 2][::-1] and word[at + 2 :] == other[at + 2 :]
    return swapped or word[at + 1 :] == other[at + 1 :]


def is_replaced(word: str, other: str) -> bool:
    """Return whether two words one slip apart differ by a replaced letter."""
    return len(word) == len(other) and sorted(word) != sorted(other)


def correct_day_names(text: str) -> str:
    """Return the text with corrected names of days and months: "yestreday", "Agust"."""
    return _WORD.sub(lambda match: _day_meant(match[0]), text)


def _day_meant(word: str) -> str:
    lower = word.lower()
    if lower in _OFTEN:
        return _OFTEN[lower]
    if lower in _DAYS:
        return word
    return next((day for day in _DAYS if _may_mean(lower, day)), word)


def _may_mean(word: str, day: str) -> bool:
    """Return whether the word is a misspelt day name, not a word that is as near: with a letter added ("Mondays",
    "Augusta"), with another end ("Frida", "Sundar", "sundae"), or short with a letter replaced ("sundry",
    "Munday")."""
    if word.startswith(day) or word[-1] != day[-1] or not is_one_edit(word, day):
        return False
    return len(day) >= _LONG or not is_replaced(word, day)
