"""Our days: what grows with days together, told by the owner's own logs; read at every call, no copy is
kept, and what is forgotten is gone from it.

The actor is the owner: nothing of it enters a request, and it works while memory is off or paused.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from pet.body.bodies import thing_drawing
from pet.body.creature import THINGS
from pet.bridge.command import Client, command
from pet.errors import BadArguments
from pet.language.calendar_words import clamped
from pet.language.categories import TASK, TOLD
from pet.language.labels import strip_speaker
from pet.memory.reminders.occasions import is_plain, kept_thing, months_between, quoted
from pet.memory.store.daily_log import log_day, read_log
from pet.model import Present
from pet.workspace.file_names import LOG_FOLDER, log_name

if TYPE_CHECKING:
    from pet.app.pet import Pet

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
    """An entry of a log, in its first sentence. ``day``: ISO; ``picture``: the name of a thing; ``more``: entries of
    the same day besides."""

    day: str
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
            yield DatedEntry(
                day=day.isoformat(), file=name, line=place, category=category, text=line, picture=picture
            )


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
        {day for day in days if day.year < today.year and clamped(today.year, day.month, day.day) == today},
        reverse=True,
    )


_MOST_DAYS = 366


@dataclass(frozen=True, slots=True, kw_only=True)
class ThingView:
    """``image``: a data address."""

    name: str
    image: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OurDays:
    """``since``: the day they met, ISO; ``kept``: the names of the things, one for each month together; ``days``: the
    newest with an entry, of all ``total`` logs; ``earlier``: the day before which there are more, "" for none."""

    since: str
    days_together: int
    kept: list[str]
    things: list[ThingView]
    this_day: list[DatedEntry]
    firsts: list[DatedEntry]
    days: list[DatedEntry]
    earlier: str


@dataclass(frozen=True, slots=True)
class OurDaysCommands:
    app: Pet

    @command(Client.CHAT)
    def list_our_days(self, before: str = "", count: int = 60) -> OurDays:
        """Return the logs' contents about the days together, of the days the newest ``count`` before a day, "" for
        all."""
        if not 1 <= count <= _MOST_DAYS:
            raise BadArguments(where="count", why="value")
        today = self.app.clock.now().date()
        names = self.app.store.log_names()
        together = self.app.bubble.life.days_together
        met = today - timedelta(together)
        newest = (name for name in reversed(names) if not before or name < log_name(_day(before)))
        days = list(islice(pictured(self._logs(newest), self._wanted), count + 1))
        known = {day: name for name in names if (day := log_day(name)) is not None}
        past = [(known[day], self._text(known[day])) for day in on_this_day(today, known)]
        return OurDays(
            since=met.isoformat(),
            days_together=together,
            kept=[kept_thing(month) for month in range(1, months_between(met, today) + 1)],
            things=[ThingView(name=name, image=_address(thing_drawing(name))) for name in THINGS],
            this_day=[each for log in past for each in dated_entries(*log, self._wanted)],
            firsts=first_times(self._logs(names), self._wanted),
            days=days[:count],
            earlier=days[count - 1].day if len(days) > count else "",
        )

    def _logs(self, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        for name in names:
            yield name, self._text(name)

    def _text(self, name: str) -> str:
        state = self.app.store.read(name)
        return state.text if isinstance(state, Present) else ""

    def _wanted(self, text: str) -> bool:
        return not self.app.store.forgotten.is_forgotten(text)


def _address(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadArguments(where="before", why="value") from None
