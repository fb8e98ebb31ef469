"""Todos with a date in the daily logs: what is due, and how done and put off are written into them; pure.

Owns the marks in an entry's heading: ``## [14:30:15] todo @2026-03-08 (was 2026-03-01) ✓ 2026-03-09``. Refuses to
touch an entry that isn't, word for word, the one that was shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from pet.errors import FileConflict
from pet.memory.daily_log import LogEntry, parse_log
from pet.workspace.text.encoded_text import normalize_newlines

_DUE = re.compile(r"@([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ \t]+\(was ([0-9]{4}-[0-9]{2}-[0-9]{2})\))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """A todo with a date, not done. ``line`` is its heading's, 1-based."""

    file: str
    line: int
    due: date
    text: str
    first: date | None = None  # the day it was due before it was put off


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminders:
    """Each by day, the oldest first."""

    due: tuple[Reminder, ...]  # today or before
    coming: tuple[Reminder, ...]


def open_reminders(logs: Iterable[tuple[str, str]], today: date) -> Reminders:
    """The promises of some daily logs, given as names and texts, seen from a day."""
    found = [promise for name, text in logs for promise in _promises(name, text)]
    found.sort(key=lambda promise: (promise.due, promise.file, promise.line))
    due = sum(promise.due <= today for promise in found)
    return Reminders(due=tuple(found[:due]), coming=tuple(found[due:]))


def settled(text: str, promise: Reminder, *, done: date | None = None, until: date | None = None) -> str:
    """The log's text with the promise done on a day, or put off until one.

    Raises FileConflict where the promise doesn't stand there any more as it was shown.
    """
    lines = normalize_newlines(text).split("\n")
    if not any(_is_shown(entry, promise) for entry in parse_log(lines)):
        raise FileConflict(file=promise.file)
    heading = lines[promise.line - 1].rstrip()
    if until is not None:
        heading = _DUE.sub(lambda old: _put_off(old, until), heading, count=1)
    if done is not None:
        heading = f"{heading} \N{CHECK MARK} {done.isoformat()}"
    lines[promise.line - 1] = heading
    return "\n".join(lines)


def _promises(name: str, text: str) -> Iterator[Reminder]:
    if "@" not in text:  # most days promise nothing
        return
    for entry in parse_log(normalize_newlines(text).split("\n")):
        if entry.due is not None and not entry.done:
            yield Reminder(file=name, line=entry.heading_line, due=entry.due, text=entry.text, first=entry.first)


def _is_shown(entry: LogEntry, promise: Reminder) -> bool:
    return entry.heading_line == promise.line and entry.text == promise.text and not entry.done and bool(entry.due)


def _put_off(old: re.Match[str], until: date) -> str:
    first = old[2] or old[1]
    return f"@{until.isoformat()}" + (f" (was {first})" if first != until.isoformat() else "")
