"""Plan what leaves MEMORY.md or USER.md when it is nearly full, entry by entry; pure.

Order: duplicates, what is over, then the oldest. An entry stays, moves unchanged to a daily log, or is dropped
because the same words stay under the same heading; none is rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from pet.memory.entries import Entry, whole_entries
from pet.memory.upkeep.duplicates import find_duplicates
from pet.memory.upkeep.entry_status import EntryStatus, entry_status, note_day, without_mark
from pet.workspace.text.line_loss import dropped_line_ratio

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
