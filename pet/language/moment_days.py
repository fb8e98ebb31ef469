"""Parse the day in the text of a moment: "3 November", "the last Friday of the month", 下周三, "Christmas Eve"; pure.

A day without a year or month is the next one. Texts are normalized as ``moment`` does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal

from pet.language import named_days
from pet.language.calendar_words import month_number, read_nth, unit_of, weekday_number, which_number, year_of
from pet.language.date_rows import DateRow, rows_of, take_words
from pet.language.holidays import marked_holiday
from pet.language.moment_clock import ClockTime
from pet.language.normalization import read_number
from pet.language.repetition import LAST_DAY, Repeat

Why = Literal["unclear", "often", "past", "far"]  # reason of a refusal


class MomentUnclear(ValueError):
    """A text that names no acceptable moment. ``why``: ``unclear``, ``often`` (repeats more than daily), ``past``, or
    ``far`` ahead."""

    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why: Why = why


@dataclass(frozen=True, slots=True)
class NamedDay:
    """A day. ``yearly``: the series of a day named without its year; ``nth``: named as "the last day", "the first
    Monday"."""

    day: date
    yearly: Repeat | None = None
    nth: bool = False


@dataclass(frozen=True, slots=True)
class WeekdayWords:
    """A weekday, resolved once the time of day is known, as today's hour may be over."""

    row: DateRow
    match: re.Match[str]
    wall: datetime

    @property
    def number(self) -> int:
        return weekday_number(self.match["weekday"])

    def day(self, clock: ClockTime | None) -> date:
        groups = self.match.groupdict()
        weeks, after = _weeks_or_months(groups), groups.get("after")
        if weeks is not None and self.row.kind == "weekday_of_week":
            return named_days.in_week(self.number, weeks, self.wall.date())
        if after:
            many = read_number(groups.get("n") or "1") * (2 if after == "fortnight" else 1)
            return self._coming(ClockTime(at=time(), days=1)) + timedelta(7 * many)
        return self._coming(None if weeks == 1 else clock)

    def _coming(self, clock: ClockTime | None) -> date:
        ahead = (self.number - self.wall.weekday()) % 7
        if ahead == 0 and (clock is None or clock.is_over(self.wall.time())):
            ahead = 7
        return self.wall.date() + timedelta(ahead)


def take_day(text: str, today: date, day_first: bool | None) -> tuple[str, NamedDay | None]:
    """Return the text without its day, and that day; None if it has none. ``day_first``: how the owner writes 5/6, if
    that is known. Raises ValueError or LookupError for an impossible one, OverflowError beyond the calendar."""
    rest, digits = take_words(text, "slashed")
    if digits:
        return rest, _slashed(digits, today, day_first)
    for kind, resolve in _RESOLVERS.items():
        for row in rows_of(kind):
            if match := row.pattern.search(text):
                _weeks_or_months(match.groupdict())
                named = resolve(row, match, today)
                rest = _without(text, match)
                return (_without_its_weekday(rest, named.day) if kind == "date" else rest), named
    return text, None


def take_weekday(text: str, wall: datetime) -> tuple[str, WeekdayWords | None]:
    """Return the text without its weekday, and that; None if it has none. ``wall``: the naive local time."""
    for kind in ("weekday_after", "weekday_of_week", "weekday"):
        for row in rows_of(kind):
            if match := row.pattern.search(text):
                return _without(text, match), WeekdayWords(row, match, wall)
    return text, None


def _weeks_or_months(groups: dict[str, str | None]) -> int | None:
    """Return how far the week, month or year named is from this one. Raises MomentUnclear for "last" and 去年."""
    if (which_number(groups, "ago") or 0) < 0 or (which_number(groups) or 0) < 0:
        raise MomentUnclear("past")
    return which_number(groups)


def _without(text: str, match: re.Match[str]) -> str:
    return f"{text[: match.start()]} {text[match.end() :]}"


def _without_its_weekday(text: str, day: date) -> str:
    """Return the text without a weekday named with a date, if it is that date's."""
    rest, weekday = take_weekday(text, datetime.combine(day, time()))
    return rest if weekday and weekday.number == day.weekday() else text


def _date(_row: DateRow, match: re.Match[str], today: date) -> NamedDay:
    yearly = Repeat(unit="year", days=(month_number(match["month"]), read_number(match["day"])))
    day = _or_unclear(named_days.date_of(match, today, 1))
    return NamedDay(day, yearly=None if year_of(match, today) else yearly)


def _slashed(match: re.Match[str], today: date, day_first: bool | None) -> NamedDay:
    """Return the day of 5/6 or 5-6-2027; unclear if both could be the month and the owner's order is unknown."""
    numbers = {int(match["one"]), int(match["other"])}
    if len(numbers) > 1 and max(numbers) <= 12 and day_first is None:
        raise MomentUnclear("unclear")
    day = _or_unclear(named_days.slashed_date(match, today, 1, day_first))
    return NamedDay(day, yearly=None if match["year"] else Repeat(unit="year", days=(day.month, day.day)))


def _or_unclear(day: date | None) -> date:
    if day is None:
        raise MomentUnclear("unclear")
    return day


def _day_of_month(_row: DateRow, match: re.Match[str], today: date) -> NamedDay:
    return NamedDay(_or_unclear(named_days.day_of_month(match, today, 1)))


def _holiday(_row: DateRow, match: re.Match[str], today: date) -> NamedDay:
    holiday, year = marked_holiday(match["holiday"]), match["after"] or year_of(match, today)
    if year and match["ago"] not in ("今年", "this"):
        return NamedDay(holiday.day(int(year)))
    if isinstance(holiday.base[0], str) and not holiday.key:
        raise MomentUnclear("unclear")  # a week
    day = holiday.day(today.year)
    days = () if holiday.key else (day.month, day.day)
    yearly = Repeat(unit="year", days=days, holiday=holiday.name if holiday.key else "")
    return NamedDay(day if day >= today else holiday.day(today.year + 1), yearly=yearly)


def _nth(_row: DateRow, match: re.Match[str], today: date) -> NamedDay:
    groups, what, nth = match.groupdict(), match["what"], read_nth(match["nth"])
    if unit_of(what) == "week":
        raise MomentUnclear("unclear")
    weekday, year, which = named_days.weekday_of_month(what), year_of(match, today), which_number(groups)
    yearly = None
    if month := groups.get("month"):
        of_year = month_number(month)
        days = (of_year, weekday if weekday is not None else LAST_DAY if nth < 0 else nth)
        yearly = Repeat(unit="year", days=days, nth=nth if weekday is not None else 0)
        first = (year or today.year) * 12 + of_year - 1
        months = [first] if year else [first, first + 12]
    else:
        this = today.year * 12 + today.month - 1
        months = [this + which] if which else [this, this + 1]
    for each in months:
        day = named_days.nth_of_month(each // 12, each % 12 + 1, nth, what)
        if day >= today:
            return NamedDay(day, yearly=yearly, nth=True)
    raise MomentUnclear("past")


def _same_day(_row: DateRow, match: re.Match[str], today: date) -> NamedDay:
    return NamedDay(named_days.same_day(match, today))


def _offset(row: DateRow, _match: re.Match[str], today: date) -> NamedDay:
    return NamedDay(today + timedelta(row.days))


def _weekend(_row: DateRow, match: re.Match[str], today: date) -> NamedDay:
    """Return the Saturday, or today on a Sunday; "next weekend" is that of next week, as in search."""
    groups = match.groupdict()
    weeks = 2 if groups.get("after") else which_number(groups) or 0
    return NamedDay(max(today, named_days.in_week(named_days.SATURDAY, weeks, today)))


_RESOLVERS: dict[str, Callable[[DateRow, re.Match[str], date], NamedDay]] = {
    "holiday": _holiday,
    "nth": _nth,
    "same_day": _same_day,
    "date": _date,
    "day_of_month": _day_of_month,
    "lone_day": _day_of_month,
    "offset": _offset,
    "weekend": _weekend,
}
"""By the kind of a row, in the order in which they are looked for."""
