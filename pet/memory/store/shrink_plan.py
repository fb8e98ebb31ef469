"""Plan how MEMORY.md or USER.md is shortened when nearly full, entry by entry; pure.

Entries go in this order: duplicates, what is over, then the oldest. An entry stays unchanged, moves unchanged to
a daily log, or is dropped because the same words stay under the same heading; none is rewritten.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import Enum

from pet.language import has_row, match_row, pattern_rows
from pet.language.tokens import tokenize
from pet.memory.store.split_entries import Entry, whole_entries, without_mark
from pet.workspace.line_diff import dropped_line_ratio

_FEWEST = 5  # tokens; entries with fewer are not compared
_MOST_SHARED = 50  # compared entries that share the rarest word
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
    (day_pattern,) = pattern_rows(_ROWS)["day"]
    words = day_pattern.sub(" ", _words(entry))
    return _Comparable(
        entry=entry, day=day, words=frozenset(tokenize(words)), numbers=frozenset(_NUMBER.findall(words))
    )


def _words(entry: Entry) -> str:
    """Return the text without its list mark; a ticked box stays, as it differs from an empty one."""
    mark = _LIST_MARK.match(entry.text)
    return entry.text[mark.end() if mark else 0 :].strip()


def _says(other: _Comparable, one: _Comparable) -> bool:
    return one.words <= other.words and one.numbers <= other.numbers


_ROWS = "keeping.json"
_OLDEST_NOTE = 10  # years; an older date is likely a birthday


class EntryStatus(Enum):
    """Status of an entry today."""

    OVER = "over"  # done, or its last day has passed
    STAYS = "stays"  # must stay in the file
    OTHER = "other"


def entry_status(entry: Entry, today: date) -> EntryStatus:
    """Return the status by the entry's words and heading."""
    if has_row(_ROWS, "done", entry.text):
        return EntryStatus.OVER
    if has_row(_ROWS, "stays", entry.text) or has_row(_ROWS, "staying_heading", entry.heading):
        return EntryStatus.STAYS
    days = _days("day", entry.text)
    if any(day > today for day in days):  # still to come
        return EntryStatus.STAYS
    deadlines = _days("deadline", entry.text)
    return EntryStatus.OVER if deadlines and max(deadlines) < today else EntryStatus.OTHER


def note_day(entry: Entry, today: date) -> date | None:
    """Return the day it was noted: a date at its beginning or end, or in its heading; never a future one."""
    words = without_mark(entry.text)
    last_title = entry.heading.rpartition(" / ")[2]
    before = match_row(_ROWS, "noted_before", words)
    places = [_date(before)] if before else []
    places += [*_days("noted_after", words[-40:])[:1], *_days("day", last_title)[:1]]
    days = (day for day in places if day and day <= today and day.year >= today.year - _OLDEST_NOTE)
    return next(days, None)


def _days(kind: str, text: str) -> list[date]:
    """Return the days in a text, as rows of this kind name them."""
    matches = (match for row in pattern_rows(_ROWS)[kind] for match in row.finditer(text))
    return [day for match in matches if (day := _date(match))]


def _date(match: re.Match[str]) -> date | None:
    try:
        return date(int(match["year"]), int(match["month"]), int(match["day"]))
    except ValueError:
        return None


NEARLY_FULL = 0.8  # of the limit; shrinking starts here
TIDY = 0.6  # of the limit; dated entries go down to here
LOSES_AT_MOST = 0.25  # of the lines, in one plan

_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_YOUNG = timedelta(days=14)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """An entry that moves to the log of a day; ``heading`` is the one above it, without the file's title."""

    entry: Entry
    heading: str
    day: date


@dataclass(frozen=True, slots=True, kw_only=True)
class ShrinkPlan:
    """The shortened file. ``keeps``: its text. ``dropped``: entries whose words are kept or moved elsewhere."""

    name: str
    keeps: str
    moves: tuple[Move, ...]
    dropped: tuple[Entry, ...]


def plan_shrink(text: str, limit: int, today: date, *, name: str = "MEMORY.md") -> ShrinkPlan | None:
    r"""Return the plan for a file of at most ``limit`` characters; None if there is nothing to do.

    ``text`` has ``\n`` as line ends. At most a quarter of the lines go, until 60 % of the limit; undated entries only
    until the file is no longer nearly full. Open promises, names and what is between pet and owner stay.
    """
    if len(text) < NEARLY_FULL * limit:
        return None
    lines = text.split("\n")
    fenced = _fenced(lines)
    loose = [entry for entry in whole_entries(name, lines) if _is_loose(entry, lines, fenced)]
    planning = _Planning(text, lines, today)
    duplicates = find_duplicates([(entry, note_day(entry, today)) for entry in loose])
    for duplicate in duplicates:
        planning.take(duplicate.entry, TIDY * limit, drop=duplicate.same_words)
    paired = {entry.start_line for duplicate in duplicates for entry in (duplicate.entry, duplicate.of)}
    for entry in _in_order([entry for entry in loose if entry.start_line not in paired], today):
        dated = note_day(entry, today) is not None or entry_status(entry, today) is EntryStatus.OVER
        planning.take(entry, (TIDY if dated else NEARLY_FULL) * limit, drop=False)
    return planning.done(name)


class _Planning:
    """The file with entries taken out one at a time."""

    def __init__(self, text: str, lines: Sequence[str], today: date) -> None:
        self._text = text
        self._lines = lines
        self._today = today
        self._gone: set[int] = set()  # 1-based lines
        self._moves: list[Move] = []
        self._dropped: list[Entry] = []
        self._size = len(text)
        self._may_lose = int(sum(bool(line.strip()) for line in lines) * LOSES_AT_MOST)

    def take(self, entry: Entry, enough: float, *, drop: bool) -> None:
        """Take the entry out, unless the file is small enough or would lose too much."""
        if self._size < enough or (not drop and entry_status(entry, self._today) is EntryStatus.STAYS):
            return
        taken = range(entry.start_line, entry.end_line + 1)
        if not drop and len(taken) > self._may_lose:
            return
        self._gone.update(taken)
        self._size -= sum(len(self._lines[line - 1]) + 1 for line in taken)
        if drop:
            self._dropped.append(entry)
        else:
            self._may_lose -= len(taken)
            _title, _, heading = entry.heading.partition(" / ")
            day = note_day(entry, self._today) or self._today
            self._moves.append(Move(entry=entry, heading=heading, day=day))

    def done(self, name: str) -> ShrinkPlan | None:
        while self._moves and dropped_line_ratio(self._text, self._without(self._gone)) > LOSES_AT_MOST:
            back = self._moves.pop().entry  # a line with only a mark does not count
            self._gone -= set(range(back.start_line, back.end_line + 1))
        if not self._gone:
            return None
        return ShrinkPlan(
            name=name,
            keeps=self._without(self._gone),
            moves=tuple(self._moves),
            dropped=tuple(self._dropped),
        )

    def _without(self, gone: set[int]) -> str:
        """Return the text without these lines, and without blank lines that would be doubled."""
        kept: list[str] = []
        hole = False
        for number, line in enumerate(self._lines, 1):
            if number in gone:
                hole = True
                continue
            if hole and not line.strip() and (not kept or not kept[-1].strip()) and number < len(self._lines):
                continue
            hole = hole and not line.strip()
            kept.append(line)
        return "\n".join(kept)


def _in_order(entries: list[Entry], today: date) -> list[Entry]:
    """Return what is over, then dated entries, oldest first, then the rest in order; the last two weeks last."""

    def place(entry: Entry) -> tuple[int, date, int]:
        day = note_day(entry, today)
        if entry_status(entry, today) is EntryStatus.OVER:
            return 0, day or date.min, entry.start_line
        if day is None:
            return 2, date.min, entry.start_line
        return (1 if day < today - _YOUNG else 3), day, entry.start_line

    return sorted(entries, key=place)


def _is_loose(entry: Entry, lines: Sequence[str], fenced: set[int]) -> bool:
    """Return whether the entry can go by itself: no part of a code block, comment, or "as follows:"."""
    if not fenced.isdisjoint(range(entry.start_line, entry.end_line + 1)):
        return False
    if entry.text.lstrip().startswith("<!--"):  # a comment belongs to its place
        return False
    introduces = without_mark(entry.text).endswith((":", "\uff1a"))
    followed = entry.end_line < len(lines) and bool(lines[entry.end_line].strip())
    return not (introduces and followed)


def _fenced(lines: Sequence[str]) -> set[int]:
    """Return the 1-based lines of code blocks, fences included."""
    inside = False
    fenced: set[int] = set()
    for number, line in enumerate(lines, 1):
        fence = bool(_FENCE.match(line))
        if fence or inside:
            fenced.add(number)
        inside ^= fence
    return fenced
