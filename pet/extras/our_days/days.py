"""The days together, told by the daily logs alone: pictures of days, first times, and what was on this day in earlier
years. Pure: it decides from the logs handed in, and keeps nothing.

A grave entry (``is_hard``) is not shown here, and one with a secret never; both stay where the owner wrote them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date

from pet.language.categories import TASK, TOLD
from pet.language.labels import strip_speaker
from pet.memory.reminders.occasions import day_in_year, is_plain
from pet.memory.reminders.quotes import quoted
from pet.memory.store.daily_log import log_day, read_log
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


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedEntry:
    """An entry of a log, in its first sentence. ``picture``: a thing; ``more``: entries of the same day besides."""

    day: date
    file: str
    line: int
    category: str
    text: str
    picture: str
    more: int = 0


def pictured(logs: Iterable[tuple[str, str]], wanted: Callable[[str], bool]) -> Iterator[DatedEntry]:
    """Yield one entry for each log that has any, in the order of the logs: an event rather than a person, and that
    rather than anything else. ``wanted``: whether a text was not forgotten."""
    for name, text in logs:
        entries = list(dated_entries(name, text, wanted))
        if entries:
            best = min(entries, key=lambda each: TOLD.index(each.category) if each.category in TOLD else len(TOLD))
            yield replace(best, more=len(entries) - 1)


def dated_entries(name: str, text: str, wanted: Callable[[str], bool]) -> Iterator[DatedEntry]:
    """Yield the entries of a log that may be shown."""
    day = log_day(name)
    if day is None or not name.startswith(LOG_FOLDER):
        return
    for entry in read_log(text):
        words = strip_speaker(entry.text)
        if is_plain(words) and wanted(entry.text) and (line := quoted(words)):
            place, category = entry.start_line, entry.category
            picture = PICTURES.get(category, _OTHER)
            yield DatedEntry(day=day, file=name, line=place, category=category, text=line, picture=picture)


def first_times(logs: Iterable[tuple[str, str]], wanted: Callable[[str], bool]) -> list[DatedEntry]:
    """Return the first entry under each of some headings, oldest first. ``logs``: oldest first, read as far as
    needed."""
    firsts: dict[str, DatedEntry] = {}
    for name, text in logs:
        for each in dated_entries(name, text, wanted):
            if each.category in TOLD:
                firsts.setdefault(each.category, each)
        if len(firsts) == len(TOLD):
            break
    return list(firsts.values())


def on_this_day(today: date, days: Iterable[date]) -> list[date]:
    """Return the days of earlier years that are the same day of the year, newest first."""
    return sorted(
        {day for day in days if day.year < today.year and day_in_year(day, today.year) == today}, reverse=True
    )
