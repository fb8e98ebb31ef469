"""Quotes of entries before the owner: the first sentence, what it is about, and whether it is grave. Pure."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from pet.language.tokens import is_cjk, is_stopword_query, tokenize
from pet.memory import read_data

LONGEST = 100
"""Maximum characters quoted of an entry."""
SHORTEST = 4
_SPACE = re.compile(r"\s+")
_SENTENCE = re.compile(r"[。！？!?\n]|[.](?=\s)")
_MARKS = re.compile(r"[*_`~#>\[\]|]+")
_EDGES = " \t.。;；,，:：\"“”‘'’"


@cache
def _hard() -> re.Pattern[str]:
    return re.compile(read_data("reminders", "occasions.json")["hard"], re.IGNORECASE)


def is_hard(text: str) -> bool:
    """Return whether a text is about grief, illness or loss: by the words of ``data/occasions.json``."""
    return _hard().search(text) is not None


def topic(text: str) -> frozenset[str]:
    """Return the content words of a text."""
    named = (token for token in tokenize(text) if not is_stopword_query(token))
    return frozenset(token for token in named if len(token) > 1 or not (is_cjk(token) or token.isascii()))


def quoted(text: str) -> str:
    """Return the first sentence as plain text without markup or invisible characters, at most ``LONGEST``
    characters."""
    plain = "".join(sign for sign in text if sign == "\n" or unicodedata.category(sign) not in ("Cc", "Cf", "Cs"))
    plain = _MARKS.sub("", plain).strip()
    end = _SENTENCE.search(plain)
    first = plain[: end.start()] if end and end.start() >= SHORTEST else plain
    line = _SPACE.sub(" ", first).strip(_EDGES)
    if len(line) <= LONGEST:
        return line
    cut = line[:LONGEST]
    at = max(cut.rfind(sign) for sign in (" ", "，", "、", ","))
    return (cut[:at] if at > LONGEST // 2 else cut).rstrip(_EDGES) + "…"
