"""Our days: what grows with days together, told by the owner's own logs; read at every call, no copy is
kept, and what is forgotten is gone from it.

The actor is the owner: nothing of it enters a request, and it works while memory is off or paused.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice

from pet.body.bodies import thing_drawing
from pet.body.creature import THINGS
from pet.bridge.command import Client, command
from pet.clock import Clock
from pet.errors import BadArguments
from pet.extras.our_days.days import DatedEntry, dated_entries, first_times, on_this_day, pictured
from pet.memory.reminders.occasions import kept_thing, months_between
from pet.memory.store.daily_log import log_day
from pet.model import Present
from pet.workspace.file_names import log_name
from pet.workspace.store import WorkspaceStore

_MOST_DAYS = 366


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedEntryView:
    """``day``: ISO; ``picture``: the name of a thing; ``more``: entries of the same day besides."""

    day: str
    file: str
    line: int
    category: str
    text: str
    picture: str
    more: int


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
    this_day: list[DatedEntryView]
    firsts: list[DatedEntryView]
    days: list[DatedEntryView]
    earlier: str


@dataclass(frozen=True, slots=True)
class OurDaysCommands:
    """``days_together``: returns the days since they met."""

    store: WorkspaceStore
    clock: Clock
    days_together: Callable[[], int]

    @command(Client.CHAT)
    def list_our_days(self, before: str = "", count: int = 60) -> OurDays:
        """Return the logs' contents about the days together, of the days the newest ``count`` before a day, "" for
        all."""
        if not 1 <= count <= _MOST_DAYS:
            raise BadArguments(where="count", why="value")
        today = self.clock.now().date()
        names = self.store.log_names()
        together = self.days_together()
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
            this_day=[_view(each) for log in past for each in dated_entries(*log, self._wanted)],
            firsts=[_view(each) for each in first_times(self._logs(names), self._wanted)],
            days=[_view(each) for each in days[:count]],
            earlier=days[count - 1].day.isoformat() if len(days) > count else "",
        )

    def _logs(self, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        for name in names:
            yield name, self._text(name)

    def _text(self, name: str) -> str:
        state = self.store.read(name)
        return state.text if isinstance(state, Present) else ""

    def _wanted(self, text: str) -> bool:
        return not self.store.forgotten.is_forgotten(text)


def _view(entry: DatedEntry) -> DatedEntryView:
    return DatedEntryView(
        day=entry.day.isoformat(),
        file=entry.file,
        line=entry.line,
        category=entry.category,
        text=entry.text,
        picture=entry.picture,
        more=entry.more,
    )


def _address(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadArguments(where="before", why="value") from None
