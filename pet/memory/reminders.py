"""Todos with a date in the daily logs: what is due, and how done and put off are written into them; pure.

Owns the marks in an entry's heading: ``## [14:30:15] todo (at 15:00) @2026-03-08 (was 2026-03-01) ✓ 2026-03-09``. An
older version of the program reads the time as part of the category, and reminds on the day. Refuses to touch an entry
that isn't, word for word, the one that was shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time

from pet.errors import FileConflict
from pet.memory.daily_log import LogEntry, due_mark, parse_log
from pet.memory.schedule.repetition import Repeat
from pet.workspace.text.encoded_text import normalize_newlines

_DAY = r"@[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ \t]+\(was [0-9]{4}-[0-9]{2}-[0-9]{2}\))?"
_DUE = re.compile(rf"[ \t]*{_DAY}")
_DUE_AND_PLAN = re.compile(rf"[ \t]+\([^()@]*\)[ \t]*{_DAY}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """A todo with a date, not done. ``line`` is its heading's, 1-based; without ``at`` the whole day is meant."""

    file: str
    line: int
    due: date
    text: str
    at: time | None = None
    repeat: Repeat | None = None
    first: date | None = None  # the day it was due before it was put off

    @property
    def moment(self) -> datetime:
        """The local wall time from which it is due."""
        return datetime.combine(self.due, self.at or time())

    def is_due(self, now: datetime) -> bool:
        """``now``: with or without zone; its wall time counts."""
        return self.moment <= now.replace(tzinfo=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminders:
    """Each by its moment, the oldest first."""

    due: tuple[Reminder, ...]  # now or before
    coming: tuple[Reminder, ...]


def split_reminders(found: Iterable[Reminder], now: datetime) -> Reminders:
    """The promises as seen from a local time."""
    ordered = sorted(found, key=lambda promise: (promise.moment, promise.file, promise.line))
    due = sum(promise.is_due(now) for promise in ordered)
    return Reminders(due=tuple(ordered[:due]), coming=tuple(ordered[due:]))


def find_reminders(name: str, text: str) -> Iterator[Reminder]:
    """What a log has open."""
    if "@" not in text:  # most days promise nothing
        return
    for entry in parse_log(normalize_newlines(text).split("\n")):
        if entry.due is not None and not entry.done:
            yield Reminder(
                file=name,
                line=entry.heading_line,
                due=entry.due,
                text=entry.text,
                at=entry.due_at,
                repeat=entry.repeat,
                first=entry.first,
            )


def settled(
    text: str, promise: Reminder, *, done: datetime | None = None, until: tuple[date, time | None] | None = None
) -> str:
    """The log's text with the promise done at a local time, or put off until a day and perhaps an hour of it.

    One of a series that is done is due on the series' next day to come; one that is put off leaves the others alone.

    Raises FileConflict where the promise doesn't stand there any more as it was shown.
    """
    lines = normalize_newlines(text).split("\n")
    entry = next((entry for entry in parse_log(lines) if _is_shown(entry, promise)), None)
    if entry is None or entry.due is None:
        raise FileConflict(file=promise.file)
    heading = lines[promise.line - 1].rstrip()
    if until is not None:
        day, at = until
        first = entry.first or entry.due
        was = f" (was {first.isoformat()})" if first != day else ""
        heading = _marked(heading, entry, due_mark(day, at, entry.repeat) + was)
    if done is not None:
        following = _next_day(entry, done.replace(tzinfo=None))
        if following is None:
            heading = f"{heading} \N{CHECK MARK} {done.date().isoformat()}"
        else:
            assert entry.repeat is not None
            heading = _marked(heading, entry, due_mark(following, entry.repeat.at, entry.repeat))
    lines[promise.line - 1] = heading
    return "\n".join(lines)


def _next_day(entry: LogEntry, now: datetime) -> date | None:
    """The series goes on after the present one and after now: those that were missed are over."""
    day = entry.first or entry.due
    if entry.repeat is None or day is None:
        return None
    try:
        return entry.repeat.next_after(max(now, datetime.combine(day, entry.repeat.at or time())), day)
    except OverflowError:
        return None


def _marked(heading: str, entry: LogEntry, mark: str) -> str:
    """The heading with another time and day in it."""
    pattern = _DUE_AND_PLAN if entry.due_at or entry.repeat else _DUE
    return pattern.sub(lambda _: mark, heading, count=1)


def _is_shown(entry: LogEntry, promise: Reminder) -> bool:
    return (
        entry.heading_line == promise.line
        and entry.text == promise.text
        and not entry.done
        and (entry.due, entry.due_at) == (promise.due, promise.at)
    )
