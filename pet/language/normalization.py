"""Written forms that mean the same: traditional and simplified characters, numbers in words, misspellings; pure."""

from __future__ import annotations

import re
import unicodedata

from pet.language import read_table

_TABLE = {ord(pair[0]): pair[1] for pair in read_table("traditional.txt").split()}


def to_simplified(text: str) -> str:
    """Return the text with simplified characters, of the same length."""
    return text.translate(_TABLE)


_ACCENTED = re.compile("[\u00e0-\u00f6\u00f8-\u024f\u0300-\u036f\u0370-\u03ff\u1e00-\u1fff]")
_ACCENTS = re.compile("(?<=[a-zα-ω])[\u0300-\u036f]+")
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})


def has_accents(text: str) -> bool:
    """Return whether ``plain_letters`` may change a lower-case text."""
    return not text.isascii() and bool(_ACCENTED.search(text))


def plain_letters(text: str) -> str:
    """Return a lower-case text with the plain letters of Latin and Greek; marks of other scripts are letters.

    >>> plain_letters("émile begoña łódź が")
    'emile begona lodz が'
    """
    if not has_accents(text):
        return text
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text.translate(_LETTERS))))


def folded(text: str) -> str:
    """Return the text with case and width folded; accents stay."""
    return unicodedata.normalize("NFKC", text).casefold()


def search_form(text: str, *, accents: bool = False) -> str:
    """Return the form in which conversations are searched: case and width folded, and accents unless ``accents``.

    The page has the same rule in ``ui/src/search_form.ts``.

    >>> search_form("É\uff4dile", accents=True), search_form("Émile")
    ('émile', 'emile')
    """
    return folded(text) if accents else plain_letters(folded(text))


def search_form_places(text: str, *, accents: bool = False) -> tuple[str, list[tuple[int, int]]]:
    """Return the search form, and for each of its characters the stretch of ``text`` that gave it."""
    form: list[str] = []
    places: list[tuple[int, int]] = []
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and _joins(text[end]):
            continue
        piece = search_form(text[start:end], accents=accents)
        form.append(piece)
        same = len(piece) == end - start
        places.extend((start + at, start + at + 1) if same else (start, end) for at in range(len(piece)))
        start = end
    return "".join(form), places


def _joins(char: str) -> bool:
    """Return whether a character may become one with that before it: marks, later jamo, half-width voicing marks."""
    return not char.isascii() and (
        unicodedata.category(char)[0] == "M" or "\u1160" <= char <= "\u11ff" or char in "\uff9e\uff9f"
    )


UP_TO_TWENTY = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_ENGLISH = {word: value for value, word in enumerate(UP_TO_TWENTY)}
_ENGLISH |= {"thirty": 30, "forty": 40, "forty-five": 45, "forty five": 45, "fifty": 50, "sixty": 60, "ninety": 90}
_ENGLISH |= {"a": 1, "an": 1, "a couple of": 2, "couple of": 2, "a few": 3, "few": 3}
_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "几": 3}


def read_number(text: str) -> int:
    """Return the value of digits, or of an English or Chinese number; the lower bound of a range.

    Raises LookupError, ValueError for others.
    """
    return read_range(text)[0]


def read_range(text: str) -> tuple[int, int]:
    """Return both bounds of a number, which are equal unless it is a range: 两三 is 2 to 3, 二三十 is 20 to 30.

    Raises LookupError, ValueError for other texts.
    """
    text = " ".join(text.split())
    if text.isascii():
        value = int(text) if text.isdigit() else _ENGLISH[text]
        return value, value
    for unit, size in (("百", 100), ("十", 10)):
        before, mark, after = text.partition(unit)
        if mark:
            if mark in after:  # 十几二十: "ten-odd to twenty"
                raise LookupError(text)
            many = read_range(before) if before else (1, 1)
            rest = read_range(after.lstrip("零〇")) if after else (0, 0)
            return size * many[0] + rest[0], size * many[1] + rest[1]
    digits = [_DIGITS[digit] for digit in text]
    if len(digits) == 2 and ((digits[0] > 0 and digits[1] == digits[0] + 1) or text == "三五"):
        return digits[0], digits[1]
    value = int("".join(map(str, digits)))
    return value, value


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
