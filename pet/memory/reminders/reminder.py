"""Reminders in the daily logs: todos with a date, open or done; pure.

Marks in the heading: ``## [14:30:15] todo (at 15:00) @2026-03-08 (was 2026-03-01) ✓ 2026-03-09``. Older versions read
the time as part of the category and remind on the day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time

from pet.errors import FileConflict
from pet.language.repetition import Repeat
from pet.memory.store.daily_log import LogEntry, due_mark, parse_log, read_log
from pet.workspace.text_encoding import normalize_newlines

_DAY = r"@[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ \t]+\(was [0-9]{4}-[0-9]{2}-[0-9]{2}\))?"
_DUE = re.compile(rf"[ \t]*{_DAY}")
_DUE_AND_PLAN = re.compile(rf"[ \t]+\([^()@]*\)[ \t]*{_DAY}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """An open todo with a date. ``line`` is its heading's, 1-based; without ``at`` it is due all day."""

    file: str
    line: int
    due: date
    text: str
    at: time | None = None
    repeat: Repeat | None = None
    first: date | None = None  # original day, if postponed

    @property
    def moment(self) -> datetime:
        """Local wall time from which it is due."""
        return datetime.combine(self.due, self.at or time())

    def is_due(self, now: datetime) -> bool:
        """Return whether it is due at ``now``, of which only the wall time counts."""
        return self.moment <= now.replace(tzinfo=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminders:
    """Due and coming reminders, each by moment, oldest first."""

    due: tuple[Reminder, ...]  # now or before
    coming: tuple[Reminder, ...]


def split_reminders(reminders: Iterable[Reminder], now: datetime) -> Reminders:
    """Split the reminders at a local time."""
    ordered = sorted(reminders, key=lambda reminder: (reminder.moment, reminder.file, reminder.line))
    due = sum(reminder.is_due(now) for reminder in ordered)
    return Reminders(due=tuple(ordered[:due]), coming=tuple(ordered[due:]))


def find_reminders(name: str, text: str) -> Iterator[Reminder]:
    """Yield the open reminders of a log."""
    if "@" not in text:  # most logs have none
        return
    for entry in read_log(text):
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


def settle_reminder(
    text: str, reminder: Reminder, *, done: datetime | None = None, until: tuple[date, time | None] | None = None
) -> str:
    """Return the log's text with the reminder done at a local time, or postponed to a day and time.

    A done reminder of a series moves to the next day of the series; postponing one leaves the series unchanged.

    Raises:
        FileConflict: The file no longer has the entry word for word.
    """
    lines = normalize_newlines(text).split("\n")
    entry = next((entry for entry in parse_log(lines) if _is_shown(entry, reminder)), None)
    if entry is None or entry.due is None:
        raise FileConflict(file=reminder.file)
    heading = lines[reminder.line - 1].rstrip()
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
    lines[reminder.line - 1] = heading
    return "\n".join(lines)


def _next_day(entry: LogEntry, now: datetime) -> date | None:
    """Return the next day of the series after its present day and after ``now``; None if it does not repeat."""
    day = entry.first or entry.due
    if entry.repeat is None or day is None:
        return None
    try:
        return entry.repeat.next_after(max(now, datetime.combine(day, entry.repeat.at or time())), day)
    except OverflowError:
        return None


def _marked(heading: str, entry: LogEntry, mark: str) -> str:
    """Return the heading with another time and day."""
    pattern = _DUE_AND_PLAN if entry.due_at or entry.repeat else _DUE
    return pattern.sub(lambda _: mark, heading, count=1)


def _is_shown(entry: LogEntry, reminder: Reminder) -> bool:
    return (
        entry.heading_line == reminder.line
        and entry.text == reminder.text
        and not entry.done
        and (entry.due, entry.due_at) == (reminder.due, reminder.at)
    )
