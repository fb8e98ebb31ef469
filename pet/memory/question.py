"""What a question asks for: its words, its days, whom it is about and whether the newest is wanted; pure.

Owns the reading of a question. Refuses nothing: operators, quotes and 10 KB of text are words like any others.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from pet.memory.dates import Days, asks_lately, find_days, without
from pet.memory.entries import count_tokens
from pet.memory.stopwords import OF_DAYS
from pet.memory.words import names_nothing, query_tokens

MAX_CHARACTERS = 2_000
_LATELY_DAYS = 14
_EMBEDDED_TOKENS = 96
_WHEN = re.compile(
    r"^\W*(?:when|what (?:day|date|time|month|year)|how long|since when)\b|什么时候|何时|哪天|哪一天|几号|几月|多久"
)
_YOU = re.compile(
    r"\byou(?:r)? (?:\w+ )?(?:suggest|recommend|advi[sc]e|tell|told|say|said|tip|mention)|\bdid you\b"
    r"|你(?:\S{0,3})?(?:推荐|建议|介绍|说|教|给我|支|提)"
)
_NAME = re.compile(r"\b[A-Z][a-z]+\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question as the search works with it: ``meaning`` is what is embedded, ``tokens`` what is looked for."""

    meaning: str
    tokens: tuple[str, ...]
    days: tuple[Days, ...]
    whole_days: bool
    lately: bool
    when: bool
    of_the_pet: bool
    names: frozenset[str]
    today: date


def read_question(text: str, today: date) -> Question:
    """The start of a long text is the question; dates are taken out of the words."""
    said = text[:MAX_CHARACTERS].encode(errors="replace").decode().strip()  # half a character is none
    text = unicodedata.normalize("NFKC", said)
    days = find_days(text, today)
    rest = without(text, days)
    asked = [token for token in query_tokens(rest) if token.strip("_")]
    names_nothing_else = all(names_nothing(token) or token in OF_DAYS for token in asked)
    lately = asks_lately(text)
    if lately and not days and names_nothing_else:
        days = [Days(first=today - timedelta(_LATELY_DAYS), last=today, span=(0, 0))]
    return Question(
        meaning=_beginning(said),
        tokens=tuple(asked),
        days=tuple(days),
        whole_days=bool(days) and names_nothing_else,
        lately=lately,
        when=bool(_WHEN.search(text.casefold())),
        of_the_pet=bool(_YOU.search(text.casefold())),
        names=frozenset(name.casefold() for name in _NAME.findall(rest)),
        today=today,
    )


def _beginning(text: str) -> str:
    """As much of a long text as can be embedded in a tenth of a second."""
    begun = text[: 4 * _EMBEDDED_TOKENS]
    while count_tokens(begun) > _EMBEDDED_TOKENS:
        begun = begun[:-8]
    return begun


def to_day(now: date | str | None) -> date:
    """The day of a date, a moment, or either as ISO text; today for None and for what is none of them."""
    if isinstance(now, datetime):
        return now.date()
    if isinstance(now, date):
        return now
    if now:
        try:
            return datetime.fromisoformat(now).date()
        except ValueError:
            pass
    return datetime.now().astimezone().date()
