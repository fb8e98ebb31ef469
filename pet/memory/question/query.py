"""What a question asks for: its words, its days, whom it is about and whether the newest is wanted; pure.

Owns the reading of a question. Refuses nothing: operators, quotes and 10 KB of text are words like any others.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime

from pet.clock import Clock, SystemClock
from pet.memory.entries import count_tokens
from pet.memory.question.dates import Days, asks_lately, find_days, without
from pet.memory.text.simplify import to_simplified
from pet.memory.text.spelling import days_spelled
from pet.memory.text.stopwords import OF_DAYS
from pet.memory.text.tokenize import is_stopword_query, query_tokens

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
_ASIDE = re.compile(  # what is said to be polite, and pairs with letters that tell something
    r"^(?:(?:(?:hey|hi)(?!-)|(?:hello|well)(?=\s*[,.:;!?])|so|ok(?:ay)?|um+|by the way|btw"
    r"|(?:just )?(?:a )?quick question|just (?:wondering|curious)|(?:i was|i'm|i am) (?:just )?wondering(?: if)?"
    r"|do you (?:still |happen to )?(?:remember|recall|know)|(?:can|could|would) you (?:please )?(?:tell|remind"
    r"|help) me(?: again)?|remind me(?: again)?|tell me(?: again)?|let me ask(?: you)?|please"
    r"|you know)\b[\s,.:;!?-]*)+"
    r"|^(?:(?:对了|话说|那个|请问|问一下|顺便问一?下?|我?(?:就是)?想(?:问|知道|请教)(?:问|一下)?你?(?:一下|一件事)?"
    r"|你?(?:还|到底)?(?:记不记得|记得吗?|知不知道|知道吗?)|你?(?:能不能|能|可以|可不可以)?(?:告诉|提醒)(?:一下)?我"
    r"|帮我(?:想想|想一下|回忆一下|查一下|查查|找找|看看))[\s，,。.：:；;！!？?、]*)+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuery:
    """A question as the search works with it: ``meaning`` is what is embedded, ``tokens`` what is looked for.

    ``names`` are words that may be somebody's name, ``said`` is all of it but the dates, for names without blanks.
    """

    meaning: str
    tokens: tuple[str, ...]
    days: tuple[Days, ...]
    whole_days: bool
    lately: bool
    when: bool
    of_the_pet: bool
    names: frozenset[str]
    said: str
    today: date


def parse_query(text: str, today: date) -> ParsedQuery:
    """The start of a long text is the question; dates are taken out of the words."""
    said = text[:MAX_CHARACTERS].encode(errors="replace").decode().strip()  # half a character is none
    text = days_spelled(to_simplified(unicodedata.normalize("NFKC", said)))
    days = find_days(text, today)
    rest = _to_the_point(without(text, days))
    asked = [token for token in query_tokens(rest) if token.strip("_")]
    names_nothing_else = all(is_stopword_query(token) or token in OF_DAYS for token in asked)
    lately = asks_lately(text)
    if lately and not days and names_nothing_else:
        days = [Days(first=_before(today, _LATELY_DAYS), last=today, span=(0, 0))]
    return ParsedQuery(
        meaning=_beginning(said),
        tokens=tuple(asked),
        days=tuple(days),
        whole_days=bool(days) and names_nothing_else,
        lately=lately,
        when=bool(_WHEN.search(text.casefold())),
        of_the_pet=bool(_YOU.search(text.casefold())),
        names=frozenset(token for token in asked if not is_stopword_query(token)),
        said=rest.casefold(),
        today=today,
    )


def _before(today: date, days: int) -> date:
    return date.fromordinal(max(1, today.toordinal() - days))


def _to_the_point(text: str) -> str:
    """Without what only leads up to the question; all of it where nothing follows."""
    text = text.strip()
    found = _ASIDE.match(text)
    return (text[found.end() :] if found else "") or text


def _beginning(text: str) -> str:
    """As much of a long text as can be embedded in a tenth of a second."""
    begun = text[: 4 * _EMBEDDED_TOKENS]
    while count_tokens(begun) > _EMBEDDED_TOKENS:
        begun = begun[:-8]
    return begun


def to_day(now: date | str | None, clock: Clock | None = None) -> date:
    """The day of a date, a moment, or either as ISO text; today for None and for what is none of them: by
    ``clock``, else by the system's."""
    if isinstance(now, datetime):
        return now.date()
    if isinstance(now, date):
        return now
    if now:
        try:
            return datetime.fromisoformat(now).date()
        except ValueError:
            pass
    return (clock or SystemClock()).now().date()
