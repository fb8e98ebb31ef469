"""Parse a question: its words, its days, its subject and whether it asks for the newest; pure.

Any text is a valid question: operators, quotes and 10 KB of text are words.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime

from pet.clock import SystemClock
from pet.i18n import day_comes_first
from pet.language import read_table
from pet.language.asking import Subject, asks_of, concerns_owner, find_subject, statements_of, without_introduction
from pet.language.calendar_words import correct_day_names
from pet.language.categories import asked_category, lists_category
from pet.language.normalization import to_simplified
from pet.language.ranges import Days, asks_for_newest, find_ranges, without
from pet.language.tokens import OF_DAYS, is_stopword_query, query_tokens
from pet.text.token_estimate import estimate_tokens

MAX_CHARACTERS = 2_000
_LATELY_DAYS = 14
_EMBEDDED_TOKENS = 96
_RECENT_DAYS = 7  # a weekday is the last one, also in "what do I need on Monday"
_PAST = re.compile(
    "|".join(
        (
            *read_table("words_of_the_past.txt").splitlines(),
            *read_table("tenses_of_the_past.txt").splitlines(),
        )
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuery:
    """A parsed question. ``meaning`` is embedded, ``tokens`` are searched.

    ``names``: tokens that may be somebody's name. ``text``: the text without dates, for names in scripts without
    spaces. ``category``: the kind of entries asked for, if it names one; ``whole_category``: nothing else is wanted.
    ``several``: it asks for more than one thing. ``now``: for what holds at present; ``past``: for what held or
    happened. ``asks``: it is a question or a request. ``own``: it speaks of the owner.
    ``subject``: what it asks to be told about, if that is all and no day is named.
    """

    meaning: str
    tokens: tuple[str, ...]
    days: tuple[Days, ...]
    whole_days: bool
    lately: bool
    when: bool
    of_the_pet: bool
    names: frozenset[str]
    text: str
    today: date
    category: str = ""
    whole_category: bool = False
    several: bool = False
    now: bool = False
    past: bool = False
    asks: bool = False
    own: bool = False
    subject: Subject | None = None


def parse_query(text: str, today: date) -> ParsedQuery:
    """Parse the first ``MAX_CHARACTERS`` of a text; words of dates are removed from the tokens."""
    given = _readable(text)
    text = correct_day_names(to_simplified(unicodedata.normalize("NFKC", given)))
    days = find_ranges(text, today, day_comes_first())
    rest = without_introduction(without(text, days))
    tokens = [token for token in query_tokens(rest) if token.strip("_")]
    names_nothing_else = all(is_stopword_query(token) or token in OF_DAYS for token in tokens)
    lately = asks_for_newest(text)
    if lately and not days and names_nothing_else:
        days = [Days(first=_before(today, _LATELY_DAYS), last=today, span=(0, 0))]
    return ParsedQuery(
        meaning=embedded_part(given),
        tokens=tuple(tokens),
        days=tuple(days),
        whole_days=bool(days) and names_nothing_else,
        lately=lately,
        when=asks_of("when", text.casefold()),
        of_the_pet=asks_of("pet_says", text.casefold()),
        names=frozenset(token for token in tokens if not is_stopword_query(token)),
        text=rest.casefold(),
        today=today,
        category=asked_category(rest.casefold()),
        whole_category=lists_category(rest.casefold()),
        several=asks_of("several", rest.casefold()),
        now=asks_of("now", text.casefold()),
        past=bool(_PAST.search(without_introduction(text).casefold()) or asks_of("past", text.casefold())),
        asks=not statements_of(given),
        own=concerns_owner(given),
        subject=None if days else find_subject(given),
    )


def asks_for_past(text: str, today: date) -> bool:
    """Return whether a question is about what held earlier: by its words, or by days that are past.

    >>> asks_for_past("Where did I work in spring?", date(2026, 11, 26)), asks_for_past("Where do I work?", date.max)
    (True, False)
    """
    words = without_introduction(to_simplified(unicodedata.normalize("NFKC", _readable(text)))).casefold()
    past_days = (each for each in parse_query(text, today).days if (today - each.last).days > _RECENT_DAYS)
    return bool(_PAST.search(words)) or any(past_days)


def _readable(text: str) -> str:
    return text[:MAX_CHARACTERS].encode(errors="replace").decode().strip()  # drops lone surrogates


def _before(today: date, days: int) -> date:
    return date.fromordinal(max(1, today.toordinal() - days))


def embedded_part(text: str) -> str:
    """Return as much of a text as is embedded in a tenth of a second; of a question its ``meaning``."""
    begun = _readable(text)[: 4 * _EMBEDDED_TOKENS]
    while estimate_tokens(begun) > _EMBEDDED_TOKENS:
        begun = begun[:-8]
    return begun


def to_day(now: date | None) -> date:
    """Return the day of a date or a moment; today for None."""
    now = now or SystemClock().now()
    return now.date() if isinstance(now, datetime) else now
