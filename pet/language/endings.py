"""Whether a later note says that a fact is over: "Drives a Volvo", "Sold the Volvo". Pure.

A note ends a fact only by a row of ``data/endings.json``: a pattern for the fact, and one for the note that names the
same person or thing. What no row knows ends nothing. A row has a pair that it matches and one that it does not.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from pet.language import read_table
from pet.language.normalization import to_simplified
from pet.text.lazy_pattern import lazy_pattern

_LONGEST = 200  # characters of a fact or of a sentence of a note
_SHORT = 2  # letters of a word that names no thing
_SENTENCES = lazy_pattern(r"[.;!。；！\n]\s*")
_DOUBT = lazy_pattern(
    r"[?？]\s*$|\b(?:if|maybe|perhaps|might|almost|nearly|would|wish|dream\w*|joking|quiz[áa]s?|casi|ojalá|soñé)\b"
    r"|如果|要是|可能|也许|差点|梦见|开玩笑|想要?搬|打算|准备"
)


def end_patterns(fact: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of sentences that end a fact; empty for most facts.

    >>> [pattern] = end_patterns("Owes Ben 50 pounds")
    >>> bool(pattern.search("paid Ben back")), bool(pattern.search("Paid Ben a visit"))
    (True, False)
    """
    plain = _plain(fact)
    if not plain or len(plain) > _LONGEST or _DOUBT.search(plain):
        return ()
    patterns = []
    for stated, end in _rows():
        match = stated.search(plain)
        if match is not None:
            patterns.append(_filled(end, match))
    return tuple(patterns)


def says_end(note: str, patterns: tuple[re.Pattern[str], ...]) -> bool:
    """Return whether a sentence of a later note matches one of a fact's ``end_patterns``."""
    plain = _plain(note)
    if not patterns or _DOUBT.search(plain):
        return False
    sentences = [each for each in _SENTENCES.split(plain) if len(each) <= _LONGEST]
    return any(pattern.search(sentence) for pattern in patterns for sentence in sentences)


@cache
def _rows() -> tuple[tuple[re.Pattern[str], str], ...]:
    data: dict[str, Any] = json.loads(read_table("endings.json"))
    rows: list[tuple[re.Pattern[str], str]] = []
    for language, pairs in data["rows"].items():
        for row in pairs:
            stated, end = row["fact"], row["end"]
            end = f"(?:{end}){{tail}}"
            for name, pattern in data["macros"][language].items():
                stated, end = stated.replace(f"{{{name}}}", pattern), end.replace(f"{{{name}}}", pattern)
            rows.append((re.compile(stated, re.I), end))
    return tuple(rows)


def _filled(end: str, stated: re.Match[str]) -> re.Pattern[str]:
    """Return an end's pattern with what the fact names: ``{x}``, also by its other place ``y``, the owner of a thing
    ``w`` or ``v``, a role ``r``, and one of the words of a phrase ``p``."""
    named = {name: text for name, text in stated.groupdict().items() if text}
    values = {
        "x": _word(named.get("x") or named.get("y", "")),
        "w": _word(named.get("w") or named.get("v", "")),
        "r": _word(named.get("r", "")),
        "p": "|".join(_word(word) for word in named.get("p", "").split() if len(word) > _SHORT),
    }
    for name, text in values.items():
        end = end.replace(f"{{{name}}}", f"(?:{text})" if text else r"(?!)")
    return re.compile(end, re.I)


def _word(word: str) -> str:
    return f"{re.escape(word.removesuffix('s'))}s?" if word.isascii() and word.islower() else re.escape(word)


def _plain(text: str) -> str:
    return to_simplified(" ".join(text.split()).replace("\u2019", "'"))
