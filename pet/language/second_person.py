"""Turn what the owner said of themselves into a sentence to the owner: "I work at Acme", "you work at Acme". Pure.

Patterns of ``data/second_person.json``, and verbs beside it; a text for which no rule is sure is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from pet.i18n import is_chinese
from pet.language import pattern_of, read_table, read_words
from pet.text.lazy_pattern import lazy_pattern

_SUBJECT_EN = lazy_pattern(r"(?:the )?(?:user|owner)(?P<own>['’]s)? (?=\w)", re.I)
_SUBJECT_ZH = lazy_pattern(r"(?:用户|主人)(?=[^:：])")
_SUBJECT_ES = lazy_pattern(r"(?:el|la) (?:usuari[oa]|dueñ[oa]) (?=\w)", re.I)
_SPANISH = lazy_pattern(r"\b(?:el|en|los|las|un|una|del|que|y|con|por|para|mis?|sus?|es|está)\b|[áéíóúñ¿¡]", re.I)
_FIRST_EN = lazy_pattern(r"\b(?:I am|I'm|I’m|I was|I've|I’ve|I|(?i:me|my|mine|myself))\b")
_FIRST_TO_YOU = {
    "i am": "you are",
    "i'm": "you're",
    "i was": "you were",
    "i've": "you've",
    "i": "you",
    "me": "you",
} | {
    "my": "your",
    "mine": "yours",
    "myself": "yourself",
}
_YOU = lazy_pattern(r"\b(?:you|your|yours|yourself)\b|[你您]", re.I)
_ADVERBS = lazy_pattern(r"(?:(?:never|always|often|usually|sometimes|rarely|seldom|still|really|also|only) )+", re.I)
_JOINED = lazy_pattern(
    r"(?:,|;| and| but| or| then)(?: (?:and|but|then|never|always|often|usually|sometimes|rarely|still|also))*"
    r" (?P<verb>[\w'’]+)",
    re.I,
)
_WHO = lazy_pattern(r"\b(?:who|which|that|where)\b", re.I)
_WORD = lazy_pattern(r"[\w'’-]+")


_ROWS = "second_person.json"


@cache
def _english_verbs() -> dict[str, str]:
    pairs = read_table("verbs_to_you.txt").split()
    return {pair.partition(":")[0]: pair.rpartition(":")[2] for pair in pairs}


@cache
def _spanish_verbs() -> tuple[list[list[str]], list[list[str]]]:
    """Return the pairs of verbs of the first person, and of the third."""
    first, third = read_table("verbs_to_you_es.txt").split("\n\n")
    return [line.split(":") for line in first.splitlines()], [line.split(":") for line in third.splitlines()]


def looks_spanish(text: str) -> bool:
    """Return whether a text has Spanish words or signs."""
    return _SPANISH.search(text) is not None


def speaks_to_you(text: str) -> bool:
    """Return whether a text has a form of "you" in English or Chinese."""
    return _YOU.search(text) is not None


def in_second_person(text: str) -> str:
    """Return what a text says of the owner as a sentence to the owner, or the text.

    >>> in_second_person("I work at Acme"), in_second_person("用户喜欢茶"), in_second_person("It rains")
    ('you work at Acme', '你喜欢茶', 'It rains')
    """
    rewrites: tuple[Callable[[str], str | None], ...] = (_chinese,) if is_chinese(text) else (_spanish, _english)
    return next((changed for rewrite in rewrites if (changed := rewrite(text))), text)


def _english(text: str) -> str | None:
    subject = _SUBJECT_EN.match(text)
    rest = text[subject.end() :] if subject else text
    if pattern_of(_ROWS, "others", "en").search(rest) or _SPANISH.search(rest):
        return None
    if subject and subject["own"]:
        return f"Your {rest}"
    lead = _ADVERBS.match(rest)
    adverbs = lead[0].lower() if lead else ""
    first = _WORD.match(rest, len(adverbs))
    verb = _verb(first[0]) if first else None
    if first and verb and not _FIRST_EN.search(rest):
        tail = _with_joined_verbs(rest[first.end() :])
        return None if tail is None else f"You {adverbs}{verb}{tail}"
    if not subject and pattern_of(_ROWS, "begins", "en").match(rest):
        return f"You are {rest[0].lower()}{rest[1:]}"
    if not subject and re.match(r"born\b", rest, re.I):
        return f"You were {rest[0].lower()}{rest[1:]}"
    if subject or not _FIRST_EN.search(text):
        return None
    return _FIRST_EN.sub(lambda match: _FIRST_TO_YOU[match[0].replace("’", "'").lower()], text)


def _verb(word: str) -> str | None:
    """Return the form of a listed verb after "you": "go" for "goes"; None for other words."""
    return _english_verbs().get(word.replace("’", "'").lower())


def _with_joined_verbs(tail: str) -> str | None:
    """Return the rest of a sentence with its further verbs after "you": " jazz and go to concerts"; None where a word
    may be a noun, or another's verb."""
    for match in reversed(list(_JOINED.finditer(tail))):
        verb = _verb(match["verb"])
        if verb is not None and verb != match["verb"].lower():
            if match["verb"].lower() in read_words("verbs_like_nouns.txt") or _WHO.search(tail, 0, match.start()):
                return None
            tail = f"{tail[: match.start('verb')]}{verb}{tail[match.end() :]}"
    return tail


def _chinese(text: str) -> str | None:
    if pattern_of(_ROWS, "others", "zh").search(text) or "我们" in text or "咱" in text:
        return None
    if _SUBJECT_ZH.match(text):
        return _SUBJECT_ZH.sub("你", text, count=1)
    if "我" in text:
        return text.replace("我", "你")
    return f"你{text}" if pattern_of(_ROWS, "begins", "zh").match(text) else None


def _spanish(text: str) -> str | None:
    first, third = _spanish_verbs()
    subject = _SUBJECT_ES.match(text)
    rest = text[subject.end() :] if subject else text
    for old, new in (*third, *(() if subject else first)):
        if rest[: len(old) + 1].lower() == f"{old} " and not pattern_of(_ROWS, "others", "es").search(
            rest[len(old) :]
        ):
            return f"{new}{rest[len(old) :]}"
    begins = None if subject else pattern_of(_ROWS, "begins", "es").match(rest)
    if begins and not pattern_of(_ROWS, "others", "es").search(rest):
        return f"{'Estás' if begins['state'] else 'Eres'} {rest[0].lower()}{rest[1:]}"
    return None
