"""Entries of one file that say the same twice; pure.

Owns when that is so: the same words, or every word of the one in the other, with the same numbers. Refuses to guess
at meaning: two ways to say one thing are two entries.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from pet.memory.entries import Entry
from pet.memory.text.tokenize import tokenize

_FEWEST = 5  # words, or Chinese characters and pairs of them; less says too little to be told apart
_MOST_SHARED = 50  # entries with the rarest word in common that are compared
_DAY = re.compile(r"(?:19|20)[0-9]{2}(?:-|/|\.|年)[0-9]{1,2}(?:-|/|\.|月)[0-9]{1,2}日?")
_NUMBER = re.compile(r"[0-9]+")
_LIST_MARK = re.compile(r"[ \t]*(?:[-*+•]|[0-9]{1,3}[.)])[ \t]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """An entry that may go because another one, ``of``, says it. ``same_words``: word for word."""

    entry: Entry
    of: Entry
    same_words: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    entry: Entry
    day: date | None
    words: frozenset[str]
    numbers: frozenset[str]

    @property
    def worth(self) -> tuple[int, date, int]:
        """The fuller one stays, of equals the newer one, at last the one further down."""
        return len(self.words), self.day or date.min, self.entry.start_line


def find_duplicates(entries: Iterable[tuple[Entry, date | None]]) -> list[Duplicate]:
    """Which entries may go, each given with the day it was noted; one of those that say the same stays."""
    listed = list(entries)
    same = _same_words([entry for entry, _ in listed])
    dropped = {twin.entry.start_line for twin in same}
    rest = [(entry, day) for entry, day in listed if entry.start_line not in dropped]
    return same + _contained(rest)


def _same_words(entries: Sequence[Entry]) -> list[Duplicate]:
    """All but the first of those that say the same under the same heading."""
    first: dict[tuple[str, str], Entry] = {}
    twice: list[Duplicate] = []
    for entry in entries:
        of = first.setdefault((entry.heading, _words(entry)), entry)
        if of is not entry:
            twice.append(Duplicate(entry=entry, of=of, same_words=True))
    return twice


def _contained(entries: Sequence[tuple[Entry, date | None]]) -> list[Duplicate]:
    said = [_said(entry, day) for entry, day in entries]
    said = sorted((one for one in said if len(one.words) >= _FEWEST), key=lambda one: one.worth)
    common = Counter(word for one in said for word in one.words)
    having: dict[str, list[_Said]] = defaultdict(list)
    for one in said:
        for word in one.words:
            having[word].append(one)
    twins: list[Duplicate] = []
    for one in said:  # from the least on
        rarest = min(one.words, key=lambda word: (common[word], word))
        for other in reversed(having[rarest][-_MOST_SHARED:]):  # the fullest first
            if other.worth > one.worth and _says(other, one):
                twins.append(Duplicate(entry=one.entry, of=other.entry, same_words=False))
                break
    return twins


def _said(entry: Entry, day: date | None) -> _Said:
    words = _DAY.sub(" ", _words(entry))
    return _Said(entry=entry, day=day, words=frozenset(tokenize(words)), numbers=frozenset(_NUMBER.findall(words)))


def _words(entry: Entry) -> str:
    """Without its list mark; a box that is ticked is another thing than an empty one."""
    mark = _LIST_MARK.match(entry.text)
    return entry.text[mark.end() if mark else 0 :].strip()


def _says(other: _Said, one: _Said) -> bool:
    return one.words <= other.words and one.numbers <= other.numbers
