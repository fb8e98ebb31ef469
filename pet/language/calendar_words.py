"""Words of dates in numbers (weekdays, months, ordinals, units, "last", 去年), and the days that they name; pure.

Texts are lower case. Spanish words were read by ``plain_dates`` before. A day without its year, or its month, is the
nearest: with ``step`` -1 the newest up to today, with 1 the next from today.
"""

from __future__ import annotations

import re
from datetime import MAXYEAR, date, timedelta
from typing import Literal

from pet.language.normalization import is_one_edit, is_replaced, read_number

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WORKDAYS = (0, 1, 2, 3, 4)
WORKING_DAY = 7
"""In place of a weekday of the month: Monday to Friday, whatever the holidays."""
_WEEKDAYS = tuple(each[:3].lower() for each in WEEKDAYS)
_ZH_WEEKDAYS = "一二三四五六日天"
_MONTHS = tuple(each[:3].lower() for each in MONTHS)
_ONES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_ORDINALS = (
    *(*_ONES, "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth"),
    *("eighteenth", "nineteenth", "twentieth", *(f"twenty-{each}" for each in _ONES), "thirtieth", "thirty-first"),
)
WHICH = {
    "大前": -3,
    **dict.fromkeys(("上上", "前", "before last"), -2),
    **dict.fromkeys(("上", "去", "last", "past"), -1),
    **dict.fromkeys(("这", "本", "今", "当", "this", "coming", "the"), 0),
    **dict.fromkeys(("下", "明", "next"), 1),
    **dict.fromkeys(("下下", "后"), 2),
}
"""Weeks, months or years from this one."""
_UNITS = {
    **dict.fromkeys(("sec", "秒", "秒钟"), "second"),
    **dict.fromkeys(("min", "分", "分钟"), "minute"),
    **dict.fromkeys(("hr", "小时", "钟头"), "hour"),
    **dict.fromkeys(("天", "日", "daily", "morning", "afternoon", "evening", "night"), "day"),
    **dict.fromkeys(("周", "星期", "礼拜", "weekly"), "week"),
    **dict.fromkeys(("月", "monthly"), "month"),
    **dict.fromkeys(("年", "yearly", "annually"), "year"),
}


def weekday_number(name: str) -> int:
    """Return the weekday, 0 for Monday, or ``WORKING_DAY`` for words of such a day.

    >>> weekday_number("tuesday"), weekday_number("周天"), weekday_number("working day")
    (1, 6, 7)
    """
    if name[-1] in _ZH_WEEKDAYS and name != "工作日":
        return min(_ZH_WEEKDAYS.index(name[-1]), 6)
    return _WEEKDAYS.index(name[:3]) if name.startswith(_WEEKDAYS) else WORKING_DAY


def month_number(name: str) -> int:
    """Return the month, from 1, of an English name, a Chinese number or digits. Raises LookupError, ValueError."""
    return _MONTHS.index(name[:3]) + 1 if name[0].isascii() and name[0].isalpha() else read_number(name)


def day_number(text: str) -> int:
    """Return the number of "3rd", "twenty-first", 十五 or digits. Raises LookupError, ValueError."""
    if text[0].isdigit():
        return int(text.rstrip("stndrh"))
    return _ORDINALS.index("-".join(text.split())) + 1 if text.isascii() else read_number(text)


def read_nth(text: str) -> int:
    """Return 1 for "first", 1st or 第一, -1 for "last" or 最后."""
    if text.startswith(("last", "latter", "back", "最后")):
        return -1
    return read_number(text[1:]) if text[0] == "第" else day_number(text)


def which_number(groups: dict[str, str | None], name: str = "which") -> int | None:
    """Return weeks, months or years from this one, as a group says it: -1 for "last", 上个, 去年; None without it."""
    word = groups.get(name)
    return WHICH[re.sub(" ?year$|[个年]$", "", word)] if word else None


def year_of(match: re.Match[str], today: date) -> int | None:
    """Return the year in the groups ``year``, ``ago`` ("last year", 去年) or ``years`` ago; None without one."""
    groups = match.groupdict()
    if written := groups.get("year"):
        return int(written) + (2000 if len(written) == 2 else 0) if written.isdecimal() else read_number(written)
    if years := groups.get("years"):
        return today.year - read_number(years)
    ago = which_number(groups, "ago")
    return None if ago is None else today.year + ago


def unit_of(word: str) -> str:
    """Return the unit of time: second, minute, hour, day, week, fortnight, month, year.

    >>> unit_of("weeks"), unit_of("个月"), unit_of("hrs")
    ('week', 'month', 'hour')
    """
    plain = word.removeprefix("个").removesuffix("s")
    return _UNITS.get(plain, plain)


LAST_DAY = 31
"""Day of the month that means the last one in shorter months."""
_DAYS = {"day": 1, "week": 7, "fortnight": 14}


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


def months_later(day: date, months: int) -> date:
    """Return the day ``months`` later, on the last day of a shorter month. Raises OverflowError past the last year,
    ValueError before the first."""
    month = day.year * 12 + day.month - 1 + months
    return clamped(month // 12, month % 12 + 1, day.day)


def later(day: date, number: int, unit: str) -> date:
    """Return the day ``number`` days, weeks, months or years later. Raises OverflowError, ValueError outside the
    calendar, LookupError for a shorter unit."""
    if unit in _DAYS:
        return day + timedelta(number * _DAYS[unit])
    return months_later(day, number * {"month": 1, "year": 12}[unit])


def shifted(day: date, months: int) -> date | None:
    """Return the day ``months`` later like ``months_later``; None outside the calendar."""
    try:
        return months_later(day, months)
    except (OverflowError, ValueError):
        return None


def whole_month(year: int, month: int) -> tuple[date, date]:
    """Return the first and the last day of a month."""
    return date(year, month, 1), clamped(year, month, LAST_DAY)


def nth_weekday(year: int, month: int, weekday: int, nth: int) -> date:
    """Return the first (1) to fourth (4) or last (-1) such weekday, or ``WORKING_DAY``, of a month. Raises
    OverflowError past the last year."""
    wanted = WORKDAYS if weekday == WORKING_DAY else (weekday,)
    step = timedelta(-1 if nth < 0 else 1)
    day = clamped(year, month, LAST_DAY if nth < 0 else 1) - step
    for _ in range(abs(nth)):
        day += step
        while day.weekday() not in wanted:
            day += step
    return day


_CORRECTED = (
    *("yesterday", "tomorrow", *map(str.lower, WEEKDAYS)),
    *(month.lower() for month in MONTHS if len(month) > len("April")),
)
_MISSPELT = {"wensday": "wednesday", "wendsday": "wednesday", "tommorow": "tomorrow", "febuary": "february"}
_LONG = 7  # shorter words with another letter are mostly other words
_WORD = re.compile(r"[A-Za-z]{5,11}")


def correct_day_names(text: str) -> str:
    """Return the text with corrected names of days and months: "yestreday", "Agust"."""
    return _WORD.sub(lambda match: _day_meant(match[0]), text)


def _day_meant(word: str) -> str:
    lower = word.lower()
    if lower in _MISSPELT:
        return _MISSPELT[lower]
    if lower in _CORRECTED:
        return word
    return next((day for day in _CORRECTED if _may_mean(lower, day)), word)


def _may_mean(word: str, day: str) -> bool:
    """Return whether the word is a misspelt day name, not a word that is as near: with a letter added ("Mondays",
    "Augusta"), with another end ("Frida", "Sundar", "sundae"), or short with a letter replaced ("sundry",
    "Munday")."""
    if word.startswith(day) or word[-1] != day[-1] or not is_one_edit(word, day):
        return False
    return len(day) >= _LONG or not is_replaced(word, day)


Step = Literal[-1, 1]
SATURDAY = 5


def date_of(match: re.Match[str], today: date, step: Step) -> date | None:
    """Return the date of the groups ``day``, ``month``, and of the year if there is one."""
    month, number, year = month_number(match["month"]), day_number(match["day"]), year_of(match, today)
    return nearest(month, number, today, step) if year is None else date(year, month, number)


def nearest(month: int, number: int, today: date, step: Step) -> date | None:
    for years in range(9):  # 29 February may be eight years away
        try:
            day = date(today.year + step * years, month, number)
        except ValueError:
            continue
        if (day - today).days * step >= 0:
            return day
    return None


def slashed_date(match: re.Match[str], today: date, step: Step, day_first: bool | None) -> date | None:
    """Return the date of "11/3/2026", or the nearest of "11/03": month first, if it can be one, unless the owner
    writes the day first."""
    one, other, year = int(match["one"]), int(match["other"]), year_of(match, today)
    number, month = (one, other) if one > 12 or (day_first and other <= 12) else (other, one)
    return nearest(month, number, today, step) if year is None else date(year, month, number)


def day_of_month(match: re.Match[str], today: date, step: Step) -> date | None:
    """Return the day of the group ``day``, in the month that ``which`` names if it does."""
    number, months = day_number(match["day"]), which_number(match.groupdict())
    if months is None:
        return nearest_number(number, today, step)
    first = shifted(today.replace(day=1), months)
    return first.replace(day=number) if first else None


def nearest_number(number: int, today: date, step: Step) -> date | None:
    for months in range(3):
        first = shifted(today.replace(day=1), step * months)
        try:
            day = first.replace(day=number) if first else None
        except ValueError:  # 31 June
            continue
        if day and (day - today).days * step >= 0:
            return day
    return None


def same_day(match: re.Match[str], today: date) -> date:
    """Return "today last year", 明年的今天, "two weeks ago today"."""
    many = which_number(match.groupdict())
    return later(today, -read_number(match["number"]) if many is None else many, unit_of(match["unit"]))


def in_week(weekday: int, weeks: int, today: date) -> date:
    """Return the weekday of the week that is ``weeks`` from this one."""
    return today + timedelta(weekday - today.weekday() + 7 * weeks)


def weekday_of_month(what: str) -> int | None:
    """Return the weekday of "first Monday", 最后一个工作日, Saturday for a weekend; None for a day."""
    if what in ("day", "天"):
        return None
    return SATURDAY if what.endswith(("weekend", "末")) else weekday_number(what)


def nth_of_month(year: int, month: int, nth: int, what: str) -> date:
    """Return the first or last day, weekday, working day, or Saturday of a weekend of a month."""
    weekday = weekday_of_month(what)
    if weekday is None:
        return clamped(year, month, LAST_DAY if nth < 0 else nth)
    return nth_weekday(year, month, weekday, nth)
