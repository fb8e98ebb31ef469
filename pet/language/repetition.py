"""The repetition of a reminder, and its wording in a log and for the owner; pure.

All times are local wall times, as written in the file: 15:00 is 15:00 in every time zone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Literal

from pet.i18n import Texts
from pet.language.calendar_words import LAST_DAY, MONTHS, WEEKDAYS, WORKDAYS, WORKING_DAY, clamped, nth_weekday
from pet.language.holidays import NAMES

Unit = Literal["day", "week", "month", "year"]

NTH_WORDS = {1: "first", 2: "second", 3: "third", 4: "fourth", -1: "last"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """A series. ``days``: weekdays (0 is Monday) of a week, the day of a month, or month and day of a year.

    ``nth``: the day is a weekday of its month, 1 for the first, -1 for the last. ``holiday``: name of the day of the
    year, if its date moves; ``days`` is empty then.
    """

    unit: Unit
    interval: int = 1
    days: tuple[int, ...] = ()
    at: time | None = None
    nth: int = 0
    holiday: str = ""

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
                candidate = self._in_month(index // 12, index % 12 + 1, self.days[0])
                if candidate >= day:
                    return candidate
            index += 1

    def _yearly(self, day: date, anchor: date) -> date:
        year = day.year
        while True:
            if (year - anchor.year) % self.interval == 0 and (candidate := self._in_year(year)) >= day:
                return candidate
            year += 1

    def _in_year(self, year: int) -> date:
        return NAMES[self.holiday].day(year) if self.holiday else self._in_month(year, *self.days)

    def _in_month(self, year: int, month: int, day: int) -> date:
        return nth_weekday(year, month, day, self.nth) if self.nth else clamped(year, month, day)


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
        case "week" if len(repeat.days) == 6 and repeat.interval == 1:
            return f"every day except {WEEKDAYS[_left_out(repeat)]}"
        case "week":
            days = " and ".join(WEEKDAYS[day] for day in repeat.days)
            return f"every {days}" if repeat.interval == 1 else f"{every} {unit} on {days}"
        case "month" if repeat.nth:
            return f"{every} {unit} on the {NTH_WORDS[repeat.nth]} {_day_of_month(repeat)}"
        case "month":
            day = "last day" if repeat.days[0] == LAST_DAY else ordinal(repeat.days[0])
            return f"{every} {unit} on the {day}"
        case "year" if repeat.holiday:
            return f"{every} {unit} on {repeat.holiday}"
        case "year" if repeat.nth:
            named = f"{NTH_WORDS[repeat.nth]} {_day_of_month(repeat)}"
            return f"{every} {unit} on the {named} of {MONTHS[repeat.days[0] - 1]}"
        case "year":
            return f"{every} {unit} on {repeat.days[1]} {MONTHS[repeat.days[0] - 1]}"


def _day_of_month(repeat: Repeat) -> str:
    return "working day" if repeat.days[-1] == WORKING_DAY else WEEKDAYS[repeat.days[-1]]


def _left_out(repeat: Repeat) -> int:
    return 21 - sum(repeat.days)


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
        case "week" if len(repeat.days) == 6 and not many:
            return texts("remind.every_day_except", day=texts(f"remind.weekday.{_left_out(repeat)}"))
        case "week":
            days = texts("remind.and").join(texts(f"remind.weekday.{day}") for day in repeat.days)
            return texts(key, n=repeat.interval, days=days)
        case "month" if repeat.nth:
            named = _nth_words(repeat, texts)
            return texts(f"remind.weekday_of_month{'s' if many else ''}", n=repeat.interval, day=named)
        case "month":
            (of_month,) = repeat.days
            if of_month == LAST_DAY:
                return texts(f"remind.last_of_month{'s' if many else ''}", n=repeat.interval)
            shown = ordinal(of_month) if texts.language == "en" else str(of_month)
            return texts(key, n=repeat.interval, day=shown)
        case "year" if repeat.holiday:
            named = texts(f"remind.holiday.{NAMES[repeat.holiday].key}")
            return texts(f"remind.day_of_year{'s' if many else ''}", n=repeat.interval, day=named)
        case "year" if repeat.nth:
            in_month = texts(f"remind.month.{repeat.days[0]}").strip()
            named = texts("remind.weekday_of", day=_nth_words(repeat, texts), month=in_month)
            return texts(f"remind.day_of_year{'s' if many else ''}", n=repeat.interval, day=named)
        case "year":
            month, of_month = repeat.days
            return texts(key, n=repeat.interval, month=texts(f"remind.month.{month}"), day=of_month)


def _nth_words(repeat: Repeat, texts: Texts) -> str:
    nth = texts(f"remind.nth.{'last' if repeat.nth < 0 else repeat.nth}")
    return texts("remind.nth_weekday", nth=nth, day=texts(f"remind.weekday.{repeat.days[-1]}"))


def when_words(due: date, at: str, repeats: str, today: date, texts: Texts) -> str:
    """Return "tomorrow at 15:00", "on 6 Mar", "every Monday at 15:00, first tomorrow", in the words that the pages
    have (one table of cases, ``when_words.test.json``, holds both to them).

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
    if today < day < today + timedelta(7):
        return texts("remind.on", day=texts(f"prompt.weekday.{day.weekday()}"))
    return texts("remind.on", day=short_day(day, today, texts))


def short_day(day: date, today: date, texts: Texts) -> str:
    """Return "6 Mar", with its year unless it is this one."""
    named = texts("remind.day", day=day.day, month=texts("remind.months").split()[day.month - 1])
    return named if day.year == today.year else texts("remind.day_of", day=named, year=day.year)
