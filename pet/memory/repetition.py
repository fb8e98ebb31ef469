"""The repetition of a reminder, and its wording in a log and for the owner; pure.

All times are local wall times, as written in the file: 15:00 is 15:00 wherever the owner is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import MAXYEAR, date, datetime, time, timedelta
from typing import Literal

from pet.i18n import Texts

Unit = Literal["day", "week", "month", "year"]

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WORKDAYS = (0, 1, 2, 3, 4)
LAST_DAY = 31
"""Day of the month that means the last one in shorter months."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """A series. ``days``: weekdays (0 is Monday) of a week, the day of a month, or month and day of a year."""

    unit: Unit
    interval: int = 1
    days: tuple[int, ...] = ()
    at: time | None = None

    def next_after(self, after: datetime, anchor: date) -> date:
        """Return the first day whose moment is after ``after``, a local wall time; without a time of day the first
        later day. ``anchor``: a day of the series, from which intervals are counted.

        Raises OverflowError past the last year of the calendar.
        """
        day = after.date()
        if self.at is None or self.at <= after.time():
            day += timedelta(1)
        return self._on_or_after(max(day, anchor) if self.interval > 1 else day, anchor)

    def first(self, now: datetime, since: date | None = None) -> date:
        """Return the first day of the series on or after ``since``, else the first that is not past."""
        begin = since or (now.date() if self.at is None or self.at > now.time() else now.date() + timedelta(1))
        return replace(self, interval=1)._on_or_after(begin, begin)

    def _on_or_after(self, day: date, anchor: date) -> date:
        match self.unit:
            case "day":
                return day + timedelta((anchor - day).days % self.interval)
            case "week":
                return self._weekly(day, anchor)
            case "month":
                return self._monthly(day, anchor)
            case "year":
                return self._yearly(day, anchor)

    def _weekly(self, day: date, anchor: date) -> date:
        first = _monday(anchor)
        while (_monday(day) - first).days // 7 % self.interval or day.weekday() not in self.days:
            day += timedelta(1)
        return day

    def _monthly(self, day: date, anchor: date) -> date:
        index = day.year * 12 + day.month - 1
        while True:
            if (index - (anchor.year * 12 + anchor.month - 1)) % self.interval == 0:
                candidate = clamped(index // 12, index % 12 + 1, self.days[0])
                if candidate >= day:
                    return candidate
            index += 1

    def _yearly(self, day: date, anchor: date) -> date:
        year = day.year
        while True:
            if (year - anchor.year) % self.interval == 0 and (candidate := clamped(year, *self.days)) >= day:
                return candidate
            year += 1


def clamped(year: int, month: int, day: int) -> date:
    """Return that day, or the last one of a shorter month. Raises OverflowError past the last year."""
    if year > MAXYEAR:
        raise OverflowError
    while day > 28:
        try:
            return date(year, month, day)
        except ValueError:
            day -= 1
    return date(year, month, day)


def plan_text(at: time | None, repeat: Repeat | None) -> str:
    """Return the plan as written in a log, e.g. ``at 15:00`` or ``every Monday at 15:00``; "" for a day alone.

    ``every Monday at 15:00, this time at 16:00``: this occurrence was postponed, the series is unchanged.
    """
    if repeat is None:
        return f"at {clock(at)}" if at else ""
    series = repeat_text(repeat) + (f" at {clock(repeat.at)}" if repeat.at else "")
    return series if at in (None, repeat.at) else f"{series}, this time at {clock(at)}"


def repeat_text(repeat: Repeat) -> str:
    """Return the series in English, as written in a log, without its time of day."""
    every = "every" if repeat.interval == 1 else f"every {repeat.interval}"
    unit = repeat.unit if repeat.interval == 1 else f"{repeat.unit}s"
    match repeat.unit:
        case "day":
            return f"{every} {unit}"
        case "week" if repeat.days == WORKDAYS and repeat.interval == 1:
            return "every weekday"
        case "week":
            days = " and ".join(WEEKDAYS[day] for day in repeat.days)
            return f"every {days}" if repeat.interval == 1 else f"{every} {unit} on {days}"
        case "month":
            day = "last day" if repeat.days[0] == LAST_DAY else ordinal(repeat.days[0])
            return f"{every} {unit} on the {day}"
        case "year":
            return f"{every} {unit} on {repeat.days[1]} {MONTHS[repeat.days[0] - 1]}"


def ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def clock(at: time) -> str:
    """Return ``15:00``."""
    return at.strftime("%H:%M")


def _monday(day: date) -> date:
    return day - timedelta(day.weekday())


def repeat_words(repeat: Repeat | None, texts: Texts) -> str:
    """Return "every Monday", 每周一; "" without repetition. The time of day is not included."""
    if repeat is None:
        return ""
    many = repeat.interval > 1
    key = f"remind.every_{repeat.unit}{'s' if many else ''}"
    match repeat.unit:
        case "day":
            return texts(key, n=repeat.interval)
        case "week" if repeat.days == WORKDAYS and not many:
            return texts("remind.every_workday")
        case "week":
            days = texts("remind.and").join(texts(f"remind.weekday.{day}") for day in repeat.days)
            return texts(key, n=repeat.interval, days=days)
        case "month":
            (of_month,) = repeat.days
            if of_month == LAST_DAY:
                return texts(f"remind.last_of_month{'s' if many else ''}", n=repeat.interval)
            shown = ordinal(of_month) if texts.language == "en" else str(of_month)
            return texts(key, n=repeat.interval, day=shown)
        case "year":
            month, of_month = repeat.days
            return texts(key, n=repeat.interval, month=texts(f"remind.month.{month}"), day=of_month)


def when_words(due: date, at: str, repeats: str, today: date, texts: Texts) -> str:
    """Return "tomorrow at 15:00", "on Friday 2026-03-06", "every Monday at 15:00, first tomorrow".

    ``at``: HH:MM or "". ``repeats``: the series in words, or "".
    """
    day = _day_words(due, today, texts)
    if not repeats:
        return texts("remind.at", when=day, time=at) if at else day
    series = texts("remind.at", when=repeats, time=at) if at else repeats
    return texts("remind.first", series=series, day=day)


def time_words(at: time | None) -> str:
    return clock(at) if at else ""


def _day_words(day: date, today: date, texts: Texts) -> str:
    if day == today:
        return texts("remind.today")
    if day == today + timedelta(1):
        return texts("remind.tomorrow")
    name = texts(f"prompt.weekday.{day.weekday()}")
    soon = today < day < today + timedelta(7)
    return texts("remind.on", day=name if soon else f"{name} {day.isoformat()}")
