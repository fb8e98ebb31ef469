"""Words with one slip of the finger: a letter too many, too few, another one, or two swapped; pure.

Owns when two words are that near, and which names of days are meant. Refuses to correct what is asked for beyond
that: a word that occurs is taken as it is.
"""

from __future__ import annotations

import re

_DAYS = (
    "yesterday", "tomorrow", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    "january", "february", "august", "september", "october", "november", "december",
)  # fmt: skip
_OFTEN = {"wensday": "wednesday", "wendsday": "wednesday", "tommorow": "tomorrow", "febuary": "february"}
_WORD = re.compile(r"[A-Za-z]{5,11}")


def one_slip(word: str, other: str) -> bool:
    """Whether one slip makes the one of the other; not where they are equal."""
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
    """Of two that are one slip apart: whether one has another letter, none more and none swapped."""
    return len(word) == len(other) and sorted(word) != sorted(other)


def days_spelled(text: str) -> str:
    """The text with the names of days and months as they are spelled: "yestreday", "Agust"."""
    return _WORD.sub(lambda found: _day_meant(found[0]), text)


def _day_meant(word: str) -> str:
    lower = word.lower()
    if lower in _OFTEN:
        return _OFTEN[lower]
    if lower in _DAYS:
        return word
    # With a letter behind it, it is another word: "Mondays", "Augusta".
    return next((day for day in _DAYS if not lower.startswith(day) and one_slip(lower, day)), word)
