"""Parse the day in a text: "3 November", "the last Friday of the month", 下周三, "Christmas Eve"; pure.

A day without a year or month is the next one. Texts are normalized as ``moment`` does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal

from pet.language.calendar_words import MONTH_NAMES, NTH, ZH_NTH, ZH_WEEK, ZH_WEEKDAY_NAMES, month_number, read_nth
from pet.language.holidays import MARKED, marked_holiday
from pet.language.moment_clock import (
    DAY_OF_MONTH,
    EN_NUMBER,
    WEEKDAY,
    ZH_DAY_OF_MONTH,
    ZH_NUMBER,
    ClockTime,
    weekday_of,
)
from pet.language.normalization import read_number
from pet.language.repetition import LAST_DAY, Repeat, clamped, months_later, nth_weekday
from pet.text.lazy_pattern import lazy_pattern

_MONTH = rf"(?P<month>{MONTH_NAMES})\b\.?"
_DAY = r"(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?\b"
_YEAR = r"(?:,?\s+(?P<year>[0-9]{4}))?(?![0-9])"
_FULL = (
    r"(?<![0-9])(?P<year>[0-9]{4})[-/.](?P<month>[0-9]{1,2})[-/.](?P<day>[0-9]{1,2})(?![0-9])",
    rf"(?:(?P<year>(?<![0-9])[0-9]{{4}})年|(?P<which>今年|明年))?(?P<month>{ZH_NUMBER})月(?P<day>{ZH_NUMBER})[号日]?",
    r"(?<![0-9.])(?P<day>[0-9]{1,2})\.\s?(?P<month>[0-9]{1,2})\.\s?(?P<year>[0-9]{4})(?![0-9])",
    rf"\b{_MONTH}\s+(?:the\s+)?{_DAY}{_YEAR}",
    rf"\b(?:the\s+)?{_DAY}(?:\s+of)?\s+{_MONTH}{_YEAR}",
)
_OF_MONTH = (
    rf"(?P<which>下{{1,2}}个?月|这个?月|本月)?的?(?P<day>(?<![0-9]){ZH_NUMBER})[号日]",
    r"\b(?P<which>this|next)\s+month\s+on\s+(?:the\s+)?(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)\b",
    r"\b(?:on|the)\s+(?:the\s+)?(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)\b(?:\s+(?:of\s+)?(?P<which>this|next)\s+month)?",
)
_NTH_DAYS = (
    (
        rf"\b(?:the\s+)?{NTH}\s+(?:day|(?P<weekend>weekend)|{DAY_OF_MONTH})\s+(?:(?:of|in)\s+)?"
        rf"(?:(?:the|this|(?P<which>next))\s+month\b|{_MONTH}{_YEAR})"
    ),
    (
        rf"(?:(?P<which>明年|下)?(?:的?(?P<month>{ZH_NUMBER})|个|这个?|本|当)?月)?(?:的|底)*{ZH_NTH}"
        f"(?:天|(?P<weekend>{ZH_WEEK}末)|{ZH_DAY_OF_MONTH})"
    ),
)
_SAME_DAYS = (
    r"(?P<unit>明年|后年|下个?月)的?今天",
    r"\b(?:this day|today)\s+next\s+(?P<unit>month|year)\b",
)
_HOLIDAY = lazy_pattern(
    rf"(?:(?P<which>今年|明年|后年|\b(?:this|next))\s*的?|(?P<year>[0-9]{{4}})年?的?)?\s*{MARKED}(?:\s+(?:of\s+)?(?P<after>[0-9]{{4}})\b(?![:.]))?"
)
_WEEKEND = lazy_pattern(
    r"\b(?:the\s+)?(?:(?P<which>this|next|coming)\s+)?weekend\b(?P<after>\s+after\s+next\b)?"
    f"|(?P<zh>下下|下|这|本)?个?{ZH_WEEK}末"
)
_NEAR = (
    (r"\btomorrow week\b|\ba week (?:from )?tomorrow\b", 8),
    (r"\btoday week\b|\ba week today\b", 7),
    (r"大后天", 3),
    (r"\b(?:the\s+)?day after tomorrow\b|后天", 2),
    (r"\b(?:tomorrow|tmrw?)\b|明天|明日", 1),
    (r"\btoday\b|\bthis(?=\s+(?:morning|afternoon|evening))|今天|今日", 0),
)
_WEEKDAYS = (
    rf"\b{WEEKDAY}\s+(?P<after>week|fortnight|after next)\b",
    rf"\b(?P<n>{EN_NUMBER})\s+(?P<after>weeks?|fortnight)\s+(?:on|from)\s+{WEEKDAY}\b",
    rf"(?P<which>下下|下|这|本)?个?{ZH_WEEK}的?{ZH_WEEK}?(?P<zh>{ZH_WEEKDAY_NAMES})",
    rf"\b{WEEKDAY}\s+(?:of\s+)?(?P<which>this|next)\s+week\b",
    rf"\b(?P<which>this|next)\s+week'?s?\s+(?:on\s+)?{WEEKDAY}\b",
    rf"\b(?:(?P<coming>this|next|coming)\s+)?{WEEKDAY}\b",
)
_PATTERNS = {
    name: tuple(lazy_pattern(each) for each in group)
    for name, group in {
        "full": _FULL,
        "of_month": _OF_MONTH,
        "weekday": _WEEKDAYS,
        "nth": _NTH_DAYS,
        "same": _SAME_DAYS,
    }.items()
}


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

    match: re.Match[str]
    wall: datetime

    def day(self, clock: ClockTime | None) -> date:
        of_week, groups = weekday_of(self.match), self.match.groupdict()
        match groups.get("which"):
            case "下下":
                return self._in_week(of_week, 2)
            case "下" | "next":
                return self._in_week(of_week, 1)
            case "这" | "本" | "this":
                return self._in_week(of_week, 0)
            case None if after := groups.get("after"):
                weeks = read_number(groups.get("n") or "1") * (2 if after == "fortnight" else 1)
                return self._coming(of_week, ClockTime(at=time(), days=1)) + timedelta(7 * weeks)
            case _:
                return self._coming(of_week, None if groups.get("coming") == "next" else clock)

    def _coming(self, day_of_week: int, clock: ClockTime | None) -> date:
        ahead = (day_of_week - self.wall.weekday()) % 7
        if ahead == 0 and (clock is None or clock.is_over(self.wall.time())):
            ahead = 7
        return self.wall.date() + timedelta(ahead)

    def _in_week(self, day_of_week: int, weeks: int) -> date:
        return self.wall.date() + timedelta(weeks * 7 + day_of_week - self.wall.weekday())


def take_day(text: str, today: date) -> tuple[str, NamedDay | None]:
    """Return the text without its day, and that day; None if it has none. Raises ValueError or LookupError for an
    impossible one, OverflowError beyond the calendar."""
    rest, match = _taken(text, _HOLIDAY)
    if match:
        return rest, _holiday(match, today)
    for pattern in _PATTERNS["nth"]:
        rest, match = _taken(text, pattern)
        if match:
            return rest, _nth_day(match, today)
    for pattern in _PATTERNS["same"]:
        rest, match = _taken(text, pattern)
        if match:
            months = 1 if match["unit"].endswith(("月", "month")) else 24 if match["unit"] == "后年" else 12
            return rest, NamedDay(months_later(today, months))
    for pattern in _PATTERNS["full"]:
        rest, match = _taken(text, pattern)
        if match:
            named = _dated(match, today)
            return (rest if match.groupdict().get("which") == "明年" else _without_weekday(rest, named.day)), named
    for pattern in _PATTERNS["of_month"]:
        rest, match = _taken(text, pattern)
        if match:
            return rest, NamedDay(_day_of_month(read_number(match["day"]), match.groupdict().get("which"), today))
    for words, days in _NEAR:
        rest, match = _taken(text, lazy_pattern(words))
        if match:
            return rest, NamedDay(today + timedelta(days))
    rest, match = _taken(text, _WEEKEND)
    return rest, _weekend(match, today) if match else None


def take_weekday(text: str, wall: datetime) -> tuple[str, WeekdayWords | None]:
    """Return the text without its weekday, and that; None if it has none. ``wall``: the naive local time."""
    for pattern in _PATTERNS["weekday"]:
        rest, match = _taken(text, pattern)
        if match:
            return rest, WeekdayWords(match, wall)
    return text, None


def _taken(text: str, pattern: re.Pattern[str]) -> tuple[str, re.Match[str] | None]:
    match = pattern.search(text)
    return (f"{text[: match.start()]} {text[match.end() :]}" if match else text), match


def _dated(match: re.Match[str], today: date) -> NamedDay:
    groups = match.groupdict()
    of_year, of_month = month_number(match["month"]), read_number(match["day"])
    if year := groups.get("year"):
        return NamedDay(date(int(year), of_year, of_month))
    if groups.get("which") == "明年":
        return NamedDay(date(today.year + 1, of_year, of_month))
    years = range(today.year, today.year + 9)  # 29 February may be eight years away
    days = (each for year in years if (each := _date(year, of_year, of_month)))
    coming = next(each for each in days if each >= today)
    return NamedDay(coming, yearly=Repeat(unit="year", days=(of_year, of_month)))


def _without_weekday(text: str, day: date) -> str:
    """Return the text without a weekday named with a date, if it is that date's."""
    match = next((match for each in _PATTERNS["weekday"] if (match := each.search(text))), None)
    if match and weekday_of(match) == day.weekday():
        return f"{text[: match.start()]} {text[match.end() :]}"
    return text


def _holiday(match: re.Match[str], today: date) -> NamedDay:
    holiday, year = marked_holiday(match["holiday"]), match["year"] or match["after"]
    if year:
        return NamedDay(holiday.day(int(year)))
    if match["which"] in ("明年", "后年"):
        return NamedDay(holiday.day(today.year + (1 if match["which"] == "明年" else 2)))
    if isinstance(holiday.base[0], str) and not holiday.key:
        raise MomentUnclear("unclear")  # a week
    day = holiday.day(today.year)
    days = () if holiday.key else (day.month, day.day)
    yearly = Repeat(unit="year", days=days, holiday=holiday.name if holiday.key else "")
    return NamedDay(day if day >= today else holiday.day(today.year + 1), yearly=yearly)


def _nth_day(match: re.Match[str], today: date) -> NamedDay:
    groups, nth, this = match.groupdict(), read_nth(match["nth"]), today.year * 12 + today.month - 1
    of_week = weekday_of(match) if groups.get("weekday") or groups.get("zh") else 5 if groups["weekend"] else None
    which, month, year = groups.get("which"), groups.get("month"), groups.get("year")
    yearly = None
    if month:
        of_year = month_number(month)
        days = (of_year, of_week if of_week is not None else LAST_DAY if nth < 0 else nth)
        yearly = Repeat(unit="year", days=days, nth=nth if of_week is not None else 0)
        first = int(year) if year else today.year + (which == "明年")
        months = [first * 12 + of_year - 1, *([] if year or which else [first * 12 + 11 + of_year])]
    else:
        months = [this + 1] if which else [this, this + 1]
    for each in months:
        number, index = divmod(each, 12)
        if of_week is None:
            day = clamped(number, index + 1, LAST_DAY if nth < 0 else nth)
        else:
            day = nth_weekday(number, index + 1, of_week, nth)
        if day >= today:
            return NamedDay(day, yearly=yearly, nth=True)
    raise MomentUnclear("past")


def _weekend(match: re.Match[str], today: date) -> NamedDay:
    """Return the Saturday, or today on a Sunday; "next weekend" is that of next week, as in search."""
    weeks = 2 if match["after"] else {"下下": 2, "下": 1, "next": 1}.get(match["zh"] or match["which"] or "", 0)
    return NamedDay(max(today, today + timedelta(5 - today.weekday() + 7 * weeks)))


def _day_of_month(of_month: int, which: str | None, today: date) -> date:
    month = today.year * 12 + today.month - 1
    if which and which.startswith(("next", "下")):
        month += 2 if which.startswith("下下") else 1
        return date(month // 12, month % 12 + 1, of_month)
    days = [day for each in range(month, month + 3) if (day := _date(each // 12, each % 12 + 1, of_month))]
    return days[0] if which else next(day for day in days if day >= today)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
