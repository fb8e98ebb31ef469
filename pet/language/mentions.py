"""Whether a note names a person or thing that another one is about. Pure.

In doubt it does: two notes that share a name, an uncommon word or pair of characters, or words of one row of
``data/people.json`` or ``mentions.json`` in any language, such as grandmother and 外婆 or pregnant and gave birth. A
note of nothing but everyday life (``data/everyday.json``) ends nothing: "Rosa rang, we laughed a lot".

Also matters of a message that other words note: a steak and a tooth that was pulled, debts and what was lent. These
are rows of ``data/touching.json``: a pattern for the message (``asked``: for a question), one for what is noted, a
pair that both match, and one of which at most one matches.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from pet.language import pattern_of, pattern_rows, read_rows, read_table
from pet.language.normalization import to_simplified
from pet.language.tokens import CHINESE, is_cjk, is_stopword_query, tokenize
from pet.text.lazy_pattern import lazy_pattern

_MARKS = lazy_pattern("[\u0300-\u036f]")
_ENDINGS = lazy_pattern(r"(?<=\w{3})(?:ar|er|ir|as|os|es|[aoe]s?)$")  # Spanish ones; stems have no English ones
_LONGEST = 5  # letters by which words with other endings are the same: "divorced" and "divorcio"
_NAME = lazy_pattern(r"(?<![.!?:]\s)(?<=\s)(?!I\b)[A-ZÀ-Þ][\w-]*")
_CAPITAL = lazy_pattern(r"\b(?!I\b)[A-ZÀ-Þ][\w-]*")
_CALLED = lazy_pattern(r"叫(?:做|作)?(\w{1,4})")
_CLAUSES = lazy_pattern(r"[.,;:!?。，、；：！？…—–()（）\n]+")
_PEOPLE, _EVERYDAY = "people.json", "everyday.json"
_ALLERGY = "#allergy"
_TREATED = frozenset({"#medicine", "#illness"})
_OF_HEALTH = _TREATED | {_ALLERGY, "#diet"}


@dataclass(frozen=True, slots=True)
class Mentions:
    """``things``: keys of the things that a note names: words, pairs of characters, and rows, which begin with ``#``;
    ``names``: words within its sentences that are surely names, ``capitals``: those that may be.

    >>> sorted(Mentions.of("My gran grows figs").things), sorted(Mentions.of("外婆走了").things)
    (['#grandparent', 'fig', 'grow'], ['#death', '#grandparent'])
    """

    text: str
    things: frozenset[str]
    names: frozenset[str]
    capitals: frozenset[str]

    @staticmethod
    def of(text: str) -> Mentions:
        """Return what a note names."""
        plain = fold_letters(text)
        rows = {name: row for name, row in _rows().items() if row.search(plain)}
        for row in rows.values():
            plain = row.sub(" ", plain)
        things = frozenset({*rows, *filter(_names_something, map(_key, tokenize(plain)))})
        names = frozenset({*_NAME.findall(text), *_CALLED.findall(text)})
        return Mentions(text, things, names, frozenset(_CAPITAL.findall(text)))

    @property
    def people(self) -> frozenset[str]:
        """Relatives, friends and others whom the note names by what they are, and animals; of ``things``."""
        return self.things & _living()

    def names_again(self, fact: Mentions) -> bool:
        """Whether this later note names what a fact is about.

        >>> Mentions.of("The dog is at the vet").names_again(Mentions.of("My dog is called Rex"))
        True
        """
        ends = fact.things
        if ends & _living():
            ends |= {"#death"}
        if ends & _OF_HEALTH:
            ends |= {"#recovery"}
        if ends & _TREATED:
            ends |= {"#doctor"}
        shared = self.things & ends
        if _ALLERGY in shared and _is_another_allergy(self.text, fact.text):
            return False
        return bool(shared or fact.names & self.capitals) or any(
            is_cjk(name) and name in self.text for name in fact.names
        )

    def may_end(self, fact: Mentions) -> bool:
        """Whether this later note names what a fact is about, and is not surely about everyday life alone.

        >>> dog = Mentions.of("My dog is called Rex")
        >>> Mentions.of("Rex slept on my feet").may_end(dog), Mentions.of("Rex sleeps for ever").may_end(dog)
        (False, True)
        """
        return self.names_again(fact) and not self._is_everyday("care" if fact.things & _OF_HEALTH else "act")

    def _is_everyday(self, kind: str) -> bool:
        rows, plain = pattern_rows(_EVERYDAY), fold_letters(self.text)
        if any(pattern.search(plain) for pattern in rows["change"]):
            return False
        clauses = filter(str.strip, _CLAUSES.split(plain))
        return all(any(pattern.search(clause) for pattern in rows[kind]) for clause in clauses)


@cache
def _rows() -> dict[str, re.Pattern[str]]:
    """Return the patterns of people and matters, for ``fold_letters``."""
    return {f"#{kind}": pattern_of(name, kind) for name in (_PEOPLE, "mentions.json") for kind in read_rows(name)}


@cache
def _living() -> frozenset[str]:
    return frozenset(f"#{kind}" for kind in read_rows(_PEOPLE))


@cache
def _nothing() -> frozenset[str]:
    """Return the words and pairs that name nothing."""
    words, pairs = read_table("words_for_nothing.txt"), read_table("words_for_nothing_zh.txt")
    return frozenset({_key(token) for token in tokenize(words)} | set(pairs.split()))


def _is_another_allergy(note: str, fact: str) -> bool:
    """Whether the texts differ in the allergen alone: "Allergic to nuts" and "Allergic to eggs"."""
    ours, theirs = (
        [token for token in tokenize(fold_letters(text)) if len(token) == 1 or not is_cjk(token)]
        for text in (fact, note)
    )
    while ours and theirs and ours[0] == theirs[0]:
        ours, theirs = ours[1:], theirs[1:]
    while ours and theirs and ours[-1] == theirs[-1]:
        ours, theirs = ours[:-1], theirs[:-1]
    unsaid = any(is_stopword_query(token) or _key(token) in _nothing() for token in (*ours, *theirs))
    return bool(ours and theirs) and not unsaid and not {*ours} & {*theirs}


def _names_something(key: str) -> bool:
    if is_cjk(key):
        stops = key in CHINESE or key in _nothing() or all(character in CHINESE for character in key)
        return len(key) > 1 and not stops
    return not (is_stopword_query(key) or key in _nothing() or key.isdigit())


def fold_letters(text: str) -> str:
    """Return the text, or a pattern without upper-case classes, in lower case, simplified and without accents."""
    bare = _MARKS.sub("", unicodedata.normalize("NFD", to_simplified(text).casefold()))
    return unicodedata.normalize("NFC", bare)


def _key(token: str) -> str:
    return token if is_cjk(token) else _ENDINGS.sub("", token)[:_LONGEST]


def touched_facts(message: str, *, asked: bool = False) -> tuple[re.Pattern[str], ...]:
    """Return patterns of the facts that a message touches, or a question (``asked``).

    >>> [fact] = touched_facts("Steak house tonight")
    >>> bool(fact.search("I had a wisdom tooth out")), bool(fact.search("I had a haircut"))
    (True, False)
    """
    plain = to_simplified(message).casefold().replace("\u2019", "'")
    return tuple(fact for pattern, fact in _touching("asked" if asked else "message") if pattern.search(plain))


@cache
def _touching(of: str) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    rows = read_rows("touching.json")["rows"]
    return tuple((re.compile(row[of], re.I), re.compile(row["fact"], re.I)) for row in rows if of in row)
