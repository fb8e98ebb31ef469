"""What leaves MEMORY.md or USER.md when it is nearly full, entry by entry; pure.

Owns the order in which entries go: what is said twice, what is over, then the oldest. Refuses to rewrite: an entry
stays as it is, goes as it is to a daily log, or is dropped because the same words stay under the same heading.
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

NEARLY_FULL = 0.8  # of the limit: from here on
TIDY = 0.6  # down to here, with what has a date
LOSES_AT_MOST = 0.25  # of the lines, at a time

_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_YOUNG = timedelta(days=14)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """An entry that goes to the log of a day; ``heading`` is what it stood under, without the file's title."""

    entry: Entry
    heading: str
    day: date


@dataclass(frozen=True, slots=True, kw_only=True)
class ShrinkPlan:
    """``keeps``: what the file says afterwards. ``dropped``: entries whose very words are kept or moved too."""

    name: str
    keeps: str
    moves: tuple[Move, ...]
    dropped: tuple[Entry, ...]


def plan_shrink(text: str, limit: int, today: date, *, name: str = "MEMORY.md") -> ShrinkPlan | None:
    """What to do with a file of at most ``limit`` characters; None where nothing is to be done.

    ``text`` has ``\\n`` as line ends. At most a quarter of the lines go, until 60 % of the limit; undated entries go
    only until the file is no longer nearly full, and never promises that are open, names and what is between the two.
    """
    if len(text) < NEARLY_FULL * limit:
        return None
    lines = text.split("\n")
    fenced = _fenced(lines)
    loose = [entry for entry in whole_entries(name, lines) if _is_loose(entry, lines, fenced)]
    planning = _Planning(text, lines, today)
    twins = find_duplicates([(entry, note_day(entry, today)) for entry in loose])
    for twin in twins:
        planning.take(twin.entry, TIDY * limit, drop=twin.same_words)
    paired = {entry.start_line for twin in twins for entry in (twin.entry, twin.of)}  # one of them has to stay
    for entry in _in_order([entry for entry in loose if entry.start_line not in paired], today):
        dated = note_day(entry, today) is not None or entry_status(entry, today) is EntryStatus.OVER
        planning.take(entry, (TIDY if dated else NEARLY_FULL) * limit, drop=False)
    return planning.done(name)


class _Planning:
    """The file as it would be, one entry less at a time."""

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
            back = self._moves.pop().entry  # what was counted as a line was only a mark
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
        """The text without these lines, and without the blank ones that would stand beside one another then."""
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
    """What is over, then what has a date, the oldest first, then the rest as it stands; the last two weeks last."""

    def place(entry: Entry) -> tuple[int, date, int]:
        day = note_day(entry, today)
        if entry_status(entry, today) is EntryStatus.OVER:
            return 0, day or date.min, entry.start_line
        if day is None:
            return 2, date.min, entry.start_line
        return (1 if day < today - _YOUNG else 3), day, entry.start_line

    return sorted(entries, key=place)


def _is_loose(entry: Entry, lines: Sequence[str], fenced: set[int]) -> bool:
    """Whether the entry can go without tearing something apart: no piece of a code block, no "as follows:"."""
    if not fenced.isdisjoint(range(entry.start_line, entry.end_line + 1)):
        return False
    if entry.text.lstrip().startswith("<!--"):  # the owner's comment belongs to its place
        return False
    introduces = without_mark(entry.text).endswith((":", "\uff1a"))
    followed = entry.end_line < len(lines) and bool(lines[entry.end_line].strip())
    return not (introduces and followed)


def _fenced(lines: Sequence[str]) -> set[int]:
    """The 1-based lines of code blocks, their fences included."""
    inside = False
    found: set[int] = set()
    for number, line in enumerate(lines, 1):
        fence = bool(_FENCE.match(line))
        if fence or inside:
            found.add(number)
        inside ^= fence
    return found
