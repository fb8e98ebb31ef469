"""Select recent notes the pet may ask about: events and tasks whose outcome it does not know; pure, no model.

Left out: what is still to come or done, and entries with secrets. An entry is quoted, never paraphrased.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from pet.i18n import day_comes_first
from pet.language import has_row
from pet.language.categories import TASK
from pet.language.labels import strip_speaker
from pet.language.ranges import find_ranges
from pet.language.redaction import find_secrets
from pet.memory.reminders.occasions import SHORTEST, is_hard, quoted
from pet.memory.store.daily_log import LogEntry, log_day, read_log
from pet.workspace.tombstones import normalize

Kind = Literal["event", "hard", "todo", "person", "preference"]

DAYS_BACK = 45
"""Age in days of the oldest log that is searched."""
_LONGEST_NOTE = 2_000
"""Maximum characters of an entry to ask about."""
_WINDOWS: dict[Kind, tuple[int, int]] = {  # days since it happened or was noted, inclusive
    "event": (1, 4),
    "hard": (1, 7),
    "todo": (2, 7),
    "person": (2, 10),
    "preference": (4, 14),
}
_RANK: dict[Kind, int] = {"event": 0, "hard": 1, "todo": 2, "person": 3, "preference": 4}
_MASKED = "\u2039hidden:"


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """A note to ask about: ``what`` is quoted, ``text`` is the whole entry."""

    kind: Kind
    what: str
    text: str
    file: str
    line: int
    day: date

    @property
    def key(self) -> str:
        """Hash of the text, to recognise it without storing its words."""
        return hashlib.sha256(normalize(strip_speaker(self.text)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def find_followups(logs: Iterable[tuple[str, str]], today: date) -> list[FollowUp]:
    """Return the notes to ask about today, by kind, then newest first. ``logs``: names and texts."""
    followups = [followup for name, text in logs for followup in _in_log(name, text, today)]
    followups.sort(key=lambda each: (_RANK[each.kind], -each.day.toordinal(), each.file, each.line))
    return followups


def _in_log(name: str, text: str, today: date) -> Iterator[FollowUp]:
    noted = log_day(name)
    if noted is None or not 0 <= (today - noted).days <= DAYS_BACK:
        return
    for entry in read_log(text):
        followup = _question(name, noted, entry, today)
        if followup is not None:
            yield followup


def _question(name: str, noted: date, entry: LogEntry, today: date) -> FollowUp | None:
    if entry.category not in ("event", TASK, "person", "preference") or entry.done:
        return None
    if len(entry.text) > _LONGEST_NOTE:
        return None
    if entry.category == TASK and entry.due is not None:
        return None  # a reminder: announced on its day
    words = strip_speaker(entry.text)
    if _MASKED in words or find_secrets(entry.text):
        return None
    kind: Kind = "hard" if is_hard(words) else entry.category  # type: ignore[assignment]  # checked above
    day = _when(words, entry.due, noted)
    first, last = _WINDOWS[kind]
    quote = quoted(words)
    if not first <= (today - day).days <= last or len(quote) < SHORTEST:
        return None
    return FollowUp(kind=kind, what=quote, text=entry.text, file=name, line=entry.start_line, day=day)


def _when(text: str, due: date | None, noted: date) -> date:
    """Return the day it was or will be, if named; else the day it was noted."""
    if due is not None:
        return due
    days = [noted]
    for stretch in find_ranges(text, noted, day_comes_first()):
        words = text[stretch.span[0] : stretch.span[1]].casefold()
        if stretch.last >= noted:
            days.append(stretch.last)
        elif not has_row("days.json", "past", words):  # find_ranges prefers past days, a note may mean the next
            days.append(_next(stretch.last, noted, weekday=has_row("days.json", "weekday", words)))
    return max(days)


def _next(day: date, noted: date, *, weekday: bool) -> date:
    """Return the same weekday a week later, or the same date on or after ``noted``."""
    if weekday:
        return day + timedelta(7)
    for year in (noted.year, noted.year + 1):
        try:
            again = day.replace(year=year)
        except ValueError:  # 29 February
            continue
        if again >= noted:
            return again
    return day
