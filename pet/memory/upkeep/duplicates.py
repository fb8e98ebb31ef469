"""Find entries of one file that say the same: equal words, or all words and numbers of one in the other; pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from pet.memory.entries import Entry
from pet.memory.text.tokenize import tokenize

_FEWEST = 5  # tokens; entries with fewer are not compared
_MOST_SHARED = 50  # compared entries that share the rarest word
_DATE = re.compile(r"(?:19|20)[0-9]{2}(?:-|/|\.|年)[0-9]{1,2}(?:-|/|\.|月)[0-9]{1,2}日?")
_NUMBER = re.compile(r"[0-9]+")
_LIST_MARK = re.compile(r"[ \t]*(?:[-*+•]|[0-9]{1,3}[.)])[ \t]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """An entry covered by another one, ``of``. ``same_words``: word for word."""

    entry: Entry
    of: Entry
    same_words: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comparable:
    entry: Entry
    day: date | None
    words: frozenset[str]
    numbers: frozenset[str]

    @property
    def worth(self) -> tuple[int, date, int]:
        """Sort key: the entry with more words stays, of equals the newer, then the later one."""
        return len(self.words), self.day or date.min, self.entry.start_line


def find_duplicates(entries: Iterable[tuple[Entry, date | None]]) -> list[Duplicate]:
    """Return the entries that may be removed, one of each group excepted. ``entries``: with the day each was
    noted."""
    listed = list(entries)
    same = _same_words([entry for entry, _ in listed])
    dropped = {twin.entry.start_line for twin in same}
    rest = [(entry, day) for entry, day in listed if entry.start_line not in dropped]
    return same + _contained(rest)


def _same_words(entries: Sequence[Entry]) -> list[Duplicate]:
    """Return all but the first of the entries with equal text under the same heading."""
    first: dict[tuple[str, str], Entry] = {}
    twice: list[Duplicate] = []
    for entry in entries:
        of = first.setdefault((entry.heading, _words(entry)), entry)
        if of is not entry:
            twice.append(Duplicate(entry=entry, of=of, same_words=True))
    return twice


def _contained(entries: Sequence[tuple[Entry, date | None]]) -> list[Duplicate]:
    candidates = [_comparable(entry, day) for entry, day in entries]
    candidates = sorted((one for one in candidates if len(one.words) >= _FEWEST), key=lambda one: one.worth)
    common = Counter(word for one in candidates for word in one.words)
    by_word: dict[str, list[_Comparable]] = defaultdict(list)
    for one in candidates:
        for word in one.words:
            by_word[word].append(one)
    twins: list[Duplicate] = []
    for one in candidates:  # least content first
        rarest = min(one.words, key=lambda word: (common[word], word))
        for other in reversed(by_word[rarest][-_MOST_SHARED:]):  # most content first
            if other.worth > one.worth and _says(other, one):
                twins.append(Duplicate(entry=one.entry, of=other.entry, same_words=False))
                break
    return twins


def _comparable(entry: Entry, day: date | None) -> _Comparable:
    words = _DATE.sub(" ", _words(entry))
    return _Comparable(
        entry=entry, day=day, words=frozenset(tokenize(words)), numbers=frozenset(_NUMBER.findall(words))
    )


def _words(entry: Entry) -> str:
    """Return the text without its list mark; a ticked box stays, as it differs from an empty one."""
    mark = _LIST_MARK.match(entry.text)
    return entry.text[mark.end() if mark else 0 :].strip()


def _says(other: _Comparable, one: _Comparable) -> bool:
    return one.words <= other.words and one.numbers <= other.numbers
