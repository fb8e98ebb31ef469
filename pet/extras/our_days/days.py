"""The days together, told by the daily logs alone: pictures of days, first times, and what was on this day in earlier
years. Pure: it decides from the logs handed in, and keeps nothing.

A grave entry (``is_hard``) is not shown here, and one with a secret never; both stay where the owner wrote them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date

from pet.language.labels import strip_speaker
from pet.memory.reminders.followups import quoted
from pet.memory.reminders.occasions import day_in_year, is_plain
from pet.memory.store.daily_log import TASK, LogEntry, log_day, read_log
from pet.workspace.file_names import LOG_FOLDER

PICTURES: Mapping[str, str] = {
    "event": "star",
    "person": "daisy",
    "preference": "clover",
    "decision": "key",
    "fact": "marble",
    TASK: "button",
}
"""Symbol of a day (a name in ``creature.THINGS``) by category of its entry; other categories have ``_OTHER``."""
_OTHER = "feather"
FIRSTS = ("event", "person", "preference", "decision")
"""Headings whose first entry is a first time."""
_TELLS = {name: rank for rank, name in enumerate(("event", "person", "decision", "preference"))}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedMoment:
    """An entry of a log, in its first sentence. ``picture``: a thing; ``more``: entries of the same day besides."""

    day: date
    file: str
    line: int
    category: str
    text: str
    picture: str
    more: int = 0


def pictured(logs: Iterable[tuple[str, str]], wanted: Callable[[str], bool]) -> Iterator[LoggedMoment]:
    """Yield one moment for each log that has any, in the order of the logs: an event rather than a person, and that
    rather than anything else. ``wanted``: whether a text was not forgotten."""
    for name, text in logs:
        moments = list(moments_of(name, text, wanted))
        if moments:
            best = min(moments, key=lambda each: _TELLS.get(each.category, len(_TELLS)))
            yield replace(best, more=len(moments) - 1)


def moments_of(name: str, text: str, wanted: Callable[[str], bool]) -> Iterator[LoggedMoment]:
    """Yield the entries of a log that may be shown."""
    day = log_day(name)
    if day is None or not name.startswith(LOG_FOLDER):
        return
    for entry in read_log(text):
        words = strip_speaker(entry.text)
        if is_plain(words) and wanted(entry.text) and (line := quoted(words)):
            yield _moment(name, day, entry, line)


def first_times(logs: Iterable[tuple[str, str]], wanted: Callable[[str], bool]) -> list[LoggedMoment]:
    """Return the first entry under each of some headings, oldest first. ``logs``: oldest first, read as far as
    needed."""
    firsts: dict[str, LoggedMoment] = {}
    for name, text in logs:
        for each in moments_of(name, text, wanted):
            if each.category in FIRSTS:
                firsts.setdefault(each.category, each)
        if len(firsts) == len(FIRSTS):
            break
    return list(firsts.values())


def on_this_day(today: date, days: Iterable[date]) -> list[date]:
    """Return the days of earlier years that are the same day of the year, newest first."""
    return sorted(
        {day for day in days if day.year < today.year and day_in_year(day, today.year) == today}, reverse=True
    )


def _moment(name: str, day: date, entry: LogEntry, line: str) -> LoggedMoment:
    category = entry.category
    picture = PICTURES.get(category, _OTHER)
    return LoggedMoment(day=day, file=name, line=entry.start_line, category=category, text=line, picture=picture)
