"""Resolve the words of one day, for what is to come and for what was; pure.

A day without its year, or its month, is the nearest: with ``step`` -1 the newest up to today, with 1 the next from
today.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Literal

from pet.language.calendar_words import day_number, month_number, unit_of, weekday_number, which_number, year_of
from pet.language.normalization import read_number
from pet.language.repetition import LAST_DAY, clamped, later, nth_weekday, shifted

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
