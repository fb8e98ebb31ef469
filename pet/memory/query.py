"""Parse a question: its words, its days, its subject and whether it asks for the newest; pure.

Any text is a valid question: operators, quotes and 10 KB of text are words.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime

from pet.clock import Clock, SystemClock
from pet.i18n import day_comes_first
from pet.language import read_table
from pet.language.asking import Subject, concerns_owner, find_subject, statements_of
from pet.language.categories import asked_category, lists_category
from pet.language.normalization import correct_day_names, to_simplified
from pet.language.ranges import Days, asks_for_newest, find_ranges, without
from pet.language.tokens import OF_DAYS, is_stopword_query, query_tokens
from pet.memory.entries import count_tokens

MAX_CHARACTERS = 2_000
_LATELY_DAYS = 14
_EMBEDDED_TOKENS = 96
_RECENT_DAYS = 7  # a weekday is the last one, also in "what do I need on Monday"
_WHEN = re.compile(
    r"^\W*(?:when|what (?:day|date|time|month|year)|how long|since when)\b|什么时候|何时|哪天|哪一天|几号|几月|多久"
)
_YOU = re.compile(
    r"\byou(?:r)? (?:\w+ )?(?:suggest|recommend|advi[sc]e|tell|told|say|said|tip|mention)|\bdid you\b"
    r"|你(?:\S{0,3})?(?:推荐|建议|介绍|说|教|给我|支|提)"
)
_SEVERAL = re.compile(
    r"\bwh(?:ich|o) (?:of|among|all)\b|\b(?:which|what) (?:all )?(?!is\b|was\b|does\b|has\b)\w+s\b"
    r"|\bwhat (?:is there|all|else)\b|\bwhat\b.*\b(?:look|watch) out\b|\beverything\b"
    r"|\bevery(?:one|body)\b|\bwhat \w+ things\b|\bwhat (?:have|do|am|should|could|must) i\b.*\b(?:or|and)\b"
    r"|每个?人|各送|分别|[些点]什么|哪些|有(?:什么|啥)|都有谁|谁(?:会|有|都|养)|什么(?:事|毛病)"
    r"|\bqu[eé] \w+s\b|\bcuáles\b|\bquiénes\b|\btodo lo que\b|\bcada un[oa]\b|\ba todos\b"
)
_NOW = re.compile(
    r"\b(?:now|nowadays|currently|at the moment|at present|these days|still)\b|现在|目前|如今|现任|眼下"
    r"|\b(?:ahora|actualmente|hoy en día|hoy por hoy|todavía)\b"
)
_PAST = re.compile(
    "|".join(
        (
            *read_table("words_of_the_past.txt").splitlines(),
            *read_table("tenses_of_the_past.txt").splitlines(),
        )
    )
)
_HAPPENED = re.compile(r"\b(?:did|was|were)\b|\bhow long (?:has|have)\b")
_ASIDE = re.compile(  # polite introductions
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
    rest = _to_the_point(without(text, days))
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
        when=bool(_WHEN.search(text.casefold())),
        of_the_pet=bool(_YOU.search(text.casefold())),
        names=frozenset(token for token in tokens if not is_stopword_query(token)),
        text=rest.casefold(),
        today=today,
        category=asked_category(rest.casefold()),
        whole_category=lists_category(rest.casefold()),
        several=bool(_SEVERAL.search(rest.casefold())),
        now=bool(_NOW.search(text.casefold())),
        past=bool(_PAST.search(_to_the_point(text).casefold()) or _HAPPENED.search(text.casefold())),
        asks=not statements_of(given),
        own=concerns_owner(given),
        subject=None if days else find_subject(given),
    )


def question_parts(text: str) -> list[str]:
    """Return the questions in a message that asks several, each for itself; none for another.

    >>> question_parts("When is the concert, and what do I sing?"), question_parts("What do I sing?")
    (['When is the concert', 'what do I sing'], [])
    """
    parts = [part.strip(" ,，") for part in _PARTS.split(_readable(text)) if part.strip(" ,，")]
    parts = [part for part in parts if _ASKS_ITSELF.search(part)]
    return parts if 1 < len(parts) <= _MOST_PARTS else []


_MOST_PARTS = 4
_ASKING = (
    "what|who(?:m|se)?|where|when|which|how|why"
    "|(?:is|are|do|does|did|have|has|can|should) (?:i|we|he|she|they|my|the)"
    "|qué|quién(?:es)?|dónde|cuándo|cómo|cuál(?:es)?|cuánt[oa]s?"
)
_PARTS = re.compile(
    rf"[?？;；]+|(?:,|\s)\s*(?:and|or|y|e|o)\s+(?=(?:to |with |for |from |a |de |con )?(?:{_ASKING})\b)"
    rf"|,\s*(?=(?:{_ASKING})\b)|[，、](?:还有|以及)?",
    re.IGNORECASE,
)
_ASKS_ITSELF = re.compile(
    rf"^[\W]*(?:to |with |for |from |a |de |con )?(?:{_ASKING})\b|[什谁哪几多怎吗何]", re.IGNORECASE
)


def asks_for_past(text: str, today: date) -> bool:
    """Return whether a question is about what held earlier: by its words, or by days that are past.

    >>> asks_for_past("Where did I work in spring?", date(2026, 11, 26)), asks_for_past("Where do I work?", date.max)
    (True, False)
    """
    words = _to_the_point(to_simplified(unicodedata.normalize("NFKC", _readable(text)))).casefold()
    past_days = (each for each in parse_query(text, today).days if (today - each.last).days > _RECENT_DAYS)
    return bool(_PAST.search(words)) or any(past_days)


def _readable(text: str) -> str:
    return text[:MAX_CHARACTERS].encode(errors="replace").decode().strip()  # drops lone surrogates


def _before(today: date, days: int) -> date:
    return date.fromordinal(max(1, today.toordinal() - days))


def _to_the_point(text: str) -> str:
    """Return the text without introductory phrases; all of it if nothing else follows."""
    text = text.strip()
    aside = _ASIDE.match(text)
    return (text[aside.end() :] if aside else "") or text


def embedded_part(text: str) -> str:
    """Return as much of a text as is embedded in a tenth of a second; of a question its ``meaning``."""
    begun = _readable(text)[: 4 * _EMBEDDED_TOKENS]
    while count_tokens(begun) > _EMBEDDED_TOKENS:
        begun = begun[:-8]
    return begun


def to_day(now: date | str | None, clock: Clock | None = None) -> date:
    """Return the day of a date, a moment, or ISO text; today by ``clock`` for None and other texts."""
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
